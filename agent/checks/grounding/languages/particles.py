"""Small words that change the meaning of the words and numbers beside them, in all supported languages."""

from __future__ import annotations

from agent.checks.grounding.languages.vocabulary import Class


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# "One" is no number beside these: "one of", "no one".
ONE = {"en": "one", "de": "eins", "es": "uno", "it": "uno"}
NOT_ONE_AFTER = _set("of another by")
NOT_ONE_BEFORE = _set("no this that the which only any each every")
# These are bounds if a number follows.
BOUNDS_OF_NUMBERS = _set(
    """
    above below exceeds exceed exceeded surpassed übersteigt übertrifft übersteigen überstieg überstiegen übertraf
    übertrafen überschritt überschritten dépasse dépassent dépassé dépassait dépassaient supera superan superó superaron
    superano superato superata superati superava superavano
    """
)
# These may stand between a bound and its number: "superaron los 2 millones", "mehr als eine Million".
ARTICLES = _set("the a an die den der dem das ein eine einen einer un une le la les il lo i gli el los las")
DEFINITE = _set("il lo la i gli le l el los las")
DURING = frozenset({"over", "über"})
BEFORE_YEARS = _set(
    """
    in of for during since from im von für seit en de pour depuis del desde nel di dal dell year jahr année año anno
    """
)
FISCAL = _set("fiscal financial geschäftsjahr wirtschaftsjahr")
BUT = frozenset({"but", "bis auf", "à part", "hormis"})
UP_BY = {"up": Class.RISE, "down": Class.FALL}
ARTICLED = {"più": Class.MOST, "más": Class.MOST, "meno": Class.LEAST, "menos": Class.LEAST}
THAN = _set("than als que che")
THAN_OF = _set("di che del della dell rispetto que respecto")  # after a comparative without an article
JOINED = THAN | _set("and und et y e")

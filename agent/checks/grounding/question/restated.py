"""Restates the question around its answer: "How many books are on loan?", "41 books are on loan."

Only English and German question forms whose answer keeps the word order are restated, so no word needs inflection.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_CHARS = 200
_VALUE = "\0"  # the position of the value

# Questions about several results, with references to a speaker, or with two parts do not fit one value.
_UNFIT = re.compile(
    r"\b(?:each|every|per|respectively|i|my|we|our|us|you|your|it|its|this|these|those|they|them|he|she|and"
    r"\s+(?:how|what|which|who|when|where|why|their|its|the))\b|[?;:\n](?!\Z)|\.\s",
    re.IGNORECASE,
)
_UNFIT_GERMAN = re.compile(
    r"\b(?:jede[mnrs]?|je|pro|jeweils|ich|mein\w*|wir|uns(?:er\w*)?|du|dein\w*|er|sie|(?<!gibt )(?<!gab )es|ihn|ihr\w*"
    r"|sein|seine\w*|dies(?:e[mnrs]?)?|und|oder)\b|[,?;:\n](?!\Z)|\.\s",
    re.IGNORECASE,
)
_POLITE = re.compile(r"\s*(?:please|(?:can|could|would) you(?: please)?)[\s,]+|[\s,]+please(?=\W*\Z)", re.IGNORECASE)
_SUPERLATIVE = r"(?:most|fewest|least|largest|smallest|highest|lowest|longest|shortest|oldest|youngest|best|worst)"
_MEASURE = (
    r"(?:number|total|average|mean|sum|count|maximum|minimum|median|percentage|share|highest|lowest|largest|smallest)"
)
_OF_ONE = (
    rf"(?:{_MEASURE}|most (?:common|popular|frequent|recent)|(?:\w+ )?(?:name|id|title|description|date|year) of the)"
)
_GERMAN_NAME = r"(?:(?:der|die|das) )?(?-i:[A-ZÄÖÜ])\w+"  # not a participle, which would be at the end
_ORDER = r"(?:find|show|give|list|return|calculate|compute|count|get|tell)(?: me)?"


class _Form(NamedTuple):
    """A question form. Args: frame: of the answer, with the pattern's groups; counts: whether it asks how many."""

    pattern: re.Pattern[str]
    frame: str
    counts: bool = False


def _form(pattern: str, frame: str, *, counts: bool = False) -> _Form:
    return _Form(re.compile(pattern, re.IGNORECASE), frame, counts)


_FORMS = (
    _form(r"how many (?P<what>[^,]+?) (?P<are>are|were) there(?P<rest>\b.*)",
          f"There {{are}} {_VALUE} {{what}}{{rest}}", counts=True),
    _form(r"how many (?P<what>[^,]+?) do (?P<who>.+) have", f"{{who}} have {_VALUE} {{what}}", counts=True),
    _form(r"how many (?P<what>[^,]+?) does (?P<who>.+) have", f"{{who}} has {_VALUE} {{what}}", counts=True),
    _form(r"how many (?P<what>[^,]+?) did (?P<who>.+) have", f"{{who}} had {_VALUE} {{what}}", counts=True),
    _form(r"how many (?P<what>(?!times\b).+)", f"{_VALUE} {{what}}", counts=True),
    _form(r"what(?:'s|’s| is) (?P<what>the .+)", f"{{what}} is {_VALUE}"),
    _form(r"what was (?P<what>the .+)", f"{{what}} was {_VALUE}"),
    _form(rf"{_ORDER} (?P<what>the {_OF_ONE}\b.+)", f"{{what}} is {_VALUE}"),
    _form(rf"(?:which|what) (?P<what>\w+(?: \w+)?) (?P<rest>has the {_SUPERLATIVE}\b.+)",
          f"{_VALUE} {{rest}}"),
    _form(rf"(?:which|what) (?P<what>\w+(?: \w+)?) (?P<rest>(?:is|was) the {_SUPERLATIVE})", f"{_VALUE} {{rest}}"),
    _form(r"who (?P<rest>(?:is|was|has) the .+)", f"{_VALUE} {{rest}}"),
)  # fmt: skip
_GERMAN_FORMS = (  # the verb stays in second position
    _form(r"wie ?viele (?P<what>.+?) (?P<are>gibt|gab) es(?P<rest>\b.*)",
          f"es {{are}} {_VALUE} {{what}}{{rest}}", counts=True),
    _form(rf"wie ?viele (?P<what>\w+) (?P<have>hat|hatte) (?P<who>{_GERMAN_NAME})",
          f"{{who}} {{have}} {_VALUE} {{what}}", counts=True),
    _form(r"wie ?viele (?!mal\b)(?P<what>.+)", f"{_VALUE} {{what}}", counts=True),
    _form(r"wie hoch (?P<are>ist|war|sind|waren) (?P<what>(?:der|die|das) .+)", f"{{what}} {{are}} {_VALUE}"),
    _form(r"(?:was|wie) (?P<are>ist|war) (?P<what>(?:der|die|das) .+)",
          f"{{what}} {{are}} {_VALUE}"),
    _form(r"welche[rs]? \w+ (?P<rest>(?:hat|hatte) die (?:meisten|wenigsten) .+)", f"{_VALUE} {{rest}}"),
    _form(r"(?:welche[rs]? \w+|wer) (?P<rest>(?:ist|war) (?:der|die|das) \w+[sß]te)", f"{_VALUE} {{rest}}"),
)  # fmt: skip
# A subject follows these: "How many books has Ann read?" The answer has another word order.
_BEFORE_ITS_SUBJECT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should) (?:the|all|any|both|[A-Z])"
)
_SEVERAL = re.compile(r"the (?:\w+ ){1,2}and ", re.IGNORECASE)  # "the name and the age of", with only one value
_DO = re.compile(r"\b(?:do|does|did)\b", re.IGNORECASE)


class Frame(NamedTuple):
    """The text before and after a value. Args: counts: whether the value is the number of the noun that follows."""

    before: str
    after: str
    counts: bool


def frame_of(question: str) -> Frame | None:
    """The question as a statement around its only value. None if it has no such form."""
    text = " ".join(_POLITE.sub("", question).split()).rstrip("?.! ")
    if len(text) > MOST_CHARS:
        return None
    for form in (*_FORMS, *_GERMAN_FORMS):
        match = form.pattern.fullmatch(text)
        if match is None:
            continue
        if (_UNFIT if form in _FORMS else _UNFIT_GERMAN).search(text):
            return None
        words = match.groupdict()
        said = " ".join(words.values())
        if _SEVERAL.match(said) or (form.counts and (_DO.search(said) or _BEFORE_ITS_SUBJECT.search(said))):
            return None
        statement = form.frame.format(**words)
        before, _, after = statement.partition(_VALUE)
        return Frame(before[:1].upper() + before[1:], f"{after}.", form.counts)
    return None

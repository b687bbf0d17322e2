"""Words of questions that expect yes or no, and of their answers, in all supported languages."""

from __future__ import annotations

import re
from collections.abc import Mapping

NO = frozenset({"no", "nein", "non"})
# Yes and no at the start of a sentence, also in Korean.
VERDICT = re.compile(
    r"\s*(?:(?:yes|ja|oui|sí|sì|si|no|nein|non)\s*[,.:;!]|(?:네|예|아니요|아니오|아닙니다)(?!\w))", re.IGNORECASE
)
ANY = frozenset({"any", "irgendein", "irgendeine", "irgendeinen", "irgendwelche", "quelque", "quelques", "algún"})
ANY |= {"alguna", "algunos", "algunas", "qualche", "alcuni", "alcune"}
# The word before the second one of two compared things.
THAN: Mapping[str, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:than|versus|vs|compared (?:to|with))\b", re.IGNORECASE),
    "de": re.compile(r"\bals\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:que\b|qu['’]|contre\b)", re.IGNORECASE),
    "es": re.compile(r"\b(?:que|frente a)\b", re.IGNORECASE),
    "it": re.compile(r"\b(?:di|del\w*|che|rispetto a\w*)\b", re.IGNORECASE),
}
# Comparatives that fit every column of numbers.
QUANTITATIVE = frozenset({"more", "fewer", "less", "higher", "lower", "greater", "exceed", "exceeds", "exceeded"})
QUANTITATIVE |= {"most", "fewest", "least", "highest", "lowest", "greatest", "meisten", "wenigsten", "höchste"}
QUANTITATIVE |= {
    "surpassed",
    "outsold",
    "mehr",
    "weniger",
    "höher",
    "niedriger",
    "geringer",
    "übersteigt",
    "übertrifft",
}
QUANTITATIVE |= {"plus", "moins", "supérieur", "más", "menos", "mayor", "menor", "più", "meno", "supera"}
# A question whether there is something.
EXISTENCE = re.compile(
    r"\b(?:(?:is|are|was|were) there|(?:do|did) we have|have we|has anyone|gibt es|gab es|haben wir|y a-t-il|il y a|"
    r"y avait-il|avons-nous|hay|hubo|tenemos|existen?|c['’]è|ci sono|abbiamo)\b",
    re.IGNORECASE,
)
# Words that ask for no more than existence.
EVER = frozenset({"ever", "anyone", "anything", "je", "jemals", "jemand"})
YET = frozenset({"already", "yet", "schon", "bereits", "déjà", "ya", "già"})
# Columns that "bigger" and "smaller" compare.
SIZES = re.compile(
    r"population|inhabitants|area|size|einwohner|fläche|größe|habitant|superfici|taille|abitanti|tamaño", re.IGNORECASE
)
OF_SIZE = re.compile(r"bigger|larger|smaller|größer\w*|kleiner\w*|grande?s?|petite?s?|grand[ei]|pequeñ\w*|piccol\w*")
OF_AGE = re.compile(r"\b(?:old|young|älter|jünger|alt\b|jung|âg|vieu|vieil|viej|anzian|vecchi)", re.IGNORECASE)
AGES = frozenset({"age", "ages", "alter", "âge", "edad", "età"})
OF_RANK = frozenset({"rank", "ranking", "position", "place", "pos", "rang", "platz", "puesto", "posto", "priority"})
OF_RANK |= {"grade", "note", "standing", "level", "class"}
# "The only manager", not "only works".
THE_ONLY = re.compile(
    r"\b(?:the only|(?:der|die|das) einzige|l[ae] seule?|l['’]unico|l['’]unica|(?:el|la) únic[oa])\b", re.IGNORECASE
)
# Words that change a question in a way that is not read: "other than", "much more", "is it wrong that".
UNREAD = frozenset(
    {
        "among",
        "other",
        "others",
        "another",
        "again",
        "still",
        "besides",
        "wrong",
        "false",
        "or",
        "oder",
        "ou",
        "lack",
        "lacks",
    }
)
UNREAD |= {"few", "far", "much", "slightly", "significantly", "considerably", "andere", "anderen", "falsch", "deutlich"}
UNREAD |= {"kaum", "autres", "faux", "bien", "otros", "otras", "falso", "mucho", "altri", "altre", "molto"}
ONE_OF = re.compile(r"\b(?:one of|eine[rs]? de[rs]|une? des|un[oa] de|uno de[il]|una delle)\b", re.IGNORECASE)
NOTHING = frozenset({"none", "no", "not", "never", "nothing", "-", "n/a", "kein", "keine", "nie", "aucun", "nessuno"})

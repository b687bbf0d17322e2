"""Causes that a sentence states without support in the rows: "because of the strike", "wegen", "때문에"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.words import is_among, words_of

_CAUSES = {
    "en": r"because|due to|owing to|thanks to|as a (?:result|consequence) of|caused by|on account of|driven by"
    r"|attributable to|attributed to|triggered by",
    "de": r"wegen|aufgrund|auf grund|infolge|dank|weil|bedingt durch|verursacht durch|ausgelöst durch|zurückzuführen",
    "fr": r"à cause d|grâce (?:à|au)|en raison d|dus? (?:à|au)|dues? (?:à|au)|parce qu|causée?s? par|provoquée?s? par"
    r"|suite à|par suite d",
    "es": r"debid[oa]s? a|a causa de|gracias a|por culpa de|porque|causad[oa]s? por|provocad[oa]s? por|a raíz de",
    "it": r"a causa d|grazie a|dovut[oaie] a|perché|causat[oaie] da|provocat[oaie] da|per via d|per colpa d",
}
_KOREAN = re.compile(r"때문|덕분|탓(?:에|으로)|로 인(?:해|하여|한)|영향으로|여파로")
_CAUSE = {name: re.compile(rf"(?<!\w)(?:{words})", re.IGNORECASE) for name, words in _CAUSES.items()}
_HELD = re.compile(r"caus|reason|grund|ursache|motiv|raison|motif|원인|사유|이유", re.IGNORECASE)
_SHORT = 3  # most letters of a word that is no verb


def causes(text: str, facts: Facts) -> Iterator[Problem]:
    """The causes in a text that its question does not name. Empty if the rows have a column of causes."""
    columns = (word for it in facts.columns if it.kind == "dimension" for word in words_of(it.name))
    if any(_HELD.search(word) for word in columns):
        return
    asked = facts.question.lower()
    verbs = [word for word in words_of(asked) if len(word) > _SHORT]  # "driven by", if the question mentions drivers
    for pattern in (_KOREAN,) if facts.language == "ko" else _CAUSE.values():
        for found in pattern.finditer(text):
            if found[0].lower() not in asked and not is_among(words_of(found[0])[0], verbs):
                yield Problem(found[0], "the rows hold no cause")

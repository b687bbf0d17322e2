"""What a sentence leaves out as its query does: "excluding cancelled orders", for `status <> 'cancelled'`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.query_facts import Condition
from agent.checks.grounding.languages.words import is_among, words_of

_ONES = frozenset(["ones", "those", ""])
_EXCLUDED = re.compile(
    r"\b(?:excluding|(?:not|without) (?:counting|including)|leaving out|ignoring) (?:the |all |any )?"
    r"(?P<value>[^\W\d_]+)(?: (?P<noun>[^\W\d_]+))?(?=\s*[.,;:)])"
    r"|\b(?P<value_before>[^\W\d_]+) (?P<noun_before>[^\W\d_]+) (?:are |were )?(?:excluded|not counted)(?=\s*[.,;:)])",
    re.IGNORECASE,
)


def blank_excluded(text: str, facts: Facts) -> str:
    """A text with blanks for what it says is left out, if the query denies this stored value of these rows.

    Not if the question speaks of the value, too: then it is a condition. Nor if several tables are read: "ones" may be
    of any of them.
    """
    if len(facts.query.read) != 1:
        return text
    for found in _EXCLUDED.finditer(text):
        value, noun = ((found[name] or found[f"{name}_before"] or "").lower() for name in ("value", "noun"))
        if value not in facts.question_words and any(_denies(it, value, noun, facts) for it in facts.conditions):
            text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
    return text


def _denies(condition: Condition, value: str, noun: str, facts: Facts) -> bool:
    tables = [word for it in condition.tables for word in words_of(it)]
    return (
        condition.excludes
        and len(condition.columns) == 1
        and is_among(value, _list_values(condition, facts))
        and (noun in _ONES or is_among(noun, tables))
    )


def _list_values(condition: Condition, facts: Facts) -> Iterator[str]:
    """The only value of a condition, or the meaning of its code, in lower case."""
    meanings = {code.lower(): meaning.lower() for code, meaning in facts.codes_of(condition.columns)}
    for it in condition.values if len(condition.values) == 1 else ():
        yield from (it.lower(), meanings.get(it.lower(), it.lower()))

"""Does the answer say that there is nothing where the rows have something?

"There are no customers from France" beside a row with 66 of them holds no number that could be traced, and is wrong all
the same. Where no row has a zero or an empty cell, and the question denies nothing, nothing in them supports a denial.
"""

from __future__ import annotations

import re

from executors.base import JsonValue, QueryResult
from rag.words import denies

_NOTHING = re.compile(
    r"\bno (?!more\b|less\b|fewer\b|later\b|longer\b|other\b|doubt\b|matter\b|exact\b)[^\W\d_]+"
    r"|\b(?:none|nobody|nothing|zero|niemand|nichts|nadie|nada)\b"
    r"|\b(?:keine?[mnrs]?|aucune?|ning[uú]n[oa]?s?)\s+[^\W\d_]+",
    re.IGNORECASE,
)


def unsupported_denials(text: str, question: str, result: QueryResult) -> tuple[str, ...]:
    """What an answer says there is none of, as written; nothing where rows or question may be the reason.

    Args:
        text: the answer.
        question: one that denies something is answered by denials.
        result: all rows of the query.
    """
    found = tuple(dict.fromkeys(match[0] for match in _NOTHING.finditer(text)))
    if not found or not result.rows or denies(question) or any(map(_NOTHING.search, (question, *result.columns))):
        return ()
    return () if any(_is_nothing(cell) for row in result.rows for cell in row) else found


def _is_nothing(cell: JsonValue) -> bool:
    """Whether a cell is a reason to deny something: empty, zero, false, or a text that denies."""
    if isinstance(cell, str):
        return not cell.strip() or denies(cell) or _NOTHING.search(cell) is not None
    return not cell

"""Checks, without a model, whether the shape of a result fits the question."""

from __future__ import annotations

import re

from agent.core.models import Check
from agent.core.texts.plurals import plural
from executors.base import QueryResult

# Requested numbers of rows: "top 5", "the 3 best", "five largest".
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
}
# Units that follow a number that does not count rows: "the last 3 months", "the top 10 %", "the first 2 letters".
_NO_ROWS = (
    r"(?![.,]?\d|\s*%|[\s-]+(?:(?:calendar|business|working|fiscal|full|whole|complete|consecutive)\s+)?"
    r"(?:per\s?cent|percent\w*|seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|quarters?|years?|decades?"
    r"|letters?|characters?|digits?|words?)\b)"
)
_COUNT = rf"(\d{{1,3}}|{'|'.join(NUMBER_WORDS)})\b{_NO_ROWS}"
_MOST = r"(?:best|worst|largest|biggest|smallest|highest|lowest|most|least|latest|newest|oldest|cheapest|longest)"
# Words before "5 largest" that make it a request. In "store one best" it is a name.
_ASKING = (
    r"(?:^|[:;]\s*|\b(?:the|our|my|your|their|its|these|those|all|which|what|are|is|were|show|list|name|find|get|give"
    r"|return|display|me|us)\s+)"
)
TOP_N = re.compile(
    rf"\b(?:top|first|last|bottom)[\s-]+{_COUNT}|{_ASKING}{_COUNT}\s+(?:\w+\s+)?{_MOST}\b", re.IGNORECASE
)
# The number may apply to each group, and the number of groups is unknown.
_GROUPED = re.compile(r"\b(?:each|per|every)\b", re.IGNORECASE)

_ONLY_NULL = "Every value is NULL: the filters may match nothing, or nothing can be computed, as where a divisor is 0."

# Checks that a judge may overrule: a suspicious shape may be what the data really contains.
SOFT_CHECKS = frozenset({"has_rows"})
# Rules that doubt the form of the rows, not what they are. A judge may overrule them, too.
SOFT_RULES = frozenset({"unasked_count", "repeated_rows"})


def shape_checks(question: str, result: QueryResult) -> list[Check]:
    """Check that the result has rows, not only NULLs, and no more rows than the question asks for."""
    if result.row_count == 0:
        return [Check(name="has_rows", passed=False, detail="The query returned no rows.")]
    checks = [Check(name="has_rows", passed=True, detail=f"{plural(result.row_count, 'row')}.")]
    only_null = all(value is None for row in result.rows for value in row)
    detail = _ONLY_NULL if only_null else ""
    checks.append(Check(name="not_all_null", passed=not only_null, detail=detail))
    wanted = read_requested_count(question)
    if wanted is not None:
        fits = result.row_count <= wanted
        detail = f"{plural(wanted, 'row')} {'was' if wanted == 1 else 'were'} asked for, {result.row_count} came."
        checks.append(Check(name="asked_row_count", passed=fits, detail=detail))
    return checks


def read_requested_count(question: str) -> int | None:
    """The number of rows that a question asks for. None if it states no number, or one that may apply to groups."""
    match = TOP_N.search(question)
    if match is None or _GROUPED.search(question):
        return None
    word = (match[1] or match[2]).lower()
    return NUMBER_WORDS.get(word) or int(word)

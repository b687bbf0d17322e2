"""One number for a question that compares two: "Are there more customers from Germany than from France?"

The answer cannot be read from it, unless the query compares the two itself.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.polar_words import THAN
from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.checks.rules.base import Finding, Rule, RuleContext

_MORE = {
    "en": r"\b(?:more|fewer|less|higher|lower|greater|larger|smaller|bigger|older|younger)\b",
    "de": r"\b(?:mehr|weniger|höher\w*|niedriger\w*|größer\w*|kleiner\w*|älter|jünger)\b",
    "fr": r"\b(?:plus|moins)\b",
    "es": r"\b(?:más|menos|mayor|menor)\b",
    "it": r"\b(?:più|meno|maggiore|minore)\b",
}
# A number, which the reader holds the result against: "more than 50", "higher than the limit of 50".
_NUMBER = re.compile(r"\d|\b(?:one|two|three|ten|hundred|half|zero|once|twice|zwei|drei|deux|trois|dos|tres|due|tre)\b")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def apply(context: RuleContext) -> Finding | None:
    question, language = context.question, language_of(context.question)
    if language not in LANGUAGES or not vocabulary(language).is_polar(question) or not _is_number(context):
        return None
    said = re.search(_MORE[language], question, re.IGNORECASE)
    than = THAN[language].search(question, said.end()) if said is not None else None
    if said is None or than is None or _NUMBER.search(_YEAR.sub("", question[than.end() :]).casefold()):
        return None
    sides = ((it.this, it.expression) for it in context.query.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE))
    if any(one.find(exp.Column) and other.find(exp.Column) for one, other in sides):
        return None
    return Finding(f"The question compares two things (“{said[0]} … {than[0]}”), and the result is one number.")


def _is_number(context: RuleContext) -> bool:
    cells = [cell for row in context.rows or () for cell in row]
    return len(cells) == 1 and isinstance(cells[0], int | float) and not isinstance(cells[0], bool)


RULE = Rule("one_side", "rows", "language", "doubt", apply)

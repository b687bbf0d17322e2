"""One number for a question whether one thing is more than another: "Did Ann sell more than Bo?".

It takes two numbers, their difference, or a comparison in the query. Which two is unknown, so there is no alternative.
"Are there …?" counts what is more, and "more than 50" has its second number. In English and German; in other
languages, the word for "than" has other meanings.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.polar_words import ANY, EVER, EXISTENCE, THAN
from agent.checks.grounding.languages.vocabulary import vocabulary
from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.words import words

_LANGUAGES = frozenset({"en", "de"})
_NUMBER = re.compile(r"\s*(?:\S+\s+)?\W?\d|.*\b(?:average|mean|durchschnitt\w*)\b", re.IGNORECASE)
_DECIDES = (exp.Predicate, exp.Case, exp.If, exp.Sub, exp.Div)
_COUNTS = words(" ".join(ANY | EVER))


def apply(context: RuleContext) -> Finding | None:
    question, rows = context.question, context.rows
    language = language_of(question)
    if language not in _LANGUAGES or not vocabulary(language).is_polar(question) or EXISTENCE.search(question):
        return None
    than = THAN[language].search(question)
    if than is None or _NUMBER.match(question, than.end()) or words(question) & _COUNTS:
        return None
    if rows is None or len(rows) != 1 or len(rows[0]) != 1 or not isinstance(rows[0][0], int | float):
        return None
    if isinstance(rows[0][0], bool) or any(it.find(*_DECIDES) for it in context.query.selects):
        return None
    return Finding(f"The question asks for a comparison (“{than[0]}”), and the rows have one number.")


RULE = Rule("compared_sides", "rows", "language", "doubt", apply)

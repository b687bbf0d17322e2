"""One number for a question whether one thing is more than another, or for one thing versus another: "Did Ann sell more
than Bo?", "average score video vs on site".

It takes two numbers, their difference, or a comparison in the query. Which two is unknown, so there is no alternative.
"Are there …?" counts what is more, and "more than 50" has its second number. In English and German; in other
languages, the word for "than" has other meanings.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.polar_words import ANY, EVER, EXISTENCE
from agent.checks.grounding.languages.vocabulary import vocabulary
from agent.checks.rules.base import Finding, Rule, RuleContext
from rag.words import words

_MORE = {
    "en": re.compile(r"\b(?:more|less|fewer|worse|(?!(?:oth|rath)er\b)\w+er)\b[^?]*?\bthan\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:mehr|weniger|\w+er(?:e[nmrs]?)?)\b[^?]*?\bals\b", re.IGNORECASE),
}
_BOUND = re.compile(
    r"\s*(?:\S+\s+)?\W?\d|\s*(?:a |an )?(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|half"
    r"|eine?[nmrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|hundert|tausend)\b"
    r"|.*\b(?:average|mean|durchschnitt\w*)\b",
    re.IGNORECASE,
)
_VERSUS = re.compile(r"\s(?:vs\.?|versus|compared (?:to|with)|im vergleich (?:zu[mr]?|mit))\s", re.IGNORECASE)
_CONTEST = re.compile(r"\b(?:match|game|fixture|race|fight|final|trial|spiel)\w*\b", re.IGNORECASE)  # of Rome vs Turin
_DECIDES = (exp.Case, exp.If, exp.Sub, exp.Div, exp.Having)
_COUNTS = words(" ".join(ANY | EVER))


def apply(context: RuleContext) -> Finding | None:
    rows = context.rows
    if not _asks_for_comparison(context.question):
        return None
    if rows is None or len(rows) != 1 or len(rows[0]) != 1 or not isinstance(rows[0][0], int | float):
        return None
    if isinstance(rows[0][0], bool) or context.query.find(*_DECIDES) or _compares(context.query):
        return None
    return Finding("The question asks for a comparison, and the rows have one number.")


def _asks_for_comparison(question: str) -> bool:
    if _VERSUS.search(question):
        return _CONTEST.search(question) is None
    language = language_of(question) or ""
    if language not in _MORE or not vocabulary(language).is_polar(question) or EXISTENCE.search(question):
        return False
    than = _MORE[language].search(question)
    return than is not None and not _BOUND.match(question, than.end()) and not words(question) & _COUNTS


def _compares(query: exp.Expr) -> bool:
    """Whether it compares two things, in any part, and not only one with a constant, or shows a comparison."""
    shown = (it.find(exp.Predicate) for select in query.find_all(exp.Select) for it in select.selects)
    between = query.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE)
    return any(shown) or any(it.this.find(exp.Column) and it.expression.find(exp.Column) for it in between)


RULE = Rule("compared_sides", "rows", "language", "doubt", apply)

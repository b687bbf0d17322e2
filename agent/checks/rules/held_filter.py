"""A condition by the number that a question holds an average or a total against.

"Is the average payment above 30?" asks for the average of all payments, not of those above 30.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import find_numbers
from executors.sql.tree import conjuncts

_YEAR = re.compile(r"(?:19|20)\d\d")
# The end of the question: a unit, a time. More words may say that the number limits the rows: "of fees over 10 rising".
_END = re.compile(r"\W*(?:[^\W\d]+\W*)?(?:\b(?:in|im|en|nel|since|seit)\b.{0,20})?")


def apply(context: RuleContext) -> Finding | None:
    question, language = context.question, language_of(context.question)
    if language not in LANGUAGES or not vocabulary(language).is_polar(question):
        return None
    numbers = [it for it in find_numbers(question) if not _YEAR.fullmatch(it[0])]
    if len(numbers) != 1:  # of two, one may limit the rows
        return None
    ((text, readings),) = numbers
    if _END.fullmatch(question.rpartition(text)[2]) is None:
        return None
    for select in context.selects:
        where = select.args.get("where")
        aggregated = {it.this for item in select.selects for it in item.find_all(exp.Avg, exp.Sum)}
        for condition in conjuncts(where.this if where is not None else None):
            match condition.unnest():
                case (
                    exp.GT(this=column, expression=exp.Literal() as limit)
                    | exp.GTE(this=column, expression=exp.Literal() as limit)
                    | exp.LT(this=column, expression=exp.Literal() as limit)
                    | exp.LTE(this=column, expression=exp.Literal() as limit)
                ) if column in aggregated and not limit.is_string and float(limit.this) in readings:
                    shown = context.to_sql(condition)
                    return Finding(f"The question compares the result with {limit.this}, and {shown} limits the rows.")
    return None


RULE = Rule("held_filter", "query", "language", "doubt", apply)

"""Numbers of the question that the query does not contain: as written, as a share, in days, one more or less.

Also numbers that the query compares with a column in another unit: 2 hours for "two days"; and another row than the
one that is asked for: `LIMIT 1 OFFSET 3` for "the third", but not for "the one after the third".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from agent.checks.grounding.evidence.query_facts import find_compared_numbers
from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, vocabulary
from agent.checks.grounding.question.unconverted import compare_amounts
from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import find_numbers
from agent.understanding.clarification.inquiry import words_of_names
from rag.words import words

_TIME = re.compile(r"(?:19|20)\d\d|\d{1,2}|\d\d?\.\d\d?\.(?:\d\d)?\d\d")  # of a date, which SQL may write otherwise
_WORD = re.compile(r"\w+")
_RANKED = words("grade quarter month floor branch")  # "the third quarter" is no place of a row
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def apply(context: RuleContext) -> Finding | None:
    texts = [str(literal.this) for literal in context.query.find_all(exp.Literal)]
    held = {float(digits) for text in texts for digits in _DIGITS.findall(text)}
    held |= {number / size for number in held for size in (1e3, 1e6, 1e9)}  # 2 million
    amounts = list(compare_amounts(context.question, tuple(find_compared_numbers(context.query)), _docs_of(context)))
    if other := next((it for it in amounts if not it.is_same), None):
        return Finding(
            f"The question says {other.amount.text}, but the query compares {other.column} with {other.number}."
        )
    if other_row := _shows_other_row(context):
        return Finding(other_row)
    converted = {digits for it in amounts for digits, _ in find_numbers(it.amount.text)}
    missing: list[str] = []
    for number_text, readings in find_numbers(context.question):
        # A week is seven days if a dialect has no weeks.
        near = {one for it in readings for one in (it, it / 100, it * 7, it - 1, it + 1)}
        may_be_time = _TIME.fullmatch(number_text) is not None and any(len(_DIGITS.findall(text)) > 1 for text in texts)
        if held.isdisjoint(near) and not may_be_time and number_text not in converted:
            missing.append(number_text)
    if not missing or (len(missing) == 1 and _is_compared_by_reader(context)):
        return None
    return Finding(f"The query does not use {', '.join(missing)}, which the question names.")


def _shows_other_row(context: RuleContext) -> str | None:
    """A sentence if the query shows one row by its place, and the question names other places."""
    limit, offset = (context.query.args.get(part) for part in ("limit", "offset"))
    numbers = [it.args.get("count") or it.expression for it in (limit, offset) if it is not None]
    language, said = language_of(context.question), _WORD.findall(context.question.lower())
    if (
        language not in LANGUAGES
        or len(numbers) < 2
        or not all(isinstance(it, exp.Literal) and it.is_int for it in numbers)
    ):
        return None
    found = ((place, vocabulary(language).find_phrase(said, place)) for place in range(len(said)))
    phrases = [(place, it) for place, it in found if it is not None]
    ordinals = [(place, it) for place, it in phrases if it.rank > 1]
    after = {place for place, it in phrases if it.cls is Class.AFTER}
    of_things = _RANKED | words_of_names(context.schema)
    ranks = {
        it.rank + (not after.isdisjoint((at - 1, at - 2)))  # an article may stand between
        for at, it in ordinals
        if not of_things & words(" ".join(said[at + it.length :][:1]))
    }
    place = int(numbers[1].name) + 1
    if numbers[0].name != "1" or not ranks or place == 1 or place in ranks:
        return None
    return f"The query shows row {place}, and the question asks for row {', '.join(map(str, sorted(ranks)))}."


def _docs_of(context: RuleContext) -> Callable[[str], list[str]]:
    read = {it.name.lower() for tables in map(context.tables, context.selects) for it in tables.values() if it}

    def docs_of(column: str) -> list[str]:
        own = (it for it in context.documents if it.kind == "column" and it.column.lower() == column)
        return [it.text for it in own if it.table.lower() in read]

    return docs_of


def _is_compared_by_reader(context: RuleContext) -> bool:
    """Whether the result is one number, held against that of the question: "Do we have more than 100 members?" """
    rows = context.rows or ()
    is_number = len(rows) == len(rows[0]) == 1 and isinstance(rows[0][0], int | float) if rows else False
    language = language_of(context.question)
    return is_number and language in LANGUAGES and vocabulary(language).is_polar(context.question)


RULE = Rule("said_numbers", "query", "language", "doubt", apply)

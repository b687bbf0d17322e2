"""One row of aggregates for a question about each of something: no GROUP BY and no column for it.

In English, the thing after "per" or "by" must be named as in the schema: "per country", "by country". The other
languages have words that mean nothing else, but for an average, which is one of something already: "price per night"
may be a column, and "cost per visit" the mean over the rows of `visits`. "Average pay by branch manager approval" is of
approvals, so after "by", the last word counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import owner_alias
from agent.understanding.clarification.inquiry import words_of_names
from agent.understanding.clarification.words.languages import is_english
from executors.base import Schema
from executors.sql.literals import is_text, owner_of
from rag.words import is_silent, phrases, stem_of, tokens, words

_WORD = r"(?:(?:kind|type|sort)s? of )?([^\W\d_]+(?:\s[^\W\d_]+)?)"
_ENGLISH = re.compile(
    rf"\b(?:(?:for )?(?:each|every)|per)\s+{_WORD}"
    # "Paid by card" says who or what did it; so does "placed in May by customers from Graz", if it is filtered by.
    rf"|(?<!(?:ed|en|id|ld|nt|nd|de|ht|wn) )\bby\s+{_WORD}",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:pro|jede[rsnm]?|chaque|cada|ogni)\s+[^\W\d_]+|[\uac00-\ud7a3]+별(?![\uac00-\ud7a3])|(?:^|\s)각\s*[\uac00-\ud7a3]+",
    re.IGNORECASE,
)
_ENDINGS = frozenset({"", "e", "n", "en", "er", "s", "es"})  # of plurals
_SPREAD = (exp.Group, exp.Window, exp.Div, exp.SetOperation, exp.Predicate)


def apply(context: RuleContext) -> Finding | None:
    select = context.query
    if not isinstance(select, exp.Select) or select.find(exp.Group, exp.Window, exp.SetOperation) is not None:
        return None
    items = [item.unalias() for item in select.selects]
    if not items or any(it.find(exp.AggFunc) is None or it.find(*_SPREAD) is not None for it in items):
        return None
    averages = [it for item in items for it in item.find_all(exp.Avg)]
    known = _words_of_groups(context.schema) if averages else words_of_names(context.schema)
    averaged = words(" ".join(_list_averaged(averages, context)))
    english = is_english(context.question)
    filtered = words(" ".join(_list_filtered(context)))
    for match in (_ENGLISH if english else _OTHERS).finditer(context.question):
        said = {stem_of(it) for it in tokens(match[0]) if not is_silent(it)}
        named = said - averaged
        if english and averages and match[2]:
            if named != said:
                continue
            named = {stem_of(it) for it in tokens(next(iter(phrases(context.question[match.start(2) :])), ""))[-1:]}
        groups = known - filtered if english and not match[1] else known
        others = set() if english else {it for it in named if not any(_are_forms(it, one) for one in averaged)}
        is_known = bool(named & groups) or any(_are_forms(a, b) for a in others for b in groups)
        if is_known or not (english or averages):
            return Finding(f"The question asks “{match[0].strip()}”, and nothing groups the rows by it.")
    return None


def _are_forms(one: str, other: str) -> bool:
    """Whether one is the other with a short ending: `fahrzeug` and `fahrzeuge`."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long.startswith(short) and long[len(short) :] in _ENDINGS


def _words_of_groups(schema: Schema) -> frozenset[str]:
    """The words of tables and columns of texts: of a number, as `nights`, an average is no group but a rate."""
    columns = (it.name for table in schema.tables for it in table.columns if is_text(it))
    return words(" ".join((*(it.name for it in schema.tables), *columns)))


def _list_averaged(averages: list[exp.Avg], context: RuleContext) -> Iterator[str]:
    """The names of averaged columns, and of their tables, whose rows the average is of."""
    for column in (it for average in averages for it in average.find_all(exp.Column)):
        owner = owner_of(column, context.schema)
        yield f"{column.name} {owner[0].name if owner is not None else ''}"


def _list_filtered(context: RuleContext) -> Iterator[str]:
    """The names of columns in WHERE, and of their tables."""
    for select in context.selects:
        tables = context.tables(select)
        where = select.args.get("where")
        for column in where.find_all(exp.Column) if where is not None else ():
            yield column.name
            table = tables.get(owner_alias(column, tables) or "")
            yield table.name if table is not None else ""


RULE = Rule("asked_of_each", "query", "language", "doubt", apply)

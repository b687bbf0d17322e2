"""Rows counted for a question about the different values of a column: "how many instructors" of a table of classes.

`COUNT(*)` counts the classes of these instructors. Where each instructor has one class, both numbers are the same, and
nothing is doubted. So it is if the instructors have a table, and their classes are joined to it. If the query reads
neither that table nor a key of it, it counts other things, such as insurers where patients are asked for.
"""

from __future__ import annotations

import itertools
import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys, sources_of
from agent.understanding.clarification.words.wanted import GENERIC
from executors.base import Column, Table
from executors.sql.names.tables import column_of
from rag.words import split_name, stem_of, tokens, words

_HOW_MANY = re.compile(r"\b(?:how many|wie viele|combien d(?:e\b|['’])|cu[aá]nt[oa]s\b|quant[ie]\b)\s*", re.IGNORECASE)
_OF_EVENTS = re.compile(r"\b(?:in total|altogether|times|insgesamt|en tout|en total|in tutto)\b", re.IGNORECASE)
_REACH = 3  # words in which what is counted is named: "how many different kinds"
_OF_A_NAME = words("name id code number no key")  # `instructor_name` holds instructors


def apply(context: RuleContext) -> Finding | None:
    select = context.query
    if not isinstance(select, exp.Select) or not context.question:
        return None
    counts = [count for item in select.selects if isinstance(count := item.unalias(), exp.Count)]
    if len(counts) != 1 or isinstance(counts[0].this, exp.Distinct):
        return None
    tables = context.tables(select)
    if (unread := _find_unread_table(context, tables)) is not None:
        return Finding(f"The query does not read {unread.name}, whose rows the question counts.")
    found = _find_counted_column(context.question, tables)
    if found is None and isinstance(counts[0].this, exp.Star):
        found = _find_counted_key(context.question, tables)
    if found is None or _OF_EVENTS.search(context.question):
        return None
    alias, table, column = found
    if any(key.name.lower() == column.name.lower() for key in group_keys(select)):
        return None
    tree = context.query.copy()
    source = sources_of(select).get(alias)
    written = source.alias_or_name if source is not None else alias  # some databases tell r from R
    count = next(it for item in tree.selects if isinstance(it := item.unalias(), exp.Count))
    count.set("this", exp.Distinct(expressions=[column_of(written, column.name, context.schema)]))
    rows = "joined rows" if len(tables) > 1 else f"rows of {table.name}"
    detail = f"The query counts {rows}, and not the different values of {column.name}."
    return Finding(detail, probes=(context.sql, context.to_sql(tree)))


def _find_unread_table(context: RuleContext, tables: dict[str, Table | None]) -> Table | None:
    """The table that what a question counts is named as, if no table and no column that the query reads is."""
    noun, _ = _find_noun(context.question)
    if noun is None or noun in GENERIC or _OF_EVENTS.search(context.question):
        return None
    named = [it for it in context.schema.tables if words(split_name(it.parts[-1])) == {noun}]
    if len(named) != 1 or None in tables.values():
        return None
    read = [it for it in tables.values() if it is not None]
    names = [it.name for it in context.query.find_all(exp.Table, exp.Column)]
    refers = any(key.table == named[0].name for it in read for key in it.foreign_keys)
    return None if refers or noun in words(" ".join(map(split_name, names))) else named[0]


def _find_counted_column(question: str, tables: dict[str, Table | None]) -> tuple[str, Table, Column] | None:
    """The one column that what a question counts is named as, with its table and its alias; none where a table is."""
    noun, near = _find_noun(question)
    read = {alias: table for alias, table in tables.items() if table is not None}
    is_named = noun is not None and noun not in GENERIC
    if not is_named or len(read) < len(tables) or any(near & words(split_name(it.name)) for it in read.values()):
        return None
    found = [
        (alias, table, column)
        for alias, table in read.items()
        for column in table.columns
        if words(split_name(column.name)) - _OF_A_NAME == {noun}
    ]
    return found[0] if len(found) == 1 else None


def _find_counted_key(question: str, tables: dict[str, Table | None]) -> tuple[str, Table, Column] | None:
    """The key of the one joined table that what a question counts is named as, with the table and its alias."""
    noun, _ = _find_noun(question)
    read = [(alias, it) for alias, it in tables.items() if it is not None and words(split_name(it.name)) == {noun}]
    if len(read) != 1 or len(tables) < 2 or len(read[0][1].primary_key) != 1:
        return None
    alias, table = read[0]
    key = table.column(table.primary_key[0])
    return (alias, table, key) if key is not None else None


def _find_noun(question: str) -> tuple[str | None, frozenset[str]]:
    """The stem of what is counted, and those of the words near it.

    It is the first plural of the next words, else the first of them.
    """
    match = _HOW_MANY.search(question)
    if match is None:
        return None, frozenset()
    near = list(itertools.takewhile(lambda it: it.text.isalpha(), tokens(question[match.end() :])[:_REACH]))
    noun = next((it for it in near if it.folded != it.singular), near[0] if near else None)
    return stem_of(noun) if noun is not None else None, frozenset(map(stem_of, near))


RULE = Rule("counted_rows", "query", "language", "doubt", apply)

"""Questions that a database can answer, made from its schema without a model."""

from __future__ import annotations

import re

from executors.base import Column, Schema, Table

NUMERIC = re.compile(r"int|dec|num|real|float|double|money", re.IGNORECASE)
TEXT = re.compile(r"char|text|string|clob", re.IGNORECASE)
MAX_QUESTIONS = 4


def suggestions(schema: Schema, tables: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Up to four questions: counts, sums, groups and filters with stored values.

    Args:
        schema: of the database.
        tables: names to prefer, nearest first; others follow in the schema's order.
    """
    preferred = [table for name in tables if (table := schema.table(name)) is not None]
    ordered = list(dict.fromkeys([*preferred, *schema.tables]))
    found: list[str] = []
    for table in ordered:
        found += _questions(table)
        if len(found) >= MAX_QUESTIONS:
            break
    return tuple(found[:MAX_QUESTIONS])


def _questions(table: Table) -> list[str]:
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    plain = [c for c in table.columns if c.name not in keys]
    rows = _words(table.parts[-1])
    number = next((c for c in plain if NUMERIC.search(c.type)), None)
    group = next((c for c in plain if TEXT.search(c.type) and c.samples), None)
    questions = [f"How many {rows} are there?"]
    if number is not None and group is not None:
        questions.append(f"What is the average {_words(number.name)} of {rows} by {_words(group.name)}?")
    elif group is not None:
        questions.append(_filter_question(table, group))
    return questions


def _filter_question(table: Table, column: Column) -> str:
    return f"How many {_words(table.parts[-1])} have the {_words(column.name)} '{column.samples[0]}'?"


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()

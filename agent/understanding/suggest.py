"""Questions that a database can answer, made from its schema without a model.

Of each table: how many rows it has, an aggregate of a number, the same by a category, and a filter with a stored value.
Only columns that can carry such a question are used: no keys, no codes to be averaged, no names to be grouped by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest

from executors.base import Column, Schema, Table

NUMERIC = re.compile(r"int|dec|num|real|float|double|money", re.IGNORECASE)
TEXT = re.compile(r"char|text|string|clob", re.IGNORECASE)
MAX_QUESTIONS = 4
MAX_TABLES = 4  # that questions are about, so that the most telling tables get several
MAX_SAMPLE = 30  # characters of a value that a question names

# Numbers that name something: adding them up or averaging them says nothing.
_NAMING = re.compile(
    r"(?:^|_)(?:id|key|code|no|nr|num|number|zip|postal|postcode|phone|fax|year|month|day|week|hour|lat|latitude|lon|lng"
    r"|longitude|version|position|rank|index|isbn|ean|ssn|flag|is|has)(?:_|$)"
)
# Amounts that add up; of other numbers the average is asked.
_ADDS_UP = re.compile(
    r"(?:^|_)(?:amount|total|sales|revenue|quantity|qty|units|refund|tax|shipping|cost|costs|profit|volume|budget|payment"
    r"|spend|spent|count|hours|minutes|stock|umsatz|betrag|menge|anzahl|kosten|summe|montant|ventes|quantite|importe"
    r"|ventas|cantidad|importo|vendite|quantita)(?:_|$)"
)
# Texts that are different in every row, or are prose.
_UNIQUE = re.compile(
    r"(?:^|_)(?:name|title|email|mail|phone|address|street|url|uri|link|path|comment|comments|description|note|notes|text"
    r"|body|message|uuid|guid|hash|token|password|iban|id|key|sku|date|time|timestamp|at|on)(?:_|$)"
)
_NO_CATEGORY = re.compile(r"^\s*(?:\d{4}-\d\d|\d{1,2}[./]\d{1,2}[./]|\d+(?:[.,]\d+)?\s*$|https?:|[\[{])|\n|'")
_PLURAL = re.compile(r"[a-z]{2}(?<![sui])s$")


def suggestions(schema: Schema, tables: tuple[str, ...] = (), *, limit: int = MAX_QUESTIONS) -> tuple[str, ...]:
    """Questions that can be answered: counts, aggregates, groups and filters with stored values, of several tables.

    Args:
        schema: of the database.
        tables: names to prefer, nearest first; others follow, those first that tell most.
        limit: questions at most.
    """
    preferred = [table for name in tables if (table := schema.table(name)) is not None]
    ordered = list(dict.fromkeys([*preferred, *telling_tables(schema)]))[:MAX_TABLES]
    by_table = [_questions(table) for table in ordered]
    # Row by row over the tables; each table begins with another kind, so that the first ones are not all counts.
    turned = [questions[place % len(questions) :] + questions[: place % len(questions)]
              for place, questions in enumerate(by_table)]  # fmt: skip
    mixed = [question for row in zip_longest(*turned) for question in row if question is not None]
    return tuple(dict.fromkeys(mixed))[:limit]


def telling_tables(schema: Schema) -> list[Table]:
    """All tables, those first that are linked with most others, then the biggest; views last."""
    links: Counter[str] = Counter()
    for table in schema.tables:
        for key in table.foreign_keys:
            links.update((table.name.lower(), key.table.lower()))
    return sorted(schema.tables, key=lambda it: (it.is_view, -links[it.name.lower()], -(it.row_count or 0)))


def _questions(table: Table) -> list[str]:
    keys = {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}
    plain = [column for column in table.columns if column.name not in keys and not column.private]
    rows = rows_of(table)
    number = _first(plain, is_measure)
    group = _first(plain, is_category)
    found = [f"How many {rows} are there?"]
    if number is not None and group is not None:
        found.append(f"What is the {aggregate_of(number)} of {rows} by {words_of(group.name)}?")
    if group is not None:
        value = next(sample for sample in group.samples if _is_value(sample))
        found.append(f"How many {rows} have the {words_of(group.name)} '{value}'?")
    if number is not None:
        found.append(f"What is the {aggregate_of(number)} of all {rows}?")
    return found


def _first(columns: Sequence[Column], wanted: Callable[[Column], bool]) -> Column | None:
    return next((column for column in columns if wanted(column)), None)


def is_measure(column: Column) -> bool:
    """Whether a column's type and name say that its numbers can be added up or averaged."""
    return bool(NUMERIC.search(column.type)) and not _NAMING.search(snake_case(column.name))


def is_category(column: Column) -> bool:
    """Whether a column's name and values say that rows can be grouped by it."""
    usable = any(map(_is_value, column.samples))
    return bool(TEXT.search(column.type)) and usable and not _UNIQUE.search(snake_case(column.name))


def _is_value(sample: str) -> bool:
    return 0 < len(sample.strip()) <= MAX_SAMPLE and not _NO_CATEGORY.search(sample)


def aggregate_of(number: Column) -> str:
    """What is asked of a measure: `total amount`, `average rating`."""
    name = words_of(number.name)
    if not _ADDS_UP.search(snake_case(number.name)):
        return name if name.startswith("average ") else f"average {name}"
    return name if name.startswith("total ") or name == "total" else f"total {name}"


def rows_of(table: Table) -> str:
    """What the rows of a table are called; the name itself only where it is a plural that needs no guess."""
    name = table.parts[-1]
    if any(character.isdigit() for character in name):
        return f"{name} records"  # an identifier, not a word
    name = words_of(name)
    return name if _PLURAL.search(name) else f"{name} records"


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+", "_", name).lower()


def words_of(name: str) -> str:
    """A name as a person would write it."""
    return snake_case(name).replace("_", " ").strip()

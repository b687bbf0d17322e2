"""The parts of a schema that can carry a question: informative tables, measures and categories, and their names.

Columns that cannot carry one are excluded: keys, codes (no average makes sense), names (no grouping makes sense).
"""

from __future__ import annotations

import re
from collections import Counter

from executors.base import Column, Schema, Table

NUMERIC = re.compile(r"int|dec|num|real|float|double|money", re.IGNORECASE)
TEXT = re.compile(r"char|text|string|clob", re.IGNORECASE)
_DATE = re.compile(r"date|timestamp", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
MAX_SAMPLE = 30  # most characters of a category's value

# Numbers that identify something: their sum or average is meaningless.
_NAMING = re.compile(
    r"(?:^|_)(?:id|key|code|no|nr|num|number|zip|postal|postcode|phone|fax|year|yr|\w*jahr|ann[eé]e|a[nñ]o|anno|month|day"
    r"|week|hour|lat|latitude|lon|lng|longitude|version|position|rank|index|isbn|ean|ssn|flag|is|has)(?:_|$)"
)
# Amounts that add up. For other numbers, the question asks for the average.
_ADDS_UP = re.compile(
    r"(?:^|_)(?:amount|total|sales|revenue|quantity|qty|units|refund|tax|shipping|cost|costs|profit|volume|budget|payment"
    r"|spend|spent|count|hours|minutes|stock|umsatz|betrag|menge|anzahl|kosten|summe|montant|ventes|quantite|importe"
    r"|ventas|cantidad|importo|vendite|quantita)(?:_|$)"
)
# Texts that differ in every row, or are prose.
_UNIQUE = re.compile(
    r"(?:^|_)(?:name|title|email|mail|phone|address|street|url|uri|link|path|comment|comments|description|note|notes|text"
    r"|body|message|uuid|guid|hash|token|password|iban|id|key|sku|date|time|timestamp|at|on)(?:_|$)"
)
_NO_CATEGORY = re.compile(r"^\s*(?:\d{4}-\d\d|\d{1,2}[./]\d{1,2}[./]|\d+(?:[.,]\d+)?\s*$|https?:|[\[{])|\n|'")
_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_HEADING = re.compile(r"\S\s+\S|[^\x00-\x7f]|[A-Z][a-z]")
_PLURAL = re.compile(r"[a-z]{2}(?<![sui])s$")


def telling_tables(schema: Schema) -> list[Table]:
    """All tables: those with most links first, then the largest. Views come last."""
    links: Counter[str] = Counter()
    for table in schema.tables:
        for key in table.foreign_keys:
            links.update((table.name.lower(), key.table.lower()))
    return sorted(schema.tables, key=lambda it: (it.is_view, -links[it.name.lower()], -(it.row_count or 0)))


def list_keys(table: Table) -> set[str]:
    """The columns of a table's primary and foreign keys."""
    return {*table.primary_key, *(name for key in table.foreign_keys for name in key.columns)}


def is_date(column: Column) -> bool:
    """Whether a column holds dates; texts that are ISO 8601 dates count."""
    if _DATE.search(column.type):
        return True
    written = [it for it in column.samples if it]
    return bool(written) and bool(TEXT.search(column.type)) and all(map(_DAY.match, written))


def is_measure(column: Column) -> bool:
    """Whether a column's type and name indicate numbers that can be added up or averaged."""
    return bool(NUMERIC.search(column.type)) and not _NAMING.search(snake_case(column.name))


def is_category(column: Column) -> bool:
    """Whether a column's name and values indicate that rows can be grouped by it."""
    usable = any(0 < len(it.strip()) <= MAX_SAMPLE and not _NO_CATEGORY.search(it) for it in column.samples)
    return bool(TEXT.search(column.type)) and usable and not _UNIQUE.search(snake_case(column.name))


def has_headings(table: Table) -> bool:
    """Whether a table's columns are named for readers: `Brutto Betrag`, `Kunde`; not `gross_amount` or `GrossAmount`.

    Headings may be in any language. Readers recognize them only as written.
    """
    names = [column.name for column in table.columns]
    if any("_" in name or _HUMP.search(name) for name in names):
        return False
    return any(_HEADING.search(name) for name in names)


def aggregate_of(number: Column, *, as_written: bool = False) -> str:
    """The aggregate of a measure: `total amount`, `average rating`, `total Betrag`. as_written: it is a heading."""
    name = words_of(number.name, as_written=as_written)
    asked = "total" if _ADDS_UP.search(snake_case(number.name)) else "average"
    is_asked = name.lower() == "total" == asked or name.lower().startswith(f"{asked} ")
    return name if is_asked else f"{asked} {name}"


def rows_of(table: Table, *, as_written: bool = False) -> str:
    """The name of a table's rows. The table's name is used only if it is clearly a plural."""
    name = table.parts[-1]
    if any(character.isdigit() for character in name):
        return f"{name} records"  # an identifier, not a word
    name = words_of(name, as_written=as_written)
    return name if _PLURAL.search(name) else f"{name} records"


def snake_case(name: str) -> str:
    return _WORD_ENDS.sub("_", name).lower()


def words_of(name: str, language: str = "en", *, as_written: bool = False) -> str:
    """A name as a person would write it. German nouns stay capitalized, and a heading stays as written."""
    if as_written and "_" not in name:
        return " ".join(name.split())
    words = _WORD_ENDS.sub("_", name).replace("_", " ").strip()
    return words if language == "de" else words.lower()

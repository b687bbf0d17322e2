"""A synthetic schema of any size, with business names, reproducible from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from agent.evaluation.retrieval.merged import MergedCatalogue
from executors.base import Column, ForeignKey, Schema, Table
from rag.docs.documents import make_document
from rag.linking.values import StoredValues

TABLE_WIDTH = 20  # columns of a table, on average
_DOCUMENTED = 0.3  # of the columns have a doc
_LINKED = 0.6  # of the tables refer to one before them


def _words(text: str) -> list[str]:
    return text.split()


_AREAS = _words("""
    sales purchasing inventory logistics finance payroll marketing support production quality maintenance planning
    compliance travel training recruiting billing pricing returns insurance leasing energy fleet catalogue retail
""")
_THINGS = _words("""
    order invoice shipment customer supplier product employee contract payment account warehouse machine ticket
    campaign budget project vehicle store item category region department route batch sensor policy claim device
    branch course request delivery forecast audit meter asset permit vendor agreement visit
""")
_KINDS = _words("""
    header line detail history status summary note event log change request plan target rate balance document
    entry snapshot assignment schedule
""")
_ATTRIBUTES = _words("""
    amount total price quantity weight volume length duration score rating discount margin cost fee tax rate
    balance limit target count name title description status type priority reason comment code reference number
    channel method currency country city street email phone owner manager author reviewer source version language
    unit grade colour created updated started finished due shipped delivered approved cancelled expired valid_from
    valid_to posted booked
""")
_QUALIFIERS = _words("""
    net gross first last planned actual original current previous minimum maximum average estimated confirmed open
    internal external local foreign monthly yearly
""")
_VALUES = _words("""
    open closed pending rejected approved active inactive urgent normal low high north south east west online
    phone partner direct card cash transfer red green blue small medium large new used Berlin Lima Oslo Osaka
    Quito Turin
""")
_DATES = {"created", "updated", "started", "finished", "due", "shipped", "delivered", "approved", "cancelled"}
_NUMBERS = set(_ATTRIBUTES[:20])
_ASKED = (
    "What is the average {a} of {t} by {b}?",
    "How many {t} have the {b} {v}?",
    "Which {t} had the highest {a} last year?",
    "List the {b} and {a} of all {t} in {v}.",
    "Total {a} per {b} for {t} that are {v}",
)


def catalogue(columns: int, seed: int = 7, table_width: int = TABLE_WIDTH) -> MergedCatalogue:
    """A schema of so many columns, with docs on a part of them and values in its text columns.

    Args:
        table_width: columns of a table, on average.
    """
    chance = random.Random(seed)
    tables: list[Table] = []
    left = columns
    for name in _table_names(chance):
        if left <= 0:
            break
        width = min(left, chance.randint(table_width // 2, table_width * 3 // 2))
        tables.append(_table(name, width, tables, chance))
        left -= width
    schema = Schema(database=f"synthetic_{columns}", dialect="postgresql", tables=tuple(tables), namespace="public")
    documents = [
        make_document("column", _describe(column.name, table.name, chance), table=table.name, column=column.name)
        for table in tables
        for column in table.columns
        if chance.random() < _DOCUMENTED
    ]
    stored = [
        StoredValues(table=table.name, column=column.name, values=column.samples)
        for table in tables
        for column in table.columns
        if column.samples
    ]
    return MergedCatalogue(db_schema=schema, documents=tuple(documents), stored=tuple(stored))


def questions(count: int, seed: int = 11) -> list[str]:
    """Questions in the words that the schemas are made of."""
    chance = random.Random(seed)
    return [
        chance.choice(_ASKED).format(
            a=_spoken(chance.choice(_QUALIFIERS), chance.choice(sorted(_NUMBERS))),
            b=_spoken(chance.choice(_ATTRIBUTES)),
            t=_spoken(chance.choice(_AREAS), chance.choice(_THINGS), chance.choice(_KINDS)) + "s",
            v=chance.choice(_VALUES),
        )
        for _ in range(count)
    ]


def _spoken(*words: str) -> str:
    return " ".join(words).replace("_", " ")


def _table_names(chance: random.Random) -> Iterator[str]:
    """Every combination once, in a random order; then the same again with a number."""
    names = [f"{area}_{thing}_{kind}" for area in _AREAS for thing in _THINGS for kind in _KINDS]
    chance.shuffle(names)
    yield from names
    number = 1
    while True:
        number += 1
        yield from (f"{name}_{number}" for name in names)


def _table(name: str, width: int, before: list[Table], chance: random.Random) -> Table:
    columns = [Column(name=f"{name}_id", type="integer", nullable=False)]
    keys: list[ForeignKey] = []
    if before and width > 1 and chance.random() < _LINKED:
        other = chance.choice(before)
        columns.append(Column(name=f"{other.name}_id", type="integer"))
        keys.append(ForeignKey(columns=(columns[-1].name,), table=other.name, referenced=other.primary_key))
    seen = {column.name for column in columns}
    while len(columns) < width:
        attribute = chance.choice(_ATTRIBUTES)
        column = attribute if chance.random() < 0.4 else f"{chance.choice(_QUALIFIERS)}_{attribute}"
        if column not in seen:
            seen.add(column)
            columns.append(_column(column, attribute, chance))
    return Table(
        name=name,
        columns=tuple(columns),
        primary_key=(columns[0].name,),
        foreign_keys=tuple(keys),
        row_count=chance.randint(10, 1_000_000),
    )


def _column(name: str, attribute: str, chance: random.Random) -> Column:
    if attribute in _NUMBERS:
        return Column(name=name, type="numeric(12, 2)")
    if attribute in _DATES or attribute.startswith("valid"):
        return Column(name=name, type="date")
    samples = tuple(sorted(chance.sample(_VALUES, 3))) if chance.random() < 0.5 else ()
    return Column(name=name, type="text", samples=samples)


def _describe(column: str, table: str, chance: random.Random) -> str:
    *_, thing, kind = [word for word in table.split("_") if not word.isdigit()]
    words = _spoken(column)
    return chance.choice(
        (
            f"the {words} of the {thing}, as the {kind} has it",
            f"{words} in the {kind} of each {thing}; empty where it is not known",
            f"what the {thing} department calls {words}",
        )
    )

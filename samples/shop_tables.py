"""The tables of the sample shop as parts: columns, keys and comments, read from the one definition in `make_shop`."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import sqlglot
from sqlglot import exp

from samples.make_shop import COLUMN_COMMENTS, TABLES


class Column(NamedTuple):
    """One column; `arguments` are what the type has in parentheses."""

    name: str
    type: str
    arguments: str
    nullable: bool
    unique: bool
    comment: str


class Key(NamedTuple):
    """`columns` refer to those of the same position in another table."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


class ShopTable(NamedTuple):
    """One table, as make_shop says it."""

    name: str
    comment: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[Key, ...]


def shop_tables() -> tuple[ShopTable, ...]:
    """All tables; those that others refer to come first."""
    return tuple(_table(name, comment, columns) for name, (comment, columns, _) in TABLES.items())


def shop_rows(table: ShopTable, folder: Path) -> Iterator[list[str | None]]:
    """The rows of a table, as text. Args: folder: of the CSV files."""
    with (folder / f"{table.name}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        for row in reader:
            yield [value or None for value in row]


def _table(name: str, comment: str, columns: str) -> ShopTable:
    created = sqlglot.parse_one(f"CREATE TABLE {name} ({columns})")
    defined = list(created.find_all(exp.ColumnDef))
    primary = [part.name for part in defined if part.find(exp.PrimaryKeyColumnConstraint)]
    for key in created.find_all(exp.PrimaryKey):
        primary += [part.name for part in key.expressions]
    foreign = [_key((part.name,), part.find(exp.Reference)) for part in defined if part.find(exp.Reference)]
    for long_key in created.find_all(exp.ForeignKey):
        columns_of_key = tuple(part.name for part in long_key.expressions)
        foreign.append(_key(columns_of_key, long_key.args["reference"]))
    return ShopTable(
        name=name,
        comment=comment,
        columns=tuple(_column(name, part, part.name in primary) for part in defined),
        primary_key=tuple(primary),
        foreign_keys=tuple(foreign),
    )


def _column(table: str, column: exp.ColumnDef, is_key: bool) -> Column:
    kind = column.args["kind"]
    return Column(
        name=column.name,
        type=kind.this.name,
        arguments=", ".join(argument.name for argument in kind.expressions),
        nullable=not is_key and column.find(exp.NotNullColumnConstraint) is None,
        unique=column.find(exp.UniqueColumnConstraint) is not None,
        comment=COLUMN_COMMENTS.get(f"{table}.{column.name}", ""),
    )


def _key(columns: tuple[str, ...], reference: exp.Expr | None) -> Key:
    target = reference.this if reference is not None else None
    if not isinstance(target, exp.Schema):
        raise TypeError(f"The key of {', '.join(columns)} refers to no columns")
    return Key(columns, target.this.name, tuple(part.name for part in target.expressions))

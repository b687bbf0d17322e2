"""Infers the keys of a folder of files from their names and values.

A primary key is a column named `id` or after its table (`customer_id` in `customers.csv`) that is never empty and never
the same twice. A foreign key is a column of another table with the name of such a key, or `customer_id` where the key
of `customers` is `id`, and of the same type. Both are inferred, nothing enforces them, and a schema shows them like
declared ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from executors.base import ForeignKey, Table


def key_candidates(table: str, columns: Sequence[str]) -> list[str]:
    """Columns whose names say that they may be the primary key, likeliest first."""
    by_name = {column.lower(): column for column in columns}
    wanted = [f"{form}{suffix}" for form in _forms(table) for suffix in ("_id", "id")]
    return [by_name[name] for name in ("id", *wanted) if name in by_name]


def with_foreign_keys(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with the foreign keys that their primary keys' names imply."""
    targets: dict[str, Table] = {}
    for table in tables:
        if len(table.primary_key) == 1:
            targets.update((name, table) for name in reversed(_referring_names(table)))
    return tuple(table.model_copy(update={"foreign_keys": tuple(_foreign_keys(table, targets))}) for table in tables)


def _foreign_keys(table: Table, targets: Mapping[str, Table]) -> Iterator[ForeignKey]:
    for column in table.columns:
        target = targets.get(column.name.lower())
        if target is None or target.name == table.name:
            continue
        key = target.column(target.primary_key[0])
        if key is not None and key.type == column.type:
            yield ForeignKey(columns=(column.name,), table=target.name, referenced=target.primary_key)


def _referring_names(table: Table) -> list[str]:
    """What a column that refers to the table's key may be called."""
    key = table.primary_key[0].lower()
    return [f"{form}_id" for form in _forms(table.name)] if key == "id" else [key]


def _forms(table: str) -> list[str]:
    """A table's name, and its singular as English makes it: categories, boxes, orders."""
    name = table.lower()
    forms = [name]
    if name.endswith("ies"):
        forms.append(f"{name[:-3]}y")
    if name.endswith("es"):
        forms.append(name[:-2])
    if name.endswith("s"):
        forms.append(name[:-1])
    return forms

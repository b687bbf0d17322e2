"""Tables of a schema in a line each."""

from __future__ import annotations

from executors.base import Column, ForeignKey, Table


def table(name: str, *columns: str | Column, **references: str) -> Table:
    """A table whose key is `id`, if it has one.

    Args:
        columns: by name, numbers where they are keys (`id`, `club_id`) and else texts; or with a type, `age INTEGER`.
        references: by column, the table whose `id` it is.
    """
    built = tuple(it if isinstance(it, Column) else _column(it) for it in columns)
    return Table(
        name=name,
        columns=built,
        primary_key=tuple(it.name for it in built if it.name == "id"),
        foreign_keys=tuple(ForeignKey(columns=(it,), table=to, referenced=("id",)) for it, to in references.items()),
    )


def _column(spelled: str) -> Column:
    name, _, said = spelled.partition(" ")
    return Column(name=name, type=said or ("INTEGER" if name == "id" or name.endswith("_id") else "TEXT"))

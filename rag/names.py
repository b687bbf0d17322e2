"""Names as people write them, and the names that the schema has."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from executors.base import Column, Schema, Table

_QUOTES = '`"[]'
_NEAR = 60.0  # below this, in percent, a name is no help


class Names:
    """Looks names up in a schema: whatever their case and quotes, and with or without the table's schema in front."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._by_last: dict[str, Table | None] = {}
        for table in schema.tables:
            last = table.name.rsplit(".", 1)[-1].lower()
            self._by_last[last] = None if last in self._by_last else table  # None: more than one, so no answer

    def table(self, name: str) -> Table | None:
        """The table that is meant, or None."""
        name = bare(name)
        return self._schema.table(name) or self._by_last.get(name.rsplit(".", 1)[-1].lower())

    def column(self, table: Table, name: str) -> Column | None:
        """The column that is meant, or None; `orders.total` is understood as a column of orders, too."""
        name = bare(name)
        found = table.column(name)
        if found is None and "." in name:
            owner, _, last = name.rpartition(".")
            if self.table(owner) is table:
                found = table.column(last)
        return found

    def qualified(self, name: str) -> tuple[Table, Column] | None:
        """The table and column that `table.column` names, or None."""
        owner, dot, last = bare(name).rpartition(".")
        table = self.table(owner) if dot else None
        column = table.column(last) if table else None
        return (table, column) if table and column else None

    def nearest_table(self, name: str) -> str | None:
        """The real table name that is most like it, None where nothing is."""
        return nearest(bare(name), [table.name for table in self._schema.tables])

    def nearest_column(self, table: Table, name: str) -> str | None:
        """The column of the table whose name is most like it, None where nothing is."""
        return nearest(bare(name).rsplit(".", 1)[-1], [column.name for column in table.columns])


def bare(name: str) -> str:
    """A name without its quotes and the white space around it."""
    return name.strip().translate({ord(quote): None for quote in _QUOTES}).strip()


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `name`, whatever the case; None where none is like it."""
    found = process.extractOne(name, list(known), scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEAR)
    return found[0] if found else None

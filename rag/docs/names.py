"""Matches names as people write them with the names of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from executors.base import Column, Schema, Table

_QUOTES = '`"[]'
_NEAR = 60.0  # percent; below it, a similar name is no help


class Names:
    """Looks up names as people write them.

    Case, quotes and word separators (`Unit Price`, `unit_price`) may differ, and a table's qualifier may be missing, as
    long as only one table or column matches.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._by_last: dict[str, list[Table]] = {}
        self._by_letters: dict[str, list[Table]] = {}
        for table in schema.tables:
            last = _last(table.name)
            self._by_last.setdefault(last.lower(), []).append(table)
            self._by_letters.setdefault(letters(last), []).append(table)
        self._namespaces = frozenset(table.namespace.lower() for table in schema.tables if table.namespace)

    def table(self, name: str) -> Table | None:
        """The only matching table, or None."""
        named = self.tables(name)
        return named[0] if len(named) == 1 else None

    def tables(self, name: str) -> list[Table]:
        """The matching tables. There are several if the name needs its qualifier."""
        name = bare(name)
        while (table := self._schema.table(name)) is None and "." in name:
            owner, _, name = name.partition(".")
            if owner.lower() in self._namespaces - {self._schema.namespace.lower()}:
                return []  # that schema has no such table, and a table of another schema does not match
        if table is not None:
            return [table]
        return self._by_last.get(name.lower()) or (self._by_letters.get(letters(name), []) if letters(name) else [])

    def column(self, table: Table, name: str) -> Column | None:
        """The matching column, or None. `orders.total` also matches as a column of orders."""
        name = bare(name)
        found = table.column(name)
        if found is None and "." in name:
            owner, _, last = name.rpartition(".")
            if self.table(owner) is table:
                name, found = last, table.column(last)
        if found is not None or not letters(name):
            return found
        alike = [column for column in table.columns if letters(column.name) == letters(name)]
        return alike[0] if len(alike) == 1 else None

    def find_qualified(self, name: str) -> tuple[Table, Column] | None:
        """The table and column that a name like `table.column` refers to, or None."""
        owner, dot, last = bare(name).rpartition(".")
        table = self.table(owner) if dot else None
        column = self.column(table, last) if table else None
        return (table, column) if table and column else None

    def only_column(self, name: str) -> tuple[Table, Column] | None:
        """The column with this name and its table, if exactly one table has it."""
        name = bare(name)
        found = [(table, column) for table in self._schema.tables if (column := table.column(name)) is not None]
        return found[0] if len(found) == 1 else None

    def has_namespace(self, name: str) -> bool:
        """Whether the name is one of the schemas that contain the tables."""
        return bare(name).lower() in self._namespaces | {self._schema.namespace.lower()}

    def nearest_table(self, name: str) -> str | None:
        """The most similar table name. None if none is similar."""
        return nearest(_last(bare(name)), {table.name: _last(table.name) for table in self._schema.tables})

    def nearest_column(self, table: Table, name: str) -> str | None:
        """The most similar column name of the table. None if none is similar."""
        return nearest(_last(bare(name)), [column.name for column in table.columns])


def bare(name: str) -> str:
    """A name without quotes and surrounding white space."""
    return name.strip().translate({ord(quote): None for quote in _QUOTES}).strip()


def letters(name: str) -> str:
    """The letters and digits of a name, in lower case."""
    return "".join(character for character in name.lower() if character.isalnum())


def nearest(name: str, known: Iterable[str] | Mapping[str, str]) -> str | None:
    """The known name most similar to `name`, ignoring case. None if none is similar. In a mapping, keys are names and
    values are the spellings to compare."""
    keyed = known if isinstance(known, Mapping) else {one: one for one in known}
    found = process.extractOne(name, keyed, scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEAR)
    return found[2] if found else None


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]

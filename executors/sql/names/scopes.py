"""The names that are visible inside a query: CTEs, sources and their columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlglot import exp

# The names that a source or a query gives; None where that cannot be told from the text.
Columns = tuple[str, ...] | None


@dataclass(frozen=True)
class Cte:
    """A common table expression in sight: the identifier that names it, and its columns."""

    identifier: exp.Identifier
    columns: Columns


@dataclass(frozen=True)
class FromSource:
    """Something in FROM.

    alias, columns: as the engine knows them, which is how the query writes them but for their case.
    table: the real table's name, where it is one.
    parts: that name in its parts, where it goes by no other.
    """

    alias: str
    columns: Columns
    table: str | None = None
    parts: tuple[str, ...] = ()

    def has(self, column: str) -> bool:
        """Whether it has a column of that name, whatever its case."""
        return self.find_column(column) is not None

    def find_column(self, column: str) -> str | None:
        """The column's own name: the very one, else the one that differs in case alone; None where there is none."""
        if self.columns is None:
            return None
        alike = {name for name in self.columns if name.lower() == column.lower()}
        return next(iter(alike)) if len(alike) == 1 else column if alike else None


@dataclass
class Frame:
    """What can be named in one query: its sources, then those of the query around it."""

    outer: Frame | None = None
    sources: list[FromSource] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)  # in lower case -> as the engine knows it
    merged: set[str] = field(default_factory=set)  # columns that USING made one
    local: set[str] = field(default_factory=set)  # variables of list comprehensions
    merges_all: bool = False  # NATURAL, SEMI, ANTI: which columns are one, or hidden, is not worked out

    @property
    def open(self) -> bool:
        return any(source.columns is None for source in self.sources)

    def source(self, alias: str) -> FromSource | None:
        found = next((source for source in self.sources if source.alias.lower() == alias.lower()), None)
        return found or (self.outer.source(alias) if self.outer else None)

    def frames(self) -> Iterable[Frame]:
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer

"""The interface of speakers: each explains parts of one SELECT, and knows the names of its tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Self

from sqlglot import exp

from agent.present.explain.words import quote_sql, words
from executors.sql import grammar


class Say(ABC):
    """Says the values and conditions of one SELECT.

    `tables` tells what each alias, in lower case, is called; the tables of the query around this one, `outer`, may be
    named as well.
    """

    def __init__(self, dialect: str, tables: Mapping[str, str], outer: Say | None = None) -> None:
        self.dialect, self.tables, self.outer = dialect, tables, outer

    @abstractmethod
    def value(self, node: exp.Expr) -> str:
        """What a value is: "the sum of amount"."""

    @abstractmethod
    def condition(self, node: exp.Expr) -> str:
        """What holds: "status is 'C' and amount is more than 10"."""

    @abstractmethod
    def noun(self, node: exp.Expr) -> str | None:
        """A query of one column inside an expression: "(the average of amount in orders)"; None without words."""

    @abstractmethod
    def rows_noun(self, node: exp.Expr) -> str | None:
        """The rows of a query whose columns do not matter: "orders where amount is more than 10"."""

    def inside(self, tables: Mapping[str, str]) -> Self:
        """The speaker of a query inside this one. Args: tables: what each of its aliases is called."""
        return type(self)(self.dialect, tables, self)

    def sql(self, node: exp.Expr) -> str:
        """The node as SQL, in its own dialect."""
        return quote_sql(grammar.write(node, self.dialect))

    def column(self, node: exp.Column) -> str:
        """The column's name; with its table's, where there are several."""
        name = "all columns" if isinstance(node.this, exp.Star) else words(node.name)
        table = self.table(node.table) if node.table else None
        alone = self.outer is None and len(self.tables) == 1
        return name if table is None or alone else f"{name} of {table}"

    def table(self, alias: str) -> str:
        """What a table is called, here or around."""
        found = self.tables.get(alias.lower())
        if found is not None:
            return found
        return self.outer.table(alias) if self.outer else words(alias)

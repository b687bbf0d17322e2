"""The interface of speakers: each explains parts of one SELECT, for readers who do not know SQL."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from sqlglot import exp

from executors.sql import grammar
from rag.linking.month_names import NAMES

MAX_SQL_CHARS = 120
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)([ T]00:00(:00(\.0+)?)?)?")
_DATE_TYPES = frozenset({"DATE", "DATETIME", "DATETIME2", "TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMPTZ", "DATE32"})
_MONTHS = NAMES["en"].split()


def words(name: str) -> str:
    """A readable name: "order date" for `order_date` and `OrderDate`; in quotes if it is not made of words."""
    parts = _CAMEL.sub(" ", name).replace("_", " ").split()
    text = " ".join(part.lower() if part.istitle() and len(parts) > 1 else part for part in parts)
    return text if text and all(character.isalnum() or character == " " for character in text) else f'"{name}"'


def join_items(items: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {last} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def quote_sql(sql: str) -> str:
    """Quote SQL for which there are no words. Long SQL is cut."""
    return f"`{sql if len(sql) <= MAX_SQL_CHARS else sql[: MAX_SQL_CHARS - 1] + '…'}`"


def date_of(node: exp.Expr | None) -> dt.date | None:
    """The date of a literal, with or without DATE; None for anything else."""
    if isinstance(node, exp.Cast) and node.to.this.name in _DATE_TYPES:
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    match = _DATE.fullmatch(node.name)
    try:
        return dt.date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def period(first: dt.date, after: dt.date) -> str | None:
    """The days up to the one before `after`: "in 2024", "from January to March 2024"; None if no name fits."""
    if after <= first:
        return None
    last = after - dt.timedelta(days=1)
    if first == last:
        return f"on {first}"
    if first.day != 1 or last.day != calendar.monthrange(last.year, last.month)[1]:
        return None
    begin, end = _MONTHS[first.month - 1], _MONTHS[last.month - 1]
    if (first.month, last.month) == (1, 12):
        return f"in {first.year}" if first.year == last.year else f"from {first.year} to {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"in {begin} {first.year}"
    year = "" if first.year == last.year else f" {first.year}"
    return f"from {begin}{year} to {end} {last.year}"


def capitalize(text: str) -> str:
    """Capitalize a text, unless it begins with SQL or a name in quotes."""
    return text[:1].upper() + text[1:]


class Say(ABC):
    """Explains the values and conditions of one SELECT.

    `tables`: the name of each alias, in lower case. Tables of the outer query, `outer`, may be named as well.
    """

    def __init__(self, dialect: str, tables: Mapping[str, str], outer: Say | None = None) -> None:
        self.dialect, self.tables, self.outer = dialect, tables, outer

    @abstractmethod
    def value(self, node: exp.Expr) -> str:
        """A value in words: "the sum of amount"."""

    @abstractmethod
    def condition(self, node: exp.Expr) -> str:
        """A condition in words: "status is 'C' and amount is more than 10"."""

    @abstractmethod
    def noun(self, node: exp.Expr) -> str | None:
        """A query of one column inside an expression: "(the average of amount in orders)"; None without words."""

    @abstractmethod
    def rows_noun(self, node: exp.Expr) -> str | None:
        """The rows of a query whose columns do not matter: "orders where amount is more than 10"."""

    def inside(self, tables: Mapping[str, str]) -> Self:
        """The speaker of a query inside this one. Args: tables: the name of each of its aliases."""
        return type(self)(self.dialect, tables, self)

    def sql(self, node: exp.Expr) -> str:
        return quote_sql(grammar.write(node, self.dialect))

    def column(self, node: exp.Column) -> str:
        """The column's name, with its table's name if there are several."""
        name = "all columns" if isinstance(node.this, exp.Star) else words(node.name)
        table = self.table(node.table) if node.table else None
        alone = self.outer is None and len(self.tables) == 1
        return name if table is None or alone else f"{name} of {table}"

    def table(self, alias: str) -> str:
        """The name of a table, in this query or an outer one."""
        found = self.tables.get(alias.lower())
        if found is not None:
            return found
        return self.outer.table(alias) if self.outer else words(alias)

"""The interface of speakers: each explains parts of one SELECT, in the words of a reader who knows no SQL."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from sqlglot import exp

from executors.sql import grammar

MAX_SQL_CHARS = 120
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)([ T]00:00(:00(\.0+)?)?)?")
_DATE_TYPES = frozenset({"DATE", "DATETIME", "DATETIME2", "TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMPTZ", "DATE32"})
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def words(name: str) -> str:
    """A name for people: `order_date` and `OrderDate` are "order date"; in quotes where it is no words."""
    parts = _CAMEL.sub(" ", name).replace("_", " ").split()
    text = " ".join(part.lower() if part.istitle() and len(parts) > 1 else part for part in parts)
    return text if text and all(character.isalnum() or character == " " for character in text) else f'"{name}"'


def join_items(items: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {last} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def quote_sql(sql: str) -> str:
    """SQL as it is, where there are no words for it; a long one is cut."""
    return f"`{sql if len(sql) <= MAX_SQL_CHARS else sql[: MAX_SQL_CHARS - 1] + '…'}`"


def date_of(node: exp.Expr | None) -> dt.date | None:
    """The day that a literal names, with or without a DATE before it; None for anything else."""
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
    """The days up to the one before `after`: "in 2024", "from January to March 2024"; None where no name fits."""
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
    """With a capital, unless it begins with SQL or a name in quotes."""
    return text[:1].upper() + text[1:]


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

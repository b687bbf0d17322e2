"""The registry's rules on which rows of a database a principal may see.

row_filter: "region = :region"                # for every table that has the column; all others are hidden,
unfiltered: [countries]                       # except these, which are shown completely

row_filter:                                   # or table by table; tables that are not named are hidden
  orders: "region = :region"
  order_items: "order_id IN (SELECT order_id FROM orders WHERE region = :region)"
  countries: all

principals:                                   # the value of `:region`; '*' is everyone else
  anna@example.org: {region: EU}
  ben@example.org: {region: [EU, UK]}         # for `region IN :region`
  lead@example.org: all                       # sees everything
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from executors.base import Frozen

ALL = "all"
EVERYBODY = "*"
KEYS = ("row_filter", "unfiltered", "principals")

FilterScalar = str | int | float | bool
FilterValue = FilterScalar | tuple[FilterScalar, ...]
Values = Mapping[str, FilterValue]

_WANTED = "a text, a number, true, false, or a list of these"


class FilterInvalid(ValueError):
    """A filter cannot be used. Raised as RegistryInvalid, or as DatabaseUnavailable if only the schema shows it."""


class RowFilter(Frozen):
    """The `row_filter` of a registry entry, with its related fields.

    every: A condition for each table that has its columns. Empty if `tables` is used.
    tables: Conditions by table, or `ALL`.
    unfiltered: Tables that are shown completely, in addition to `every`.
    principals: Values of the conditions' `:names`, by principal in lower case. None: the principal sees everything.
    """

    every: str = ""
    tables: dict[str, str] = {}
    unfiltered: tuple[str, ...] = ()
    principals: dict[str, dict[str, FilterValue] | None] = {}

    @property
    def conditions(self) -> tuple[str, ...]:
        """All conditions."""
        return (self.every,) if self.every else tuple(text for text in self.tables.values() if text != ALL)

    def admits(self, principal: str) -> bool:
        """Whether a principal sees any row."""
        return principal.casefold() in self.principals or EVERYBODY in self.principals

    def values_of(self, principal: str) -> Values | None:
        """The values of the `:names`. None: the principal sees all rows. Raises KeyError if `admits` is false."""
        known = principal.casefold()
        return self.principals[known if known in self.principals else EVERYBODY]

    def sight(self, values: Values | None) -> str:
        """A digest of the rows that are visible with these values, equal for equal rows. Empty if all are visible."""
        if values is None:
            return ""
        conditions = self.model_dump(mode="json", exclude={"principals"})
        return hashlib.sha256(json.dumps([conditions, dict(values)], sort_keys=True).encode()).hexdigest()


class Read(NamedTuple):
    """The filter, or None if there is none or it cannot be used; and its problems."""

    filter: RowFilter | None
    problems: tuple[str, ...]


def read_row_filter(fields: Mapping[str, Any], expanded: Callable[[str], str]) -> Read:
    """The filter of an entry. Args: expanded: replaces the variables in a text by their values."""
    given = fields.get("row_filter")
    if given is None:
        orphans = tuple(f"`{key}` goes with `row_filter`, which is not there" for key in KEYS if key in fields)
        return Read(None, orphans)
    reader = _Reader(expanded)
    conditions = reader.conditions(given)
    unfiltered = reader.read_unfiltered(fields.get("unfiltered"), is_short=isinstance(given, str))
    principals = reader.principals(fields.get("principals", {EVERYBODY: {}}))
    if reader.problems:
        return Read(None, tuple(reader.problems))
    return Read(RowFilter(**conditions, unfiltered=unfiltered, principals=principals), ())


class _Reader:
    """Reads the parts of a filter and collects their problems."""

    def __init__(self, expanded: Callable[[str], str]) -> None:
        self._expanded = expanded
        self.problems: list[str] = []

    def conditions(self, given: object) -> dict[str, Any]:
        if _is_text(given):
            return {"every": self._expanded(str(given))}
        if not isinstance(given, dict) or not given or not all(map(_is_text, [*given, *given.values()])):
            self.problems.append("`row_filter` wants a condition, or by table a condition or `all`")
            return {}
        return {"tables": {table: self._expanded(text) for table, text in given.items()}}

    def read_unfiltered(self, given: object, *, is_short: bool) -> tuple[str, ...]:
        if given is None:
            return ()
        if not isinstance(given, list) or not all(map(_is_text, given)):
            self.problems.append("`unfiltered` wants a list of tables")
            return ()
        if not is_short:
            self.problems.append("`unfiltered` goes with one condition for all tables; write `table: all` here")
        return tuple(given)

    def principals(self, given: object) -> dict[str, dict[str, FilterValue] | None]:
        if not isinstance(given, dict) or not all(map(_is_text, given)):
            self.problems.append("`principals` wants by principal the values of the filter's `:names`, or `all`")
            return {}
        names = [name.casefold() for name in given]
        twice = sorted({name for name in names if names.count(name) > 1})
        self.problems += [f"principals: {name!r} is there twice; upper and lower case are the same" for name in twice]
        return {name.casefold(): self._values(name, values) for name, values in given.items()}

    def _values(self, principal: str, given: object) -> dict[str, FilterValue] | None:
        if given == ALL:
            return None
        if not isinstance(given, dict) or not all(map(_is_text, given)):
            self.problems.append(f"principals: {principal!r} wants `name: value` for each `:name`, or `all`")
            return {}
        return {name: self._value(f"{principal}.{name}", value) for name, value in given.items()}

    def _value(self, place: str, given: Any) -> FilterValue:
        if isinstance(given, list) and all(map(_is_scalar, given)):
            return tuple(map(self._scalar, given))
        if _is_scalar(given):
            return self._scalar(given)
        self.problems.append(f"principals: {place} wants {_WANTED}; a date is a text in quotes")
        return ""

    def _scalar(self, value: FilterScalar) -> FilterScalar:
        return self._expanded(value) if isinstance(value, str) else value


def _is_text(given: object) -> bool:
    return isinstance(given, str) and bool(given.strip())


def _is_scalar(given: object) -> bool:
    if isinstance(given, str):
        return "\x00" not in given
    return isinstance(given, bool | int) or (isinstance(given, float) and math.isfinite(given))

"""The role that each column of a result could have in a chart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.linking.month_names import NAMES


class ColumnRole(StrEnum):
    """TIME: a place on a time axis. CATEGORY: a name. MEASURE: an amount. OTHER: an id, mixed values, only NULLs."""

    TIME = "time"
    CATEGORY = "category"
    MEASURE = "measure"
    OTHER = "other"


class Grain(StrEnum):
    """The kind of value in a TIME column."""

    YEAR = "year"
    PERIOD = "period"  # quarter, week: browsers cannot parse them as dates
    MONTH = "month"
    DATE = "date"
    DATETIME = "datetime"
    MONTH_NUMBER = "month_number"  # 1 to 12
    NAMED_MONTH = "named_month"
    NAMED_DAY = "named_day"


class ChartColumn(NamedTuple):
    """One column. `name`: its key in the records of a response. `label`: its name for readers, if it has another.

    `parts`: the columns that it joins: a given name and the family name of a person.
    """

    name: str
    values: tuple[JsonValue, ...]
    role: ColumnRole
    grain: Grain | None = None
    label: str = ""
    parts: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The readable name: "order date" for `order_date`. Vega-Lite's tooltips break on a backslash in a title."""
        return " ".join(re.sub(r"[_\\]", " ", self.label or self.name).split()) or "value"

    @property
    def source(self) -> str:
        """A column of the records that it is drawn from."""
        return self.parts[-1] if self.parts else self.name

    @property
    def is_named(self) -> bool:
        """Whether its values are months or days of the week by name."""
        return self.grain in {Grain.NAMED_MONTH, Grain.NAMED_DAY}

    @property
    def numbers(self) -> list[float]:
        """The numbers of a MEASURE that can be drawn."""
        return [value for value in self.values if is_number(value)]

    @property
    def distinct(self) -> list[JsonValue]:
        return list(dict.fromkeys(self.values))


MONTHS = NAMES["en"].lower().split()
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_TEXTS: tuple[tuple[Grain, re.Pattern[str]], ...] = (
    (Grain.YEAR, re.compile(r"[12]\d{3}")),
    (Grain.PERIOD, re.compile(r"[12]\d{3}[- ]?(Q[1-4]|W[0-5]\d)")),
    (Grain.MONTH, re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])")),
    (Grain.DATE, re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")),
    (Grain.DATETIME, re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ][0-2]\d:[0-5]\d\S*")),
)
_FIRST_OF_MONTH = re.compile(r"\d{4}-\d{2}-01")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?$")
_YEAR_NAME = re.compile(
    r"(^|[_\W])(fiscal|fy|yr|years?|jahr|ann[eé]e|a[nñ]o|anno|jaar)([_\W]|$)|[a-z]Year$", re.IGNORECASE
)
_MONTH_NAME = re.compile(
    r"(^|[_\W])(month|monat|mois|mes|mese|m[eê]s|maand)([_\W]?(no|nr|num|number|of_year|start))?$|[a-z]Month$",
    re.IGNORECASE,
)
_PER_MONTH = re.compile(r"(^|[_\W])(per|pro|por|par|each|count|sum|total|avg|average|n)([_\W]|$)", re.IGNORECASE)
_ID_NAME = re.compile(
    r"(^|[_\W])(id|ids|uuid|guid|key|code|nr|no|zip|zipcode|plz|postcode|phone|ean|isbn|sku)$", re.IGNORECASE
)
_ID_CAMEL = re.compile(r"[a-z](Id|ID|Key|Code|No)$")


def read_columns(result: QueryResult, facts: Facts) -> tuple[ChartColumn, ...]:
    """The columns of a result with rows, by the names in its records; empty if these names are not unique.

    Their labels are those of a composed answer. A given name and the family name behind it are one column.
    """
    from agent.checks.grounding.compose import label_columns

    names = tuple(result.records()[0])
    if len(names) != len(result.columns):
        return ()
    cells = zip(*result.rows, strict=True)
    monthly = [it.projection.monthly for it in facts.columns]
    found = [_column(*it) for it in zip(names, cells, monthly, strict=True)]
    labelled = [column._replace(label=label) for column, label in zip(found, label_columns(facts), strict=True)]
    return tuple(_join_names(labelled))


def _join_names(columns: Sequence[ChartColumn]) -> Iterator[ChartColumn]:
    from agent.checks.grounding.compose import are_names_of_person

    rest = list(columns)
    while rest:
        given, *rest = rest
        family = rest[0] if rest else None
        if family is None or not are_names_of_person(given.name, family.name) or not _are_texts(given, family):
            yield given
            continue
        rest = rest[1:]
        parts = (given.name, family.name)
        values = tuple(f"{first} {last}" for first, last in zip(given.values, family.values, strict=True))
        yield ChartColumn(" ".join(parts), values, ColumnRole.CATEGORY, label="name", parts=parts)


def _are_texts(*columns: ChartColumn) -> bool:
    return all(isinstance(value, str) for column in columns for value in column.values)


def is_number(value: JsonValue) -> bool:
    """Whether a value is a finite number, not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _column(name: str, values: tuple[JsonValue, ...], monthly: bool) -> ChartColumn:
    known = [value for value in values if value is not None]
    if not known or not name or not name.isprintable():  # a column that Vega-Lite cannot refer to
        return ChartColumn(name, values, ColumnRole.OTHER)
    if all(map(is_number, known)):
        return _of_numbers(name, values, known)
    if all(isinstance(value, bool) for value in known):
        return ChartColumn(name, values, ColumnRole.CATEGORY)
    if not all(isinstance(value, str) for value in known):
        return ChartColumn(name, values, ColumnRole.OTHER)
    grain = _grain(known) if len(known) == len(values) else None
    if grain is Grain.DATE and (monthly or _is_month(name)) and all(_FIRST_OF_MONTH.match(text) for text in known):
        grain = Grain.MONTH
    return ChartColumn(name, values, ColumnRole.TIME if grain else ColumnRole.CATEGORY, grain)


def _of_numbers(name: str, values: tuple[JsonValue, ...], known: Sequence[JsonValue]) -> ChartColumn:
    whole = all(isinstance(value, int) for value in known)
    complete = len(known) == len(values)
    if whole and complete and _YEAR_NAME.search(name) and all(1000 <= value <= 2999 for value in known):
        return ChartColumn(name, values, ColumnRole.TIME, Grain.YEAR)
    if whole and complete and all(1 <= value <= 12 for value in known) and _is_month(name):
        return ChartColumn(name, values, ColumnRole.TIME, Grain.MONTH_NUMBER)
    if whole and (_ID_NAME.search(name) or _ID_CAMEL.search(name)):
        return ChartColumn(name, values, ColumnRole.OTHER)
    return ChartColumn(name, values, ColumnRole.MEASURE)


def _is_month(name: str) -> bool:
    """Whether a column is named a month, and not an amount per month."""
    return _MONTH_NAME.search(name) is not None and not _PER_MONTH.search(name)


def _grain(texts: Sequence[str]) -> Grain | None:
    """The common grain of the texts. Midnights are dates."""
    found = next((grain for grain, form in _TEXTS if all(form.fullmatch(text) for text in texts)), None)
    if found is Grain.DATETIME and all(_MIDNIGHT.search(text) for text in texts):
        found = Grain.DATE
    for grain, names in ((Grain.NAMED_MONTH, MONTHS), (Grain.NAMED_DAY, DAYS)):
        # in English, in full or by three letters
        if found is None and all(text.lower() in {*names, *(name[:3] for name in names)} for text in texts):
            found = grain
    return found


def calendar_order(column: ChartColumn) -> list[JsonValue]:
    """The values of a NAMED_MONTH or NAMED_DAY column, in calendar order."""
    names = MONTHS if column.grain is Grain.NAMED_MONTH else DAYS
    places = {name[:3]: place for place, name in enumerate(names)}
    return sorted(column.distinct, key=lambda value: places[str(value).lower()[:3]])

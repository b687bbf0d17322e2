"""Sample questions about a table, made from its measures, dates and categories, each with its query.

A column's type and name, then its values, decide its role: a measure has more than two values, does not number the rows
and holds no years; a category has a few values that repeat. A table without measures and categories gets no question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from agent.core.texts.units import without_unit
from agent.understanding.first_look.wordings import WORDINGS, Kind
from agent.understanding.suggest import (
    aggregate_of,
    has_headings,
    is_category,
    is_date,
    is_measure,
    list_keys,
    rows_of,
    words_of,
)
from executors.base import Column, JsonValue, Schema, Table
from executors.dialects.table import DIALECTS

MOST_COLUMNS = 12  # columns of a table that are inspected
MOST_GROUPS = 50  # most groups of a category
LEAST_REPEATED = 2  # rows of a group, on average
FEW_ROWS = 20  # a table with fewer has no averages worth asking for
DENSE = 10  # values of a unique whole number, on average, per row: fewer are the numbers of the rows
LEAST_LETTERS = 3  # of a name that begins another name
YEARS = range(1900, 2101)  # whole numbers within it are years
_WHOLE = re.compile(r"\b(?:tiny|small|medium|big|huge|u)*int(?:eger|\d+)?\b", re.IGNORECASE)
_DATE = re.compile(r"date|timestamp", re.IGNORECASE)
_DAY = re.compile(r"^(\d{4})-\d\d-\d\d")
_AGGREGATE = re.compile(r"^(?:total|average) ", re.IGNORECASE)
_READABLE = re.compile(r"[^\W\d_]{3,}")
_BIRTH = re.compile(
    r"(?<![^\W_])(?:born|dob(?![^\W_])|geb(?:urts|oren|_|$))|birth|naissance|nacimiento|nascita", re.IGNORECASE
)
_VOWEL = re.compile(r"[aeiouyäöüéèáíóú]|[^\x00-\x7f]", re.IGNORECASE)


class SuggestedQuestion(NamedTuple):
    """A question and the query that answers it.

    kind: its kind. table: its subject. measure, category, date: its columns, if any. year: of the date, which is named
    only if the table has several dates.
    """

    kind: Kind
    sql: str
    table: Table
    measure: Column | None = None
    category: Column | None = None
    date: Column | None = None
    year: int | None = None

    def text(self, language: str = "en") -> str:
        """The question in the given language, or in English if it has no wordings."""
        language = language if language in WORDINGS else "en"
        wording = WORDINGS[language]
        written = has_headings(self.table)
        words = partial(words_of, language=language, as_written=written)
        measure = _without_unit(self.measure, self.table) if self.measure is not None else None
        adds_up = measure is not None and _adds_up(measure)
        aggregate = aggregate_of(measure, as_written=written) if measure is not None else ""
        name = _AGGREGATE.sub("", words(measure.name)) if measure is not None else ""
        table = self.table.parts[-1]
        values = {
            "rows": rows_of(self.table, as_written=written) if language == "en" else words(table),
            "measure": (wording.sum if adds_up else wording.mean).format(name=name, aggregate=aggregate),
            "most": (wording.most_sum if adds_up else wording.most_mean).format(name=name, aggregate=aggregate),
            "category": words(self.category.name) if self.category is not None else "",
            "by": wording.by.format(date=words(self.date.name)) if self.date is not None else "",
            "year": self.year,
        }
        return str(getattr(wording, self.kind)).format(**values)


class SeenSchema(NamedTuple):
    """The roles of a table's columns, according to their values.

    rows: the number of rows. measures, categories, dates: the columns with these roles.
    year: the latest year of the first date.
    """

    rows: int
    measures: tuple[Column, ...]
    categories: tuple[Column, ...]
    dates: tuple[Column, ...] = ()
    year: int | None = None


class TableProfile:
    """Profiles a table's values with one query."""

    def __init__(self, schema: Schema, table: Table) -> None:
        self._schema, self._table = schema, table
        self._quote = schema.quote_name
        keys = list_keys(table)
        plain = [it for it in table.columns if it.name not in keys and not it.private and is_readable(it.name)]
        self.measures = [it for it in plain if is_measure(it) and not self._names_table(it)][:MOST_COLUMNS]
        self._whole = [it for it in self.measures if _WHOLE.search(it.type)]
        self.categories = [it for it in plain if is_category(it)][:MOST_COLUMNS]
        dates = sorted((it for it in plain if is_date(it)), key=lambda it: bool(_BIRTH.search(it.name)))
        self.dates = dates[:MOST_COLUMNS]  # nothing happened to a table's rows when someone was born

    @property
    def sql(self) -> str:
        """A query for the number of rows and the statistics that confirm each column's role."""
        counted = ["COUNT(*)"]
        counted += [f"COUNT(DISTINCT {self._quote(it.name)})" for it in (*self.measures, *self.categories)]
        counted += [f"MAX({self._quote(it.name)})" for it in self.dates]
        counted += [f"{end}({self._quote(it.name)})" for it in self._whole for end in ("MIN", "MAX")]
        named = ", ".join(f"{it} AS v{at}" for at, it in enumerate(counted))
        return f"SELECT {named} FROM {self._schema.quote_table(self._table)}"

    def read_row(self, row: tuple[JsonValue, ...]) -> SeenSchema:
        values = iter(row)
        rows = int(next(values) or 0)
        distinct = {it.name: int(next(values) or 0) for it in self.measures}
        groups = [(it, int(next(values) or 0)) for it in self.categories]
        categories = tuple(it for it, n in groups if 2 <= n <= MOST_GROUPS and n * LEAST_REPEATED <= rows)
        found = [(it, match) for it in self.dates if (match := _DAY.match(str(next(values) or "")))]
        dates = tuple(it for it, _ in found)
        ends = {it.name: (next(values), next(values)) for it in self._whole}
        unique = {name for name in ends if distinct[name] == rows}
        numbering = {name for name, (first, last) in ends.items() if _is_numbering(first, last, rows, name in unique)}
        # A flag has two values. Unique whole numbers may be codes, so other measures come first. An amount is no number
        # of a row, whatever its values are.
        measures = [it for it in self.measures if distinct[it.name] > 2 and (it.name not in numbering or _adds_up(it))]
        measures.sort(key=lambda it: it.name in unique)
        return SeenSchema(rows, tuple(measures), categories, dates, int(found[0][1][1]) if found else None)

    def _names_table(self, column: Column) -> bool:
        """Whether a column of whole numbers refers to another table: `abt` begins the name `abteilungen`."""
        name = column.name.casefold()
        others = (it.name.casefold() for it in self._schema.tables if it.name != self._table.name)
        is_whole = _WHOLE.search(column.type) is not None
        return is_whole and len(name) >= LEAST_LETTERS and any(it.startswith(name) for it in others)


class Asker:
    """Makes the questions of one table."""

    def __init__(self, schema: Schema, table: Table, seen: SeenSchema) -> None:
        self._schema, self._table, self._seen = schema, table, seen
        self._from, self._quote = schema.quote_table(table), schema.quote_name
        self._question = partial(SuggestedQuestion, table=table)

    def candidates(self) -> Iterator[SuggestedQuestion]:
        """The questions, most informative first."""
        seen = self._seen
        measure = next((it for it in seen.measures if seen.rows >= FEW_ROWS or _adds_up(it)), None)
        category = seen.categories[0] if seen.categories else None
        if measure is not None and category is not None:
            group, total = self._quote(category.name), self._total(measure)
            sql = f"SELECT {group}, {total} FROM {self._from} GROUP BY {group}"
            yield self._question("groups", sql, measure=measure, category=category)
        if seen.dates and seen.year is not None:
            yield from self._of_year(seen.dates[0], seen.year, measure)
        if measure is not None and len(seen.categories) > 1:
            group, total = self._quote(seen.categories[1].name), self._total(measure)
            sql = f"SELECT {group}, {total} AS v FROM {self._from} GROUP BY {group} ORDER BY v DESC"
            yield self._question("highest", sql, measure=measure, category=seen.categories[1])
        if category is not None:
            group = self._quote(category.name)
            sql = f"SELECT {group}, COUNT(*) FROM {self._from} GROUP BY {group}"
            yield self._question("counts", sql, category=category)
        if measure is not None:
            yield self._question("total", f"SELECT {self._total(measure)} FROM {self._from}", measure=measure)
        if measure is not None or category is not None or seen.dates:
            yield self._question("count", f"SELECT COUNT(*) FROM {self._from}")

    def _of_year(self, date: Column, year: int, measure: Column | None) -> Iterator[SuggestedQuestion]:
        day = self._quote(date.name)
        within = f"{day} >= {self._day(date, year)} AND {day} < {self._day(date, year + 1)}"
        month = DIALECTS[self._schema.dialect].truncate_month.format(column=day)
        named = date if len(self._seen.dates) > 1 else None
        if measure is not None:
            sql = f"SELECT {month}, {self._total(measure)} FROM {self._from} WHERE {within} GROUP BY {month}"
            yield self._question("months", sql, measure=measure, date=named, year=year)
        sql = f"SELECT COUNT(*) AS n FROM {self._from} WHERE {within} HAVING COUNT(*) > 0"
        yield self._question("year", sql, date=named, year=year)

    def _day(self, date: Column, year: int) -> str:
        is_text = self._schema.dialect == "sqlite" or not _DATE.search(date.type)
        return f"'{year}-01-01'" if is_text else f"CAST('{year}-01-01' AS DATE)"

    def _total(self, measure: Column) -> str:
        return f"{'SUM' if _adds_up(measure) else 'AVG'}({self._quote(measure.name)})"


def _is_numbering(first: JsonValue, last: JsonValue, rows: int, is_unique: bool) -> bool:
    """Whether a column's whole numbers are years, or number the rows, by the least and the greatest."""
    if first in YEARS and last in YEARS:
        return True
    return is_unique and isinstance(first, int) and isinstance(last, int) and last - first < DENSE * rows


def _without_unit(measure: Column, table: Table) -> Column:
    """A measure called without its unit, unless another column has that name, too."""
    bare = without_unit(measure.name)
    is_shared = sum(without_unit(it.name) == bare for it in table.columns) > 1
    return measure if is_shared else measure.model_copy(update={"name": bare})


def _adds_up(measure: Column) -> bool:
    return aggregate_of(measure).startswith("total")


def is_readable(name: str) -> bool:
    """Whether a name contains a pronounceable word: `icd10_cd` and `x7` have none."""
    return any(_VOWEL.search(word) for word in _READABLE.findall(words_of(name)))

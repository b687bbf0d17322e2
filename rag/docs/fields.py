"""Rows below a header, as in CSV files: the role of each field, from its name, and the contents of the rows.

Used for CSV files, tables in Markdown and lists in YAML.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from rag.docs.collector import DocsCollector
from rag.docs.names import bare, letters
from rag.words import split_name

# fmt: off
Role = Literal["namespace", "table", "table_text", "column", "name", "label", "text", "values", "format", "unit",
               "term", "formula", "question", "sql"]
# fmt: on


class Field(NamedTuple):
    """A field of the header: its role, and a prefix if its values need one to be understood."""

    role: Role
    prefix: str = ""


# The first line that contains a word of a field's name determines the field's role.
_LINES: tuple[tuple[Role, str], ...] = (
    ("namespace", "schema namespace owner"),
    ("values", "example examples sample samples"),
    ("values", "value values allowed enum enumeration domain codes categories options accepted permitted valid"),
    ("values", "possible choices range levels"),
    ("text", "description descriptions desc descr comment comments definition meaning explanation documentation"),
    ("text", "doc docs remark remarks note notes detail details info information about summary text purpose"),
    ("unit", "unit units uom"),
    ("format", "format"),
    ("formula", "formula calculation expression expr computation"),
    ("question", "question questions utterance prompt"),
    ("sql", "sql query"),
    ("term", "term metric kpi concept abbreviation acronym word phrase rule rules keyword"),
    ("label", "label alias aliases title caption display friendly business readable logical synonym synonyms"),
    ("column", "column field attribute variable col"),
    ("table", "table relation entity view dataset model tbl"),
    ("name", "name"),
)
# Words that exclude a field, whatever else its name contains: `column id`, `is nullable`, `ordinal position`.
_NOTHING = "id ordinal position nullable null default key pk fk length precision scale index number"
_WORDS = tuple((role, frozenset(words.split())) for role, words in (*_LINES, (None, _NOTHING)))
_NOTHINGS, _TABLES = frozenset(_NOTHING.split()), frozenset(dict(_LINES)["table"].split())
_COLUMNS = frozenset(("column", "field", "attribute"))
_TYPES = frozenset(("type", "datatype", "dtype"))
_ORIGINAL = frozenset(("original", "physical", "technical", "actual", "real", "raw", "internal"))
_ORIGINAL_COLUMN = _ORIGINAL | {"db", "database", "source"}
_PLAIN_VALUES = frozenset(("value", "values", "description", "meaning"))  # a field with such a name needs no prefix
_TYPE_NAME = re.compile(r"[A-Za-z_ ]+(?:\([\d, ]*\))?")  # a type, which the schema has; `YYYY-MM-DD` is a format


def field_of(header: str) -> Field | None:
    """The role of a field. None if its name does not reveal it, or if the content is of no use here."""
    words_of_name = split_name(header).split()
    found = frozenset(words_of_name)
    if found & _NOTHINGS or (found & _TYPES and "format" not in found):
        return None
    role = next((role for role, words in _WORDS if found & words), None)
    match role:
        case "text" if found & _TABLES and not found & _COLUMNS:
            return Field("table_text")
        case "values" if not found <= _PLAIN_VALUES | _COLUMNS:
            return Field(role, " ".join(words_of_name))
        case "unit" | "format":
            return Field(role, role)
        case "column" if found & _ORIGINAL_COLUMN:
            return Field("column", "original")
        case "name" if len(found) > 1:
            return Field("column", "original") if found & _ORIGINAL else None
    return Field(role) if role is not None else None


class Records:
    """Rows below a header. Cells beyond the header belong to the last field.

    The rows are about `table` unless a field names one. With `has_topic`, this is certain, so a field `name` names
    columns.
    """

    def __init__(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[str]],
        source: str,
        collector: DocsCollector,
        *,
        table: str = "",
        has_topic: bool = False,
    ) -> None:
        self._source, self._to, self._table = source, collector, table
        fields = [field_of(name) for name in header]
        self._rows = [_fit(row, len(header)) for row in rows]
        self._fields = [(at, field) for at, field in enumerate(fields) if field is not None]
        self._column = self._place("column", prefix="original") or self._place("column")
        if self._column is None and (self._place("table") or has_topic) and not self._place("term"):
            self._column = self._place("name")

    def read(self) -> bool:
        """Add the contents of the rows. False if the header does not reveal their roles."""
        telling = any(self._place(role) for role in ("text", "values", "label", "formula", "sql", "unit"))
        if self._place("question") and self._place("sql"):
            self._queries()
        elif self._place("term"):
            self._terms(telling=telling)
        elif self._column is not None and (telling or self._place("table_text")):
            self._columns()
        elif self._place("table") and (telling or self._place("table_text")):
            self._tables(self._place("table"))
        elif self._are_tables() and telling:
            self._tables(self._place("name"))
        elif self._place("name") and telling:
            self._terms(telling=True)
        else:
            return False
        return True

    def _queries(self) -> None:
        for row in self._rows:
            question, sql = self._first(row, "question"), self._first(row, "sql")
            if question and sql:
                self._to.add_query(self._source, question, sql)
            elif question or sql:
                self._to.problem(self._source, f"{question or sql!r} is a question or a query without the other")

    def _columns(self) -> None:
        """Add rows about columns. Without a column, a row is about its table; without a table, about the previous."""
        before = ""
        for row in self._rows:
            column, description = self._cell(row, self._column), self._description(row)
            place = self._to.names.find_qualified(column) if self._to.names else None
            if place is not None and not self._first(row, "table"):
                self._to.add_column(self._source, place[0].name, place[1].name, description)
                continue
            before = self._table_name(row) or before or self._table
            table = self._to.table(self._source, before) if before and any(row) else None
            if table is None:
                continue
            self._to.add_table(self._source, table, self._join_fields(row, "table_text"))
            if column:
                self._to.add_column(self._source, table, column, description)
            else:
                self._to.add_table(self._source, table, description)

    def _tables(self, place: tuple[int, Field] | None) -> None:
        for row in self._rows:
            name = self._cell(row, place)
            namespace = self._first(row, "namespace")
            table = self._to.table(self._source, f"{namespace}.{name}" if namespace else name) if name else None
            if table is not None:
                texts = (self._join_fields(row, role) for role in ("text", "table_text", "values"))
                self._to.add_table(self._source, table, "; ".join(filter(None, texts)))

    def _terms(self, *, telling: bool) -> None:
        """Add terms with their definitions. Without a field for definitions, each term is a rule."""
        place = self._place("term") or self._place("name")
        for row in self._rows:
            term, also = self._cell(row, place), self._first(row, "label")
            parts = (self._join_fields(row, role) for role in ("text", "formula", "sql", "values", "unit"))
            definition = "; ".join(filter(None, parts))
            if term and definition:
                name = f"{term} ({also})" if also and letters(also) != letters(term) else term
                self._to.add_rule(self._source, f"{name}: {definition}")
            elif term and not telling:
                self._to.add_rule(self._source, term)

    def _are_tables(self) -> bool:
        """Whether the field `name` names tables."""
        place, names = self._place("name"), self._to.names
        if place is None or names is None:
            return False
        named = [name for row in self._rows if (name := self._cell(row, place))]
        return bool(named) and 2 * sum(names.table(name) is not None for name in named) > len(named)

    def _description(self, row: Sequence[str]) -> str:
        """The description of a column: a label that adds to its name, the text, then values and formats."""
        name = bare(self._cell(row, self._column))
        text = self._join_fields(row, "text")
        parts = [text, *(self._join_fields(row, role) for role in ("values", "formula", "sql", "unit"))]
        form = self._first(row, "format")
        parts += [f"format: {form}"] if form and not _TYPE_NAME.fullmatch(form) else []
        for label in self._labels(row):
            if letters(label) != letters(name) and letters(label) not in letters(text):
                parts.insert(0, label)
        return "; ".join(filter(None, parts))

    def _labels(self, row: Sequence[str]) -> list[str]:
        """Other names of the column: `column_name` beside `original_column_name`, `label`, `name`."""
        places = [place for place in self._fields if place[1].role in {"label", "column", "name"}]
        return [label for place in places if place != self._column and (label := self._cell(row, place))]

    def _table_name(self, row: Sequence[str]) -> str:
        name, namespace = self._first(row, "table"), self._first(row, "namespace")
        return f"{namespace}.{name}" if name and namespace and "." not in name else name

    def _join_fields(self, row: Sequence[str], role: Role) -> str:
        """The values of all fields with a role, each after its prefix, if it has one."""
        found = ((self._cell(row, place), place[1].prefix) for place in self._fields if place[1].role == role)
        return "; ".join(f"{prefix}: {value}" if prefix else value for value, prefix in found if value)

    def _first(self, row: Sequence[str], role: Role) -> str:
        cells = (self._cell(row, place) for place in self._fields if place[1].role == role)
        return next(filter(None, cells), "")

    def _place(self, role: str, prefix: str = "") -> tuple[int, Field] | None:
        found = (place for place in self._fields if place[1].role == role and prefix in ("", place[1].prefix))
        return next(found, None)

    def _cell(self, row: Sequence[str], place: tuple[int, Field] | None) -> str:
        return row[place[0]].strip() if place is not None else ""


def _fit(row: Sequence[str], width: int) -> list[str]:
    """A row as wide as the header. An unquoted comma in a description produces extra cells, which are joined."""
    cells = [*row, *[""] * (width - len(row))]
    rest = [cell for cell in cells[width - 1 :] if cell.strip()] if width else []
    return [*cells[: width - 1], ",".join(rest)] if width else []


_DELIMITERS = (",", ";", "\t", "|")
_STATED_DELIMITER = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # written by spreadsheets above the header
_HEADER_ROWS = 4  # a title may stand above the header
# Suffixes of a file about a table's columns: `orders_columns.csv`, `orders.description.csv`.
_ABOUT = re.compile(r"[ _.-](?:columns?|descriptions?|fields?|docs?|(?:data[ _-]?)?dictionary)$", re.IGNORECASE)

Rows = list[list[str]]


def read_csv(text: str, path: Path, collector: DocsCollector) -> None:
    """Read rows of columns, of terms (`term, definition`) or of queries (`question, sql`), by the header's names.

    The delimiter (comma, semicolon, tab or bar) is the one with which the first rows best form a header.
    """
    stated = _STATED_DELIMITER.match(text)
    body = text[stated.end() :] if stated else text
    start = "\n".join(body.splitlines()[: _HEADER_ROWS + 2])
    try:
        delimiter = stated[1] if stated else max(_DELIMITERS, key=lambda it: _count_known_fields(_rows(start, it)))
        rows = _rows(body, delimiter, strict=True)
    except csv.Error as error:
        collector.problem(path.name, f"it is not a CSV file ({error})")
        return
    table, is_table = _table_of(path, collector)
    for at, header in enumerate(rows[:_HEADER_ROWS]):
        records = Records(header, rows[at + 1 :], path.name, collector, table=table, has_topic=is_table)
        if records.read():
            return
    found = ", ".join(name.strip() for name in rows[0]) if rows else "nothing"
    collector.problem(path.name, f"a docs CSV has the fields table, column and description; this has {found}")


def _count_known_fields(rows: Rows) -> int:
    """The number of fields with a known role, in the row that has most of them."""
    return max((sum(field_of(name) is not None for name in row) for row in rows[:_HEADER_ROWS]), default=0)


def _rows(text: str, delimiter: str, *, strict: bool = False) -> Rows:
    """The rows that are not empty. Args: strict: raise for an unclosed quote, and read other errors leniently."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict))
    except csv.Error as error:
        if "unexpected end" in str(error) or not strict:
            raise
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return [row for row in rows if any(map(str.strip, row))]


def _table_of(path: Path, collector: DocsCollector) -> tuple[str, bool]:
    """The table that a file's name may refer to, and whether it exists."""
    stem = path.stem
    for name in (stem, _ABOUT.sub("", stem)):
        if collector.names is not None and collector.names.table(name) is not None:
            return name, True
    return _ABOUT.sub("", stem) if collector.names is None else stem, False

"""Renders a schema for the model, with the docs of each table and column.

The same schema and documents give exactly the same text, so that models can cache the prompt's prefix. The text depends
on the question only if the schema exceeds its budget.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import Literal

from executors.base import Column, ForeignKey, Frozen, Schema, Table
from rag.docs.documents import Document, descriptions_of
from rag.docs.plain_text import drop_beginnings, on_one_line, plain
from rag.identity_cache import IdentityCache
from rag.linking.linking import SchemaLinker
from rag.linking.schema_ranking import Ranking
from rag.schema.joins import Joins, joins_of

Style = Literal["ddl", "compact"]

_COMMENT_CHARS, _SAMPLE_CHARS = 240, 40
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NUMERIC_TYPE = re.compile(r"int|dec|num|real|doub|float|money|serial", re.IGNORECASE)


class TableText:
    """Writes the tables of one schema. The docs of a column replace its database comment."""

    def __init__(self, schema: Schema, documents: Sequence[Document], style: Style, max_samples: int) -> None:
        self._schema, self._style, self._max_samples = schema, style, max_samples
        self._docs = _kept_descriptions(documents)
        self._whole: dict[tuple[str, bool], str] = {}  # by table and `samples`: texts that do not depend on a question

    def table(
        self,
        table: Table,
        *,
        samples: bool,
        columns: Collection[str] | None = None,
        only: Collection[str] | None = None,
    ) -> str:
        """The table's text, ending in a line break.

        `columns` and `only` limit the columns and the referenced tables (lower case; None: all). Keys that refer to
        other tables are omitted.
        """
        if columns is not None or only is not None:
            return self._write(table, samples=samples, columns=columns, only=only)
        key = (table.name, samples)
        if key not in self._whole:
            self._whole[key] = self._write(table, samples=samples, columns=None, only=None)
        return self._whole[key]

    def _write(
        self, table: Table, *, samples: bool, columns: Collection[str] | None, only: Collection[str] | None
    ) -> str:
        shown = [column for column in table.columns if columns is None or column.name.lower() in columns]
        keys = [key for key in table.foreign_keys if only is None or key.table.lower() in only]
        hidden = len(table.columns) - len(shown)
        comments = self._docs.get((table.name.lower(), "")) or [table.comment]
        descriptions = [f"-- {_cut(text, _COMMENT_CHARS)}" for text in comments if text.strip()]
        rest = [f"-- {hidden} more columns are not shown."] if hidden else []
        if self._style == "ddl":
            body = self._statement(table, shown, keys, samples=samples)
            return "\n".join(
                [*descriptions, f"CREATE TABLE {self.name(table.name)} (", *body, *_indent(rest), ");", ""]
            )
        body = [self._line(table, shown, keys), *_indent(descriptions)]
        for column in shown:
            comment = self._comment(table, column, samples=samples)
            if comment:
                body.append(f"  -- {self._quote(column.name)}: {comment}")
        return "\n".join([*body, *_indent(rest)])

    def name(self, name: str) -> str:
        """A table's name as a query must write it, with its schema if it has one."""
        table = self._schema.table(name)
        return on_one_line(self._schema.quote_table(table)) if table is not None else self._quote(name)

    def _quote(self, name: str) -> str:
        return on_one_line(self._schema.quote_name(name))

    def _statement(
        self, table: Table, shown: Sequence[Column], keys: Sequence[ForeignKey], *, samples: bool
    ) -> list[str]:
        """The lines between the parentheses: columns, then multi-column keys."""
        lines: list[tuple[str, str]] = []
        for column in shown:
            parts = [self._quote(column.name), on_one_line(column.type)]
            if table.primary_key == (column.name,):
                parts.append("PRIMARY KEY")
            elif not column.nullable:
                parts.append("NOT NULL")
            parts += [f"REFERENCES {self._target(key)}" for key in keys if key.columns == (column.name,)]
            lines.append((" ".join(filter(None, parts)), self._comment(table, column, samples=samples)))
        if len(table.primary_key) > 1:
            lines.append((f"PRIMARY KEY ({self._names(table.primary_key)})", ""))
        for key in keys:
            if len(key.columns) > 1:
                lines.append((f"FOREIGN KEY ({self._names(key.columns)}) REFERENCES {self._target(key)}", ""))
        last = len(lines) - 1
        return [
            f"  {line}{',' if position < last else ''}{f' -- {comment}' if comment else ''}"
            for position, (line, comment) in enumerate(lines)
        ]

    def _line(self, table: Table, shown: Sequence[Column], keys: Sequence[ForeignKey]) -> str:
        """`orders(order_id INTEGER PK, customer_id INTEGER -> customers.customer_id)`"""
        parts: list[str] = []
        for column in shown:
            key_mark = "PK" if column.name in table.primary_key else ""
            words = [self._quote(column.name), on_one_line(column.type), key_mark]
            for key in keys:
                if key.columns == (column.name,):
                    words.append("-> " + ".".join([self.name(key.table), *map(self._quote, key.referenced)]))
            parts.append(" ".join(filter(None, words)))
        parts += [f"({self._names(key.columns)}) -> {self._target(key)}" for key in keys if len(key.columns) > 1]
        return f"{self.name(table.name)}({', '.join(parts)})"

    def _target(self, key: ForeignKey) -> str:
        return self.name(key.table) + (f"({self._names(key.referenced)})" if key.referenced else "")

    def _names(self, names: Sequence[str]) -> str:
        return ", ".join(map(self._quote, names))

    def _comment(self, table: Table, column: Column, *, samples: bool) -> str:
        descriptions = "; ".join(self._docs.get((table.name.lower(), column.name.lower())) or [column.comment])
        values = [_value(value, column.type) for value in column.samples[: self._max_samples]] if samples else []
        shown = f"e.g. {', '.join(values)}" if values else ""
        return "; ".join(filter(None, (_cut(descriptions, _COMMENT_CHARS), shown)))


def _group(documents: Sequence[Document]) -> dict[tuple[str, str], list[str]]:
    return {name: drop_beginnings(texts) for name, texts in descriptions_of(documents).items()}


_kept_descriptions = IdentityCache(_group)
table_text_of = IdentityCache(TableText)


def _value(value: str, column_type: str) -> str:
    """A sample as a query writes it: text in quotes, numbers of numeric columns without."""
    if _NUMERIC_TYPE.search(column_type) and _NUMBER.fullmatch(value):
        return value
    value = plain(value)
    is_whole = len(value) <= _SAMPLE_CHARS and len(value.splitlines()) == 1
    text = value if is_whole else _cut(value, _SAMPLE_CHARS)  # a query must reproduce the white space too
    return "'" + text.replace("'", "''") + "'"


def _cut(text: str, chars: int) -> str:
    """The text on one line, so that it stays a comment. If it is too long, it is cut between words."""
    text = " ".join(plain(text).split())
    if len(text) <= chars:
        return text
    return text[: chars - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_CHARS_PER_TOKEN = 3.5  # of SQL and names, for current models; a non-ASCII character is one token
_FOR_TABLES = 0.8  # of the budget; the rest is for samples of the best tables, then for more tables
_MISSES = 10  # tables in a row that did not fit; then no others are tried
_WIDE = 30  # columns of a table that is first shown in full; of a wider one, only keys and relevant columns
_WIDTHS = (None, 100, 30)  # columns shown, from all to fewer, until the table fits
_NARROW = 8  # columns, besides keys, of a table for which there is little space

__all__ = ["SchemaText", "Style", "estimate_tokens", "fits", "render"]


class SchemaText(Frozen):
    """The text, its tables, its estimated tokens, and whether tables or columns were omitted.

    columns: by table, those in the text.
    """

    text: str
    tables: tuple[str, ...]
    tokens: int
    pruned: bool
    columns: dict[str, tuple[str, ...]] = {}


def estimate_tokens(text: str) -> int:
    """Tokens of a text, estimated without a tokenizer: one per 3.5 ASCII characters and one per other character."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / _CHARS_PER_TOKEN + len(text) - ascii_chars)


def render(
    schema: Schema,
    documents: Sequence[Document],
    *,
    style: Style,
    budget_tokens: int,
    max_sample_values: int,
    pruned_tokens: int | None = None,
    question: str = "",
    ranking: Ranking | None = None,
    close_joins: bool = True,
) -> SchemaText:
    """Render the schema in at most `budget_tokens` (estimated).

    1. Everything, if it fits.
    2. Otherwise, everything except sample values.
    3. Otherwise, the tables relevant to the question, best first, each with the tables that join it to earlier ones.
       Wide tables show their keys and relevant columns. The remaining budget goes to samples of the best tables, then
       to the tables beside them.

    Args:
        documents: those of kind column and table are shown beside their columns and above their tables. Others, and
            those that name nothing in the schema, are not shown here.
        style: `ddl` (CREATE TABLE statements) or `compact` (one line per table).
        pruned_tokens: the budget of step 3; None: `budget_tokens`.
        ranking: determines step 3, see `linking`.
        question: determines step 3 by its words alone if there is no ranking.
        close_joins: whether to include tables between the chosen ones. False is only for measurements.

    One table is always shown, with its keys, even if it alone exceeds the budget.
    """
    texts = table_text_of(schema, documents, style, max_sample_values)
    bare = _whole_of(schema, texts, budget_tokens, False)
    if bare is not None:
        return _whole_of(schema, texts, budget_tokens, True) or bare
    if ranking is None:
        ranking = SchemaLinker(schema, documents).link(question).ranking
    joins = joins_of(schema, documents)
    selection = _Selection(schema, texts, ranking, joins, pruned_tokens or budget_tokens, close_joins=close_joins)
    selection.choose()
    return selection.result()


def fits(schema: Schema, documents: Sequence[Document], *, style: Style, budget_tokens: int) -> bool:
    """Whether the whole schema, without samples, fits the budget. Then its text does not depend on the question."""
    return _whole_of(schema, table_text_of(schema, documents, style, 0), budget_tokens, False) is not None


def _whole(schema: Schema, texts: TableText, budget: int, samples: bool) -> SchemaText | None:
    """The whole schema, or None as soon as it exceeds the budget: thousands of tables are not written to the end."""
    parts: list[str] = []
    tokens = 0
    for table in schema.tables:
        parts.append(texts.table(table, samples=samples))
        tokens += estimate_tokens(parts[-1])
        if tokens > budget:
            return None
    return _join_parts(parts, ((table, None) for table in schema.tables), pruned=False)


_whole_of = IdentityCache(_whole, most=24)  # three for each database and style


def _join_parts(
    parts: Iterable[str], tables: Iterable[tuple[Table, Collection[str] | None]], *, pruned: bool
) -> SchemaText:
    """Args: tables: each with its columns in the text, in lower case. None: all."""
    text = "\n".join(parts).strip()
    columns = {
        table.name: tuple(it.name for it in table.columns if shown is None or it.name.lower() in shown)
        for table, shown in tables
    }
    return SchemaText(text=text, tables=tuple(columns), tokens=estimate_tokens(text), pruned=pruned, columns=columns)


class _Shown:
    """How a chosen table is shown: its columns (None: all), whether with samples, and its cost."""

    def __init__(self, table: Table, columns: frozenset[str] | None, tokens: int, *, samples: bool) -> None:
        self.table, self.columns, self.tokens, self.samples = table, columns, tokens, samples


class _Selection:
    """Chooses, within a budget, tables first, then their columns, then samples."""

    def __init__(
        self, schema: Schema, texts: TableText, ranking: Ranking, joins: Joins, budget: int, *, close_joins: bool
    ) -> None:
        self._schema, self._texts, self._close_joins = schema, texts, close_joins
        self._ranked = [table for ranked in ranking.tables if (table := schema.table(ranked.table)) is not None]
        self._matter: dict[str, list[str]] = defaultdict(list)  # by table: its relevant columns, best first
        for column in ranking.columns:
            self._matter[column.table].append(column.column.lower())
        self._joins = joins
        self._note = "-- {} more tables are not shown."
        self._budget = self._left = budget - estimate_tokens(self._note.format(len(schema.tables)))
        self._shown: dict[str, _Shown] = {}
        self._misses = 0  # tables since the last one that fit

    def choose(self) -> None:
        """Choose the best tables, then samples for them, then more tables and those beside the chosen ones."""
        ranked = self._ranked or sorted(self._schema.tables, key=lambda table: -len(table.foreign_keys))
        rest = iter(ranked)
        for table in rest:
            self._show_joined(table, _WIDE)
            if self._left < self._budget * (1 - _FOR_TABLES) or self._misses == _MISSES:
                break
        best = list(self._shown.values())
        for shown in best:
            self._widen(shown)
        for shown in best:
            self._show([(shown.table, self._shown[shown.table.name].columns)], samples=True)
        beside = (self._schema.table(name) for shown in list(self._shown) for name in self._joins.beside(shown))
        self._misses = 0
        for table in chain(rest, filter(None, beside)):
            self._show_joined(table, _NARROW)
            if self._misses == _MISSES:
                break

    def result(self) -> SchemaText:
        tables = self._joins.in_order(self._shown)
        names = frozenset(table.name.lower() for table in tables)
        parts = []
        for table in tables:
            shown = self._shown[table.name]
            parts.append(self._texts.table(table, samples=shown.samples, columns=shown.columns, only=names))
        hidden = len(self._schema.tables) - len(tables)
        if hidden:
            parts.append(self._note.format(hidden))
        pruned = hidden > 0 or any(shown.columns is not None for shown in self._shown.values())
        return _join_parts(parts, ((table, self._shown[table.name].columns) for table in tables), pruned=pruned)

    def _show_joined(self, table: Table, width: int | None) -> None:
        """Show a table and the tables that join it to the others, with `width` columns besides the relevant keys."""
        if table.name in self._shown:
            return
        way = self._joins.between(table, self._shown) if self._close_joins else []
        way = [other for other in way if other.name not in self._shown]
        if (way and self._show([(it, self._columns(it, width)) for it in (table, *way)])) or any(
            self._show([(table, self._columns(table, columns))]) for columns in dict.fromkeys((width, _NARROW))
        ):
            self._misses = 0
        else:
            self._misses += 1

    def _widen(self, shown: _Shown) -> None:
        """Show as many columns of a chosen table as fit."""
        if shown.columns is not None:
            any(self._show([(shown.table, self._columns(shown.table, width))]) for width in _WIDTHS)

    def _show(self, tables: list[tuple[Table, frozenset[str] | None]], *, samples: bool = False) -> bool:
        """Show tables with these columns if they fit. Their previous cost is freed. The first is always shown."""
        new: list[_Shown] = []
        for table, columns in tables:
            text = self._texts.table(table, samples=samples, columns=columns)
            new.append(_Shown(table, columns, estimate_tokens(text), samples=samples))
        freed = sum(self._shown[it.table.name].tokens for it in new if it.table.name in self._shown)
        cost = sum(it.tokens for it in new) - freed
        if cost > self._left and self._shown:
            return False
        self._left -= cost
        self._shown.update({it.table.name: it for it in new})
        return True

    def _columns(self, table: Table, width: int | None) -> frozenset[str] | None:
        """The keys, the relevant columns, and the first others up to `width`. None for all columns."""
        if width is None or len(table.columns) <= width:
            return None
        keys = self._joins.keys(table)
        matter = [name for name in self._matter[table.name] if name not in keys]
        others = [column.name.lower() for column in table.columns if column.name.lower() not in {*keys, *matter}]
        return frozenset(keys.union([*matter, *others][: max(width - len(keys), _NARROW)]))

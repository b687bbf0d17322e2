"""A schema as the model reads it, with what the docs say of each table and column: the one renderer.

The same schema and documents give the same text to the byte, so that models can keep the prompt's prefix. Only where
the schema does not fit its budget does the text depend on the question.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import islice

from executors.base import Frozen, Schema, Table
from rag.documents import Document, Retrieved
from rag.schema_ranking import Joins, Ranking
from rag.table_text import Style, TableText

_CHARS_PER_TOKEN = 3.5  # of SQL and names, in the vocabularies of today's models; a character beyond ASCII is one token
_STRONG = 0.4  # of the best table's score: such tables are chosen before any table gets all of its columns
_MOST_STRONG, _MOST_WEAK, _MOST_BESIDE = 12, 100, 100  # tables that are tried at all
_WEAK = 0.15  # of the best table's score: what is below has a word in common by chance
_FEW = 8  # columns of a table that is shown in short, besides its keys and those that matter
_WIDTHS = (None, 100, 30)  # columns shown, from all to fewer, until the table fits

__all__ = ["SchemaText", "Style", "estimate_tokens", "render"]


class SchemaText(Frozen):
    """The text, the tables in it, its estimated tokens, and whether tables or columns were left out."""

    text: str
    tables: tuple[str, ...]
    tokens: int
    pruned: bool


def estimate_tokens(text: str) -> int:
    """Tokens of a text, without a tokenizer: a token for every 3.5 ASCII characters and for each other character."""
    ascii_chars = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_chars / _CHARS_PER_TOKEN + len(text) - ascii_chars)


def render(
    schema: Schema,
    documents: Sequence[Document],
    *,
    style: Style,
    budget_tokens: int,
    max_sample_values: int,
    relevant: Sequence[Retrieved] = (),
    question: str = "",
) -> SchemaText:
    """The schema in at most `budget_tokens` (estimated).

    1. Everything, where it fits.
    2. Else everything but sample values.
    3. Else the tables that the question's words and the retrieved documents point to, with the tables that join them,
       and of wide tables the columns that matter; keys stay. What room is left goes to the tables beside them, then to
       samples.

    Args:
        documents: those of kind column and table stand beside their columns and above their tables; the others, and
            those that name nothing in the schema, are not shown here.
        style: `ddl` (CREATE TABLE statements) or `compact` (a line for each table).
        relevant, question: what decides in step 3.

    One table is always shown, with its keys, even if it alone is over the budget.
    """
    texts = TableText(schema, documents, style, max_sample_values)
    for samples in (True, False):
        whole = _whole(schema, texts, budget_tokens, samples=samples)
        if whole is not None:
            return whole
    selection = _Selection(schema, texts, Ranking(schema, question, relevant), budget_tokens)
    selection.choose()
    return selection.result()


def _whole(schema: Schema, texts: TableText, budget: int, *, samples: bool) -> SchemaText | None:
    """All of it, or None as soon as it is too much: a schema of thousands of tables is not written to the end."""
    parts: list[str] = []
    tokens = 0
    for table in schema.tables:
        parts.append(texts.table(table, samples=samples))
        tokens += estimate_tokens(parts[-1])
        if tokens > budget:
            return None
    return _joined(parts, [table.name for table in schema.tables], pruned=False)


def _joined(parts: Iterable[str], tables: Iterable[str], *, pruned: bool) -> SchemaText:
    text = "\n".join(parts).strip()
    return SchemaText(text=text, tables=tuple(tables), tokens=estimate_tokens(text), pruned=pruned)


class _Shown:
    """How a chosen table is shown: which columns (None: all), with samples or not, and what that costs."""

    def __init__(self, table: Table, columns: frozenset[str] | None, tokens: int, *, samples: bool) -> None:
        self.table, self.columns, self.tokens, self.samples = table, columns, tokens, samples


class _Selection:
    """Chooses, within a budget, tables first, then their columns, then samples."""

    def __init__(self, schema: Schema, texts: TableText, ranking: Ranking, budget: int) -> None:
        self._schema, self._texts, self._ranking = schema, texts, ranking
        self._joins = Joins(schema)
        self._note = "-- {} more tables are not shown."
        self._left = budget - estimate_tokens(self._note.format(len(schema.tables)))
        self._shown: dict[str, _Shown] = {}

    def choose(self) -> None:
        ranked = self._ranking.best_first()
        best = self._score(ranked[0]) if ranked else 0.0
        strong = [table for table in ranked if self._score(table) >= _STRONG * best][:_MOST_STRONG]
        weak = (table for table in ranked if _WEAK * best <= self._score(table) < _STRONG * best)
        for table in strong:
            self._show_joined(table, _FEW)
        self._widen()
        beside = (self._schema.table(name) for shown in list(self._shown) for name in self._joins.beside(shown))
        for table in [*islice(weak, _MOST_WEAK), *islice(filter(None, beside), _MOST_BESIDE)]:
            self._show_joined(table, None)
        for shown in list(self._shown.values()):
            self._show([(shown.table, shown.columns)], samples=True)

    def result(self) -> SchemaText:
        tables = [table for table in self._schema.tables if table.name in self._shown]
        names = frozenset(table.name.lower() for table in tables)
        parts = []
        for table in tables:
            shown = self._shown[table.name]
            parts.append(self._texts.table(table, samples=shown.samples, columns=shown.columns, only=names))
        hidden = len(self._schema.tables) - len(tables)
        if hidden:
            parts.append(self._note.format(hidden))
        pruned = hidden > 0 or any(shown.columns is not None for shown in self._shown.values())
        return _joined(parts, [table.name for table in tables], pruned=pruned)

    def _score(self, table: Table) -> float:
        return self._ranking.scores.get(table.name, 0.0)

    def _show_joined(self, table: Table, width: int | None) -> None:
        """Show a table, and with it those that join it to the others; in full, or `width` columns besides the keys."""
        if table.name in self._shown:
            return
        way = [other for other in self._joins.between(table, self._shown) if other.name not in self._shown]
        if not self._show([(it, self._columns(it, width)) for it in (table, *way)]):
            self._show([(table, self._columns(table, width))])

    def _widen(self) -> None:
        """Give the chosen tables, the best first, as many of their columns as there is room for."""
        for shown in list(self._shown.values()):
            if shown.columns is not None:
                any(self._show([(shown.table, self._columns(shown.table, width))]) for width in _WIDTHS)

    def _show(self, tables: list[tuple[Table, frozenset[str] | None]], *, samples: bool = False) -> bool:
        """Show tables with these columns, if there is room; what they took before is given back.

        The first of all is shown whether it fits or not.
        """
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
        """The keys, the columns that matter, and the first others up to `width`; None for all of them."""
        if width is None or len(table.columns) <= width:
            return None
        chosen: set[str] = set(self._joins.keys(table)) | self._ranking.columns.get(table.name, set())
        others = (column.name.lower() for column in table.columns if column.name.lower() not in chosen)
        return frozenset(chosen.union(islice(others, max(width - len(chosen), 0))))

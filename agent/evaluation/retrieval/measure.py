"""Measures how much of what a gold query needs retrieval shows to the model, and in how many tokens.

A schema text covers a question if one of its gold queries could be written from it. If there are several gold queries,
the one that is covered best counts. The renderer reports what it wrote within its budget.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from agent.evaluation.gold import ColumnName, GoldNames
from agent.evaluation.retrieval.merged import MergedCatalogue
from executors.base import Frozen
from rag.docs.documents import Retrieved
from rag.linking.linking import EVERY_SIGNAL, Linked, LinkedPeriod, Near, SchemaLinker, Signal
from rag.linking.values import LinkedValue
from rag.schema.text import SchemaText, Style, render

SAMPLES = 3  # stored values shown per column, the default of the settings
STYLE: Style = "ddl"
UNBOUNDED = 1_000_000_000  # tokens


class Mode(NamedTuple):
    """A way to choose what is shown: the signals, and whether tables that join the chosen ones are added."""

    name: str
    signals: frozenset[Signal] = EVERY_SIGNAL
    close_joins: bool = True


WHOLE = "whole schema"
MODES = (
    Mode("dense only", frozenset({"dense"}), close_joins=False),
    Mode("lexical only", frozenset({"lexical"}), close_joins=False),
    Mode("fused", frozenset({"dense", "lexical", "documents"}), close_joins=False),
    Mode("fused, values, joins"),
)
PRODUCT = MODES[-1]  # the mode of the service


class StoredText(Frozen):
    """A text of a gold query that its database stores, and the columns that hold it, ignoring case.

    is_date: whether only columns of dates or times hold it.
    """

    text: str
    columns: tuple[ColumnName, ...]
    is_date: bool = False


class RetrievalCase(Frozen):
    """A question, and what its gold queries need.

    folder: the folder it comes from. database: as in the file of questions.
    evidence: hints given with the question; empty if there are none.
    golds: the names in each gold query that could be read.
    texts: the stored texts of the first of these queries.
    """

    folder: str
    database: str
    question: str
    golds: tuple[GoldNames, ...]
    texts: tuple[StoredText, ...] = ()
    evidence: str = ""

    @property
    def query(self) -> str:
        """The text for retrieval, in the form that `eval` uses."""
        return f"{self.question}\n({self.evidence})" if self.evidence else self.question

    def rename_tables(self, tables: Mapping[str, str]) -> RetrievalCase:
        """The same case in a catalogue that renames the tables. Args: tables: new names by old names."""
        golds = tuple(
            GoldNames(
                tables=frozenset(tables[name] for name in gold.tables),
                columns=frozenset((tables[table], column) for table, column in gold.columns),
                literals=gold.literals,
            )
            for gold in self.golds
        )
        texts = tuple(
            it.model_copy(update={"columns": tuple((tables[table], column) for table, column in it.columns)})
            for it in self.texts
        )
        return self.model_copy(update={"golds": golds, "texts": texts})


class Shown(Frozen):
    """The result of one mode within one budget.

    share: share of the tokens of the whole schema.
    table_recall, column_recall: 0 to 1. missing: what the gold query needs in addition, `table` or `table.column`.
    """

    mode: str
    budget: str
    tokens: int
    share: float
    table_recall: float
    column_recall: float
    missing: tuple[str, ...] = ()


class RetrievalLine(Frozen):
    """One question on one catalogue: a line of the file that `eval-retrieval --out` writes.

    stored: texts of the gold query that text columns store. unlinked: those that are not among the linked `values`.
    dates, unlinked_dates: the same for columns of dates and times.
    elapsed_ms: milliseconds of retrieval, linking and rendering, as in the service.
    """

    catalogue: str
    folder: str
    database: str
    question: str
    shown: tuple[Shown, ...]
    stored: tuple[str, ...] = ()
    unlinked: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    unlinked_dates: tuple[str, ...] = ()
    values: tuple[LinkedValue, ...] = ()
    elapsed_ms: float = 0.0


class FoundPlaces(NamedTuple):
    """The places in the index near a question: columns and values, and documents."""

    near: Near
    relevant: Sequence[Retrieved] = ()


class RetrievalBudget(NamedTuple):
    """The token limit of a schema text. tokens: None for a third of the whole schema."""

    name: str
    tokens: int | None


THIRD = RetrievalBudget("a third", None)
BUDGETS = (THIRD, RetrievalBudget("6,000", 6000), RetrievalBudget("2,500", 2500))


class Measure:
    def __init__(
        self,
        name: str,
        catalogue: MergedCatalogue,
        find: Callable[[str], Awaitable[FoundPlaces]],
        linker: SchemaLinker,
        budgets: Sequence[RetrievalBudget] = BUDGETS,
    ) -> None:
        self.name, self._catalogue, self._find, self._linker = name, catalogue, find, linker
        self._whole = self._render(Linked(), UNBOUNDED)
        self.whole_tokens = self._whole.tokens
        self._budgets = [(it.name, it.tokens or self.whole_tokens // 3) for it in budgets]

    async def lines(self, cases: Iterable[RetrievalCase]) -> AsyncIterator[RetrievalLine]:
        for case in cases:
            yield await self._line(case)

    async def _line(self, case: RetrievalCase) -> RetrievalLine:
        began = time.perf_counter()
        found = await self._find(case.query)
        linked = self._link(case, found, PRODUCT)
        self._render(linked, self._budgets[0][1])
        elapsed_ms = (time.perf_counter() - began) * 1000
        shown = [self._measure_text(WHOLE, "none", self._whole, case)]
        for mode in MODES:
            chosen = linked if mode is PRODUCT else self._link(case, found, mode)
            for name, tokens in self._budgets:
                text = self._render(chosen, tokens, close_joins=mode.close_joins)
                shown.append(self._measure_text(mode.name, name, text, case))
        unlinked = [it for it in case.texts if not is_linked(it, linked.values, linked.periods)]
        return RetrievalLine(
            catalogue=self.name,
            folder=case.folder,
            database=case.database,
            question=case.question,
            shown=tuple(shown),
            stored=tuple(it.text for it in case.texts if not it.is_date),
            unlinked=tuple(it.text for it in unlinked if not it.is_date),
            dates=tuple(it.text for it in case.texts if it.is_date),
            unlinked_dates=tuple(it.text for it in unlinked if it.is_date),
            values=linked.values,
            elapsed_ms=elapsed_ms,
        )

    def _link(self, case: RetrievalCase, found: FoundPlaces, mode: Mode) -> Linked:
        return self._linker.link(case.query, near=found.near, relevant=found.relevant, signals=mode.signals)

    def _render(self, linked: Linked, tokens: int, *, close_joins: bool = True) -> SchemaText:
        return render(
            self._catalogue.db_schema,
            self._catalogue.documents,
            style=STYLE,
            budget_tokens=tokens,
            max_sample_values=SAMPLES,
            ranking=linked.ranking,
            close_joins=close_joins,
        )

    def _measure_text(self, mode: str, budget: str, text: SchemaText, case: RetrievalCase) -> Shown:
        tables = frozenset(text.tables)
        columns = frozenset((table, column) for table, names in text.columns.items() for column in names)
        best = max(case.golds, key=lambda gold: _recalls(gold, tables, columns))
        column_recall, table_recall = _recalls(best, tables, columns)
        missing = [*sorted(best.tables - tables), *sorted(f"{t}.{c}" for t, c in best.columns - columns)]
        return Shown(
            mode=mode,
            budget=budget,
            tokens=text.tokens,
            share=text.tokens / self.whole_tokens if self.whole_tokens else 0.0,
            table_recall=table_recall,
            column_recall=column_recall,
            missing=tuple(missing),
        )


def is_linked(stored: StoredText, values: Iterable[LinkedValue], periods: Iterable[LinkedPeriod] = ()) -> bool:
    """Whether a text is among the linked values, in a column that holds it, ignoring case.

    A date is also linked if it is a bound of a period in the question, for a column that holds it.
    """
    text = stored.text.casefold()
    if any(value.value.casefold() == text and (value.table, value.column) in stored.columns for value in values):
        return True
    bounds = [it for it in periods if stored.is_date and text in {it.first, it.last, it.after}]
    return any(not frozenset(stored.columns).isdisjoint(it.columns) for it in bounds)


def _recalls(gold: GoldNames, tables: Collection[str], columns: Collection[ColumnName]) -> tuple[float, float]:
    """The shares of the needed columns and of the needed tables that are shown; 1 if none is needed."""
    return _share(gold.columns, columns), _share(gold.tables, tables)


def _share(needed: Collection[object], there: Collection[object]) -> float:
    return sum(it in there for it in needed) / len(needed) if needed else 1.0

"""The results of measuring retrieval: figures over all lines, next to their targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median, quantiles

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from agent.evaluation.retrieval.measure import PRODUCT, THIRD, WHOLE, RetrievalLine, Shown
from executors.base import Frozen

# For the catalogue merged from all databases, within a third of its tokens.
TABLE_TARGET, COLUMN_TARGET = 0.97, 0.94
VALUE_TARGET = 0.9


class Recall(Frozen):
    """Figures of one mode within one budget, over the questions of a catalogue.

    tokens: the median. share: mean share of the whole schema's tokens.
    strict_: share of the questions for which all names of a gold query are shown. mean_: mean share of the names shown.
    """

    catalogue: str
    mode: str
    budget: str
    n: int
    tokens: float
    share: float
    strict_tables: float
    mean_tables: float
    strict_columns: float
    mean_columns: float


class ValueLinking(Frozen):
    """The number of texts of gold queries that text columns store, and how many of them are linked.

    offered: linked values per question, on average.
    dates: texts that only date columns hold; they are in the question, or must be computed from it.
    """

    catalogue: str
    stored: int
    linked: int
    dates: int
    linked_dates: int
    offered: float

    @property
    def share(self) -> float | None:
        """The share of the stored texts that are linked; None if none is stored."""
        return self.linked / self.stored if self.stored else None


def recalls(lines: Sequence[RetrievalLine]) -> list[Recall]:
    """The figures by catalogue, mode and budget, in the order of measurement."""
    groups: dict[tuple[str, str, str], list[Shown]] = {}
    for line in lines:
        for shown in line.shown:
            groups.setdefault((line.catalogue, shown.mode, shown.budget), []).append(shown)
    return [
        Recall(
            catalogue=catalogue,
            mode=mode,
            budget=budget,
            n=len(group),
            tokens=median(it.tokens for it in group),
            share=mean(it.share for it in group),
            strict_tables=mean(it.table_recall == 1 for it in group),
            mean_tables=mean(it.table_recall for it in group),
            strict_columns=mean(it.column_recall == 1 for it in group),
            mean_columns=mean(it.column_recall for it in group),
        )
        for (catalogue, mode, budget), group in groups.items()
    ]


def value_linking(lines: Sequence[RetrievalLine]) -> list[ValueLinking]:
    return [
        ValueLinking(
            catalogue=name,
            stored=sum(len(line.stored) for line in group),
            linked=sum(len(line.stored) - len(line.unlinked) for line in group),
            dates=sum(len(line.dates) for line in group),
            linked_dates=sum(len(line.dates) - len(line.unlinked_dates) for line in group),
            offered=mean(len(line.values) for line in group),
        )
        for name, group in _by_catalogue(lines).items()
    ]


def recall_table(catalogue: str, figures: Iterable[Recall]) -> Table:
    """The recalls on one catalogue. A mode that showed the whole schema to every question has no row of its own."""
    own = [it for it in figures if it.catalogue == catalogue]
    worth_showing = [it for it in own if it.mode == WHOLE or it.share < 1]
    title = f"{catalogue}, {own[0].n if own else 0} questions: those with all tables, columns shown; and mean recall"
    table = _table(title, "shown", "budget")
    if len(worth_showing) < len(own):
        table.caption = "A budget without a row is enough for all that there is."
        table.caption_justify = "left"
    for name in ("tokens", "of all", "tables", "mean", "columns", "mean"):
        table.add_column(name, justify="right")
    for it in worth_showing:
        recall = (it.strict_tables, it.mean_tables, it.strict_columns, it.mean_columns)
        table.add_row(it.mode, it.budget, f"{it.tokens:,.0f}", f"{it.share:.0%}", *(f"{one:.3f}" for one in recall))
    return table


def value_table(lines: Sequence[RetrievalLine]) -> Table:
    """Value linking and the time of retrieval, by catalogue."""
    table = _table("values of gold queries, and the time of a question", "catalogue")
    for name in ("stored", "linked", "share", "dates", "offered", "median ms", "p95 ms"):
        table.add_column(name, justify="right")
    times = {name: [line.elapsed_ms for line in group] for name, group in _by_catalogue(lines).items()}
    for it in value_linking(lines):
        share = "-" if it.share is None else f"{it.share:.3f}"
        taken = times[it.catalogue]
        figures = (share, f"{it.linked_dates} of {it.dates}", f"{it.offered:.1f}")
        ms = (f"{median(taken):.0f}", f"{p95(taken):.0f}")
        table.add_row(Text(it.catalogue), str(it.stored), str(it.linked), *figures, *ms)
    return table


def target_table(catalogue: str, lines: Sequence[RetrievalLine]) -> Table:
    """The figures of the catalogue that the targets apply to, next to the targets."""
    table = _table("targets", f"{catalogue}, {PRODUCT.name}, {THIRD.name} of the tokens")
    for name in ("found", "target"):
        table.add_column(name, justify="right")
    found = [it for it in recalls(lines) if (it.catalogue, it.mode, it.budget) == (catalogue, PRODUCT.name, THIRD.name)]
    rows = [("questions with all tables", it.strict_tables, TABLE_TARGET) for it in found]
    rows += [("questions with all columns", it.strict_columns, COLUMN_TARGET) for it in found]
    values = [it.share for it in value_linking(lines) if it.catalogue == catalogue and it.share is not None]
    rows += [("stored values that are linked", share, VALUE_TARGET) for share in values]
    for what, share, target in rows:
        table.add_row(what, Text(f"{share:.3f}", style="green" if share >= target else "yellow"), f"≥ {target:g}")
    return table


def p95(figures: Sequence[float]) -> float:
    """The 95th percentile; the figure itself if there is only one."""
    return quantiles(figures, n=20, method="inclusive")[-1] if len(figures) > 1 else figures[0]


def _table(title: str, *names: str) -> Table:
    table = Table(*names, title=Text(title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.show_edge = False
    return table


def _by_catalogue(lines: Iterable[RetrievalLine]) -> dict[str, list[RetrievalLine]]:
    groups: dict[str, list[RetrievalLine]] = {}
    for line in lines:
        groups.setdefault(line.catalogue, []).append(line)
    return groups

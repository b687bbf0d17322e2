"""Answers in the terminal: each step as it happens, then the answer with its rows and checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from agent.models import (
    Answer,
    Check,
    Done,
    Evaluated,
    Event,
    HumanReview,
    NodeComplete,
    Planned,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlValidated,
    Started,
)

if TYPE_CHECKING:
    from rich.status import Status

SHOWN_ROWS = 12
NEXT_STEP = {
    "entry": "reading the schema and what is known about it",
    "dialect_resolver": "reading the schema and what is known about it",
    "schema_selector": "writing SQL",
    "planner": "writing SQL",
    "sql_generator": "checking the SQL",
    "sql_validator": "running the query",
    "sql_executor": "judging the result",
    "sql_repair": "writing SQL again",
    "evaluator": "fetching the rows behind it",
    "raw_records": "writing the answer",
}
MARKS = {True: "[green]✓[/]", False: "[red]✗[/]", None: "[yellow]–[/]"}


class StepPrinter:
    """Prints the events of one question as they arrive."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self.console, self.verbose = console, verbose
        self._status: Status | None = None

    @contextmanager
    def watching(self) -> Iterator[StepPrinter]:
        """A line that says what is being done now, while it is being done."""
        with self.console.status("starting", spinner="dots") as status:
            self._status = status
            yield self

    def show(self, event: Event) -> None:
        """Print what one event says."""
        if isinstance(event, Started):
            self.console.print(f"[bold]? {escape(event.question)}[/]  [dim]({escape(event.database)})[/]")
        elif isinstance(event, Done):
            self._show_answer(event.answer)
        elif isinstance(event, NodeComplete):
            self._show_step(event)
            if self._status is not None and event.node in NEXT_STEP:
                self._status.update(f"[dim]{NEXT_STEP[event.node]} …[/]")

    def _show_step(self, event: NodeComplete) -> None:
        match event:
            case SchemaSelected():
                found = f"{len(event.tables)} tables, {len(event.documents)} docs found, {event.tokens} tokens"
                self._line("schema", found, event)
                if self.verbose:
                    for document in event.documents:
                        self.console.print(f"      [dim]· {escape(document)}[/]")
            case SqlGenerated(sql=str(sql)):
                self._line("sql", f"attempt {event.attempt}" if event.attempt > 1 else "", event)
                self.console.print(Padding(sql_block(sql), (0, 0, 0, 6)))
            case SqlValidated(passed=False):
                self._line("refused", f"[red]{escape(event.error or '')}[/]", event)
            case SqlExecuted():
                self._show_rows(event)
            case Evaluated():
                self._show_verdict(event)
            case Repairing():
                self._line("again", escape(event.hint or event.error), event)
            case RawRecordsFetched(sql=str(sql)):
                count = f"{event.row_count}{'+' if event.truncated else ''} rows behind it"
                self._line("records", f"{count}  [dim]{escape(sql)}[/]" if self.verbose else count, event)
            case HumanReview():
                self._line("review", "no attempt convinced; a person should look at this", event)
            case Planned() if self.verbose:
                self._line("plan", escape(event.plan.model_dump_json(exclude_defaults=True)), event)

    def _show_rows(self, event: SqlExecuted) -> None:
        if event.error is not None:
            self._line("failed", f"[red]{escape(event.error)}[/]", event)
            return
        more = "+" if event.truncated else ""
        self._line("rows", f"{event.row_count}{more} row{'' if event.row_count == 1 else 's'}", event)
        if event.row_count:
            self.console.print(Padding(rows_table(event.columns, event.rows, event.row_count), (0, 0, 0, 6)))

    def _show_verdict(self, event: Evaluated) -> None:
        if event.verdict is not None:
            mark = MARKS[event.verdict.correct]
            self._line("judge", f"{mark} {escape(event.verdict.reason)}", event)

    def _line(self, label: str, text: str, event: NodeComplete) -> None:
        seconds = f"  [dim]{event.elapsed_ms / 1000:.1f} s[/]" if event.elapsed_ms >= 100 else ""
        self.console.print(f"  [cyan]{label:<8}[/]{text}{seconds}")

    def _show_answer(self, answer: Answer) -> None:
        titles = {"success": "answer", "clarification_needed": "a question back", "error": "no answer"}
        title = titles[answer.status]
        style = "green" if answer.verified else "yellow"
        if answer.status == "success":
            title += ", verified" if answer.verified else ", not verified"
        parts: list[Any] = [Text(answer.answer)]
        if answer.checks:
            parts.append(Padding(checks_line(answer.checks), (1, 0, 0, 0)))
        for correction in answer.corrections:
            parts.append(Text(f"computed: {correction.expression} = {correction.computed}", style="dim"))
        for check in answer.checks:
            if check.passed is not True and check.detail:
                parts.append(Text.from_markup(f"{MARKS[check.passed]} {check.name}: {escape(check.detail)}"))
        parts += [Text(f"! {warning}", style="yellow") for warning in answer.warnings]
        self.console.print(Panel(Group(*parts), title=title, title_align="left", border_style=style, box=box.ROUNDED))
        usage = answer.usage
        total = sum(answer.timings_ms.values()) / 1000
        self.console.print(
            f"[dim]  {total:.1f} s · {usage.model_calls} model calls · {usage.prompt_tokens} prompt tokens "
            f"({usage.cached_tokens} cached) · {usage.completion_tokens} reply tokens[/]\n"
        )


def checks_line(checks: Iterable[Check]) -> Text:
    """Every check as a mark and its name, on one line."""
    return Text.from_markup("  ".join(f"{MARKS[check.passed]} {check.name}" for check in checks))


def sql_block(sql: str) -> Syntax:
    """SQL with its words coloured."""
    return Syntax(sql, "sql", theme="ansi_dark", background_color="default", word_wrap=True)


def rows_table(columns: Iterable[str], rows: Iterable[Iterable[Any]], row_count: int) -> Table:
    """The first rows, and how many more there are."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(escape(column), overflow="fold")
    shown = list(rows)[:SHOWN_ROWS]
    for row in shown:
        table.add_row(*("[dim]NULL[/]" if value is None else escape(_number_text(value)) for value in row))
    if row_count > len(shown):
        table.caption = f"{row_count - len(shown)} more"
    return table


def _number_text(value: Any) -> str:
    return f"{value:,.10g}" if isinstance(value, float) else str(value)


@contextmanager
def byte_progress(console: Console) -> Iterator[Any]:
    """A bar for downloads and hashing: yields `progress(stage, done, total)` in bytes."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with _progress(console, *columns, TimeRemainingColumn()) as update:
        yield update


@contextmanager
def count_progress(console: Console, what: str) -> Iterator[Any]:
    """A bar for things that are counted: yields `progress(done, total)`."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
    with _progress(console, *columns, TimeRemainingColumn()) as update:
        yield lambda done, total: update(what, done, total)


@contextmanager
def _progress(console: Console, *columns: Any) -> Iterator[Any]:
    with Progress(*columns, console=console, transient=False) as bars:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update

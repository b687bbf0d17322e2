"""Answers in the terminal: each step as it happens, then the answer with its rows and checks.

Text from data, a model or a path is always shown as plain text, never as markup or control characters.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.numbers.display import ColumnFormat, column_formats, format_cell, is_number
from agent.core import events
from agent.core.answers import Answer, AnswerPart, Correction
from agent.core.models import Check
from agent.core.texts.plurals import plural

if TYPE_CHECKING:
    from agent.platform.llm.files.model_specs import Progress as ByteProgress

CHECK_NAMES = Path(__file__).with_name("check_names.json")  # of the page, too
SHOWN_ROWS = 12
SHOWN_COLUMNS = 8
SHOWN_CHARS = 60
LEAST_CHARS = 6  # of a column of texts, which are wrapped; numbers are not
BETWEEN = 3  # characters between two columns
INDENT = 10
NOT_CHECKED = "not yet checked:"
FIRST_READING = "the model reads the schema, once"
NEXT_STEP = {
    "entry": "reading the schema and what is known about it",
    "dialect_resolver": "reading the schema and what is known about it",
    "schema_selector": "writing SQL",
    "sql_generator": "checking the SQL",
    "sql_validator": "running the query",
    "sql_executor": "judging the result",
    "sql_repair": "writing SQL again",
    "evaluator": "fetching the rows behind it",
    "raw_records": "writing the answer",
    "question_planner": "reading the schema and what is known about it",
    "part_answered": "going on with the next part",
}
CONFIRMING = {"second_draft": "drafts", "judge": "judge"}  # checks that call a model, by name
EVIDENCE = {"schema": "schema", "data": "stored data", "language": "wording"}  # of doubts, as the page names it
MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("–", "yellow")}
# Control characters are replaced with pictures of them, except line breaks and tabs.
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | dict.fromkeys(range(127, 160), "�")


class StepPrinter:
    """Prints the events of one question as they arrive; if verbose, also the docs, the plan and the records' query.

    `first_reading`: the local model must first read this database's schema, which takes a while. `echo`: whether the
    question is printed first; not needed if it was typed or printed above.
    """

    def __init__(
        self, console: Console, *, verbose: bool = False, first_reading: bool = False, echo: bool = True
    ) -> None:
        self.console, self.verbose, self.first_reading, self.echo = console, verbose, first_reading, echo
        self._began = time.monotonic()
        self._language = "en"
        self._doing: Callable[[str], None] = lambda _: None
        self._writing: Callable[[str], None] = lambda _: None

    @contextmanager
    def watching(self) -> Iterator[StepPrinter]:
        """In a terminal, show the current step, its duration and the unfinished query, and clear them at the end."""
        if not self.console.is_interactive:
            yield self
            return
        with _Watched(self.console) as line:
            self._doing, self._writing = line.say, line.write
            yield self

    def show(self, event: events.Event) -> None:
        if isinstance(event, events.Started):
            self._began = time.monotonic()
            self._language = language_of(event.question) or "en"
            if not self.echo:
                return
            question = Text.assemble((f"? {plain(event.question)}", "bold"), (f"  ({plain(event.database)})", "dim"))
            self.console.print(question)
        elif isinstance(event, events.Done):
            self._show_answer(event.answer)
        elif isinstance(event, events.Queued):
            self._doing(f"waiting, {event.length} before this one, about {event.wait_s:.0f} s")
        elif isinstance(event, events.SqlProgress):
            self._writing(event.sql)
        elif isinstance(event, events.NodeComplete):
            self._writing("")
            self._show_step(event)
            if event.node in NEXT_STEP:
                reads_first = self.first_reading and event.node == "schema_selector"
                self._doing(FIRST_READING if reads_first else NEXT_STEP[event.node])

    def _show_step(self, event: events.NodeComplete) -> None:
        match event:
            case events.SchemaSelected():
                shortened = ", shortened to fit" if event.pruned else ""
                tables, docs = plural(len(event.tables), "table"), plural(len(event.documents), "doc")
                self._line("schema", f"{tables}, {docs} found, {event.tokens} tokens{shortened}", event)
                if self.verbose:
                    for document in event.documents:
                        self._indent(Text(f"· {plain(document)}", style="dim"))
            case events.SqlGenerated(sql=str(sql)):
                caption = f"attempt {event.attempt}" if event.attempt > 1 else ""
                self._line("sql", "reused" if event.source == "reused" else caption, event)
                self._indent(sql_text(sql))
            case events.SqlValidated(passed=False):
                self._line("refused", Text(plain(event.error or ""), style="red"), event)
            case events.SqlExecuted():
                self._show_rows(event)
            case events.Evaluated():
                self._show_verdict(event)
            case events.RawRecordsFetched(sql=str(sql)):
                more = event.truncated and event.total is None
                count = f"{plural(event.total or event.row_count, 'row', more=more)} behind it"
                self._line("records", count, event)
                if self.verbose:
                    self._indent(sql_text(sql))
            case _:
                self._show_aside(event)

    def _show_aside(self, event: events.NodeComplete) -> None:
        match event:
            case events.Entered(asked=asked, question=question) if asked and question != asked:
                self._line("meant", plain(question), event)
            case events.QuestionPlanned():
                self._line("parts", f"{len(event.questions)} queries are needed", event)
                for number, question in enumerate(event.questions, 1):
                    self._indent(Text(plain(f"[{number}] {question}"), style="dim"))
            case events.PartAnswered():
                mark = MARKS[event.verified if event.status == "success" else False]
                self._line(f"part {event.part}", Text.assemble(mark, " ", plain(event.answer)), event)
            case events.Repairing():
                self._line("retry", event.hint or "", event)
            case events.HumanReview():
                self._line("review", "No attempt was accepted. The question needs a review.", event)
            case events.Planned() if self.verbose:
                self._line("plan", event.plan.model_dump_json(exclude_defaults=True), event)

    def _show_verdict(self, event: events.Evaluated) -> None:
        """Print who decided, and the opinions of drafts or a judge."""
        said: list[tuple[str, bool | None, str]] = []
        if (verdict := event.verdict) is not None:
            said.append((verdict.source, verdict.correct, verdict.reason))
        told = {label for label, _, _ in said}
        if verdict is not None and verdict.source == "checks" and not verdict.correct:
            told.add(CONFIRMING["second_draft"])  # their vote is about the rows of another query
        others = [(CONFIRMING[it.name], it.passed, it.detail) for it in event.checks if it.name in CONFIRMING]
        said += [it for it in others if it[0] not in told]
        for label, correct, reason in said:
            self._line(label, Text.assemble(MARKS[correct], " ", plain(reason)), event)
            event = event.model_copy(update={"elapsed_ms": 0})  # print the time once

    def _show_rows(self, event: events.SqlExecuted) -> None:
        if event.error is not None:
            self._line("failed", Text(plain(event.error), style="red"), event)
            return
        self._line("rows", plural(event.row_count, "row", more=event.truncated), event)
        if event.row_count:
            table = rows_table(event.columns, event.rows, self._language, width=self.console.width - INDENT)
            self.console.print(Padding(table, (0, 0, 0, INDENT), expand=False))
            if rest := describe_left_out(event.columns, event.row_count, len(table.columns)):
                self._indent(Text(plain(rest), style="dim"))

    def _line(self, label: str, text: str | Text, event: events.NodeComplete) -> None:
        """Print a label and a text with hanging indent."""
        shown = text.copy() if isinstance(text, Text) else Text(plain(text))
        if event.elapsed_ms >= 100:
            shown.append(f"{'  ' if shown else ''}{event.elapsed_ms / 1000:.1f} s", style="dim")
        self._indent(shown, Text.assemble("  ", (f"{label:<{INDENT - 2}}", "cyan")))

    def _indent(self, text: Text, head: Text | None = None) -> None:
        for line in text.wrap(self.console, max(20, self.console.width - INDENT)):
            shown = Text.assemble(head or " " * INDENT, line)
            shown.rstrip()
            self.console.print(shown, highlight=False, soft_wrap=True)
            head = None

    def _show_answer(self, answer: Answer) -> None:
        titles = {"success": "answer", "clarification_needed": "clarification needed", "error": "no answer"}
        title = titles[answer.status]
        if answer.kind == "about_data":
            title = "about the data"
        elif answer.kind == "small_talk":
            title = "plumbline"
        elif answer.status == "success":
            title += ", verified" if answer.verified else ", not verified"
            title += "" if answer.confidence is None else f", {min(max(answer.confidence, 0.01), 0.99):.0%} sure"
        self.console.print(
            Panel(
                Group(*answer_parts(answer, self.console.width - 4)),
                title=title,
                title_align="left",
                border_style="green" if answer.verified else "yellow",
                box=box.ROUNDED,
            )
        )
        usage = answer.usage
        figures = (
            f"{time.monotonic() - self._began:.1f} s",
            plural(usage.model_calls, "model call"),
            f"{usage.prompt_tokens} prompt tokens ({usage.cached_tokens} cached)",
            f"{usage.completion_tokens} reply tokens",
        )
        self.console.print(Text(f"  {' · '.join(figures)}\n", style="dim"))


class _Watched(Progress):
    """Shows the current step, its duration and the unfinished query."""

    def __init__(self, console: Console) -> None:
        self._written = ""
        doing = TextColumn("{task.description} … {task.elapsed:.0f} s", style="dim", markup=False)
        super().__init__(SpinnerColumn(), doing, console=console, transient=True)
        self._task = self.add_task("starting", total=None)

    def get_renderables(self) -> Iterable[RenderableType]:
        """The line of the step; then the query, under a line that states that it is not yet checked."""
        yield from super().get_renderables()
        if self._written:
            yield Padding(Text(NOT_CHECKED, style="yellow"), (0, 0, 0, INDENT))
            yield Padding(sql_text(self._written), (0, 0, 0, INDENT))

    def say(self, what: str) -> None:
        self.reset(self._task, total=None, description=what)

    def write(self, sql: str) -> None:
        """Show an unfinished query; nothing if it is empty."""
        self._written = sql
        self.refresh()


def answer_parts(answer: Answer, width: int) -> list[RenderableType]:
    """The answer, its checks and notes for the reader; `width` in characters."""
    parts: list[RenderableType] = [Text(plain(answer.answer))]
    if unexplained := [check for check in answer.checks if not _has_note(check)]:
        parts.append(Padding(checks_text(unexplained, width), (1, 0, 0, 0)))
    for part in answer.parts:
        mark = MARKS[part.verified if part.status == "success" else False]
        parts.append(Text.assemble(mark, plain(f" [{part.number}] {part.question}")))
        parts += [sql_text(part.sql)] if part.sql else []
        parts += notes_of(part) if part.status == "success" else [Text(plain(part.answer), style="red")]
    parts += notes_of(answer)
    told = {check.detail for check in answer.checks if check.passed is not True}
    told |= {doubt.detail for doubt in answer.doubts}
    parts += [Text(f"! {plain(warning)}", style="yellow") for warning in answer.warnings if warning not in told]
    return parts


def notes_of(answer: Answer | AnswerPart) -> list[RenderableType]:
    """Notes on an answer or one of its parts: computed values, failed checks and doubts."""
    notes = [Text(plain(_correction_line(it)), style="dim") for it in answer.corrections]
    notes += [
        Text.assemble(MARKS[check.passed], f" {name_of(check)}: {plain(check.detail)}")
        for check in answer.checks
        if _has_note(check)
    ]
    return [
        *notes,
        *(
            Text(f"? Doubt from the {EVIDENCE[doubt.evidence]}: {plain(doubt.detail)}", style="yellow")
            for doubt in answer.doubts
        ),
    ]


def _has_note(check: Check) -> bool:
    """Whether a check has a line of its own, with what it found."""
    return check.passed is not True and check.detail != ""


@cache
def _names() -> dict[str, str]:
    found: dict[str, str] = json.loads(CHECK_NAMES.read_text(encoding="utf-8"))
    return found


def name_of(check: Check) -> str:
    """A check's name for readers, the same as on the page: "Numbers traced" for `grounding`."""
    words = check.name.replace("_", " ")
    return _names().get(check.name, words[:1].upper() + words[1:])


def _correction_line(correction: Correction) -> str:
    if correction.expression == "sql":
        return f"changed: {correction.stated} -> {correction.computed}"
    return f"computed: {correction.expression} = {correction.computed}"


def checks_text(checks: Iterable[Check], width: int) -> Text:
    """Every check as its mark and name, wrapped between checks."""
    lines = [Text()]
    for check in checks:
        shown = Text.assemble(MARKS[check.passed], f" {name_of(check)}")
        if lines[-1] and len(lines[-1]) + 2 + len(shown) > width:
            lines.append(Text())
        lines[-1].append_text(Text.assemble("  " if lines[-1] else "", shown))
    return Text("\n").join(lines)


def sql_text(sql: str) -> Text:
    text = Syntax("", "sql", theme="ansi_dark", background_color="default").highlight(plain(sql).strip())
    text.rstrip()
    text.no_wrap, text.overflow = False, "fold"  # a query is never cut
    return text


def rows_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], language: str = "en", *, width: int) -> Table:
    """The first rows, and as many columns as the width has room for without breaking a number.

    Numbers are right-aligned, in the format of a language.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    values = [row[:SHOWN_COLUMNS] for row in list(rows)[:SHOWN_ROWS]]
    formats = column_formats(columns[:SHOWN_COLUMNS], values)
    cells = [[cell_text(value, language, style) for value, style in zip(row, formats, strict=True)] for row in values]
    headers = [Text(plain(column)) for column in columns[:SHOWN_COLUMNS]]
    numeric = [any(is_number(row[place]) for row in values) for place in range(len(headers))]
    longest = [max((row[place].cell_len for row in cells), default=0) for place in range(len(headers))]
    fixed = _fit(headers, numeric, longest, width)
    for header, is_numeric, column_width in zip(headers, numeric, fixed, strict=False):
        justify: Literal["left", "right"] = "right" if is_numeric else "left"
        table.add_column(header, overflow="fold", justify=justify, width=column_width)
    for row in cells:
        table.add_row(*row[: len(fixed)])
    return table


def _fit(headers: Sequence[Text], numeric: Sequence[bool], longest: Sequence[int], width: int) -> list[int | None]:
    """The widths of the columns that have room: of numbers if they are to be kept whole, None where rich decides."""
    natural = [max(header.cell_len, cells) for header, cells in zip(headers, longest, strict=True)]
    if sum(natural) + BETWEEN * (len(natural) - 1) <= width:
        return [None] * len(natural)
    least = [
        max(cells, LEAST_CHARS) if is_numeric else LEAST_CHARS
        for is_numeric, cells in zip(numeric, longest, strict=True)
    ]
    kept, left = 1, width - least[0]
    while kept < len(least) and left >= BETWEEN + least[kept]:
        left -= BETWEEN + least[kept]
        kept += 1
    spare = max(0, left // kept) if all(numeric[:kept]) else 0  # columns of texts take what is left themselves
    return [least[place] + spare if numeric[place] else None for place in range(kept)]


def describe_left_out(columns: Sequence[str], row_count: int, shown_columns: int) -> str:
    """The rows and columns that `rows_table` does not show; empty if it shows all."""
    rest = row_count - SHOWN_ROWS
    parts = [plural(rest, "more row")] if rest > 0 else []
    if len(columns) > shown_columns:
        parts.append(f"further columns: {', '.join(columns[shown_columns:])}")
    return "; ".join(parts)


def cell_text(value: Any, language: str = "en", style: ColumnFormat | None = None) -> Text:
    """One value: numbers formatted as on the page and in sentences, long texts cut.

    Without a column's style, an integer has no separators, as it may be a year or a key.
    """
    if value is None:
        return Text("NULL", style="dim")
    style = style or ColumnFormat(grouped=isinstance(value, float))
    text = plain(format_cell(value, language, style)).replace("\n", " ")
    return Text(text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…")


def plain(text: str) -> str:
    """A text that cannot control the terminal: control characters are replaced with pictures of them."""
    return text.translate(_PICTURES)


def pairs_table(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values."""
    table = Table(title=title, title_justify="left", show_header=False)
    for name, value in rows:
        table.add_row(Text(name), Text(plain(value)))
    return table


def counting_progress(console: Console) -> Progress:
    """Progress bars with counts and descriptions."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console)


@contextmanager
def byte_progress(console: Console) -> Iterator[ByteProgress]:
    """A bar for downloads and hashing: yields `progress(stage, done, total)` in bytes."""
    description = TextColumn("{task.description}", markup=False)
    speed = (DownloadColumn(), TransferSpeedColumn())
    with Progress(description, BarColumn(), *speed, TimeRemainingColumn(), console=console) as bars:
        tasks: dict[str, Any] = {}

        def update(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update


class Transcript:
    """Collects the turns of one conversation; with `costs`, each has its model calls and seconds."""

    def __init__(self, database: str, *, costs: bool = True) -> None:
        self._database, self._costs = database, costs
        self._turns: list[str] = []

    def add(self, message: str, answer: Answer) -> None:
        """Add a turn. Args: message: as it was typed; answer: the reply."""
        lines = [f"**{len(self._turns) + 1}. {message}**"]
        if answer.question and answer.question != message:
            lines.append(f"*understood as: {answer.question}*")
        lines.append(answer.answer.strip())
        choices = answer.choices if answer.status != "success" else []
        if any(choice.label not in answer.answer for choice in choices):
            lines.append("\n".join(f"- {choice.label}" for choice in choices))
        if answer.sql:
            lines.append(f"```sql\n{answer.sql}\n```")
        lines += [f"[{part.number}] {part.question}\n\n```sql\n{part.sql}\n```" for part in answer.parts if part.sql]
        self._turns.append("\n\n".join([*lines, self._summary(answer)]))

    def fail(self, message: str, problem: str) -> None:
        """Add a turn that ended in an error, with its message."""
        self._turns.append(f"**{len(self._turns) + 1}. {message}**\n\n{problem}")

    def __str__(self) -> str:
        return "\n\n".join([f"Database: `{self._database}`", *self._turns]) + "\n"

    def _summary(self, answer: Answer) -> str:
        """One line with the answer's verification and cost."""
        if answer.status == "clarification_needed":
            mark = "clarification"
        elif answer.status == "error":
            mark = "no answer"
        else:
            mark = "verified" if answer.verified else "not verified"
        counts = [f"{answer.attempts} attempt{'s'[: answer.attempts != 1]}"] if answer.attempts else []
        if self._costs:
            seconds = sum(answer.timings_ms.values()) / 1000
            counts += [f"{answer.usage.model_calls} model calls", f"{seconds:.0f} s"]
        return f"({'; '.join(filter(None, (mark, ', '.join(counts))))})"

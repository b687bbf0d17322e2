"""`python -m agent index`: updates the index of databases, and prints progress and results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from agent.cli.console import Docs, err, open_service, out
from agent.cli.paths import resolve
from agent.core.callers import LOCAL
from agent.core.errors import PlumblineError
from agent.present.terminal import plain
from executors.errors import ExecutorError
from executors.registry.kinds import kind_of, local_path
from rag.errors import RetrievalError
from rag.index.revision import Turn

if TYPE_CHECKING:
    from agent.databases.knowledge.indexing import Indexed
    from agent.pipeline.service import Service
    from executors.base import ColumnReport, TableReport
    from rag.index.store import SyncReport

_READ_BEFORE = 50  # tokens of a prompt that are read again although its beginning was read before
_LINES = 10  # progress lines per part of an index, if there is no terminal
_PARTS = {"docs": "documents", "columns": "columns and tables", "values": "stored values"}
_ONE = {"documents": "document", "columns and tables": "column or table", "stored values": "stored value"}


def index(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Names of the registry, or files or folders of data."),
    ] = None,
    databases: Annotated[
        list[str] | None,
        typer.Option("--database", "-d", help="The same as SOURCE; may be repeated."),
    ] = None,
    docs: Docs = None,
    every: Annotated[bool, typer.Option("--all", help="Every database of the registry, as without a source.")] = False,
) -> None:
    """Index docs, columns and values of databases. Only changes are embedded; an interrupted run continues.

    Questions are answered from the old index until the new one is complete. Exit code 1 if a database failed.
    """
    with open_service() as (service, runner):
        named = [*(sources or ()), *(databases or ())]
        others = service.router.names() if every or not named else ()
        wanted = {name: partial(resolve, service, name, docs if name in named else None) for name in (*named, *others)}
        whole = run_index(service, runner, wanted, out, err)
    raise typer.Exit(0 if whole else 1)


def run_index(
    service: Service, runner: asyncio.Runner, wanted: Mapping[str, Callable[[], str]], out: Console, err: Console
) -> bool:
    """Index databases, each resolved by its callable. One that fails stops no other. Returns whether all succeeded."""
    failed = False
    for remark, find in wanted.items():
        try:
            name = find()
            with _progress(err, name) as (progress, waiting):
                indexed = runner.run(service.index(name, LOCAL, progress, Turn(wait_s=None, waiting=waiting)))
        except (PlumblineError, ExecutorError, RetrievalError) as error:
            err.print(Text(plain(f"{remark}: {error}"), style="red"), soft_wrap=True)
            failed = True
            continue
        _report(name, indexed, out, err)
        runner.run(_report_files(service, name, out, err))
        _read_ahead(service, runner, name, out, err)
    return not failed


def index_quietly(service: Service, runner: asyncio.Runner, name: str, out: Console, err: Console) -> None:
    """Index one database and, meanwhile, load what the first question needs. Raises `EXPECTED` errors."""

    async def run() -> Indexed:
        indexed, _ = await asyncio.gather(service.index(name, LOCAL), service.warm_up())
        return indexed

    _report(name, runner.run(run()), out, err)


def _read_ahead(service: Service, runner: asyncio.Runner, name: str, out: Console, err: Console) -> None:
    """Let the embedded model read the schema, if its file exists; otherwise the first question has to wait for it."""
    from agent.platform.llm.files.model_files import find
    from agent.platform.llm.files.model_specs import MODELS

    settings = service.settings
    if settings.is_hosted or not (
        settings.embedded_model_path or find(MODELS[settings.embedded_model], settings.cache_dir)
    ):
        return
    began = time.monotonic()
    with err.status(Text(f"{plain(name)}: the model reads the schema, once")):
        try:
            usage = runner.run(service.read_ahead(name, LOCAL))
        except (PlumblineError, ExecutorError) as error:
            err.print(Text(f"! {plain(name)}: the model has not read the schema: {plain(str(error))}", style="yellow"))
            return
    if usage is not None and usage.prompt_tokens - usage.cached_tokens > _READ_BEFORE:
        line = f"{name}: the model has read the schema, {usage.prompt_tokens} tokens, {time.monotonic() - began:.0f} s."
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def _report(name: str, indexed: Indexed, out: Console, err: Console) -> None:
    reports = (indexed.report, indexed.columns, indexed.values)
    for part, report in zip(_PARTS.values(), reports, strict=True):
        if part == _PARTS["docs"] or report != type(report)():
            out.print(f"{name}: {_figures(report, part)}", markup=False, highlight=False, soft_wrap=True)
    for remark in (*(note for report in reports for note in report.notes), *indexed.problems):
        err.print(Text(f"! {plain(remark)}", style="yellow"), soft_wrap=True)


async def _report_files(service: Service, name: str, out: Console, err: Console) -> None:
    """Print what was read from files: tables with rows and columns, how texts were read, and the problems."""
    path = local_path(service.router.entry(name).url or "")
    if path is None or kind_of(path) != "files":
        return
    reports, warnings = await service.databases.reports(name, LOCAL)
    for table in reports:
        rows = "rows not counted" if table.rows is None else f"{table.rows:,} row{'s'[: table.rows != 1]}"
        columns = ", ".join(f"{it.name} {it.type}" for it in table.columns)
        how = "".join(f"; {it}" for it in _how(table))
        out.print(f"{name}: {table.table}: {rows}; {columns}{how}", markup=False, highlight=False, soft_wrap=True)
        for column in table.columns:
            if remark := " ".join(_of_column(column)):
                sentence = f"{name}: {table.table}.{column.name}: {remark}"
                out.print(sentence, markup=False, highlight=False, soft_wrap=True)
    for warning in warnings:
        err.print(Text(f"! {plain(warning)}", style="yellow"), soft_wrap=True)


def _how(table: TableReport) -> Iterator[str]:
    """Yield how the texts of a table's files were read."""
    if table.encoding:
        yield table.encoding
    if table.delimiter:
        yield f"fields end at {table.delimiter!r}"
    if table.decimal == ",":
        yield "decimal comma"


def _of_column(column: ColumnReport) -> Iterator[str]:
    """Yield remarks about a column, in addition to its type."""
    if column.note:
        yield column.note
    if column.unlike:
        yield f"Kept as text: not {column.like}: {column.unlike:,} of {column.values:,} values."
    if column.empty:
        yield "1 row has no value." if column.empty == 1 else f"{column.empty:,} rows have no value."


def _figures(report: SyncReport, part: str) -> str:
    reused = report.added - report.embedded
    known = f" ({reused} of them embedded before)" if reused > 0 else ""
    nouns = _ONE[part] if report.added == 1 else part
    return f"{report.added} {nouns} added{known}, {report.removed} removed, {report.unchanged} unchanged."


@contextmanager
def _progress(console: Console, name: str) -> Iterator[tuple[Callable[[str, int, int], None], Callable[[], None]]]:
    """Callbacks for the progress of an index and for waiting; they show bars, or lines if there is no terminal."""

    def waiting() -> None:
        line = f"{name}: another process is indexing it; waiting until it has finished (Ctrl-C ends this)."
        console.print(Text(plain(line), style="dim"), soft_wrap=True)

    if not console.is_terminal:
        yield _Lines(console, name), waiting
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bars:
        tasks: dict[str, TaskID] = {}

        def update(part: str, done: int, total: int) -> None:
            if part not in tasks:
                tasks[part] = bars.add_task(f"{plain(name)}: {_PARTS[part]}", total=total)
            bars.update(tasks[part], completed=done, total=total)

        yield update, waiting


class _Lines:
    """Progress for files and pipes: a line at each tenth, and none for a part that is finished at once."""

    def __init__(self, console: Console, name: str) -> None:
        self._console, self._name = console, name
        self._shown: dict[str, int] = {}  # tenths, by part

    def __call__(self, part: str, done: int, total: int) -> None:
        tenths = done * _LINES // total if total else _LINES
        if tenths <= self._shown.setdefault(part, 0) or (done == total and not self._shown[part]):
            return
        self._shown[part] = tenths
        line = f"{self._name}: {done} of {total} {_PARTS[part]} indexed"
        self._console.print(Text(plain(line), style="dim"), soft_wrap=True)

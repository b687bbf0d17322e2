"""The command line: `python -m agent ask | chat | demo | index | model | serve | mcp | eval | eval-retrieval | ...`."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.text import Text

from agent.asking import NO_OPTIONS
from agent.callers import LOCAL
from agent.errors import PlumblineError
from agent.models import Answer, Done, Options
from agent.paths import resolve
from agent.problems import problem_of
from agent.service import Service, build_service
from agent.settings import Settings, get_settings
from agent.trace_ids import new_trace_id
from executors.errors import ExecutorError
from rag.errors import RetrievalError

EXPECTED = (PlumblineError, ExecutorError, RetrievalError)
DEADLINE_S = 3600.0  # the settings' is for a front end that hangs up; here its user does

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers questions about data in plain language, and proves its answers.",
)
out = Console()
err = Console(stderr=True)

Database = Annotated[str, typer.Option("--database", "-d", help="A name of the registry, or a file or folder of data.")]
Docs = Annotated[
    list[Path] | None, typer.Option("--docs", exists=True, help="Docs of a file or folder: Markdown, YAML or CSV.")
]


class Part(StrEnum):
    """What an evaluation can do without."""

    RETRIEVAL = "retrieval"
    EVALUATION = "evaluation"
    CALCULATOR = "calculator"


@app.command()
def ask(
    question: str,
    database: Database = "shop",
    docs: Docs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response of the HTTP interface.")] = False,
    no_docs: Annotated[bool, typer.Option("--no-docs", help="Answer from the raw schema alone.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show docs, plan and records' query too.")] = False,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Plan a change of rows, then ask whether to make it.")
    ] = False,
) -> None:
    """Answer one question, showing each step; exit code 1 where there is no answer."""
    options = Options(enable_retrieval=False if no_docs else None, allow_writes=allow_writes or None)

    async def run(options: Options) -> Answer:
        if as_json:
            return await service.query(question, name, options=options, principal=LOCAL)
        return await show(service, question, name, options)

    show = _Shown(verbose=verbose)
    with _opened(as_json=as_json) as (service, runner):
        name = resolve(service, database, docs)
        answer = runner.run(run(options))
        if answer.write and answer.write.token and not as_json and typer.confirm("Make this change?"):
            answer = runner.run(run(Options(confirm=answer.write.token)))
    if as_json:
        print(answer.model_dump_json(indent=2))
    raise typer.Exit(0 if answer.status != "error" else 1)


@app.command()
def chat(database: Database = "shop", docs: Docs = None) -> None:
    """Ask one question after the other; each sees the last ones. An empty line or Ctrl-D ends it."""
    show = _Shown()
    with _opened() as (service, runner):
        name = resolve(service, database, docs)
        session = runner.run(service.start_session(name))
        out.print(Text.assemble("Ask about ", (name, "bold"), "; an empty line ends the chat."), style="dim")
        # Read between the runs of the loop, in the main thread: there Ctrl-C ends it at once.
        while line := _read_line():
            try:
                runner.run(show(service, line, name, NO_OPTIONS, session_id=session.id))
            except EXPECTED as error:
                _complain(str(error))


@app.command()
def demo() -> None:
    """Four questions about the sample shop; the first also without the docs, to show what they change."""
    from agent.demo import run_demo

    with _opened() as (service, runner):
        runner.run(run_demo(service, out, _Shown()))


@app.command()
def index(
    databases: Annotated[
        list[str] | None,
        typer.Option("--database", "-d", help="A name of the registry, or a file or folder of data; may be repeated."),
    ] = None,
    docs: Docs = None,
    every: Annotated[bool, typer.Option("--all", help="Every database of the registry; so without -d, too.")] = False,
) -> None:
    """Read and index what is known of databases; only what is new is embedded, and an interrupted run is gone on with.

    Questions are answered from the old index until the new one is whole. Exit code 1 where a database failed.
    """
    from agent.index_command import run_index

    with _opened() as (service, runner):
        named = list(databases or ())
        others = service.router.names() if every or not named else ()
        wanted = {name: partial(resolve, service, name, docs if name in named else None) for name in (*named, *others)}
        whole = run_index(service, runner, wanted, out, err)
    raise typer.Exit(0 if whole else 1)


@app.command()
def model(
    path: Annotated[Path | None, typer.Option("--path", help="Take the file from here instead of fetching it.")] = None,
    which: Annotated[str | None, typer.Option("--which", help="1.5b or 0.5b; default: the settings'.")] = None,
) -> None:
    """Bring the embedded model's file into the cache, verified; continues where it was interrupted."""
    from agent.llms.model_files import MODELS, fetch
    from agent.terminal import byte_progress

    settings = _settings()
    chosen = which or settings.embedded_model
    if chosen not in MODELS:
        _fail(f"There is no model {chosen!r}. Known: {', '.join(MODELS)}.")
    if settings.is_hosted:
        out.print("A hosted model is set, so the embedded one will not be used; fetching it all the same.")
    try:
        with byte_progress(err) as progress:
            source = path or settings.embedded_model_path
            found = fetch(MODELS[chosen], settings.cache_dir.expanduser(), source=source, progress=progress)
    except EXPECTED as error:
        _fail(str(error))
    line = f"{MODELS[chosen].title}: {found.name}, {found.stat().st_size:,} bytes, SHA-256 verified."
    out.print(line, markup=False, highlight=False, soft_wrap=True)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: the settings'.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: the settings'.")] = None,
) -> None:
    """The HTTP service."""
    import uvicorn

    settings = _settings()
    address, number = host or settings.host, port or settings.port
    shown = f"[{address}]" if ":" in address else address
    out.print(f"Plumbline on http://{shown}:{number}/api/docs  (Ctrl-C ends it)", markup=False, soft_wrap=True)
    uvicorn.run(
        "agent.api:create_default_app",
        factory=True,
        host=address,
        port=number,
        log_level=settings.log_level.lower(),
        timeout_graceful_shutdown=10,
    )


@app.command()
def mcp(
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="Address for HTTP, of this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port for HTTP.", min=1, max=65_535)] = 7072,
) -> None:
    """The tools for other agents, over the Model Context Protocol."""
    if find_spec("mcp") is None:
        _fail("The package `mcp` is not installed. Install it with `pip install -r requirements-local.txt`.")
    from agent.mcp_server import LOOPBACK, PATH, serve_http, serve_stdio

    if host not in LOOPBACK:
        _fail(f"Nobody signs in here, so it listens on {', '.join(LOOPBACK)} alone, not on {host}.")
    if not http:
        # Whoever started this closes standard input to end it. A person at a terminal presses Ctrl-C, which a thread
        # that waits for a line does not hear.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with _opened() as (service, runner):
        if not http:
            runner.run(serve_stdio(service))
            return
        shown = f"[{host}]" if ":" in host else host
        err.print(f"Plumbline's tools on http://{shown}:{port}{PATH}  (Ctrl-C ends it)", markup=False, soft_wrap=True)
        runner.run(serve_http(service, host, port))


@app.command("eval")
def evaluate(
    questions: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="A JSON file: a list of database, question and gold queries."),
    ],
    docs: Docs = None,
    results: Annotated[Path | None, typer.Option("--json", help="Keep one JSON line per question here.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many questions.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each question's evidence to the model.")] = False,
    without: Annotated[
        list[Part] | None, typer.Option("--without", help="Switch this part off, to see what it is worth.")
    ] = None,
) -> None:
    """Ask questions with known answers, and count: execution accuracy, and how far "verified" can be trusted."""
    from agent.evaluation.command import run_evaluation

    with _opened() as (service, runner):
        runner.run(run_evaluation(service, out, err, questions, docs or [], results, limit, evidence, without or ()))


@app.command("eval-retrieval")
def evaluate_retrieval(
    folders: Annotated[
        list[Path], typer.Argument(exists=True, file_okay=False, help="Folders with questions, or of such folders.")
    ],
    results: Annotated[Path | None, typer.Option("--out", help="Write one JSON line per question here.")] = None,
    questions: Annotated[str, typer.Option("--questions", help="Name of the files of questions.")] = "questions.json",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many questions of a folder.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Ask each question with its evidence.")] = False,
) -> None:
    """Measure what retrieval shows of what gold queries need, on each database and on all of them in one schema."""
    from agent.evaluation.retrieval_command import run_retrieval_evaluation

    try:
        asyncio.run(run_retrieval_evaluation(_settings(), out, err, folders, results, questions, limit, evidence))
    except EXPECTED as error:
        _fail(str(error))


@app.command()
def recompute() -> None:
    """Recompute the arithmetic in each line of standard input."""
    from agent.recompute import recompute_line

    for line in sys.stdin:
        sys.stdout.write(recompute_line(line.rstrip("\n")) + "\n")
        sys.stdout.flush()


# -- inside -----------------------------------------------------------------------------------------------


class _Shown:
    """Asks questions and prints their events as they arrive."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose = verbose
        self._read: set[tuple[str, Options]] = set()  # what the model on this machine has read, and keeps

    async def __call__(
        self, service: Service, question: str, database: str, options: Options, *, session_id: str | None = None
    ) -> Answer:
        """Ask one question; the response."""
        from agent.terminal import StepPrinter

        first = not service.settings.is_hosted and (database, options) not in self._read
        self._read.add((database, options))
        answer: Answer | None = None
        printer = StepPrinter(out, verbose=self._verbose, first_reading=first)
        with printer.watching():
            asked = service.events(question, database, session_id=session_id, options=options, principal=LOCAL)
            async for event in asked:
                printer.show(event)
                if isinstance(event, Done):
                    answer = event.answer
        if answer is None:
            raise PlumblineError("The question ended without an answer.")
        return answer


def _read_line() -> str:
    """The next line; empty at the end. A prompt is for people, not for pipes."""
    try:
        return input("> " if sys.stdin.isatty() else "").strip()
    except EOFError:
        return ""


@contextmanager
def _opened(*, as_json: bool = False) -> Iterator[tuple[Service, asyncio.Runner]]:
    """The service, and the one event loop that it lives in; what goes wrong ends the process with a sentence."""
    settings = _settings()
    settings = settings.model_copy(update={"request_deadline_s": max(settings.request_deadline_s, DEADLINE_S)})
    try:
        with asyncio.Runner() as runner:
            service = build_service(settings, registry_required=False)
            try:
                yield service, runner
            finally:
                runner.run(service.close())
    except EXPECTED as error:
        problem = problem_of(error, new_trace_id()) if as_json else None
        if problem is not None:
            print(json.dumps(problem.model_dump(), indent=2))
            raise typer.Exit(1) from None
        _fail(str(error))
    except KeyboardInterrupt:
        err.print("\nstopped", style="dim")
        raise typer.Exit(130) from None


def _settings() -> Settings:
    try:
        settings = get_settings()
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        _fail("These settings cannot be used:\n" + "\n".join(lines))
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s: %(message)s")
    return settings


def _complain(message: str) -> None:
    """A message as it is: it may hold what looks like markup."""
    from agent.terminal import plain

    err.print(Text(plain(message), style="red"), soft_wrap=True)


def _fail(message: str) -> NoReturn:
    _complain(message)
    raise typer.Exit(1)

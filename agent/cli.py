"""The command line: `python -m agent ask | chat | demo | index | model | serve | eval | recompute`."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console

from agent.errors import PlumblineError
from agent.models import Answer, Done, Options
from agent.problems import problem_of
from agent.service import NO_OPTIONS, Service, build_service, new_trace_id
from agent.settings import Settings, get_settings
from executors.errors import ExecutorError
from rag.errors import RetrievalError

T = TypeVar("T")
EXPECTED = (PlumblineError, ExecutorError, RetrievalError)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers questions about data in plain language, and proves its answers.",
)
out = Console()
err = Console(stderr=True)

Database = Annotated[str, typer.Option("--database", "-d", help="A name of the registry, or a file or folder of data.")]
Docs = Annotated[list[Path] | None, typer.Option("--docs", help="Docs of a file or folder: Markdown, YAML or CSV.")]


@app.command()
def ask(
    question: str,
    database: Database = "shop",
    docs: Docs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response of the HTTP interface.")] = False,
    no_docs: Annotated[bool, typer.Option("--no-docs", help="Answer from the raw schema alone.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show docs, plan and records' query too.")] = False,
) -> None:
    """Answer one question, showing each step; exit code 1 where there is no answer."""
    options = Options(enable_retrieval=False) if no_docs else NO_OPTIONS

    async def run(service: Service) -> Answer:
        name = _resolve(service, database, docs)
        if as_json:
            return await service.query(question, name, options=options)
        return await _show(service, question, name, options, verbose=verbose)

    answer = _with_service(run, as_json=as_json)
    if as_json:
        print(answer.model_dump_json(indent=2))
    raise typer.Exit(0 if answer.status != "error" else 1)


@app.command()
def chat(database: Database = "shop", docs: Docs = None) -> None:
    """Ask one question after the other; each sees the last ones. An empty line or Ctrl-D ends it."""

    async def run(service: Service) -> None:
        name = _resolve(service, database, docs)
        session = await service.start_session(name)
        out.print(f"[dim]Ask about [bold]{name}[/]; an empty line ends the chat.[/]")
        while line := (await asyncio.to_thread(_read_line)).strip():
            try:
                await _show(service, line, name, NO_OPTIONS, session_id=session.id)
            except EXPECTED as error:
                err.print(f"[red]{error}[/]")

    _with_service(run)


@app.command()
def demo() -> None:
    """Four questions about the sample shop; the first also without the docs, to show what they change."""
    from agent.demo import run_demo

    _with_service(lambda service: run_demo(service, out, _show))


@app.command()
def index(database: Database = "", docs: Docs = None) -> None:
    """Read and index the docs of one database, or of every one in the registry; only what changed is embedded."""
    from agent.terminal import count_progress

    async def run(service: Service) -> None:
        names = [_resolve(service, database, docs)] if database else list(service.router.names())
        for name in names:
            with count_progress(err, f"indexing {name}") as progress:
                indexed = await service.index(name, progress)
            report = indexed.report
            out.print(
                f"{name}: {report.added} documents added, {report.removed} removed, {report.unchanged} unchanged."
            )
            for problem in indexed.problems:
                err.print(f"[yellow]! {problem}[/]")

    _with_service(run)


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
    out.print(f"{MODELS[chosen].title}: {found.name}, {found.stat().st_size:,} bytes, SHA-256 verified.")


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: the settings'.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: the settings'.")] = None,
) -> None:
    """The HTTP service."""
    import uvicorn

    settings = _settings()
    address, number = host or settings.host, port or settings.port
    out.print(f"Plumbline on http://{address}:{number}/api/docs  (Ctrl-C ends it)")
    uvicorn.run(
        "agent.api:create_default_app",
        factory=True,
        host=address,
        port=number,
        log_level=settings.log_level.lower(),
        timeout_graceful_shutdown=10,
    )


@app.command("eval")
def evaluate(
    questions: Annotated[Path, typer.Argument(help="A JSON file: a list of database, question and gold queries.")],
    docs: Docs = None,
    results: Annotated[Path | None, typer.Option("--json", help="Keep one JSON line per question here.")] = None,
    limit: Annotated[int | None, typer.Option(help="Only the first so many questions.")] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Show each question's evidence to the model.")] = False,
) -> None:
    """Ask questions with known answers, and count: execution accuracy, and how far "verified" can be trusted."""
    from agent.evaluation.command import run_evaluation

    _with_service(lambda service: run_evaluation(service, out, err, questions, docs or [], results, limit, evidence))


@app.command()
def recompute() -> None:
    """Recompute the arithmetic in each line of standard input."""
    from agent.recompute import recompute_line

    for line in sys.stdin:
        sys.stdout.write(recompute_line(line.rstrip("\n")) + "\n")
        sys.stdout.flush()


# -- inside -----------------------------------------------------------------------------------------------


async def _show(
    service: Service,
    question: str,
    database: str,
    options: Options,
    *,
    session_id: str | None = None,
    verbose: bool = False,
) -> Answer:
    """Print a question's events as they arrive; the response."""
    from agent.terminal import StepPrinter

    answer: Answer | None = None
    printer = StepPrinter(out, verbose=verbose)
    with printer.watching():
        async for event in service.events(question, database, session_id=session_id, options=options):
            printer.show(event)
            if isinstance(event, Done):
                answer = event.answer
    if answer is None:
        raise PlumblineError("The question ended without an answer.")
    return answer


def _resolve(service: Service, database: str, docs: list[Path] | None) -> str:
    """The registry's name; a path becomes an entry of this process, since the command line belongs to its user."""
    if database in service.router.names() and not docs:
        return database
    path = Path(database)
    if not path.exists() and database in service.router.names():
        path = service.router.entry(database).path
    if not path.exists():
        return database  # the service says what it knows instead
    return service.router.add(path, docs=tuple(docs or ()))


def _read_line() -> str:
    try:
        return out.input("[bold]> [/]")
    except EOFError:
        return ""


def _with_service(run: Any, *, as_json: bool = False) -> Any:
    settings = _settings()

    async def main() -> Any:
        service = build_service(settings)
        try:
            return await run(service)
        finally:
            await service.close()

    return _run(main(), as_json=as_json)


def _run(coroutine: Coroutine[Any, Any, T], *, as_json: bool = False) -> T:
    try:
        return asyncio.run(coroutine)
    except EXPECTED as error:
        problem = problem_of(error, new_trace_id()) if as_json else None
        if problem is not None:
            print(json.dumps(problem.model_dump(), indent=2))
            raise typer.Exit(1) from None
        _fail(str(error))
    except KeyboardInterrupt:
        err.print("[dim]stopped[/]")
        raise typer.Exit(130) from None


def _settings() -> Settings:
    try:
        settings = get_settings()
    except ValidationError as error:
        lines = [f"  {'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        _fail("These settings cannot be used:\n" + "\n".join(lines))
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s: %(message)s")
    return settings


def _fail(message: str) -> NoReturn:
    err.print(f"[red]{message}[/]", highlight=False)
    raise typer.Exit(1)

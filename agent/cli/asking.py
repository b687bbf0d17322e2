"""`ask`, `chat` and `demo`: ask questions at the terminal and show every step."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from agent.cli.console import (
    EXPECTED,
    Database,
    Docs,
    EffortOption,
    bring_model,
    command,
    complain,
    err,
    fail,
    open_service,
    out,
)
from agent.cli.paths import resolve
from agent.core.answers import Answer
from agent.core.callers import LOCAL
from agent.core.errors import PlumblineError
from agent.core.events import Done
from agent.core.fields import check_zone
from agent.core.models import Options
from agent.core.texts.plurals import plural
from agent.pipeline.service import Service
from agent.present.terminal import StepPrinter, Transcript, cell_text, plain

EXIT_CODES = {"success": 0, "error": 1, "clarification_needed": 2}
NoClarify = Annotated[bool, typer.Option("--no-clarify", help="Never ask for clarification; state assumptions.")]


def _parse_zone(name: str | None) -> str | None:
    try:
        return None if name is None else check_zone(name)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


Zone = Annotated[
    str | None,
    typer.Option(
        "--time-zone", metavar="NAME", callback=_parse_zone, help="Time zone of `today`, such as Europe/Berlin."
    ),
]


def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[SOURCE] QUESTION",
            help="The question, in quotes. SOURCE: a file, a folder or a server's address; default: --database.",
        ),
    ],
    database: Database = "shop",
    docs: Docs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the response of the HTTP API.")] = False,
    no_docs: Annotated[bool, typer.Option("--no-docs", help="Answer from the raw schema alone.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show docs, plan and the query of the records.")
    ] = False,
    allow_writes: Annotated[
        bool, typer.Option("--allow-writes", help="Plan a change of rows, then ask for confirmation.")
    ] = False,
    no_clarify: NoClarify = False,
    effort: EffortOption = None,
    time_zone: Zone = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Let the model plan several queries, whatever the question says.")
    ] = False,
) -> None:
    """Answer one question and show each step. Exit code 1: no answer; 2: clarification needed."""
    source, question = _source_and_question(words, database)
    options = Options(
        enable_retrieval=False if no_docs else None,
        allow_writes=allow_writes or None,
        clarify=False if no_clarify else None,
        effort=effort,
        time_zone=time_zone,
        plan=plan or None,
    )

    async def run(options: Options) -> Answer:
        if as_json:
            return await service.query(question, name, options=options, principal=LOCAL)
        return await show(service, question, name, options)

    show = _Shown(verbose=verbose)
    with open_service(as_json=as_json) as (service, runner):
        name = resolve(service, source, docs)
        bring_model(service.settings)
        answer = runner.run(run(options))
        if answer.write and answer.write.token and not as_json and typer.confirm("Make this change?"):
            answer = runner.run(run(Options(confirm=answer.write.token)))
    if as_json:
        print(answer.model_dump_json(indent=2))
    raise typer.Exit(EXIT_CODES[answer.status])


def chat(
    source: Annotated[
        str | None, typer.Argument(help="A file, folder or server's address; instead of --database.")
    ] = None,
    database: Database = "shop",
    docs: Docs = None,
    script: Annotated[
        typer.FileText | None,
        typer.Option("--script", help="Read the questions from this file, one a line, instead of the terminal."),
    ] = None,
    transcript: Annotated[
        Path | None, typer.Option("--transcript", dir_okay=False, help="Write the conversation here, as Markdown.")
    ] = None,
    no_clarify: NoClarify = False,
    effort: EffortOption = None,
    time_zone: Zone = None,
) -> None:
    """Chat with a database; each question sees the last exchanges. An empty line or Ctrl-D ends the chat."""
    is_echoed = script is None and not sys.stdin.isatty()  # elsewhere, the question already stands above its answer
    show = _Shown(echo=is_echoed)
    options = Options(clarify=False if no_clarify else None, effort=effort, time_zone=time_zone)
    with open_service() as (service, runner):
        name = resolve(service, source or database, docs)
        bring_model(service.settings)
        session = runner.run(service.start_session(name, LOCAL))
        lines = Transcript(name)
        if script is None:
            out.print(Text.assemble("Ask about ", (name, "bold"), "; an empty line ends the chat."), style="dim")
        # Lines are read between the runs of the loop, in the main thread, so that Ctrl-C ends the chat at once.
        while line := _read_line() if script is None else script.readline().strip():
            if script is not None:
                out.print(Text(f"\n> {plain(line)}", style="bold"))
            try:
                lines.add(line, runner.run(show(service, line, name, options, session_id=session.id)))
            except EXPECTED as error:
                complain(str(error))
                lines.fail(line, str(error))
            if transcript is not None:  # after each turn, so that an interrupted chat is kept
                transcript.write_text(str(lines), encoding="utf-8")


def demo() -> None:
    """Answer four questions about the sample shop; the first one twice, without docs and with them."""
    from agent.cli.indexing import index_quietly

    with open_service() as (service, runner):
        source = add_shop(service)
        bring_model(service.settings, meanwhile=lambda: index_quietly(service, runner, DATABASE, out, err))
        runner.run(run_demo(service, out, _Shown(), source))


def _source_and_question(words: list[str], database: str) -> tuple[str, str]:
    """Split the arguments into source and question: `QUESTION`, or `SOURCE QUESTION`."""
    if len(words) == 1 and words[0] and Path(words[0]).expanduser().exists():
        return fail(f'Ask something about it: plumbline ask {words[0]} "How many rows are there?"')
    if len(words) <= 2:
        return (database if len(words) == 1 else words[0]), words[-1]
    return fail('Put the question in quotes: plumbline ask data.csv "How many orders are there?"')


class _Shown:
    """Runs questions and prints their events as they arrive."""

    def __init__(self, *, verbose: bool = False, echo: bool = True) -> None:
        self._verbose, self._echo = verbose, echo
        self._read: set[tuple[str, Options]] = set()  # what the local model has read and keeps

    async def __call__(
        self, service: Service, question: str, database: str, options: Options, *, session_id: str | None = None
    ) -> Answer:
        """Ask one question and return the response."""
        first = not service.settings.is_hosted and (database, options) not in self._read
        self._read.add((database, options))
        answer: Answer | None = None
        printer = StepPrinter(out, verbose=self._verbose, first_reading=first, echo=self._echo)
        with printer.watching():
            answering = service.events(
                question,
                database,
                session_id=session_id,
                options=options,
                principal=LOCAL,
                listens=out.is_interactive,
            )
            async for event in answering:
                printer.show(event)
                if isinstance(event, Done):
                    answer = event.answer
        if answer is None:
            raise PlumblineError("The question ended without an answer.")
        return answer


def _read_line() -> str:
    """The next line; empty at the end of the input. The prompt is shown only at a terminal."""
    try:
        return input("> " if sys.stdin.isatty() else "").strip()
    except EOFError:
        return ""


DATABASE = "shop"
WITHOUT_DOCS = "What was our revenue in fiscal year 2025?"
QUESTIONS = (
    WITHOUT_DOCS,
    "How many orders of 2024 were cancelled?",
    "For each country, how many customers signed up between April and June 2025?",
    "Which five products brought in the most revenue in 2024? Show the name and the revenue.",
)

Show = Callable[[Service, str, str, Options], Awaitable[Answer]]


def add_shop(service: Service) -> Path | None:
    """Add the sample shop and its docs, unless the registry names it. Returns its file if it was added, else None."""
    if DATABASE in service.router.names():
        return None
    from samples.make_shop import make_shop

    folder = service.settings.state_path / "samples"
    make_shop(folder)
    file = folder / "shop.duckdb"
    service.add_source(str(file), [_docs()])
    return file


async def run_demo(service: Service, console: Console, show: Show, source: Path | None = None) -> None:
    """Ask the questions one after the other; the first one also from the raw schema alone."""
    console.rule(f"Question 1 of {len(QUESTIONS)}, from the raw schema alone")
    bare = await show(service, WITHOUT_DOCS, DATABASE, Options(enable_retrieval=False, effort="quick"))
    answers: list[Answer] = []
    for number, question in enumerate(QUESTIONS, 1):
        again = ", the same again with the docs" if question == WITHOUT_DOCS else ""
        console.rule(f"Question {number} of {len(QUESTIONS)}{again}")
        answers.append(await show(service, question, DATABASE, Options(reuse_verified=False)))  # never reused
        if question == WITHOUT_DOCS:
            compare(console, bare, answers[-1])
    verified = sum(answer.verified for answer in answers)
    console.print(f"{plural(len(answers), 'question')} with the docs, {plural(verified, 'answer')} verified.")
    asking, serving = next_commands(source)
    console.print(Text.assemble("Ask your own:   ", (asking, "bold")), soft_wrap=True)
    address = f", then http://127.0.0.1:{service.settings.port}/"
    console.print(Text.assemble("On a page:      ", (serving, "bold"), address), soft_wrap=True)


def next_commands(source: Path | None) -> tuple[str, str]:
    """The commands to ask other questions and to serve the page, in the form in which this process was started."""
    if source is None:
        return f'{command()} ask --database {DATABASE} "…"', f"{command()} serve"
    file = shlex.quote(str(source))
    return f'{command()} ask {file} --docs {shlex.quote(str(_docs()))} "…"', f"{command()} serve {file}"


def _docs() -> Path:
    from samples.make_shop import HERE

    return HERE / "docs"


def compare(console: Console, bare: Answer, enriched: Answer) -> None:
    """Print what the docs changed: the last value of the first row, without and with them."""
    before, after = (
        cell_text(list(it.results[0].values())[-1], it.language) if it.results else Text("nothing")
        for it in (bare, enriched)
    )
    before.stylize("yellow")
    after.stylize("green")
    console.print(Text.assemble("Without the docs: ", before, ". With them: ", after, "."))
    console.print(
        "[dim]The schema does not say when the fiscal year starts, nor that cancelled orders do not count.[/]\n"
    )

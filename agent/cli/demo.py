"""What a first user sees: four questions about the sample shop."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from agent.cli.console import command
from agent.core.answers import Answer
from agent.core.models import Options
from agent.pipeline.service import Service
from agent.present.terminal import cell_text

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
    """Make the sample shop and its docs known where no registry names it: where the package was installed.

    Returns the shop's file; None where the registry names it.
    """
    if DATABASE in service.router.names():
        return None
    from samples.make_shop import make_shop

    folder = service.settings.state_path / "samples"
    make_shop(folder)
    file = folder / "shop.duckdb"
    service.add_source(str(file), [_docs()])
    return file


async def run_demo(service: Service, console: Console, show: Show, source: Path | None = None) -> None:
    """Ask the questions one after the other; the first also from the raw schema alone."""
    console.rule("The same question from the raw schema alone, then with the docs")
    bare = await show(service, WITHOUT_DOCS, DATABASE, Options(enable_retrieval=False, effort="quick"))
    answers = []
    for question in QUESTIONS:
        answers.append(await show(service, question, DATABASE, Options(reuse_verified=False)))  # each time anew
        if question == WITHOUT_DOCS:
            compare(console, bare, answers[-1])
            console.rule("Three more")
    verified = sum(answer.verified for answer in answers)
    console.print(f"{len(answers)} questions, {verified} answers verified.")
    asking, serving = next_commands(source)
    console.print(Text.assemble("Ask your own:   ", (asking, "bold")), soft_wrap=True)
    address = f", then http://127.0.0.1:{service.settings.port}/"
    console.print(Text.assemble("On a page:      ", (serving, "bold"), address), soft_wrap=True)


def next_commands(source: Path | None) -> tuple[str, str]:
    """The commands that ask a question of one's own and serve the page, as this process was started."""
    if source is None:
        return f'{command()} ask --database {DATABASE} "…"', f"{command()} serve"
    file = shlex.quote(str(source))
    return f'{command()} ask {file} --docs {shlex.quote(str(_docs()))} "…"', f"{command()} serve {file}"


def _docs() -> Path:
    from samples.make_shop import HERE

    return HERE / "docs"


def compare(console: Console, bare: Answer, enriched: Answer) -> None:
    """Print what the docs changed: the last value of the first row, without and with them."""
    before, after = (_format_last_value(answer) for answer in (bare, enriched))
    before.stylize("yellow")
    after.stylize("green")
    console.print(Text.assemble("Without the docs: ", before, ". With them: ", after, "."))
    console.print(
        "[dim]The schema does not say when the fiscal year starts, nor that cancelled orders do not count.[/]\n"
    )


def _format_last_value(answer: Answer) -> Text:
    return cell_text(list(answer.results[0].values())[-1], answer.language) if answer.results else Text("nothing")

"""What a first user sees: four questions about the sample shop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rich.console import Console

from agent.models import Answer, Options
from agent.service import NO_OPTIONS, Service

DATABASE = "shop"
WITHOUT_DOCS = "What was our revenue in fiscal year 2025?"
QUESTIONS = (
    WITHOUT_DOCS,
    "How many orders of 2024 were cancelled?",
    "How many customers signed up in each country between April and June 2025?",
    "Which five products brought in the most revenue in 2024? Show the name and the revenue.",
)

Show = Callable[[Service, str, str, Options], Awaitable[Answer]]


async def run_demo(service: Service, console: Console, show: Show) -> None:
    """Ask the questions one after the other; the first also from the raw schema alone.

    Args:
        service: of the sample registry.
        console: where headings go.
        show: asks one question and prints its steps.
    """
    console.rule("The same question from the raw schema alone, then with the docs")
    bare = await show(service, WITHOUT_DOCS, DATABASE, Options(enable_retrieval=False, max_attempts=1))
    answers = []
    for question in QUESTIONS:
        answers.append(await show(service, question, DATABASE, NO_OPTIONS))
        if question == WITHOUT_DOCS:
            _compare(console, bare, answers[-1])
            console.rule("Three more")
    verified = sum(answer.verified for answer in answers)
    console.print(f"{len(answers)} questions, {verified} answers verified.")
    console.print('Ask your own:   [bold].venv/bin/python -m agent ask --database shop "…"[/]')
    console.print("Over HTTP:      [bold]make serve[/], then http://127.0.0.1:7071/api/docs")


def _compare(console: Console, bare: Answer, enriched: Answer) -> None:
    before, after = (list(a.results[0].values())[-1] if a.results else "nothing" for a in (bare, enriched))
    console.print(f"Without the docs: [yellow]{before}[/]. With them: [green]{after}[/].")
    console.print(
        "[dim]The schema does not say when the fiscal year starts, nor that cancelled orders do not count.[/]\n"
    )

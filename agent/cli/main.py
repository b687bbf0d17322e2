"""The command line: `plumbline ask | chat | serve | index | …` once installed, `python -m agent …` in a checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from agent import __version__
from agent.cli import asking, doctoring, evaluating, guarding, indexing, reviews, serving

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"plumbline {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Answers questions about data in plain language, and proves its answers."""


app.command()(asking.ask)
app.command()(asking.chat)
app.command()(asking.demo)
app.command()(indexing.index)
app.command()(serving.model)
app.command()(serving.serve)
app.command()(serving.openapi)
app.command()(serving.key)
app.command()(serving.mcp)
app.command()(guarding.guard)
app.command()(doctoring.doctor)
app.add_typer(reviews.app, name="reviews")
app.command("eval")(evaluating.evaluate)
app.command("eval-retrieval")(evaluating.evaluate_retrieval)
app.command("eval-compare")(evaluating.compare)
app.command("eval-targets")(evaluating.evaluate_targets)
app.command("eval-prompts")(evaluating.evaluate_prompts)
app.command()(evaluating.calibrate)
app.command()(evaluating.recompute)

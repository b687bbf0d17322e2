"""The command line: `python -m agent ask | chat | demo | index | model | serve | mcp | eval | eval-retrieval | ...`."""

from __future__ import annotations

import typer

from agent.commands import asking, doctoring, evaluating, guarding, indexing, reviews, serving

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers questions about data in plain language, and proves its answers.",
)

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
app.command()(evaluating.recompute)

"""The command line: `python -m agent ask | chat | demo | index | model | serve | mcp | eval | eval-retrieval | ...`."""

from __future__ import annotations

import typer

from agent.commands import asking, evaluating, indexing, serving

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers questions about data in plain language, and proves its answers.",
)

for command in (asking.ask, asking.chat, asking.demo, indexing.index, serving.model, serving.serve, serving.mcp):
    app.command()(command)
app.command("eval")(evaluating.evaluate)
app.command("eval-retrieval")(evaluating.evaluate_retrieval)
app.command("eval-compare")(evaluating.compare)
app.command()(evaluating.recompute)

"""`doctor`: checks the whole deployment and prints what to do about each problem."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from agent.cli.console import out
from agent.present.terminal import plain

if TYPE_CHECKING:
    from agent.cli.examination import Diagnosis, Status

# From best to worst: the word that is printed, and its colour.
_WORDS: dict[Status, tuple[str, str]] = {
    "ok": ("OK", "green"),
    "warning": ("warning", "yellow"),
    "failed": ("failed", "red"),
}
_STATUS, _CHECK = len("warning"), 24  # widths


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check a deployment: configuration, models, index, databases and their layers, state, telemetry.

    Checks every part, even if others fail. Exit code 1 if a check failed.
    """
    from agent.cli.examination import diagnose

    logging.disable(logging.CRITICAL)  # the findings report the same, without addresses
    try:
        findings = asyncio.run(diagnose())
    finally:
        logging.disable(logging.NOTSET)
    failed = any(finding.status == "failed" for finding in findings)
    if as_json:
        listed = [finding.model_dump(by_alias=True) for finding in findings]
        print(json.dumps({"ok": not failed, "findings": listed}, indent=2))
    else:
        _print(findings)
    raise typer.Exit(1 if failed else 0)


def _print(findings: Sequence[Diagnosis]) -> None:
    """Print the findings, grouped by part, and the number of each kind."""
    checks = max(len(finding.check) for finding in findings)
    for part, some in groupby(findings, key=attrgetter("part")):
        out.print(Text(plain(part), style="bold"))
        table = Table.grid(padding=(0, 2, 0, 0))
        for width in (1, _STATUS, min(checks, _CHECK)):
            table.add_column(width=width, overflow="fold")
        table.add_column(overflow="fold")
        for finding in some:
            word, style = _WORDS[finding.status]
            message = Text(plain(finding.message), style="" if finding.status == "ok" else style)
            table.add_row("", Text(word, style=style), plain(finding.check), message)
        out.print(table)
    counts = Counter(finding.status for finding in findings)
    kinds = [
        f"{counts[status]} {word}{'s' if status == 'warning' and counts[status] > 1 else ''}"
        for status, (word, _) in _WORDS.items()
        if counts[status]
    ]
    worst = next(style for status, (_, style) in reversed(_WORDS.items()) if counts[status])
    out.print(Text(f"\n{', '.join(kinds)}", style=worst))

"""Written sentences about 191 tables, true and false, in six languages: which are refused.

    python -m bench.grounding_written [--show 20]

`grounding_written.json` holds eleven sets. Each was written before it was run for the first time, and read after that,
so that the figures of today are no longer those of untouched sentences; docs/accuracy.md has those of the first runs.
Exits with 1 where a false sentence passes, or more than 5 % of the true ones are refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agent.grounding.answer import check_text
from agent.grounding.evidence.facts import Facts
from executors.base import QueryResult
from rag.docs.documents import make_document

FILE = Path(__file__).with_suffix(".json")
MOST_TRUE_REFUSED = 0.05


class Judged(NamedTuple):
    """A sentence with its set, whether it is true, and why it was refused; nothing where it was not."""

    set: str
    text: str
    true: bool
    problems: tuple[str, ...]


def judged() -> Iterator[Judged]:
    """Every sentence of the file, held against its rows."""
    for entry in json.loads(FILE.read_text(encoding="utf-8")):
        facts = facts_of(entry)
        for true in (True, False):
            for text in entry["true" if true else "false"]:
                yield Judged(entry["set"], text, true, check_text(text, facts).problems)


def facts_of(entry: dict[str, Any]) -> Facts:
    """What the sentences of an entry are held against."""
    return Facts(
        question=entry["question"],
        result=QueryResult(columns=tuple(entry["columns"]), rows=tuple(tuple(row) for row in entry["rows"])),
        sql=entry["sql"],
        documents=tuple(
            make_document("column", it["text"], table=it["table"], column=it["column"]) for it in entry["docs"]
        ),
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 where they are not good enough."""
    parser = argparse.ArgumentParser(prog="python -m bench.grounding_written", description=__doc__)
    parser.add_argument("--show", type=int, default=0, help="how many wrong verdicts to print")
    options = parser.parse_args(arguments)
    made: Counter[tuple[str, bool]] = Counter()
    refused: Counter[tuple[str, bool]] = Counter()
    wrong: list[str] = []
    for it in judged():
        made[it.set, it.true] += 1
        refused[it.set, it.true] += bool(it.problems)
        if bool(it.problems) is it.true:
            wrong.append(f"[{it.set}, {'true' if it.true else 'false'}] {it.text} {' '.join(it.problems)}")
    print(f"{'written set':<22}{'false':>8}{'refused':>8}{'true':>8}{'refused':>8}")
    for name in sorted({name for name, _ in made}):
        figures = (made[name, False], refused[name, False], made[name, True], refused[name, True])
        print(f"{name:<22}" + "".join(f"{it:>8}" for it in figures))
    for line in wrong[: options.show]:
        print(line)
    false, true = (sum(made[key] for key in made if key[1] is kind) for kind in (False, True))
    passed = false - sum(refused[key] for key in refused if not key[1])
    lost = sum(refused[key] for key in refused if key[1])
    return int(passed > 0 or lost > MOST_TRUE_REFUSED * true)


if __name__ == "__main__":
    sys.exit(main())

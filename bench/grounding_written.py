"""Written sentences about some 900 results, true and false, in six languages: counts those that are refused.

    python -m bench.grounding_written [--show 20]

`grounding_written.json` holds twenty-two sets. Each was written before it was first run, but part of s. All but p, q
and v were read after that, so today's figures are no longer those of untouched sentences; docs/accuracy.md has the
first runs. Other authors wrote l to q, without knowing the vocabulary and with free paraphrases; r, as replies to the
prompt that a hosted model gets about the sample shop; and s to v, as answers to questions that expect yes or no. Also
prints sentences to which a missing condition is added, and those that pass if unlisted words refuse nothing. Exits
with 1 where a false sentence passes, or more than 5 % of the true ones of the first eleven sets are refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from agent.checks.grounding.answer import check_text, check_written
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.wording.words import UNLISTED
from executors.base import QueryResult
from rag.docs.documents import make_document

FILE = Path(__file__).with_suffix(".json")
MOST_TRUE_REFUSED = 0.05
OTHERS = frozenset("lmnopqrstuv")


class Judged(NamedTuple):
    """A sentence with its set, whether it is true, and why it was refused; nothing where it was not.

    completed: whether a condition that it leaves out is added instead.
    """

    set: str
    text: str
    true: bool
    problems: tuple[str, ...]
    completed: bool

    @property
    def only_unlisted(self) -> bool:
        """Whether only unlisted lowercase words refuse it."""
        return bool(self.problems) and all(it.endswith(UNLISTED) and it[1].islower() for it in self.problems)


def judged() -> Iterator[Judged]:
    """Every sentence of the file, checked against its rows."""
    for entry in json.loads(FILE.read_text(encoding="utf-8")):
        facts = facts_of(entry)
        for true in (True, False):
            for text in entry["true" if true else "false"]:
                problems = check_written(text, facts).problems
                completed = bool(problems) and not check_text(text, facts).problems
                yield Judged(entry["set"], text, true, problems, completed)


def facts_of(entry: dict[str, Any]) -> Facts:
    """The evidence for the sentences of an entry."""
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
    parser.add_argument("--show", type=int, default=0, help="wrong verdicts to print")
    options = parser.parse_args(arguments)
    made: Counter[tuple[str, bool]] = Counter()
    refused: Counter[tuple[str, bool]] = Counter()
    others: Counter[tuple[str, bool]] = Counter()
    wrong: list[str] = []
    for it in judged():
        others["get a condition added", it.true] += it.completed
        others["would pass if unlisted words refused nothing", it.true] += it.only_unlisted
        made[it.set, it.true] += 1
        # What gets a condition is not shown as it was written: a false sentence is true then, a true one is shown.
        is_refused = bool(it.problems) and not (it.true and it.completed)
        refused[it.set, it.true] += is_refused
        if is_refused is it.true:
            wrong.append(f"[{it.set}, {'true' if it.true else 'false'}] {it.text} {' '.join(it.problems)}")
    print(f"{'written set':<22}{'false':>8}{'refused':>8}{'true':>8}{'refused':>8}")
    for name in sorted({name for name, _ in made}):
        figures = (made[name, False], refused[name, False], made[name, True], refused[name, True])
        print(f"{name:<22}" + "".join(f"{it:>8}" for it in figures))
    for what in dict.fromkeys(name for name, _ in others):
        print(f"{others[what, False]} false and {others[what, True]} true ones {what}")
    for line in wrong[: options.show]:
        print(line)
    passed = sum(made[key] - refused[key] for key in made if not key[1])
    judged_true = [key for key in made if key[1] and key[0] not in OTHERS]
    true, lost = (sum(counts[key] for key in judged_true) for counts in (made, refused))
    return int(passed > 0 or lost > MOST_TRUE_REFUSED * true)


if __name__ == "__main__":
    sys.exit(main())

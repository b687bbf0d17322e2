"""Seconds from a question to its answer, by step: for this checkout, another one, and one plain call.

    python -m bench.answer [--model embedded|endpoint] [--against WORKTREE] [--questions 40] [FOLDER]

Eight databases get five questions each: one on the command line and one to a service that has just been started, each
in a new process; one to a service that runs, about a database that it was not asked about; two more about the same one.
All sides get the same question one after the other, in turns, so that a busy machine is busy for all of them. Each
checkout runs in its own working tree with its own state, over HTTP, after `index`. `endpoint` is a server of this
machine with 300 ms to the first token and 40 tokens a second.

With --results, lines are added to a file and databases that are in it are not asked again: by that and --minutes, a
long run is made in pieces. FOLDER has `questions.json`, as `eval` reads it; by default the databases are made here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from agent.core.row_comparison import without_limit
from agent.databases.registry import build_router
from agent.evaluation.harness import EvaluationInvalid, GoldQuestion, Scorer
from agent.evaluation.report import ResultLine
from agent.platform.config.settings import get_settings
from bench.answer_databases import EACH, QuestionSet, make_databases, read
from bench.answer_report import NOW, PLAIN, Line, report
from bench.answer_sides import Checkout, Failed, PlainCall, Side, Timed
from bench.endpoint import MODEL, started
from bench.synthetic_file import Case
from executors.registry.registry import Registry
from testbed.service_process import ROOT

FIRST_S, RATE = 0.3, 40.0  # of the endpoint
BEFORE = "before"
# How each of a database's questions is asked, in this order.
STATES = ("command line", "cold process", "warm process", "warm database", "warm database")


class _Scored(NamedTuple):
    """Decides whether a query is right. Args: path, dialect: of the database."""

    scorer: Scorer
    path: Path
    dialect: str

    def is_right(self, question: GoldQuestion, timed: Timed) -> bool:
        """Whether the rows of the answer's query are those of a gold one."""
        sql = without_limit(timed.sql, self.dialect) if timed.sql else None
        line = ResultLine(
            question=question.question,
            database=question.database,
            gold=question.gold,
            predicted=sql,
            status=timed.status,
        )
        return self.scorer.score(self.path, line).correct


def measure(
    databases: Sequence[QuestionSet], sides: Mapping[str, Side], scorer: Scorer, *, until: float, turn: int = 0
) -> Iterator[Line]:
    """The times of each side for each question, one database after another.

    Args:
        databases: what to ask.
        sides: by name.
        scorer: knows the databases.
        until: when no further question is begun, by the monotonic clock.
        turn: which of the sides begins.
    """
    for asked in databases:
        if time.monotonic() >= until:
            return
        for side in sides.values():
            if isinstance(side, Checkout):
                side.index(asked.name)
        scored = _Scored(scorer, asked.path, "duckdb" if asked.path.suffix == ".duckdb" else "sqlite")
        for state, question in zip(STATES, asked.questions, strict=False):
            if time.monotonic() >= until:
                return
            names = list(sides)
            order = names[turn % len(names) :] + names[: turn % len(names)]
            turn += 1
            for name in order:
                yield _line(name, sides[name], state, question, asked.name, scored)


def _line(name: str, side: Side, state: str, question: GoldQuestion, database: str, scored: _Scored) -> Line:
    ways = {"command line": side.by_command, "cold process": side.cold}
    try:
        timed = ways.get(state, side.warm)(question.question, database)
    except Failed as error:
        return Line(name, state, database, question.question, error=str(error))
    used = timed.usage
    return Line(
        name,
        state,
        database,
        question.question,
        first=timed.first,
        query=timed.query,
        rows=timed.rows,
        answer=timed.answer,
        calls=used["model_calls"],
        read=used["prompt_tokens"] - used["cached_tokens"],
        cached=used["cached_tokens"],
        written=used["completion_tokens"],
        right=scored.is_right(question, timed),
        verified=timed.verified,
    )


def environment_of(model: str, url: str, registry: Path) -> dict[str, str]:
    """The settings that all sides share. Args: url: of the endpoint, empty for the embedded model."""
    shared = {"PLUMBLINE_REGISTRY": str(registry), "HF_HUB_OFFLINE": "1", "PLUMBLINE_LOG_LEVEL": "WARNING"}
    if model == "embedded":
        return shared
    return shared | {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "PLUMBLINE_CHAT_MODEL": MODEL}


@contextmanager
def _sides(
    model: str, databases: Sequence[QuestionSet], place: Path, against: Path | None
) -> Iterator[dict[str, Side]]:
    entries = {it.name: {"url": str(it.path), "docs": [str(one) for one in it.docs]} for it in databases}
    registry = place / "databases.yaml"
    registry.write_text(json.dumps(entries), encoding="utf-8")
    cases = [Case(question.question, question.gold[0]) for it in databases for question in it.questions]
    with ExitStack() as running:
        url = ""
        if model == "endpoint":
            paced = started(cases, place, "bench.answer_endpoint", str(FIRST_S), str(RATE))
            url = running.enter_context(paced)
        environment = environment_of(model, url, registry)
        sides: dict[str, Side] = {NOW: running.enter_context(Checkout(ROOT, environment, place / NOW))}
        if against is not None:
            sides[BEFORE] = running.enter_context(Checkout(against, environment, place / BEFORE))
        sides[PLAIN] = running.enter_context(PlainCall(environment, place / "plain"))
        yield sides


def _known(path: Path | None) -> list[Line]:
    if path is None or not path.exists():
        return []
    return [Line(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _scorer(databases: Sequence[QuestionSet]) -> Scorer:
    router = build_router(get_settings(), Registry())
    names: dict[Path, str] = {it.path: router.add(it.path, docs=()) for it in databases}
    return Scorer(lambda path: router.get(names[path]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and print the table. Exit code 1: a question got no response; 2: there is nothing to ask."""
    parser = argparse.ArgumentParser(prog="python -m bench.answer", description=__doc__)
    parser.add_argument(
        "folder", nargs="?", type=Path, help="a folder with questions.json; default: generated databases"
    )
    parser.add_argument("--model", choices=("embedded", "endpoint"), default="embedded")
    parser.add_argument("--against", type=Path, help="another working tree to compare with")
    parser.add_argument("--questions", type=int, default=40, help=f"in all; {EACH} about each database")
    parser.add_argument("--results", type=Path, help="a file of result lines; an existing one is continued")
    parser.add_argument("--minutes", type=float, default=24 * 60.0, help="stop starting questions after this time")
    options = parser.parse_args(arguments)
    if options.against is not None and not (options.against / "agent").is_dir():
        parser.error(f"--against: {options.against} is no working tree of this project: it has no folder `agent`.")
    if options.questions < 1:
        parser.error("--questions: at least 1.")
    known, until = _known(options.results), time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="plumbline-answer-") as folder_name:
        place = Path(folder_name)
        count = -(-options.questions // EACH)
        try:
            databases = (read(options.folder, count) if options.folder else make_databases(place))[:count]
        except (OSError, ValueError, EvaluationInvalid) as error:
            parser.error(str(error))
        left = [it for it in databases if it.name not in {line.database for line in known}]
        lines = list(known)
        with _sides(options.model, left, place, options.against) as sides:
            for line in measure(left, sides, _scorer(left), until=until, turn=len(known)):
                lines.append(line)
                print(line.text, file=sys.stderr, flush=True)
                if options.results is not None:
                    with options.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line._asdict()) + "\n")
    report(lines, options.model)
    return int(any(line.error for line in lines))


if __name__ == "__main__":
    sys.exit(main())

"""Plumbline beside Vanna, LangChain's SQL chain and agent, and LlamaIndex's NLSQL engine: same questions, same model.

    python -m bench.peers --environments FOLDER [--model scripted|embedded] [--questions FILE] [--limit N] [--svg FILE]

Each runs in a separate process, one after another, and reaches the model through a proxy that counts. With the scripted
model, which answers at once and knows every query, what differs is their own work; with the embedded one, what comes of
it. All are asked for the whole way: a query, its rows, a sentence. Vanna and Plumbline are given the docs, the others
have no place for them. Own time is the CPU of the process, for each question; start is that of the import and of all
that comes before the first question. Ratios are to Plumbline.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from agent.core.row_comparison import is_ordered, same_rows
from agent.evaluation.harness import GoldQuestion, load_questions
from agent.platform.config.settings import ROOT
from bench.endpoint import MODEL, started
from bench.peers.report import Result, draw, figures, report
from bench.synthetic_file import Case
from bench.targets import keep, show
from executors.base import QueryResult

T = TypeVar("T")

HERE = Path(__file__).parent
SHOP = ROOT / "samples" / "shop.sqlite"
DOCS = ROOT / "samples" / "docs"
QUESTIONS = (ROOT / "samples" / "questions.json", ROOT / "samples" / "held_out_questions.json")
PEERS = {
    "plumbline": "Plumbline",
    "vanna": "Vanna",
    "langchain_chain": "LangChain chain",
    "langchain_agent": "LangChain agent",
    "llamaindex": "LlamaIndex NLSQL",
}
TIMEOUT_S = {"scripted": 30, "embedded": 600}  # seconds of one call
LIMIT = {"scripted": 100, "embedded": 6}  # questions: with the embedded model five peers take two minutes for each
WARM = {"scripted": 2, "embedded": 0}  # questions that are asked once before; without, the first is not timed


def run(peer: str, python: str, job: dict[str, object], golds: Sequence[tuple[QueryResult, bool]]) -> Result:
    """Ask one peer everything. Raises CalledProcessError: it cannot be started."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps({**job, "folder": folder}), encoding="utf-8")
        command = [python, str(HERE / "ask.py"), peer, str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(done.stdout)
    answers = report["answers"]
    right = sum(is_right(str(job["database"]), it["sql"], gold) for it, gold in zip(answers, golds, strict=True))
    counts = {name: count / len(answers) for name, count in report["counts"].items()}
    of_all = len(answers) + int(str(job["warm"]))  # steps are counted from the first question on
    return Result(
        name=PEERS[peer],
        own_ms=statistics.median(it["cpu_ms"] for it in answers[0 if job["warm"] else 1 :] or answers),
        calls=counts["calls"],
        prompt_tokens=counts["prompt_tokens"],
        cached_tokens=counts["cached_tokens"],
        completion_tokens=counts["completion_tokens"],
        right=right,
        asked=len(answers),
        memory_mb=report["memory_mb"],
        import_s=report["import_s"],
        start_s=report["import_s"] + report["ready_s"],
        failures=tuple(it["error"] for it in answers if it["error"]),
        steps={step: {name: n / of_all for name, n in used.items()} for step, used in report["steps"].items()},
    )


def python_of(peer: str, environments: Path) -> str:
    """The interpreter that has a peer: they cannot all live in one environment."""
    return sys.executable if peer == "plumbline" else str(environments / peer.partition("_")[0] / "bin" / "python")


def rows_of(database: str, sql: str) -> QueryResult:
    """The rows of a query, read only. Raises sqlite3.Error."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        cursor = connection.execute(sql)
        names = tuple(column[0] for column in cursor.description or ())
        return QueryResult(columns=names, rows=tuple(cursor.fetchall()))


def is_right(database: str, sql: str | None, gold: tuple[QueryResult, bool]) -> bool:
    """Whether a query gives the rows of the gold one."""
    if not sql:
        return False
    try:
        found = rows_of(database, sql)
    except sqlite3.Error:
        return False
    return same_rows(gold[0], found, ordered=gold[1])


def answerable(questions: Sequence[GoldQuestion], database: Path) -> list[tuple[Case, tuple[QueryResult, bool]]]:
    """The questions whose gold query runs on the database, with its rows; some queries are in another dialect."""
    found: list[tuple[Case, tuple[QueryResult, bool]]] = []
    for question in questions:
        try:
            rows = rows_of(str(database), question.gold[0])
        except sqlite3.Error:
            continue
        gold = rows, is_ordered(question.gold[0], "sqlite")
        found.append((Case(question.question, question.gold[0]), gold))
    return found


def spaced(items: Sequence[T], most: int) -> list[T]:
    """At most so many of them, as far from each other as they can be."""
    number = min(most, len(items))
    return [items[at * len(items) // number] for at in range(number)]


def main(arguments: list[str] | None = None) -> int:
    """Start the proxy, ask each peer, print, draw."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--environments", type=Path, required=True, help="folder with an environment for each peer")
    parser.add_argument("--model", choices=sorted(TIMEOUT_S), default="scripted")
    parser.add_argument(
        "--questions", type=Path, help="questions about one SQLite database; default: the sample shop's"
    )
    parser.add_argument("--docs", type=Path, help="docs of that database")
    parser.add_argument("--limit", type=int, help=f"questions at most, evenly spaced; by default {LIMIT}")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--svg", type=Path)
    options = parser.parse_args(arguments)
    files = (options.questions,) if options.questions else QUESTIONS
    questions = [question for file in files for question in load_questions(file)]
    database = questions[0].path if options.questions else SHOP
    able = answerable([it for it in questions if it.path == questions[0].path], database)
    asked = spaced(able, options.limit or LIMIT[options.model])
    cases, golds = [case for case, _ in asked], [gold for _, gold in asked]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with started(cases, folder, "bench.peers.proxy", options.model) as url:
            job: dict[str, object] = {
                "url": url,
                "kind": options.model,
                "model": MODEL,
                "timeout_s": TIMEOUT_S[options.model],
                "warm": min(WARM[options.model], len(cases)),
                "database": str(database.resolve()),
                "docs": str((options.docs or DOCS).resolve()),
                "questions": [case.question for case in cases],
            }
            results = []
            for peer in options.peers:
                results.append(run(peer, python_of(peer, options.environments), job, golds))
                print(f"{results[-1].name} has been asked.", file=sys.stderr)
    report(results, options.model)
    title = f"Peers, {options.model} model"
    found = figures(results)
    show(f"{title}: beside the best of them", found)
    keep(title, found)
    if options.svg:
        draw(results, options.model, options.svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The ten sample questions on the sample shop, asked of every server that can be started here.

    python -m bench.shop_servers [ENGINE ...]

The shop is loaded by `samples.load_shop` into a PostgreSQL, a MariaDB and a ClickHouse; SQL Server's stand-in serves
the shop's CSV files. Each question is answered by the model that the settings name, the embedded one by default. The
gold queries run on the DuckDB file; an answer is right when its rows are theirs.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from agent.core.answers import Answer
from agent.core.errors import PlumblineError
from agent.core.row_comparison import is_ordered, same_rows
from agent.evaluation.harness import GoldQuestion, load_questions
from agent.pipeline.service import build_service
from agent.platform.config.settings import ROOT, get_settings
from executors.base import CheckedSql, QueryResult
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.errors import ExecutorError

QUESTIONS = ROOT / "samples" / "questions.json"
SHOP = ROOT / "samples" / "shop.duckdb"
DOCS = ROOT / "samples" / "docs"


@contextmanager
def postgresql() -> Iterator[str]:
    from samples.load_shop import load_shop
    from testbed.postgres import PostgresServer

    with PostgresServer() as server:
        with server.admin() as admin:
            admin("CREATE DATABASE shop")
        load_shop(server.url("shop"))
        with server.admin("shop") as admin:
            admin("ANALYZE")
        yield server.url("shop")


@contextmanager
def mariadb() -> Iterator[str]:
    from samples.load_shop import load_shop
    from testbed.mariadb import MariadbServer

    with MariadbServer() as server:
        with server.admin() as admin:
            admin("CREATE DATABASE shop")
        load_shop(server.url("shop"))
        yield server.url("shop")


@contextmanager
def clickhouse() -> Iterator[str]:
    from samples.load_shop import load_shop
    from testbed.clickhouse import ClickHouseServer

    with ClickHouseServer() as server:
        load_shop(server.url())
        yield server.url()


@contextmanager
def sqlserver() -> Iterator[str]:
    from testbed.shop import sqlserver_shop
    from testbed.sqlserver import drivers

    driver = next(iter(drivers().values()))
    with sqlserver_shop() as server:
        yield server.url(driver=driver, trustservercertificate="yes")


ENGINES: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "postgresql": postgresql,
    "mariadb": mariadb,
    "clickhouse": clickhouse,
    "sqlserver": sqlserver,
}


async def ask(url: str, questions: list[GoldQuestion], on_answer: Callable[[int, Answer | str], None]) -> None:
    """Put every question to one database. Args: on_answer: told the question's number and what came."""
    with tempfile.TemporaryDirectory() as folder:
        registry = Path(folder) / "databases.yaml"
        registry.write_text(json.dumps({"shop": {"url": url, "docs": [str(DOCS)]}}), encoding="utf-8")
        changes = {"registry": registry, "state_dir": Path(folder) / "state"}
        service = build_service(get_settings().model_copy(update=changes))
        try:
            for number, question in enumerate(questions):
                try:
                    on_answer(number, await service.query(question.question, "shop"))
                except (PlumblineError, ExecutorError) as error:
                    on_answer(number, f"{type(error).__name__}: {error}")
        finally:
            await service.close()


def gold_rows(questions: list[GoldQuestion]) -> list[list[tuple[QueryResult, bool]]]:
    """Of every question, the rows of its gold queries, and whether their order counts."""
    executor = DuckdbExecutor("shop", SHOP, memory="500MB", threads=2, sample_values=0)
    with contextlib.closing(executor):
        return [
            [
                (
                    executor.run(CheckedSql(sql=sql, executable=sql, row_limit=10_000, tables=()), timeout_s=60),
                    is_ordered(sql, "duckdb"),
                )
                for sql in question.gold
            ]
            for question in questions
        ]


def is_right(answer: Answer, golds: list[tuple[QueryResult, bool]]) -> bool:
    """Whether the rows of an answer are those of one gold query."""
    found = QueryResult(columns=tuple(answer.columns), rows=tuple(tuple(row.values()) for row in answer.results))
    return answer.status == "success" and any(same_rows(gold, found, ordered=ordered) for gold, ordered in golds)


def main(names: list[str]) -> int:
    """Print, for each engine, how many are right, and the queries of those that are not."""
    console = Console(soft_wrap=True)
    unknown = [name for name in names if name not in ENGINES]
    if unknown:
        console.print(f"There is no engine {', '.join(unknown)}; known: {', '.join(ENGINES)}.")
        return 2
    questions = load_questions(QUESTIONS)
    golds = gold_rows(questions)
    table = Table("engine", "right", "verified", "verified and right", "minutes")
    for name in names or list(ENGINES):
        right: set[int] = set()
        verified: set[int] = set()
        began = time.monotonic()

        def on_answer(number: int, answer: Answer | str, *, right: set[int] = right, seen: set[int] = verified) -> None:
            if isinstance(answer, str):
                console.print(f"  ✗ {questions[number].question}\n    {answer}", style="dim", markup=False)
                return
            if answer.verified:
                seen.add(number)
            if is_right(answer, golds[number]):
                right.add(number)
            else:
                errors = [attempt.error for attempt in answer.attempt_history if attempt.error]
                report = f"  ✗ {questions[number].question}\n    {answer.sql}\n    {' | '.join(errors)}"
                console.print(report, style="dim", markup=False)

        console.print(f"{name} …")
        with ENGINES[name]() as url:
            asyncio.run(ask(url, questions, on_answer))
        minutes = (time.monotonic() - began) / 60
        total = len(questions)
        table.add_row(
            name, f"{len(right)} of {total}", str(len(verified)), str(len(verified & right)), f"{minutes:.1f}"
        )
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

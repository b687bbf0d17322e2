"""One point of each curve of `bench.scale`: creates data of a size, and asks about it."""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from agent.core.callers import ANONYMOUS
from agent.core.models import Question
from agent.databases.knowledge.context import enrich
from agent.evaluation.retrieval.merged import MergedCatalogue
from agent.pipeline.service import Service
from bench import synthetic, thread_time
from bench.own_time import DATABASE, NO_REUSE, make_folder, write_registry
from bench.scale_service import asked_of, cpu_ms
from bench.synthetic_file import Case, cases

Point = dict[str, tuple[float, float]]  # by curve: the size, and milliseconds
WARM, ASKED = 4, 10
FEW_TABLES = 25  # where something else grows
FEW_ROWS = 20  # of each table, where neither rows nor values grow


def tables(size: int, folder: Path) -> Point:
    """Of so many tables: the CPU of a question, and of what retrieval has of it."""
    catalogue = make_folder(folder, size, FEW_ROWS)
    asked = cases(catalogue, WARM + 2 * ASKED)
    questions, found = asked[: WARM + ASKED], asked[WARM + ASKED :]

    async def run() -> Point:
        async with asked_of(folder, asked) as service:
            own = statistics.median((await cpu_ms(service, questions))[WARM:])
            retrieval = statistics.median([await _retrieval_ms(service, case.question) for case in found])
        columns = sum(len(table.columns) for table in catalogue.db_schema.tables)
        return {"tables": (size, own), "columns": (columns, retrieval)}

    return asyncio.run(run())


async def _retrieval_ms(service: Service, text: str) -> float:
    """Milliseconds of CPU until the context of a question is there: found, linked, rendered."""
    database = await service.databases.get(DATABASE, ANONYMOUS)
    question = Question(text=text, database=DATABASE, trace_id="bench")
    began = time.process_time()
    await enrich(question, database, service.knowledge, service.parts.profile, service.settings)
    return (time.process_time() - began) * 1000


def at_once(size: int, folder: Path) -> Point:
    """So many different questions at the same time: the CPU for each."""
    asked = cases(make_folder(folder, FEW_TABLES), WARM + size)

    async def run() -> Point:
        async with asked_of(folder, asked, at_once=size) as service:
            await cpu_ms(service, asked[:WARM])
            began = time.process_time()
            together = (service.query(case.question, DATABASE, options=NO_REUSE) for case in asked[WARM:])
            await asyncio.gather(*together)
            return {"at once": (size, (time.process_time() - began) * 1000 / size)}

    return asyncio.run(run())


def turns(size: int, folder: Path) -> Point:
    """A session of so many turns: the CPU of a message that leans on the one before it."""
    catalogue = make_folder(folder, FEW_TABLES)
    first, *leaning = _follow_ups(catalogue, WARM + ASKED)
    whole = [Case(message, question) for message, (question, _) in leaning]  # the model's whole question
    phrases = [Case(question, sql) for _, (question, sql) in (first, *leaning)]
    before = [it for it in cases(catalogue, size) if it not in phrases][: max(0, size - WARM - 1)]

    async def run() -> Point:
        async with asked_of(folder, [*before, *phrases, *whole]) as service:
            session = (await service.start_session(DATABASE)).id
            await cpu_ms(service, [*before, phrases[0]], session)
            taken = await cpu_ms(service, whole, session)
            return {"turns": (max(size, WARM + 1), statistics.median(taken[WARM:]))}

    return asyncio.run(run())


def _follow_ups(catalogue: MergedCatalogue, number: int) -> list[tuple[str, Case]]:
    """A question about what has been since a day, and messages that name another day, with what they mean."""
    days = [(date(2019, 1, 1) + timedelta(days=at)).isoformat() for at in range(number + 1)]
    case = next(it for it in cases(catalogue, 500) if " since " in it.question)
    question, _, day = case.question.rstrip("?").rpartition(" since ")
    meant = [Case(f"{question} since {it}?", case.sql.replace(day, it)) for it in days]
    return [(f"and since {day}?", it) for day, it in zip(days, meant, strict=True)]


def docs(size: int, folder: Path) -> Point:
    """So many docs, a third of them of columns while there are any, the others glossary entries and rules."""
    catalogue = make_folder(folder, FEW_TABLES, FEW_ROWS)
    write_many_docs(catalogue, folder / "docs", size)
    asked = cases(catalogue, WARM + ASKED)

    async def run() -> Point:
        async with asked_of(folder, asked) as service:
            return {"docs": (size, statistics.median((await cpu_ms(service, asked))[WARM:]))}

    return asyncio.run(run())


def write_many_docs(catalogue: MergedCatalogue, folder: Path, size: int) -> None:
    """Replace the docs of a folder by a number of them."""
    for path in folder.iterdir():
        path.unlink()
    chance = random.Random(13)
    places = [(table.name, column.name) for table in catalogue.db_schema.tables for column in table.columns]
    places = places[: size // 3]
    described: dict[str, dict[str, str]] = {}
    for table, column in places:
        described.setdefault(table, {})[column] = f"what is called {column} in the record of {table}"
    asked = synthetic.questions(size - len(places), seed=17)
    phrases = [question.rstrip("?.").lower() for question in asked]
    half = len(phrases) // 2
    terms = {
        f"Term {at} of {chance.randint(1, 99)}": f"{text}, counted by {at}" for at, text in enumerate(phrases[:half])
    }
    rules = [f"Rule {at} holds for this: {text}." for at, text in enumerate(phrases[half:])]
    content = {
        "tables": {table: {"columns": columns} for table, columns in described.items()},
        "rules": [*(f"{term}: {text}" for term, text in terms.items()), *rules],
    }
    (folder / "docs.yaml").write_text(json.dumps(content), encoding="utf-8")


def rows(size: int, folder: Path) -> Point:
    """A CSV of so many rows: the CPU of a question beside DuckDB's, and DuckDB's."""
    from executors.engines.duckdb import engine as duckdb_engine

    write_csv(folder / "sales.csv", size)
    write_registry(folder, "sales.csv")
    (folder / "docs").mkdir()
    asked = [
        Case(
            f"How many sales of more than {amount} came by each channel?",
            f"SELECT channel, COUNT(*) AS n FROM sales WHERE amount > {amount} GROUP BY channel",
        )
        for amount in range(100, 105)
    ]

    async def run() -> Point:
        own, database = [], []
        inside = thread_time.Inside()
        async with asked_of(folder, asked) as service:
            with inside.counted(duckdb_engine, "run"):
                for at, case in enumerate(asked):
                    before = thread_time.of_python() - inside.seconds, time.process_time()
                    await service.query(case.question, DATABASE, options=NO_REUSE)
                    spent = thread_time.of_python() - inside.seconds - before[0]
                    if at:
                        own.append(spent * 1000)
                        database.append((time.process_time() - before[1] - spent) * 1000)
        return {"rows": (size, statistics.median(own)), "rows, DuckDB": (size, statistics.median(database))}

    return asyncio.run(run())


def write_csv(path: Path, size: int) -> None:
    """A file of sales."""
    import duckdb

    query = f"""
        SELECT i AS sale_id, DATE '2020-01-01' + CAST(i % 1500 AS INTEGER) AS day,
               ['online', 'phone', 'partner', 'direct'][i % 4 + 1] AS channel, (i * 7919 % 100000) / 100 AS amount
        FROM range({size}) AS t(i)
    """
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (HEADER)")


POINTS: dict[str, Callable[[int, Path], Point]] = {
    "tables": tables, "at once": at_once, "turns": turns, "docs": docs, "rows": rows,
}  # fmt: skip

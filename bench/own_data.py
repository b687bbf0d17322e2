"""`make bench-own-data`: twelve messy data sets, read by Plumbline and by DuckDB's defaults.

Then the model of the settings, the embedded one by default, is asked questions about both readings. `--questions N`
asks N of the sixty, evenly spaced; `--no-model` asks none; with `--log FILE` a run that was stopped goes on where it
stopped. `--write FOLDER` writes the data sets, and their questions with answers as `questions.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

import duckdb

from agent.platform.config.settings import get_settings
from agent.platform.llm.files.model_specs import MODELS
from bench.own_data_answers import Outcome, ask_all
from bench.own_data_sets import DataSet, write_all
from executors.base import CheckedSql
from executors.engines.files.executor import FilesExecutor
from executors.errors import ExecutorError

ALL = 60  # questions that there are


def read_here(folder: Path, wanted: DataSet) -> tuple[int, int, bool]:
    """Rows, names that can be queried, and whether the amounts add up, as Plumbline reads a data set."""
    executor = FilesExecutor(wanted.name, folder / wanted.name, memory="500MB", threads=2, sample_values=3)
    try:
        schema = executor.schema()
        rows, names, total = 0, 0, ""
        for table in schema.tables:
            name = schema.quote_table(table)
            rows += int(str(_value(executor, f"SELECT count(*) FROM {name}")))
            for column in wanted.names:
                _value(executor, f"SELECT count({schema.quote_name(column)}) FROM {name}")
                names += 1
            total = str(
                _value(executor, f"SELECT CAST(sum({schema.quote_name(wanted.names[2])}) AS VARCHAR) FROM {name}")
            )
    finally:
        executor.close()
    return rows, names, abs(float(total) - float(wanted.questions[1][1])) < 0.01


def read_by_defaults(folder: Path, wanted: DataSet) -> str:
    """How many rows, and whether amounts are numbers, as `read_csv_auto` has it of the same files."""
    query = f"read_csv_auto('{folder / wanted.name}/*.csv*')"
    try:
        rows = duckdb.execute(f"SELECT count(*) FROM {query}").fetchall()[0][0]
        total = duckdb.execute(f'SELECT sum("{wanted.names[2]}") FROM {query}').fetchall()[0][0]
    except duckdb.Error as error:
        return type(error).__name__
    right = total is not None and abs(float(total) - float(wanted.questions[1][1])) < 0.01
    return f"{rows} rows, total {'right' if right else 'wrong'}"


def _value(executor: FilesExecutor, sql: str) -> object:
    return executor.run(CheckedSql(sql=sql, executable=sql, row_limit=1, tables=()), timeout_s=60).rows[0][0]


def measure(folder: Path) -> list[tuple[str, str, str, bool]]:
    """Each data set: its name, what Plumbline reads, what DuckDB's defaults read, whether Plumbline loses nothing."""
    found: list[tuple[str, str, str, bool]] = []
    for wanted in write_all(folder):
        try:
            rows, names, right = read_here(folder, wanted)
            here = f"{rows} rows, {names} of {len(wanted.names)} names, total {'right' if right else 'wrong'}"
            whole = rows == wanted.rows and names == len(wanted.names) and right
        except (ExecutorError, ValueError) as error:
            here, whole = str(error), False
        found.append((wanted.name, here, read_by_defaults(folder, wanted), whole))
    return found


def main() -> None:
    """Measure, or write the data sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="write the data sets and their questions to this folder")
    parser.add_argument("--questions", type=int, default=ALL, help="number of questions, evenly spaced; default: all")
    parser.add_argument("--no-model", action="store_true", help="measure reading only, without questions")
    parser.add_argument("--log", type=Path, help="file of answers; its questions are not asked again")
    wanted = parser.parse_args()
    if wanted.questions < 1:
        parser.error("--questions: ask one at least, or none with --no-model.")
    if wanted.write is not None:
        _write(wanted.write)
        return
    with tempfile.TemporaryDirectory() as place:
        _print_readings(measure(Path(place)))
    if not wanted.no_model:
        _print_answers(wanted.questions, wanted.log)


def _write(folder: Path) -> None:
    asked = [
        {"database": it.name, "question": question, "answer": answer}
        for it in write_all(folder)
        for question, answer in it.questions
    ]
    (folder / "questions.json").write_text(json.dumps(asked, ensure_ascii=False, indent=1), encoding="utf-8")


def _print_readings(found: list[tuple[str, str, str, bool]]) -> None:
    print("| data set | read here | DuckDB's defaults |\n|---|---|---|")
    for name, here, there, _ in found:
        print(f"| {name} | {here} | {there} |")
    print(
        f"\n{sum(it[3] for it in found)} of {len(found)} are read with nothing lost and every name queryable.",
        flush=True,
    )


def _print_answers(limit: int, log: Path | None) -> None:
    settings = get_settings()
    model = settings.chat_model if settings.is_hosted else MODELS[settings.embedded_model].title

    def tell(asked: Outcome) -> None:
        marks = [("right" if right else "wrong") for right in (asked.here, asked.there)]
        print(f"{asked.data_set}: {asked.question} — {', '.join(marks)}", file=sys.stderr, flush=True)
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asked._asdict(), ensure_ascii=False) + "\n")

    lines = log.read_text(encoding="utf-8").splitlines() if log is not None and log.exists() else []
    before = [Outcome(**json.loads(it)) for it in lines]
    with tempfile.TemporaryDirectory() as place:
        sets = write_all(Path(place))
        asked = asyncio.run(ask_all(Path(place), sets, settings=settings, limit=limit, on_outcome=tell, before=before))
    print(f"\n| {len(asked)} questions, {model} | answered right |\n|---|---|")
    print(f"| as the data is read here | {_share([it.here for it in asked])} |")
    print(f"| as DuckDB's defaults read it | {_share([it.there for it in asked])} |")


def _share(right: list[bool]) -> str:
    return f"{sum(right)} ({sum(right) / len(right):.0%})"


if __name__ == "__main__":
    main()

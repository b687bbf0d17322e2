"""`make bench-own-data`: twelve messy data sets, each read with nothing lost, beside what DuckDB's defaults read.

No model is asked. `--write FOLDER` writes the data sets, and their questions with answers as `questions.json`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import duckdb

from bench.own_data_sets import DataSet, write_all
from executors.base import CheckedSql
from executors.engines.files.executor import FilesExecutor
from executors.errors import ExecutorError


def read_here(folder: Path, wanted: DataSet) -> tuple[int, int, bool]:
    """Rows, names that can be queried, and whether the amounts add up, as Plumbline reads a data set."""
    executor = FilesExecutor(wanted.name, folder / wanted.name, memory="500MB", threads=2, sample_values=3)
    try:
        schema = executor.schema()
        rows, names, total = 0, 0, ""
        for table in schema.tables:
            name = schema.quoted_table(table)
            rows += int(str(_value(executor, f"SELECT count(*) FROM {name}")))
            for column in wanted.names:
                _value(executor, f"SELECT count({schema.quoted(column)}) FROM {name}")
                names += 1
            total = str(_value(executor, f"SELECT CAST(sum({schema.quoted(wanted.names[2])}) AS VARCHAR) FROM {name}"))
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
    """Each data set: its name, what is read here, what DuckDB's defaults read, and whether nothing is lost here."""
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
    parser.add_argument("--write", type=Path, help="where the data sets are written, with their questions")
    folder = parser.parse_args().write
    if folder is not None:
        asked = [{"database": it.name, "question": said, "answer": value} for it in write_all(folder) for said, value in it.questions]  # fmt: skip  # noqa: E501
        (folder / "questions.json").write_text(json.dumps(asked, ensure_ascii=False, indent=1), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as place:
        found = measure(Path(place))
    print("| data set | read here | DuckDB's defaults |\n|---|---|---|")
    for name, here, there, _ in found:
        print(f"| {name} | {here} | {there} |")
    print(f"\n{sum(it[3] for it in found)} of {len(found)} are read with nothing lost and every name queryable.")


if __name__ == "__main__":
    main()

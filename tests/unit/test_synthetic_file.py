"""The database that measurements ask: its questions can be answered."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bench import synthetic
from bench.synthetic_file import cases, write_docs, write_sqlite
from executors.engines.sqlite.executor import SqliteExecutor
from executors.guard.guard import check
from rag.docs.reading import read_documents


def test_every_query_runs_and_the_docs_are_read(tmp_path: Path) -> None:
    catalogue = synthetic.catalogue(60, table_width=10)
    write_sqlite(catalogue, tmp_path / "some.sqlite", rows=20)
    write_docs(catalogue, tmp_path / "docs")
    asked = cases(catalogue, 40)
    assert len({case.question for case in asked}) == 40
    with closing(SqliteExecutor("some", tmp_path / "some.sqlite", sample_values=3)) as executor:
        schema = executor.schema()
        assert len(schema.tables) == len(catalogue.db_schema.tables)
        for case in asked:
            query = check(case.sql, schema, row_limit=50)
            assert executor.run(query, timeout_s=10).rows
    read = read_documents([tmp_path / "docs"], schema)
    assert read.problems == ()
    assert {document.kind for document in read.documents} == {"column", "rule", "query"}


def test_the_same_seed_makes_the_same_rows(tmp_path: Path) -> None:
    catalogue = synthetic.catalogue(20, table_width=10)
    dumps = []
    for name in ("one.sqlite", "two.sqlite"):
        write_sqlite(catalogue, tmp_path / name, rows=5)
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[1]

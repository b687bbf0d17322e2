"""Folders of files as people have them, opened; and their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from executors.base import CheckedSql
from executors.engines.files.executor import FilesExecutor

Open = Callable[..., FilesExecutor]


@contextmanager
def opening(home: Path) -> Iterator[Open]:
    """A function that opens a folder of `home`, by default `data`, which is made; all are closed at the end."""
    made: list[FilesExecutor] = []

    def opened(name: str = "data", **options: str) -> FilesExecutor:
        made.append(FilesExecutor("data", home / name, memory="200MB", threads=2, sample_values=3, **options))
        return made[-1]

    (home / "data").mkdir()
    try:
        yield opened
    finally:
        for executor in made:
            executor.close()


def ask(executor: FilesExecutor, sql: str) -> list[tuple[object, ...]]:
    query = CheckedSql(sql=sql, executable=sql, row_limit=100, tables=())
    return list(executor.run(query, timeout_s=60).rows)

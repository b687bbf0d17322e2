"""What the tests of single layers share: statements that must not get through, and what is left of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from unguarded import unguarded

from executors.base import Executor
from executors.errors import SqlError


def held(executor: Executor) -> set[str]:
    """The layers that the probes say hold."""
    return {layer.name for layer in executor.layers() if layer.holds}


def got_through(run: Callable[[str], object], statements: Iterable[str], *errors: type[Exception]) -> list[str]:
    """Those of the statements that were not refused. Args: errors: what a refusal is, besides `SqlError`."""
    refusals: tuple[type[Exception], ...] = (SqlError, *errors)
    through: list[str] = []
    for sql in statements:
        try:
            run(sql)
        except refusals:
            continue
        through.append(sql)
    return through


def attempt(executor: Executor, statements: Iterable[str]) -> list[str]:
    """Those of the statements that an executor of a server ran, the guard bypassed."""
    return got_through(lambda sql: executor.run(unguarded(sql), timeout_s=10), statements)


def lone_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off the reading of quotes and words that holds every text back which is not one query."""
    monkeypatch.setattr("executors.servers.statements.require_one", lambda _sql, _row: None)

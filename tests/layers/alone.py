"""Shared by the tests of single layers: statements that must not pass, and a check of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from unguarded import unguarded

from executors.base import Executor
from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.errors import SqlError


def held(executor: Executor) -> set[str]:
    """The layers that hold, by the probes."""
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
    monkeypatch.setattr("executors.engines.common.servers.statements.require_one", lambda _sql, _row: None)


def reader_of(server: Any, query: str) -> Callable[[], object]:
    """Reads a server's whole state. Args: server: with `admin()`. query: whose rows are the state."""

    def state() -> object:
        with server.admin() as admin:
            return admin.rows(query)

    return state


def make_tables(server: Any, statements: Iterable[str]) -> None:
    """Run statements as the server's administrator."""
    with server.admin() as admin:
        for statement in statements:
            admin(statement)


def change_session(executor: SqlAlchemyExecutor, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give an executor other session statements, and take its way to interrupt a query."""
    executor.row = executor.row.model_copy(update={"session": executor.row.session.model_copy(update=changes)})
    monkeypatch.setattr(executor, "interrupt", lambda _lease: None)

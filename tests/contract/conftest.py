"""What all contract tests share."""

from __future__ import annotations

import pytest
from contract_suite import Run, unguarded

from executors.base import Cancel, Executor, QueryResult


@pytest.fixture
def run(executor: Executor) -> Run:
    def run(sql: str, row_limit: int = 500, *, timeout_s: float = 30, cancel: Cancel | None = None) -> QueryResult:
        return executor.run(unguarded(sql, row_limit), timeout_s=timeout_s, cancel=cancel)

    return run

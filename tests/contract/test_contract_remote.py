"""The contract, through `POST /api/execute` of another deployment: the same rows, types, errors, times and caps."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import test_contract_files as files
import test_contract_postgres as postgres
from contract_suite import Contract, ServerContract
from remote_host import remote_to

from agent import __version__
from executors.base import Executor
from testbed.postgres import READER, READER_PASSWORD, PostgresServer

server = postgres.server


def remote(folder: Path, url: str, **changes: Any) -> Executor:
    registry = folder / "databases.yaml"
    registry.write_text(f"people:\n  url: '{url}'\n", encoding="utf-8")
    return remote_to(registry, "people", **changes)


@pytest.fixture(scope="class")
def executor(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Executor]:
    executor: Executor = request.cls().opened(tmp_path_factory.mktemp("remote"), request)
    yield executor
    executor.close()


class OverHttp(Contract):
    """Differences by the other side's guard and threads."""

    def version(self, executor: Executor) -> str:
        return f"(Plumbline {__version__})"


class TestRemoteDuckdb(OverHttp):
    engine = "DuckDB, remote"
    endless = files.FileContract.endless

    def opened(self, folder: Path, request: pytest.FixtureRequest) -> Executor:
        files.TestDuckdb().make(folder).close()
        return remote(folder, str(folder / "people.duckdb"))


class TestRemotePostgres(OverHttp, ServerContract):
    engine = "PostgreSQL, remote"
    endless = postgres.TestPostgres.endless
    types = postgres.TestPostgres.types
    writes = postgres.TestPostgres.writes

    def opened(self, folder: Path, request: pytest.FixtureRequest) -> Executor:
        server: PostgresServer = request.getfixturevalue("server")
        return self.connect(server, folder=folder)

    def connect(self, server: PostgresServer, **changes: Any) -> Executor:
        folder = changes.pop("folder", None) or Path(tempfile.mkdtemp())
        password = changes.pop("password", READER_PASSWORD)
        return remote(folder, server.url(changes.pop("database", "postgres"), READER, password), **changes)

    def running(self, server: PostgresServer) -> list[str]:
        return postgres.TestPostgres().running(server)

"""A server that is held says nothing, and its kernel keeps its connections open: every wait for it ends here."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import psutil
import pytest
from unguarded import unguarded
from until import until

from executors.base import CheckedWrite, Executor
from executors.engines.common.servers import patient
from executors.engines.common.servers.patient import NoAnswer, PatientExecutor, within
from executors.engines.postgresql.executor import PostgresExecutor
from executors.errors import DatabaseUnavailable, ExecutorError, SqlFailed
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from executors.registry.registry import Entry, Registry
from executors.router import Router
from testbed.postgres import PostgresServer


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin("CREATE TABLE t AS SELECT 1 AS n")
        yield server


@pytest.fixture
def executor(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[PatientExecutor]:
    for name in ("SCHEMA_S", "ASKING_S", "GRACE_S"):
        monkeypatch.setattr(patient, name, 0.2)
    monkeypatch.setattr(patient, "CLOSE_S", 2)  # also for what asks no server, which has to succeed
    options = ServerOptions(connect_timeout_s=2, sample_values=0, writable=True)
    executor = PatientExecutor(partial(PostgresExecutor, "shop", Address.parse(server.url()), options=options), 2)
    yield executor
    executor.close()


@contextmanager
def held(server: PostgresServer) -> Iterator[None]:
    """No process of the server does anything."""
    first = psutil.Process(int((server._data / "postmaster.pid").read_text(encoding="ascii").split()[0]))
    first.suspend()  # It starts no process from here on.
    processes = [first, *first.children(recursive=True)]
    try:
        for process in processes[1:]:
            with suppress(psutil.NoSuchProcess):  # A worker of the server's own may end at any time.
                process.suspend()
        yield
    finally:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()


def asked(executor: Executor) -> object:
    return executor.run(unguarded("SELECT n FROM t"), timeout_s=1)


def written(executor: Executor) -> object:
    statement = CheckedWrite(sql="INSERT INTO t VALUES (2)", kind="insert", table="t")
    return executor.write(statement, timeout_s=1, commit=True, max_rows=5)


def read(executor: Executor) -> object:
    executor.refresh()
    return executor.schema()


WAITS: list[Callable[[Executor], object]] = [asked, written, read, lambda executor: executor.layers()]


@pytest.mark.parametrize("wait", WAITS, ids=["run", "write", "schema", "layers"])
@pytest.mark.parametrize("connected", [True, False])
def test_a_server_that_is_held_is_given_up_and_asked_again_when_it_goes_on(
    executor: PatientExecutor, server: PostgresServer, wait: Callable[[Executor], object], connected: bool
) -> None:
    if connected:
        wait(executor)
    with held(server), pytest.raises(ExecutorError) as given_up:
        wait(executor)
    assert isinstance(given_up.value, DatabaseUnavailable | SqlFailed)
    assert asked(executor)


def test_of_a_change_that_was_given_up_nobody_says_that_it_was_not_made(
    executor: PatientExecutor, server: PostgresServer
) -> None:
    written(executor)
    with held(server), pytest.raises(DatabaseUnavailable, match="may have been made or not"):
        written(executor)


def test_a_server_that_is_held_does_not_keep_the_service_from_ending(
    executor: PatientExecutor, server: PostgresServer
) -> None:
    asked(executor)
    with held(server):
        executor.close()


def test_a_call_that_hangs_is_left_to_itself() -> None:
    go_on = threading.Event()
    with pytest.raises(NoAnswer):
        within(0.01, go_on.wait)
    go_on.set()
    until(lambda: not any(thread.name == "server-call" for thread in threading.enumerate()))
    assert within(60, lambda: 7) == 7
    with pytest.raises(KeyError):
        within(60, partial(os.environ.__getitem__, "NO_SUCH_VARIABLE"))


def test_every_server_is_behind_a_deadline() -> None:
    entry = Entry(name="shop", url="postgresql://me@127.0.0.1:1/x")
    router = Router(Registry(entries=(entry,)), sample_values=0, duckdb_memory="1GB", duckdb_threads=1)
    assert isinstance(router.get("shop"), PatientExecutor)

"""Local databases and the guard run in worker processes: a costly query does not slow others."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from api_client import api_client, app_without_docs
from unguarded import unguarded
from until import until

from agent.pipeline.service import Service
from executors.base import Cancel, CheckedWrite, Column, Schema, Table
from executors.engines.duckdb import engine as duckdb_engine
from executors.engines.duckdb import schema as duckdb_schema
from executors.engines.duckdb.executor import DuckdbExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from executors.workers import checking, process
from executors.workers.isolated import IsolatedExecutor, open_isolated
from executors.workers.pool import WorkerPool
from executors.workers.process import WorkerEnded

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0"
MEMORY = 700_000_000
DUCKDB_BOMBS = [
    "SELECT format('{:{}}', 1, 999999999)",
    "SELECT bitstring('1', 1900000000)",
    "SELECT flatten([range(1000000) FOR x IN range(1000000)])",
    "SELECT list_transform(range(1000000), lambda x: repeat('x', 9999))",
    "SELECT list_resize([1], 1000000000)",
    "SELECT levenshtein(repeat('a', 100000), repeat('b', 100000))",
]
SQLITE_BOMBS = [
    "SELECT instr(hex(zeroblob(4000000)) || '1', hex(zeroblob(2000000)) || '2')",
]
WIDE = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
    "SELECT hex(zeroblob(8000000)), hex(zeroblob(8000000)), hex(zeroblob(8000000)), hex(zeroblob(8000000)) FROM n"
)
Make = Callable[..., IsolatedExecutor]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux holds a process to its memory")


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(2, MEMORY)
    yield pool
    pool.end()


@pytest.fixture
def make(tmp_path: Path, pool: WorkerPool) -> Make:
    def make(kind: str, **options: Any) -> IsolatedExecutor:
        path = tmp_path / f"data.{kind}"
        if kind == "sqlite":
            with sqlite3.connect(path) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS n")
            connection.close()
            return open_isolated("data", "sqlite", path, pool, sample_values=0, **options)
        with duckdb.connect(str(path)) as opened:
            opened.execute("CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS n")
        return open_isolated("data", "duckdb", path, pool, sample_values=0, memory="200MB", threads=1, **options)

    return make


def pids(pool: WorkerPool) -> list[int]:
    """The ids of all processes of a pool."""
    with pool._changed:
        return [worker._process.pid for worker in (*pool._idle, *pool._busy)]


def is_there(pid: int) -> bool:
    """Whether a process is, and is no corpse that nobody has buried."""
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False


# -- memory and time -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, bomb", [("duckdb", it) for it in DUCKDB_BOMBS] + [("sqlite", it) for it in SQLITE_BOMBS]
)
def test_a_bomb_costs_its_own_query_only(make: Make, pool: WorkerPool, kind: str, bomb: str) -> None:
    executor = make(kind)
    with pytest.raises(SqlFailed) as failed:
        executor.run(unguarded(bomb), timeout_s=1)

    assert failed.value.kind in (ErrorKind.RESOURCE, ErrorKind.TIMEOUT)
    assert "/" not in failed.value.message
    assert executor.run(unguarded("SELECT n FROM t"), timeout_s=30).rows == ((1,),)


def test_rows_that_are_wide_are_fetched_few_at_a_time(make: Make, pool: WorkerPool) -> None:
    """A row has 64 MB; sixty-four at a time are six times what the worker may have."""
    executor = make("sqlite")
    executor.schema()
    before = pids(pool)
    assert executor.run(unguarded(WIDE), timeout_s=300).truncated
    assert pids(pool) == before


def test_the_system_holds_a_worker_to_its_memory(make: Make, pool: WorkerPool) -> None:
    make("sqlite").schema()
    (pid,) = pids(pool)
    limits = Path(f"/proc/{pid}/limits").read_text(encoding="ascii").splitlines()
    found = {line[:25].strip(): line[25:].split()[:2] for line in limits}
    assert found["Max data size"] == [str(MEMORY), str(MEMORY)]
    assert found["Max core file size"] == ["0", "0"]


def test_the_query_beside_one_that_is_ended_goes_on(make: Make, pool: WorkerPool) -> None:
    executor = make("sqlite")
    executor.schema()
    beside = Cancel()
    with ThreadPoolExecutor(2) as threads:
        going = threads.submit(executor.run, unguarded(ENDLESS), timeout_s=300, cancel=beside)
        until(lambda: len(pool._busy) == 1)
        (survivor,) = pool._busy
        ended = threads.submit(executor.run, unguarded(ENDLESS), timeout_s=300)
        until(lambda: len(pool._busy) == 2)
        (victim,) = pool._busy - {survivor}
        victim.kill()
        with pytest.raises(SqlFailed, match="ended the process"):
            ended.result()
        assert survivor.is_alive
        assert not going.done()
        beside.cancel()
        with pytest.raises(SqlFailed, match="no longer wanted"):
            going.result()


def test_what_breaks_an_engine_is_told_without_its_stack() -> None:
    broken = duckdb.InternalException("INTERNAL Error: out of range\nStack Trace:\n/home/me/duckdb.so(+0x1234)")
    told = duckdb_engine.translate_error(broken)
    assert told is not None
    assert not any(word in f"{told.message} {told.hint}" for word in ("/", "Stack", "INTERNAL"))


# -- cancelled, stopped, busy --------------------------------------------------------------------------------------


def test_a_cancelled_query_leaves_its_worker_to_the_next_one(
    make: Make, pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "CANCEL_GRACE_S", 60.0)  # a busy machine may need more than a second
    executor, cancel = make("sqlite"), Cancel()
    executor.schema()
    before = pids(pool)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(executor.run, unguarded(ENDLESS), timeout_s=300, cancel=cancel)
        until(lambda: len(pool._busy) == 1)
        cancel.cancel()
        with pytest.raises(SqlFailed, match="no longer wanted"):
            running.result()
    assert executor.run(unguarded("SELECT n FROM t"), timeout_s=30).rows == ((1,),)
    assert pids(pool) == before


def test_a_worker_that_hears_nothing_is_ended_when_its_query_is_cancelled(make: Make, pool: WorkerPool) -> None:
    executor, cancel = make("sqlite"), Cancel()
    executor.schema()
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(executor.run, unguarded("SELECT 1"), timeout_s=300, cancel=cancel)
        until(lambda: len(pool._busy) == 1)
        cancel.cancel()
        with pytest.raises(SqlFailed, match="no longer wanted"):
            running.result()
    assert not is_there(pid)


def test_a_query_whose_worker_hears_nothing_ends_with_its_time(make: Make, pool: WorkerPool) -> None:
    executor = make("sqlite")
    executor.schema()
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(SqlFailed) as failed:
        executor.run(unguarded("SELECT 1"), timeout_s=0.1)
    assert (failed.value.kind, is_there(pid)) == (ErrorKind.TIMEOUT, False)


def test_there_are_never_more_workers_than_said(make: Make, pool: WorkerPool) -> None:
    executor, cancel = make("sqlite"), Cancel()
    executor.schema()
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(executor.run, unguarded(ENDLESS), timeout_s=300, cancel=cancel) for _ in range(1)]
        running.append(threads.submit(executor.run, unguarded(ENDLESS), timeout_s=300, cancel=(other := Cancel())))
        until(lambda: len(pool._busy) == 2)
        with pytest.raises(DatabaseUnavailable, match="All 2 processes"), pool.worker("data", wait_s=0):
            pass
        waiting = Cancel()
        waiting.cancel()
        with pytest.raises(WorkerEnded), pool.worker("data", wait_s=300, cancel=waiting):
            pass
        assert len(pids(pool)) == 2
        cancel.cancel()
        other.cancel()
        for one in running:
            with pytest.raises(SqlFailed):
                one.result()


# -- the life of the processes -------------------------------------------------------------------------------------


def test_a_worker_that_idles_is_ended(tmp_path: Path) -> None:
    pool = WorkerPool(1, MEMORY, idle_s=0)
    with pool.worker("nothing", wait_s=30) as worker:
        pid = worker._process.pid
    until(lambda: not pids(pool))
    until(lambda: not list(Path("/proc").glob(f"{pid}/stat")))


def test_the_last_one_who_needs_them_ends_them_with_what_they_wrote(pool: WorkerPool) -> None:
    pool.hold()
    pool.hold()
    with pool.worker("nothing", wait_s=30) as worker:
        pid, folder = worker._process.pid, worker._folder
    pool.release()
    assert (is_there(pid), folder.is_dir()) == (True, True)
    pool.release()
    assert (is_there(pid), folder.is_dir()) == (False, False)


def test_a_worker_knows_no_secret_of_the_service(monkeypatch: pytest.MonkeyPatch, pool: WorkerPool) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with pool.worker("nothing", wait_s=30) as worker:
        environment = Path(f"/proc/{worker._process.pid}/environ")
        until(lambda: b"PATH=" in environment.read_bytes())
        assert b"secret" not in environment.read_bytes()


PARENT = """
import sys, threading
from pathlib import Path
from executors.base import CheckedSql
from executors.workers.isolated import open_isolated
from executors.workers.pool import WorkerPool
pool = WorkerPool(1, 10**9)
executor = open_isolated("data", "sqlite", Path(sys.argv[1]), pool, sample_values=0)
query = CheckedSql(sql=sys.argv[2], executable=sys.argv[2], row_limit=1, tables=())
threading.Thread(target=executor.run, args=[query], kwargs={"timeout_s": 300}).start()
while not pool._busy:
    threading.Event().wait(0.01)
print(next(iter(pool._busy))._process.pid, flush=True)
threading.Event().wait()
"""


def test_no_worker_outlives_a_service_that_is_killed(make: Make, tmp_path: Path) -> None:
    make("sqlite")
    command = [sys.executable, "-c", PARENT, str(tmp_path / "data.sqlite"), ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as service:
        assert service.stdout is not None
        pid = int(service.stdout.readline())
        assert is_there(pid)
        service.kill()
    until(lambda: not is_there(pid))


# -- what is known of a file ---------------------------------------------------------------------------------------


def test_a_second_worker_does_not_read_the_schema_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS n")
    first, second = (DuckdbExecutor("data", path, memory="100MB", threads=1, sample_values=3) for _ in range(2))
    schema = first.schema()
    second.load_cache(first.dump_cache())
    monkeypatch.setattr(duckdb_schema, "read", lambda *_: pytest.fail("read again"))
    assert second.schema() == schema
    assert second.run(unguarded("SELECT n FROM t"), timeout_s=30).rows == ((1,),)


def test_a_changed_file_is_read_again_and_a_missing_one_is_an_error(make: Make, tmp_path: Path) -> None:
    executor = make("sqlite")
    assert executor.schema() is executor.schema()
    with sqlite3.connect(tmp_path / "data.sqlite") as connection:
        connection.execute("CREATE TABLE other (x INTEGER)")
    connection.close()
    assert executor.schema().table("other") is not None
    (tmp_path / "data.sqlite").unlink()
    with pytest.raises(DatabaseUnavailable, match="does not exist"):
        executor.schema()


def test_all_workers_let_go_of_a_duckdb_file_that_is_to_be_written(make: Make, pool: WorkerPool) -> None:
    executor = make("duckdb", writable=True)
    executor.schema()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: executor.run(unguarded("SELECT n FROM t"), timeout_s=30), range(8)))
    statement = CheckedWrite(sql="INSERT INTO t VALUES (2)", kind="insert", table="t")
    assert executor.write(statement, timeout_s=30, commit=True, max_rows=5).committed
    assert executor.run(unguarded("SELECT count(*) FROM t"), timeout_s=30).rows == ((2,),)


# -- the guard -----------------------------------------------------------------------------------------------------

SCHEMA = Schema(database="data", dialect="duckdb", tables=(Table(name="t", columns=(Column(name="n", type="INT"),)),))


@pytest.fixture
def guards(monkeypatch: pytest.MonkeyPatch) -> Iterator[WorkerPool]:
    """One process for the guard that no other test has, and that nobody ends because it idles."""
    pool = WorkerPool(1, checking.MEMORY, idle_s=3_600)
    monkeypatch.setattr(checking, "workers", lambda: pool)
    monkeypatch.setattr(checking, "WALL_S", 3_600)
    monkeypatch.setattr(checking, "START_S", 3_600)
    checking.check("SELECT n FROM t", SCHEMA, row_limit=1)
    yield pool
    pool.end()


async def test_the_service_lives_while_the_guard_looks_at_a_query(
    guards: WorkerPool, make_service: Callable[..., Service]
) -> None:
    """The guard's process is held while it looks; the service answers before it goes on."""
    async with api_client(app_without_docs(make_service)) as client:
        body = {"database": "shop", "sql": "SELECT order_id FROM orders"}
        assert (await client.post("/execute", json=body)).status_code == 200
        (pid,) = pids(guards)
        os.kill(pid, signal.SIGSTOP)
        try:
            asked = asyncio.create_task(client.post("/execute", json={**body, "sql": "SELECT amount FROM orders"}))
            await asyncio.to_thread(until, lambda: len(guards._busy) == 1)
            assert (await client.get("/health/live")).status_code == 200
            assert not asked.done()
        finally:
            os.kill(pid, signal.SIGCONT)
        assert (await asked).status_code == 200


def test_a_look_that_takes_too_long_is_a_query_that_is_too_big(guards: WorkerPool) -> None:
    (pid,) = pids(guards)
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        looking = threads.submit(checking.check, "SELECT n FROM t", SCHEMA, row_limit=1)
        until(lambda: [worker._process.pid for worker in guards._busy] == [pid])
        os.kill(pid, signal.SIGKILL)  # as the system does when its time is over
        with pytest.raises(SqlRefused, match=r"more than 0.5 seconds") as refused:
            looking.result()
    assert refused.value.kind is ErrorKind.RESOURCE
    assert checking.check("SELECT n FROM t", SCHEMA, row_limit=1).tables == ("t",)
    assert pid not in pids(guards)


def test_a_machine_that_is_too_busy_to_look_is_not_the_querys_fault(
    guards: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pid,) = pids(guards)
    os.kill(pid, signal.SIGSTOP)
    with monkeypatch.context() as changed:
        changed.setattr(checking, "WALL_S", 0.1)
        with pytest.raises(DatabaseUnavailable, match="this machine is busy; try again later") as busy:
            checking.check("SELECT n FROM t", SCHEMA, row_limit=1)
    assert busy.value.retry_after_s == 5
    assert checking.check("SELECT n FROM t", SCHEMA, row_limit=1).tables == ("t",)


def test_the_system_ends_a_process_that_has_computed_for_too_long() -> None:
    endless = "from executors.workers import limits\nlimits.limit_cpu(0.05)\nwhile True: pass"
    ended = subprocess.run([sys.executable, "-c", endless], cwd=Path(__file__).parents[2], check=False)
    assert ended.returncode == -signal.SIGPROF


def test_a_schema_of_many_tables_is_not_copied_and_its_queries_are_still_read_elsewhere_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, int]] = []
    ask = checking._ask

    def recorded(name: str, schema: Schema, request: dict[str, Any]) -> Any:
        asked.append((name, len(schema.tables)))
        return ask(name, schema, request)

    monkeypatch.setattr(checking, "_ask", recorded)
    many = SCHEMA.model_copy(
        update={"tables": tuple(SCHEMA.tables[0].model_copy(update={"name": f"t{i}"}) for i in range(600))}
    )
    assert checking.check("SELECT n FROM t77", many, row_limit=1).tables == ("t77",)
    with pytest.raises(SqlRefused, match="no table nowhere"):
        checking.check("SELECT n FROM nowhere", many, row_limit=1)
    with pytest.raises(SqlRefused, match="nests too deeply"):
        checking.check(f"SELECT {'DATE(' * 30}1{')' * 30}", many, row_limit=1)
    assert asked == [("check", 0)] * 3

"""A database of another deployment answers as it would here: rows, truncation, errors, times."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from remote_host import RemoteHost, remote_to
from unguarded import unguarded

from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.pipeline.service import Service
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor
from executors.engines.remote.executor import RemoteExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.guard import guard
from testbed import sqlserver
from testbed.scripted_model import ScriptedModel

PATIENCE_S = 60.0
ENDLESS = {
    "lite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0",
    "duck": "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7",
}

DUCK_TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE types AS SELECT * FROM (VALUES (
    1::TINYINT, -2::SMALLINT, 3::INTEGER, 9007199254740993::BIGINT, 170141183460469231731687303715884105727::HUGEINT,
    18446744073709551615::UBIGINT, 1.5::FLOAT, 0.1::DOUBLE, 'nan'::DOUBLE, '-inf'::DOUBLE, 12.50::DECIMAL(10, 2),
    12345678901234567890.123456789::DECIMAL(38, 9), TRUE, 'Łódź 😀 "x" \\ ''y'''::VARCHAR, 'a\\x00\\xFF'::BLOB,
    DATE '2024-02-29', TIME '23:59:59.5', TIMESTAMP '2024-02-29 12:00:00.123456', TIMESTAMPTZ '2024-02-29 12:00:00+02',
    INTERVAL '1 year 2 months 3 days 4 hours', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID, 'glad'::mood,
    [1, NULL, 9007199254740993]::BIGINT[], {'a': 1.5, 'b': ['x']}, MAP {'k': 1}, '{"a": [1, 2.50]}'::JSON, NULL
)) AS t(tiny, small, whole, big, huge, unsigned_big, real4, real8, nan, infinite, money, exact, yes, words, bytes,
    day, clock, moment, zoned, span, id, mood, list, struct, map, json, missing);
CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR);
INSERT INTO people SELECT i, 'name ' || i, CASE WHEN i % 3 = 0 THEN 'Köln' ELSE 'Łódź' END FROM range(700) r(i);
CREATE TABLE visits (no INTEGER, people_id INTEGER REFERENCES people (id));
COMMENT ON TABLE visits IS 'who came';
"""
LITE = """
CREATE TABLE types (whole INTEGER, real8 REAL, words TEXT, bytes BLOB, missing);
INSERT INTO types VALUES (9007199254740993, 0.1, 'Łódź 😀', x'00ff61', NULL), (-1, 1e300, '', x'', NULL),
    (1, 9e999, 'a"b\\c', 5, 2.5);
CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
INSERT INTO people WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 699)
    SELECT i, 'name ' || i, CASE WHEN i % 3 = 0 THEN 'Köln' ELSE 'Łódź' END FROM r;
CREATE TABLE visits (no INTEGER, people_id INTEGER REFERENCES people (id));
"""


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("there")
    with duckdb.connect(str(folder / "duck.duckdb")) as there:
        there.execute(DUCK_TYPES)
    lite = sqlite3.connect(folder / "lite.sqlite")
    lite.executescript(LITE)
    lite.close()
    path = folder / "databases.yaml"
    path.write_text("duck: duck.duckdb\nlite: lite.sqlite\ngone: gone.sqlite\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def host(registry: Path) -> Iterator[RemoteHost]:
    with RemoteHost(registry) as host:
        yield host


@pytest.fixture(scope="module")
def remotes(host: RemoteHost) -> Iterator[dict[str, RemoteExecutor]]:
    found = {name: host.executor(name) for name in ("duck", "lite")}
    yield found
    for executor in found.values():
        executor.close()


@pytest.mark.skipif(not sqlserver.drivers(), reason="there is no ODBC driver for SQL Server on this machine")
def test_the_version_of_a_server_behind_the_other_app_counts_here(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("id,born\n1,2024-02-29\n", encoding="utf-8")
    driver = next(iter(sqlserver.drivers().values()))
    with sqlserver.serve(tmp_path, sqlserver.Described(version=(15, 3, 150))) as server:
        there = tmp_path / "databases.yaml"
        url = server.url(driver=driver, trustservercertificate="yes")
        there.write_text(f"old: {{url: {json.dumps(url)}}}\n", encoding="utf-8")
        with RemoteHost(there) as host, closing(host.executor("old")) as executor:
            schema = executor.schema()

            assert schema.version == (150, 150)
            with pytest.raises(SqlRefused) as refused:
                guard.check("SELECT DATETRUNC(month, born) FROM people", schema, row_limit=5)
            assert "DATEFROMPARTS" in refused.value.hint


@pytest.fixture(params=["duck", "lite"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def remote(remotes: dict[str, RemoteExecutor], name: str) -> RemoteExecutor:
    return remotes[name]


@pytest.fixture
def direct(host: RemoteHost, name: str) -> Executor:
    return host.service.router.get(name)


def outcome(run: Callable[[], Any]) -> str:
    """What came of a query, to the byte: its rows with their types, or its error."""
    try:
        result = run()
    except SqlError as error:
        return repr((type(error).__name__, error.kind, error.message, error.hint))
    return json.dumps([result.columns, result.rows, result.truncated], ensure_ascii=False) + repr(result.rows)


# -- the same as here --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sql, limit", [
    ("SELECT * FROM types", 500),
    ("SELECT * FROM types", 1),
    ("SELECT whole, missing, real8 FROM types ORDER BY whole DESC", 500),
    ("SELECT bytes, words FROM types", 500),
    ("SELECT 1 AS a, 'x' AS b, NULL AS c, 1.0 AS d, 0.1 + 0.2 AS e, -0.0 AS f", 500),
    ("SELECT 9223372036854775807 AS big, -9223372036854775807 AS small, 9007199254740991 AS safe", 500),
    ("SELECT 1e300 AS a, 1e-300 AS b, 1e15 AS c, 1e16 AS d, 123456.789 AS e", 500),
    ("SELECT '' AS empty, ' ' AS blank, '''' AS quote, '\"' AS double, '\\' AS back", 500),
    ("SELECT 'Łódź 😀 \U0001f468\u200d\U0001f469' AS text", 500),
    ("SELECT id, id, name AS id FROM people ORDER BY 1 LIMIT 3", 500),
    ("SELECT id AS \"select\", name AS \"Zwei Wörter\" FROM people ORDER BY 1 LIMIT 1", 500),
    ("SELECT id FROM people WHERE id < 0", 500),
    ("SELECT id FROM people ORDER BY id", 700),
    ("SELECT id FROM people ORDER BY id", 699),
    ("SELECT id FROM people ORDER BY id", 701),
    ("SELECT id FROM people ORDER BY id", 1),
    ("SELECT id FROM people ORDER BY id LIMIT 5", 5),
    ("SELECT id FROM people ORDER BY id LIMIT 5", 4),
    ("SELECT id FROM people ORDER BY id LIMIT 5 OFFSET 698", 5),
    ("SELECT count(*), min(name), max(city), avg(id), sum(id) FROM people", 1),
    ("SELECT city, count(*) AS n FROM people GROUP BY city ORDER BY n DESC", 500),
    ("SELECT city FROM people UNION SELECT name FROM people ORDER BY 1", 10),
    ("WITH a AS (SELECT id FROM people WHERE id < 3) SELECT * FROM a ORDER BY id", 500),
    ("SELECT p.name, v.no FROM people p LEFT JOIN visits v ON v.people_id = p.id ORDER BY p.id", 2),
    ("SELECT name FROM people WHERE city = 'Köln' ORDER BY id; -- three", 3),
    ("SELECT row_number() OVER (ORDER BY id DESC) AS r, id FROM people ORDER BY r", 2),
    ("SELECT * FROM peple", 500),
    ("SELECT nmae FROM people", 500),
    ("SELECT id FROM people a JOIN people b ON a.id = b.id", 500),
    ("SELECT no_such_function(id) FROM people", 500),
    ("SELECT FROM WHERE", 500),
    ("SELECT 1 +", 500),
    ("SELECT 'x", 500),
    ("", 500),
    ("SELECT 1; SELECT 2", 500),
    ("DELETE FROM people", 500),
    ("DROP TABLE people", 500),
    ("WITH d AS (DELETE FROM people RETURNING *) SELECT * FROM d", 500),
    ("SELECT * INTO copy FROM people", 500),
    ("ATTACH 'other.db' AS other", 500),
    ("PRAGMA database_list", 500),
    ("SELECT load_extension('x')", 500),
    ("SELECT * FROM read_csv('/etc/passwd')", 500),
    ("SELECT abs('x', 'y', 'z') FROM people", 500),
    ("SELECT CAST('x' AS INTEGER) AS n", 500),
    ("SELECT sum(id) FROM people WHERE sum(id) > 3", 500),
    ("SELECT city, name FROM people GROUP BY city ORDER BY 1, 2", 3),
    ("SELECT ? FROM people", 500),
])  # fmt: skip
def test_what_comes_of_a_query_is_the_same_to_the_byte(
    remote: RemoteExecutor, direct: Executor, sql: str, limit: int
) -> None:
    there = outcome(lambda: remote.run(unguarded(sql, limit), timeout_s=30))

    assert there == outcome(lambda: direct.run(guard.check(sql, direct.schema(), row_limit=limit), timeout_s=30))
    # And where the guard here has had the query first.
    guarded = outcome(lambda: remote.run(guard.check(sql, remote.schema(), row_limit=limit), timeout_s=30))
    assert guarded == there


def test_the_schema_is_the_same(remote: RemoteExecutor, direct: Executor) -> None:
    assert remote.schema() == direct.schema()
    assert remote.dialect == direct.dialect


def test_a_query_out_of_time_is_the_same(remote: RemoteExecutor, direct: Executor, name: str) -> None:
    there = outcome(lambda: remote.run(unguarded(ENDLESS[name]), timeout_s=0.3))

    assert there == outcome(lambda: direct.run(unguarded(ENDLESS[name]), timeout_s=0.3))
    assert "within 0.3 seconds" in there


def test_what_is_cancelled_here_is_stopped_there(
    remote: RemoteExecutor, direct: Executor, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, ended = threading.Event(), threading.Event()
    said: list[str] = []

    def watched(query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> Any:
        began.set()
        try:
            return type(direct).run(direct, query, timeout_s=timeout_s, cancel=cancel)
        except SqlFailed as error:
            said.append(error.message)
            raise
        finally:
            ended.set()

    monkeypatch.setattr(direct, "run", watched)
    cancel = Cancel()

    def cancel_it() -> None:
        began.wait(PATIENCE_S)
        cancel.cancel()

    canceller = threading.Thread(target=cancel_it)
    canceller.start()

    with pytest.raises(SqlFailed, match="no longer wanted") as raised:
        remote.run(unguarded(ENDLESS[name]), timeout_s=600, cancel=cancel)

    canceller.join()
    assert raised.value.kind is ErrorKind.TIMEOUT
    assert ended.wait(PATIENCE_S), "the query over there has ended"
    assert said == ["The query was stopped because its result is no longer wanted."]
    assert remote.run(unguarded("SELECT 1"), timeout_s=30).rows == ((1,),)


def test_what_is_cancelled_before_it_begins_does_not_run(remote: RemoteExecutor, name: str) -> None:
    cancel = Cancel()
    cancel.cancel()

    with pytest.raises(SqlFailed, match="no longer wanted"):
        remote.run(unguarded(ENDLESS[name]), timeout_s=600, cancel=cancel)


def test_fifty_queries_run_at_once(remote: RemoteExecutor) -> None:
    start = threading.Barrier(50)

    def ask(i: int) -> int:
        start.wait()
        return int(remote.run(unguarded(f"SELECT id FROM people WHERE id = {i}"), timeout_s=30).rows[0][0])

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(ask, range(50))) == list(range(50))


def test_nothing_is_written_through_it(remote: RemoteExecutor) -> None:
    with pytest.raises(SqlRefused) as raised:
        remote.write(
            CheckedWrite(sql="DELETE FROM visits", kind="delete", table="visits"),
            timeout_s=5, commit=True, max_rows=1,
        )  # fmt: skip

    assert raised.value.kind is ErrorKind.NOT_READ_ONLY


def test_a_lower_limit_over_there_is_seen_as_truncation(registry: Path) -> None:
    executor = remote_to(registry, "lite", max_rows=10)

    result = executor.run(unguarded("SELECT id FROM people", 500), timeout_s=30)

    executor.close()
    assert (result.row_count, result.truncated) == (10, True)


def test_a_database_that_is_gone_over_there_says_so(host: RemoteHost) -> None:
    executor = host.executor("gone")

    with pytest.raises(DatabaseUnavailable, match=r"There is no gone\.sqlite: check the path in databases\.yaml\."):
        executor.schema()
    executor.close()


def test_a_database_may_have_another_name_over_there(host: RemoteHost) -> None:
    executor = host.executor("here", database="lite")

    assert executor.schema().database == "here"
    assert executor.run(unguarded("SELECT count(*) FROM people"), timeout_s=30).rows == ((700,),)
    executor.close()


def test_a_name_that_is_unknown_over_there_is_a_sentence(host: RemoteHost) -> None:
    executor = host.executor("here", database="nowhere")

    for ask in (executor.schema, lambda: executor.run(unguarded("SELECT 1"), timeout_s=5)):
        with pytest.raises(DatabaseUnavailable) as raised:
            ask()
        assert "databases.yaml" in str(raised.value)
        assert "duck" not in str(raised.value), "what else there is over there is nobody's concern here"
    executor.close()


def test_closing_leaves_no_thread(host: RemoteHost) -> None:
    before = set(threading.enumerate())
    executor = host.executor("lite")
    executor.schema()
    mine = {thread for thread in threading.enumerate() if thread.name.startswith("app-client")} - before
    assert len(mine) == 1

    executor.close()

    assert not any(thread.is_alive() for thread in mine)
    assert executor.schema(), "and it opens again when it is needed"
    executor.close()


@pytest.mark.parametrize("suffix", ["", "/", "/api", "/api/"])
def test_the_address_may_end_with_the_prefix_or_not(host: RemoteHost, suffix: str) -> None:
    executor = RemoteExecutor("lite", host.address + suffix)

    assert executor.schema().table("people")
    executor.close()


# -- the whole way -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["lite"])
async def test_a_question_is_answered_from_another_deployment(
    host: RemoteHost, name: str, tmp_path: Path, model: ScriptedModel, make_service: Callable[..., Service]
) -> None:
    path = tmp_path / "here.yaml"
    path.write_text(f"people: {{via: '{host.address}', database: {name}}}", encoding="utf-8")
    service = make_service(registry=path)
    model.replies(sql="SELECT count(*) AS n FROM people WHERE city = 'Köln'")
    model.replies(correct=True, reason="a count")
    model.replies(text="There are 234.")

    answer = await service.query("How many people are from Köln?", "people", options=Options(enable_retrieval=False))
    health = {part.name: part.ready for part in await service.health()}
    listed = await service.list_databases(LOCAL)

    await service.close()
    assert (answer.results, answer.dialect) == ([{"n": 234}], "sqlite")
    assert answer.raw_results
    assert health["database people"]
    assert [(one.name, one.dialect, one.available) for one in listed] == [("people", "sqlite", True)]

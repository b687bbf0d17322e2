"""A database of another deployment answers as it would here: rows, truncation, errors, times."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pydantic import SecretStr
from remote_host import RemoteHost, ServedApp, remote_to
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent.callers import LOCAL
from agent.models import Options
from agent.scripted import ScriptedModel
from agent.service import Service
from executors import guard
from executors.base import Cancel, CheckedSql, CheckedWrite, Executor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.remote import RemoteExecutor
from executors.server.options import ServerOptions
from executors.server.tokens import TokenSource

PATIENCE_S = 60.0
ENDLESS = {
    "lite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0",
    "duck": "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7",
}
ANY_QUERY = CheckedSql(sql="SELECT 1", executable="SELECT 1", row_limit=10, tables=())

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


@pytest.fixture(params=["duck", "lite"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def remote(remotes: dict[str, RemoteExecutor], name: str) -> RemoteExecutor:
    return remotes[name]


@pytest.fixture
def direct(host: RemoteHost, name: str) -> Executor:
    return host.service.router.get(name)


def unguarded(sql: str, row_limit: int = 500) -> CheckedSql:
    return CheckedSql(sql=sql, executable=sql, row_limit=row_limit, tables=())


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
    executor = remote_to(registry, "lite", row_limit=10)

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

    for ask in (executor.schema, lambda: executor.run(ANY_QUERY, timeout_s=5)):
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


# -- what can go wrong on the way --------------------------------------------------------------------------


class Answers:
    """An app that answers what it was told to, and remembers what it was asked."""

    def __init__(self, *answers: Response) -> None:
        self.answers, self.asked = list(answers), list[tuple[str, str, dict[str, str], bytes]]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        path = f"{request.url.path}?{request.url.query}"
        self.asked.append((request.method, path, dict(request.headers), await request.body()))
        answer: Callable[[Scope, Receive, Send], Awaitable[None]] = self.answers.pop(0)
        await answer(scope, receive, send)


ROWS = {"columns": ["a"], "rows": [[1]], "row_count": 1, "truncated": False, "elapsed_ms": 1.0, "sql": "SELECT 1"}
TABLES = {"database": "x", "dialect": "duckdb", "tables": [], "enriched": "", "warnings": ["One view is broken."]}


def said(status: int, body: object = None, **headers: str) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json.dumps(body), status, headers=named, media_type="application/json")


def a_problem(status: int, slug: str, **more: str) -> Response:
    return said(status, {"type": f"urn:plumbline:problem:{slug}", "detail": "It said why.", "kind": None} | more)


@pytest.fixture
def answering() -> Iterator[Callable[..., tuple[Answers, RemoteExecutor]]]:
    served: list[ServedApp] = []
    executors: list[RemoteExecutor] = []

    def start(*answers: Response, **more: Any) -> tuple[Answers, RemoteExecutor]:
        app = Answers(*answers)
        served.append(ServedApp(app))
        executors.append(RemoteExecutor("x", served[-1].address, **more))
        return app, executors[-1]

    yield start
    for executor in executors:
        executor.close()
    for one in served:
        one.close()


Answering = Callable[..., tuple[Answers, RemoteExecutor]]


@pytest.mark.parametrize("answer, message", [
    (a_problem(404, "unknown-database"), "has no database 'x'; check `database` in databases.yaml"),
    (a_problem(503, "database-unavailable"), "It said why."),
    (a_problem(500, "unexpected"), "could not answer: It said why."),
    (a_problem(404, "unknown-route"), "could not answer: It said why."),
    (a_problem(422, "invalid-field"), "could not answer: It said why."),
    (said(401), "The key for 'x' was not accepted"),
    (said(403), "The key for 'x' was not accepted"),
    (said(404, {"message": "no"}), "answered with status 404"),
    (said(302, location="https://elsewhere.example/"), "answered with status 302"),
    (said(502), "answered with status 502"),
    (said(503), "is busy, or not set up"),
    (said(503, Retry_After="3600"), "is busy, or not set up"),
    (said(429, Retry_After="later"), "is busy, or not set up"),
    (said(200, {"hello": "world"}), "is no Plumbline of this version"),
    (said(200, ROWS | {"rows": 5}), "is no Plumbline of this version"),
])  # fmt: skip
def test_what_the_app_cannot_do_is_a_sentence(answering: Answering, answer: Response, message: str) -> None:
    _, executor = answering(answer, key=SecretStr("hunter2"))

    with pytest.raises(DatabaseUnavailable) as raised:
        executor.run(ANY_QUERY, timeout_s=5)

    assert message in str(raised.value)
    assert "hunter2" not in str(raised.value)
    assert "127.0.0.1" not in str(raised.value)


@pytest.mark.parametrize("kind", list(ErrorKind))
@pytest.mark.parametrize("slug, error", [("sql-refused", SqlRefused), ("sql-failed", SqlFailed)])
def test_an_error_of_a_query_is_the_error_that_it_was(
    answering: Answering, slug: str, error: type[SqlError], kind: ErrorKind
) -> None:
    _, executor = answering(a_problem(422, slug, kind=kind, hint="Mend it."))

    with pytest.raises(error) as raised:
        executor.run(ANY_QUERY, timeout_s=5)

    assert (raised.value.kind, raised.value.message, raised.value.hint) == (kind, "It said why.", "Mend it.")


@pytest.mark.parametrize("answer", [said(504), a_problem(504, "out-of-time")])
def test_a_front_end_that_gave_up_is_out_of_time(answering: Answering, answer: Response) -> None:
    _, executor = answering(answer)

    with pytest.raises(SqlFailed, match="within 5 seconds") as raised:
        executor.run(ANY_QUERY, timeout_s=5)

    assert raised.value.kind is ErrorKind.TIMEOUT


def test_an_app_that_never_answers_is_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("executors.remote.MARGIN_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        executor = RemoteExecutor("x", f"http://127.0.0.1:{deaf.getsockname()[1]}")
        with pytest.raises(SqlFailed, match=r"within 0\.1 seconds"):
            executor.run(ANY_QUERY, timeout_s=0.1)
        executor.close()


def test_an_app_that_is_not_there_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    executor = RemoteExecutor("x", f"http://127.0.0.1:{port}", key=SecretStr("hunter2"))

    with pytest.raises(DatabaseUnavailable, match="cannot be reached") as raised:
        executor.schema()

    executor.close()
    assert "hunter2" not in str(raised.value)
    assert "127.0.0.1" not in str(raised.value), "where the app is, callers need not know"


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_app_is_asked_again_when_it_says(answering: Answering, status: int) -> None:
    app, executor = answering(said(status, Retry_After="0"), said(status, Retry_After="0"), said(200, ROWS))

    assert executor.run(ANY_QUERY, timeout_s=5).rows == ((1,),)
    assert len(app.asked) == 3


def test_an_app_that_stays_busy_is_not_asked_for_ever(answering: Answering) -> None:
    app, executor = answering(*[said(429, Retry_After="0") for _ in range(9)])

    with pytest.raises(DatabaseUnavailable, match="is busy"):
        executor.run(ANY_QUERY, timeout_s=5)

    assert len(app.asked) == 3


def test_a_connection_that_breaks_is_tried_once_more() -> None:
    body = json.dumps(ROWS).encode()
    answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for reply in (b"", answer):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(reply)

        serving = threading.Thread(target=serve)
        serving.start()
        executor = RemoteExecutor("x", f"http://127.0.0.1:{listening.getsockname()[1]}")

        assert executor.run(ANY_QUERY, timeout_s=5).rows == ((1,),)

        executor.close()
        serving.join()


# -- what is sent ------------------------------------------------------------------------------------------


def test_a_query_is_sent_with_its_cap_and_its_time(answering: Answering) -> None:
    app, executor = answering(said(200, ROWS), database="there")
    query = CheckedSql(sql="SELECT a FROM t LIMIT 7", executable="SELECT a FROM t LIMIT 8", row_limit=7, tables=("t",))

    executor.run(query, timeout_s=2.5)

    method, path, _, body = app.asked[0]
    assert (method, path) == ("POST", "/api/execute?")
    assert json.loads(body) == {
        "database": "there",
        "sql": "SELECT a FROM t LIMIT 8",
        "row_limit": 7,
        "timeout_s": 2.5,
    }


def test_a_key_is_sent_as_azure_wants_it(answering: Answering) -> None:
    app, executor = answering(said(200, ROWS), key=SecretStr("k"))

    executor.run(ANY_QUERY, timeout_s=5)

    assert app.asked[0][2]["x-functions-key"] == "k"
    assert "authorization" not in app.asked[0][2]


class Token:
    def __init__(self, token: str, expires_on: int) -> None:
        self.token, self.expires_on = token, expires_on


class Credential:
    """Tokens that are out of date at once, numbered."""

    def __init__(self) -> None:
        self.scopes: list[tuple[str, ...]] = []

    def get_token(self, *scopes: str) -> Token:
        self.scopes.append(scopes)
        return Token(f"token {len(self.scopes)}", 0)


def test_an_identity_is_sent_as_a_token_that_is_renewed(answering: Answering) -> None:
    credential = Credential()
    token = TokenSource("api://app/.default", credential)
    app, executor = answering(said(200, ROWS), said(401), token=token)

    executor.run(ANY_QUERY, timeout_s=5)
    with pytest.raises(DatabaseUnavailable, match="The identity for 'x' was not accepted"):
        executor.run(ANY_QUERY, timeout_s=5)

    assert [asked[2]["authorization"] for asked in app.asked] == ["Bearer token 1", "Bearer token 2"]
    assert credential.scopes == [("api://app/.default",)] * 2


def test_no_token_says_how_to_get_one(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    from azure.core.exceptions import ClientAuthenticationError

    class Nobody:
        def get_token(self, *scopes: str) -> Token:
            raise ClientAuthenticationError("nobody is signed in")

    monkeypatch.setattr("azure.identity.DefaultAzureCredential", Nobody)
    app, executor = answering(identity="api://app")

    with pytest.raises(DatabaseUnavailable, match="sign in with `az login`"):
        executor.schema()

    assert app.asked == []


@pytest.mark.parametrize("suffix", ["", "/", "/api", "/api/"])
def test_the_address_may_end_with_the_prefix_or_not(host: RemoteHost, suffix: str) -> None:
    executor = RemoteExecutor("lite", host.address + suffix)

    assert executor.schema().table("people")
    executor.close()


# -- its schema --------------------------------------------------------------------------------------------


def test_a_schema_is_kept_and_refreshed_over_there_as_well(answering: Answering) -> None:
    app, executor = answering(said(200, TABLES), said(200, TABLES))
    assert executor.dialect == ""

    assert executor.schema() is executor.schema()
    assert (executor.dialect, executor.warnings) == ("duckdb", ("One view is broken.",))
    executor.refresh()
    executor.schema()
    executor.schema()

    assert [asked[1] for asked in app.asked] == [
        "/api/databases/x/schema?enriched=false",
        "/api/databases/x/schema?enriched=false&refresh=true",
    ]


def test_a_refresh_that_failed_is_asked_for_again(answering: Answering) -> None:
    app, executor = answering(said(502), said(200, TABLES))
    executor.refresh()

    with pytest.raises(DatabaseUnavailable):
        executor.schema()
    executor.schema()

    assert [asked[1] for asked in app.asked] == ["/api/databases/x/schema?enriched=false&refresh=true"] * 2


def test_a_schema_expires(answering: Answering) -> None:
    options = ServerOptions(schema_ttl_s=1e-9)
    app, executor = answering(said(200, TABLES), said(200, TABLES), options=options)

    executor.schema()
    executor.schema()

    assert len(app.asked) == 2


def test_a_dialect_that_is_unknown_here_is_a_sentence(answering: Answering) -> None:
    _, executor = answering(said(200, TABLES | {"dialect": "dbase"}))

    with pytest.raises(DatabaseUnavailable, match="'dbase', which is unknown here"):
        executor.schema()


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
    listed = await service.databases(LOCAL)

    await service.close()
    assert (answer.results, answer.dialect) == ([{"n": 234}], "sqlite")
    assert answer.raw_results
    assert health["database people"]
    assert [(one.name, one.dialect, one.available) for one in listed] == [("people", "sqlite", True)]

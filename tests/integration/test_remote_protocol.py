"""Requests of a remote executor to another deployment, and its handling of each response."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from azure.core.credentials import AccessToken
from pydantic import SecretStr
from remote_host import ServedApp
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from unguarded import unguarded

from executors.base import CheckedSql
from executors.engines.common.servers.tokens import TokenSource
from executors.engines.remote.executor import RemoteExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.registry.entry import ServerOptions

ANY_QUERY = unguarded("SELECT 1", row_limit=10)


class Answers:
    """An app with scripted responses that records requests."""

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


# -- what can go wrong on the way --------------------------------------------------------------------------


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
    (said(200, {"hello": "world"}), "is not a Plumbline of this version"),
    (said(200, ROWS | {"rows": 5}), "is not a Plumbline of this version"),
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
    _, executor = answering(a_problem(422, slug, kind=kind, hint="Repair it."))

    with pytest.raises(error) as raised:
        executor.run(ANY_QUERY, timeout_s=5)

    assert (raised.value.kind, raised.value.message, raised.value.hint) == (kind, "It said why.", "Repair it.")


@pytest.mark.parametrize("answer", [said(504), a_problem(504, "out-of-time")])
def test_a_front_end_that_gave_up_is_out_of_time(answering: Answering, answer: Response) -> None:
    _, executor = answering(answer)

    with pytest.raises(SqlFailed, match="within 5 seconds") as raised:
        executor.run(ANY_QUERY, timeout_s=5)

    assert raised.value.kind is ErrorKind.TIMEOUT


def test_an_app_that_never_answers_is_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("executors.engines.remote.executor.MARGIN_S", 0.1)
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


def test_the_apps_own_maximum_is_sent_if_it_is_lower(answering: Answering) -> None:
    refused = {"type": "urn:plumbline:problem:too-many-rows", "detail": "`row_limit` is 10.", "most_rows": 6}
    app, executor = answering(said(422, refused), said(200, ROWS))

    executor.run(ANY_QUERY, timeout_s=5)

    assert [json.loads(body)["row_limit"] for *_, body in app.asked] == [10, 6]


def test_a_key_is_sent_as_azure_wants_it(answering: Answering) -> None:
    app, executor = answering(said(200, ROWS), key=SecretStr("k"))

    executor.run(ANY_QUERY, timeout_s=5)

    assert app.asked[0][2]["x-functions-key"] == "k"
    assert "authorization" not in app.asked[0][2]


class Credential:
    """Tokens that are out of date at once, numbered."""

    def __init__(self) -> None:
        self.scopes: list[tuple[str, ...]] = []

    def get_token(self, *scopes: str, **_: object) -> AccessToken:
        self.scopes.append(scopes)
        return AccessToken(f"token {len(self.scopes)}", 0)


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
        def get_token(self, *scopes: str, **_: object) -> AccessToken:
            raise ClientAuthenticationError("nobody is signed in")

    monkeypatch.setattr("azure.identity.DefaultAzureCredential", Nobody)
    app, executor = answering(identity="api://app")

    with pytest.raises(DatabaseUnavailable, match="sign in with `az login`"):
        executor.schema()

    assert app.asked == []


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

"""Limits on headers and arrival time of requests: over real connections and as middleware."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from api_client import api_client, app_without_docs, problem
from fastapi import FastAPI, Request, Response
from starlette.types import Message, Receive, Scope, Send

from agent.api.app import create_app
from agent.api.http.context import BODY_BYTES_A_SECOND, arrival_s
from agent.api.server.bounded import build_http_protocol
from agent.api.server.limits import MAX_HEADER_BYTES, MAX_HEADERS
from agent.api.server.server import Server
from agent.pipeline.service import Service
from agent.platform.access.policy import CallerRequest

LINE = b"GET /api/health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n"
ASKED = b"POST /api/execute HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n"
LONG_S, SHORT_S = 3600.0, 0.3  # in the short time a whole request comes on any machine, and a refusal is made


@asynccontextmanager
async def listening(app: FastAPI, receive_timeout_s: float) -> AsyncIterator[int]:
    """The port on which uvicorn serves the app as `serve` does."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        config = uvicorn.Config(
            app,
            log_config=None,
            ws="none",
            timeout_graceful_shutdown=1,
            http=build_http_protocol(receive_timeout_s),  # type: ignore[arg-type]  # called, as a class would be
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[opened]))
        try:
            yield opened.getsockname()[1]
        finally:
            server.should_exit = True
            await serving


async def said(port: int, *parts: bytes) -> list[bytes]:
    """All that comes back until the connection is closed, in responses; each part is sent once it may be."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
        return [b"HTTP/1.1 " + one for one in (await reader.read()).split(b"HTTP/1.1 ")[1:]]
    except ConnectionResetError:
        return []
    finally:
        writer.close()


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


def slug_of(response: bytes) -> str:
    head, _, body = response.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    told = json.loads(body)
    assert told["status"] == status_of(response)
    assert len(told["trace_id"]) == 32
    return str(told["type"]).rsplit(":", 1)[1]


@pytest.fixture
def app(make_service: Callable[..., Service]) -> FastAPI:
    return create_app(lambda: make_service(enable_retrieval=False), receive_timeout_s=SHORT_S)


def headers(count: int, size: int = 1) -> bytes:
    return b"".join(b"x-%d: %s\r\n" % (number, b"a" * size) for number in range(count))


@pytest.mark.parametrize("parts, why", [
    ((LINE, headers(MAX_HEADERS), b"\r\n"), "too many, with `host`"),
    ((LINE, headers(30_000)), "many that are never complete"),
    ((LINE, headers(2, MAX_HEADER_BYTES // 2), b"\r\n"), "too long together"),
    ((LINE, b"x: " + b"a" * 10 * MAX_HEADER_BYTES), "one that never ends"),
    ((b"GET /" + b"a" * MAX_HEADER_BYTES, b" HTTP/1.1\r\n\r\n"), "an address"),
    ((LINE + b"\r\n", LINE + headers(MAX_HEADERS) + b"\r\n"), "the second request of a connection"),
])  # fmt: skip
async def test_a_head_that_is_too_large_is_refused_while_it_arrives(
    app: FastAPI, parts: tuple[bytes, ...], why: str
) -> None:
    async with listening(app, LONG_S) as port:
        responses = await said(port, *parts)
        assert [status_of(one) for one in responses][-1:] == [431], why
        assert slug_of(responses[-1]) == "headers-too-large"


async def test_headers_up_to_the_bounds_are_taken(app: FastAPI) -> None:
    async with listening(app, LONG_S) as port:
        last = b"connection: close\r\n\r\n"
        (answered,) = await said(port, LINE, headers(MAX_HEADERS - 2, 200), last)
        assert status_of(answered) == 200
        split = [LINE[at : at + 1] for at in range(len(LINE))]
        (answered,) = await said(port, *split, last)
        assert status_of(answered) == 200, "byte by byte"


@pytest.mark.parametrize("parts, status, why", [
    ((), 408, "nothing was sent"),
    ((b"\r\n\r\n",), 408, "empty lines, which may stand before a request"),
    ((LINE,), 408, "half of the headers"),
    ((LINE, b"x: "), 408, "half of a header"),
    ((ASKED,), 408, "headers without the body"),
    ((ASKED, b'{"database"'), 408, "half of a body"),
    ((ASKED.replace(b"content-length: 100", b"transfer-encoding: chunked"), b"2\r\n{}\r\n"), 408, "half of the chunks"),
])  # fmt: skip
async def test_what_is_sent_by_half_is_closed(app: FastAPI, parts: tuple[bytes, ...], status: int, why: str) -> None:
    async with listening(app, SHORT_S) as port:
        (refused,) = await said(port, *parts)
        assert status_of(refused) == status, why
        assert slug_of(refused) == "request-timeout"


async def test_a_body_that_is_refused_unread_keeps_no_connection_open(app: FastAPI) -> None:
    large = ASKED.replace(b"100", b"9000000")
    async with listening(app, SHORT_S) as port:
        (refused,) = await said(port, large)
        assert status_of(refused) == 413, "and the connection ends, though the rest never comes"


async def test_a_request_by_half_behind_a_whole_one_takes_nothing_from_its_answer(app: FastAPI) -> None:
    async with listening(app, SHORT_S) as port:
        first, *others = await said(port, LINE + b"\r\n" + LINE)
        assert status_of(first) == 200
        assert [status_of(one) for one in others] == [408]


@pytest.mark.parametrize("request_line", [b"GET", b"CONNECT host:443 HTTP/1.1\r\nhost: host:443"])
async def test_what_cannot_be_read_is_a_problem_document_too(app: FastAPI, request_line: bytes) -> None:
    async with listening(app, LONG_S) as port:
        (refused,) = await said(port, request_line + b"\r\n\r\n")
        assert (status_of(refused), slug_of(refused)) == (400, "malformed-request")


OFFER = (
    b"POST /echo HTTP/1.1\r\nhost: a\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AA\r\n"
)
SIZED, CHUNKED = b"content-length: 5\r\n\r\n", b"transfer-encoding: chunked\r\n\r\n"
LAST = b"POST /echo HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 4\r\n\r\nlast"


@pytest.mark.parametrize("parts, bodies, why", [
    ((OFFER + SIZED + b"whole", LAST), [b"whole", b"last"], "Java sends head and body at once, or"),
    ((OFFER + SIZED, b"whole", LAST), [b"whole", b"last"], "one after the other"),
    ((OFFER + CHUNKED + b"3\r\nabc\r\n", b"0\r\n\r\n", LAST), [b"abc", b"last"], "in chunks"),
    ((OFFER + SIZED + b"first" + OFFER + SIZED + b"other" + LAST,), [b"first", b"other", b"last"], "in a row"),
    ((*(OFFER[at : at + 1] for at in range(len(OFFER))), SIZED + b"bytes", LAST), [b"bytes", b"last"], "split"),
    ((OFFER.replace(b"Upgrade,", b"close, upgrade,") + SIZED + b"whole",), [b"whole"], "the only one"),
])  # fmt: skip
async def test_an_offer_of_another_protocol_is_passed_over(
    parts: tuple[bytes, ...], bodies: list[bytes], why: str
) -> None:
    app = FastAPI()

    @app.post("/echo")
    async def echo(request: Request) -> Response:
        assert not {"upgrade", "http2-settings"} & set(request.headers)
        return Response(await request.body())

    async with listening(app, LONG_S) as port:
        responses = await said(port, *parts)
    assert [one.partition(b"\r\n\r\n")[2] for one in responses] == bodies, why


async def test_an_offer_with_headers_beyond_the_bounds_is_refused(app: FastAPI) -> None:
    async with listening(app, LONG_S) as port:
        (refused,) = await said(port, OFFER + headers(MAX_HEADERS) + SIZED + b"whole")
        assert slug_of(refused) == "headers-too-large"


def test_serve_has_these_bounds() -> None:
    made = Server(FastAPI, grace_s=1, receive_timeout_s=7, host="127.0.0.1", port=1, log_level="warning")
    assert made.config.http.keywords == {"receive_timeout_s": 7}  # type: ignore[union-attr]


# -- as middleware, for hosts that have a server of their own --------------------------------------------------


async def test_other_hosts_refuse_too_many_headers(make_service: Callable[..., Service]) -> None:
    async with api_client(app_without_docs(make_service)) as client:
        many = {f"x-{number}": "a" for number in range(MAX_HEADERS)}
        problem(await client.get("/health/live", headers=many), 431, "headers-too-large")
        problem(await client.get("/health/live", headers={"x": "a" * MAX_HEADER_BYTES}), 431, "headers-too-large")
        problem(await client.get("/health/live", params={"x": "a" * MAX_HEADER_BYTES}), 431, "headers-too-large")
        assert (await client.get("/health/live", headers={"x": "a" * 4000})).status_code == 200


async def test_other_hosts_wait_for_no_body_for_ever(app: FastAPI) -> None:
    sent: list[Message] = []

    async def half() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": "/api/execute", "raw_path": b"/api/execute", "query_string": b"", "root_path": "",
        "headers": [(b"host", b"test"), (b"content-length", b"100")], "client": ("127.0.0.1", 1), "server": ("x", 80),
    }  # fmt: skip
    receive: Receive = half
    told: Send = send
    await app(scope, receive, told)
    assert sent[0]["status"] == 408


def test_the_time_of_a_body_grows_with_what_arrives() -> None:
    assert arrival_s(10, 0) == 10
    assert arrival_s(10, 10 * BODY_BYTES_A_SECOND) == 20


def test_headers_are_read_once_each() -> None:
    """However many there are: what looks each of them up among all others takes hours here."""
    given = [(b"x-%d" % number, b"a") for number in range(200_000)]
    asked = CallerRequest.of({"type": "http", "headers": [*given, (b"x-1", b"b")]})
    assert (len(asked.headers), asked.headers["x-1"]) == (200_000, "a"), "of one that is there twice, the first"

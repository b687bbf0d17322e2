"""Connections: for any bytes, in any pieces, the connection ends in time and the service keeps running.

A case's text is a JSON list of pieces, each sent by itself, as Latin-1; the client then waits for the end. Among them
are thousands of headers, incomplete requests and missing bodies.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from hypothesis import strategies as st

from agent.api.app import create_app
from agent.api.server.bounded import build_http_protocol
from agent.pipeline.service import Service
from fuzz.cases import Case, Check, Target

RECEIVE_TIMEOUT_S = 0.1
PATIENCE_S = 30.0  # far more than any case may take
_ALIVE = b"GET /api/health/live HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"


class ConnectionCheck:
    """Sends a case over a new connection. Args: port: that the service listens on."""

    def __init__(self, port: int) -> None:
        self._port = port

    def __call__(self, case: Case) -> None:
        """Raises AssertionError if the response is not allowed, TimeoutError if it never ends."""
        reply = self._send([piece.encode("latin-1", "replace") for piece in json.loads(case.text)])
        for response in reply.split(b"HTTP/1.1 ")[1:]:
            assert response[:3].isdigit(), response[:80]
            assert response[:1] != b"5", response[:200]
        assert self._send([_ALIVE]).startswith(b"HTTP/1.1 200"), "it is not alive"

    def _send(self, pieces: list[bytes]) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE_S) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reply = bytearray()
            try:
                for piece in pieces:
                    connection.sendall(piece)
                while part := connection.recv(65_536):
                    reply += part
            except ConnectionError:
                pass  # it was closed while something was still to be sent
            return bytes(reply)


@contextmanager
def opened() -> Iterator[Check]:
    """The check, with the server that `serve` runs, in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        app = create_app(_nobody_asks, receive_timeout_s=RECEIVE_TIMEOUT_S)
        http = build_http_protocol(RECEIVE_TIMEOUT_S)
        config = uvicorn.Config(
            app,
            log_config=None,
            ws="none",
            timeout_graceful_shutdown=1,
            http=http,  # type: ignore[arg-type]  # called, as a class would be
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=asyncio.run, args=(server.serve(sockets=[listening]),))
        thread.start()
        try:
            yield ConnectionCheck(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def _nobody_asks() -> Service:
    raise AssertionError("no case gets as far as the service")


_HEADS = (
    "GET /api/health/live HTTP/1.1\r\n",
    "POST /api/query HTTP/1.1\r\n",
    "GET / HTTP/1.0\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "PRI * HTTP/2.0\r\n",
    "GET /api/%00 HTTP/1.1\r\n",
    "GET  HTTP/1.1\r\n",
    "\r\n\r\n",
    "HEAD /api/nowhere HTTP/1.1\r\n",
)
_LINES = (
    "host: 127.0.0.1\r\n",
    "content-length: 10\r\n",
    "content-length: 99999999\r\n",
    "transfer-encoding: chunked\r\n",
    "connection: close\r\n",
    "connection: upgrade\r\nupgrade: websocket\r\n",
    "expect: 100-continue\r\n",
    "x: ",
    "a",
    " folded\r\n",
    "content-length: -1\r\n",
    "\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "ffffffffffff\r\n",
    "{}",
    "\x00",
    "\xff",
)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    pieces = [draw(st.sampled_from(_HEADS))]
    for _ in range(draw(st.integers(0, 6))):
        way = draw(st.integers(0, 9))
        if way == 0:
            pieces.append("".join(f"x-{number}: y\r\n" for number in range(draw(st.sampled_from([90, 101, 5_000])))))
        elif way == 1:
            pieces.append(
                "x: " + "a" * draw(st.sampled_from([1_000, 40_000, 300_000])) + draw(st.sampled_from(["", "\r\n"]))
            )
        elif way == 2:
            pieces.append(draw(st.sampled_from(_HEADS)))
        elif way == 3:
            pieces.append(draw(st.text(st.characters(max_codepoint=255), max_size=20)))
        else:
            pieces.append(draw(st.sampled_from(_LINES)))
    return Case("pieces", json.dumps(pieces))


TARGET = Target(name="connections", kinds=("pieces",), cases=_cases(), opened=opened)

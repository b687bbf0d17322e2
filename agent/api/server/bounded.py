"""uvicorn's HTTP protocol with limits on the number and size of a request's headers, and on its time to arrive.

httptools accepts headers of any length, and uvicorn waits indefinitely for the rest of a request. Clients that offer
another protocol (`Upgrade: h2c`) get HTTP/1.1 responses (RFC 9110, 7.8); uvicorn loses their bodies (issue 2722).
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from agent.api.http.context import arrival_s
from agent.api.http.errors import MEDIA_TYPE, http_problem
from agent.api.server.limits import HEADER_OVERHEAD, MAX_HEADER_BYTES, MAX_HEADERS
from agent.platform.telemetry.trace import new_trace_id

OFFERING = frozenset({b"connection", b"upgrade", b"http2-settings"})
LINGER_S = 2.0  # time for a client that is still sending to read the refusal


class HeadTooLarge(Exception):
    """Ends the parsing of a request."""


class BoundedHttp(HttpToolsProtocol):
    """One connection. The head of a request must arrive within `receive_timeout_s` seconds of its first byte.

    The same applies to the first byte of a new connection. The body has more time; see `arrival_s`.
    """

    def __init__(self, *others: Any, receive_timeout_s: float, **named: Any) -> None:
        super().__init__(*others, **named)
        self._timeout_s = receive_timeout_s
        self._timer: asyncio.TimerHandle | None = None
        self._has_begun = self._in_body = self._is_refused = False
        self._read = self._unread = b""  # the parser stops if another protocol is offered
        self._pending_refusal: tuple[int, str] | None = None  # a refusal that waits for the previous response
        self._head_bytes = self._head_count = self._body_bytes = 0
        self._began_at = 0.0

    # -- the connection -----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # same signature as in uvicorn
        super().connection_made(transport)
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        in_head = self._timer is not None and not self._in_body
        had_begun = self._has_begun
        self._has_begun = False
        self._unread = data
        while self._unread and not self._is_refused:
            self._read, self._unread = self._unread, b""
            super().data_received(self._read)
        if self._is_refused or self.transport.is_closing():
            return
        if in_head and not self._in_body and not self._has_begun:  # all data belongs to an incomplete head
            self._head_bytes += len(data)
            self._has_begun = had_begun
            if self._head_bytes > MAX_HEADER_BYTES:
                self._refuse(431)
        elif self._timer is None and not self._is_answering():  # empty lines before a request
            self._start()

    # -- the parser's callbacks ---------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._timer is None:
            self._start()
        self._has_begun, self._in_body = True, False
        self._head_bytes = self._head_count = self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._head_count += 1
        self._count(len(name) + len(value) + HEADER_OVERHEAD)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._is_offer():
            return
        super().on_headers_complete()
        self._in_body = True

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._is_offer():
            return
        self._stop()
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._pending_refusal is not None and not self.pipeline and not self.transport.is_closing():
            self._tell(*self._pending_refusal)

    def send_400_response(self, msg: str) -> None:
        """Called by uvicorn for unparsable requests, including those with a head that is too large."""
        too_large = self._head_count > MAX_HEADERS or self._head_bytes > MAX_HEADER_BYTES
        self._refuse(431 if too_large else 400, "" if too_large else msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Called by uvicorn if the parser stopped because another protocol was offered. Continue as if it were not."""
        stopped = sys.exception()
        if not self._is_offer() or not isinstance(stopped, httptools.HttpParserUpgrade):
            return  # CONNECT has no body
        line = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        headers = [b"%s: %s" % header for header in self.headers if header[0] not in OFFERING]
        if not self.parser.should_keep_alive():
            headers.append(b"connection: close")
        self.parser = httptools.HttpRequestParser(self)
        self._unread = b"\r\n".join((line, *headers, b"", self._read[stopped.args[0] :]))

    def _is_offer(self) -> bool:
        """Whether the request offers an unsupported protocol."""
        if not self.parser.should_upgrade() or self._should_upgrade():
            return False
        return bool(self.parser.get_method() != b"CONNECT")

    # -- bounds -------------------------------------------------------------------------------------------

    def _count(self, size: int) -> None:
        """Count the bytes of a head, and of trailers after a chunked body."""
        self._head_bytes += size
        if self._head_count > MAX_HEADERS or self._head_bytes > MAX_HEADER_BYTES:
            raise HeadTooLarge

    def _start(self) -> None:
        self._began_at = self.loop.time()
        self._timer = self.loop.call_at(self._began_at + self._timeout_s, self._out_of_time)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _out_of_time(self) -> None:
        grace = LINGER_S if self._in_body else 0  # `limits.RequestLimits` refuses slow bodies when they are read
        until = self._began_at + arrival_s(self._timeout_s, self._body_bytes) + grace
        if self.loop.time() < until:
            self._timer = self.loop.call_at(until, self._out_of_time)
            return
        self._timer = None
        if self._in_body:
            self.transport.abort()
        else:
            self._refuse(408)

    def _is_answering(self) -> bool:
        return bool(self.pipeline) or (self.cycle is not None and not self.cycle.response_complete)

    def _refuse(self, status: int, detail: str = "") -> None:
        """Stop reading and send the reason, after the responses to earlier requests, if any."""
        self._is_refused = True
        self._stop()
        if self._in_body and self.cycle.response_started:
            self.transport.close()
        elif self._is_answering() and not self._in_body:
            self._pending_refusal = (status, detail)
        else:
            self._tell(status, detail)

    def _tell(self, status: int, detail: str) -> None:
        """Send the refusal, and close the connection after the client had time to read it."""
        self.transport.write(_refusal(status, detail))
        if self.transport.can_write_eof():
            self.transport.write_eof()
            self._timer = self.loop.call_later(LINGER_S, self.transport.close)
        else:
            self.transport.close()


def build_http_protocol(receive_timeout_s: float) -> partial[BoundedHttp]:
    """The value for uvicorn's `http`. Args: receive_timeout_s: seconds in which a request's head must arrive."""
    return partial(BoundedHttp, receive_timeout_s=receive_timeout_s)


def _refusal(status: int, detail: str) -> bytes:
    problem = http_problem(status, new_trace_id(), **({"detail": detail} if detail else {}))
    body = problem.model_dump_json().encode()
    lines = (f"content-type: {MEDIA_TYPE}", f"content-length: {len(body)}", f"x-trace-id: {problem.trace_id}")
    head = "\r\n".join((*lines, "cache-control: no-store", "x-content-type-options: nosniff", "connection: close"))
    return STATUS_LINE[status] + head.encode() + b"\r\n\r\n" + body

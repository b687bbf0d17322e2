"""ClickHouse's HTTP interface, as far as its driver uses it, over chdb; see `testbed.clickhouse` for what is real.

`testbed.clickhouse` runs it in a separate process: chdb can open one folder at a time.
"""

from __future__ import annotations

import base64
import os
import re
import secrets
import sys
import threading
from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from testbed.clickhouse import ASKING, LOCKED, PASSWORD, READER, READER_PASSWORD, USER

_PASSWORDS = {USER: PASSWORD, **dict.fromkeys((READER, LOCKED, ASKING), READER_PASSWORD)}
_PROFILES = {LOCKED: "readonly = 1", ASKING: "readonly = 2"}
# What the interface takes for itself; anything else in the address is a setting.
_NO_SETTINGS = {"query", "database", "user", "password", "query_id", "default_format", "session_id", "quota_key",
                "session_timeout", "session_check", "wait_end_of_query", "buffer_size", "client_protocol_version",
                "compress", "decompress", "enable_http_compression", "role", "stacktrace", "close_session"}  # fmt: skip
_STATUS = {
    **dict.fromkeys((46, 47, 60, 81, 115), HTTPStatus.NOT_FOUND),
    **dict.fromkeys((6, 27, 41, 53, 62), HTTPStatus.BAD_REQUEST),
    159: HTTPStatus.REQUEST_TIMEOUT,
    516: HTTPStatus.FORBIDDEN,
}
_INSERT = re.compile(rb"\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*?\n", re.IGNORECASE | re.DOTALL)
_SELECT = re.compile(r"[\s(]*(?:SELECT|WITH)\b", re.IGNORECASE)  # all that chdb gives piece by piece
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)


class _Refused(Exception):
    """Requests that the server refuses, not the engine."""


class _Front(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: str, port: int) -> None:
        self.folder = folder
        self.first = self.session()  # while it is open, so is the engine
        version, self.timezone = str(self.first.query("SELECT version(), timezone()", "TSV")).split()
        self.version = f"(version {version} (official build))"
        super().__init__(("127.0.0.1", port), _Handler)

    def session(self) -> Any:
        """One of chdb's: its settings are its own, the data and the list of processes are all sessions'."""
        from chdb.session import Session

        return Session(self.folder)  # type: ignore[no-untyped-call]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Front

    def do_GET(self) -> None:
        if urlsplit(self.path).path == "/ping":
            self._reply(HTTPStatus.OK, b"Ok.\n", {})
        else:
            self.do_POST()

    def do_POST(self) -> None:
        from chdb import ChdbError

        params = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self._body()
        self._started = False
        self._tag = secrets.token_hex(8)
        try:
            user = self._let_in(params)
            query_id = params.get("query_id") or secrets.token_hex(16)
            self._headers = {"X-ClickHouse-Query-Id": query_id, "X-ClickHouse-Timezone": self.server.timezone}
            with closing(self.server.session()) as session:
                # Only the command line takes a query without SELECT.
                session.query(f"SET implicit_select = 0, log_comment = {_text(query_id)}")
                if user in _PROFILES:
                    session.query(f"SET {_PROFILES[user]}")
                self._run(session, params, body)
        except (ChdbError, RuntimeError, _Refused) as error:
            self._fail(str(error))

    def _let_in(self, params: dict[str, str]) -> str:
        user, password = params.get("user", USER), params.get("password", "")
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            user, _, password = base64.b64decode(token).decode().partition(":")
        user = unquote(self.headers.get("X-ClickHouse-User", user))
        password = self.headers.get("X-ClickHouse-Key", password)
        if _PASSWORDS.get(user) != password:
            raise _Refused(
                f"Code: 516. DB::Exception: {user}: Authentication failed: password is incorrect, or there is no user "
                "with such name. (AUTHENTICATION_FAILED)"
            )
        return user

    def _run(self, session: Any, params: dict[str, str], body: bytes) -> None:
        if database := params.get("database"):
            session.query(f"USE {_name(database)}")
        whole = b"\n".join(part for part in (params.get("query", "").encode(), body) if part)
        inserted = _INSERT.match(whole)
        sql = "" if inserted else _one_query(session, whole.decode())
        settings = [f"{key} = {_text(value)}" for key, value in params.items() if key not in _NO_SETTINGS]
        if settings:
            session.query(f"SET {', '.join(settings)}")
        if inserted:
            with session.send_insert(inserted[1].decode(), inserted[2].decode()) as stream:
                stream.append(whole[inserted.end() :])
                stream.finish()
            self._reply(HTTPStatus.OK, b"", self._headers)
            return
        wanted = _FORMAT.search(sql)
        kind = wanted[1] if wanted else params.get("default_format", "TabSeparated")
        self._headers["X-ClickHouse-Format"] = kind
        if kind == "Native" and not params.get("wait_end_of_query") and _SELECT.match(sql):
            self._stream(session.send_query(sql, kind))
        else:
            self._reply(HTTPStatus.OK, session.query(sql, kind).bytes(), self._headers)

    def _stream(self, chunks: Any) -> None:
        try:
            for chunk in chunks:
                self._start()
                data = chunk.bytes()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self._start()
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            chunks.close()

    def _start(self) -> None:
        """A reply begins with the first rows; an error before that has its own status."""
        if not self._started:
            self._started = True
            self.send_response(HTTPStatus.OK)
            for name, value in {**self._headers, "X-ClickHouse-Exception-Tag": self._tag}.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()

    def _fail(self, said: str) -> None:
        message = f"{said.removeprefix('Streaming query failed: ')} {self.server.version}\n"
        if self._started:  # the status was already sent, so the error follows the rows
            tail = (
                f"\r\n__exception__\r\n{self._tag}\r\n{message}{len(message)} {self._tag}\r\n__exception__\r\n".encode()
            )
            self.wfile.write(b"%x\r\n%b\r\n" % (len(tail), tail))
            self.close_connection = True
            return
        found = re.search(r"Code: (\d+)", message)
        code = int(found[1]) if found else 1002
        headers = {"X-ClickHouse-Exception-Code": str(code)}
        self._reply(_STATUS.get(code, HTTPStatus.INTERNAL_SERVER_ERROR), message.encode(), headers)

    def _reply(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name it has in the library
        """Nothing: requests are not of interest."""


def _one_query(session: Any, sql: str) -> str:
    """The text, if it is what a server takes. chdb, as the command line does, would take several statements, and write
    files."""
    if re.match(r"\s*INSERT\b", sql, re.IGNORECASE):
        return sql
    formatted: str = session.query(f"SELECT formatQuery({_text(sql)})", "TSVRaw").bytes().decode()
    if re.search(r"^INTO OUTFILE ", formatted, re.MULTILINE):
        raise _Refused("Code: 80. DB::Exception: INTO OUTFILE is not allowed. (INCORRECT_QUERY)")
    if formatted.startswith("KILL QUERY"):
        return formatted.replace("query_id", "Settings['log_comment']")
    return sql


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _name(name: str) -> str:
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def _end_with(parent: IO[bytes]) -> None:
    """End this process when the parent's end of the pipe closes."""
    parent.read()
    os._exit(0)


def main(folder: str, port: str) -> None:
    """Serve until stopped. Prints a line once it answers."""
    front = _Front(folder, int(port))
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    print("ready", flush=True)
    front.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])

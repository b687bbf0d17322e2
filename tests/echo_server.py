"""A server that refuses every request and repeats it, keys included."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        said = f"refused: {self.command} {self.path} {dict(self.headers)}"
        body = json.dumps({"error": {"message": said, "code": said}, "detail": said, "title": said}).encode()
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(401, said.replace("\r", " ").replace("\n", " "))
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


@contextmanager
def echoing() -> Iterator[str]:
    """Its address, `http://127.0.0.1:port`, while the block runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

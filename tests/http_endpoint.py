"""A small HTTP server in a thread, for as long as a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


@contextmanager
def served(server: HTTPServer) -> Iterator[None]:
    """The server answers while the block runs; then it is closed."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def send_json(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
    """Send a response of JSON. Args: headers: in place of, or beside, its own."""
    handler.send_response(status)
    for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(body))} | headers).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)

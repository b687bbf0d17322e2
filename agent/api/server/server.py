"""uvicorn with an ordered shutdown: refuse new requests, finish running ones, notify clients, close."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from agent.api.http.lazy_service import LazyService
from agent.api.server.bounded import build_http_protocol
from agent.api.server.limits import LAST_WORDS_S, Draining
from agent.core.errors import AddressUnavailable
from agent.core.resilience.tasks import cancel_tasks

MAX_PORT = 65_535


def check_port(host: str, port: int) -> None:
    """Check that the server can listen on the port. Raises AddressUnavailable."""
    if not 1 <= port <= MAX_PORT:
        raise AddressUnavailable(f"There is no port {port}. Name one from 1 to {MAX_PORT} with --port.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                why = f"Port {port} is in use. Name another one with --port, or end the process that has it."
            elif error.errno == errno.EACCES:
                why = f"This user may not open port {port}. Name one above 1023 with --port."
            else:
                why = f"{host} is no address of this machine that can be listened on: {error.strerror or error}."
            raise AddressUnavailable(why) from error


class Server(uvicorn.Server):
    """Serves one app until SIGTERM or SIGINT, then for at most `grace_s` seconds. A second signal ends the grace.

    Uvicorn alone would close its port first, so that clients would not be told when to retry.
    """

    def __init__(
        self,
        factory: Callable[[], FastAPI],
        *,
        grace_s: float,
        receive_timeout_s: float,
        host: str,
        port: int,
        log_level: str,
    ) -> None:
        self._factory = factory
        super().__init__(
            uvicorn.Config(
                self._make_app,
                factory=True,
                host=host,
                port=port,
                log_level=log_level,
                ws="none",
                http=build_http_protocol(receive_timeout_s),  # type: ignore[arg-type]  # uvicorn calls it like a class
                # Responses after the grace are sent by now. Connections that do not close are not waited for.
                timeout_graceful_shutdown=round(LAST_WORDS_S),
            )
        )
        self._grace_s = grace_s
        self._hurry = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def _make_app(self) -> FastAPI:
        app = self._factory()
        self._draining: Draining = app.state.draining
        self._service: LazyService = app.state.service
        return app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, as uvicorn does."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down. The port stays open meanwhile, so that new requests get a retry time."""
        self._draining.begin()
        ends = [asyncio.create_task(self._draining.idle(self._grace_s)), asyncio.create_task(self._hurry.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        await cancel_tasks(*ends)
        self._service.stop()
        if not await self._draining.idle(LAST_WORDS_S):
            self._draining.cut_off()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal starts the shutdown, a second one ends the grace, a third one stops everything."""
        if self.should_exit and not self._hurry.is_set() and self._loop is not None:
            self._loop.call_soon_threadsafe(self._hurry.set)
            return
        super().handle_exit(sig, frame)

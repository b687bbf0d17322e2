"""Serves an app on a free port, for browsers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp

from agent.api.app import create_default_app


@asynccontextmanager
async def serving(app: ASGIApp | None = None) -> AsyncIterator[str]:
    """The address of an app while the block runs; where none is given, of the service as `serve` has it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app or create_default_app(), log_level="warning", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running

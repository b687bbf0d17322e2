"""The service as it runs, for clients that are other programs: a real port, and a thread that serves it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from asgi_server import served
from starlette.types import ASGIApp

START_S = 60


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """The app's address, `http://127.0.0.1:port`, while the block runs; a thread serves it."""
    address: Future[str] = Future()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        async with served(app) as url:
            address.set_result(url)
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        yield address.result(START_S)
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.close()

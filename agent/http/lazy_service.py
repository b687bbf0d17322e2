"""The service of this process: made by the first request that needs it, then warmed up behind its back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from agent.service import Service


class LazyService:
    """Makes the service once. A Functions worker runs no ASGI lifespan, so nothing can be made at start.

    Args:
        factory: makes the service; it may block, and is tried again by the next request after it has failed.
    """

    def __init__(self, factory: Callable[[], Service]) -> None:
        self._factory = factory
        self._lock = asyncio.Lock()
        self._service: Service | None = None
        self._warm_up: asyncio.Task[None] | None = None

    async def get(self) -> Service:
        """The service. Raises what its factory raises (RegistryInvalid)."""
        async with self._lock:
            if self._service is None:
                self._service = await asyncio.to_thread(self._factory)
                self._warm_up = asyncio.create_task(self._service.warm_up())
        return self._service

    async def close(self) -> None:
        """Close the service, where one was made."""
        if self._warm_up is not None:
            self._warm_up.cancel()
            await asyncio.gather(self._warm_up, return_exceptions=True)
        if self._service is not None:
            await self._service.close()


def _of_app(request: Request) -> LazyService:
    lazy: LazyService = request.app.state.service
    return lazy


Lazy = Annotated[LazyService, Depends(_of_app)]  # not the service itself: a request that is refused needs none

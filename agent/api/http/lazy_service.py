"""The service of this process: made by the first request that needs it, then warmed up behind its back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from agent.core.errors import PlumblineError, StateUnavailable
from agent.service import Service
from executors.errors import ExecutorError

log = logging.getLogger(__name__)


class LazyService:
    """Makes the service once. A Functions worker runs no ASGI lifespan, so nothing can be made at start.

    Args:
        factory: makes the service; it may block, and is tried again by the next request after it has failed.
        has_timers: whether the host has some, which clean up; else this does.
    """

    def __init__(self, factory: Callable[[], Service], *, has_timers: bool = False) -> None:
        self._factory, self._has_timers = factory, has_timers
        self._lock = asyncio.Lock()
        self._service: Service | None = None
        self._beside: tuple[asyncio.Task[None], ...] = ()  # what runs while requests are answered
        self._refreshing: asyncio.Task[None] | None = None

    async def get(self, database: str = "") -> Service:
        """The service, which knows what databases there are now. Raises what its factory raises (RegistryInvalid).

        Args:
            database: that is asked for: another process may have taken it a moment ago.
        """
        service = await self._made()
        await service.registered.follow(database)
        return service

    async def _made(self) -> Service:
        async with self._lock:
            if self._service is None:
                self._service = await asyncio.to_thread(self._factory)
                self._beside = (self._service.start(),)
                if not self._has_timers:
                    self._beside += (asyncio.create_task(_clean_up(self._service)),)
        return self._service

    def refresh_dashboards(self, every_s: float) -> None:
        """Run the tiles that are due from now on, where no timer of the host does. The first look makes the service.

        Args:
            every_s: seconds between two looks.
        """
        if not self._has_timers:
            self._refreshing = asyncio.create_task(self._refresh_dashboards(every_s))

    async def _refresh_dashboards(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            try:
                await (await self.get()).dashboard.refresh()
            except (PlumblineError, ExecutorError) as error:  # a registry, a store that may be there at the next look
                log.warning("The tiles that are due were not all run: %s", error)

    def stop(self) -> None:
        """Have everything that is being answered end now, and say so."""
        if self._service is not None:
            self._service.registered.deadlines.stop()

    async def close(self) -> None:
        """Close the service, where one was made."""
        beside = self._beside + ((self._refreshing,) if self._refreshing else ())
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        if self._service is not None:
            await self._service.close()


async def _clean_up(service: Service) -> None:
    """Forget what has expired, from time to time, until cancelled; the next round makes up for one that failed."""
    while True:
        await asyncio.sleep(service.settings.session_cleanup_s)
        try:
            await service.cleanup()
        except StateUnavailable as error:
            log.warning("Expired sessions were not removed: %s", error)


def _of_app(request: Request) -> LazyService:
    lazy: LazyService = request.app.state.service
    return lazy


Lazy = Annotated[LazyService, Depends(_of_app)]  # not the service itself: a request that is refused needs none

"""The service of this process: built by the first request that needs it, then warmed up in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextvars import Context
from typing import Annotated

from fastapi import Depends, Request

from agent.api.http.context import principal_of
from agent.core.errors import PlumblineError, Starting, StateUnavailable
from agent.core.resilience.deadline import RETRY_AFTER_S, get_arrival_time
from agent.core.resilience.tasks import cancel_tasks
from agent.pipeline.service import Service
from executors.errors import ExecutorError

STARTING = "The service is still starting after {seconds} s. Send the request again in {later} s."

log = logging.getLogger(__name__)


class LazyService:
    """Builds the service once, at the first request, because a Functions worker runs no ASGI lifespan.

    The factory may block. After a failure, the next request tries again. A request waits up to `deadline_s` seconds.
    """

    def __init__(self, factory: Callable[[], Service], *, has_timers: bool = False, deadline_s: float = 220) -> None:
        self._factory, self._has_timers, self._deadline_s = factory, has_timers, deadline_s
        self._service: Service | None = None
        self._making: asyncio.Task[Service] | None = None
        self._beside: list[asyncio.Task[None]] = []  # background tasks

    async def get(self, database: str = "") -> Service:
        """The service, after looking for changed databases. Raises the factory's errors, and Starting."""
        service = self._service or await self._await_service()
        await service.databases.follow(database)
        return service

    async def get_for(self, request: Request, database: str = "") -> tuple[Service, str]:
        """The service, as `get`, and the principal of a request."""
        service = await self.get(database)
        return service, principal_of(request, service.settings)

    async def _await_service(self) -> Service:
        if self._making is None:
            # In a separate context, because background tasks belong to no request.
            self._making = asyncio.create_task(self._make(), context=Context())
        making = self._making
        left_s = get_arrival_time() + self._deadline_s - asyncio.get_running_loop().time()
        await asyncio.wait({making}, timeout=max(left_s, 0))
        if not making.done():
            raise Starting(STARTING.format(seconds=f"{self._deadline_s:g}", later=RETRY_AFTER_S), RETRY_AFTER_S)
        return making.result()

    async def _make(self) -> Service:
        try:
            service = await asyncio.to_thread(self._factory)
        except BaseException:
            self._making = None
            raise
        self._service = service
        self._beside.append(service.start())
        if not self._has_timers:
            self._beside.append(asyncio.create_task(_clean_up(service)))
        return service

    def refresh_dashboards(self, every_s: float) -> None:
        """Run due tiles every `every_s` seconds if the host has no timers. Builds the service."""
        if not self._has_timers:
            self._beside.append(asyncio.create_task(self._refresh_dashboards(every_s)))

    async def _refresh_dashboards(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            try:
                await (await self.get()).dashboard.refresh()
            except (PlumblineError, ExecutorError) as error:  # the registry or store may be available at the next run
                log.warning("The tiles that are due were not all run: %s", error)

    def stop(self) -> None:
        """End all running requests now, with an error."""
        if self._service is not None:
            self._service.databases.deadlines.stop()

    async def close(self) -> None:
        """Close the service, if one was built or is being built."""
        if self._making is not None:
            await asyncio.gather(self._making, return_exceptions=True)
        await cancel_tasks(*self._beside)
        if self._service is not None:
            await self._service.close()


async def _clean_up(service: Service) -> None:
    """Delete expired state periodically until cancelled. The next round makes up for a failed one."""
    while True:
        await asyncio.sleep(service.settings.session_cleanup_s)
        try:
            await service.cleanup()
        except StateUnavailable as error:
            log.warning("Expired sessions were not removed: %s", error)


def _of_app(request: Request) -> LazyService:
    lazy: LazyService = request.app.state.service
    return lazy


Lazy = Annotated[LazyService, Depends(_of_app)]  # not the service itself, which a refused request does not need

"""The Azure Functions app: one streaming function for each route of the HTTP interface, and timers.

Azure's own ASGI adapter collects the whole response before it sends any of it. So every function here handles HTTP
directly (model 2, `azurefunctions-extensions-http-fastapi`): its handler runs the ASGI app as a task of the invocation,
so that log records carry the invocation's id, and relays the response as the app sends it. All HTTP functions must be
of this kind: one that takes `func.HttpRequest` would stop the whole app from loading.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import azure.functions as func
from azure.functions.warmup import WarmUpContext
from azurefunctions.extensions.http.fastapi import Request, StreamingResponse
from starlette.types import ASGIApp, Message, Scope

from agent.api.app import api_routes, create_default_app
from agent.api.http.lazy_service import LazyService
from agent.platform.access.policy import function_level
from agent.platform.config.schedule import cron
from agent.platform.configuration import examine

log = logging.getLogger("agent.functions")

EVERYTHING_ELSE = "{*path}"  # host.json has no `routePrefix`; an empty route would be the function's name, not `/`
CONNECTION = ("type", "asgi", "http_version", "scheme", "client", "server")
SCOPE_KEYS = (*CONNECTION, "method", "path", "raw_path", "query_string", "headers")  # the rest is the worker router's


class Relay:
    """One invocation: relays messages from the ASGI app to the function's streaming response."""

    def __init__(self, asgi: ASGIApp, request: Request) -> None:
        scope: Scope = {key: request.scope[key] for key in SCOPE_KEYS if key in request.scope}
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue()  # unbounded: row caps bound what an answer holds
        self._task = asyncio.ensure_future(asgi(scope, request.receive, self._sent.put))
        self._task.add_done_callback(lambda _: self._sent.put_nowait(None))

    async def response(self) -> StreamingResponse:
        """The app's response, as soon as it has started.

        Raises:
            RuntimeError: the app ended without a response.
        """
        start = await self._sent.get()
        if start is None:
            await self._task
            raise RuntimeError("the app ended without a response")
        response = StreamingResponse(self._body(), status_code=start["status"])
        response.raw_headers = list(start["headers"])
        return response

    async def _body(self) -> AsyncIterator[bytes]:
        try:
            while (message := await self._sent.get()) is not None:
                if body := message.get("body"):
                    yield body
        finally:  # the response has ended, or the client has disconnected
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def relay(request: Request) -> StreamingResponse:
    """Handle a request of any route: the ASGI app has its own router."""
    return await Relay(_asgi, request).response()


async def session_cleanup(timer: func.TimerRequest) -> None:
    """Delete what has expired and continue jobs whose instance is gone. One instance does this for all."""
    if timer.past_due:
        log.info("The clean-up is late.")
    await (await _service.get()).cleanup()


async def schema_refresh(timer: func.TimerRequest) -> None:
    """Read the schemas again and notify the other instances of changes. One instance does this for all."""
    if timer.past_due:
        log.info("The schemas are read late.")
    await (await _service.get()).refresh_schemas()


async def dashboard_refresh(timer: func.TimerRequest) -> None:
    """Run the dashboard tiles that are due. One instance does this for all."""
    if timer.past_due:
        log.info("The dashboards are refreshed late.")
    await (await _service.get()).dashboard.refresh()


async def warmup(warmup: WarmUpContext) -> None:  # noqa: ARG001  the host passes it by this name
    """Load what the first question needs, on a new instance. Azure finds this function by its name."""
    await (await _service.get()).warm_up()


_asgi = create_default_app(in_functions=True)
_service: LazyService = _asgi.state.service
_found = examine(in_functions=True)
_settings = None if _found.problems else _found.settings
app = func.FunctionApp()
for _route in api_routes():
    app.function_name(_route.name)(
        app.route(
            route=_route.path.removeprefix("/") or EVERYTHING_ELSE,
            methods=_route.methods,
            auth_level=func.AuthLevel[function_level(_settings, _route.auth)],
            trigger_arg_name="request",
        )(relay)
    )
app.function_name("warmup")(app.warm_up_trigger("warmup")(warmup))
if _settings is not None:  # otherwise the routes report what is wrong, and there is nothing else to do
    app.function_name("session_cleanup")(
        app.timer_trigger("timer", cron(_settings.session_cleanup_s), use_monitor=True)(session_cleanup)
    )
    app.function_name("schema_refresh")(
        app.timer_trigger("timer", cron(_settings.schema_ttl_s), use_monitor=True)(schema_refresh)
    )
    app.function_name("dashboard_refresh")(
        app.timer_trigger("timer", cron(_settings.dashboard_check_s), use_monitor=True)(dashboard_refresh)
    )

"""The Azure Functions app: one function for each route of the HTTP interface, each of which streams.

Azure's own ASGI adapter collects the whole response before it sends any of it. So every function here takes and gives
HTTP as HTTP (model 2, `azurefunctions-extensions-http-fastapi`): its handler runs the ASGI app as a task of the
invocation, whose log records therefore carry the invocation's id, and relays what the app sends as it comes. All HTTP
functions must be of this kind: one that takes `func.HttpRequest` would stop the whole app from loading.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import azure.functions as func
from azurefunctions.extensions.http.fastapi import Request, StreamingResponse
from starlette.types import ASGIApp, Message, Scope

from agent.access.policy import function_level
from agent.api import api_routes, create_default_app
from agent.configuration import examine

HOST_PREFIX = "/api/"  # host.json adds it to every route (`routePrefix`)
CONNECTION = ("type", "asgi", "http_version", "scheme", "client", "server")
SCOPE_KEYS = (*CONNECTION, "method", "path", "raw_path", "query_string", "headers")  # the rest is the worker's router's


class Relay:
    """One invocation: the ASGI app at one end, the function's streaming response at the other."""

    def __init__(self, asgi: ASGIApp, request: Request) -> None:
        scope: Scope = {key: request.scope[key] for key in SCOPE_KEYS if key in request.scope}
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue()  # unbounded: row caps bound what an answer holds
        self._task = asyncio.ensure_future(asgi(scope, request.receive, self._sent.put))
        self._task.add_done_callback(lambda _: self._sent.put_nowait(None))

    async def response(self) -> StreamingResponse:
        """The app's response, once it has begun.

        Raises:
            RuntimeError: the app ended without one.
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
        finally:  # the end, or nobody listens any more
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def relay(request: Request) -> StreamingResponse:
    """Any request of any route: the ASGI app has its own router."""
    return await Relay(_asgi, request).response()


_asgi = create_default_app(in_functions=True)
_found = examine(in_functions=True)
_settings = None if _found.problems else _found.settings
app = func.FunctionApp()
for _route in api_routes():
    app.function_name(_route.name)(
        app.route(
            route=_route.path.removeprefix(HOST_PREFIX),
            methods=_route.methods,
            auth_level=func.AuthLevel[function_level(_settings, _route.auth)],
            trigger_arg_name="request",
        )(relay)
    )

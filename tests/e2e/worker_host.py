"""A small Azure Functions host: the real worker code (`azure-functions-runtime`) on one app, HTTP in front of it.

    python worker_host.py APP_FOLDER

prints one line of JSON, `{"port": ..., "functions": [{"name", "route", "methods", "auth"}, ...], "others": [...]}`, and
serves on 127.0.0.1 until its standard input ends. Functions are expected to take HTTP as HTTP: the host tells the
worker of an invocation, sends the request on to the worker's own server, and relays the response as it comes. `others`
are the bindings of what has another trigger, with the function's name as `function`; `POST /admin/functions/NAME` runs
one, as Azure's host has it, and answers when it has ended.

Azure's host also checks keys and auth levels, keeps time and scales; this one does not.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

CONNECTION_ATTEMPTS = 10  # the worker's own server may still be starting; the client waits longer each time


class Message:
    """A protobuf message as the worker reads it: unset fields are None."""

    Failure, Success = 0, 1  # of StatusResult

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> None:
        if name[0] == "_" or name[0].isupper():  # no field is named so
            raise AttributeError(name)

    def WhichOneof(self, _group: str) -> str | None:  # noqa: N802  protobuf's own name
        """The field that was set; `name` belongs to no group."""
        return next((name for name, value in self.__dict__.items() if name != "name" and value is not None), None)


class BindingInfo(Message):
    """A binding, with the values of its direction."""

    undefined, inout = 0, 2


setattr(BindingInfo, "in", 0)
BindingInfo.out = 1  # type: ignore[attr-defined]


class Protos:
    """The module of message types: every one of them is a `Message`."""

    BindingInfo = BindingInfo

    def __getattr__(self, name: str) -> type[Message]:
        return type(name, (Message,), {})


class StatusFailed(RuntimeError):
    """The worker reports a failure, in its own words."""


def _checked(result: Any) -> None:
    if result.status != Message.Success:
        raise StatusFailed(f"{result.exception.message}\n{result.exception.stack_trace}")


class Worker:
    """The worker's side of Azure's protocol, called as functions of this process."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._protos = folder, Protos()
        self.http_uri = ""
        self.functions: list[Any] = []

    async def start(self) -> None:
        """Load the app and start the worker's own HTTP server. Raises StatusFailed."""
        import azure_functions_runtime as runtime

        self._runtime = runtime
        runtime.start_threadpool_executor()
        init = Message(function_app_directory=str(self._folder), capabilities={})
        started = await runtime.worker_init_request(self._request(worker_init_request=init))
        _checked(started.result)
        self.http_uri = started.capabilities["HttpUri"]  # absent where the functions do not take HTTP as HTTP
        listed = await runtime.functions_metadata_request(self._request(functions_metadata_request=Message()))
        _checked(listed.result)
        self.functions = list(listed.function_metadata_results)
        for function in self.functions:
            load = Message(function_id=function.function_id, metadata=function)
            loaded = await runtime.function_load_request(self._request(function_load_request=load))
            _checked(loaded.result)

    async def invoke(self, function: Any, parameter: str, invocation_id: str, path: dict[str, str]) -> None:
        """Announce an HTTP request; returns when the function has returned its response. Raises StatusFailed."""
        http = Message(method="", url="", headers={}, query={}, params=path, body=Message())
        await self.trigger(function, parameter, invocation_id, Message(http=http))

    async def trigger(self, function: Any, parameter: str, invocation_id: str, data: Message) -> None:
        """Run a function with its trigger's data. Returns when it has ended. Raises StatusFailed."""
        invocation = Message(
            invocation_id=invocation_id,
            function_id=function.function_id,
            input_data=[Message(name=parameter, data=data)],
            trigger_metadata={},
            trace_context=Message(attributes={}),
            retry_context=Message(),
        )
        self._runtime.invocation_id_cv.set(invocation_id)
        _checked((await self._runtime.invocation_request(self._request(invocation_request=invocation))).result)

    def stop(self) -> None:
        """End the worker's threads."""
        self._runtime.stop_threadpool_executor()

    def _request(self, **content: Any) -> Any:
        return SimpleNamespace(request=Message(**content), properties={"host": "127.0.0.1", "protos": self._protos})


class Front:
    """The host's front: one route for each HTTP function."""

    def __init__(self, worker: Worker, prefix: str) -> None:
        self._worker = worker
        transport = httpx2.AsyncHTTPTransport(retries=CONNECTION_ATTEMPTS)
        self._client = httpx2.AsyncClient(transport=transport, base_url=worker.http_uri, timeout=None)
        self.functions: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        routes: list[Route] = [self._route(function, prefix) for function in worker.functions]
        routes.sort(key=lambda route: "{path:path}" in route.path)  # what takes everything comes last
        self.app = Starlette(routes=routes)

    def _route(self, function: Any, prefix: str) -> Route:
        trigger = next(b for b in map(json.loads, function.raw_bindings) if b["type"].endswith("Trigger"))
        return (
            self._http(function, trigger, prefix)
            if trigger["type"] == "httpTrigger"
            else self._by_hand(function, trigger)
        )

    def _by_hand(self, function: Any, trigger: dict[str, Any]) -> Route:
        self.others.append({"function": function.name, **trigger})

        async def endpoint(_request: Request) -> Response:
            data = Message(json=json.dumps({"IsPastDue": False}))
            try:
                await self._worker.trigger(function, trigger["name"], str(uuid.uuid4()), data)
            except StatusFailed as error:
                return PlainTextResponse(str(error), 500)
            return Response(status_code=202)

        return Route(f"/admin/functions/{function.name}", endpoint, methods=["POST"])

    def _http(self, function: Any, trigger: dict[str, Any], prefix: str) -> Route:
        methods = [method.upper() for method in trigger["methods"]]
        path = "/" + "/".join(filter(None, (prefix, trigger["route"])))
        self.functions.append(
            {"name": function.name, "route": path, "methods": methods, "auth": trigger["authLevel"]},
        )

        async def endpoint(request: Request) -> StreamingResponse:
            invocation_id = str(uuid.uuid4())
            headers = [*request.headers.raw, (b"x-ms-invocation-id", invocation_id.encode())]
            where = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            sent = self._client.build_request(request.method, where, headers=headers, content=request.stream())
            answer, _ = await asyncio.gather(  # the function returns when its response begins
                self._client.send(sent, stream=True),
                self._worker.invoke(function, trigger["name"], invocation_id, request.path_params),
            )
            return StreamingResponse(_relayed(answer), status_code=answer.status_code, headers=dict(answer.headers))

        return Route(path.replace("{*path}", "{path:path}"), endpoint, methods=methods)


async def _relayed(answer: httpx2.Response) -> AsyncIterator[bytes]:
    """The body as it arrives. A client that disconnects here disconnects from the worker."""
    async with aclosing(answer):
        async for chunk in answer.aiter_raw():
            yield chunk


async def main(folder: Path) -> None:
    """Serve the app of a folder until standard input ends."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ |= {"AzureWebJobsScriptRoot": str(folder), "PYTHON_ENABLE_INIT_INDEXING": "1"}
    worker = Worker(folder)
    await worker.start()
    host = json.loads((folder / "host.json").read_text(encoding="utf-8"))
    front = Front(worker, host["extensions"]["http"]["routePrefix"])

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(front.app, log_config=None, ws="none", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        print(
            json.dumps({"port": listening.getsockname()[1], "functions": front.functions, "others": front.others}),
            flush=True,
        )
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving
    worker.stop()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve()))

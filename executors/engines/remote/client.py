"""An HTTP client to another deployment, for code in threads, with cancellable requests over persistent connections.

A separate thread runs an event loop. Each request is a task there. Any thread can cancel it, which closes its
connection. A read in a blocking client could not be cancelled.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import SecretStr

from executors.base import TRACEPARENT, Cancel, stoppable
from executors.engines.common.servers.tokens import CredentialError, TokenSource
from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from tenacity import RetryCallState

TRIES = 3
LONGEST_WAIT_S = 30.0  # a request is not retried if the app asks for a longer wait
_BUSY = (429, 503)
_CLOSING_S = 5.0
_CONNECTIONS = 100  # at once; further requests wait for one

Result = TypeVar("Result")

log = logging.getLogger(__name__)


class Stopped(Exception):
    """The request was cancelled or timed out. Its connection is closed."""


class AppClient:
    """Sends requests to one app. Thread-safe.
    Args: database: name in error messages, which do not show the address; via: the app's address, with or without
    `/api`; key: sent as `x-functions-key`; token: sent as bearer token."""

    def __init__(
        self,
        database: str,
        via: str,
        *,
        key: SecretStr | None = None,
        token: TokenSource | None = None,
        connect_timeout_s: float = 10,
    ) -> None:
        self._database = database
        self._base = via.rstrip("/").removesuffix("/api") + "/api/"
        self._key, self._token = key, token
        self._connect_timeout_s = connect_timeout_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._client: AsyncClient | None = None

    def request(
        self,
        method: str,
        path: str,
        *,
        timeout_s: float,
        body: dict[str, Any] | None = None,
        params: dict[str, str] | None = None,
        cancel: Cancel | None = None,
    ) -> Response:
        """Send a request. Return the response, of any status. 429 and 503 are retried if they have `Retry-After`.

        Args: path: relative to `/api/`; timeout_s: for all tries together; cancel: closes the connection when called.
        Raises Stopped: cancelled or timed out; DatabaseUnavailable: the app cannot be reached, or no token can be
        obtained.
        """
        import httpx2

        headers = self._headers()
        future = self._start(self._send(method, path, body, params, headers, timeout_s))
        try:
            with stoppable(cancel, lambda: (future.cancel(), None)[1]):
                return future.result()
        except (concurrent.futures.CancelledError, TimeoutError) as error:
            raise Stopped from error
        except httpx2.HTTPError as error:
            log.warning("The app that has %s cannot be reached: %s", self._database, type(error).__name__)
            raise DatabaseUnavailable(
                f"The app that has {self._database} cannot be reached; check `via` in databases.yaml, and whether the "
                "app runs."
            ) from error

    def close(self) -> None:
        """Cancel running requests and close the connections. A later request opens new ones."""
        with self._lock:
            loop, thread, client = self._loop, self._thread, self._client
            self._loop = self._thread = self._client = None
        if loop is None or thread is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(_end(client), loop).result(_CLOSING_S)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def _headers(self) -> dict[str, str]:
        headers = {"x-functions-key": self._key.get_secret_value()} if self._key is not None else {}
        if traceparent := TRACEPARENT.get():
            headers["traceparent"] = traceparent
        if self._token is not None:
            try:
                headers["authorization"] = f"Bearer {self._token.get()}"
            except CredentialError as error:
                raise DatabaseUnavailable(
                    f"Entra ID issued no token for the app that has {self._database}: sign in with `az login`, or give "
                    "this app a managed identity that may call it."
                ) from error
        return headers

    def _start(self, work: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop,), name=f"app-client-{self._database}", daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        params: dict[str, str] | None,
        headers: dict[str, str],
        timeout_s: float,
    ) -> Response:
        from tenacity import AsyncRetrying

        if self._client is None:
            self._client = self._connect()
        retrying = AsyncRetrying(retry=_again, wait=_wait, retry_error_callback=_last)
        async with asyncio.timeout(timeout_s):
            return await retrying(self._client.request, method, path, json=body, params=params, headers=headers)

    def _connect(self) -> AsyncClient:
        import httpx2

        pool_limits = httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS)
        timeout = httpx2.Timeout(None, connect=self._connect_timeout_s)  # the request's timeout limits the rest
        return httpx2.AsyncClient(base_url=self._base, limits=pool_limits, timeout=timeout, follow_redirects=False)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


async def _end(client: AsyncClient | None) -> None:
    """Cancel all tasks on this loop, wait for them, and close the client."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if client is not None:
        await client.aclose()


def _again(state: RetryCallState) -> bool:
    """Whether to retry. A broken connection is retried once, because it may have been an old one. All requests only
    read, so a retry is safe."""
    import httpx2

    if state.outcome is None:
        return False
    if state.outcome.failed:
        broken = httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError
        return state.attempt_number == 1 and isinstance(state.outcome.exception(), broken)
    response: Response = state.outcome.result()
    wait_s = _retry_after(response)
    return state.attempt_number < TRIES and wait_s is not None and wait_s <= LONGEST_WAIT_S


def _wait(state: RetryCallState) -> float:
    """Seconds to wait, as the app requests. 0 after a broken connection."""
    if state.outcome is None or state.outcome.failed:
        return 0.0
    return _retry_after(state.outcome.result()) or 0.0


def _last(state: RetryCallState) -> Response:
    """The response of the last try. Raises its error."""
    if state.outcome is None:
        raise AssertionError("no try was made")
    response: Response = state.outcome.result()
    return response


def _retry_after(response: Response) -> float | None:
    """Seconds to wait, as a busy app requests. None if it is not busy, or does not specify them."""
    value = response.headers.get("retry-after", "")
    return float(value) if response.status_code in _BUSY and value.isascii() and value.isdigit() else None

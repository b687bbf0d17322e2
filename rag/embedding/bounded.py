"""Limits the size and duration of an endpoint's reply."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress

import httpx2


def load_httpx() -> None:
    """Import `httpx`, if it is installed, before the first request.

    The openai package uses that module if it is already loaded. Chroma loads it in another thread, and a concurrent
    request would find a partial module and fail with an AttributeError. An import statement waits for the whole module.
    """
    with suppress(ImportError):
        import httpx  # noqa: F401


Counter = Callable[[bytes], None]  # raises if a chunk exceeds the limit


class Bound:
    """Limits the bytes of a response and the time for reading it: ReadTimeout is raised after `timeout_s`.

    `too_much` creates the error from the limit in megabytes.
    """

    def __init__(self, most: int, too_much: Callable[[int], Exception], *, timeout_s: float | None = None) -> None:
        self._most, self._too_much, self._timeout_s = most, too_much, timeout_s

    def hook(self, response: httpx2.Response) -> None:
        """A response hook for a blocking client."""
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Stream(response.stream, self._counter)

    async def async_hook(self, response: httpx2.Response) -> None:
        """A response hook for an asynchronous client."""
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _AsyncStream(response.stream, self._counter)

    def _counter(self) -> Counter:
        read, end = 0, None if self._timeout_s is None else time.monotonic() + self._timeout_s

        def count(chunk: bytes) -> None:
            nonlocal read
            read += len(chunk)
            if read > self._most:
                raise self._too_much(self._most // 1_000_000)
            if end is not None and time.monotonic() > end:
                raise httpx2.ReadTimeout(f"The reply did not end within {self._timeout_s:g} s.")

        return count


class _Stream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, counter: Callable[[], Counter]) -> None:
        self._stream, self._counter = stream, counter

    def __iter__(self) -> Iterator[bytes]:
        count = self._counter()
        for chunk in self._stream:
            count(chunk)
            yield chunk

    def close(self) -> None:
        self._stream.close()


class _AsyncStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, counter: Callable[[], Counter]) -> None:
        self._stream, self._counter = stream, counter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = self._counter()
        async for chunk in self._stream:
            count(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()

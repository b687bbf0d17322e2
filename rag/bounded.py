"""Replies of embedding endpoints that do not end: they are read so far, and so long, and no further."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

MAX_REPLY_BYTES = 64_000_000  # a batch of long vectors, written in digits, has some ten million


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, timeout_s: float) -> None:
        self._stream, self._timeout_s = stream, timeout_s

    def __iter__(self) -> Iterator[bytes]:
        read, end = 0, time.monotonic() + self._timeout_s
        for chunk in self._stream:
            read += len(chunk)
            if read > MAX_REPLY_BYTES:
                raise httpx2.ReadError(f"The reply has more than {MAX_REPLY_BYTES // 1_000_000} MB.")
            if time.monotonic() > end:
                raise httpx2.ReadTimeout(f"The reply did not end within {self._timeout_s:g} s.")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def bound(timeout_s: float) -> Callable[[httpx2.Response], None]:
    """A hook for responses: reading one raises ReadError or ReadTimeout where it does not end. Args: in seconds."""

    def bounded(response: httpx2.Response) -> None:
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Bounded(response.stream, timeout_s)

    return bounded

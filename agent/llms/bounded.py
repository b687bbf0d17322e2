"""Replies that do not end: an endpoint is read so far and no further."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from agent.errors import ModelFailed

MAX_REPLY_BYTES = 4_000_000  # of a response as it is sent; a reply of a thousand tokens has some ten thousand


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._stream:
            read += len(chunk)
            if read > MAX_REPLY_BYTES:
                raise ModelFailed(
                    f"The model's endpoint sent more than {MAX_REPLY_BYTES // 1_000_000} MB for one reply, and was cut "
                    "off; check that it keeps to `max_tokens`."
                )
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def bound(response: httpx2.Response) -> None:
    """A hook for responses: reading one raises ModelFailed where it does not end."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)

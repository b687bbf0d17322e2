"""Replies that do not end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest

from rag.embedding.bounded import Bound

MOST = 5_000_000
URL = "http://endpoint.example/"


class TooMuch(Exception):
    """What a caller says of a reply that goes on."""


def too_much(megabytes: int) -> TooMuch:
    return TooMuch(f"{megabytes} MB")


class Stream(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """So many chunks of that size; `sent` counts those that were asked for."""

    def __init__(self, chunks: int, size: int) -> None:
        self.chunks, self.size, self.sent, self.closed = chunks, size, 0, False

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.chunks):
            self.sent += 1
            yield b"x" * self.size

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


async def read(stream: Stream, bound: Bound, *, blocking: bool) -> bytes:
    """What a client of either kind reads of a response."""
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=stream))
    if blocking:
        with httpx2.Client(transport=transport, event_hooks={"response": [bound.hook]}) as client:
            return client.get(URL).content
    async with httpx2.AsyncClient(transport=transport, event_hooks={"response": [bound.async_hook]}) as waiting:
        return (await waiting.get(URL)).content


@pytest.mark.parametrize("blocking", [True, False])
async def test_one_that_ends_is_read_whole(blocking: bool) -> None:
    stream = Stream(3, 10)
    assert await read(stream, Bound(MOST, too_much, timeout_s=600), blocking=blocking) == b"x" * 30
    assert stream.closed


@pytest.mark.parametrize("blocking", [True, False])
async def test_one_that_does_not_end_is_cut_off(blocking: bool) -> None:
    stream = Stream(10_000, 1_000_000)
    with pytest.raises(TooMuch, match="5 MB"):
        await read(stream, Bound(MOST, too_much), blocking=blocking)
    assert stream.sent == MOST // stream.size + 1
    assert stream.closed


@pytest.mark.parametrize("blocking", [True, False])
async def test_one_that_drips_has_its_time(blocking: bool) -> None:
    stream = Stream(10_000, 1)
    with pytest.raises(httpx2.ReadTimeout, match="did not end"):
        await read(stream, Bound(MOST, too_much, timeout_s=0), blocking=blocking)
    assert stream.sent < stream.chunks

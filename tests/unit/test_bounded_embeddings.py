"""Replies of embedding endpoints that do not end."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from rag.bounded import MAX_REPLY_BYTES, bound


class Stream(httpx2.SyncByteStream):
    """So many chunks of that size; `sent` counts those that were asked for."""

    def __init__(self, chunks: int, size: int) -> None:
        self.chunks, self.size, self.sent, self.closed = chunks, size, 0, False

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(self.chunks):
            self.sent += 1
            yield b"x" * self.size

    def close(self) -> None:
        self.closed = True


def read(stream: Stream, timeout_s: float) -> bytes:
    hooks = {"response": [bound(timeout_s)]}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=stream))
    with httpx2.Client(transport=transport, event_hooks=hooks) as client:
        return client.get("http://embeddings.example/").content


def test_one_that_ends_is_read_whole() -> None:
    stream = Stream(3, 10)
    assert read(stream, 60) == b"x" * 30
    assert stream.closed


def test_one_that_does_not_end_is_cut_off() -> None:
    stream = Stream(10_000, 1_000_000)
    with pytest.raises(httpx2.ReadError, match="64 MB"):
        read(stream, 600)
    assert stream.sent == MAX_REPLY_BYTES // stream.size + 1
    assert stream.closed


def test_one_that_drips_has_its_time() -> None:
    stream = Stream(10_000, 1)
    with pytest.raises(httpx2.ReadTimeout, match="did not end"):
        read(stream, 0)
    assert stream.sent < 10_000

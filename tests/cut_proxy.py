"""A way between a client and a server that can be cut: what runs over it breaks off, what comes later is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class CutProxy:
    """Connections of 127.0.0.1 to a server, byte for byte. Args: target: the server's address."""

    def __init__(self, target: str) -> None:
        self._target = urlsplit(target)
        self._open: set[asyncio.StreamWriter] = set()
        self._down = False
        self.refused = asyncio.Event()  # set by the first who comes while it is cut
        self.url = ""

    def cut(self) -> None:
        """Break all connections off, and refuse those to come."""
        self._down = True
        for writer in self._open:
            writer.transport.abort()

    def repair(self) -> None:
        """Let connections through again."""
        self._down = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, for as long as both ends want it."""
        if self._down:
            self.refused.set()
            writer.transport.abort()
            return
        self._open.add(writer)
        onward = await asyncio.open_connection(self._target.hostname, self._target.port)
        self._open.add(onward[1])
        if writer.is_closing():  # cut while its other half was being opened
            onward[1].transport.abort()
        ways = [asyncio.create_task(_pass(reader, onward[1])), asyncio.create_task(_pass(onward[0], writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for end in (writer, onward[1]):
            self._open.discard(end)
            end.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while chunk := await reader.read(65_536):
            writer.write(chunk)
            await writer.drain()


@asynccontextmanager
async def cut_proxy(target: str) -> AsyncIterator[CutProxy]:
    """The proxy while the block runs, at its `url`."""
    proxy = CutProxy(target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield proxy
        proxy.cut()

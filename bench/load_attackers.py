"""Attackers beside the clients: floods of headers, incomplete requests, and queries made to run without end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PATIENCE_S = 60.0  # after which a connection counts as kept open

_GET = b"GET /api/health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n"
_POST = b"POST /api/execute HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
QUERIES = (
    f"SELECT {'DATE(' * 40}1{')' * 40} AS x",
    f"SELECT {'ARRAY[' * 40}1{']' * 40} AS x",
    f"SELECT {'coalesce(' * 50}1{', 1)' * 50} AS x",
    f"SELECT {' + '.join(['1'] * 4_000)} AS x",
    f"SELECT 1 WHERE {' OR '.join(f'{n} = {n}' for n in range(1_500))}",
    "SELECT count(*) FROM orders a, orders b, orders c WHERE a.order_id + b.order_id + c.order_id = 7",
)

Attack = Callable[[], Awaitable[None]]


@dataclass
class Attacks:
    """Their results.

    made: by what they were. let_in: floods that got an answer as if they were none. kept_open: connections that the
    service did not end.
    """

    made: int = 0
    let_in: int = 0
    kept_open: int = 0
    statuses: dict[int, int] = field(default_factory=dict)


class Attacker:
    """One of them: it does one thing after the other, until there is no more.

    Args:
        url: of the API.
        number: with which it begins.
        database: that its queries ask.
        attacks: that it adds to.
        more: whether it goes on.
    """

    def __init__(self, url: str, number: int, database: str, attacks: Attacks, more: Callable[[int], bool]) -> None:
        self._host, self._port = urlsplit(url).hostname or "", urlsplit(url).port or 80
        self._number, self._database, self._attacks, self._more = number, database, attacks, more

    async def run(self) -> None:
        """Attack until there is no more."""
        ways: tuple[Attack, ...] = (self._flood, self._half, self._query, self._long, self._body)
        while self._more(self._attacks.made):
            await ways[self._number % len(ways)]()
            self._number += 1
            self._attacks.made += 1

    async def _flood(self) -> None:
        self._refused(await self._sent(_GET + b"".join(b"x-%d: y\r\n" % n for n in range(10_000)) + b"\r\n"))

    async def _long(self) -> None:
        self._refused(await self._sent(_GET + b"x: " + b"a" * 5_000_000))

    async def _half(self) -> None:
        self._refused(await self._sent(_GET))

    async def _body(self) -> None:
        self._refused(await self._sent(_POST + b"content-length: 1000\r\n\r\n{"))

    async def _query(self) -> None:
        sql = QUERIES[self._number // 5 % len(QUERIES)]
        body = json.dumps({"database": self._database, "sql": sql, "timeout_s": 2}).encode()
        await self._sent(_POST + b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body)

    def _refused(self, status: int) -> None:
        self._attacks.let_in += 200 <= status < 300

    async def _sent(self, request: bytes) -> int:
        """The status that comes back; 0 where the connection ends without one."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                reply = await self._exchanged(request)
        except TimeoutError:
            self._attacks.kept_open += 1
            return 0
        status = int(reply[9:12]) if reply.startswith(b"HTTP/1.1 ") else 0
        self._attacks.statuses[status] = self._attacks.statuses.get(status, 0) + 1
        return status

    async def _exchanged(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(request)
            await writer.drain()
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


async def attack(url: str, attackers: int, database: str, more: Callable[[int], bool]) -> Attacks:
    """Run a number of attackers at once while `more` returns true. Args: url: of the API."""
    attacks = Attacks()
    await asyncio.gather(*(Attacker(url, number, database, attacks, more).run() for number in range(attackers)))
    return attacks

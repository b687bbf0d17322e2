"""Clients of a service under load: single questions, streams, sessions, and disconnects.

Each question asks for a different order, so that an answer to another question is detected. A client that gets
Retry-After waits that long.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import httpx2

ORDERS = 14_000  # of the sample shop, at least
MESSAGES = 4  # of a session

Json = dict[str, Any]
# Whether a client goes on. Args: how many questions it has asked.
More = Callable[[int], bool]


@dataclass
class Counts:
    """The results of all clients.

    busy: responses with 503 and Retry-After; busy_without: 503 without it.
    hung_up: questions whose client disconnected.
    sessions, messages: that were read back. lost: answered messages that are missing from their session.
    crossed: answers and messages that belong to another client.
    errors: other errors, in words.
    seconds: of each answer, from the request that was let in.
    """

    answered: int = 0
    busy: int = 0
    busy_without: int = 0
    hung_up: int = 0
    sessions: int = 0
    messages: int = 0
    lost: int = 0
    crossed: int = 0
    errors: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


class Client:
    """One client.

    Args:
        http: that speaks to the service; shared, with a connection for each client.
        number: of the client; with it, what it does and which databases it asks.
        databases: names.
        counts: that it adds to.
        more: whether it goes on.
    """

    def __init__(
        self, http: httpx2.AsyncClient, number: int, databases: tuple[str, ...], counts: Counts, more: More
    ) -> None:
        self._http, self._databases, self._counts, self._more = http, databases, counts, more
        self._random = random.Random(number)
        self._asked = 0
        self._number = number

    async def run(self) -> None:
        """Ask until there is no more."""
        acts = (self._single, self._stream, self._session, self._single, self._session, self._hang_up)
        act = acts[self._number % len(acts)]
        while self._more(self._asked):
            try:
                await act(self._databases[(self._number // len(acts) + self._asked) % len(self._databases)])
            except httpx2.HTTPError as error:
                self._counts.errors.append(f"{type(error).__name__}: {error}")

    # -- what a client does -------------------------------------------------------------------------------

    async def _single(self, database: str) -> None:
        number, question = self._question()
        answer = await self._post("query", {"database": database, "question": question})
        if answer is not None:
            self._check(number, answer["status"], answer["answer"], answer)

    async def _stream(self, database: str) -> None:
        number, question = self._question()
        done = await self._streamed("query/stream", {"database": database, "question": question})
        if done is not None:
            self._check(number, done["status"], done["answer"], done)

    async def _hang_up(self, database: str) -> None:
        _, question = self._question()
        body = {"database": database, "question": question}
        if self._random.random() < 0.5:
            await self._post("query", body, self._soon())
        else:
            await self._streamed("query/stream", body, self._soon())

    async def _session(self, database: str) -> None:
        started = await self._post("agents/text-to-sql/start-session", {"database": database})
        if started is None:
            return
        session, answered, left = started["session_id"], list[str](), set[str]()
        for _ in range(MESSAGES):
            number, question = self._question()
            body = {"session_id": session, "message": question}
            way = self._random.random()
            if way < 0.2:
                left.add(question)
                await self._post("agents/text-to-sql/chat", body, self._soon())
                continue
            if way < 0.5:
                answer = await self._streamed("agents/text-to-sql/chat/stream", body)
            else:
                answer = await self._post("agents/text-to-sql/chat", body)
            if answer is None:
                break
            self._check(number, answer["status"], answer["message"], answer)
            answered.append(question)
        await self._read_back(session, answered, left)

    async def _read_back(self, session: str, answered: list[str], left: set[str]) -> None:
        """The session has all answered messages, in order, and otherwise only messages whose client disconnected."""
        path = f"agents/text-to-sql/session/{session}"
        found = await self._http.get(path)
        if found.status_code != httpx2.codes.OK:
            self._counts.errors.append(f"{found.status_code} {path}: {found.text[:200]}")
            return
        messages = found.json()["messages"]
        asked = [message["content"] for message in messages if message["role"] == "user"]
        replies = [message["content"] for message in messages if message["role"] == "assistant"]
        self._counts.sessions += 1
        self._counts.messages += len(asked)
        remaining = [question for question in asked if question not in left]
        self._counts.lost += len(set(answered) - set(remaining))
        self._counts.crossed += sum(question not in answered for question in remaining)
        if remaining != answered and sorted(remaining) == sorted(answered):
            self._counts.errors.append(f"another order of messages: {remaining}")
        for question, answer in zip(asked, replies, strict=True):
            self._counts.crossed += _number_of(question) not in answer
        ended = await self._http.delete(path)
        if ended.status_code != httpx2.codes.OK:
            self._counts.errors.append(f"{ended.status_code} at the end of a session: {ended.text[:200]}")

    # -- requests -----------------------------------------------------------------------------------------

    def _question(self) -> tuple[int, str]:
        self._asked += 1
        number = self._random.randint(1, ORDERS)
        return number, f"What is the amount of order number {number}?"

    def _check(self, number: int, status: str, text: str, answer: Json) -> None:
        """The answer is that of the question."""
        if status != "success":
            self._counts.errors.append(
                f"{status}: {text} {answer.get('attempt_history') or answer.get('error_details')}"
            )
            return
        self._counts.answered += 1
        rows = [row["order_id"] for row in answer["results"]]
        self._counts.crossed += rows != [number] or str(number) not in text

    def _soon(self) -> float:
        """After how many seconds the caller hangs up: before the question is answered, as a rule."""
        return self._random.uniform(0.01, 1.5)

    async def _post(self, path: str, body: Json, leaves_s: float | None = None) -> Json | None:
        """The answer; None if the client stopped first, or if there was an error.

        Args:
            leaves_s: seconds after which the caller hangs up.
        """

        async def send() -> Json | float | None:
            since = time.monotonic()
            response = await self._http.post(path, json=body)
            if response.status_code >= httpx2.codes.BAD_REQUEST:
                return self._refused(path, response.status_code, response.headers, response.text)
            self._counts.seconds.append(time.monotonic() - since)
            reply: Json = response.json()
            return reply

        return await self._patiently(send, leaves_s)

    async def _streamed(self, path: str, body: Json, leaves_s: float | None = None) -> Json | None:
        """The data of the event `done`; else as `_post`."""

        async def send() -> Json | float | None:
            since = time.monotonic()
            async with self._http.stream("POST", path, json=body) as response:
                if response.status_code >= httpx2.codes.BAD_REQUEST:
                    text = (await response.aread()).decode()
                    return self._refused(path, response.status_code, response.headers, text)
                async for line in response.aiter_lines():
                    reply: Json = json.loads(line[6:]) if line.startswith("data: ") else {}
                    if reply.get("event") == "done":
                        self._counts.seconds.append(time.monotonic() - since)
                        data: Json = reply["data"]
                        return data
                    if reply.get("event") == "error":
                        self._counts.errors.append(f"{path}: {reply['data']}")
                        return None
            self._counts.errors.append(f"{path}: the stream ended early")
            return None

        return await self._patiently(send, leaves_s)

    async def _patiently(
        self, send: Callable[[], Coroutine[Any, Any, Json | float | None]], leaves_s: float | None
    ) -> Json | None:
        """Send until it is let in. A number that `send` returns is the seconds to wait."""
        while True:
            sending = asyncio.create_task(send())
            await asyncio.wait({sending}, timeout=leaves_s)
            if not sending.done():
                self._counts.hung_up += 1
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
                return None
            reply = await sending
            if not isinstance(reply, float):
                return reply
            await asyncio.sleep(reply)
            if not self._more(self._asked - 1):
                return None

    def _refused(self, path: str, status: int, headers: httpx2.Headers, text: str) -> float | None:
        after = headers.get("retry-after")
        if status == httpx2.codes.SERVICE_UNAVAILABLE and after is not None:
            self._counts.busy += 1
            return float(after)
        self._counts.busy_without += status == httpx2.codes.SERVICE_UNAVAILABLE
        self._counts.errors.append(f"{status} {path}: {text[:300]}")
        return None


def _number_of(question: str) -> str:
    return question.rstrip("?").rpartition(" ")[2]


async def talk(url: str, clients: int, databases: tuple[str, ...], more: More) -> Counts:
    """Run a number of clients at once while `more` returns true. Args: url: of the API."""
    counts = Counts()
    # A connection is let go of before the service would close it, which could be while it is used again.
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=clients, keepalive_expiry=2)
    async with httpx2.AsyncClient(base_url=url, timeout=120, limits=limits) as http:
        await asyncio.gather(*(Client(http, number, databases, counts, more).run() for number in range(clients)))
    return counts

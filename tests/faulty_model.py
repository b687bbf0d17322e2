"""A model endpoint with OpenAI's protocol that fails as set, at the step that is set.

It is made of sockets, for half of what can go wrong is below HTTP: no answer, half an answer, one that never ends.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from testbed.openai_replies import NO_MODELS, completion_of, embeddings_of

Fault = Literal[
    "unreachable",  # the connection is closed without a word
    "overloaded",  # 429, always
    "trouble_once",  # 500, then all is well
    "silence",  # no answer, for as long as the caller waits
    "half_body",  # a whole response with half a body
    "half_json",  # a whole completion whose text ends in the middle
    "wrong_json",  # JSON that is no completion
    "empty",  # a completion without a text
    "refusal",  # the model declines
    "endless",  # tokens as fast as they can be read
    "drip",  # tokens that come slowly and do not end
    "cut",  # the connection breaks in the middle of the body
]
DIMENSION = 8
COUNT = "SELECT COUNT(*) AS orders FROM orders"
# A word of the question -> the query that is written for it first.
QUERIES = {
    "repaired": "SELECT nonsense FROM nowhere",
    "difference": "SELECT (SELECT COUNT(*) FROM orders) - (SELECT COUNT(*) FROM customers) AS difference",
    "2024": f"{COUNT} WHERE ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01'",
    "2023": f"{COUNT} WHERE ordered_at >= '2023-01-01' AND ordered_at < '2024-01-01'",
}
REFUSED = "I am not able to help with that."
_MARKS = {  # what only the prompt of one step says
    "Complete question:": "followup",
    "Answer the question from these rows": "writer",
}
_HEAD = "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}\r\n"


class FaultyModel:
    """Answers every step of a question as it should be answered, but for those that have a fault.

    faults: by step: `followup`, `parts`, `planner`, `generator`, `repair`, `judge`, `writer`, `embedding`.
    asked: the steps that were asked for, in order.
    arrived: set when a call waits at a step that is silent, or held.
    left: set when a caller hung up while it waited.
    """

    def __init__(self) -> None:
        self.url = ""
        self.faults: dict[str, Fault] = {}
        self.asked: list[str] = []
        self.arrived, self.left, self._released = threading.Event(), threading.Event(), threading.Event()
        self._held = ""

    def fails(self, step: str, fault: Fault) -> None:
        """From now on one step fails, and no other does."""
        self.faults, self.asked = {step: fault}, []
        self.arrived.clear()
        self.left.clear()

    def holds(self, step: str) -> None:
        """From now on one step is answered when `release` is called, and none fails."""
        self.faults, self.asked, self._held = {}, [], step
        for event in (self.arrived, self.left, self._released):
            event.clear()

    def release(self) -> None:
        """Answer held and new requests; nothing fails any more."""
        self.faults, self._held = {}, ""
        self._released.set()

    @contextmanager
    def running(self) -> Iterator[FaultyModel]:
        """Serve while the block runs, from a thread, at `url`."""
        loop, started = asyncio.new_event_loop(), threading.Event()
        ended = asyncio.Event()

        async def serve() -> None:
            open_now: dict[asyncio.StreamWriter, asyncio.Future[None]] = {}

            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                closed = open_now[writer] = loop.create_future()
                await self._connection(reader, writer)
                del open_now[writer]
                closed.set_result(None)

            server = await asyncio.start_server(connected, "127.0.0.1", 0)
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            started.set()
            await ended.wait()
            server.close()
            for writer in open_now:
                writer.transport.abort()
            await asyncio.gather(*open_now.values())

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        started.wait()
        try:
            yield self
        finally:
            self._released.set()
            loop.call_soon_threadsafe(ended.set)
            thread.join()
            loop.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                body = json.loads(await reader.readexactly(int(length[1]))) if length else {}
                step = step_of(body)
                self.asked.append(step)
                await self._answer(step, body, reader, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # who asked has gone
        finally:
            writer.close()

    async def _answer(
        self, step: str, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        fault = self.faults.get(step)
        whole = json.dumps(reply_to(step, body))
        if fault == "trouble_once":
            del self.faults[step]
        match fault:
            case "unreachable":
                writer.transport.abort()
            case "silence":
                self.arrived.set()
                await reader.read()
                self.left.set()
            case "overloaded":
                _send(writer, '{"error": {"message": "slow down"}}', "429 Too Many Requests", "retry-after-ms: 1\r\n")
            case "trouble_once":
                _send(writer, '{"error": {"message": "oops"}}', "500 Internal Server Error", "retry-after-ms: 1\r\n")
            case "half_body":
                _send(writer, whole[: len(whole) // 2])
            case "wrong_json":
                _send(writer, '{"hello": "world"}')
            case "endless" | "drip":
                await self._without_end(reader, writer, 65_536 if fault == "endless" else 1)
            case "cut":
                _send(writer, whole[: len(whole) // 2], length=len(whole))
                await writer.drain()
                writer.transport.abort()
            case _:
                if step == self._held:
                    self.arrived.set()
                    await asyncio.to_thread(self._released.wait)
                _send(writer, json.dumps(spoiled(fault, step, body)) if fault else whole)

    async def _without_end(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int) -> None:
        """A body in chunks of that size, until the client disconnects."""
        left = asyncio.ensure_future(reader.read())
        writer.write(_HEAD.format(status="200 OK", headers="transfer-encoding: chunked\r\n").encode())
        try:
            while not left.done():
                writer.write(f"{size:x}\r\n{' ' * size}\r\n".encode())
                await writer.drain()
                await asyncio.wait({left}, timeout=0.02 if size == 1 else 0)
        finally:
            self.left.set()
            left.cancel()
            await asyncio.gather(left, return_exceptions=True)


def step_of(body: dict[str, Any]) -> str:
    """The step that a request belongs to."""
    if "input" in body:
        return "embedding"
    if "messages" not in body:
        return "models"
    asked = body["messages"][-1]["content"]
    name = body.get("response_format", {}).get("json_schema", {}).get("name")
    if name is None:
        return next(step for mark, step in _MARKS.items() if mark in asked)
    again = "These queries were tried" in asked
    return {
        "question_plan": "parts",
        "plan": "planner",
        "verdict": "judge",
        "draft": "repair" if again else "generator",
    }[name]


def reply_to(step: str, body: dict[str, Any]) -> dict[str, Any]:
    """A whole, right reply."""
    if step == "models":
        return NO_MODELS
    if step == "embedding":
        return embeddings_of(body, lambda texts: [_vector(text) for text in texts])
    return completion_of(body, {"content": _text(step, body["messages"][-1]["content"])}, 10, 5)


def spoiled(fault: Fault, step: str, body: dict[str, Any]) -> dict[str, Any]:
    """A reply that is whole as HTTP has it, and no use."""
    if step == "embedding":
        return {"object": "list", "data": [], "model": body["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    text = _text(step, body["messages"][-1]["content"])
    said: dict[Fault, dict[str, str]] = {
        "half_json": {"content": text[: len(text) // 2]},
        "empty": {"content": ""},
        "refusal": {"refusal": REFUSED},
    }
    return completion_of(body, said[fault], 10, 5)


def _text(step: str, asked: str) -> str:
    say: dict[str, Callable[[], str]] = {
        "followup": lambda: "How many orders were there in 2024?",
        "parts": lambda: json.dumps({"questions": [], "calculations": []}),
        "planner": lambda: json.dumps({"tables": ["orders"]}),
        "generator": lambda: _draft(next((sql for word, sql in QUERIES.items() if word in asked), COUNT)),
        "repair": lambda: _draft(COUNT),
        "judge": lambda: json.dumps({"reason": "It counts the orders.", "correct": True}),
        "writer": lambda: f"It is {re.findall(r'[0-9]+', asked.split('<data>')[-1])[0]}.",
    }
    return say[step]()


def _draft(sql: str) -> str:
    return json.dumps({"sql": sql, "explanation": "", "clarification": None})


def _vector(text: str) -> list[float]:
    return [(byte + 1) / 256 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


def _send(
    writer: asyncio.StreamWriter, body: str, status: str = "200 OK", headers: str = "", *, length: int | None = None
) -> None:
    sent = body.encode()
    headers += f"content-length: {len(sent) if length is None else length}\r\n"
    writer.write(_HEAD.format(status=status, headers=headers).encode() + sent)

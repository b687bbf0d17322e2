"""A chat model whose replies are cached, in memory or in a file: the same prompt is not sent twice."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path
from typing import Unpack

from agent.core.errors import StateUnavailable
from agent.platform.llm.chat import MAX_TOKENS, ChatModel, ChatRequest, Message, Reply, ReplyGrammar, WrappedModel

_TABLE = "CREATE TABLE IF NOT EXISTS replies (asked TEXT PRIMARY KEY, max_tokens INTEGER NOT NULL, reply TEXT NOT NULL)"


class CachedModel(WrappedModel):
    """Returns the cached reply, else calls the model and stores its reply, in an SQLite file or in memory.

    The n-th call with the same prompt has its own reply; `again` starts over with the first. Raises StateUnavailable.
    """

    def __init__(self, model: ChatModel, path: Path | None = None) -> None:
        super().__init__(model)
        self._path = path or ":memory:"
        self._taken: Counter[str] = Counter()
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            self._file.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise StateUnavailable(f"The replies in {path} cannot be used: {error}. Name another file.") from error

    def again(self) -> None:
        """Start again from the first replies."""
        self._taken.clear()

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """See `ChatModel.complete`. Also raises StateUnavailable if the reply cannot be stored."""
        words, max_tokens = self._words(messages, request), request.get("max_tokens", MAX_TOKENS)
        async with self._asking[words]:  # a failed call uses up no reply
            key = f"{words}.{self._taken[words]}"
            reply = await asyncio.to_thread(self._read, key, max_tokens)
            if reply is None:
                reply = await super().complete(messages, **request)
                await asyncio.to_thread(self._keep, key, max_tokens, reply)
            self._taken[words] += 1
        return reply

    def close_file(self) -> None:
        """Close the file, but not the model."""
        self._file.close()

    async def close(self) -> None:
        """Close the file and the model."""
        self.close_file()
        await super().close()

    def _words(self, messages: list[Message], request: ChatRequest) -> str:
        """A digest of everything that a reply depends on."""
        schema = request.get("schema")
        form = (schema.gbnf if isinstance(schema, ReplyGrammar) else schema.schema_) if schema is not None else None
        contents = [[message.role, message.content] for message in messages]
        key = json.dumps([self.name, contents, form, request.get("temperature", 0.0)], ensure_ascii=False)
        return hashlib.sha256(key.encode()).hexdigest()

    def _read(self, key: str, max_tokens: int) -> Reply | None:
        try:
            row = self._file.execute("SELECT max_tokens, reply FROM replies WHERE asked = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        if row is None:
            return None
        reply = Reply.model_validate_json(row[1])
        return None if reply.truncated and row[0] < max_tokens else reply

    def _keep(self, key: str, max_tokens: int, reply: Reply) -> None:
        statement = "INSERT OR REPLACE INTO replies VALUES (?, ?, ?)"
        try:
            self._file.execute(statement, (key, max_tokens, reply.model_dump_json()))
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.Error) -> StateUnavailable:
        return StateUnavailable(f"The replies in {self._path} cannot be used: {error}. Name another file.")

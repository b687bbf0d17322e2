"""A client of llama.cpp's server. It uses OpenAI's protocol without the openai package, which is slow to import."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from agent.platform.llm.chat import Message, Reply, ReplyGrammar, ReplySchema
from agent.platform.llm.openai.chat_request import Abilities, chat_fields
from agent.platform.llm.openai.completion import (
    USAGE,
    Chunk,
    Endpoint,
    Pieces,
    describe_foreign_reply,
    describe_lost_connection,
    describe_timeout,
    reply_of,
    translate_status,
)
from agent.platform.llm.replies import ends_its_query

if TYPE_CHECKING:
    import httpx2

_ABILITIES = Abilities(grammar=True, cache_key=False)
_DATA, _DONE = b"data:", b"[DONE]"


class LlamaServer:
    """The model of a server on this machine. Args: timeout_s: seconds for one reply."""

    def __init__(self, name: str, address: str, key: str, *, timeout_s: float) -> None:
        self.name, self.address = name, address
        self._headers, self._timeout_s = {"Authorization": f"Bearer {key}"}, timeout_s

    def connect(self, timeout_s: float) -> httpx2.AsyncClient:
        """An HTTP client of the server that keeps no connections alive. Args: timeout_s: for one step of a request."""
        import httpx2

        return httpx2.AsyncClient(
            base_url=self.address,
            headers=self._headers,
            timeout=timeout_s,
            # Without certificates: nothing is encrypted, and loading the default ones takes 20 ms.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=False,
            limits=httpx2.Limits(max_keepalive_connections=0),
        )

    async def complete(
        self,
        messages: list[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
        extra: Mapping[str, object] | None = None,
    ) -> Reply:
        """The model's next message, streamed: only then the server notices that the caller has disconnected.

        `extra`: fields that only this server knows. Other arguments and errors are those of `ChatModel.complete`.
        """
        import httpx2

        fields = chat_fields(messages, schema, max_tokens, temperature, _ABILITIES)
        request = {"model": self.name, **fields, "stream": True, "stream_options": USAGE, **(extra or {})}
        endpoint = Endpoint(self.name, self.address, "its key", self._timeout_s, 1)
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._read(request, endpoint, may_end=isinstance(schema, ReplyGrammar))
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise describe_timeout(endpoint) from error
        except httpx2.RequestError as error:
            raise describe_lost_connection(endpoint) from error
        except ValueError as error:
            raise describe_foreign_reply(endpoint) from error

    async def _read(self, request: dict[str, Any], endpoint: Endpoint, *, may_end: bool) -> Reply:
        """Read the streamed reply. Args: may_end: whether to stop after a complete query."""
        reply = Pieces(request)
        async with (
            self.connect(self._timeout_s) as client,
            client.stream("POST", "/v1/chat/completions", json=request) as response,
        ):
            if response.status_code >= 400:
                told = json.loads(await response.aread()).get("error", {})
                code, complaint = str(told.get("type", "")), str(told.get("message", ""))
                raise translate_status(response.status_code, code, complaint, endpoint)
            async with aclosing(_read_events(response)) as events:
                async for data in events:
                    reply.add(Chunk.model_validate_json(data))
                    if may_end and ends_its_query(reply.text):
                        break
        return reply_of(reply.completion())


async def _read_events(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """The JSON of each server-sent event. Only a line feed ends a line, because texts contain other line separators."""
    rest = b""
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            data = line.removeprefix(_DATA).strip()
            if line.startswith(_DATA) and data != _DONE:
                yield data

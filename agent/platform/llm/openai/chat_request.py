"""The fields of a chat request that an endpoint is known to accept.

Endpoints differ. A refused field is replaced or omitted in the next try:

    json_schema -> json_object -> plain text        from the second on, the schema is in the prompt
    max_tokens  -> max_completion_tokens            a reasoning model: low effort, and more tokens
    reasoning_effort -> none
    temperature -> none
    logprobs -> none
    prompt_cache_key -> none
    stream_options -> none                          a stream without token counts
    stream -> none                                  the reply in one piece
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from agent.platform.llm.chat import Message, ReplyGrammar, ReplySchema

ReplyFormat = Literal["json_schema", "json_object", "text"]

_NEXT_FORMAT: dict[ReplyFormat, ReplyFormat] = {"json_schema": "json_object", "json_object": "text"}
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json mode", "structured output", "not supported")
# Reasoning counts as reply tokens. Without extra room, a reply can be cut off before it begins.
REASONING_TOKENS = 2_000
REASONING_EFFORT = "minimal"
# How endpoints refuse a field that they do not know; some do not name it.
_UNKNOWN_FIELD = (
    "prompt_cache_key",
    "unrecognized",
    "unknown parameter",
    "unknown field",
    "extra inputs",
    "extra fields",
)
# Fields that an endpoint may name when it refuses them, in search order.
_ABILITY_OF = {
    "reasoning_effort": "reasoning_effort",
    "logprobs": "logprobs",
    "stream_options": "stream_usage",
    "stream": "stream",
    "temperature": "temperature",
}
# Schema keys that strict structured replies do not allow, or that only cost tokens.
_NOT_IN_STRICT = frozenset({"title", "default"})


@dataclass(frozen=True)
class Abilities:
    """The fields that an endpoint accepts, as far as known. grammar: a separate field, not written by `chat_fields`."""

    reply_format: ReplyFormat = "json_schema"
    tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    reasoning_effort: bool = True
    logprobs: bool = True
    cache_key: bool = True
    stream: bool = True
    stream_usage: bool = True
    grammar: bool = False

    def without(self, complaint: str, request: Mapping[str, Any]) -> Abilities | None:
        """The abilities left after an endpoint refused `request` with a complaint; None for other complaints."""
        complaint = complaint.lower()
        if "max_completion_tokens" in complaint and "max_tokens" in request:
            return replace(self, tokens_field="max_completion_tokens")
        for name, ability in _ABILITY_OF.items():
            if name in complaint and name in request:
                refused: dict[str, Any] = {ability: False}
                return replace(self, **refused)
        if "response_format" in request and any(word in complaint for word in _FORMAT_WORDS):
            return replace(self, reply_format=_NEXT_FORMAT[self.reply_format])
        if "prompt_cache_key" in request and any(word in complaint for word in _UNKNOWN_FIELD):
            return replace(self, cache_key=False)
        return None


def chat_fields(
    messages: list[Message], schema: ReplySchema | None, max_tokens: int, temperature: float, abilities: Abilities
) -> dict[str, Any]:
    """The fields of a request that the endpoint accepts, as far as known."""
    request: dict[str, Any] = {"max_tokens": max_tokens}
    if abilities.tokens_field == "max_completion_tokens":
        request = {"max_completion_tokens": max_tokens + REASONING_TOKENS}
        if abilities.reasoning_effort:
            request["reasoning_effort"] = REASONING_EFFORT
    if abilities.temperature:
        request["temperature"] = temperature
    if abilities.logprobs and schema is not None and schema.logprobs:
        request["logprobs"] = True
    if isinstance(schema, ReplyGrammar):
        opened = [Message(role="assistant", content=schema.opening)] if schema.opening else []
        messages = [*messages, *opened] if abilities.grammar else _with_words(messages, schema.words)
        schema = None
    if schema is not None and abilities.reply_format == "json_schema":
        strict = {"name": schema.name, "schema": strict_schema(schema.schema_), "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": strict}
    elif schema is not None:
        words = "Reply with one JSON object and nothing else. It must fit this JSON Schema:\n"
        messages = _with_words(messages, words + json.dumps(schema.schema_, ensure_ascii=False))
        if abilities.reply_format == "json_object":
            request["response_format"] = {"type": "json_object"}
    if abilities.cache_key and messages[0].role == "system":
        request["prompt_cache_key"] = cache_key(messages[0].content)
    request["messages"] = [{"role": message.role, "content": message.content} for message in messages]
    return request


def estimate_prompt(request: Mapping[str, Any]) -> int:
    """The estimated number of tokens of a request's prompt."""
    from rag.schema.text import estimate_tokens

    return sum(estimate_tokens(message["content"]) for message in request["messages"])


def tokens_of(request: Mapping[str, Any]) -> int:
    """The estimated number of tokens of a request: its prompt and its longest reply."""
    return estimate_prompt(request) + int(request.get("max_tokens") or request.get("max_completion_tokens") or 0)


def cache_key(prefix: str) -> str:
    """A hash shared by requests with a common prefix, so that they reach the machine that has cached it."""
    return hashlib.sha256(prefix.encode()).hexdigest()[:32]


def _with_words(messages: list[Message], words: str) -> list[Message]:
    """The messages with words appended to the last one, so that the cached prefix stays the same."""
    last = messages[-1]
    if last.role != "user":
        return [*messages, Message(role="user", content=words)]
    return [*messages[:-1], Message(role="user", content=f"{last.content}\n\n{words}")]


def strict_schema(schema: object) -> Any:
    """A JSON Schema for strict structured replies: objects closed, every property required."""
    if isinstance(schema, list):
        return [strict_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    properties = schema.get("properties")
    strict = {
        key: {name: strict_schema(value) for name, value in properties.items()}
        if key == "properties" and isinstance(properties, dict)  # a property may itself be named `title`
        else strict_schema(value)
        for key, value in schema.items()
        if key not in _NOT_IN_STRICT
    }
    if isinstance(properties, dict):
        strict |= {"additionalProperties": False, "required": list(properties)}
    return strict

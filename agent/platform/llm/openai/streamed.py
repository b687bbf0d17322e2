"""Streamed replies: always of the embedded model, of an endpoint only if somebody watches the query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from agent.platform.llm.replies import ON_TEXT

if TYPE_CHECKING:
    from openai import AsyncOpenAI

USAGE = {"include_usage": True}  # in a last piece of its own; an endpoint counts nothing in a stream otherwise


async def collect_stream(
    client: AsyncOpenAI, request: dict[str, Any], ended: Callable[[str], bool] | None = None
) -> object:
    """A reply that comes in pieces, put together as one completion; each piece is told to `ON_TEXT`.

    Cancelling closes the connection, which ends the reply. One that the request begins, as the last message, is put
    together with its beginning.

    Args:
        client: of the endpoint.
        request: with `stream` set, and `stream_options` where the endpoint takes them.
        ended: whether nothing more is wanted of a text; the connection is then closed, and its tokens are estimated,
            as they are for an endpoint that counts none.

    Raises:
        openai.OpenAIError: as for a reply in one piece, also where the connection breaks in the middle.
    """
    from openai import AsyncStream
    from openai.types.chat import ChatCompletionChunk

    stream: Any = await client.post(
        "/chat/completions",
        cast_to=object,
        body=request,
        stream=True,
        stream_cls=AsyncStream[ChatCompletionChunk],
    )
    on_text = ON_TEXT.get()
    last = request["messages"][-1]
    reply = Pieces(last["content"] if last["role"] == "assistant" else "")
    with _translate_connection_errors(stream.response.request):
        async with stream:
            if _is_whole(stream.response):  # it knows no streams, and says nothing of it
                await stream.response.aread()
                return stream.response.json()
            async for chunk in stream:
                reply.add(chunk)
                if on_text is not None:
                    on_text(reply.text)
                if ended is not None and ended(reply.text):
                    break
    return reply.completion(request)


class Pieces:
    """What has come of a reply so far. Args: opening: what it began with before the first piece."""

    def __init__(self, opening: str) -> None:
        self.text, self._refusal = opening, ""
        self._tokens: list[dict[str, object]] = []
        self._finish_reason = "stop"
        self._usage: dict[str, object] | None = None

    def add(self, chunk: Any) -> None:
        """Take the next piece, a `Chunk` or the openai package's own."""
        if chunk.usage:
            self._usage = chunk.usage.model_dump()
        for choice in chunk.choices:
            self.text += choice.delta.content or ""
            self._refusal += choice.delta.refusal or ""
            self._finish_reason = choice.finish_reason or self._finish_reason
            listed = choice.logprobs.content if choice.logprobs else None
            self._tokens += [{"token": it.token, "logprob": it.logprob} for it in listed or ()]

    def completion(self, request: dict[str, Any]) -> object:
        """The same as an endpoint sends it in one piece. Args: request: whose tokens are estimated if need be."""
        message = {"content": self.text, "refusal": self._refusal or None}
        logprobs = {"content": self._tokens}
        choice = {"finish_reason": self._finish_reason, "message": message, "logprobs": logprobs}
        return {"choices": [choice], "usage": self._usage or self._estimate(request)}

    def _estimate(self, request: dict[str, Any]) -> dict[str, object]:
        from rag.schema.text import estimate_tokens

        prompt = sum(estimate_tokens(message["content"]) for message in request["messages"])
        return {"prompt_tokens": prompt, "completion_tokens": estimate_tokens(self.text)}


def _is_whole(response: Any) -> bool:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().endswith("json")


@contextmanager
def _translate_connection_errors(request: Any) -> Iterator[None]:
    """What the openai package raises where a connection cannot be made, also for one that breaks later."""
    import httpx2
    import openai

    try:
        yield
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(request=request) from error
    except httpx2.RequestError as error:
        raise openai.APIConnectionError(request=request) from error

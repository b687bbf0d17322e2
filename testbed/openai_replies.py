"""Replies of an OpenAI endpoint as JSON, for scripted endpoints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

NO_MODELS: dict[str, Any] = {"object": "list", "data": []}  # of `/v1/models`


def completion_of(
    body: Mapping[str, Any], message: Mapping[str, str], prompt_tokens: int, completion_tokens: int, **usage: Any
) -> dict[str, Any]:
    """A chat completion.

    Args:
        body: of the request.
        message: its `content`, or its `refusal`.
        usage: beside the tokens.
    """
    tokens = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": "stop"}
    head = {"id": "chat-1", "object": "chat.completion", "created": 0, "model": body["model"]}
    return {**head, "choices": [choice], "usage": {**tokens, "total_tokens": sum(tokens.values()), **usage}}


def texts_of(body: Mapping[str, Any]) -> list[str]:
    """The texts of a request for embeddings."""
    return body["input"] if isinstance(body["input"], list) else [body["input"]]


def embeddings_of(body: Mapping[str, Any], embed: Callable[[list[str]], Sequence[Sequence[float]]]) -> dict[str, Any]:
    """The embeddings of a request's texts, each of which counts for a token. Args: embed: gives their vectors."""
    vectors = embed(texts_of(body))
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def openai_app(
    chat: Callable[[Request], Awaitable[Response]],
    embed: Callable[[list[str]], Sequence[Sequence[float]]],
    *more: Route,
) -> Starlette:
    """An endpoint. Args: chat: answers a chat. embed: gives the vectors of texts. more: routes beside OpenAI's own."""

    async def embeddings(request: Request) -> JSONResponse:
        return JSONResponse(embeddings_of(await request.json(), embed))

    async def models(_request: Request) -> JSONResponse:
        return JSONResponse(NO_MODELS)

    own = (
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/embeddings", embeddings, methods=["POST"]),
        Route("/v1/models", models),
    )
    return Starlette(routes=[*own, *more])

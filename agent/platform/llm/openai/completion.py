"""The fields of a chat completion that are used. The openai package's classes parse many more."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from agent.core.errors import ModelFailed
from agent.core.usage import Usage
from agent.platform.llm.chat import Reply, Token


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """Log-probabilities of another shape are as good as none: a reply is worth having without them."""
    try:
        return read(value)
    except ValidationError:
        return None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Token(BaseModel):
    token: str
    logprob: float = Field(allow_inf_nan=False)


class _Logprobs(BaseModel):
    content: list[_Token] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None
    logprobs: Annotated[_Logprobs | None, WrapValidator(_or_none)] = None


class _PromptTokens(BaseModel):
    cached_tokens: int | None = None


class _Tokens(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _PromptTokens | None = None


class _Timings(BaseModel):
    """llama.cpp's own count of the tokens that it had in its cache."""

    cache_n: int | None = None


class _ChunkToken(BaseModel):
    token: str
    logprob: float | None = None


class _ChunkLogprobs(BaseModel):
    content: list[_ChunkToken] | None = None


class _ChunkChoice(BaseModel):
    delta: _Message
    finish_reason: str | None = None
    logprobs: _ChunkLogprobs | None = None


class Chunk(BaseModel):
    """A piece of a completion that comes as a stream; `reply_of` reads what they are put together to."""

    choices: list[_ChunkChoice]
    usage: _Tokens | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Tokens | None = None
    timings: _Timings | None = None


def reply_of(body: object) -> Reply:
    """What a completion says.

    Args:
        body: of the endpoint's answer, from its JSON.

    Raises:
        ModelFailed: it is no completion, or the model declined.
    """
    try:
        completion = _Completion.model_validate(body)
    except ValidationError as error:
        raise ModelFailed("The model's endpoint did not answer with a chat completion; check the base URL.") from error
    choice = completion.choices[0]
    if choice.finish_reason == "content_filter":
        raise ModelFailed("The endpoint's content filter withheld the model's reply; word the question differently.")
    if choice.message.refusal:
        raise ModelFailed(f"The model declined to answer: {choice.message.refusal[:200]}")
    listed = choice.logprobs.content if choice.logprobs else None
    return Reply(
        text=choice.message.content or "",
        usage=_usage(completion),
        truncated=choice.finish_reason == "length",
        tokens=tuple(Token(it.token, min(0.0, it.logprob)) for it in listed or ()),
    )


def read_total_tokens(body: object) -> int | None:
    """The tokens that a completion was counted for; None where the endpoint does not say."""
    usage = body.get("usage") if isinstance(body, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) and total >= 0 else None


def _usage(completion: _Completion) -> Usage:
    """One call and its tokens."""
    usage = completion.usage
    if usage is None:
        return Usage(model_calls=1)
    cached = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None
    if cached is None:
        cached = completion.timings.cache_n if completion.timings else None
    return Usage(
        model_calls=1,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=cached or 0,
        completion_tokens=usage.completion_tokens,
    )

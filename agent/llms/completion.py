"""What of a chat completion is read. The openai package's own classes have many more fields, and make them all."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from agent.errors import ModelFailed
from agent.llm import Reply
from agent.models import Usage


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _PromptTokens(BaseModel):
    cached_tokens: int | None = None


class _Tokens(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _PromptTokens | None = None


class _Timings(BaseModel):
    """llama.cpp's own count of the tokens that it had in its cache."""

    cache_n: int | None = None


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
    return Reply(
        text=choice.message.content or "", usage=_usage(completion), truncated=choice.finish_reason == "length"
    )


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

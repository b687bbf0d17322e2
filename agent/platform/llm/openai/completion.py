"""Parses responses of an endpoint: chat completions, whole or streamed, and errors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from agent.core.errors import ContentFiltered, ModelDeclined, ModelError, ModelFailed, ModelUnavailable
from agent.core.usage import Usage
from agent.platform.llm.chat import Reply, Token
from agent.platform.llm.openai.chat_request import estimate_prompt
from agent.platform.llm.pace import build_busy
from agent.platform.llm.replies import ON_TEXT

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI
    from tenacity import RetryCallState


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    """Ignore log-probabilities in an unknown form: the reply is useful without them."""
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
    """llama.cpp's count of tokens read from its cache."""

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
    """A piece of a streamed completion. `reply_of` reads the pieces joined together."""

    choices: list[_ChunkChoice]
    usage: _Tokens | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Tokens | None = None
    timings: _Timings | None = None


def reply_of(body: object) -> Reply:
    """The reply in the JSON of a completion. Raises ModelFailed if it is no completion or the model declined."""
    try:
        completion = _Completion.model_validate(body)
    except ValidationError as error:
        raise ModelFailed("The model's endpoint did not answer with a chat completion; check the base URL.") from error
    choice = completion.choices[0]
    if choice.finish_reason == "content_filter":
        raise ContentFiltered(
            "The endpoint's content filter withheld the model's reply; word the question differently."
        )
    if choice.message.refusal:
        raise ModelDeclined(f"The model declined to answer: {choice.message.refusal[:200]}")
    listed = choice.logprobs.content if choice.logprobs else None
    return Reply(
        text=choice.message.content or "",
        usage=_usage(completion),
        truncated=choice.finish_reason == "length",
        tokens=tuple(Token(it.token, min(0.0, it.logprob)) for it in listed or ()),
    )


def read_total_tokens(body: object) -> int | None:
    """The total tokens of a completion; None if the endpoint does not report them."""
    usage = body.get("usage") if isinstance(body, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) and total >= 0 else None


def _usage(completion: _Completion) -> Usage:
    """The usage of one call."""
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


USAGE = {"include_usage": True}  # in an extra last piece; otherwise, streams contain no token counts


async def collect_stream(
    client: AsyncOpenAI, request: dict[str, Any], ended: Callable[[str], bool] | None = None
) -> object:
    """A streamed reply, joined to one completion. `ON_TEXT` gets the text after each piece.

    Cancellation, or `ended` for the text so far, closes the connection and ends the reply. Raises openai.OpenAIError,
    also for a stream that ends before the reply.
    """
    from openai import APIConnectionError, AsyncStream
    from openai.types.chat import ChatCompletionChunk

    stream: Any = await client.post(
        "/chat/completions",
        cast_to=object,
        body=request,
        stream=True,
        stream_cls=AsyncStream[ChatCompletionChunk],
    )
    reply = Pieces(request)
    with _translate_connection_errors(stream.response.request):
        async with stream:
            if _is_whole(stream.response):  # the endpoint ignored `stream`
                await stream.response.aread()
                return stream.response.json()
            async for chunk in stream:
                reply.add(chunk)
                if ended is not None and ended(reply.text):
                    break
            else:
                if not reply.has_ended:
                    raise APIConnectionError(request=stream.response.request)
    return reply.completion()


class Pieces:
    """The reply to a request so far. A last message of the assistant is its beginning."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        last = request["messages"][-1]
        self.text, self._refusal = last["content"] if last["role"] == "assistant" else "", ""
        self._request, self._on_text = request, ON_TEXT.get()
        self._tokens: list[dict[str, object]] = []
        self._finish_reason: str | None = None
        self._usage: dict[str, object] | None = None

    def add(self, chunk: Any) -> None:
        """Add the next piece, a `Chunk` or the openai package's class, and pass the text so far to `ON_TEXT`."""
        if chunk.usage:
            self._usage = chunk.usage.model_dump()
        for choice in chunk.choices:
            self.text += choice.delta.content or ""
            self._refusal += choice.delta.refusal or ""
            self._finish_reason = choice.finish_reason or self._finish_reason
            listed = choice.logprobs.content if choice.logprobs else None
            self._tokens += [{"token": it.token, "logprob": it.logprob} for it in listed or ()]
        if self._on_text is not None:
            self._on_text(self.text)

    @property
    def has_ended(self) -> bool:
        """Whether a piece said that it is the last one."""
        return self._finish_reason is not None

    def completion(self) -> object:
        """The reply in the form of a whole completion. Its tokens are estimated if the endpoint reports none."""
        message = {"content": self.text, "refusal": self._refusal or None}
        logprobs = {"content": self._tokens}
        choice = {"finish_reason": self._finish_reason or "stop", "message": message, "logprobs": logprobs}
        return {"choices": [choice], "usage": self._usage or self._estimate()}

    def _estimate(self) -> dict[str, object]:
        from rag.schema.text import estimate_tokens

        return {"prompt_tokens": estimate_prompt(self._request), "completion_tokens": estimate_tokens(self.text)}


def _is_whole(response: Any) -> bool:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().endswith("json")


@contextmanager
def _translate_connection_errors(request: Any) -> Iterator[None]:
    """Raise the openai package's connection errors also for a connection that breaks later."""
    import httpx2
    import openai

    try:
        yield
    except httpx2.TimeoutException as error:
        raise openai.APITimeoutError(request=request) from error
    except httpx2.RequestError as error:
        raise openai.APIConnectionError(request=request) from error


FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 60.0

_SAFE_CODE = re.compile(r"[\w.-]{1,60}")
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_LENGTH_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})


@dataclass(frozen=True)
class Endpoint:
    """The facts about an endpoint for error messages: never its key or its response."""

    model: str
    address: str
    access: str  # the setting, or role, that gives access
    timeout_s: float
    tries: int

    @property
    def host(self) -> str:
        parts = urlsplit(self.address)
        return parts.hostname or "the endpoint"


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    import openai

    if isinstance(error, openai.APIConnectionError | TimeoutError):
        return True
    if isinstance(error, openai.RateLimitError):
        return _code(error) not in _QUOTA_CODES and not _is_long(error)
    return isinstance(error, openai.APIStatusError) and (error.status_code >= 500 or error.status_code == 408)


def wait_before_retry(state: RetryCallState) -> float:
    """Seconds until the next try: what Retry-After says, else 2, 4, 8, ...; a minute at most."""
    import openai

    error = state.outcome.exception() if state.outcome else None
    retry_after_s = _retry_after(error) if isinstance(error, openai.APIStatusError) else None
    wait = FIRST_WAIT_S * 2 ** (state.attempt_number - 1) if retry_after_s is None else retry_after_s
    return min(wait, LONGEST_WAIT_S)


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds of the endpoint's Retry-After, in any of its three forms; None if absent."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            seconds = float(value) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def _is_long(error: APIStatusError) -> bool:
    """Whether the endpoint's Retry-After is longer than the longest wait."""
    return (_retry_after(error) or 0.0) > LONGEST_WAIT_S


def _code(error: APIStatusError) -> str:
    """The error's code or type, if it is a plain word; else empty."""
    return next((word for word in (error.code, error.type) if word and _SAFE_CODE.fullmatch(word)), "")


def translate_error(error: Exception, endpoint: Endpoint) -> ModelError:
    """The error for the caller: one sentence that a person can act on."""
    import openai

    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return describe_timeout(endpoint)
    if isinstance(error, openai.APIConnectionError):
        return describe_lost_connection(endpoint)
    if isinstance(error, openai.RateLimitError) and _code(error) not in _QUOTA_CODES and _is_long(error):
        return build_busy(_retry_after(error) or 0.0)
    if isinstance(error, openai.APIStatusError):
        return translate_status(error.status_code, _code(error), str(error), endpoint)
    return describe_foreign_reply(endpoint)


def describe_timeout(endpoint: Endpoint) -> ModelUnavailable:
    """The error for a timeout."""
    return ModelUnavailable(
        f"The model {endpoint.model!r} at {endpoint.host} did not answer within {endpoint.timeout_s:g} s "
        f"({_times(endpoint)}); try again, or raise PLUMBLINE_MODEL_TIMEOUT_S."
    )


def describe_lost_connection(endpoint: Endpoint) -> ModelUnavailable:
    """The error for a connection that failed or broke."""
    return ModelUnavailable(
        f"The model's endpoint {endpoint.host} cannot be reached ({_times(endpoint)}); check its address and the "
        "network."
    )


def describe_foreign_reply(endpoint: Endpoint) -> ModelFailed:
    """The error for an unreadable response."""
    return ModelFailed(
        f"The endpoint {endpoint.host} did not answer as the OpenAI protocol has it; check the base URL."
    )


def translate_status(status: int, code: str, complaint: str, endpoint: Endpoint) -> ModelError:
    """The error for an HTTP status of 400 or more, with the endpoint's code, if plain, and its complaint."""
    at, model, complaint = endpoint.host, endpoint.model, complaint.lower()
    if status == 401:
        return ModelUnavailable(f"The model's endpoint {at} refuses the key; check {endpoint.access}.")
    if status == 403:
        return ModelUnavailable(f"The endpoint {at} refuses access to the model {model!r}; check {endpoint.access}.")
    if status == 404:
        return ModelUnavailable(
            f"The endpoint {at} has no model or deployment {model!r}; check PLUMBLINE_CHAT_MODEL and the address."
        )
    if code in _QUOTA_CODES:
        return ModelUnavailable(f"The quota of the account at {at} is used up; check its plan and billing.")
    if status == 429:
        return ModelUnavailable(f"The endpoint {at} is overloaded (429, {_times(endpoint)}); try again later.")
    if status >= 500 or status == 408:
        return ModelUnavailable(f"The endpoint {at} failed ({status}, {_times(endpoint)}); try again later.")
    if code in _LENGTH_CODES or "context length" in complaint or "context size" in complaint:
        return ModelFailed(f"The prompt is longer than the context of {model!r}; ask about fewer tables, or less text.")
    if code == "content_filter" or "content management policy" in complaint:
        return ContentFiltered("The endpoint's content filter refused the prompt; word the question differently.")
    if "api version" in complaint:  # Azure's of a reasoning model: "is enabled only for api versions ... and later"
        return ModelUnavailable(
            f"The endpoint {at} does not serve {model!r} with this API version; set OPENAI_API_VERSION to a later one."
        )
    what = f"{status}, {code}" if code else str(status)
    return ModelFailed(f"The endpoint {at} refused the request to {model!r} ({what}).")


def _times(endpoint: Endpoint) -> str:
    return "1 try" if endpoint.tries == 1 else f"{endpoint.tries} tries"

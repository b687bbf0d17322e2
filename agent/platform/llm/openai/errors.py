"""What an endpoint's errors mean: whether to retry, how long to wait, and what a person can do."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agent.core.errors import Fatal, ModelFailed, ModelUnavailable

if TYPE_CHECKING:
    from openai import APIStatusError
    from tenacity import RetryCallState

FIRST_WAIT_S = 2.0
LONGEST_WAIT_S = 60.0

_SAFE_CODE = re.compile(r"[\w.-]{1,60}")
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_LENGTH_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})


@dataclass(frozen=True)
class Endpoint:
    """What an error message may say about an endpoint: never its key, nor what it sent back."""

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
        return _code(error) not in _QUOTA_CODES
    return isinstance(error, openai.APIStatusError) and (error.status_code >= 500 or error.status_code == 408)


def wait_before_retry(state: RetryCallState) -> float:
    """Seconds until the next try: what Retry-After says, else 2, 4, 8, ...; a minute at most."""
    import openai

    error = state.outcome.exception() if state.outcome else None
    retry_after_s = _retry_after(error) if isinstance(error, openai.APIStatusError) else None
    wait = FIRST_WAIT_S * 2 ** (state.attempt_number - 1) if retry_after_s is None else retry_after_s
    return min(wait, LONGEST_WAIT_S)


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds of the endpoint's Retry-After, in any of the three forms in use; None without one."""
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


def _code(error: APIStatusError) -> str:
    """The error's code or type, where it is a plain word."""
    return next((word for word in (error.code, error.type) if word and _SAFE_CODE.fullmatch(word)), "")


def translate_error(error: Exception, endpoint: Endpoint) -> Fatal:
    """The error for the caller: one sentence that a person can act on."""
    import openai

    if isinstance(error, openai.APITimeoutError | TimeoutError):
        return describe_timeout(endpoint)
    if isinstance(error, openai.APIConnectionError):
        return describe_lost_connection(endpoint)
    if isinstance(error, openai.APIStatusError):
        return translate_status(error.status_code, _code(error), str(error), endpoint)
    return describe_foreign_reply(endpoint)


def describe_timeout(endpoint: Endpoint) -> ModelUnavailable:
    """The error where no answer came in time."""
    return ModelUnavailable(
        f"The model {endpoint.model!r} at {endpoint.host} did not answer within {endpoint.timeout_s:g} s "
        f"({_times(endpoint)}); try again, or raise PLUMBLINE_MODEL_TIMEOUT_S."
    )


def describe_lost_connection(endpoint: Endpoint) -> ModelUnavailable:
    """The error where there was no connection, or it broke."""
    return ModelUnavailable(
        f"The model's endpoint {endpoint.host} cannot be reached ({_times(endpoint)}); check its address and the "
        "network."
    )


def describe_foreign_reply(endpoint: Endpoint) -> ModelFailed:
    """The error where what came is no answer."""
    return ModelFailed(
        f"The endpoint {endpoint.host} did not answer as the OpenAI protocol has it; check the base URL."
    )


def translate_status(status: int, code: str, complaint: str, endpoint: Endpoint) -> Fatal:
    """The error for an HTTP status.

    Args:
        status: 400 or more.
        code: the endpoint's own, where it is a plain word; else empty.
        complaint: what it says.
        endpoint: that was asked.
    """
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
        return ModelUnavailable(f"The endpoint {at} is in trouble ({status}, {_times(endpoint)}); try again later.")
    if code in _LENGTH_CODES or "context length" in complaint or "context size" in complaint:
        return ModelFailed(f"The prompt is longer than the context of {model!r}; ask about fewer tables, or less text.")
    if code == "content_filter" or "content management policy" in complaint:
        return ModelFailed("The endpoint's content filter refused the prompt; word the question differently.")
    what = f"{status}, {code}" if code else str(status)
    return ModelFailed(f"The endpoint {at} refused the request to {model!r} ({what}).")


def _times(endpoint: Endpoint) -> str:
    return "1 try" if endpoint.tries == 1 else f"{endpoint.tries} tries"

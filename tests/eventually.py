"""Waits for a condition in another task or process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_not_result, stop_after_delay, wait_fixed

T = TypeVar("T")
PATIENCE_S = 120


async def eventually(
    look: Callable[[], Awaitable[T]], wanted: Callable[[T], bool], *, patience_s: float = PATIENCE_S
) -> T:
    """The value of `look` once it is as wanted. Raises tenacity.RetryError after `patience_s` seconds."""

    async def once() -> T:  # tenacity awaits what is declared so, and no lambda
        return await look()

    tries = AsyncRetrying(retry=retry_if_not_result(wanted), wait=wait_fixed(0.02), stop=stop_after_delay(patience_s))
    return await tries(once)

"""Circuit breakers (Nygard, "Release It!"): after several failures in a row, calls to a part are paused.

During the pause, callers get an error at once. Then one call tests the part, so a recovering part is not flooded.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from agent.core.errors import ModelUnavailable
from executors.errors import DatabaseUnavailable
from rag.errors import EmbedderUnavailable

State = Literal["closed", "open", "half_open"]
Failure = type[ModelUnavailable | EmbedderUnavailable | DatabaseUnavailable]
PROBED_AGAIN_S = 1  # retry delay for callers that arrive while another call tests the part


class Breaker:
    """Counts the failures of one external part. Thread-safe.

    `failures` in a row open it for `pause_s` seconds. `error` is the class of both the failures and the refusals.
    """

    def __init__(
        self,
        part: str,
        *,
        failures: int,
        pause_s: float,
        error: Failure,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._part, self._most, self._pause_s = part, failures, pause_s
        self._error, self._clock = error, clock
        self._lock = threading.Lock()
        self._failed = 0
        self._last = ""
        self._opened_at = 0.0
        self._probing = False

    @property
    def state(self) -> State:
        """`closed`: calls are made. `open`: no calls are made. `half_open`: one call is made and decides."""
        if self._failed < self._most:
            return "closed"
        return "open" if self._get_remaining_s() > 0 else "half_open"

    def refuse_while_open(self) -> None:
        """Raise the refusal if the breaker is open."""
        with self._lock:
            if self.state == "open":
                raise self._build_refusal(math.ceil(self._get_remaining_s()))

    @contextmanager
    def watching(self, *, proves: bool = True) -> Iterator[None]:
        """Guard one call, or raise the refusal. `proves`: False if a success may come from a cache."""
        probe = self._enter()
        try:
            yield
        except self._error as error:
            self._note(failed=True, last=str(error))
            raise
        except (asyncio.CancelledError, GeneratorExit):
            raise  # whether the call would have failed is unknown
        except BaseException:
            self._note(failed=False)
            raise
        else:
            if proves:
                self._note(failed=False)
        finally:
            if probe:
                self._probing = False

    def _enter(self) -> bool:
        """Whether this call tests the part. Raises the refusal if the call may not be made."""
        with self._lock:
            state = self.state
            if state == "open":
                raise self._build_refusal(math.ceil(self._get_remaining_s()))
            if state == "half_open":
                if self._probing:
                    raise self._build_refusal(PROBED_AGAIN_S)
                self._probing = True
            return state == "half_open"

    def _note(self, *, failed: bool, last: str = "") -> None:
        with self._lock:
            self._failed = self._failed + 1 if failed else 0
            if failed:
                self._last, self._opened_at = last, self._clock()

    def _get_remaining_s(self) -> float:
        return self._opened_at + self._pause_s - self._clock()

    def _build_refusal(self, seconds: int) -> Exception:
        return self._error(
            f"{self._part} has failed {self._failed} times in a row and is not called for {seconds} s. Last error: "
            f"{self._last}",
            seconds,
        )

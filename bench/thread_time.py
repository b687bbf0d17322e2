"""Separates the CPU time of the interpreter's threads from that of threads that libraries started."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def of_python() -> float:
    """Seconds of CPU of all threads that Python knows and that live now (Unix)."""
    return sum(time.clock_gettime(time.pthread_getcpuclockid(it.ident)) for it in threading.enumerate() if it.ident)


class Inside:
    """Seconds of CPU that Python's threads have spent inside a function, while `counted` is open."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def counted(self, module: Any, name: str) -> Iterator[None]:
        """Args: module, name: of the function, as its callers look it up."""
        function = getattr(module, name)
        setattr(module, name, self._timed(function))
        try:
            yield
        finally:
            setattr(module, name, function)

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.thread_time() - began
                with self._lock:
                    self.seconds += spent

        return timed

"""An identity cache: keeps results that are slow to derive, for recently used objects."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

_MOST = 8  # per function: a process has few databases, and each result keeps its schema in memory

P = ParamSpec("P")
T = TypeVar("T")


class IdentityCache(Generic[P, T]):
    """Calls a function once for the same objects, as long as they are recent. Safe to use from several threads.

    Objects are compared by identity: comparing two large schemas takes longer than deriving most results. They must not
    change, and are kept as long as their results.
    """

    def __init__(self, make: Callable[P, T], most: int = _MOST) -> None:
        self._make = make
        self._known: deque[tuple[tuple[object, ...], T]] = deque(maxlen=most)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        if any(isinstance(one, list) for one in args):  # it may have been changed
            return self._make(*args, **kwargs)
        for of, made in tuple(self._known):
            if len(of) == len(args) and all(one is other for one, other in zip(of, args, strict=True)):
                return made
        made = self._make(*args, **kwargs)
        self._known.append((args, made))
        return made

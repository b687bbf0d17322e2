"""An identity cache: stores what is slow to derive from an object, for recently used objects."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

_MOST = 8  # per function: a process has few databases, and each result keeps its schema alive

P = ParamSpec("P")
T = TypeVar("T")


class IdentityCache(Generic[P, T]):
    """Calls a function once for the same objects while they are among the latest. Safe to use from several threads.

    Objects are the same only by their identity: to compare two large schemas takes longer than most of what is made of
    them. They must not change, and are kept as long as what was made of them.
    """

    def __init__(self, make: Callable[P, T], most: int = _MOST) -> None:
        self._make = make
        self._known: deque[tuple[tuple[object, ...], T]] = deque(maxlen=most)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        if any(isinstance(one, list) for one in args):  # who knows whether it has been changed
            return self._make(*args, **kwargs)
        for of, made in tuple(self._known):
            if len(of) == len(args) and all(one is other for one, other in zip(of, args, strict=True)):
                return made
        made = self._make(*args, **kwargs)
        self._known.append((args, made))
        return made

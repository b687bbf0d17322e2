"""Resource limits of a worker process, set by itself before it works."""

from __future__ import annotations

import re
import signal
import sys

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)


def bytes_of(size: str) -> int:
    """`2GB` or `512MiB` in bytes. Raises ValueError."""
    found = _SIZE.fullmatch(size)
    if found is None or found[2].lower() not in _UNITS:
        raise ValueError(f"{size!r} is not a size; write it as 2GB or 512MB")
    return int(float(found[1]) * _UNITS[found[2].lower()])


def can_limit_memory() -> bool:
    """Whether the system holds a process to its memory; macOS takes the limit and does not."""
    return sys.platform.startswith("linux")


def limit_memory(size: int) -> None:
    """Let this process have so many bytes of memory of its own; beyond, what it asks for is not given. No core files.

    RLIMIT_DATA counts what is written to, and not what is only reserved, as allocators do.
    """
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if can_limit_memory():
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def limit_cpu(seconds: float) -> None:
    """Have the system end this process after so many seconds of its own computing from now; 0: no longer.

    The clock counts the work of this process alone, so that a busy machine ends nobody.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)

"""Resource limits that a worker process sets for itself."""

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
    """Whether the system enforces a memory limit. macOS accepts the limit but does not enforce it."""
    return sys.platform.startswith("linux")


def limit_memory(size: int) -> None:
    """Limit the private memory of this process, in bytes. Further allocations fail. Core files are disabled too.

    RLIMIT_DATA counts writable memory, not address space that allocators only reserve.
    """
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if can_limit_memory():
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def limit_cpu(seconds: float) -> None:
    """Make the system end this process after that many seconds of CPU time from now. 0 removes the limit.

    Only the work of this process counts, so a busy machine does not end it.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)

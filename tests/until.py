"""Waiting for what happens elsewhere: another process, a server, a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

PATIENCE_S = 120.0


def until(holds: Callable[[], object]) -> None:
    """Wait for a condition; fail where it does not come."""
    end = time.monotonic() + PATIENCE_S
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        pause.wait(0.05)

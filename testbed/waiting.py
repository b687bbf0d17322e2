"""Waits until a server that was just started answers."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

PATIENCE_S = 90.0
_DIRECT = build_opener(ProxyHandler({}))


def answers(url: str) -> bool:
    """Whether a GET is answered with 200."""
    try:
        with _DIRECT.open(url, timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def until_ready(process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path) -> None:
    """Wait until a server is ready. Raises RuntimeError with its log: it has ended, or takes too long."""
    end, pause = time.monotonic() + PATIENCE_S, threading.Event()
    while not ready():
        ended = process.poll() is not None
        if ended or time.monotonic() > end:
            said = log.read_text(errors="replace")[-4000:]
            raise RuntimeError(f"{process.args!r} {'has ended' if ended else 'does not answer'}:\n{said}")
        pause.wait(0.05)

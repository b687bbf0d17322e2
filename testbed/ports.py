"""Ports for the servers that tests start."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

# Below the ports that Linux gives to outgoing connections (32768 and up) and to servers that ask for port 0. A free
# port of those could be taken again before the server binds it.
_RANGE = range(20_000, 32_000)
_RANDOM = random.SystemRandom()  # pytest's workers must not draw the same ports


def free_port() -> int:
    """A port on 127.0.0.1 that nothing listens on. Raises RuntimeError if every one is taken."""
    for port in _RANDOM.sample(_RANGE, len(_RANGE)):
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"No port from {_RANGE.start} to {_RANGE.stop - 1} is free.")

"""Ports for the servers that tests start."""

from __future__ import annotations

import os
import random
import socket
from contextlib import suppress

# Below the ports that Linux gives to outgoing connections (32768 and up) and to servers that ask for port 0. A free
# port of those could be taken again before the server binds it.
_RANGE = range(20_000, 32_000)
_RANDOM = random.SystemRandom()  # runs that are not of one pytest must not draw the same ports
_WORKERS = 8  # of one pytest, each with ports of its own
_given: set[int] = set()


def free_port() -> int:
    """A port on 127.0.0.1 that nothing listens on. Raises RuntimeError if every one is taken.

    Nobody else in this run of the tests is given it: it stays free until its server begins, and while that is stopped.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    mine = _RANGE[worker % _WORKERS :: _WORKERS]
    for port in _RANDOM.sample(mine, len(mine)):
        if port not in _given:
            with suppress(OSError), socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
                _given.add(port)
                return port
    raise RuntimeError(f"No port from {_RANGE.start} to {_RANGE.stop - 1} is free.")

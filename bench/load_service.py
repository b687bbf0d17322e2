"""`python -m agent serve` with a pipe: for each line on standard input it reports what runs in the process.

    python -m bench.load_service --port 7071

The app, its server and its settings are those of the command itself, with one more thread that waits for lines.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading

from agent.api.server import server
from agent.cli import main as cli

ANSWER = "counted: "


class Counted(server.Server):
    """The server, which counts the tasks of its loop when it is asked."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As the server's; from then on lines are answered."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        threading.Thread(target=_answer, args=(loop,), name="load-counts", daemon=True).start()


def _answer(loop: asyncio.AbstractEventLoop) -> None:
    for _ in sys.stdin:
        counts = asyncio.run_coroutine_threadsafe(_counts(), loop).result()
        print(f"{ANSWER}{json.dumps(counts)}", flush=True)


async def _counts() -> dict[str, list[str]]:
    """The names of the coroutines that run, but for this one, and of the threads."""
    me = asyncio.current_task()
    tasks = [getattr(task.get_coro(), "__qualname__", "?") for task in asyncio.all_tasks() if task is not me]
    return {"tasks": sorted(tasks), "threads": sorted(thread.name for thread in threading.enumerate())}


if __name__ == "__main__":
    server.Server = Counted  # type: ignore[misc]  # where the command looks for it
    sys.argv[1:1] = ["serve"]
    cli.app()

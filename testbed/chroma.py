"""A Chroma server, `chroma run` of the package, on a free port."""

from __future__ import annotations

import sys
from pathlib import Path

from testbed.server_program import ServerProgram
from testbed.waiting import answers

_PROGRAM = Path(sys.executable).with_name("chroma")


class Chroma(ServerProgram):
    """One server; it runs inside the block, and its folder is removed afterwards."""

    def __init__(self) -> None:
        super().__init__("chroma")
        self.url = f"http://{self.host}:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [_PROGRAM, "run", "--path", self._folder / "data", "--host", self.host, "--port", str(self.port)]
        self._launch(command, lambda: answers(f"{self.url}/api/v2/heartbeat"))

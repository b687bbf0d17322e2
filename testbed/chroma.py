"""A Chroma server, `chroma run` of the package, on a port of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from testbed.postgres import free_port
from testbed.waiting import answers, until_ready

_PROGRAM = Path(sys.executable).with_name("chroma")


class Chroma:
    """One server; it runs inside the block, and its folder is removed afterwards."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-chroma-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        log = self._folder / "log"
        with log.open("wb") as said:
            self._process = subprocess.Popen(
                [_PROGRAM, "run", "--path", self._folder / "data", "--host", "127.0.0.1", "--port", str(self.port)],
                stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            until_ready(self._process, lambda: answers(f"{self.url}/api/v2/heartbeat"), log)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)

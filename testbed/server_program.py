"""The base of servers that tests start as a program: a folder, a port, a log, a start and a stop."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from testbed.ports import free_port
from testbed.waiting import PATIENCE_S, until_ready


class ServerProgram(ABC):
    """One server; it runs inside the block, and its folder is removed afterwards. Args: name: of the folder."""

    stops_on: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, name: str) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix=f"plumbline-{name}-"))
        self._log = self._folder / "log"
        self.host, self.port = "127.0.0.1", free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._remove()

    def _prepare(self) -> None:  # noqa: B027  most need nothing
        """Make what the first start needs."""

    @abstractmethod
    def start(self) -> None:
        """Start it and wait until it answers. Stored data is kept."""

    def stop(self) -> None:
        """Stop it: connections break. Stored data stays until the block ends."""
        if self._process is not None:
            self._process.send_signal(self.stops_on)
            self._process.wait(PATIENCE_S)
            self._process = None

    def _launch(
        self, command: Sequence[object], is_ready: Callable[[], bool], environment: Mapping[str, str] | None = None
    ) -> None:
        """Run it in its folder, until it is ready. Raises RuntimeError with its log."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self._folder,
                env=environment,
            )
        until_ready(self._process, is_ready, self._log)

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection((self.host, self.port), timeout=1):
            return True
        return False

    def _remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

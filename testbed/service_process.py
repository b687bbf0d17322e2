"""The service as an operator runs it: `python -m agent serve` in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from testbed.ports import free_port
from testbed.waiting import answers, until_ready

ROOT = Path(__file__).parents[1]
_OWN = ("PLUMBLINE_", "OPENAI_", "AZURE_", "CHROMA_", "OTEL_", "TEXT2SQL_", "APPLICATIONINSIGHTS_")


def clean_environment() -> dict[str, str]:
    """This process's, without any setting of the service. Modules stay compiled, as in an installation."""
    left_out = (*_OWN, "PYTHONDONTWRITEBYTECODE")
    others = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return others | {"PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}


class ServiceProcess:
    """One process; it runs inside the block.

    Args:
        environment: its settings; nothing else is set.
        log: the file that takes what it says.
        command: what is run, where it is not the command line of this project; with PLUMBLINE_PORT in its environment.
        folder: where it is run.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        log: Path,
        *,
        command: Sequence[str] = (sys.executable, "-m", "agent", "serve"),
        folder: Path = ROOT,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = clean_environment() | dict(environment) | {"PLUMBLINE_PORT": str(self.port)}
        self._log, self._command, self._folder = log, list(command), folder
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with self._log.open("ab") as said:
            self._process = subprocess.Popen(
                self._command, cwd=self._folder, env=self.environment, stdout=said, stderr=said,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            until_ready(self._process, lambda: answers(f"{self.url}/api/health/live"), self._log)
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Let it finish open requests."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def kill(self) -> None:
        """As the system does it that has no memory left: nothing is ended."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def cpu_s(self) -> float:
        """Seconds of processor time that it has taken so far (Linux)."""
        if self._process is None:
            return 0.0
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

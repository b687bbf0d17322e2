"""Azure Table and Blob Storage as Azurite emulates them, from npm (`testbed/node`), on a port of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from testbed.certificate import make_certificate
from testbed.postgres import free_port

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # everybody's
_MODULES = Path(__file__).parent / "node" / "node_modules"
_PROGRAM = _MODULES / ".bin" / "azurite-table"
_BLOB_OPTIONS = ("--skipApiVersionCheck",)  # it is older than the client
_PATIENCE_S = 60.0


def missing() -> str:
    """Why no Azurite can run on this machine; empty where one can."""
    if shutil.which("node") is None:
        return "node is not installed; on Debian and Ubuntu: apt-get install nodejs npm"
    return "" if _PROGRAM.exists() else "azurite is not installed: npm ci --prefix testbed/node"


def version() -> str:
    """Of the installed package: `Azurite 3.35.0`."""
    package = json.loads((_MODULES / "azurite" / "package.json").read_text(encoding="utf-8"))
    return f"Azurite {package['version']}"


class Azurite:
    """One service; it runs inside the block, and its folder is removed afterwards.

    Args:
        service: `table` or `blob`.
        tls: whether it has a certificate, and takes tokens of Microsoft Entra ID. It looks at what a token says, and
            not at who signed it.
    """

    def __init__(self, service: Literal["table", "blob"] = "table", *, tls: bool = False) -> None:
        if reason := missing():
            raise RuntimeError(reason)
        self.host, self.port = "127.0.0.1", free_port()
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-azurite-"))
        self._log = self._folder / "log"
        self.certificate, key = self._folder / "certificate.pem", self._folder / "key.pem"
        self._service = service
        self._options: tuple[str, ...] = _BLOB_OPTIONS if service == "blob" else ()
        self._tls = tls
        if tls:
            make_certificate(self.certificate, key, self.host)
            self._options = ("--oauth", "basic", "--cert", str(self.certificate), "--key", str(key))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._remove()

    @property
    def endpoint(self) -> str:
        """The address of its service."""
        return f"{'https' if self._tls else 'http'}://{self.host}:{self.port}/{ACCOUNT}"

    @property
    def connection_string(self) -> str:
        """As the portal shows one for a storage account."""
        return f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};{self._endpoint_key};"

    @property
    def _endpoint_key(self) -> str:
        return f"{self._service.capitalize()}Endpoint={self.endpoint}"

    def start(self) -> None:
        """Start it, and wait until it answers; what was stored before is there again."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [_PROGRAM.with_name(f"azurite-{self._service}"), "--silent", "--disableTelemetry",
                 "--location", self._folder, f"--{self._service}Host", self.host,
                 f"--{self._service}Port", str(self.port), *self._options],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self._folder,
                env={**os.environ, "NODE_OPTIONS": ""},
            )  # fmt: skip
        self._until_ready(self._process)

    def stop(self) -> None:
        """Stop it; what is stored stays until the block ends."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # on SIGTERM it would write nothing down
            self._process.wait(_PATIENCE_S)
            self._process = None

    def _remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _until_ready(self, process: subprocess.Popen[bytes]) -> None:
        for _ in range(round(_PATIENCE_S / 0.1)):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
                raise RuntimeError(f"azurite-{self._service} ended:\n{self._said()}")
            with suppress(OSError), socket.create_connection((self.host, self.port), timeout=1):
                return
        raise RuntimeError(f"azurite-{self._service} does not answer:\n{self._said()}")

    def _said(self) -> str:
        return self._log.read_text(errors="replace")[-4000:]

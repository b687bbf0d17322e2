"""Azure Table and Blob Storage as Azurite emulates them, from npm (`testbed/node`), on its own port."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Literal

from testbed.certificate import make_certificate
from testbed.server_program import ServerProgram

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # everybody's
_MODULES = Path(__file__).parent / "node" / "node_modules"
_PROGRAM = _MODULES / ".bin" / "azurite-table"
_BLOB_OPTIONS = ("--skipApiVersionCheck",)  # it is older than the client


def missing() -> str:
    """Why no Azurite can run on this machine; empty where one can."""
    if shutil.which("node") is None:
        return "node is not installed; on Debian and Ubuntu: apt-get install nodejs npm"
    return "" if _PROGRAM.exists() else "azurite is not installed: npm ci --prefix testbed/node"


def version() -> str:
    """Of the installed package: `Azurite 3.35.0`."""
    package = json.loads((_MODULES / "azurite" / "package.json").read_text(encoding="utf-8"))
    return f"Azurite {package['version']}"


class Azurite(ServerProgram):
    """One service; it runs inside the block, and its folder is removed afterwards.

    Args:
        service: `table` or `blob`.
        tls: whether it has a certificate, and takes tokens of Microsoft Entra ID. It looks at what a token says, and
            not at who signed it.
    """

    stops_on = signal.SIGINT  # on SIGTERM it would write nothing down

    def __init__(self, service: Literal["table", "blob"] = "table", *, tls: bool = False) -> None:
        if reason := missing():
            raise RuntimeError(reason)
        super().__init__("azurite")
        self.certificate, key = self._folder / "certificate.pem", self._folder / "key.pem"
        self._service = service
        self._options: tuple[str, ...] = _BLOB_OPTIONS if service == "blob" else ()
        self._tls = tls
        if tls:
            make_certificate(self.certificate, key, self.host)
            self._options = ("--oauth", "basic", "--cert", str(self.certificate), "--key", str(key))

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
        """Start it and wait until it answers. Stored data is kept."""
        command = [
            _PROGRAM.with_name(f"azurite-{self._service}"), "--silent", "--disableTelemetry",
            "--location", self._folder, f"--{self._service}Host", self.host,
            f"--{self._service}Port", str(self.port), *self._options,
        ]  # fmt: skip
        self._launch(command, self._listens, {**os.environ, "NODE_OPTIONS": ""})

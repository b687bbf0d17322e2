"""A Chroma server, as `chroma run` starts it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

from chromadb.api.client import Client
from until import PATIENCE_S, until

from rag.index.chroma_server import ChromaServer, connect, disconnect
from rag.index.revision import slug_of
from testbed.ports import free_port

DIRECT = build_opener(ProxyHandler({}))
CHROMA = str(Path(sys.executable).with_name("chroma"))


class Running:
    """A Chroma server in a process that can be stopped and restarted on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [CHROMA, "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self._answers())

    @property
    def runs(self) -> bool:
        return self._process is not None

    def hang(self) -> None:
        """Have it stop in the middle of whatever it does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """After `hang`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)
        self._process = None

    @contextmanager
    def client(self) -> Iterator[Client]:
        client = connect(ChromaServer(url=self.url), PATIENCE_S)
        yield client
        disconnect(client)

    def collections(self) -> set[str]:
        with self.client() as client:
            return {collection.name.removeprefix(slug_of("shop")) for collection in client.list_collections()}

    def make(self, name: str, metadata: dict[str, Any]) -> None:
        """A collection as a process leaves it that is killed."""
        with self.client() as client:
            client.create_collection(f"{slug_of('shop')}-{name}", metadata=metadata, embedding_function=None)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the server has ended"
        try:
            with DIRECT.open(Request(f"{self.url}/api/v2/heartbeat"), timeout=1) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

"""Another deployment, for tests: the HTTP interface over its own registry, on a real port, in a thread."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from asgi_server import served
from starlette.types import ASGIApp

from agent.api.app import create_app
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from executors.engines.remote.executor import RemoteExecutor
from executors.registry.entry import ServerOptions
from testbed.scripted_model import ScriptedModel

PATIENCE_S = 60.0


class ServedApp:
    """An ASGI app on a real port while the block runs, or until `close`, with its own event loop."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._address: Future[str] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="served-app", daemon=True)
        self._thread.start()
        self.address = self._address.result(PATIENCE_S)

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        async with served(self._app) as address:
            self._address.set_result(address)
            await self._ended.wait()

    def close(self) -> None:
        """Stop the server."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class RemoteHost(ServedApp):
    """The whole service over a registry, without a model. Args: registry: databases.yaml; changes: to the settings."""

    def __init__(self, registry: Path, **changes: Any) -> None:
        self._state = tempfile.TemporaryDirectory(prefix="remote-host-")
        defaults = {"row_limit": 10_000, "enable_retrieval": False, "max_sample_values": 3, "duckdb_memory": "200MB"}
        settings = Settings.model_validate(
            {"registry": registry, "state_dir": Path(self._state.name)} | defaults | changes
        )
        self.service: Service = build_service(settings, model=ScriptedModel())
        super().__init__(create_app(lambda: self.service))

    def executor(self, name: str, **more: Any) -> RemoteExecutor:
        """The database of that name over there."""
        return RemoteExecutor(name, self.address, options=ServerOptions(), **more)

    def close(self) -> None:
        """Stop the server and the service."""
        super().close()
        self._state.cleanup()


class _Owning(RemoteExecutor):
    """A remote executor that ends its host when it is closed."""

    def __init__(self, host: RemoteHost, name: str) -> None:
        super().__init__(name, host.address, options=ServerOptions())
        self.host = host

    def close(self) -> None:
        """Close the connections, then the other side."""
        super().close()
        self.host.close()


def remote_to(registry: Path, name: str, **changes: Any) -> RemoteExecutor:
    """A database of a registry, through HTTP; closing it ends the other side too.

    Args:
        registry: a databases.yaml, which the other side serves.
        name: of the database in it.
        changes: to the other side's settings.
    """
    return _Owning(RemoteHost(registry, **changes), name)

"""The Python interface: one object for one database, for use in ordinary code or in coroutines.

The service runs in its own event loop, in a separate thread. So it works without a running loop, with one (a notebook),
and from several threads at once.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from agent.core.callers import LOCAL
from agent.core.errors import PlumblineError
from agent.core.events import Done, Event
from agent.core.models import Options
from plumbline.result import Result

if TYPE_CHECKING:
    from types import TracebackType

    from agent.pipeline.service import Service
    from agent.platform.config.settings import Settings

T = TypeVar("T")

log = logging.getLogger("plumbline")


class Plumbline:
    """One database, and the service that answers questions about it. Close it, or use it in a `with` block.

    Args:
        service: the service that answers.
        database: the service's name for the database.

    All methods that ask raise `PlumblineError` and the errors that `agent.pipeline.asking.Asking.query` lists.
    """

    def __init__(self, service: Service, database: str) -> None:
        self._service, self._database = service, database
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="plumbline", daemon=True)
        self._thread.start()
        self._closed = False

    @classmethod
    def open(
        cls,
        source: str | Path,
        *,
        docs: Sequence[str | Path] = (),
        settings: Settings | None = None,
        fetch_model: bool = True,
    ) -> Plumbline:
        """Open a database.

        Args:
            source: a file, folder or glob of data; a server's address, such as `postgresql://reader@host/sales`; or a
                name in the registry.
            docs: files and folders that describe the data.
            settings: the service's settings. Default: those of the environment.
            fetch_model: whether to download the files of the embedded models (1.6 GB) if they are needed and were never
                downloaded. The logger `plumbline` warns before. If false, a question raises `ModelUnavailable` instead.

        Raises:
            ModelUnavailable: the file cannot be downloaded.
            pydantic.ValidationError: a setting in the environment is invalid.
            DatabaseUnavailable, RegistryInvalid: the source or the registry cannot be used.
        """
        from agent.cli.paths import resolve
        from agent.pipeline.service import build_service
        from agent.platform.config.settings import get_settings

        service = build_service(settings or get_settings(), registry_required=False)
        database = resolve(service, str(source), [Path(doc) for doc in docs])
        if fetch_model:
            _bring_model(service.settings)
        return cls(service, database)

    # -- ask ----------------------------------------------------------------------------------------------

    def ask(self, question: str, *, options: Options | None = None) -> Result:
        """Answer one question."""
        return self._submit(self._ask(question, options)).result()

    async def ask_async(self, question: str, *, options: Options | None = None) -> Result:
        """Answer one question. Cancelling the coroutine cancels the work."""
        return await asyncio.wrap_future(self._submit(self._ask(question, options)))

    def stream(self, question: str, *, options: Options | None = None) -> Iterator[Event]:
        """Yield the events of one question as they happen; the last one, `Done`, holds the answer."""
        waiting: queue.Queue[Event | BaseException | None] = queue.Queue()
        task = self._submit(self._forward(question, options, waiting))
        try:
            while (event := waiting.get()) is not None:
                if isinstance(event, BaseException):
                    raise event
                yield event
        finally:
            task.cancel()

    async def stream_async(self, question: str, *, options: Options | None = None) -> AsyncIterator[Event]:
        """Yield the same events as `stream`, for use in a coroutine."""
        events = self.stream(question, options=options)
        try:
            while (event := await asyncio.to_thread(next, events, None)) is not None:
                yield event
        finally:
            await asyncio.to_thread(events.close)  # type: ignore[attr-defined]  # a generator's

    # -- end ----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Stop running questions and release all resources. A second call does nothing."""
        if self._closed:
            return
        self._submit(self._service.close()).result()
        self._closed = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    # -- inside -------------------------------------------------------------------------------------------

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._closed:
            work.close()
            raise PlumblineError("This Plumbline is closed. Open the database again.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _ask(self, question: str, options: Options | None) -> Result:
        answer = await self._service.query(question, self._database, options=options or Options(), principal=LOCAL)
        return Result.of(answer)

    async def _forward(
        self, question: str, options: Options | None, waiting: queue.Queue[Event | BaseException | None]
    ) -> None:
        """Put every event into the queue, then the exception if one was raised, then None."""
        try:
            stream = self._service.events(question, self._database, options=options or Options(), principal=LOCAL)
            async with aclosing(stream) as events:
                async for event in events:
                    waiting.put(Done(answer=Result.of(event.answer)) if isinstance(event, Done) else event)
        except Exception as error:  # noqa: BLE001  the reader raises it again, in its own thread
            waiting.put(error)
        finally:
            waiting.put(None)


def _bring_model(settings: Settings) -> None:
    """Download the embedded model's file if it is needed and was never downloaded; other processes wait meanwhile.

    Raises:
        ModelUnavailable: the file cannot be downloaded.
    """
    from agent.platform.llm.files.model_files import describe, fetch_needed, find_unfetched

    if specs := find_unfetched(settings):
        log.warning(
            "Fetching the embedded model %s, once. `plumbline model` fetches it ahead.",
            describe(specs),
        )
        fetch_needed(specs, settings.cache_dir)

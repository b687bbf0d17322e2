"""What all commands share: consoles, opening the service, and reporting failures."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from agent.core.errors import PlumblineError
from agent.core.problems import problem_of
from agent.core.usage import Effort
from agent.pipeline.service import Service, build_service
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from agent.platform.configuration import examine
from agent.platform.telemetry.logs import configure_logs
from agent.platform.telemetry.trace import new_trace_id
from agent.present.terminal import byte_progress, plain
from executors.errors import ExecutorError
from rag.errors import RetrievalError

EXPECTED = (PlumblineError, ExecutorError, RetrievalError)
DEADLINE_S = 3600.0  # the settings' deadline suits a front end that hangs up; here the user interrupts

T = TypeVar("T")

out = Console()
err = Console(stderr=True)

Database = Annotated[str, typer.Option("--database", "-d", help="A name of the registry, or a file or folder of data.")]
Docs = Annotated[
    list[Path] | None, typer.Option("--docs", exists=True, help="Docs of a file or folder: Markdown, YAML or CSV.")
]
EffortOption = Annotated[
    Effort | None,
    typer.Option("--effort", help="quick: one draft, not verified; balanced: two; thorough: up to five."),
]


@contextmanager
def open_service(
    *, as_json: bool = False, calibrating: bool = False, sources: Sequence[str] = ()
) -> Iterator[tuple[Service, asyncio.Runner]]:
    """The service, and the event loop that it runs in. An expected error ends the process with a message.

    `calibrating` ignores the file of PLUMBLINE_CALIBRATION, because its version may be outdated.
    """
    settings = read_settings(registry=not sources)
    update: dict[str, object] = {"request_deadline_s": max(settings.request_deadline_s, DEADLINE_S)}
    settings = settings.model_copy(update=update | ({"calibration": None} if calibrating else {}))
    try:
        with asyncio.Runner() as runner:
            telemetry.setup(settings)
            service = build_service(settings, registry_required=False, sources=sources)
            try:
                yield service, runner
            finally:
                runner.run(service.close())
                telemetry.shutdown()
    except EXPECTED as error:
        problem = problem_of(error, new_trace_id()) if as_json else None
        if problem is not None:
            print(json.dumps(problem.model_dump(), indent=2))
            raise typer.Exit(1) from None
        fail(str(error))
    except KeyboardInterrupt:
        err.print("\nstopped", style="dim")
        raise typer.Exit(130) from None


def bring_model(settings: Settings, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Download the embedded models' files if they are needed and were never downloaded; prints a line before.

    `meanwhile` always runs, in this thread; its errors end the wait. Raises ModelUnavailable.
    """
    from agent.platform.llm.files.model_files import describe, fetch_needed, find_unfetched

    specs = find_unfetched(settings)
    if not specs:
        meanwhile()
        return
    err.print(f"Fetching the embedded model {describe(specs)}, once.", highlight=False, soft_wrap=True)
    with byte_progress(err) as progress:
        fetching = _start(lambda: fetch_needed(specs, settings.cache_dir, progress=progress))
        meanwhile()
        fetching.result()


def _start(work: Callable[[], T]) -> Future[T]:
    """Run `work` in a thread that does not delay the end of the process. After Ctrl-C, the next run continues it."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001  `Future.result` raises it again
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def read_settings(*, serving: bool = False, registry: bool = True) -> Settings:
    """The settings of this process; configures the logs. Any problem ends the process. `serving`: check access, too."""
    found = examine(in_functions=False if serving else None, registry=serving and registry)
    for warning in found.warnings:
        err.print(Text(f"! {warning}", style="yellow"), soft_wrap=True)
    if found.settings is None or found.every_problem:
        fail(found.report())
    configure_logs(found.settings)
    return found.settings


def complain(message: str) -> None:
    """Print an error message verbatim, because it may contain text that looks like markup."""
    err.print(Text(plain(in_own_words(message)), style="red"), soft_wrap=True)


def in_own_words(message: str) -> str:
    """A message in which the commands to run have the form in which this process was started."""
    return message.replace("python -m agent ", "plumbline ") if _is_installed_command() else message


def command() -> str:
    """The command that starts the command line again, as this process was started, from the same folder."""
    if _is_installed_command():
        return "plumbline"
    python, here = Path(sys.executable), Path.cwd()
    return f"{shlex.quote(str(python.relative_to(here) if python.is_relative_to(here) else python))} -m agent"


def _is_installed_command() -> bool:
    return Path(sys.argv[0]).stem == "plumbline"


def fail(message: str) -> NoReturn:
    """Print an error message and exit with code 1."""
    complain(message)
    raise typer.Exit(1)

"""`model`, `serve`, `openapi`, `key` and `mcp`: the model files, the HTTP service and the tools for other agents."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from agent.cli.console import EXPECTED, bring_model, err, fail, open_service, out, read_settings
from agent.platform.config.settings import Settings
from agent.present.terminal import byte_progress


def model(
    path: Annotated[Path | None, typer.Option("--path", help="Use this file instead of downloading it.")] = None,
    which: Annotated[str | None, typer.Option("--which", help="1.5b or 0.5b; default: as in the settings.")] = None,
) -> None:
    """Download the embedded models into the cache and verify them. An interrupted download continues."""
    from agent.platform.llm.files.model_files import fetch, models_of
    from agent.platform.llm.files.model_specs import MODELS

    settings = read_settings()
    if which is not None and which not in MODELS:
        fail(f"There is no model {which!r}. Known: {', '.join(MODELS)}.")
    source = path or (settings.embedded_model_path if which in (None, settings.embedded_model) else None)
    specs = models_of(settings) if which is None else (MODELS[which],)
    specs = specs if path is None else specs[:1]  # a file is one model
    if settings.is_hosted:
        out.print("A hosted model is set, so the embedded one will not be used; fetching it all the same.")
    try:
        with byte_progress(err) as progress:
            sources = [source, *(None for _ in specs[1:])]
            folder = settings.cache_dir.expanduser()
            found = [fetch(spec, folder, source=at, progress=progress) for spec, at in zip(specs, sources, strict=True)]
    except EXPECTED as error:
        fail(str(error))
    for spec, file in zip(specs, found, strict=True):
        line = f"{spec.title}: {file.name}, {file.stat().st_size:,} bytes, SHA-256 verified."
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def serve(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders or server addresses to query; default: the registry's databases."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; default: PLUMBLINE_HOST.")] = None,
    port: Annotated[int | None, typer.Option(help="Port; default: PLUMBLINE_PORT.")] = None,
) -> None:
    """Start the HTTP service and its page. An address that others can reach needs PLUMBLINE_AUTH."""
    from agent.api.app import create_default_app
    from agent.api.server.server import Server, check_port
    from agent.platform.access.policy import check_host

    settings = read_settings(serving=True, registry=not sources)
    address, number = settings.host if host is None else host, settings.port if port is None else port
    try:
        check_host(settings, address)
        _check_sources(settings, sources or ())
        check_port(address, number)
        if sources:  # with a registry, the operator decides what is downloaded
            bring_model(settings)
    except EXPECTED as error:
        fail(str(error))
    shown = f"[{address}]" if ":" in address else address
    out.print(
        f"Plumbline on http://{shown}:{number}/  (API docs: /api/docs; Ctrl-C stops it)",
        markup=False,
        soft_wrap=True,
    )
    server = Server(
        partial(create_default_app, sources=tuple(sources or ())),
        grace_s=settings.shutdown_grace_s,
        receive_timeout_s=settings.receive_timeout_s,
        host=address,
        port=number,
        log_level=settings.log_level.lower(),
    )
    with suppress(KeyboardInterrupt):  # uvicorn raises captured signals again at the end
        server.run()
    if not server.started:
        raise typer.Exit(1)


def _check_sources(settings: Settings, sources: Sequence[str]) -> None:
    """Open the sources before the port, so that an unusable one fails now and not later."""
    from agent.databases.registry import build_router
    from executors.registry.registry import Registry

    router = build_router(settings, Registry())
    for source in sources:
        router.add_source(source)


def openapi() -> None:
    """Print the OpenAPI document, as `GET /api/openapi.json` returns it."""
    from agent.api.app import contract

    print(json.dumps(contract(), indent=1))


def key(
    name: Annotated[str, typer.Argument(help="The principal that gets the key, as the registry names it.")],
    expires: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Last day of the key, such as 2027-01-31; default: it never expires."),
    ] = None,
) -> None:
    """Create an API key. It is printed once; put the line with its hash into PLUMBLINE_API_KEYS."""
    from agent.platform.access.keys import new_key

    try:
        made, stored_key = new_key(name, expires.date() if expires else None)
    except EXPECTED as error:
        fail(str(error))
    err.print("The key. It is not shown again:", style="dim")
    print(made)
    err.print("Its line for PLUMBLINE_API_KEYS, or for the file of PLUMBLINE_API_KEYS_FILE:", style="dim")
    print(stored_key.line())


def mcp(
    sources: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders or server addresses to query; default: the registry's databases."),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="Address for HTTP; it must be one of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port for HTTP.")] = 7072,
) -> None:
    """Serve the tools for other agents over the Model Context Protocol."""
    if find_spec("mcp") is None:
        fail("The package `mcp` is not installed. Install it with `pip install -r requirements-local.txt`.")
    from agent.api.mcp import LOOPBACK, PATH, serve_http, serve_stdio
    from agent.api.server.server import check_port

    if host not in LOOPBACK:
        fail(f"This server has no authentication, so it listens on {', '.join(LOOPBACK)} alone, not on {host}.")
    if not http:
        # A client ends this process by closing standard input, a person at a terminal by Ctrl-C. A thread that waits
        # for a line would not notice Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with open_service(sources=tuple(sources or ())) as (service, runner):
        if not http:
            runner.run(serve_stdio(service))
            return
        check_port(host, port)
        shown = f"[{host}]" if ":" in host else host
        err.print(f"Plumbline's tools on http://{shown}:{port}{PATH}  (Ctrl-C stops it)", markup=False, soft_wrap=True)
        runner.run(serve_http(service, host, port))

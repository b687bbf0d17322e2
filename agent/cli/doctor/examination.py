"""Examines the whole deployment, part by part and side by side; a broken part does not stop the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from functools import partial

from agent.cli.doctor import parts
from agent.cli.doctor.databases import DatabaseChecks, of_index
from agent.cli.doctor.finding import Diagnosis, Discretion, run_check
from agent.databases.registry import build_router
from agent.platform.config.settings import Settings
from agent.platform.configuration import Configuration, examine
from executors.registry.registry import Registry
from rag.embedding.embedder import Embedder


async def diagnose() -> tuple[Diagnosis, ...]:
    """What is found of this process's deployment. Nothing is changed, but for a record of the state store.

    The settings' retries are left out: here a person waits.
    """
    configuration = examine()
    findings = parts.of_configuration(configuration)
    settings = configuration.provisional
    if settings is None:
        message = "Nothing else was checked: without usable settings the parts are unknown."
        return (*findings, Diagnosis(part="deployment", check="parts", status="failed", message=message))
    findings += await _of_parts(settings.model_copy(update={"model_retries": 0}), configuration.registry)
    discretion = Discretion(_find_secrets(settings, configuration))
    return tuple(map(discretion.redact, findings))


async def _of_parts(settings: Settings, registry: Registry) -> list[Diagnosis]:
    databases = DatabaseChecks(settings, build_router(settings, registry))
    looks: list[tuple[str, Awaitable[Sequence[Diagnosis]]]] = [
        *(
            ("model", run_check("model", check, partial(parts.of_model, settings, check, name)))
            for check, name in parts.models_of(settings).items()
        ),
        ("index", _of_retrieval(settings, registry.names())),
        *(
            (f"database {name}", run_check(f"database {name}", "schema", partial(databases.of_database, name)))
            for name in registry.names()
        ),
        ("state store", run_check("state store", settings.state_kind, partial(parts.of_state, settings))),
        ("telemetry", run_check("telemetry", "export", partial(parts.of_telemetry, settings))),
    ]
    try:
        seen = await asyncio.gather(*(look for _, look in looks), return_exceptions=True)
    finally:
        await databases.close()
    return [finding for (part, _), some in zip(looks, seen, strict=True) for finding in _findings_of(part, some)]


def _findings_of(part: str, some: Sequence[Diagnosis] | BaseException) -> Sequence[Diagnosis]:
    """What was found. Even a fault of the examination itself costs one part and no more."""
    if not isinstance(some, BaseException):
        return some
    if not isinstance(some, Exception):
        raise some
    message = f"Examining it failed unexpectedly ({type(some).__name__}). Please report that."
    return [Diagnosis(part=part, check="examination", status="failed", message=message)]


async def _of_retrieval(settings: Settings, names: Sequence[str]) -> Sequence[Diagnosis]:
    """The embedder, then the index, which is held against it."""
    if not settings.enable_retrieval:
        message = "Off: PLUMBLINE_ENABLE_RETRIEVAL is false."
        return [Diagnosis(part="index", check="retrieval", status="ok", message=message)]
    from agent.databases.knowledge.build import build_embedder, build_store

    embedder: Embedder = build_embedder(settings)
    embedded = await run_check("embeddings", "model", partial(parts.of_embeddings, embedder))
    works = all(finding.status == "ok" for finding in embedded)
    store = build_store(settings)
    try:
        index = await run_check("index", "store", partial(of_index, store, names, embedder if works else None))
    finally:
        await asyncio.to_thread(store.close)
    return [*embedded, *index]


def _find_secrets(settings: Settings, configuration: Configuration) -> Iterator[str]:
    """Secrets of the settings, and the hosts and passwords of everything that has an address."""
    from urllib.parse import urlsplit

    from pydantic import SecretStr

    for value in settings.__dict__.values():
        if isinstance(value, SecretStr):
            yield value.get_secret_value()
        elif isinstance(value, str) and "://" in value:
            yield value
            yield urlsplit(value).hostname or ""
    for entry in configuration.registry.entries:
        yield from (entry.key.get_secret_value() if entry.key else "", urlsplit(entry.via).hostname or "")
        if entry.is_file or entry.via:
            continue
        address = entry.address
        password = address.password.get_secret_value() if address.password is not None else ""
        yield from (entry.url, address.host or "", password)

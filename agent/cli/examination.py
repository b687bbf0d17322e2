"""Examines all parts of the deployment concurrently; a broken part does not stop the others."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Literal

from pydantic import Field

from agent.core.errors import PlumblineError
from agent.core.texts.plurals import plural
from agent.databases.registry import build_router
from agent.platform.config.settings import Settings
from agent.platform.configuration import Configuration, examine
from agent.platform.llm.build import build_model, build_second_model
from agent.platform.llm.chat import ChatModel, Message
from executors.base import Frozen, Layer
from executors.dialects.row import READERS_LOGIN
from executors.errors import ExecutorError
from executors.guard.row_security.held_rows import RowRules
from executors.registry.entry import Entry
from executors.registry.registry import Registry
from executors.router import Router
from rag.embedding.embedder import Embedder
from rag.errors import RetrievalError
from rag.index.revision import INDEX_VERSION, IndexContent
from rag.index.store import Store
from rag.linking.column_index import columns_of

Status = Literal["ok", "warning", "failed"]

_FEW = 3
PATIENCE_S = 60.0  # timeout of one part; each has shorter timeouts of its own


class Diagnosis(Frozen):
    """The result of one check of a part. message: `said` in JSON; includes what to do if the status is not ok."""

    part: str
    check: str
    status: Status
    message: str = Field(serialization_alias="said")


async def run_check(part: str, check: str, look: Callable[[], Awaitable[Sequence[Diagnosis]]]) -> Sequence[Diagnosis]:
    """The findings of `look`. An expected error or a timeout becomes a failure of this part alone."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await look()
    except TimeoutError:
        message = f"No answer within {PATIENCE_S:g} s; check that it runs, and the network between."
    except (PlumblineError, ExecutorError, RetrievalError) as error:
        message = str(error)
    return [Diagnosis(part=part, check=check, status="failed", message=message)]


def redact(findings: Iterable[Diagnosis], secrets: Iterable[str]) -> tuple[Diagnosis, ...]:
    """The findings without secrets and addresses. Very short ones are kept, because they would match everywhere."""
    longest_first = sorted({value for value in secrets if len(value) > _FEW}, key=len, reverse=True)
    hidden = re.compile("|".join(rf"(?<![\w-]){re.escape(it)}(?![\w-])" for it in longest_first) or r"(?!)")
    return tuple(it.model_copy(update={"message": hidden.sub("…", it.message)}) for it in findings)


_UNKNOWN = "could not be checked. Verify it on the server."


def of_database(router: Router, name: str, *, allow_writes: bool) -> list[Diagnosis]:
    """Check that a database's schema can be read, and check each of its layers. Blocks. Raises DatabaseUnavailable."""
    finding = partial(Diagnosis, part=f"database {name}")
    entry, executor = router.entry(name), router.get(name)
    schema = executor.schema()
    if entry.row_filter is not None:
        RowRules(entry.row_filter, schema)
    message = f"{plural(len(schema.tables), 'table')}, {executor.dialect}."
    findings = [finding(check="schema", status="ok", message=message)]
    findings += [finding(check="schema", status="warning", message=warning) for warning in executor.warnings]
    layers = executor.layers()
    if layers:
        return [*findings, *(_of_layer(entry, layer, may_write=allow_writes and entry.writable) for layer in layers)]
    if entry.via:
        message = "They are those of the app that has it: run `python -m agent doctor` there."
        return [*findings, finding(check="layers", status="ok", message=message)]
    message = f"This engine {_UNKNOWN} Give it a login that can only read."
    return [*findings, finding(check="layers", status="warning", message=message)]


def _of_layer(entry: Entry, layer: Layer, *, may_write: bool) -> Diagnosis:
    finding = partial(Diagnosis, part=f"database {entry.name}", check=layer.name)
    if layer.holds:
        return finding(status="ok", message="Enforced.")
    if layer.holds is None:
        return finding(status="warning", message=f"It {_UNKNOWN}")
    if layer.name != READERS_LOGIN:
        return finding(status="failed", message=f"Not enforced. {layer.advice}")
    if may_write:
        return finding(status="ok", message="This login can write, as `writable` in the registry wants it.")
    return finding(status="warning", message=layer.advice)


async def of_index(store: Store, names: Sequence[str], embedder: Embedder | None) -> Sequence[Diagnosis]:
    """Check that the index can be read and, if the embedder works, matches it. Raises RetrievalError."""
    finding = partial(Diagnosis, part="index")
    await asyncio.to_thread(store.content, "")
    findings = [finding(check="store", status="ok", message="It can be read.")]
    for name in names:
        try:
            content = await asyncio.to_thread(store.content, name)
            if content is None:  # a database without docs has an index of its columns only
                content = await asyncio.to_thread(store.content, columns_of(name))
        except RetrievalError as error:
            findings.append(finding(check=name, status="failed", message=str(error)))
            continue
        findings.append(finding(check=name, **_fit(name, content, embedder)))
    return findings


def _fit(name: str, content: IndexContent | None, embedder: Embedder | None) -> dict[str, str]:
    again = f"run `python -m agent index -d {name}`, or let the next question do it."
    if content is None:
        return {"status": "warning", "message": f"Nothing is indexed yet: {again}"}
    if content.index_version != INDEX_VERSION:
        message = f"It has version {content.index_version}, and {INDEX_VERSION} is read here: {again}"
        return {"status": "warning", "message": message}
    made = f"{content.embedding_model} with {content.dimension} dimensions"
    if embedder is not None and (content.embedding_model, content.dimension) != (embedder.name, embedder.dimension):
        now = f"{embedder.name} with {embedder.dimension}"
        return {"status": "warning", "message": f"It was made by {made}, and the settings name {now}: {again}"}
    return {"status": "ok", "message": f"{plural(content.count, 'document')} by {made}."}


_PING = [Message(role="user", content="Answer with one word: ready")]
_REPLY_TOKENS = 8
_RECORD_S = 60.0  # expiry of the test record, in case it cannot be removed


def of_configuration(found: Configuration) -> list[Diagnosis]:
    """All problems of settings and registry."""
    finding = partial(Diagnosis, part="configuration")
    findings = [finding(check="settings", status="failed", message=message) for message in found.problems]
    findings += [finding(check="registry", status="failed", message=it) for it in found.registry_problems]
    findings += [finding(check="settings", status="warning", message=message) for message in found.warnings]
    if not findings:
        message = f"Valid; {plural(len(found.registry.entries), 'database')} in the registry."
        findings.append(finding(check="settings and registry", status="ok", message=message))
    return findings


SECOND = "second model"


def models_of(settings: Settings) -> dict[str, str | None]:
    """The models to check, by the name of the check: the one that writes, and the one that judges if it differs."""
    judge = settings.judge_model if settings.is_hosted else None
    return {"chat model": settings.chat_model} | ({"judge model": judge} if judge else {})


async def of_model(settings: Settings, check: str, name: str | None) -> Sequence[Diagnosis]:
    """Check that a model answers one tiny question. Raises ModelUnavailable, ModelFailed."""
    return [await _ask(build_model(settings, model_name=name), check)]


async def of_second_model(settings: Settings) -> Sequence[Diagnosis]:
    """Check that the model of the second draft answers; no findings if there is none. Raises ModelUnavailable."""
    from agent.platform.llm.files.model_files import explain_missing_second

    if message := explain_missing_second(settings):
        return [Diagnosis(part="model", check=SECOND, status="warning", message=message)]
    model = build_second_model(settings)
    return [] if model is None else [await _ask(model, SECOND)]


async def _ask(model: ChatModel, check: str) -> Diagnosis:
    """Check that the model answers, then close it."""
    began = time.perf_counter()
    try:
        reply = await model.complete(_PING, max_tokens=_REPLY_TOKENS)
        elapsed = time.perf_counter() - began
    finally:
        await model.close()
    if not reply.text.strip():
        message = f"{model.name} sent an empty reply; check that it is a chat model."
        return Diagnosis(part="model", check=check, status="failed", message=message)
    message = f"{model.name} answered in {elapsed:.1f} s."
    return Diagnosis(part="model", check=check, status="ok", message=message)


async def of_embeddings(embedder: Embedder) -> Sequence[Diagnosis]:
    """Check that the embedder returns vectors of the dimension that it states."""
    vectors = await asyncio.to_thread(embedder.embed, ["ready"])
    dimension = await asyncio.to_thread(lambda: embedder.dimension)
    if [len(vector) for vector in vectors] != [dimension]:
        message = f"{embedder.name} does not return the {dimension} dimensions that it states; set another model."
        return [Diagnosis(part="embeddings", check=embedder.name, status="failed", message=message)]
    message = f"{dimension} dimensions."
    return [Diagnosis(part="embeddings", check=embedder.name, status="ok", message=message)]


async def of_state(settings: Settings) -> Sequence[Diagnosis]:
    """Check that a record can be written, read and removed."""
    return await asyncio.to_thread(_state, settings)


def _state(settings: Settings) -> list[Diagnosis]:
    from agent.platform.storage.build import build_store
    from agent.platform.storage.store import Insert, Place, Remove

    store, place, value = build_store(settings), Place(kind="doctor", partition=uuid.uuid4().hex), {"written": True}
    finding = partial(Diagnosis, part="state store", check=settings.state_kind)
    try:
        store.commit(place, [Insert(key="record", value=value, expires_at=time.time() + _RECORD_S)])
        record = store.get(place, "record")
        store.commit(place, [Remove(key="record")])
        if record is None or record.value != value or store.get(place, "record") is not None:
            message = (
                "A record was not there, or not as it was written: do two deployments share the store under one name?"
            )
            return [finding(status="failed", message=message)]
    finally:
        store.close()
    return [finding(status="ok", message="A record was written, read and removed.")]


async def of_telemetry(settings: Settings) -> Sequence[Diagnosis]:
    """Check that the configured destinations accept an empty batch."""
    finding = partial(Diagnosis, part="telemetry")
    otlp, azure = settings.otel_exporter_otlp_endpoint, settings.applicationinsights_connection_string
    if not otlp and azure is None:
        return [finding(check="export", status="ok", message="Off: neither OTLP nor Application Insights is set.")]
    try:
        from agent.platform.telemetry.providers import destinations
    except ImportError:
        message = "Its packages are not installed: `pip install -r requirements.txt`."
        return [finding(check="export", status="failed", message=message)]
    findings: list[Diagnosis] = []
    for name, reached in (await asyncio.to_thread(destinations, settings)).items():
        message = "It cannot be reached, or does not accept data. Check its address, its headers and the network."
        if reached:
            message = "It accepted an empty batch."
        findings.append(finding(check=name, status="ok" if reached else "failed", message=message))
    return findings


async def diagnose() -> tuple[Diagnosis, ...]:
    """Examine this deployment, without retries. Nothing is changed except a test record in the state store."""
    configuration = examine()
    findings = of_configuration(configuration)
    settings = configuration.provisional
    if settings is None:
        message = "Nothing else was checked: without usable settings the parts are unknown."
        return (*findings, Diagnosis(part="deployment", check="parts", status="failed", message=message))
    findings += await _of_parts(settings.model_copy(update={"model_retries": 0}), configuration.registry)
    return redact(findings, _find_secrets(settings, configuration))


async def _of_parts(settings: Settings, registry: Registry) -> list[Diagnosis]:
    router = build_router(settings, registry)

    async def look_at(name: str) -> Sequence[Diagnosis]:
        return await asyncio.to_thread(of_database, router, name, allow_writes=settings.allow_writes)

    looks: list[tuple[str, Awaitable[Sequence[Diagnosis]]]] = [
        *(
            ("model", run_check("model", check, partial(of_model, settings, check, name)))
            for check, name in models_of(settings).items()
        ),
        ("model", run_check("model", SECOND, partial(of_second_model, settings))),
        ("index", _of_retrieval(settings, registry.names())),
        *(
            (f"database {name}", run_check(f"database {name}", "schema", partial(look_at, name)))
            for name in registry.names()
        ),
        ("state store", run_check("state store", settings.state_kind, partial(of_state, settings))),
        ("telemetry", run_check("telemetry", "export", partial(of_telemetry, settings))),
    ]
    try:
        seen = await asyncio.gather(*(look for _, look in looks), return_exceptions=True)
    finally:
        await asyncio.to_thread(router.close)
    return [finding for (part, _), some in zip(looks, seen, strict=True) for finding in _findings_of(part, some)]


def _findings_of(part: str, some: Sequence[Diagnosis] | BaseException) -> Sequence[Diagnosis]:
    """The findings of a part. Even an unexpected error of the examination affects only that part."""
    if not isinstance(some, BaseException):
        return some
    if not isinstance(some, Exception):
        raise some
    message = f"Examining it failed unexpectedly ({type(some).__name__}). Please report that."
    return [Diagnosis(part=part, check="examination", status="failed", message=message)]


async def _of_retrieval(settings: Settings, names: Sequence[str]) -> Sequence[Diagnosis]:
    """Check the embedder, then the index against it."""
    if not settings.enable_retrieval:
        message = "Off: PLUMBLINE_ENABLE_RETRIEVAL is false."
        return [Diagnosis(part="index", check="retrieval", status="ok", message=message)]
    from agent.databases.knowledge.build import build_embedder, build_store

    embedder: Embedder = build_embedder(settings)
    embedded = await run_check("embeddings", "model", partial(of_embeddings, embedder))
    works = all(finding.status == "ok" for finding in embedded)
    store = build_store(settings)
    try:
        index = await run_check("index", "store", partial(of_index, store, names, embedder if works else None))
    finally:
        await asyncio.to_thread(store.close)
    return [*embedded, *index]


def _find_secrets(settings: Settings, configuration: Configuration) -> Iterator[str]:
    """Yield the secrets of the settings, and the hosts and passwords of all addresses."""
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

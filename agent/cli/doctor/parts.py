"""The parts that every deployment has: configuration, model, embeddings, state, telemetry."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from functools import partial

from agent.cli.doctor.finding import Diagnosis
from agent.platform.config.settings import Settings
from agent.platform.configuration import Configuration
from agent.platform.llm.build import build_model
from agent.platform.llm.chat import ChatModel, Message
from rag.embedding.embedder import Embedder

_PING = [Message(role="user", content="Answer with one word: ready")]
_REPLY_TOKENS = 8
_RECORD_S = 60.0  # where it could be written and then not removed


def of_configuration(found: Configuration) -> list[Diagnosis]:
    """Everything that is wrong with settings and registry."""
    problem = partial(Diagnosis, part="configuration", status="failed")
    findings = [problem(check="settings", message=message) for message in found.problems]
    findings += [problem(check="registry", message=message) for message in found.registry_problems]
    findings += [
        Diagnosis(part="configuration", check="settings", status="warning", message=message)
        for message in found.warnings
    ]
    if not findings:
        count = len(found.registry.entries)
        message = f"Nothing wrong; {count} database{'' if count == 1 else 's'} in the registry."
        findings.append(Diagnosis(part="configuration", check="settings and registry", status="ok", message=message))
    return findings


def models_of(settings: Settings) -> dict[str, str | None]:
    """The check's name for each model: the one that writes, and the one that judges, where they differ."""
    judge = settings.judge_model if settings.is_hosted else None
    return {"chat model": settings.chat_model} | ({"judge model": judge} if judge else {})


async def of_model(settings: Settings, check: str, name: str | None) -> Sequence[Diagnosis]:
    """Whether a model answers one tiny question. Raises ModelUnavailable, ModelFailed."""
    model = build_model(settings, model_name=name)
    try:
        return [await _answers(model, check)]
    finally:
        await model.close()


async def _answers(model: ChatModel, check: str) -> Diagnosis:
    began = time.perf_counter()
    reply = await model.complete(_PING, max_tokens=_REPLY_TOKENS)
    if not reply.text.strip():
        message = f"{model.name} sent an empty reply; check that it is a chat model."
        return Diagnosis(part="model", check=check, status="failed", message=message)
    message = f"{model.name} answered in {time.perf_counter() - began:.1f} s."
    return Diagnosis(part="model", check=check, status="ok", message=message)


async def of_embeddings(embedder: Embedder) -> Sequence[Diagnosis]:
    """Whether a text becomes a vector of the length that the embedder says."""
    vectors = await asyncio.to_thread(embedder.embed, ["ready"])
    dimension = await asyncio.to_thread(lambda: embedder.dimension)
    if [len(vector) for vector in vectors] != [dimension]:
        message = f"{embedder.name} says {dimension} dimensions and gives others; set PLUMBLINE_EMBEDDING_MODEL anew."
        return [Diagnosis(part="embeddings", check=embedder.name, status="failed", message=message)]
    message = f"A text becomes {dimension} numbers."
    return [Diagnosis(part="embeddings", check=embedder.name, status="ok", message=message)]


async def of_state(settings: Settings) -> Sequence[Diagnosis]:
    """Whether a record can be written, read and removed again."""
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
    """Whether what the settings name takes an empty batch."""
    finding = partial(Diagnosis, part="telemetry")
    otlp, azure = settings.otel_exporter_otlp_endpoint, settings.applicationinsights_connection_string
    if not otlp and azure is None:
        return [finding(check="export", status="ok", message="Off: neither OTLP nor Application Insights is set.")]
    try:
        from agent.platform.telemetry.reaching import destinations
    except ImportError:
        message = "Its packages are not installed: `pip install -r requirements.txt`."
        return [finding(check="export", status="failed", message=message)]
    findings: list[Diagnosis] = []
    for name, reached in (await asyncio.to_thread(destinations, settings)).items():
        message = (
            "It took an empty batch."
            if reached
            else ("It cannot be reached, or does not accept data. Check its address, its headers and the network.")
        )
        findings.append(finding(check=name, status="ok" if reached else "failed", message=message))
    return findings

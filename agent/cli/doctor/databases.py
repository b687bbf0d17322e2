"""The databases: can each be read, is its index what the embedder makes, and which layers hold under the guard."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from agent.cli.doctor.finding import Diagnosis
from agent.platform.config.settings import Settings
from executors.base import Layer
from executors.dialects.row import READERS_LOGIN
from executors.guard.row_security.held_rows import RowRules
from executors.registry.entry import Entry
from executors.router import Router
from rag.embedding.embedder import Embedder
from rag.errors import RetrievalError
from rag.index.revision import INDEX_VERSION, IndexContent
from rag.index.store import Store

_UNKNOWN = "could not be checked. Verify it on the server."


class DatabaseChecks:
    """Looks at the databases of a registry, one at a time."""

    def __init__(self, settings: Settings, router: Router) -> None:
        self._settings, self._router = settings, router

    async def close(self) -> None:
        """Close what was opened."""
        await asyncio.to_thread(self._router.close)

    async def of_database(self, name: str) -> Sequence[Diagnosis]:
        """Whether its schema can be read, and each of its layers. Raises DatabaseUnavailable."""
        return await asyncio.to_thread(self._of_database, name)

    def _of_database(self, name: str) -> list[Diagnosis]:
        finding = partial(Diagnosis, part=f"database {name}")
        entry, executor = self._router.entry(name), self._router.get(name)
        schema = executor.schema()
        if entry.row_filter is not None:
            RowRules(entry.row_filter, schema)
        count = len(schema.tables)
        message = f"{count} table{'' if count == 1 else 's'}, {executor.dialect}."
        findings = [finding(check="schema", status="ok", message=message)]
        findings += [finding(check="schema", status="warning", message=warning) for warning in executor.warnings]
        layers = executor.layers()
        if not layers:
            return [*findings, self._without_layers(entry)]
        return [*findings, *(self._of_layer(entry, layer) for layer in layers)]

    def _of_layer(self, entry: Entry, layer: Layer) -> Diagnosis:
        finding = partial(Diagnosis, part=f"database {entry.name}", check=layer.name)
        if layer.holds:
            return finding(status="ok", message="It holds.")
        if layer.holds is None:
            return finding(status="warning", message=f"It {_UNKNOWN}")
        if layer.name != READERS_LOGIN:
            return finding(status="failed", message=f"It does not hold. {layer.advice}")
        if entry.writable and self._settings.allow_writes:
            return finding(status="ok", message="This login can write, as `writable` in the registry wants it.")
        return finding(status="warning", message=layer.advice)

    @staticmethod
    def _without_layers(entry: Entry) -> Diagnosis:
        finding = partial(Diagnosis, part=f"database {entry.name}", check="layers")
        if entry.via:
            return finding(
                status="ok", message="They are those of the app that has it: run `python -m agent doctor` there."
            )
        return finding(status="warning", message=f"This engine {_UNKNOWN} Give it a login that can only read.")


async def of_index(store: Store, names: Sequence[str], embedder: Embedder | None) -> Sequence[Diagnosis]:
    """Whether the index can be read, and fits the embedder, where that works. Raises RetrievalError."""
    finding = partial(Diagnosis, part="index")
    await asyncio.to_thread(store.content, "")
    findings = [finding(check="store", status="ok", message="It can be read.")]
    for name in names:
        try:
            content = await asyncio.to_thread(store.content, name)
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
    return {"status": "ok", "message": f"{content.count} documents by {made}."}

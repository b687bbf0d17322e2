"""The service: the only place where parts are assembled."""

from __future__ import annotations

import asyncio
import atexit
import gc
import logging
from collections.abc import AsyncIterable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agent.core.answers import Answer
from agent.core.callers import ANONYMOUS, LOCAL
from agent.core.errors import ModelUnavailable, NotPermitted, StateUnavailable
from agent.core.models import Question
from agent.core.resilience.health import REGISTRY, STATE, PartHealth, check_health
from agent.core.usage import Usage
from agent.databases.catalogue import Catalogue, Changes
from agent.databases.knowledge.context import enrich
from agent.databases.knowledge.documents import AddedDocuments, ColumnPlace, Documents
from agent.databases.knowledge.verified_queries import VerifiedQueries
from agent.databases.paging import Cursors
from agent.databases.registry import DatabaseInfo, Databases, build_router
from agent.databases.uploads.blobs import build_blobs
from agent.databases.uploads.uploads import Arriving, Upload, Uploads
from agent.people.build import build_people
from agent.people.dashboard.dashboard import Dashboard
from agent.people.dashboard.webhook import AllowedHosts, Webhooks
from agent.people.sessions.sessions import Session, Sessions
from agent.people.sessions.shares import Shares
from agent.pipeline.asking import Asking
from agent.pipeline.confidence.calibration import calibration_of
from agent.pipeline.jobs.jobs import Jobs
from agent.pipeline.jobs.shelf import JobShelf
from agent.pipeline.rounds.parts import Parts
from agent.pipeline.steps.generate import Generator
from agent.pipeline.steps.judge import Judge
from agent.pipeline.steps.late_modules import load_steps
from agent.pipeline.steps.synthesize import Writer, answer_prefix
from agent.pipeline.steps.write_plans import WritePlans
from agent.platform import telemetry
from agent.platform.config.profiles import choose
from agent.platform.config.settings import Settings
from agent.platform.configuration import load_extensions
from agent.platform.llm.build import build_model, build_second_model, pace_model
from agent.platform.llm.chat import ChatModel, Message
from agent.platform.llm.wrappers.protected import ProtectedModel, protect_model
from agent.platform.storage.idempotency import Idempotency
from agent.platform.storage.store import Place, StateStore
from agent.platform.telemetry.ledger import Ledger
from agent.platform.telemetry.logs import hide
from agent.understanding.first_look.look import FirstLook, FirstLooks, sample_questions
from agent.understanding.followups.followups import FollowUps
from executors.base import Schema
from executors.errors import ExecutorError
from rag.errors import RetrievalError

if TYPE_CHECKING:
    from agent.databases.knowledge.knowledge import Indexed
    from executors.registry.registry import Registry
    from rag.docs.documents import Document
    from rag.embedding.embedder import Embedder
    from rag.index.revision import Turn

TURN_WAIT_S = 100.0  # longest wait of a message for the answer to the previous one
HEALTH = Place(kind="health", partition="")  # of a record that is never written
STATE_S = 3.0  # how long readiness waits for the state store: a probe is no more patient


log = logging.getLogger(__name__)


class Service:
    """Answers questions about the databases of one registry."""

    def __init__(
        self,
        settings: Settings,
        registry: Registry,
        registry_file: Path | None,
        *,
        model: ChatModel | None = None,
        embedder: Embedder | None = None,
        state: StateStore | None = None,
    ) -> None:
        """Assemble the parts. See `build_service`; `registry_file` is where the registry is read again."""
        from agent.databases.knowledge.build import build_embedder, build_meaning, build_store
        from agent.databases.knowledge.knowledge import Knowledge
        from agent.platform.storage.build import build_store as build_state_store

        self.settings = settings
        self.state = state = state or build_state_store(settings)
        self.model, self.judge_model, self.second_model = _build_models(settings, model, state)
        self.router = router = build_router(settings, registry)
        added, verified, cursors = AddedDocuments(state), VerifiedQueries(state), Cursors(state)
        self.knowledge = Knowledge(
            build_store(settings),
            embedder or build_embedder(settings),
            names=router.names,
            docs_of=lambda name: router.entry(name).docs,
            added=added,
            patience_s=settings.retrieval_timeout_s,
            meaning=build_meaning() if embedder is None else None,
        )
        self.sessions = Sessions(
            state,
            timeout_s=settings.session_timeout_s,
            max_messages=settings.max_session_messages,
            wait_s=min(TURN_WAIT_S, settings.request_deadline_s / 2),  # the other half is for the answer
        )
        self.looks = FirstLooks()
        self._loading: asyncio.Task[None] | None = None
        profile = choose(settings, self.model.name)
        self.parts = Parts(
            settings=settings,
            profile=profile,
            followups=FollowUps(self.model, max_chars=settings.max_question_chars, puts_in_place=not profile.plan),
            generator=Generator(
                self.model,
                profile,
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                second=self.second_model,
            ),
            judge=Judge(self.judge_model, choose(settings, self.judge_model.name)),
            writer=Writer(self.model, profile),
            knowledge=self.knowledge,
            write_plans=WritePlans(state, lifetime_s=settings.write_token_s),
            verified=verified,
            calibration=calibration_of(settings.calibration, profile.name),
            cursors=cursors,
            looks=self.looks,
        )
        changes = Changes(state, self._follow_change)
        self.uploads = Uploads(settings, state, router, build_blobs(settings))
        self.catalogue = Catalogue(router, self.uploads, registry_file, self._others)
        self.databases = Databases(router, settings, changes, cursors, self.catalogue)
        self.databases.bulkhead.behind = self.model.queue
        self.documents = Documents(self.databases, self.knowledge, added, changes)
        self.people = build_people(settings, state, router, self.databases, self.documents, added, verified)
        self.dashboard = Dashboard(
            state, self.people.saved, Webhooks(AllowedHosts(settings.webhook_hosts)), check_s=settings.dashboard_check_s
        )
        self.shares = Shares(state, self.sessions, self.databases)
        self.asking = Asking(self.parts, router, self.databases, self.sessions, self.people.recorder)
        self.query, self.events = self.asking.query, self.asking.events
        self.idempotency = Idempotency(state, ttl_s=settings.idempotency_s)
        self.jobs = Jobs(
            self.asking,
            JobShelf(state, ttl_s=settings.job_kept_s),
            at_once=max(1, settings.max_concurrent_questions // 2),  # the other half is for callers who wait
            deadline_s=settings.job_deadline_s,
        )

    def _follow_change(self, name: str) -> None:
        """Refresh a database that another instance has read again or has new documents about."""
        if name in self.router.names():
            self.router.refresh(name)
            self.knowledge.outdate(name)

    def _others(self, names: Sequence[str]) -> None:
        """Drop what is known about names that now refer to other databases, or to none."""
        self.databases.drop(names)
        for name in names:
            self.knowledge.outdate(name)

    async def start_session(self, database: str, principal: str = ANONYMOUS) -> Session:
        """Start a session about one database; only its principal can see it. Raises UnknownDatabase."""
        await self.databases.get(database, principal)
        return await asyncio.to_thread(self.sessions.start, database, principal)

    async def session(self, session_id: str, principal: str = ANONYMOUS, *, whole: bool = False) -> Session:
        """A session with its latest messages, or with all of them. Raises UnknownSession."""
        return await asyncio.to_thread(self.sessions.get, session_id, principal, whole=whole)

    async def sessions_of(self, principal: str, limit: int) -> list[Session]:
        """A principal's latest sessions; empty if callers without a name share the principal."""
        if not self.people.reviewers.is_somebody(principal):
            return []
        return await asyncio.to_thread(self.sessions.of, principal, limit)

    async def get_stored_answer(self, session_id: str, answer_id: str, principal: str) -> Answer:
        """An answer of a session, as it was given, by its id or by a trace id that no other answer has.

        Raises UnknownSession, UnknownAnswer; UnknownDatabase: it was deleted, or the principal may no longer ask it.
        """
        database = (await self.session(session_id, principal)).database
        await self.databases.follow(database)
        self.databases.admit(database, principal)
        return Answer.model_validate(await asyncio.to_thread(self.sessions.answer, session_id, principal, answer_id))

    async def end_session(self, session_id: str, principal: str = ANONYMOUS) -> None:
        """Forget a session. Raises UnknownSession."""
        await asyncio.to_thread(self.sessions.end, session_id, principal)

    async def active_sessions(self) -> int:
        return await asyncio.to_thread(self.sessions.active)

    async def cleanup(self) -> int:
        """Delete what has expired and continue jobs whose process is gone.

        Returns the number of deleted items. Raises StateUnavailable.
        """
        await self.jobs.take_over()
        sessions = await asyncio.to_thread(self.sessions.cleanup)
        return sessions + await asyncio.to_thread(self.state.purge) + await asyncio.to_thread(self.uploads.sweep)

    def add_source(self, source: str, docs: Sequence[Path] = ()) -> str:
        """Register a file, folder or server's address for the life of this process; returns its name.

        Only the command line and the library call this, never a request. Raises DatabaseUnavailable, RegistryInvalid.
        """
        name = self.router.add_source(source, docs=docs)
        hide(self.router.entry(name).secrets())
        return name

    async def list_databases(self, principal: str) -> list[DatabaseInfo]:
        """Every database that a principal may query, and whether each can be opened."""
        infos = await self.databases.infos(principal)
        return [self._with_rights(info, principal) for info in infos]

    async def database(self, name: str, principal: str) -> tuple[DatabaseInfo, tuple[str, ...]]:
        """One database, and questions that it can answer. Raises UnknownDatabase."""
        info = self._with_rights(await self.databases.info(name, principal), principal)
        if not info.available:
            return info, ()
        return info, await sample_questions(self.databases, self.knowledge, self.looks, name, principal)

    async def first_look(self, name: str, principal: str) -> FirstLook:
        """A database's tables and keys, and tested questions. Raises UnknownDatabase, DatabaseUnavailable."""
        return await self.looks.of(await self.databases.get(name, principal))

    async def describe_column(self, place: ColumnPlace, text: str, principal: str) -> Document | None:
        """See `Documents.describe`. Only for owners. Raises UnknownDatabase, NotPermitted, DocumentsInvalid."""
        await self.databases.follow(place.database)
        self.databases.admit_owner(place.database, principal)
        return await self.documents.describe(place, text, principal)

    def _with_rights(self, info: DatabaseInfo, principal: str) -> DatabaseInfo:
        return info.model_copy(update={"reviewer": self.people.reviewers.may_settle(info.name, principal)})

    async def take_upload(self, arriving: Arriving, body: AsyncIterable[bytes]) -> Upload:
        """Store uploaded data as a database of its caller. Raises as `Uploads.take`."""
        upload = await self.uploads.take(arriving, body)
        await self.databases.follow(now=True)
        return upload

    async def remove_upload(self, name: str, principal: str) -> None:
        """Delete an upload, except its name. Raises UnknownDatabase, NotPermitted, StateUnavailable."""
        await self.databases.follow(now=True)
        self.databases.admit(name, principal)
        if not self.router.entry(name).is_upload:
            raise NotPermitted(
                f"{name!r} is in the registry, not an upload: only the operator of this service can remove it."
            )
        self.databases.drop([name])  # before its files are gone: a query that runs is cancelled and does not fail
        await self.uploads.remove(name)
        await self.databases.follow(now=True)
        await asyncio.to_thread(self.parts.verified.forget_all, name)
        try:
            await self.knowledge.forget(name)
        except RetrievalError as error:
            log.warning("The index of %r, which was deleted, is still there: %s", name, error)

    async def raw_schema(self, name: str, *, refresh: bool = False, principal: str) -> tuple[Schema, tuple[str, ...]]:
        """The schema as the database describes it, and a sentence for each part that could not be read.

        `refresh` reads it again, even if it is known. Raises UnknownDatabase, DatabaseUnavailable.
        """
        database = await (self.databases.refresh(name, principal) if refresh else self.databases.get(name, principal))
        return await database.schema(), database.warnings

    async def schema(self, name: str, principal: str) -> tuple[Schema, str]:
        """The raw schema, and the enriched schema as the model sees it. Raises UnknownDatabase, DatabaseUnavailable."""
        from rag.schema.text import render

        database = await self.databases.get(name, principal)
        schema = await database.schema()
        text = render(
            schema,
            await self.knowledge.documents(database),
            style=self.parts.profile.schema_style,
            budget_tokens=self.parts.profile.schema_tokens,
            max_sample_values=self.settings.max_sample_values,
        )
        return schema, text.text

    async def index(
        self,
        name: str,
        principal: str,
        progress: Callable[[str, int, int], None] = lambda *_: None,
        turn: Turn | None = None,
    ) -> Indexed:
        """Read and index schema and docs again, as `Knowledge.index_all`. Raises UnknownDatabase, too.

        A principal who sees only some rows gets no `problems`, because they may name hidden tables.
        """
        database = await self.databases.refresh(name, principal)
        indexed = await self.knowledge.index_all(database, progress, turn)
        return indexed.model_copy(update={"problems": ()}) if database.is_filtered else indexed

    async def read_ahead(self, name: str, principal: str) -> Usage | None:
        """Process a database's schema with the embedded model now, and store the prompt state for later processes.

        What is cut to each question is not read. Returns the usage; None if the model is hosted or its prompt cache is
        off. Raises ModelError, UnknownDatabase, DatabaseUnavailable.
        """
        if self.settings.is_hosted or not self.settings.prefix_cache_mb:
            return None
        database = await self.databases.get(name, principal)
        question = Question(text=name, database=name, trace_id="")
        context = await enrich(question, database, self.knowledge, self.parts.profile, self.settings)
        system = "" if context.pruned else context.system
        other_system = "" if context.other_pruned else context.other_system
        own = answer_prefix().content if self.parts.profile.answer_prefix == "own" else ""
        ledger = Ledger()

        async def read(model: ProtectedModel, system: str) -> None:
            messages = [Message(role="system", content=system), Message(role="user", content=name)]
            ledger.spend((await model.complete(messages, max_tokens=1)).usage)

        for text in filter(None, (system, other_system, own)):
            await read(self.model, text)
        if self.second_model is not None and system:
            with suppress(ModelUnavailable):  # its file need not be there
                await read(self.second_model, system)
        return ledger.usage

    def _list_shared_names(self) -> list[str]:
        return [name for name in self.router.names() if not self.router.entry(name).is_upload]

    async def refresh_schemas(self) -> None:
        """Read every schema again, and notify other instances of each that has changed. Failures are logged."""
        for name in self._list_shared_names():
            try:
                await self.databases.reread(name)
            except (ExecutorError, StateUnavailable) as error:
                log.warning("The schema of %r was not reloaded: %s", name, error)

    async def warm_up(self) -> None:
        """Load what the first question needs, concurrently. The question, or `health`, reports failures.

        The loaded objects stay, so they are frozen: a full garbage collection would stop the process for a tenth of a
        second. They are unfrozen at exit, because libraries report objects that outlive the interpreter.
        """
        parts = [self.parts.generator.load(), asyncio.to_thread(load_steps), asyncio.to_thread(_start_guard)]
        if self.settings.enable_retrieval:
            parts.append(self._retrieval_loaded())
        await asyncio.gather(*parts, return_exceptions=True)
        gc.freeze()
        atexit.unregister(gc.unfreeze)
        atexit.register(gc.unfreeze)

    def start(self) -> asyncio.Task[None]:
        """Start to warm up in the background. From now on, `health` waits for retrieval."""
        if self.settings.enable_retrieval:
            self._loading = asyncio.create_task(self.knowledge.warm_up())
        return asyncio.create_task(self.warm_up())

    async def _retrieval_loaded(self) -> None:
        """Return once store and embedder are loaded. Raises RetrievalError: they cannot be loaded."""
        if self._loading is None:
            self._loading = asyncio.create_task(self.knowledge.warm_up())
        await asyncio.shield(self._loading)

    async def _store_ready(self) -> None:
        """Return once the index can be read; if loading has begun, wait for it. Raises StoreUnavailable."""
        from rag.errors import StoreUnavailable

        if self._loading is not None:
            await asyncio.wait({self._loading}, timeout=self.settings.retrieval_timeout_s)
            if not self._loading.done():
                raise StoreUnavailable("The index and the embedding model are being loaded. Ask again in a moment.")
        await self.knowledge.check()

    async def _state_ready(self) -> None:
        """Return once the state store has answered. Raises StateUnavailable, also if that takes longer than STATE_S."""
        try:
            async with asyncio.timeout(STATE_S):
                await asyncio.to_thread(self.state.get, HEALTH, "")
        except TimeoutError as error:
            raise StateUnavailable(f"The state store did not answer within {STATE_S:g} s.") from error

    async def health(self) -> list[PartHealth]:
        """The health of each part, checked now: model, store of the index, state store, databases."""
        checks = [check_health("model", self.model.ready, lambda: self.model.breaker, self.model.queue)]
        if self.judge_model is not self.model:
            checks.append(check_health("judge", self.judge_model.ready, lambda: self.judge_model.breaker))
        checks.append(check_health("store", self._store_ready))
        checks.append(check_health(STATE, self._state_ready))
        checks.append(check_health(REGISTRY, self.databases.check_registry))
        embedding = self.knowledge.embedding_breaker
        if embedding is not None:
            checks.append(check_health("embeddings", self.knowledge.check_embedder, lambda: embedding))
        for name in self._list_shared_names():
            check, breaker = partial(self.databases.readable, name, LOCAL), partial(self.databases.breaker, name)
            checks.append(check_health(f"database {name}", check, breaker))
        return list(await asyncio.gather(*checks))

    async def close(self) -> None:
        """Stop running queries and release all resources. A later question opens what it needs again."""
        await self.jobs.close()
        if self._loading is not None:
            await asyncio.gather(self._loading, return_exceptions=True)
        await self.knowledge.close()
        await self.databases.close()
        await self.model.close()
        if self.judge_model is not self.model:
            await self.judge_model.close()
        if self.second_model is not None:
            await self.second_model.close()
        await asyncio.to_thread(self.catalogue.close)
        await asyncio.to_thread(self.router.close)
        await asyncio.to_thread(self.state.close)


def build_service(
    settings: Settings,
    *,
    model: ChatModel | None = None,
    embedder: Embedder | None = None,
    state: StateStore | None = None,
    registry_required: bool = True,
    sources: Sequence[str] = (),
) -> Service:
    """The service that the settings describe. Nothing is loaded or connected before it is needed.

    `model`, `embedder` and `state` replace those that the settings name (tests, measurements). With a given `embedder`,
    messages are read by their words only. Without `registry_required`, the registry may be missing unless the settings
    name it; files can be added later. `sources`: files, folders or server addresses to use instead of the registry.
    Raises RegistryInvalid: databases.yaml or an address cannot be used; DatabaseUnavailable: a source does not exist;
    ExtensionInvalid: an extension that the settings name cannot be added.
    """
    from executors.registry.registry import Registry

    load_extensions(settings)
    registry = Registry() if sources else _registry(settings, registry_required)
    registry_file = None if sources else settings.registry_path
    service = Service(settings, registry, registry_file, model=model, embedder=embedder, state=state)
    for source in sources:
        service.add_source(source)
    return service


def _build_models(
    settings: Settings, given: ChatModel | None, state: StateStore
) -> tuple[ProtectedModel, ProtectedModel, ProtectedModel | None]:
    """The models that write, judge and write the second draft. `given` writes and judges, without a second draft."""

    def protect(own: ChatModel) -> ProtectedModel:
        return protect_model(telemetry.get().trace_model(own), settings)

    def build(name: str | None = None) -> ProtectedModel:
        return protect(pace_model(build_model(settings, model_name=name), settings, state))

    if given is not None:
        model = protect(given)
        return model, model, None
    model = build()
    judge = build(settings.judge_model) if settings.judge_model is not None and settings.is_hosted else model
    second = build_second_model(settings)
    return model, judge, protect(second) if second is not None else None


def _start_guard() -> None:
    from executors.workers import checking

    checking.start()


def _registry(settings: Settings, required: bool) -> Registry:
    from executors.registry.registry import Registry, load_registry

    path = settings.registry_path
    if not required and not settings.names_registry and not path.exists():
        return Registry()
    registry = load_registry(path)
    hide(secret for entry in registry.entries for secret in entry.secrets())
    return registry

"""The service: the only place where parts are wired together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from agent.asking import Asking
from agent.callers import LOCAL
from agent.databases import DatabaseInfo, Databases
from agent.evaluate import Judge
from agent.generate import Generator
from agent.health import PartHealth, checked
from agent.llm import ChatModel, build_model
from agent.parts import Parts
from agent.profiles import choose
from agent.retrieval.documents import AddedDocuments, Documents
from agent.sessions import Session, SessionStore, SqliteSessions
from agent.settings import Settings
from agent.synthesize import Writer
from agent.verified_queries import VerifiedQueries
from agent.writing.tokens import WritePlans
from executors.base import Schema

if TYPE_CHECKING:
    from agent.retrieval.knowledge import Indexed, Knowledge
    from executors.registry import Registry
    from executors.router import Router
    from rag.revision import Turn


class Service:
    """Answers questions about the databases of one registry."""

    def __init__(
        self,
        settings: Settings,
        *,
        model: ChatModel,
        judge_model: ChatModel,
        router: Router,
        knowledge: Knowledge,
        sessions: SessionStore,
        write_plans: WritePlans,
        verified: VerifiedQueries,
        added: AddedDocuments,
    ) -> None:
        self.settings, self.model, self.judge_model = settings, model, judge_model
        self.router, self.knowledge, self.sessions = router, knowledge, sessions
        profile = choose(settings, model.name)
        self.parts = Parts(
            settings=settings,
            profile=profile,
            generator=Generator(model, profile, max_tokens=settings.max_tokens, temperature=settings.temperature),
            judge=Judge(judge_model, choose(settings, judge_model.name)),
            writer=Writer(model, profile),
            knowledge=knowledge,
            write_plans=write_plans,
            verified=verified,
        )
        self.registered = Databases(router, settings)
        self.documents = Documents(self.registered, knowledge, added)
        self.asking = Asking(self.parts, router, self.registered, sessions)
        self.query, self.events = self.asking.query, self.asking.events

    # -- sessions -----------------------------------------------------------------------------------------

    async def start_session(self, database: str) -> Session:
        """A new session about one database. Raises UnknownDatabase."""
        await self.registered.get(database)
        return await asyncio.to_thread(self.sessions.start, database)

    # -- databases ----------------------------------------------------------------------------------------

    async def databases(self, principal: str = LOCAL) -> list[DatabaseInfo]:
        """Every database that somebody may ask, with whether it can be opened."""
        return await self.registered.infos(principal)

    async def raw_schema(self, name: str, *, refresh: bool = False) -> tuple[Schema, tuple[str, ...]]:
        """The schema as the database describes it, and what of it could not be read, one sentence each.

        Args:
            name: of the database.
            refresh: read it again, even where it is known.

        Raises:
            UnknownDatabase, DatabaseUnavailable: see `executors.errors`.
        """
        database = await (self.registered.refreshed(name) if refresh else self.registered.get(name))
        return await database.schema(), database.warnings

    async def schema(self, name: str) -> tuple[Schema, str]:
        """The raw schema, and the enriched one as the model reads it. Raises UnknownDatabase, DatabaseUnavailable."""
        from rag.schema_text import render

        database = await self.registered.get(name)
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
        self, name: str, progress: Callable[[str, int, int], None] = lambda *_: None, turn: Turn | None = None
    ) -> Indexed:
        """Read and index schema and docs anew, as `Knowledge.index_all`. Raises UnknownDatabase, too."""
        return await self.knowledge.index_all(await self.registered.refreshed(name), progress, turn)

    # -- life ---------------------------------------------------------------------------------------------

    async def warm_up(self) -> None:
        """Load what the first question will need, side by side; failures are told by the question, or by `health`."""
        parts = [self.model.ready()]
        if self.settings.enable_retrieval:
            parts.append(self.knowledge.warm_up())
        await asyncio.gather(*parts, return_exceptions=True)

    async def health(self) -> list[PartHealth]:
        """Each part, asked now: model, store, databases."""
        checks: dict[str, Callable[[], Awaitable[object]]] = {
            "model": self.model.ready,
            "store": self.knowledge.check,
            **{f"database {name}": partial(self.registered.readable, name) for name in self.router.names()},
        }
        return list(await asyncio.gather(*(checked(name, check) for name, check in checks.items())))

    async def close(self) -> None:
        """Stop the queries that run, and give everything back; a later question opens again what it needs."""
        await self.knowledge.close()
        await self.registered.close()
        await self.model.close()
        if self.judge_model is not self.model:
            await self.judge_model.close()
        await asyncio.to_thread(self.router.close)


def build_service(settings: Settings, *, model: ChatModel | None = None, registry_required: bool = True) -> Service:
    """The service that the settings describe. Nothing is loaded or connected before it is needed.

    Args:
        settings: of the process.
        model: instead of the one the settings name (tests).
        registry_required: whether there must be a registry, or files named later are enough. One that the settings
            name must be there in any case.

    Raises:
        RegistryInvalid: databases.yaml cannot be used.
    """
    from agent.retrieval.knowledge import Knowledge, build_embedder, build_store
    from executors.router import Router
    from executors.server.options import ServerOptions

    chat = model or build_model(settings)
    own_judge = settings.judge_model is not None and settings.is_hosted and model is None
    judge = build_model(settings, model_name=settings.judge_model) if own_judge else chat
    state = settings.state_path
    added = AddedDocuments(state / "documents.sqlite")
    router = Router(
        _registry(settings, registry_required),
        sample_values=settings.max_sample_values,
        duckdb_memory=settings.duckdb_memory,
        duckdb_threads=settings.duckdb_threads,
        server=ServerOptions(
            pool_size=settings.queries_per_database,
            connect_timeout_s=settings.connect_timeout_s,
            schema_ttl_s=settings.schema_ttl_s,
            recycle_s=settings.pool_recycle_s,
            writable=settings.allow_writes,
        ),
    )
    return Service(
        settings,
        model=chat,
        judge_model=judge,
        router=router,
        knowledge=Knowledge(
            build_store(settings),
            build_embedder(settings),
            names=router.names,
            docs_of=lambda name: router.entry(name).docs,
            added=added,
        ),
        sessions=SqliteSessions(state / "sessions.sqlite", timeout_s=settings.session_timeout_s),
        write_plans=WritePlans(state / "writes.sqlite", lifetime_s=settings.write_token_s),
        verified=VerifiedQueries(state / "verified.sqlite"),
        added=added,
    )


def _registry(settings: Settings, required: bool) -> Registry:
    from executors.registry import Registry, load_registry

    path = settings.registry_path
    if not required and not settings.names_registry and not path.exists():
        return Registry()
    return load_registry(path)

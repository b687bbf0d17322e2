"""The databases of the registry for async code: each opens on first use, with its own limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import Field

from agent.core.callers import LOCAL, is_listed, is_reserved
from agent.core.errors import NotPermitted
from agent.core.models import Options
from agent.core.resilience.breaker import Breaker
from agent.core.resilience.deadline import Deadlines
from agent.databases.database import Database
from agent.databases.made_addresses import refuse_made_address
from agent.databases.paging import Cursors, Paged, digest_of_result, following
from agent.platform.access.bulkhead import Admission, Bulkhead
from agent.platform.config.limits import limits_of, none_beyond, rows_cap, within
from executors.base import CheckedSql, Frozen, JsonValue, Parameters, QueryResult, Scalar, TableReport, list_problems
from executors.errors import DatabaseUnavailable, ExecutorError, RegistryInvalid

if TYPE_CHECKING:
    from agent.databases.catalogue import Catalogue, Changes
    from agent.databases.supporting_rows import RawRecords
    from agent.platform.config.settings import Settings
    from executors.registry.entry import Entry
    from executors.registry.registry import Registry
    from executors.router import Router


OUT_OF_TIME = "No rows within {seconds} s. Ask for less, or try again."


class UploadInfo(Frozen):
    """Uploaded data.

    file: Name of the uploaded file.
    size: Size in bytes.
    created_at: When the data was uploaded, in UTC.
    expires_at: When the data is deleted, in UTC.
    """

    file: str
    size: int
    created_at: datetime
    expires_at: datetime


class DatabaseInfo(Frozen):
    """A database.

    name: Name, as requests use it.
    dialect: SQL dialect. Null if the database cannot be opened.
    description: What the data is about.
    owners: Who is responsible for the database.
    available: Whether the database can be opened.
    detail: Why the database cannot be opened, or which part of it cannot be read. Empty if all is well.
    """

    name: str
    dialect: str | None
    description: str = ""
    owners: tuple[str, ...] = ()
    available: bool = True
    detail: str = ""
    reviewer: bool = Field(False, description="Whether the caller may settle reviews of this database.")
    upload: UploadInfo | None = Field(
        None, description="The upload that the database was created from. Null for databases of the registry."
    )


class Executed(Frozen):
    """A query as it was run, and its rows. cursor: for the next rows; None if there are no more."""

    query: CheckedSql
    result: QueryResult
    cursor: str | None = None
    warnings: tuple[str, ...] = ()


class Databases:
    """Opens each database once, by name, within the limits of the settings."""

    def __init__(
        self, router: Router, settings: Settings, changes: Changes, cursors: Cursors, catalogue: Catalogue
    ) -> None:
        self._router, self._settings, self._changes, self._catalogue = router, settings, changes, catalogue
        self._cursors = cursors
        self._open: dict[str, Database] = {}
        self.deadlines = Deadlines(settings.request_deadline_s)
        self.bulkhead = Bulkhead(settings.max_concurrent_questions, settings.queue_length)

    async def follow(self, name: str = "", *, now: bool = False) -> None:
        """Learn of new, changed and removed databases. Args: see `Catalogue.follow`."""
        await self._catalogue.follow(name, now=now)

    async def check_registry(self) -> None:
        """Raises RegistryInvalid if the registry's file was changed or deleted, and cannot be used."""
        await self.follow()
        if self._catalogue.is_outdated:
            raise RegistryInvalid(
                "The registry was changed and cannot be used; the databases are those before. Run `doctor`, which "
                "names the line."
            )

    def drop(self, names: Sequence[str]) -> None:
        """Reopen these databases on their next use. Current users continue with the old ones, but not with uploads."""
        for name in names:
            database = self._open.pop(name, None)
            if database is not None and database.is_upload:
                database.delete()

    def admit(self, name: str, principal: str) -> None:
        """Check that a principal may query a database. Raises UnknownDatabase if they are not `allowed`."""
        self._router.entry(name, _asking(principal))

    def admit_question(self, name: str, principal: str) -> AbstractContextManager[Admission]:
        """Admit a question to be answered or to wait; see `Bulkhead.admit`. Raises TooBusy.

        With several databases, none may take all places. Nor may one caller, if callers are named.
        """
        compartments = [] if is_reserved(principal) else [f"principal {principal.casefold()}"]
        if len(self._router.names()) > 1:
            compartments.append(f"database {name}")
        return self.bulkhead.admit(*compartments)

    def admit_owner(self, name: str, principal: str) -> None:
        """Check that a principal may change shared data of a database: its documents and index.

        They must be one of its `owners`. If the registry names no owners, any principal who may query it is accepted.
        Raises UnknownDatabase, and NotPermitted if others own it.
        """
        owners = self._router.entry(name, _asking(principal)).owners
        if owners and principal != LOCAL and not is_listed(principal, owners):
            raise NotPermitted(f"Only the `owners` of {name!r} in the registry may change its documents and index.")

    def sight(self, name: str, principal: str) -> str:
        """The rows that an admitted principal sees, in the form of `RowFilter.sight`. Raises UnknownDatabase."""
        rows = self._router.entry(name).row_filter
        return "" if rows is None or principal == LOCAL else rows.sight(rows.values_of(principal))

    def sees_all(self, name: str, principal: str) -> bool:
        """Whether an admitted principal sees all rows. Raises UnknownDatabase."""
        rows = self._router.entry(name).row_filter
        return rows is None or principal == LOCAL or rows.values_of(principal) is None

    def find_hidden_databases(self, principal: str) -> set[str]:
        """The databases that are hidden from a principal."""
        return set(self._router.names()) - set(self._router.names(_asking(principal)))

    async def get(self, name: str, principal: str) -> Database:
        """The database as a principal sees it, with a known dialect. The local user sees every row.

        Raises UnknownDatabase if it does not exist for them, DatabaseUnavailable if it cannot be opened.
        """
        await self.follow(name)
        self.admit(name, principal)
        await self._changes.follow()
        return (await self._whole(name)).filter_for(principal)

    async def _whole(self, name: str) -> Database:
        while name not in self._open:
            entry = self._router.entry(name)
            await asyncio.to_thread(self._catalogue.bring, name)
            executor = await asyncio.to_thread(self._router.get, name)
            if self._router.entry(name) is not entry:
                continue  # the registry was changed meanwhile
            settings, limits = self._settings, entry.limits
            part = f"The database {name!r}"
            breaker = settings.build_breaker(part, DatabaseUnavailable) if executor.is_remote else None
            database = Database(
                executor,
                limit=min(settings.queries_per_database, limits.queries or settings.queries_per_database),
                timeout_s=min(settings.query_timeout_s, limits.query_timeout_s or settings.query_timeout_s),
                row_limit=limits.row_limit,
                row_filter=entry.row_filter,
                functions=entry.functions,
                catalogue=entry.catalogue,
                breaker=breaker,
                is_upload=entry.is_upload,
                description=entry.description,
            )
            self._open.setdefault(name, database)
        database = self._open[name]
        if not database.dialect:
            await database.schema()  # served by another deployment, whose schema states the dialect
        return database

    def breaker(self, name: str) -> Breaker | None:
        """The breaker of a database; None if it is not open or is a file."""
        database = self._open.get(name)
        return database.breaker if database is not None else None

    async def readable(self, name: str, principal: str) -> Database:
        """The database, after checking that its schema can be read and its row filter fits. Raises as `get`."""
        database = await self.get(name, principal)
        await database.schema()
        await database.rules()
        return database

    async def refresh(self, name: str, principal: str) -> Database:
        """Make all instances reread the schema. Returns the database. Raises UnknownDatabase, DatabaseUnavailable."""
        await self.follow(name)
        self.admit(name, principal)
        await asyncio.to_thread(self._router.refresh, name)
        await self._changes.tell(name)
        return await self.get(name, principal)

    async def reread(self, name: str) -> None:
        """Reread a schema here and, if it has changed, on other instances. Raises as `get`, and StateUnavailable."""
        await asyncio.to_thread(self._router.refresh, name)
        await self._changes.tell_if_new(name, await (await self._whole(name)).schema())

    async def infos(self, principal: str) -> list[DatabaseInfo]:
        """Every database that a principal may query, and whether it can be opened."""
        await self.follow(now=True)
        names = self._router.names(_asking(principal))
        return list(await asyncio.gather(*(self.info(name, principal) for name in names)))

    async def info(self, name: str, principal: str) -> DatabaseInfo:
        """One database that a principal may query. Raises UnknownDatabase."""
        await self.follow(name)
        self.admit(name, principal)
        entry: Entry = self._router.entry(name)
        known = DatabaseInfo(name=name, dialect=None, description=entry.description, owners=entry.owners)
        if entry.is_upload:
            upload = self._catalogue.upload(name)
            came = None if upload is None else UploadInfo(
                file=upload.file, size=upload.size, created_at=upload.created_time, expires_at=upload.expires
            )  # fmt: skip
            known = known.model_copy(update={"owners": (), "upload": came})
        try:
            database = await self.readable(name, principal)
        except ExecutorError as error:
            return known.model_copy(update={"available": False, "detail": str(error)})
        return known.model_copy(update={"dialect": database.dialect, "detail": " ".join(database.warnings)})

    async def reports(self, name: str, principal: str) -> tuple[tuple[TableReport, ...], tuple[str, ...]]:
        """How each table was read from files, and the problems found; empty for servers. Raises as `get`."""
        database = await self.get(name, principal)
        seen = {table.name for table in (await database.schema()).tables}
        tables = tuple(it for it in database.reports if it.table in seen)
        return tables, list_problems(database.warnings, tables)

    def questions(self, name: str) -> tuple[str, ...]:
        """The starter questions of the registry."""
        return self._router.entry(name).questions

    async def execute(
        self,
        name: str,
        sql: str,
        *,
        row_limit: int | None = None,
        timeout_s: float | None = None,
        parameters: Parameters | None = None,
        principal: str,
    ) -> Executed:
        """Run one SELECT, through the guard, within the limits of settings and registry.

        Raises SqlRefused, SqlFailed, UnknownDatabase, DatabaseUnavailable; TooManyRows: `row_limit` is above the
        limit; TooBusy; OutOfTime: the request's deadline passed.
        """
        async with self._turn(name, principal):
            database = await self.get(name, principal)
            rows = limits_of(self._settings, Options(row_limit=row_limit), database.row_limit).row_limit
            query = await database.check(sql, rows, parameters)
            result = await database.run(query, timeout_s=timeout_s)
            stored: list[Scalar] | dict[str, Scalar] | None = None
            if parameters is not None:
                stored = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
            place = Paged.after(result, database=name, sql=sql, size=rows, parameters=stored)
            return await self._with_cursor(Executed(query=query, result=result), place, principal)

    async def next_page(
        self, name: str, cursor: str, *, row_limit: int | None = None, timeout_s: float | None = None, principal: str
    ) -> Executed:
        """The rows after a cursor; the query runs again. Raises as `execute`, and:

        UnknownCursor: it is unknown, expired, or belongs to another principal or database.
        RowsChanged: the rows before it have changed.
        TooManyRows: the limit of rows of one query was reached.
        """
        async with self._turn(name, principal):
            paged = await self._cursors.get(principal, cursor, name)
            database = await self.get(name, principal)
            cap = rows_cap(self._settings.max_rows, database.row_limit)
            if paged.given >= cap[0]:
                raise none_beyond(cap)
            size = within(row_limit, paged.size, cap, "row_limit")
            whole = min(paged.given + size, cap[0])
            query = await database.check(paged.sql, whole, paged.parameters, question=paged.question)
            result = await database.run(query, timeout_s=timeout_s)
            await refuse_made_address(query, result, database.dialect, paged.question)
            page = following(paged, result)
            place = paged.model_copy(update={"given": result.row_count, "digest": digest_of_result(result)})
            return await self._with_cursor(Executed(query=query, result=page), place, principal)

    @asynccontextmanager
    async def _turn(self, name: str, principal: str) -> AsyncIterator[None]:
        """Hold a place among the running requests, within the deadline. Raises UnknownDatabase, TooBusy, OutOfTime."""
        deadline = self.deadlines.new(OUT_OF_TIME)
        await self.follow(name)
        self.admit(name, principal)
        with self.admit_question(name, principal) as admission:
            async with deadline.enforce(), admission.place():
                yield

    async def _with_cursor(self, done: Executed, place: Paged, principal: str) -> Executed:
        if not done.result.truncated:
            return done
        cursor, missing = await self._cursors.keep(principal, place)
        return done.model_copy(update={"cursor": cursor, "warnings": (missing,) if missing else ()})

    async def records(
        self,
        name: str,
        sql: str,
        *,
        row: Mapping[str, JsonValue] | None = None,
        row_limit: int | None = None,
        principal: str,
    ) -> RawRecords:
        """The records behind an aggregate query, for all its rows or one. Raises as `execute`."""
        from agent.databases.supporting_rows import supporting_records

        async with self._turn(name, principal):
            database = await self.get(name, principal)
            limits = limits_of(self._settings, Options(raw_row_limit=row_limit), database.row_limit)
            await database.check(sql, limits.row_limit)  # the query's own errors come before those of the derived one
            groups = None if row is None else [row]
            return await supporting_records(sql, database, limits.raw_row_limit, groups=groups)

    async def close(self) -> None:
        """Stop the running queries and end the threads; later use opens the databases again."""
        databases, self._open = list(self._open.values()), {}
        await asyncio.gather(*(database.close() for database in databases))


def build_router(settings: Settings, registry: Registry) -> Router:
    """A router that opens the databases of a registry on first use, as configured in the settings."""
    from executors.registry.entry import ServerOptions
    from executors.router import Router
    from executors.workers.limits import bytes_of

    return Router(
        registry,
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
        workers=settings.local_workers,
        worker_memory=bytes_of(settings.worker_memory),
    )


def _asking(principal: str) -> str | None:
    """The principal for the registry's lists; None for the local user, who can read the files anyway."""
    return None if principal == LOCAL else principal

"""The executor of any database server for which SQLAlchemy has a dialect. It uses SQLAlchemy's pool, its way of
connecting, and its detection of lost connections. Differences between engines are in dialect rows or in subclasses.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from executors import base
from executors.base import (
    Cancel,
    CheckedSql,
    CheckedWrite,
    Executor,
    JsonValue,
    Layer,
    QueryResult,
    Schema,
    WriteResult,
)
from executors.dialects.table import DIALECTS
from executors.engines.common.local import read_back
from executors.engines.common.servers import catalogue, failures, statements
from executors.engines.common.servers.catalogue import Reader, SchemaCache
from executors.engines.common.servers.failures import error_code
from executors.engines.common.servers.pool import ConnectionPool, Driver, load
from executors.engines.common.servers.tokens import CredentialError, TokenSource
from executors.engines.common.stopping import Watch, out_of_time, row_too_large
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, check_count, no_such_write
from executors.registry.openers import OPENERS
from executors.values import RowTooLarge, collect

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

    from executors.dialects.row import Probe
    from executors.registry.address import Address
    from executors.registry.entry import ServerOptions

log = logging.getLogger(__name__)

# A cancel needs its own connection, so it is repeated less often than setting a flag would be.
_CANCEL_AGAIN_S = 1.0
_BUSY_S = 60.0
_ASKING_S = 10.0
_WRITERS = 2

Decoder = Callable[[Any], JsonValue]


def execute(connection: DBAPIConnection | PoolProxiedConnection, *statements: str) -> None:
    """Run statements that return no rows."""
    with contextlib.closing(connection.cursor()) as cursor:
        for statement in statements:
            cursor.execute(statement)


class SqlAlchemyExecutor(Executor):
    """One database of a server.

    A query runs in a read-only session, in a transaction that is rolled back, with the server's own statement timeout
    and a cancel that reaches the server. A connection whose query was interrupted is not used again.
    Args: token: source of tokens; None: Entra ID, if the address has `auth=entra`.
    """

    is_remote = True
    token_scope: ClassVar[str] = ""  # Entra ID scope for `auth=entra`; empty if the engine does not support it

    def __init__(
        self, name: str, address: Address, *, options: ServerOptions, token: TokenSource | None = None
    ) -> None:
        if token is None and self.token_scope and address.query.get("auth") == "entra":
            token = TokenSource(self.token_scope)
        self._token = token
        self.name, self.dialect = name, address.dialect
        self.address, self.options = address, options
        self.row = DIALECTS[address.dialect]
        self._lock = threading.Lock()
        self._driver: Driver | None = None
        self._pools: dict[bool, ConnectionPool] = {}
        self._schema = SchemaCache(self._read_schema, options.schema_ttl_s)

    # ------------------------------------------------------------------------------------------- the contract

    def schema(self) -> Schema:
        """See `Executor.schema`. It is read again after `ServerOptions.schema_ttl_s` seconds, or after `refresh`."""
        return self._schema.get()

    def refresh(self) -> None:
        self._schema.forget()

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        started = time.monotonic()
        statements.require_one(query.executable, self.row)
        with self._translate_errors(query.executable, timeout_s):
            try:
                return self._answer(query, timeout_s, cancel, started)
            except self._driver_error() as error:
                if error_code(error) not in self.row.deadlocks:
                    raise
                log.info("A query on %s was chosen as a deadlock's victim; it is run once more.", self.name)
            return self._answer(query, timeout_s, cancel, started)

    def write(self, statement: CheckedWrite, **terms: Unpack[base.WriteTerms]) -> WriteResult:
        if not self.options.writable:
            return super().write(statement, **terms)
        timeout_s = terms["timeout_s"]
        started = time.monotonic()
        statements.require_write(statement, self.row)
        with (
            self._translate_errors(statement.runs, timeout_s),
            self._lease(writable=True, timeout_s=timeout_s) as lease,
            self._watch(lease, timeout_s, None, started) as watch,
        ):
            self._begin_write(lease, timeout_s)
            self._check_undoable(lease, statement)
            expected = self._expect_rows(lease, statement, timeout_s)
            affected = self._execute_write(lease, statement)
            if affected < 0:
                raise no_such_write(statement.kind)
            check_count(affected, terms["max_rows"])
            agreed, ask = terms.get("exactly") in {None, affected}, partial(self._ask, lease)
            again = read_back.confirm(statement, expected, self.row, ask) if agreed else None
            if watch.interrupted:
                raise out_of_time(timeout_s)
            committed = terms["commit"] and agreed
            if committed:
                self._commit(lease)
        return expected.result(affected, again, committed=committed, started=started)

    def _expect_rows(
        self, lease: PoolProxiedConnection, statement: CheckedWrite, timeout_s: float
    ) -> read_back.Expected:
        """The expected rows of a write. If the server refuses that query, the write begins a new transaction."""
        try:
            return read_back.expect(statement, partial(self._ask, lease))
        except self._driver_error() as error:
            if self._is_lost(error, lease):
                raise
            log.debug("The rows of a write on %s could not be read: %s", self.name, error)
            lease.rollback()
            self._begin_write(lease, timeout_s)
            return read_back.Expected(None, (), read_back.UNSEEN)

    def _ask(
        self, lease: PoolProxiedConnection, parts: Sequence[str], parameters: Sequence[Any], size: int
    ) -> Sequence[Sequence[Any]]:
        """Rows as the driver returns them. See `read_back.expect`."""
        style = self._load_driver().dialect.paramstyle
        sign = {"qmark": "?", "format": "%s", "pyformat": "%s"}.get(style, ":")
        if parameters and sign == "%s":
            parts = [part.replace("%", "%%") for part in parts]
        signs = [f":{at}" if sign == ":" else sign for at in range(1, len(parts))]
        sql = "".join(chain.from_iterable(zip_longest(parts, signs, fillvalue="")))
        return self._fetch(lease, sql, size, *([parameters] if parameters else []))

    def _fetch(self, lease: PoolProxiedConnection, sql: str, size: int, *parameters: Any) -> Sequence[Sequence[Any]]:
        cursor: Any = self._cursor(lease)
        try:
            cursor.execute(sql, *parameters)
            rows: Sequence[Sequence[Any]] = cursor.fetchmany(size)
            return rows
        finally:
            cursor.close()

    def _cursor(self, lease: PoolProxiedConnection) -> Any:
        """The cursor for `_fetch`."""
        return lease.cursor()

    def _answer(self, query: CheckedSql, timeout_s: float, cancel: Cancel | None, started: float) -> QueryResult:
        """Run a query once. Args: started: start time on the monotonic clock, from which `timeout_s` counts."""
        left = max(0.0, started + timeout_s - time.monotonic())
        with (
            self._lease(writable=False, timeout_s=left, cancel=cancel) as lease,
            self._watch(lease, timeout_s, cancel, started) as watch,
        ):
            self._begin(lease, timeout_s)
            try:
                columns, rows, truncated = self._fetch_rows(lease, query)
            except (ValueError, OverflowError, RecursionError) as error:
                raise failures.unreadable_value(error) from error
            if watch.interrupted:
                raise out_of_time(timeout_s, cancel)
        elapsed = round((time.monotonic() - started) * 1000, 3)
        return QueryResult(columns=columns, rows=rows, truncated=truncated, elapsed_ms=elapsed)

    def _fetch_rows(
        self, lease: PoolProxiedConnection, query: CheckedSql
    ) -> tuple[tuple[str, ...], tuple[tuple[JsonValue, ...], ...], bool]:
        """The columns and rows of a query, and whether there are more rows."""
        cursor = self._execute(lease, query.executable)
        try:
            if cursor.description is None:
                raise SqlFailed(ErrorKind.SYNTAX_ERROR, "The query gives no columns.", "Write one SELECT.")
            rows, truncated = collect(cursor.fetchmany, query.row_limit, self._decoders(cursor.description))
            return tuple(str(column[0]) for column in cursor.description), rows, truncated
        finally:
            with contextlib.suppress(self._driver_error()):
                self._end(lease, cursor)

    def layers(self) -> tuple[Layer, ...]:
        with self._lease(writable=False) as lease:
            self._begin(lease, _ASKING_S)
            probes = self.row.probes
            return tuple(Layer(name=it.layer, holds=self._holds(lease, it), advice=it.advice) for it in probes)

    def _holds(self, lease: PoolProxiedConnection, probe: Probe) -> bool | None:
        """Whether a layer holds on a connection that is ready for a query. None if it cannot be checked."""
        try:
            cursor = lease.cursor()
            cursor.execute(probe.sql)
            values = [row[0] for row in cursor.fetchall()]
            cursor.close()
        except self._driver_error() as error:
            log.debug("The probe for %s was refused: %s", probe.layer, error)
            lease.rollback()  # some servers accept no statement after a failure in a transaction
            return None
        if not values or None in values:
            return None
        if probe.pattern:
            return all(re.fullmatch(probe.pattern, str(value), re.DOTALL) for value in values)
        return bool(int(values[0]))

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for pool in self._pools.values():
                pool.close()
            self._pools.clear()

    # -------------------------------------------------------------------------- what an engine may do its own way

    def url(self) -> URL:
        """The address as a URL of SQLAlchemy, with the driver that is used here."""
        return self.address.url(OPENERS[self.dialect].sqlalchemy)

    def connect_options(self) -> dict[str, Any]:
        """Further arguments for the driver's `connect`, created for each connection."""
        return {}

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        """Prepare a new connection: keep its id, and make it read-only unless it is `writable`."""
        session = self.row.session
        cursor = connection.cursor()
        if session.connection_id:
            cursor.execute(session.connection_id)
            entry.info["id"] = cursor.fetchone()[0]  # type: ignore[index]  # one row, always
        for statement in (*session.setup, *(() if writable else session.read_only)):
            cursor.execute(statement)
        cursor.close()
        connection.commit()
        if not writable:
            self._wish(connection)

    def _wish(self, connection: DBAPIConnection) -> None:
        """Run the statements that a server may refuse."""
        for statement in self.row.session.wishes:
            try:
                execute(connection, statement)
                connection.commit()
            except self._driver_error() as error:
                log.debug("%s refuses %s: %s", self.name, statement, error)
                connection.rollback()

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """Stop the query of a connection, from another thread and over another connection."""
        statement = self.row.session.cancel.format(id=lease.info["id"])
        with contextlib.closing(self._connect()) as connection:
            execute(connection, statement)

    def _begin(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        """Before a query, set the server's timeout, and begin a read-only transaction if the session cannot be so."""
        self._set_timeout(lease, timeout_s)
        execute(lease, *self.row.session.begin)

    def _begin_write(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        """Before a write, set the server's timeout."""
        self._set_timeout(lease, timeout_s)

    def _commit(self, lease: PoolProxiedConnection) -> None:
        """Commit a write. Raises DatabaseUnavailable if it is unknown whether the server committed it."""
        try:
            lease.commit()
        except self._driver_error() as error:
            if not self._is_lost(error, lease):
                raise
            lease.invalidate(error)
            raise DatabaseUnavailable(
                f"The connection to {self.name} was lost while the change was committed: it may have been made or not. "
                "Check the rows before you ask for it again."
            ) from error

    def _check_undoable(self, lease: PoolProxiedConnection, statement: CheckedWrite) -> None:
        """Raise SqlRefused if a write to the table could not be rolled back."""

    def _execute_write(self, lease: PoolProxiedConnection, statement: CheckedWrite) -> int:
        """Run a write. Return the number of rows that the statement itself affects, without its triggers. Below 0: the
        statement is not a write."""
        cursor = lease.cursor()
        cursor.execute(statement.runs)
        affected = int(cursor.rowcount)
        cursor.close()
        return affected

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        cursor = lease.cursor()
        cursor.execute(sql)
        return cursor

    def _end(self, lease: PoolProxiedConnection, cursor: DBAPICursor) -> None:  # noqa: ARG002
        """Clean up after a query, whether or not all its rows were fetched."""
        cursor.close()

    def _is_lost(self, error: Exception, lease: PoolProxiedConnection) -> bool:
        """Whether an error means that the connection is lost."""
        is_lost = self._load_driver().dialect.is_disconnect
        return is_lost(error, lease.dbapi_connection, None)  # type: ignore[arg-type]  # it is always a driver's error

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Decoder] | None:  # noqa: ARG002
        """One decoder per column, if the driver's values need more than `to_json`."""
        return None

    # --------------------------------------------------------------------------------------------- connections

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        template = self.row.session.timeout
        if template and lease.info.get("timeout_s") != timeout_s:
            execute(lease, template.format(ms=max(1, round(timeout_s * 1000)), s=timeout_s))
            lease.commit()
            lease.info["timeout_s"] = timeout_s

    def _load_driver(self) -> Driver:
        from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError

        with self._lock:
            if self._driver is None:
                try:
                    self._driver = load(self.url())
                except (ImportError, NoSuchModuleError) as error:
                    raise failures.no_driver(self.name, self.row) from error
                except (ValueError, SQLAlchemyError) as error:
                    raise failures.strange_options(self.name, error) from error
            return self._driver

    def _driver_error(self) -> type[Exception]:
        return self._load_driver().error

    def _connect(self) -> DBAPIConnection:
        driver, options = self._load_driver(), self.connect_options()
        try:
            return driver.connect(options)
        except (TypeError, ValueError) as error:  # the driver's `connect` does not accept an argument
            raise failures.strange_options(self.name, error) from error

    def _pool(self, *, writable: bool) -> ConnectionPool:
        driver = self._load_driver()
        with self._lock:
            if writable not in self._pools:
                size = _WRITERS if writable else self.options.pool_size
                prepare = partial(self.prepare, writable=writable)
                self._pools[writable] = ConnectionPool(
                    self.name, driver, self._connect, prepare, size=size, recycle_s=self.options.recycle_s
                )
            return self._pools[writable]

    def _lease(
        self, *, writable: bool, timeout_s: float = _BUSY_S, cancel: Cancel | None = None
    ) -> AbstractContextManager[PoolProxiedConnection]:
        return self._pool(writable=writable).lease(timeout_s, cancel)

    @contextmanager
    def _watch(
        self, lease: PoolProxiedConnection, timeout_s: float, cancel: Cancel | None, started: float
    ) -> Iterator[Watch]:
        """Interrupt the block at the timeout, or when the caller cancels. The connection is not used again then.
        Args: started: start time on the monotonic clock; waiting for the connection counts."""
        left = max(0.0, started + timeout_s - time.monotonic())
        watch = Watch(partial(self._try_interrupt, lease), left, cancel, again_s=_CANCEL_AGAIN_S)
        try:
            with watch:
                yield watch
        except (RowTooLarge, MemoryError) as error:
            lease.invalidate(error)
            raise row_too_large() from error
        except self._driver_error() as error:
            if watch.interrupted:
                raise out_of_time(timeout_s, cancel) from error
            if self._is_lost(error, lease):
                lease.invalidate(error)
                raise failures.connection_lost(self.name) from error
            raise
        finally:
            if watch.interrupted and lease.is_valid:
                lease.invalidate()  # a late cancel must not stop the next query

    @contextmanager
    def _translate_errors(self, sql: str, timeout_s: float) -> Iterator[None]:
        """Translate the driver's errors. This happens outside of the connection, because a hint may read the schema."""
        try:
            yield
        except self._driver_error() as error:
            failed = failures.translate(error, self.row, sql, self._schema.get_last)
            if failed.kind is ErrorKind.TIMEOUT:
                waited = error_code(error) in self.row.lock_waits
                failed = failures.rows_locked(timeout_s) if waited else out_of_time(timeout_s)
            raise failed from error

    def _try_interrupt(self, lease: PoolProxiedConnection) -> None:
        """Call `interrupt` and log its errors, because the calling thread cannot handle them."""
        try:
            self.interrupt(lease)
        except (self._driver_error(), OSError, CredentialError, DatabaseUnavailable) as error:
            log.warning("A query on %s could not be cancelled: %s", self.name, type(error).__name__)

    def _read_schema(self) -> Schema:
        reader = Reader(self.name, partial(self._lease, writable=False), self._set_timeout, self._driver_error())
        with reader:
            try:
                samples, schemas = self.options.sample_values, self.options.schemas
                attempt, warn = reader.attempt, reader.warnings.append
                found = catalogue.read(
                    reader.fetch, self.name, self.row, samples=samples, schemas=schemas, attempt=attempt, warn=warn
                )
            except self._driver_error() as error:
                reader.give_up(error)
                raise failures.unreadable(self.name, self.row, error) from error
        if not found.tables:
            problem = "has no tables that its user may read; check the user's rights, and `schemas` in databases.yaml"
            raise DatabaseUnavailable(f"{self.name} {problem}.")
        self.warnings = tuple(reader.warnings)
        return found

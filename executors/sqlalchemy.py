"""Any database server that SQLAlchemy has a dialect for: its pool, its way of connecting, its knowledge of lost
connections. What one engine needs and another does not is in the dialect's row, or in a subclass.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from executors.base import Cancel, CheckedSql, CheckedWrite, Executor, JsonValue, QueryResult, Schema, WriteResult
from executors.dialects import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from executors.server import catalogue, failures, statements
from executors.stopping import Watch, out_of_time, row_too_large
from executors.values import RowTooLarge, collect

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.engine.interfaces import Dialect as SqlAlchemyDialect
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection, QueuePool

    from executors.server.address import Address
    from executors.server.options import ServerOptions

log = logging.getLogger(__name__)

# A cancel goes over a connection of its own: it is not repeated as often as a flag can be set.
_CANCEL_AGAIN_S = 1.0
_SCHEMA_TIMEOUT_S = 60.0
_WRITERS = 2

Decoder = Callable[[Any], JsonValue]


class _Driver(NamedTuple):
    """SQLAlchemy's dialect with its driver, and what `connect` takes."""

    dialect: SqlAlchemyDialect
    arguments: Sequence[Any]
    options: dict[str, Any]


class SqlAlchemyExecutor(Executor):
    """One database of a server.

    A query runs in a read-only session, within a transaction that is rolled back, with the server's own statement
    timeout and a cancel that reaches the server. A connection on which something was interrupted is not used again.

    Args:
        name: that requests use.
        address: of the server.
        options: see `ServerOptions`.
    """

    driver: ClassVar[dict[str, str]] = {
        "mysql": "mysql+pymysql",
        "mariadb": "mariadb+pymysql",
        "oracle": "oracle+oracledb",
        "hana": "hana+hdbcli",
        "databricks": "databricks",
    }

    def __init__(self, name: str, address: Address, *, options: ServerOptions) -> None:
        self.name, self.dialect = name, address.dialect
        self.address, self.options = address, options
        self.row = DIALECTS[address.dialect]
        self._lock = threading.Lock()
        self._schema_lock = threading.Lock()
        self._driver: _Driver | None = None
        self._pools: dict[bool, QueuePool] = {}
        self._schema: tuple[float, Schema] | None = None

    # ------------------------------------------------------------------------------------------- the contract

    def schema(self) -> Schema:
        """See `Executor.schema`. Read again after `ServerOptions.schema_ttl_s` seconds, or after `refresh`."""
        with self._schema_lock:
            if self._schema is None or time.monotonic() - self._schema[0] > self.options.schema_ttl_s:
                self._schema = (time.monotonic(), self._read_schema())
            return self._schema[1]

    def refresh(self) -> None:
        """Have the next `schema` read it again."""
        with self._schema_lock:
            self._schema = None

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`."""
        started = time.monotonic()
        statements.require_one(query.executable, self.row)
        with self._leased(writable=False) as lease, self._watched(lease, timeout_s, cancel, query.executable) as watch:
            self._begin(lease, timeout_s)
            cursor = self._execute(lease, query.executable)
            try:
                if cursor.description is None:
                    raise SqlFailed(ErrorKind.SYNTAX_ERROR, "The query gives no columns.", "Write one SELECT.")
                rows, truncated = collect(cursor.fetchmany, query.row_limit, self._decoders(cursor.description))
                columns = tuple(str(column[0]) for column in cursor.description)
            finally:
                with contextlib.suppress(self._driver_error()):
                    cursor.close()
            if watch.interrupted:
                raise watch.error()
        elapsed = round((time.monotonic() - started) * 1000, 3)
        return QueryResult(columns=columns, rows=rows, truncated=truncated, elapsed_ms=elapsed)

    def write(self, statement: CheckedWrite, *, timeout_s: float, commit: bool, max_rows: int) -> WriteResult:
        """See `Executor.write`."""
        if not self.options.writable:
            raise SqlRefused(ErrorKind.NOT_READ_ONLY, f"{self.name} is open for reading only.", "Write one SELECT.")
        if not self.row.session.transactions:
            message = f"{self.row.title} cannot undo a write, so nothing is written to it from here."
            raise SqlRefused(ErrorKind.NOT_READ_ONLY, message)
        started = time.monotonic()
        statements.require_one(statement.sql, self.row, writes=True)
        with self._leased(writable=True) as lease, self._watched(lease, timeout_s, None, statement.sql) as watch:
            self._set_timeout(lease, timeout_s)
            cursor = lease.cursor()
            cursor.execute(statement.sql)
            affected = int(cursor.rowcount)
            cursor.close()
            if affected > max_rows or affected < 0:
                message = f"It would affect {affected} rows, and {max_rows} are allowed; nothing was changed."
                raise SqlFailed(ErrorKind.RESOURCE, message, "Narrow the condition.")
            if watch.interrupted:
                raise watch.error()
            if commit:
                lease.commit()
        elapsed = round((time.monotonic() - started) * 1000, 3)
        return WriteResult(rows_affected=affected, committed=commit, elapsed_ms=elapsed)

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for pool in self._pools.values():
                pool.dispose()
            self._pools.clear()

    # -------------------------------------------------------------------------- what an engine may do its own way

    def url(self) -> URL:
        """The address as SQLAlchemy takes it, with the driver that is used here."""
        return self.address.url(self.driver[self.dialect])

    def connect_options(self) -> dict[str, Any]:
        """More arguments for the driver's `connect`, made anew for each connection."""
        return {}

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        """Make a new connection ready: its number is noted, and unless it is to write, it becomes read-only."""
        session = self.row.session
        cursor = connection.cursor()
        if session.connection_id:
            cursor.execute(session.connection_id)
            entry.info["id"] = cursor.fetchone()[0]  # type: ignore[index]  # one row, always
        if not writable:
            for statement in session.read_only:
                cursor.execute(statement)
        cursor.close()
        connection.commit()

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """Stop what runs on the connection, from another thread, over another connection."""
        statement = self.row.session.cancel.format(id=lease.info["id"])
        connection = self._connect()
        try:
            cursor = connection.cursor()
            cursor.execute(statement)
            cursor.close()
        finally:
            connection.close()

    def _begin(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        """Before a query: the server's own timeout."""
        self._set_timeout(lease, timeout_s)

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        cursor = lease.cursor()
        cursor.execute(sql)
        return cursor

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Decoder] | None:  # noqa: ARG002
        """One per column, where the driver's own values need more than `to_json`."""
        return None

    # --------------------------------------------------------------------------------------------- connections

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        template = self.row.session.timeout
        if template and lease.info.get("timeout_s") != timeout_s:
            cursor = lease.cursor()
            cursor.execute(template.format(ms=max(1, round(timeout_s * 1000)), s=timeout_s))
            cursor.close()
            lease.commit()
            lease.info["timeout_s"] = timeout_s

    def _load_driver(self) -> _Driver:
        with self._lock:
            if self._driver is None:
                url = self.url()
                try:
                    kind = url.get_dialect()
                    driver = kind.import_dbapi()
                except ImportError as error:
                    raise failures.no_driver(self.name, self.row) from error
                dialect = kind(dbapi=driver)  # type: ignore[call-arg]  # every dialect takes its driver
                arguments, options = dialect.create_connect_args(url)
                self._driver = _Driver(dialect, arguments, dict(options))
            return self._driver

    def _driver_error(self) -> type[Exception]:
        error: type[Exception] = self._load_driver().dialect.loaded_dbapi.Error
        return error

    def _connect(self) -> DBAPIConnection:
        driver = self._load_driver()
        return driver.dialect.connect(*driver.arguments, **{**driver.options, **self.connect_options()})

    def _pool(self, *, writable: bool) -> QueuePool:
        driver = self._load_driver()
        with self._lock:
            if writable not in self._pools:
                from sqlalchemy import event
                from sqlalchemy.pool import QueuePool

                pool = QueuePool(
                    self._connect,
                    pool_size=_WRITERS if writable else self.options.pool_size,
                    max_overflow=0,
                    timeout=self.options.connect_timeout_s + _SCHEMA_TIMEOUT_S,
                    recycle=int(self.options.recycle_s),
                    pre_ping=True,  # a server that was restarted is met by a new connection, not by an error
                    use_lifo=True,
                    dialect=driver.dialect,
                )
                event.listen(pool, "connect", partial(self.prepare, writable=writable))
                self._pools[writable] = pool
            return self._pools[writable]

    @contextmanager
    def _leased(self, *, writable: bool) -> Iterator[PoolProxiedConnection]:
        """A connection of the pool; afterwards rolled back and given back.

        Raises:
            DatabaseUnavailable: there is no connection to be had.
            SqlFailed: all are busy.
        """
        from sqlalchemy.exc import DBAPIError, TimeoutError

        pool = self._pool(writable=writable)
        try:
            lease = pool.connect()
        except TimeoutError as error:
            message = f"All {self.options.pool_size} connections to {self.name} are busy."
            raise SqlFailed(ErrorKind.RESOURCE, message, "Ask again in a moment.") from error
        except (self._driver_error(), DBAPIError, OSError, failures.CredentialError) as error:
            raise failures.unreachable(self.name, error) from error
        try:
            yield lease
        finally:
            lease.close()

    @contextmanager
    def _watched(
        self, lease: PoolProxiedConnection, timeout_s: float, cancel: Cancel | None, sql: str
    ) -> Iterator[Watch]:
        """Stops what runs inside when time is over or the caller cancels, and tells its errors as this project does."""
        watch = Watch(partial(self._interrupted, lease), timeout_s, cancel, again_s=_CANCEL_AGAIN_S)
        try:
            with watch:
                yield watch
        except (RowTooLarge, MemoryError) as error:
            lease.invalidate(error)
            raise row_too_large() from error
        except self._driver_error() as error:
            raise self._told(error, lease, watch, timeout_s, sql) from error
        finally:
            if watch.interrupted and lease.is_valid:
                lease.invalidate()  # a cancel that comes late must not meet the next query

    def _interrupted(self, lease: PoolProxiedConnection) -> None:
        """`interrupt`, for a thread in which nobody would catch its error."""
        try:
            self.interrupt(lease)
        except (self._driver_error(), OSError) as error:
            log.warning("A query on %s could not be cancelled: %s", self.name, type(error).__name__)

    def _told(
        self, error: Exception, lease: PoolProxiedConnection, watch: Watch, timeout_s: float, sql: str
    ) -> SqlFailed | DatabaseUnavailable:
        if watch.interrupted:
            return watch.error()
        driver = self._load_driver()
        lost = driver.dialect.is_disconnect(error, lease.dbapi_connection, None)
        if lost:
            lease.invalidate(error)
            return DatabaseUnavailable(f"The connection to {self.name} was lost while the query ran; ask again.")
        failed = failures.told(error, self.row, sql, self.schema)
        return out_of_time(timeout_s) if failed.kind is ErrorKind.TIMEOUT else failed

    def _read_schema(self) -> Schema:
        def fetch(sql: str) -> Sequence[Sequence[Any]]:
            cursor = lease.cursor()
            cursor.execute(sql)
            rows: Sequence[Sequence[Any]] = cursor.fetchall()
            cursor.close()
            return rows

        with self._leased(writable=False) as lease:
            try:
                self._set_timeout(lease, _SCHEMA_TIMEOUT_S)
                found = catalogue.read(
                    fetch, self.name, self.row, samples=self.options.sample_values, schemas=self.options.schemas
                )
            except self._driver_error() as error:
                lease.invalidate(error)
                log.warning("The schema of %s could not be read: %s", self.name, error)
                raise DatabaseUnavailable(
                    f"The schema of {self.name} could not be read; see the service's log."
                ) from error
        if not found.tables:
            raise DatabaseUnavailable(
                f"{self.name} has no tables that its user may read; check the user's rights, and `schemas` in "
                "databases.yaml."
            )
        return found


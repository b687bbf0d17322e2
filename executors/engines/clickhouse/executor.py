"""ClickHouse, with clickhouse-connect. It uses HTTP without sessions and transactions; queries carry their settings."""

from __future__ import annotations

import re
import struct
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from executors.base import JsonValue
from executors.engines.common.servers import failures
from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor
from executors.errors import ErrorKind, SqlFailed
from executors.values import to_json

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

_ANSWER_S = 15.0  # time that a response may take beyond the server's own timeout
_SETTING = re.compile(r"SET (\w+) = '?(.*?)'?")
# Text is read as bytes, because it may not be UTF-8; addresses are read as the server writes them.
_FORMATS = {"String": "bytes", "FixedString": "bytes", "IPv*": "string"}
_INTERVALS = {"Year": "P{}Y", "Quarter": "P{}M", "Month": "P{}M", "Week": "P{}D", "Day": "P{}D", "Hour": "PT{}H",
              "Minute": "PT{}M", "Second": "PT{}S", "Millisecond": "PT{}S", "Microsecond": "PT{}S",
              "Nanosecond": "PT{}S"}  # fmt: skip
_FACTORS = {"Quarter": 3, "Week": 7}
_PLACES = {"Millisecond": 3, "Microsecond": 6, "Nanosecond": 9}
# The place in a message where it starts to repeat the query, or to list what the parser expects.
_REPEATED = re.compile(
    r"\. Expected one of:|: \(in query: |[.:,]? [Ii]n (?:scope|query) (?:SELECT|WITH)\b"
    r"|: [Ww]hile (?:processing|executing) "
)
_WRAPPED = re.compile(r"(?:(?:Nullable|LowCardinality)\()*(\w+)")


class ClickhouseExecutor(SqlAlchemyExecutor):
    """One ClickHouse database.

    Every query has the setting `readonly = 1`, so the server accepts only queries, and no settings in them. A user
    with a read-only profile may not be allowed to change any setting. Then the profile's settings apply, and only this
    process enforces timeouts.

    The connection uses HTTPS, unless the address has `secure=false` or the server is on this machine. The driver cuts
    times to microseconds.
    """

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`: TLS, timeouts, and no sessions, in which a running query could not
        be cancelled."""
        options: dict[str, Any] = {
            "connect_timeout": max(1, round(self.options.connect_timeout_s)),
            "send_receive_timeout": round(self.options.connect_timeout_s + _ANSWER_S),  # until a query sets its own
            "autogenerate_session_id": False,
            "client_name": "plumbline",
            "dedicated_pool": True,
            "tz_mode": "schema",
            "tz_source": "server",
        }
        if "secure" not in self.address.query and not self.address.is_local:
            options["secure"] = True
        return options

    def prepare(
        self,
        connection: DBAPIConnection,
        entry: ConnectionPoolEntry,  # noqa: ARG002
        *,
        writable: bool,
    ) -> None:
        """See `SqlAlchemyExecutor.prepare`. The row's statements become settings of every query on this connection."""
        if not writable:
            for statement in self.row.session.read_only:
                self._set(_client(connection), statement)

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """Cancel the query by another request of the same client. Both can run because there is no session."""
        if "id" in lease.info:
            _client(lease).command(self.row.session.cancel.format(id=lease.info["id"]))

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        from urllib3 import Timeout

        client = _client(lease)
        self._set(client, self.row.session.timeout.format(s=timeout_s))
        client.timeout = Timeout(connect=self.options.connect_timeout_s, read=timeout_s + _ANSWER_S)  # type: ignore[attr-defined]

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        if not sql.strip(" ;\n\t"):
            raise SqlFailed(ErrorKind.SYNTAX_ERROR, "There is no query.", "Write one SELECT.")
        lease.info["id"] = uuid.uuid4().hex
        with self._plainly():
            rows: Any = _Rows(self, _client(lease), sql, lease.info["id"])
        cursor: DBAPICursor = rows  # it has the used part of a cursor
        return cursor

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Callable[[Any], JsonValue]]:
        return [_decoder(str(column[1])) for column in description]

    @staticmethod
    def _set(client: Client, statement: str) -> None:
        """Apply a setting to every query, if the server knows it and lets this user change it."""
        found = _SETTING.fullmatch(statement)
        if found is None:
            raise ValueError(f"{statement!r} is no setting")
        known = client.server_settings.get(found[1])
        if known is not None and not known.readonly:
            client.set_client_setting(found[1], found[2])

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Translate errors: keep only the server's message, without the driver's code, address, version and query."""
        from clickhouse_connect.driver.exceptions import DatabaseError, Error, NotSupportedError, OperationalError

        try:
            yield
        except NotSupportedError as error:
            hint = "Finish an aggregate's state with its -Merge function: uniqMerge(col)."
            raise SqlFailed(ErrorKind.TYPE_MISMATCH, f"A column cannot be read: {error}.", hint) from error
        except OperationalError as error:
            if error.code is not None:
                raise OperationalError(_message(error), code=error.code) from error
            raise failures.connection_lost(self.name) from error
        except Error as error:
            raise DatabaseError(_message(error), code=error.code) from error


class _Rows:
    """The streamed rows of one query. It has the part of a cursor's interface that is used here."""

    def __init__(self, executor: ClickhouseExecutor, client: Client, sql: str, query_id: str) -> None:
        self._plainly = executor._plainly
        self._stop = partial(client.command, executor.row.session.cancel.format(id=query_id))
        self._end = ExitStack()
        stream: Any = self._end.enter_context(
            client.query_rows_stream(sql, settings={"query_id": query_id}, query_formats=_FORMATS)
        )
        self._rows: Iterator[Sequence[Any]] = iter(stream)
        source = stream.source
        types = zip(source.column_names, source.column_types, strict=True)
        # A result without rows has no block, and therefore no columns.
        self.description = [(name, kind.name) for name, kind in types] or _describe(client, sql)
        self.rowcount = -1

    def fetchmany(self, size: int) -> list[Sequence[Any]]:
        with self._plainly():
            return list(islice(self._rows, size))

    def close(self) -> None:
        """End the stream. The driver would read all remaining data, so the server is told to stop."""
        with self._end:
            if next(self._rows, None) is not None:
                self._stop()


def _describe(client: Client, sql: str) -> list[tuple[str, str]]:
    described = client.query(f"DESCRIBE TABLE ({sql.rstrip('; ')}\n)")
    return [(str(row[0]), str(row[1])) for row in described.result_rows]


def _client(connection: Any) -> Client:
    client: Client = connection.client
    return client


def _message(error: Exception) -> str:
    """The server's message and the error's name: `Unknown table expression identifier 'peple'. (UNKNOWN_TABLE)`."""
    text = re.sub(r"\s+", " ", str(error).rpartition("DB::Exception: ")[2])
    text = re.sub(r" \(version .*", "", text)
    text = re.sub(r"failed at position \d+ \((?:FORMAT|Native)\).*?: (?:FORMAT )?Native", "failed at its end", text)
    text, _, name = text.rpartition(" (")
    text = _REPEATED.split(text)[0]
    return f"{text.rstrip('.')}. ({name}" if name else text


def _decoder(kind: str) -> Callable[[Any], JsonValue]:
    """The function that converts values of a column of that type to JSON."""
    found = _WRAPPED.match(kind)
    name = found[1] if found else kind
    if name.startswith("Interval"):
        return lambda value: _interval(name.removeprefix("Interval"), value)
    if name == "FixedString":
        return lambda value: to_json(_text(value.rstrip(b"\0") if isinstance(value, bytes) else value))
    if name.startswith("DateTime"):
        return to_json
    if name in {"Float32", "BFloat16"}:
        return lambda value: to_json(_shortest(value))
    return lambda value: to_json(_text(value))


def _text(value: Any) -> Any:
    """Decode bytes to text, also inside lists and maps. Bytes that are not UTF-8 stay bytes."""
    match value:
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value
        case list() | tuple():
            return [_text(item) for item in value]
        case dict():
            return {_text(key): _text(item) for key, item in value.items()}
    return value


def _interval(unit: str, count: int | None) -> JsonValue:
    """A number of units as an ISO 8601 duration. A fraction has no trailing zeros."""
    if count is None:
        return None
    number = str(count * _FACTORS.get(unit, 1))
    if places := _PLACES.get(unit):
        whole, rest = divmod(abs(count), 10**places)
        fraction = f".{rest:0{places}d}".rstrip("0").rstrip(".")
        number = f"{'-' * (count < 0)}{whole}{fraction}"
    return _INTERVALS[unit].format(number)


def _shortest(value: float | None) -> float | None:
    """The shortest number with the same four-byte value: 0.1, which has eight bytes as 0.10000000149011612."""
    if value is None:
        return None
    same = (float(f"{value:.{digits}g}") for digits in range(6, 10))
    return next((one for one in same if struct.pack("f", one) == struct.pack("f", value)), value)

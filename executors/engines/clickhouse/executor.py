"""ClickHouse, with clickhouse-connect: HTTP, without sessions and transactions; every query carries its settings."""

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
from executors.engines.servers import failures
from executors.engines.servers.sqlalchemy import SqlAlchemyExecutor
from executors.errors import ErrorKind, SqlFailed
from executors.values import to_json

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client
    from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

_ANSWER_S = 15.0  # that an answer may be late, after the time that the server itself gives a query
_SETTING = re.compile(r"SET (\w+) = '?(.*?)'?")
# Text arrives as bytes, for it need not be UTF-8; addresses as the server writes them.
_FORMATS = {"String": "bytes", "FixedString": "bytes", "IPv*": "string"}
_INTERVALS = {"Year": "P{}Y", "Quarter": "P{}M", "Month": "P{}M", "Week": "P{}D", "Day": "P{}D", "Hour": "PT{}H",
              "Minute": "PT{}M", "Second": "PT{}S", "Millisecond": "PT{}S", "Microsecond": "PT{}S",
              "Nanosecond": "PT{}S"}  # fmt: skip
_FACTORS = {"Quarter": 3, "Week": 7}
_PLACES = {"Millisecond": 3, "Microsecond": 6, "Nanosecond": 9}
# Where a message begins to repeat the query, or to list all that the parser knows.
_REPEATED = re.compile(
    r"\. Expected one of:|: \(in query: |[.:,]? [Ii]n (?:scope|query) (?:SELECT|WITH)\b"
    r"|: [Ww]hile (?:processing|executing) "
)
_WRAPPED = re.compile(r"(?:(?:Nullable|LowCardinality)\()*(\w+)")


class ClickhouseExecutor(SqlAlchemyExecutor):
    """One ClickHouse database.

    `readonly = 1` goes with every query, so that the server takes nothing but queries, and no settings within them; a
    user whose profile is read-only already may be allowed no settings at all: then the profile's own count, and it is
    this process alone that watches the time.

    Over HTTPS, unless the address says `secure=false` or the server is on this machine. Times finer than a microsecond
    are cut there, by the driver.
    """

    def connect_options(self) -> dict[str, Any]:
        """TLS, times, and no sessions: within one, a query could not be cancelled while it runs."""
        options: dict[str, Any] = {
            "connect_timeout": max(1, round(self.options.connect_timeout_s)),
            "send_receive_timeout": round(self.options.connect_timeout_s + _ANSWER_S),  # until a query says otherwise
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
        """The row's statements are settings, which go with every query of this connection."""
        if not writable:
            for statement in self.row.session.read_only:
                self._set(_client(connection), statement)

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        """Another request, from the same client: it has no session, so both run."""
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
        cursor: DBAPICursor = rows  # as far as a cursor is used
        return cursor

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Callable[[Any], JsonValue]]:
        return [_decoder(str(column[1])) for column in description]

    @staticmethod
    def _set(client: Client, statement: str) -> None:
        """Keep a setting for every query, where the server knows it and lets this user change it."""
        found = _SETTING.fullmatch(statement)
        if found is None:
            raise ValueError(f"{statement!r} is no setting")
        known = client.server_settings.get(found[1])
        if known is not None and not known.readonly:
            client.set_client_setting(found[1], found[2])

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Errors without what the driver puts around the server's words: code, address, version, the query itself."""
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
    """The rows of one query as they arrive, with the part of a cursor that is used here."""

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
        # Without a row there is no block, and without a block there are no columns.
        self.description = [(name, kind.name) for name, kind in types] or _describe(client, sql)
        self.rowcount = -1

    def fetchmany(self, size: int) -> list[Sequence[Any]]:
        with self._plainly():
            return list(islice(self._rows, size))

    def close(self) -> None:
        """End the stream. The driver reads whatever still comes, so tell the server to stop sending."""
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
    """`Unknown table expression identifier 'peple'. (UNKNOWN_TABLE)`: what the server says, and the error's name."""
    text = re.sub(r"\s+", " ", str(error).rpartition("DB::Exception: ")[2])
    text = re.sub(r" \(version .*", "", text)
    text = re.sub(r"failed at position \d+ \((?:FORMAT|Native)\).*?: (?:FORMAT )?Native", "failed at its end", text)
    text, _, name = text.rpartition(" (")
    text = _REPEATED.split(text)[0]
    return f"{text.rstrip('.')}. ({name}" if name else text


def _decoder(kind: str) -> Callable[[Any], JsonValue]:
    """What makes JSON of a column of that type."""
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
    """The text that bytes are, wherever they are; what is no UTF-8 stays bytes."""
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
    """A count of units as an ISO 8601 duration; a fraction without trailing zeros."""
    if count is None:
        return None
    number = str(count * _FACTORS.get(unit, 1))
    if places := _PLACES.get(unit):
        whole, rest = divmod(abs(count), 10**places)
        fraction = f".{rest:0{places}d}".rstrip("0").rstrip(".")
        number = f"{'-' * (count < 0)}{whole}{fraction}"
    return _INTERVALS[unit].format(number)


def _shortest(value: float | None) -> float | None:
    """The shortest number that is the same in four bytes: 0.1, where eight bytes would say 0.10000000149011612."""
    if value is None:
        return None
    same = (float(f"{value:.{digits}g}") for digits in range(6, 10))
    return next((one for one in same if struct.pack("f", one) == struct.pack("f", value)), value)

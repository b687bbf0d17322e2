"""Oracle, with python-oracledb and no client library."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from executors.base import JsonValue
from executors.engines.common.servers.sqlalchemy import Decoder, SqlAlchemyExecutor
from executors.values import to_json

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection


class OracleExecutor(SqlAlchemyExecutor):
    """See `SqlAlchemyExecutor`. The driver itself enforces timeouts and cancels, without the right to alter the system.

    The address must have `protocol=tcps` if the server's listener uses TLS, for which Oracle has a separate port.
    """

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`: the connect timeout, and the protocol, because SQLAlchemy supports
        only TCP."""
        options: dict[str, Any] = {"tcp_connect_timeout": self.options.connect_timeout_s}
        address, query = self.address, self.address.query
        if "protocol" in query and address.host:
            import oracledb

            parts = oracledb.ConnectParams(
                host=address.host,
                port=address.port or 1521,
                protocol=query["protocol"],
                sid=address.database,
                service_name=query.get("service_name"),
            )
            options["dsn"] = parts.get_connect_string()
        return options

    def prepare(self, connection: DBAPIConnection, entry: ConnectionPoolEntry, *, writable: bool) -> None:
        super().prepare(connection, entry, writable=writable)
        connection.outputtypehandler = _fetch_as

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        lease.dbapi_connection.cancel()  # type: ignore[union-attr]  # the driver's own method

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        lease.dbapi_connection.call_timeout = max(1, round(timeout_s * 1000))  # type: ignore[union-attr]

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Decoder]:
        import oracledb

        return [months if column[1] is oracledb.DB_TYPE_INTERVAL_YM else to_json for column in description]


def months(value: Any) -> JsonValue:
    """An interval of years and months as an ISO 8601 duration: `P1Y2M`. Args: value: has both, or None."""
    if value is None:
        return None
    parts = f"{value.years}Y" * bool(value.years) + f"{value.months}M" * bool(value.months)
    return f"P{parts or '0M'}"


def _fetch_as(cursor: Any, metadata: Any) -> Any:
    """Fetch numbers exactly, and long values completely instead of as handles, which need the open connection."""
    import oracledb

    kind: Any = {
        oracledb.DB_TYPE_NUMBER: Decimal,
        oracledb.DB_TYPE_CLOB: oracledb.DB_TYPE_LONG,
        oracledb.DB_TYPE_NCLOB: oracledb.DB_TYPE_LONG_NVARCHAR,
        oracledb.DB_TYPE_BLOB: oracledb.DB_TYPE_LONG_RAW,
    }.get(metadata.type_code)
    return None if kind is None else cursor.var(kind, arraysize=cursor.arraysize)

"""Databricks SQL, over databricks-sql-connector."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from executors.base import JsonValue
from executors.engines.common.servers.sqlalchemy import Decoder, SqlAlchemyExecutor
from executors.values import to_json

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPICursor
    from sqlalchemy.pool import PoolProxiedConnection

_STARTS_S = 60.0
_NESTED = ("array", "map", "struct")


class DatabricksExecutor(SqlAlchemyExecutor):
    """See `SqlAlchemyExecutor`. There are no read-only sessions. A statement that is not a query is refused before it
    is sent, and the token's rights limit what functions can do.

    If a warehouse must start first, the executor waits `_STARTS_S` seconds for it.
    """

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`. The driver's default is to wait for a quarter of an hour, and to
        send telemetry."""
        return {
            "_socket_timeout": _STARTS_S,
            "_retry_stop_after_attempts_duration": _STARTS_S,
            "enable_telemetry": False,
            "user_agent_entry": "plumbline",
        }

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        running = lease.info.get("cursor")
        if running is not None:
            running.cancel()

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        super()._set_timeout(lease, math.ceil(timeout_s))  # whole seconds; 0 would mean the warehouse's own timeout

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        lease.info["cursor"] = cursor = lease.cursor()
        cursor.execute(sql)
        return cursor

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Decoder]:
        return [parse_nested if str(column[1]).lower() in _NESTED else to_json for column in description]


def parse_nested(value: Any) -> JsonValue:
    """An array, map or struct, from JSON text or from Arrow's values, which include numpy arrays and pairs of a map."""
    if isinstance(value, str):
        try:
            return to_json(json.loads(value, parse_float=Decimal))
        except ValueError:
            return to_json(value)
    if hasattr(value, "tolist"):
        return parse_nested(value.tolist())
    if isinstance(value, dict):
        return {str(key): parse_nested(item) if _holds(item) else to_json(item) for key, item in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, tuple) and len(item) == 2 for item in value):
        return parse_nested(dict(value))
    if isinstance(value, list | tuple):
        return [parse_nested(item) if _holds(item) else to_json(item) for item in value]
    return to_json(value)


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list | tuple) or hasattr(value, "tolist")

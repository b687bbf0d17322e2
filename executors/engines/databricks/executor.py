"""Databricks SQL, over databricks-sql-connector."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from executors.base import JsonValue
from executors.engines.servers.sqlalchemy import Decoder, SqlAlchemyExecutor
from executors.values import to_json

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPICursor
    from sqlalchemy.pool import PoolProxiedConnection

_STARTS_S = 60.0
_NESTED = ("array", "map", "struct")


class DatabricksExecutor(SqlAlchemyExecutor):
    """See `SqlAlchemyExecutor`. No session is read-only here: what is no query is refused before it is sent, and what
    functions do is up to the rights of the token.

    A warehouse that has to start first is waited for `_STARTS_S` seconds.
    """

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`. The driver's own patience is a quarter of an hour, and its
        telemetry is nobody's wish."""
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
        super()._set_timeout(lease, math.ceil(timeout_s))  # whole seconds; 0 would mean the warehouse's own

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        lease.info["cursor"] = cursor = lease.cursor()
        cursor.execute(sql)
        return cursor

    def _decoders(self, description: Sequence[Sequence[Any]]) -> Sequence[Decoder]:
        return [parse_nested if str(column[1]).lower() in _NESTED else to_json for column in description]


def parse_nested(value: Any) -> JsonValue:
    """An array, map or struct: text of JSON, or what Arrow makes of it, arrays of numpy and pairs of a map included."""
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

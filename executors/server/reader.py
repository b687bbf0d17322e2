"""Asks a server for its catalogue, over one connection."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolProxiedConnection

log = logging.getLogger(__name__)

_NEEDED_S, _SPARE_S = 60.0, 5.0


class Reader:
    """What `catalogue.read` asks with.

    Args:
        name: of the database.
        lease: the connection.
        set_timeout: takes the seconds for each of the next queries.
        error: the driver's base class of errors.
    """

    def __init__(
        self, name: str, lease: PoolProxiedConnection, set_timeout: Callable[[float], None], error: type[Exception]
    ) -> None:
        self._name, self._lease, self._set_timeout, self._error = name, lease, set_timeout, error
        self.warnings: list[str] = []

    def fetch(self, sql: str) -> Sequence[Sequence[Any]]:
        """Rows of a query without which there is no schema. Raises what the driver raises."""
        return self._rows(sql, _NEEDED_S)

    def attempt(self, sql: str) -> Sequence[Sequence[Any]] | None:
        """Rows of a query that a schema can do without: None where the server refuses it, or takes long."""
        try:
            return self._rows(sql, _SPARE_S)
        except self._error as error:
            log.warning("A part of the schema of %s could not be read: %s", self._name, error)
            log.debug("It was asked for with %s", " ".join(sql.split()))
            self._lease.rollback()
            return None

    def _rows(self, sql: str, timeout_s: float) -> Sequence[Sequence[Any]]:
        self._set_timeout(timeout_s)
        cursor = self._lease.cursor()
        cursor.execute(sql)
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
        cursor.close()
        return rows

"""Reads a server's catalogue, over one connection at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolProxiedConnection

log = logging.getLogger(__name__)

_NEEDED_S, _SPARE_S = 60.0, 5.0
_LESS = "Comments and numbers of rows could not be read; see the service's log."


class Reader:
    """The connection that `catalogue.read` queries, inside a `with` block.

    Args:
        name: of the database.
        leased: gives a connection, which is given back at the end of its block.
        set_timeout: takes a connection, and the seconds for each of its next queries.
        error: the driver's base class of errors.
    """

    def __init__(
        self,
        name: str,
        leased: Callable[[], AbstractContextManager[PoolProxiedConnection]],
        set_timeout: Callable[[PoolProxiedConnection, float], None],
        error: type[Exception],
    ) -> None:
        self._name, self._leased, self._set_timeout, self._error = name, leased, set_timeout, error
        self._open = ExitStack()
        self.warnings: list[str] = []

    def __enter__(self) -> Self:
        self._lease = self._open.enter_context(self._leased())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._open.close()

    def give_up(self, error: Exception) -> None:
        """Drop the connection, so that it is not used again. Args: error: that it ended with."""
        self._lease.invalidate(error)

    def fetch(self, sql: str, plain: str = "") -> Sequence[Sequence[Any]]:
        """Rows of a query without which there is no schema. Raises what the driver raises.

        Args:
            plain: a simpler query, run where the server refuses `sql`.
        """
        try:
            return self._rows(sql, _NEEDED_S)
        except self._error as error:
            if not plain:
                raise
            self._note(sql, error)
        rows = self._rows(plain, _NEEDED_S)
        if _LESS not in self.warnings:
            self.warnings.append(_LESS)
        return rows

    def attempt(self, sql: str) -> Sequence[Sequence[Any]] | None:
        """Rows of a query that a schema can do without: None where the server refuses it, or takes long."""
        try:
            return self._rows(sql, _SPARE_S)
        except (self._error, ValueError, OverflowError) as error:  # those of a value that the driver cannot read
            self._note(sql, error)
            return None

    def _note(self, sql: str, error: Exception) -> None:
        log.warning("A part of the schema of %s could not be read: %s", self._name, error)
        log.debug("The query was %s", " ".join(sql.split()))
        self._begin_again()

    def _begin_again(self) -> None:
        """After an error: in a new transaction, and on a new connection where the old one cannot begin one."""
        try:
            self._lease.rollback()
        except self._error as error:
            log.debug("The connection to %s is replaced: %s", self._name, error)
            self.give_up(error)
            self._open.close()
            self._lease = self._open.enter_context(self._leased())

    def _rows(self, sql: str, timeout_s: float) -> Sequence[Sequence[Any]]:
        self._set_timeout(self._lease, timeout_s)
        cursor = self._lease.cursor()
        cursor.execute(sql)
        rows: Sequence[Sequence[Any]] = cursor.fetchall()
        cursor.close()
        return rows

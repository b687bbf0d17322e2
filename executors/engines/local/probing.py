"""Checks which layers under the guard hold on an open connection to a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from executors.base import Layer
from executors.dialects.row import Probe
from executors.dialects.table import DIALECTS

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_REFUSALS = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH})


def sqlite_layers(connection: sqlite3.Connection, restrict: Callable[[sqlite3.Connection], None]) -> tuple[Layer, ...]:
    """What the probes of SQLite's row find, each by itself. The connection is of no use afterwards.

    Args:
        connection: as it was opened.
        restrict: does the rest that is done before a query; only the last probe runs after it.
    """
    *opened, last = DIALECTS["sqlite"].probes
    found: list[Layer] = []
    for probe in opened:
        if probe.refused:  # by this layer alone, and undone where it is not
            connection.execute("PRAGMA query_only = OFF")
            connection.execute("BEGIN")
        found.append(_sqlite_layer(connection, probe))
        connection.rollback()
    restrict(connection)
    return (*found, _sqlite_layer(connection, last))


def _sqlite_layer(connection: sqlite3.Connection, probe: Probe) -> Layer:
    try:
        row = connection.execute(probe.sql).fetchone()
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return Layer(name=probe.layer, holds=probe.refused if code in _REFUSALS else None, advice=probe.advice)
    return Layer(name=probe.layer, holds=not probe.refused and row is not None and bool(row[0]), advice=probe.advice)


def duckdb_layers(cursor: DuckDBPyConnection) -> tuple[Layer, ...]:
    """What the probes of DuckDB's row find. Raises duckdb.Error."""
    found: list[Layer] = []
    for probe in DIALECTS["duckdb"].probes:
        row = cursor.execute(probe.sql).fetchone()
        found.append(Layer(name=probe.layer, holds=row is not None and bool(row[0]), advice=probe.advice))
    return tuple(found)

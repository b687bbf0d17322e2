"""Checks which layers under the guard hold on an open connection to a server."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executors.base import Layer

if TYPE_CHECKING:
    from sqlalchemy.pool import PoolProxiedConnection

    from executors.dialects.row import Probe

log = logging.getLogger(__name__)


def layers(lease: PoolProxiedConnection, probes: Sequence[Probe], error: type[Exception]) -> tuple[Layer, ...]:
    """What the probes of a dialect's row find, in their order.

    Args:
        lease: the connection, made ready as for a query.
        probes: each gives 1 or 0; one that the server refuses is a layer of which nothing is known.
        error: the driver's base class of errors.
    """
    return tuple(Layer(name=it.layer, holds=_holds(lease, it, error), advice=it.advice) for it in probes)


def _holds(lease: PoolProxiedConnection, probe: Probe, error: type[Exception]) -> bool | None:
    try:
        cursor = lease.cursor()
        cursor.execute(probe.sql)
        rows = cursor.fetchall()
        cursor.close()
    except error as refused:
        log.debug("The probe for %s was refused: %s", probe.layer, refused)
        lease.rollback()  # some servers take nothing more in a transaction that failed
        return None
    values = [row[0] for row in rows]
    if not values or None in values:
        return None
    if probe.pattern:
        return all(re.fullmatch(probe.pattern, str(value), re.DOTALL) for value in values)
    return bool(int(values[0]))

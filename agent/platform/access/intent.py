"""Does a question ask for a change of the data, and may it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.core.callers import LOCAL, is_listed
from agent.core.errors import WritesNotAllowed
from agent.platform.access.orders import orders_change, wants_more_than_rows, wishes_change

__all__ = ["NEVER", "PARTIAL", "orders_change", "refuse_writes", "write_refusal"]

if TYPE_CHECKING:
    from agent.core.models import Options
    from agent.platform.config.settings import Settings
    from executors.registry.registry import Entry

_ONLY_READS = "Plumbline only reads here, and answering this would change the data."
PARTIAL = "You see only some rows of this database, and only a caller who sees all of them may change any."
NEVER = "Rows can be changed, but never tables, views, columns or rights. Ask for a change of rows, or a question."


def write_refusal(settings: Settings, entry: Entry, principal: str, options: Options) -> str:
    """Why this request may not change data: the first switch that is off, in a sentence. Empty: it may.

    Args:
        settings: of the service.
        entry: of the database.
        principal: the caller; `callers.LOCAL` is permitted, being at the machine.
        options: of the request. A confirmation is a permission too.
    """
    if not settings.allow_writes:
        return f"{_ONLY_READS} Writes are switched off (PLUMBLINE_ALLOW_WRITES). Ask what the data says instead."
    if not entry.writable:
        why = f"The database {entry.name!r} is not marked `writable: true` in the registry."
        return f"{_ONLY_READS} {why} Ask what the data says instead."
    if principal != LOCAL and not is_listed(principal, entry.writers):
        why = f"You are not among the `writers` of the database {entry.name!r} in the registry."
        return f"{_ONLY_READS} {why} Ask what the data says instead."
    if principal != LOCAL and entry.row_filter is not None and entry.row_filter.values_of(principal) is not None:
        return f"{_ONLY_READS} {PARTIAL} Ask what the data says instead."
    if not options.allow_writes and options.confirm is None:
        return f"{_ONLY_READS} To have a change planned, send `allow_writes: true` among the options."
    return ""


def refuse_writes(question: str, options: Options, refusal: str) -> None:
    """Leave a question alone, or raise WritesNotAllowed; what is no plain order is left to the guard.

    Args:
        question: as it was asked.
        options: a confirmation requests a change, whatever the question is.
        refusal: why it may not change data; empty where it may.
    """
    if refusal and (options.confirm is not None or wishes_change(question)):
        raise WritesNotAllowed(refusal)
    if options.confirm is None and wants_more_than_rows(question):
        raise WritesNotAllowed(NEVER)

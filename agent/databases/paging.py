"""Pages of rows: cursors for the next page, and the limit for all pages.

A cursor names a record of the state store: the query, how many of its rows were returned, and a digest of those. The
next page runs the query again from its first row, and compares the earlier rows with the digest. Nothing stays open
between two pages, any instance can serve the next one, and repeated or missing rows are detected.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence

from agent.core.errors import RowsChanged, StateUnavailable, UnknownCursor
from agent.platform.config.limits import none_beyond
from agent.platform.storage.store import Insert, Place, StateStore, key_of
from executors.base import Frozen, JsonValue, QueryResult, Scalar

KIND = "cursor"
LIFETIME_S = 3600.0  # lifetime of a cursor; it can be used any number of times
MAX_CHARS = 200_000  # maximum size of a query with its parameters
EXPIRED = "There is no such cursor, or it has expired. Run the query again from the first page."
CHANGED = (
    "The rows before this cursor are no longer the same: they have changed, or have no fixed order. Run the query "
    "again from its first page on, with an ORDER BY that no two rows share."
)
NO_CURSOR = "There is no cursor for the next rows: {why}"

log = logging.getLogger(__name__)


class Paged(Frozen):
    """A query that has more rows than were returned.

    question: the question for `Database.check`, if a model wrote the query; None if a person did.
    given: rows returned so far. digest: digest of those, in any order. size: rows per page.
    """

    database: str
    sql: str
    parameters: list[Scalar] | dict[str, Scalar] | None = None
    question: str | None = None
    given: int
    digest: str
    size: int

    @classmethod
    def after(
        cls,
        result: QueryResult,
        *,
        database: str,
        sql: str,
        size: int,
        parameters: list[Scalar] | dict[str, Scalar] | None = None,
        question: str | None = None,
    ) -> Paged:
        """The state after the query's first rows, which are in `result`."""
        return cls(
            database=database,
            sql=sql,
            parameters=parameters,
            question=question,
            given=result.row_count,
            digest=digest_of_result(result),
            size=size,
        )


class Cursors:
    """Cursors in the state store; each belongs to one principal."""

    def __init__(self, state: StateStore, clock: Callable[[], float] = time.time) -> None:
        self._state, self._clock = state, clock

    async def keep(self, principal: str, paged: Paged) -> tuple[str | None, str]:
        """A cursor for the next rows and an empty text, or None and the reason if it cannot be stored."""
        value = paged.model_dump(mode="json")
        if len(json.dumps(value)) > MAX_CHARS:
            return None, NO_CURSOR.format(why=f"with its parameters the query has more than {MAX_CHARS} characters.")
        token = secrets.token_urlsafe(18)
        change = Insert(key=token, value=value, expires_at=self._clock() + LIFETIME_S)
        try:
            await asyncio.to_thread(self._state.commit, _place(principal), [change])
        except StateUnavailable as error:
            log.warning("A cursor was not kept: %s", error)
            return None, NO_CURSOR.format(why=error)
        return token, ""

    async def get(self, principal: str, token: str, database: str) -> Paged:
        """The query of a principal's cursor. Raises UnknownCursor, StateUnavailable."""
        record = await asyncio.to_thread(self._state.get, _place(principal), token)
        paged = Paged.model_validate(record.value) if record is not None else None
        if paged is None or paged.database != database:
            raise UnknownCursor(EXPIRED)
        return paged


def digest_of_result(result: QueryResult, first: int | None = None) -> str:
    """A digest of the first rows that ignores their order, which may vary without ORDER BY."""
    total = sum(int.from_bytes(_hash(row)) for row in result.rows[:first])
    return hashlib.sha256(f"{json.dumps(list(result.columns))} {total}".encode()).hexdigest()


def following(paged: Paged, result: QueryResult) -> QueryResult:
    """The rows after those returned before. `result` has the query's rows from the first.

    Raises RowsChanged if the earlier rows have changed, and TooManyRows if another deployment serves the database and
    returns no more rows than before.
    """
    if result.truncated and result.row_count <= paged.given:
        raise none_beyond((result.row_count, "the limit of the deployment that has the database"))
    if result.row_count < paged.given or digest_of_result(result, paged.given) != paged.digest:
        raise RowsChanged(CHANGED)
    return result.model_copy(update={"rows": result.rows[paged.given :]})


def _hash(row: Sequence[JsonValue]) -> bytes:
    same = [float(f"{value:.9g}") if isinstance(value, float) else value for value in row]  # sums vary at the end
    text = json.dumps(same, ensure_ascii=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _place(principal: str) -> Place:
    return Place(kind=KIND, partition=key_of(principal))

"""Dashboards: each principal's saved queries as tiles, run again on a schedule as this principal, with their alerts.

Every process looks for due tiles. The process that claims a tile runs it. A claim expires if its process ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from pydantic import ConfigDict, Field

from agent.core.answers import Chart
from agent.core.errors import PlumblineError, TileInvalid, TooBusy, UnknownSavedQuery, UnknownTile
from agent.core.fields import A_NUMBER
from agent.core.resilience.deadline import lies_ahead, utc_at
from agent.people.dashboard.webhook import NotDelivered, Webhooks, new_secret
from agent.people.feedback.saved import SavedQueries, SavedQuery
from agent.platform.storage.store import (
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    StateStore,
    key_of,
    until_no_conflict,
)
from agent.present.charts.recommend import recommend
from executors.base import Frozen, JsonValue, QueryResult
from executors.errors import ExecutorError

MIN_MINUTES, MAX_MINUTES = 5, 10_080  # a week
MAX_URL = 2_000  # characters
MAX_COLUMN = 200

Direction = Literal["above", "below"]
Minutes = Annotated[int, Field(ge=MIN_MINUTES, le=MAX_MINUTES), A_NUMBER]


class Alert(Frozen):
    """A bound on a number of a tile's result. Plumbline sends a webhook when the number passes it."""

    column: Annotated[str, Field(min_length=1, max_length=MAX_COLUMN)] = Field(
        description="Column of the result. The alert compares its largest number for `above`, its smallest for `below`."
    )
    direction: Direction = Field(description="Whether the alert fires above or below the bound.")
    bound: Annotated[float, Field(allow_inf_nan=False), A_NUMBER] = Field(
        description="The number to compare with. A number equal to the bound does not fire the alert."
    )
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL)] = Field(
        description="Address of the webhook: `https` and a public host, or an address that the operator allows."
    )


class AlertState(Frozen):
    """The current state of an alert."""

    passed: bool = Field(False, description="Whether the number passed the bound at the last run that returned rows.")
    value: float | None = Field(None, description="The number that was compared. Null if there was none.")
    delivered: bool = Field(
        True, description="Whether the last webhook was delivered. If false, it is sent again at the next run."
    )
    delivered_at: datetime | None = Field(
        None, description="When a webhook was last delivered, in UTC. Null if none was."
    )
    problem: str = Field(
        "",
        description="Why the last webhook was not delivered, or why no number could be compared. Empty if all is well.",
    )


class TileRun(Frozen):
    """One run of a tile's query.

    at: When the query ran, in UTC.
    columns: Column names, in the query's order.
    rows: The first rows, each an array of JSON values.
    chart: A suggested chart of all rows. Null if no chart fits.
    """

    at: datetime
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[JsonValue, ...], ...] = ()
    row_count: int = Field(0, description="Number of rows of the result. `rows` may hold fewer.")
    truncated: bool = Field(False, description="Whether the database has more rows than `row_count`.")
    chart: Chart | None = None


class TileFailure(Frozen):
    """A run that returned no rows.

    at: When the query ran, in UTC.
    problem: Why the run failed.
    """

    at: datetime
    problem: str


class TileRuns(Frozen):
    """The last run that gave rows, and the failure after it."""

    model_config = ConfigDict(extra="ignore")

    last: TileRun | None = None
    failed: TileFailure | None = None


class Tile(Frozen):
    """A saved query, by its id, on a principal's dashboard. secret: signs its webhooks; empty without an alert.

    next_at: when it is due. claimed_until: until when a process has claimed it. Both in seconds since the epoch.
    """

    model_config = ConfigDict(extra="ignore")

    id: str
    principal: str
    minutes: int
    alert: Alert | None = None
    state: AlertState = AlertState()
    secret: str = ""
    next_at: float
    claimed_until: float = 0


TILES, RUNS = "tile", "tile_run"  # separate kinds, so that the search for due tiles reads no rows
ROWS = 200  # maximum rows of a tile's query
MAX_RUN_BYTES = 400_000  # as JSON
AT_ONCE = 3  # tiles that one process runs
LOOK_S = 180.0  # time in which a look starts tiles; others wait for the next look
CLAIM_S = 600.0

log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """A tile with its query and its runs."""

    tile: Tile
    query: SavedQuery
    runs: TileRuns


class Dashboard:
    """The dashboards of every principal. Every method raises StateUnavailable, and NotPermitted."""

    def __init__(
        self,
        state: StateStore,
        saved: SavedQueries,
        webhooks: Webhooks,
        *,
        check_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._state, self._saved, self._webhooks = state, saved, webhooks
        self._check_s, self.clock = check_s, clock

    async def put(self, principal: str, query_id: str, *, minutes: int, alert: Alert | None) -> tuple[Shown, str]:
        """Add or change a tile and run it. Returns the tile, and the secret of its webhooks if it is new.

        Raises UnknownSavedQuery; TileInvalid if its webhook's address is not allowed.
        """
        query = (await self._saved.get(principal, query_id)).query
        if alert is not None:
            self._webhooks.hosts.check(alert.url)
        tile, secret = await asyncio.to_thread(self._put, principal, query_id, minutes, alert)
        try:
            tile = await self._run(tile)
        except TooBusy:
            tile = await asyncio.to_thread(self._give_back, tile)
        return Shown(tile, query, await asyncio.to_thread(self._runs, tile)), secret

    async def all(self, principal: str) -> list[Shown]:
        """The tiles of a principal, ordered by the names of their queries."""
        queries = await self._saved.all(principal)
        tiles, runs = await asyncio.to_thread(self._all, principal)
        return [Shown(tiles[it.id], it, runs.get(it.id, TileRuns())) for it in queries if it.id in tiles]

    async def remove(self, principal: str, query_id: str) -> None:
        """Remove a tile from the dashboard. Its query stays saved. Raises UnknownTile."""
        await asyncio.to_thread(self._find_tile, principal, query_id)
        await self.forget(principal, query_id)

    async def forget(self, principal: str, query_id: str) -> None:
        """Remove a tile, if it exists."""
        for kind in (TILES, RUNS):
            await asyncio.to_thread(self._state.commit, _place(kind, principal), [Remove(key=query_id)])

    async def refresh(self) -> int:
        """Run every due tile that no other process runs. Returns the number of tiles."""
        waiting = iter(await asyncio.to_thread(self._due))
        until = self.clock() + LOOK_S
        return sum(await asyncio.gather(*(self._work(waiting, until) for _ in range(AT_ONCE))))

    async def _work(self, waiting: Iterator[Record], until: float) -> int:
        done = 0
        for record in waiting:
            if self.clock() > until:
                break
            tile = await asyncio.to_thread(self._claim, record)
            if tile is None:
                continue
            try:
                await self._run(tile)
                done += 1
            except TooBusy:
                await asyncio.to_thread(self._give_back, tile)
            except UnknownTile:
                continue  # it was removed meanwhile
        return done

    async def _run(self, tile: Tile) -> Tile:
        """Run a tile and send its alert. Returns the changed tile. Raises TooBusy, UnknownTile."""
        began = self.clock()
        try:
            query, done = await self._saved.run(tile.principal, tile.id, row_limit=ROWS)
        except TooBusy:
            raise
        except (PlumblineError, ExecutorError) as error:
            if isinstance(error, UnknownSavedQuery) and not await self._saved.is_stored(tile.principal, tile.id):
                await self.forget(tile.principal, tile.id)
                raise UnknownTile(str(error)) from error
            runs = await asyncio.to_thread(self._runs, tile)
            failure = TileFailure(at=utc_at(began), problem=str(error))
            await asyncio.to_thread(self._keep_runs, tile, runs.model_copy(update={"failed": failure}))
            return await asyncio.to_thread(self._change, tile, lambda it: self._after(it, began, None))
        run = await asyncio.to_thread(_run_of, done.result, began)
        await asyncio.to_thread(self._keep_runs, tile, TileRuns(last=run))
        tile = await asyncio.to_thread(self._change, tile, lambda it: self._after(it, began, done.result))
        if tile.alert is None or tile.state.delivered:
            return tile
        return await self._alert(tile, query, tile.alert, run)

    async def _alert(self, tile: Tile, query: SavedQuery, alert: Alert, run: TileRun) -> Tile:
        sent = tile.state
        try:
            await self._webhooks.send(alert.url, tile.secret, _payload(query, alert, sent, run.at))
        except NotDelivered as error:
            log.warning("The alert of tile %s was not delivered: %s", tile.id, error)
            changes: dict[str, object] = {"problem": str(error)}
        else:
            changes = {"problem": "", "delivered": True, "delivered_at": utc_at(self.clock())}

        def with_delivery(stored: Tile) -> Tile:
            if stored.alert != alert or stored.state.passed != sent.passed:
                return stored  # changed meanwhile, so this delivery is outdated
            return stored.model_copy(update={"state": stored.state.model_copy(update=changes)})

        return await asyncio.to_thread(self._change, tile, with_delivery)

    def _after(self, tile: Tile, began: float, result: QueryResult | None) -> Tile:
        update: dict[str, object] = {"next_at": began + tile.minutes * 60, "claimed_until": 0}
        if tile.alert is not None and result is not None:
            try:
                update["state"] = _state_after(tile.alert, tile.state, result)
            except TileInvalid as error:
                update["state"] = tile.state.model_copy(update={"problem": str(error)})
        return tile.model_copy(update=update)

    def _put(self, principal: str, query_id: str, minutes: int, alert: Alert | None) -> tuple[Tile, str]:
        def put() -> tuple[Tile, str]:
            record = self._state.get(_place(TILES, principal), query_id)
            before = Tile.model_validate(record.value) if record else None
            same = before is not None and before.alert == alert
            known = before.secret if before and before.alert and alert and before.alert.url == alert.url else ""
            secret = known or (new_secret() if alert else "")
            tile = Tile(
                id=query_id,
                principal=principal,
                minutes=minutes,
                alert=alert,
                state=before.state if same and before else AlertState(),
                secret=secret,
                next_at=self.clock(),
                claimed_until=self.clock() + CLAIM_S,
            )
            change = Replace(key=query_id, value=tile.model_dump(mode="json"), version=record.version if record else "")
            self._state.commit(_place(TILES, principal), [change])
            return tile, "" if known else secret

        return until_no_conflict(put, "tile")

    def _find_tile(self, principal: str, query_id: str) -> tuple[Tile, str]:
        """A tile and its version. Raises UnknownTile."""
        record = self._state.get(_place(TILES, principal), query_id)
        if record is None:
            message = f"The saved query {query_id} is not on your dashboard. GET /api/dashboard lists the tiles."
            raise UnknownTile(message)
        return Tile.model_validate(record.value), record.version

    def _change(self, tile: Tile, to: Callable[[Tile], Tile]) -> Tile:
        """Replace a tile with the result of `to` for its stored state. Raises UnknownTile."""

        def change() -> Tile:
            stored, version = self._find_tile(tile.principal, tile.id)
            new = to(stored)
            change = Replace(key=tile.id, value=new.model_dump(mode="json"), version=version)
            self._state.commit(_place(TILES, tile.principal), [change])
            return new

        return until_no_conflict(change, "tile")

    def _give_back(self, tile: Tile) -> Tile:
        """Release the claim on a tile, so that the next look finds it. Raises UnknownTile."""
        return self._change(tile, lambda stored: stored.model_copy(update={"claimed_until": 0}))

    def _due(self) -> list[Record]:
        """The due tiles, the longest due first. Half an interval early counts as due, so that no run is one late."""
        now = self.clock()
        tiles = ((record, Tile.model_validate(record.value)) for record in self._state.everywhere(TILES))
        due = [
            (tile.next_at, record)
            for record, tile in tiles
            if (tile.next_at <= now + self._check_s / 2 or lies_ahead(tile.next_at, now, tile.minutes * 60))
            and (tile.claimed_until <= now or lies_ahead(tile.claimed_until, now, CLAIM_S))
        ]
        return [record for _, record in sorted(due, key=lambda it: it[0])]

    def _claim(self, record: Record) -> Tile | None:
        """Claim a tile. Returns it, or None if another process claimed it first."""
        tile = Tile.model_validate(record.value).model_copy(update={"claimed_until": self.clock() + CLAIM_S})
        change = Replace(key=record.key, value=tile.model_dump(mode="json"), version=record.version)
        try:
            self._state.commit(record.place, [change])
        except StateConflict:
            return None
        return tile

    def _all(self, principal: str) -> tuple[dict[str, Tile], dict[str, TileRuns]]:
        tiles, runs = (self._state.records(_place(kind, principal)) for kind in (TILES, RUNS))
        return (
            {it.key: Tile.model_validate(it.value) for it in tiles},
            {it.key: TileRuns.model_validate(it.value) for it in runs},
        )

    def _runs(self, tile: Tile) -> TileRuns:
        record = self._state.get(_place(RUNS, tile.principal), tile.id)
        return TileRuns.model_validate(record.value) if record else TileRuns()

    def _keep_runs(self, tile: Tile, runs: TileRuns) -> None:
        change = Replace(key=tile.id, value=runs.model_dump(mode="json"))
        self._state.commit(_place(RUNS, tile.principal), [change])


def _place(kind: str, principal: str) -> Place:
    return Place(kind=kind, partition=key_of(principal))


def _run_of(result: QueryResult, began: float) -> TileRun:
    """A run for storage: as many rows as fit, and a chart if they are complete."""
    rows = result.rows
    while len(json.dumps(rows, ensure_ascii=False).encode("utf-8", "backslashreplace")) > MAX_RUN_BYTES:
        rows = rows[: len(rows) // 2]
    return TileRun(
        at=utc_at(began),
        columns=result.columns,
        rows=rows,
        row_count=result.row_count,
        truncated=result.truncated,
        chart=recommend(result) if len(rows) == result.row_count else None,
    )


PASSED, BACK = "alert.passed", "alert.back"  # types of webhooks


def _state_after(alert: Alert, before: AlertState, result: QueryResult) -> AlertState:
    """The state of an alert after a run. A change is marked for delivery. Raises TileInvalid if there is no number."""
    value = _extreme(alert, result)
    passed = value is not None and (value > alert.bound if alert.direction == "above" else value < alert.bound)
    changes: dict[str, object] = {"value": value, "passed": passed, "problem": ""}
    if passed != before.passed:
        # Back before a webhook was delivered: nothing to report.
        changes["delivered"] = not passed and not before.delivered
    return before.model_copy(update=changes)


def _extreme(alert: Alert, result: QueryResult) -> float | None:
    """The most extreme number on the alert's side; None if there is no row or value. Raises TileInvalid."""
    if alert.column not in result.columns:
        raise TileInvalid(f"The result has no column {alert.column!r}; it has {', '.join(result.columns)}.")
    at = result.columns.index(alert.column)
    stored = [row[at] for row in result.rows if row[at] is not None]
    numbers = _numbers(stored)
    if stored and not numbers:
        raise TileInvalid(f"The column {alert.column!r} has no numbers. Choose one that does.")
    return (max if alert.direction == "above" else min)(numbers, default=None)


def _numbers(values: Sequence[JsonValue]) -> list[float]:
    """The finite numbers among the values. Long numbers are texts, which keeps their digits."""
    found = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            continue
        try:
            number = float(value)
        except ValueError:
            continue
        if math.isfinite(number):
            found.append(number)
    return found


def _payload(query: SavedQuery, alert: Alert, state: AlertState, at: datetime) -> dict[str, JsonValue]:
    """The body of a webhook: the number and its bound, but no rows."""
    side = alert.direction if state.passed else f"no longer {alert.direction}"
    number = "no value" if state.value is None else f"{state.value:.15g}"
    return {
        "type": PASSED if state.passed else BACK,
        "timestamp": at.isoformat(),
        "text": f"{query.name}: {alert.column} is {number}, {side} {alert.bound:.15g}.",
        "data": {
            "id": query.id,
            "name": query.name,
            "database": query.database,
            "column": alert.column,
            "direction": alert.direction,
            "bound": alert.bound,
            "value": state.value,
        },
    }

"""`dashboard`: saved queries run on a schedule and send alerts."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem
from people_shop import ANN, BEN, REGISTRY, Client
from shop_questions import TOTAL, Make
from tenacity import wait_none
from webhook_receiver import Receiver, receiving

from agent.api.app import create_app
from agent.core.errors import TooBusy
from agent.people.dashboard.webhook import sign
from agent.pipeline.service import Service

START = 1_800_000_000.0
CHECK_S = 300.0
PATIENCE = 60  # seconds until a test that waits in vain fails


class Board:
    """A service behind a front end that names the caller, with a controlled clock and a receiver of its alerts."""

    def __init__(self, service: Service, client: Client, receiver: Receiver) -> None:
        self.service, self.client, self.receiver = service, client, receiver
        self.now = START
        service.dashboard.clock = lambda: self.now
        service.dashboard._webhooks._wait = wait_none()

    async def saved(self, sql: str = TOTAL, who: dict[str, str] = ANN, name: str = "Total") -> str:
        response = await self.client.post("/saved", json={"name": name, "database": "shop", "sql": sql}, headers=who)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    async def put(self, query_id: str, who: dict[str, str] = ANN, **body: Any) -> httpx2.Response:
        return await self.client.put(f"/dashboard/{query_id}", json=body, headers=who)

    async def tiles(self, who: dict[str, str] = ANN) -> list[dict[str, Any]]:
        tiles: list[dict[str, Any]] = (await self.client.get("/dashboard", headers=who)).json()["tiles"]
        return tiles

    async def tile(self) -> dict[str, Any]:
        (tile,) = await self.tiles()
        return tile

    async def run(self) -> dict[str, Any]:
        """The tile, run again unchanged."""
        tile = await self.tile()
        response = await self.put(tile["id"], minutes=tile["minutes"], alert=tile["alert"])
        body: dict[str, Any] = response.json()
        return body

    async def later(self, minutes: float) -> int:
        """Advance the clock, then run what is due."""
        self.now += minutes * 60
        return await self.service.dashboard.refresh()

    def alert(self, bound: float, **changes: Any) -> dict[str, Any]:
        return {"column": "total", "direction": "above", "bound": bound, "url": f"{self.receiver.url}/hook"} | changes


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def board(make_service: Make, registry: Path, receiver: Receiver) -> AsyncIterator[Board]:
    registry.write_text(REGISTRY, encoding="utf-8")
    service = make_service(
        trust_principal_header=True, enable_retrieval=False, webhook_hosts="127.0.0.1", dashboard_check_s=CHECK_S
    )
    async with api_client(create_app(lambda: service)) as client:
        yield Board(service, client, receiver)


def sell(registry: Path, amount: float) -> None:
    """One more order."""
    with closing(sqlite3.connect(registry.parent / "shop.sqlite")) as connection, connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(orders)")]
        row = list(connection.execute("SELECT * FROM orders LIMIT 1").fetchone())
        row[columns.index("order_id")] = connection.execute("SELECT MAX(order_id) + 1 FROM orders").fetchone()[0]
        row[columns.index("amount")] = amount
        connection.execute(f"INSERT INTO orders VALUES ({', '.join('?' * len(row))})", row)


async def test_a_tile_runs_when_it_is_due_and_not_before(board: Board, registry: Path) -> None:
    query_id = await board.saved()
    put = (await board.put(query_id, minutes=60)).json()
    assert (put["id"], put["minutes"], put["secret"]) == (query_id, 60, "")
    first = put["last_run"]
    assert (first["columns"], first["rows"], first["row_count"]) == (["total"], [[460.5]], 1)
    assert (await board.tile())["last_run"] == first

    sell(registry, 39.5)
    assert await board.later(55) == 0
    assert (await board.tile())["last_run"] == first
    assert await board.later(5) == 1
    tile = await board.tile()
    assert tile["last_run"]["rows"] == [[500]]
    assert tile["next_run_at"] == "2027-01-15T10:00:00Z"


async def test_no_run_is_a_look_late(board: Board) -> None:
    await board.put(await board.saved(), minutes=60)
    assert await board.later(59) == 1, "the next look would be four minutes late"


async def test_a_tile_has_the_chart_of_its_rows(board: Board) -> None:
    await board.put(await board.saved("SELECT 'A' AS kind, 1 AS n UNION ALL SELECT 'B', 3 UNION ALL SELECT 'C', 2"))
    chart = (await board.tile())["last_run"]["chart"]
    assert (chart["type"], chart["x"], chart["y"]) == ("bar", "kind", "n")


async def test_a_tile_is_run_anew_by_hand(board: Board, registry: Path) -> None:
    await board.put(await board.saved(), minutes=60)
    sell(registry, 39.5)
    assert (await board.run())["last_run"]["rows"] == [[500]]


async def test_each_principal_has_their_own_dashboard(board: Board) -> None:
    query_id = await board.saved()
    problem(await board.put(query_id, BEN, minutes=60), 404, "unknown-saved-query")
    await board.put(query_id, minutes=60)
    assert await board.tiles(BEN) == []
    problem(await board.client.delete(f"/dashboard/{query_id}", headers=BEN), 404, "unknown-tile")
    assert len(await board.tiles()) == 1


async def test_a_tile_is_taken_off_and_its_query_stays(board: Board) -> None:
    query_id = await board.saved()
    await board.put(query_id, minutes=60)
    assert (await board.client.delete(f"/dashboard/{query_id}", headers=ANN)).status_code == 204
    assert await board.tiles() == []
    assert (await board.client.get(f"/saved/{query_id}", headers=ANN)).status_code == 200
    problem(await board.client.delete(f"/dashboard/{query_id}", headers=ANN), 404, "unknown-tile")
    assert await board.later(60) == 0


async def test_a_query_that_is_deleted_takes_its_tile_along(board: Board) -> None:
    query_id = await board.saved()
    await board.put(query_id, minutes=60)
    await board.client.delete(f"/saved/{query_id}", headers=ANN)
    assert await board.later(60) == 0
    assert await board.tiles() == []


async def test_a_tile_whose_query_is_gone_is_forgotten(board: Board) -> None:
    """As where the process ended between the two."""
    query_id = await board.saved()
    await board.put(query_id, minutes=60)
    await board.service.people.saved.delete("ann@example.org", query_id)
    assert await board.later(60) == 0
    assert board.service.state.everywhere("tile") == []


async def test_a_run_that_fails_is_told_beside_the_last_rows(board: Board, registry: Path) -> None:
    await board.put(await board.saved(), minutes=60)
    shop = registry.parent / "shop.sqlite"
    with closing(sqlite3.connect(shop)) as connection, connection:
        connection.execute("ALTER TABLE orders RENAME TO sales")
    board.service.router.refresh("shop")
    await board.later(60)
    tile = await board.tile()
    assert tile["last_run"]["rows"] == [[460.5]]
    assert "orders" in tile["failed"]["problem"]
    with closing(sqlite3.connect(shop)) as connection, connection:
        connection.execute("ALTER TABLE sales RENAME TO orders")
    board.service.router.refresh("shop")
    await board.later(60)
    assert (await board.tile())["failed"] is None


async def test_who_may_ask_no_longer_sees_and_runs_nothing(board: Board, registry: Path) -> None:
    await board.put(await board.saved(), minutes=60)
    registry.write_text("shop: {url: shop.sqlite, allowed: [ben@example.org]}\n", encoding="utf-8")
    await board.service.databases.follow(now=True)
    assert await board.tiles() == []
    await board.later(60)
    registry.write_text(REGISTRY, encoding="utf-8")
    await board.service.databases.follow(now=True)
    tile = await board.tile()
    assert tile["last_run"]["at"] < tile["failed"]["at"], "nothing was run meanwhile, and the tile is still there"


async def test_a_tile_that_finds_no_place_is_run_at_the_next_look(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:

        async def busy(*_: object, **__: object) -> None:
            raise TooBusy("The service is answering all it can.", 5)

        patched.setattr(board.service.people.saved, "run", busy)
        put = (await board.put(await board.saved(), minutes=60)).json()
        assert (put["last_run"], put["failed"]) == (None, None)
        assert await board.later(5) == 0
    assert await board.later(5) == 1


async def test_two_processes_run_a_tile_once(board: Board, make_service: Make) -> None:
    for number in range(5):
        await board.put(await board.saved(name=f"Total {number}"), minutes=60)
    other = make_service(enable_retrieval=False, trust_principal_header=True)
    other.dashboard.clock = lambda: board.now
    board.now += 3600
    done = await asyncio.gather(board.later(0), other.dashboard.refresh())
    assert sum(done) == 5
    await other.close()


async def test_a_claim_lapses_where_its_process_is_gone(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    await board.put(await board.saved(), minutes=60)
    with monkeypatch.context() as patched:

        async def killed(*_: object, **__: object) -> None:
            raise asyncio.CancelledError

        patched.setattr(board.service.people.saved, "run", killed)
        with pytest.raises(asyncio.CancelledError):
            await board.later(60)
    assert await board.later(5) == 0, "it may be at it still"
    assert await board.later(10) == 1


async def test_an_alert_tells_once_that_a_bound_is_passed_and_once_that_it_is_not(
    board: Board, registry: Path, receiver: Receiver
) -> None:
    put = (await board.put(await board.saved(), minutes=60, alert=board.alert(480))).json()
    assert receiver.got == []
    assert (await board.tile())["alert_state"]["value"] == 460.5

    sell(registry, 39.5)
    await board.later(60)
    await board.later(60)
    (got,) = receiver.got
    body = json.loads(got.body)
    assert (body["type"], body["text"]) == ("alert.passed", "Total: total is 500, above 480.")
    assert body["data"] == {
        "id": put["id"], "name": "Total", "database": "shop", "column": "total", "direction": "above", "bound": 480,
        "value": 500,
    }  # fmt: skip
    headers = got.headers
    expected = sign(put["secret"], headers["webhook-id"], int(headers["webhook-timestamp"]), got.body)
    assert headers["webhook-signature"] == expected
    state = (await board.tile())["alert_state"]
    assert (state["passed"], state["delivered"], state["problem"]) == (True, True, "")
    assert state["delivered_at"].startswith("2027-01-15")

    sell(registry, -100)
    await board.later(60)
    await board.later(60)
    assert json.loads(receiver.got[-1].body)["text"] == "Total: total is 400, no longer above 480."
    assert len(receiver.got) == 2


async def test_an_alert_that_is_not_taken_is_sent_again_at_the_next_run(board: Board, receiver: Receiver) -> None:
    receiver.answers = [500] * 4
    await board.put(await board.saved(), minutes=60, alert=board.alert(100))
    state = (await board.tile())["alert_state"]
    assert (state["delivered"], state["problem"]) == (False, "The receiver answered 500.")
    await board.later(60)
    assert len(receiver.got) == 5
    assert (await board.tile())["alert_state"]["delivered"] is True
    await board.later(60)
    assert len(receiver.got) == 5


async def test_any_row_may_pass_the_bound(board: Board, receiver: Receiver) -> None:
    query_id = await board.saved("SELECT order_id, amount FROM orders")
    await board.put(query_id, minutes=60, alert=board.alert(0, column="order_id", direction="below"))
    assert receiver.got == []
    await board.put(query_id, minutes=60, alert=board.alert(2, column="order_id", direction="below"))
    assert json.loads(receiver.got[0].body)["data"]["value"] == 1


@pytest.mark.parametrize(
    "sql, column, said",
    [
        (TOTAL, "sum", "no column 'sum'"),
        ("SELECT status AS total FROM orders", "total", "has no numbers"),
        ("SELECT amount AS total FROM orders WHERE order_id < 0", "total", ""),
        ("SELECT NULL AS total", "total", ""),
    ],
)
async def test_what_is_no_number_passes_nothing_and_says_so(
    board: Board, receiver: Receiver, sql: str, column: str, said: str
) -> None:
    await board.put(await board.saved(sql), minutes=60, alert=board.alert(0, column=column))
    state = (await board.tile())["alert_state"]
    assert receiver.got == []
    assert state["passed"] is False
    assert said in state["problem"]
    assert bool(said) == bool(state["problem"])


async def test_a_secret_is_shown_once_for_each_address(board: Board) -> None:
    query_id = await board.saved()
    first = (await board.put(query_id, minutes=60, alert=board.alert(1))).json()["secret"]
    assert first.startswith("whsec_")
    assert (await board.put(query_id, minutes=30, alert=board.alert(2))).json()["secret"] == ""
    assert "secret" not in await board.tile()
    other = board.alert(2, url=f"{board.receiver.url}/other")
    assert (await board.put(query_id, minutes=30, alert=other)).json()["secret"] not in ("", first)
    assert (await board.put(query_id, minutes=30)).json()["alert"] is None


@pytest.mark.parametrize(
    "body, slug",
    [
        ({"minutes": 4}, "invalid-field"),
        ({"minutes": 10_081}, "invalid-field"),
        ({"minutes": "60"}, "invalid-field"),
        ({"alert": {"column": "total", "direction": "above", "bound": "1", "url": "https://x"}}, "invalid-field"),
        ({"alert": {"column": "total", "direction": "over", "bound": 1, "url": "https://x"}}, "invalid-field"),
        (
            {"alert": {"column": "total", "direction": "above", "bound": 1, "url": "https://example.com/"}},
            "tile-invalid",
        ),
        ({"other": 1}, "invalid-field"),
    ],
)
async def test_a_tile_that_cannot_be(board: Board, body: dict[str, Any], slug: str) -> None:
    problem(await board.put(await board.saved(), **body), 422, slug)
    assert await board.tiles() == []


async def test_without_timers_of_the_host_the_app_looks_by_itself(
    make_service: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And goes on where a look fails."""
    rounds, enough = 0, asyncio.Event()

    class Looking:
        async def refresh(self) -> int:
            nonlocal rounds
            rounds += 1
            if rounds == 1:
                raise TooBusy("The disk is full.", 5)
            enough.set()
            return 0

    def make() -> Service:
        service = make_service(enable_retrieval=False)
        monkeypatch.setattr(service, "dashboard", Looking())
        return service

    app = create_app(make, dashboard_check_s=0.001)
    async with app.router.lifespan_context(app):
        await asyncio.wait_for(enough.wait(), PATIENCE)
    assert "The disk is full." in caplog.text


async def test_with_timers_of_the_host_it_does_not(make_service: Make) -> None:
    app = create_app(lambda: make_service(enable_retrieval=False), dashboard_check_s=0.001, has_timers=True)
    before = asyncio.all_tasks()
    async with app.router.lifespan_context(app):
        assert asyncio.all_tasks() == before

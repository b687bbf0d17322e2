"""The dashboard on the page: tiles from saved queries, their charts, alerts and undo."""

from __future__ import annotations

import json

import httpx2
import pytest
from page_steps import BY_STATUS
from playwright.async_api import Browser, Locator, Page, expect
from shop_questions import TOTAL
from webhook_receiver import receiving

from agent.platform.config.settings import Settings
from bench.page_screens import put_tiles
from testbed.browser import DESKTOP, PHONE, Watched, watched

PATIENCE_S = 60
BY_ORDER = "SELECT order_id, amount FROM orders ORDER BY order_id"
EVERY_STATUS = f"{BY_STATUS.partition(' ORDER')[0]} UNION ALL SELECT 'R', 2 UNION ALL SELECT 'P', 4"


@pytest.fixture
def page_settings(settings: Settings) -> Settings:
    return settings.model_copy(
        update={"enable_retrieval": False, "profile": "small_hosted", "webhook_hosts": "127.0.0.1"}
    )


@pytest.fixture
async def saved(service_url: str) -> list[str]:
    """Three saved queries: a number, a chart, rows. Returns their ids."""
    queries = {"Total": TOTAL, "By status": EVERY_STATUS, "Orders": BY_ORDER}
    async with httpx2.AsyncClient(base_url=f"{service_url}/api", timeout=PATIENCE_S) as client:
        return [
            (await client.post("/saved", json={"name": name, "database": "shop", "sql": sql})).json()["id"]
            for name, sql in queries.items()
        ]


@pytest.fixture
async def tiles(service_url: str, saved: list[str]) -> None:
    """All three on the dashboard."""
    async with httpx2.AsyncClient(base_url=f"{service_url}/api", timeout=PATIENCE_S) as client:
        for query_id in saved:
            assert (await client.put(f"/dashboard/{query_id}", json={})).status_code == 200


async def test_the_pictures_put_their_tiles_again_in_the_same_state_folder(
    service_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.page_screens.TILES", {"Total": TOTAL, "Orders": BY_ORDER})
    for _ in range(2):
        await put_tiles(service_url)
    async with httpx2.AsyncClient(base_url=f"{service_url}/api", timeout=PATIENCE_S) as client:
        listed = (await client.get("/dashboard")).json()["tiles"]
    assert sorted(it["name"] for it in listed) == ["Orders", "Total"]


def tile(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=name, exact=True)


@pytest.mark.usefixtures("saved")
async def test_a_saved_query_is_put_on_the_dashboard(page: Page, service_url: str) -> None:
    await page.get_by_role("link", name="Dashboard").click()
    await expect(page.get_by_text("No tiles yet.")).to_be_visible()
    await page.get_by_role("link", name="Saved queries").first.click()
    query = page.get_by_role("article", name="Total", exact=True)
    await query.get_by_role("button", name="Add to dashboard").click()
    await query.get_by_role("link", name="On the dashboard").click()
    await expect(tile(page, "Total")).to_contain_text("460.5")
    await expect(tile(page, "Total")).to_contain_text("every hour")


@pytest.mark.usefixtures("tiles")
async def test_a_tile_shows_a_number_a_chart_or_rows(page: Page, service_url: str) -> None:
    await page.goto(f"{service_url}/#/dashboard")
    await expect(tile(page, "Total").locator(".tile-number")).to_have_text("460.5 total")
    await expect(tile(page, "By status").locator("svg.marks")).to_be_visible()
    await expect(tile(page, "Orders").get_by_role("table").get_by_role("row")).to_have_count(6)


async def test_a_tile_marks_a_missing_value(page: Page, service_url: str) -> None:
    query = {"name": "Gaps", "database": "shop", "sql": "SELECT 1 AS n, NULL AS note UNION ALL SELECT 2, NULL"}
    async with httpx2.AsyncClient(base_url=f"{service_url}/api", timeout=PATIENCE_S) as client:
        saved = (await client.post("/saved", json=query)).json()
        assert (await client.put(f"/dashboard/{saved['id']}", json={})).status_code == 200
    await page.goto(f"{service_url}/#/dashboard")
    await expect(tile(page, "Gaps").get_by_role("cell")).to_have_text(["1", "–", "2", "–"])


@pytest.mark.usefixtures("tiles")
async def test_an_alert_is_set_and_its_secret_is_shown_once(page: Page, service_url: str) -> None:
    await page.goto(f"{service_url}/#/dashboard")
    total = tile(page, "Total")
    async with receiving() as receiver:
        await total.get_by_role("button", name="Edit “Total”").click()
        form = total.get_by_role("form")
        await form.get_by_label("Run every").select_option("day")
        await form.get_by_label("Send an alert").check()
        await form.get_by_label("Bound").fill("100")
        await form.get_by_label("Webhook").fill(f"{receiver.url}/hook")
        await form.get_by_role("button", name="Save").click()
        await expect(total.get_by_text("Alert: total above 100")).to_be_visible()
        await expect(total.get_by_text("whsec_")).to_be_visible()
        await expect(total).to_contain_text("every day")
        assert [json.loads(got.body)["data"]["value"] for got in receiver.got] == [460.5]
    await page.reload()
    await expect(total.get_by_text("Alert: total above 100")).to_be_visible()
    await expect(total.get_by_text("whsec_")).to_have_count(0)


@pytest.mark.usefixtures("tiles")
async def test_a_webhook_that_may_not_go_there_says_so(page: Page, service_url: str, seen: Watched) -> None:
    seen.expected = ("422",)  # the browser logs it
    await page.goto(f"{service_url}/#/dashboard")
    total = tile(page, "Total")
    await total.get_by_role("button", name="Edit “Total”").click()
    await total.get_by_label("Send an alert").check()
    await total.get_by_label("Bound").fill("100")
    await total.get_by_label("Webhook").fill("https://example.com/hook")
    await total.get_by_role("button", name="Save").click()
    await expect(total.get_by_role("alert")).to_contain_text("Webhooks to this host are not allowed")


@pytest.mark.usefixtures("tiles")
async def test_a_tile_that_is_removed_comes_back_with_undo(page: Page, service_url: str) -> None:
    await page.goto(f"{service_url}/#/dashboard")
    await tile(page, "Total").get_by_role("button", name="Remove “Total”").click()
    await expect(tile(page, "Total")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(tile(page, "Total")).to_be_visible()
    await tile(page, "Total").get_by_role("button", name="Remove “Total”").click()
    async with page.expect_response(lambda it: it.request.method == "DELETE") as gone:
        await page.get_by_role("link", name="Saved queries").first.click()  # nobody can undo it there
    assert (await gone.value).status == 204


@pytest.mark.usefixtures("tiles")
@pytest.mark.parametrize("size, dark", [(DESKTOP, True), (PHONE, False)], ids=["a desk in the dark", "a phone"])
async def test_axe_finds_nothing(browser: Browser, service_url: str, size: tuple[int, int], dark: bool) -> None:
    async with watched(browser, service_url, size=size, dark=dark, path="/#/dashboard") as seen:
        page = seen.page
        await expect(tile(page, "By status").locator("svg.marks")).to_be_visible()
        await tile(page, "Total").get_by_role("button", name="Edit “Total”").click()
        await page.get_by_label("Send an alert").check()
        assert await seen.findings() == []
        wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "nothing is cut off at the side"

"""Asks the sample questions on the page, and takes pictures of the main states."""

from __future__ import annotations

import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import httpx2
from playwright.async_api import Browser, Page, expect

from testbed.browser import DESKTOP, PHONE, watched

ANSWER_MS = 1_500_000  # for one question; the embedded model shares two cores with the browser
CHART = "What was the revenue in each month of 2024?"
TILES = {
    "Revenue": "SELECT SUM(amount) AS revenue FROM orders WHERE status <> 'X'",
    "Orders by month": "SELECT date_trunc('month', ordered_at) AS month, COUNT(*) AS orders FROM orders "
    "WHERE ordered_at >= DATE '2024-01-01' GROUP BY 1 ORDER BY 1",
    "Latest customers": "SELECT customer_id, country, signed_up_on FROM customers ORDER BY customer_id DESC LIMIT 5",
}
TILE_S = 60
SETTLED_MS = 1_500  # in which a chart has been drawn


LOOKS = [(DESKTOP, True, "dark"), (PHONE, False, "phone"), (PHONE, True, "phone-dark")]
_NAMES = [name for *_, name in LOOKS]
# Every picture that this module takes; a test compares them, and the states of `bench.page_states`, with docs/images.
SCREENS = {"welcome", "asking", "answer", "sql", "number", *_NAMES, "dashboard", *(f"dashboard-{it}" for it in _NAMES)}


async def ask_everything(browser: Browser, url: str, folder: Path) -> None:
    """Ask the question with a chart, look at its answer in every look, then ask the others, each in one of the looks.

    Args:
        browser: Chromium.
        url: of the service.
        folder: where the pictures go, as PNG; it is there.
    """
    async with watched(browser, url) as seen:
        await seen.page.wait_for_selector(".samples button")
        await shot(seen.page, folder, "welcome")
        questions = await seen.page.locator(".samples button").all_text_contents()
        await ask(seen.page, CHART, folder)
        session = seen.page.url.removeprefix(url)
        await look_around(seen.page, folder)
    for size, dark, name in LOOKS:
        async with watched(browser, url, size=size, dark=dark, path=session) as seen:
            await seen.page.wait_for_selector(".chart-place svg")
            await shot(seen.page, folder, name)
    rest = [question for question in questions if question != CHART]
    for at, (size, dark, _) in enumerate([(DESKTOP, False, "light"), *LOOKS]):
        async with watched(browser, url, size=size, dark=dark) as seen:
            for question in rest[at :: len(LOOKS) + 1]:
                await ask(seen.page, question)
                await seen.page.goto(f"{url}/#/")
                await seen.page.reload()


async def dashboard(browser: Browser, url: str, folder: Path) -> None:
    """A number, a chart and rows as tiles, one of them with an alert."""
    await put_tiles(url)
    for size, dark, name in [(DESKTOP, False, ""), *LOOKS]:
        async with watched(browser, url, size=size, dark=dark, path="/#/dashboard") as seen:
            await seen.page.wait_for_selector(".chart-place svg")
            await shot(seen.page, folder, "-".join(filter(None, ("dashboard", name))))


async def put_tiles(url: str) -> None:
    """Save the queries of the tiles, unless an earlier run did, and put them on the dashboard."""
    url_of_alert = "https://hooks.example.invalid/plumbline"
    alert = {"column": "revenue", "direction": "above", "bound": 2_000_000, "url": url_of_alert}
    async with httpx2.AsyncClient(base_url=f"{url}/api", timeout=TILE_S) as client:
        known = {it["name"]: it["id"] for it in (await _json(client.get("/saved")))["saved"]}
        for name, sql in TILES.items():
            if name not in known:
                query = {"name": name, "database": "shop", "sql": sql}
                known[name] = (await _json(client.post("/saved", json=query)))["id"]
            body = {"alert": alert} if name == "Revenue" else {}
            await _json(client.put(f"/dashboard/{known[name]}", json=body))


async def _json(sent: Awaitable[httpx2.Response]) -> Any:
    """The service's response. Raises httpx2.HTTPStatusError."""
    return (await sent).raise_for_status().json()


async def ask(page: Page, question: str, pictures: Path | None = None) -> None:
    """Ask one question and print its answer. pictures: the folder for a picture of the steps, if one is taken."""
    began = time.perf_counter()
    await page.get_by_label("Your question").fill(question)
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await page.keyboard.press("Enter")
    turn = page.get_by_role("region", name=question, exact=True).last
    if pictures is not None:
        await expect(turn.locator(".step .sql").first).to_be_visible(timeout=ANSWER_MS)
        await shot(page, pictures, "asking")
    done = turn.locator("article.answer .spent, article.clarification, .problem")
    await expect(done.first).to_be_visible(timeout=ANSWER_MS)
    await page.wait_for_timeout(SETTLED_MS)
    text = await turn.locator("article .answer-text, .problem").first.text_content()
    standing = await turn.locator("article .tag").first.text_content() if await turn.locator("article").count() else "-"
    print(f"{time.perf_counter() - began:6.1f} s  {(standing or '').strip():<14}{question}\n{'':10}{text}", flush=True)


async def look_around(page: Page, folder: Path) -> None:
    """The answer on the page, each part of it."""
    answer = page.get_by_role("article", name="Answer").last
    await answer.scroll_into_view_if_needed()
    await shot(page, folder, "answer")
    await answer.get_by_role("tab", name="SQL").click()
    await page.wait_for_timeout(SETTLED_MS)
    await shot(page, folder, "sql")
    await answer.locator(".figure").first.click()
    await page.wait_for_timeout(SETTLED_MS)
    await shot(page, folder, "number")


async def shot(page: Page, folder: Path, name: str) -> None:
    """Take a picture of the viewport. Raises ValueError if `SCREENS` does not list the name."""
    if name not in SCREENS:
        raise ValueError(f"Add {name!r} to SCREENS.")
    await page.screenshot(path=folder / f"page-{name}.png")

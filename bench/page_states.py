"""Further states of the page, each made with the sample shop and scripted replies.

`walk` goes through them and calls `look` at each: a picture here, axe in the tests.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
from playwright.async_api import Browser, FilePayload, Locator, Page, expect
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.access.keys import digest_of
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore
from bench.page_screens import dashboard
from bench.serving import serving
from testbed.browser import DESKTOP, PHONE, Watched, watched
from testbed.scripted_model import ScriptedModel
from testbed.service_process import ROOT

Look = Callable[[str, Watched], Awaitable[None]]

STATES = {
    "clarification", "suggestions", "several-queries", "checks", "records", "share", "shared", "saved", "undo",
    "contract", "key", "embedded",
}  # fmt: skip
BESIDE = {"undo-history", "add-data", "data-added", "delete-data"}  # only where the side panel has room
DRAWERS = {"menu-phone", "tables-phone"}

KEY = "plk_the-key-of-a-page"
EMBED = (ROOT / "docs" / "embed.md").read_text(encoding="utf-8")
SHOWN = "http://127.0.0.1:7071"  # the service in the example of docs/embed.md
QUESTION = "How many orders are there for each status?"
BY_STATUS = "SELECT status, COUNT(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC"
SENTENCE = "Most orders, 13,301 of them, have the status C; 58 have the status O."
# Each state has its own question: the query of an answered one is reused.
CHAT = "How many customers are there in each country?"
BY_COUNTRY = "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC"
OTHER = "How many orders came through each channel?"
BY_CHANNEL = BY_STATUS.replace("status", "channel")
WHY = "Why did the revenue fall from December 2024 to January 2025?"
REVENUE = (
    "SELECT SUM(amount) AS revenue FROM orders WHERE status <> 'X' "
    "AND ordered_at >= DATE '{}' AND ordered_at < DATE '{}'"
)
MONTHS = (
    (
        "What was the revenue in January 2025?",
        REVENUE.format("2025-01-01", "2025-02-01"),
        "The revenue in January 2025 was 61,885.60.",
    ),
    (
        "What was the revenue in December 2024?",
        REVENUE.format("2024-12-01", "2025-01-01"),
        "The revenue in December 2024 was 90,048.60.",
    ),
)
BRANCHES = "branch_id,town,opened,staff\n" + "".join(
    f"{n},{('Cologne', 'Bonn', 'Ulm')[n % 3]},20{10 + n % 9}-03-{n % 27 + 1:02},{n % 9 + 2}\n" for n in range(1, 61)
)


@dataclass(frozen=True)
class Stage:
    """Where the states are: the service, the same with keys, and a page of another origin that has the chat."""

    url: str
    guarded: str
    host: str
    model: ScriptedModel


async def picture_states(browser: Browser, folder: Path) -> None:
    """Keep a picture of each state, at a desk in the light; and of the drawer, on a phone. folder: is there."""

    async def shot(name: str, seen: Watched) -> None:
        await seen.page.screenshot(path=folder / f"page-{name}.png")

    async with stage() as at:
        await walk(browser, at, shot)
        await on_a_phone(browser, at, shot)
        await dashboard(browser, at.url, folder)


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Serve the sample shop while the block runs, then delete its state."""
    with tempfile.TemporaryDirectory(prefix="plumbline-states-") as folder:
        model = ScriptedModel()
        settings = Settings(
            registry=ROOT / "databases.yaml", state_dir=Path(folder) / "state", cache_dir=Path(folder) / "cache",
            profile="small_hosted", second_draft=False, speculative_answer=False, enable_retrieval=False,
        )  # fmt: skip
        html = ""
        page = Starlette(routes=[Route("/", lambda _: HTMLResponse(html))])
        async with serving(page) as host, serving(create_app(lambda: build_service(settings, model=model))) as url:
            changes = {"auth": "api_keys", "api_keys": f"page={digest_of(KEY)}", "cors_origins": host}
            keyed = Settings.model_validate(settings.model_dump(exclude_unset=True) | changes)
            access = build_access(keyed, store=MemoryStore, environment={})
            async with serving(create_app(lambda: build_service(keyed, model=model), access=access)) as guarded:
                (example,) = re.findall(r"^```html\n(.*?)^```$", EMBED, re.MULTILINE | re.DOTALL)
                html = example.replace(SHOWN, guarded).replace("KEY", KEY)
                yield Stage(url, guarded, host, model)
    model.assert_done()


async def walk(browser: Browser, at: Stage, look: Look, *, size: tuple[int, int] = DESKTOP, dark: bool = False) -> None:
    """Show each state that is the same on every screen."""
    for states in (questions, answer, saved, contract):
        async with watched(browser, at.url, size=size, dark=dark) as seen:
            await states(seen, at, look)
    async with watched(browser, at.guarded, size=size, dark=dark) as seen:
        seen.expected = ("401",)
        await expect(seen.page.get_by_role("dialog", name="Sign in").get_by_label("API key")).to_be_focused()
        await look("key", seen)
    async with watched(browser, at.host, size=size, dark=dark) as seen:
        seen.expected = ("404",)  # the example has no icon
        answers(at.model, BY_COUNTRY, "Most customers are in DE.", "One row for each country.")
        await ask(seen.page.locator("plumbline-chat"), CHAT)
        await look("embedded", seen)
        seen.asked.clear()  # the service's origin is another one
    if size[0] >= DESKTOP[0]:
        async with watched(browser, at.url, size=size, dark=dark) as seen:
            await beside(seen, at, look)


def answers(
    model: ScriptedModel, sql: str = BY_STATUS, text: str = SENTENCE, reason: str = "One row for each status."
) -> None:
    """Have the model answer one question."""
    model.replies(sql=sql)
    model.replies(correct=True, reason=reason)
    model.replies(text=text)


async def ask(page: Page | Locator, question: str = QUESTION) -> Locator:
    """Type a question and press Enter; wait. Returns what came of it."""
    field = page.get_by_label("Your question")
    await field.fill(question)
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await field.press("Enter")
    turn = page.get_by_role("region", name=question, exact=True).last
    await expect(turn.get_by_role("article")).to_be_visible()
    return turn.get_by_role("article")


async def questions(seen: Watched, at: Stage, look: Look) -> None:
    """A question back, a question without an answer, and one of several queries."""
    choices = ["gross", "net of tax"]
    reply = {"sql": None, "explanation": "", "clarification": "Which revenue do you mean?", "choices": choices}
    at.model.replies(text=json.dumps(reply))
    back = await ask(seen.page, "What was our revenue?")
    await expect(back.get_by_role("list", name="Options").get_by_role("button")).to_have_text(choices)
    await expect(seen.page.get_by_label("Your question")).to_be_focused()
    await look("clarification", seen)

    await seen.page.goto(at.url)
    for _ in range(5):  # of three attempts, and of two that the model repeated
        at.model.replies(sql="SELECT SUM( FROM orders")
    none = await ask(seen.page, "What is the total amount of all orders?")
    await expect(none.get_by_role("list", name="Suggestions").get_by_role("button").first).to_be_visible()
    await expect(seen.page.get_by_label("Your question")).to_be_focused()
    await look("suggestions", seen)

    await seen.page.goto(f"{at.url}/#/")
    await seen.page.reload()
    at.model.replies(text=json.dumps({"questions": [MONTHS[0][0], MONTHS[1][0]], "calculations": ["{1} - {2}"]}))
    for _, sql, text in MONTHS:
        answers(at.model, sql, text, "The sum of the month.")
    several = await ask(seen.page, WHY)
    await several.get_by_role("list", name="Queries").locator("summary").first.click()
    await expect(several.get_by_role("tab", name="Rows")).to_be_visible()
    await look("several-queries", seen)


async def answer(seen: Watched, at: Stage, look: Look) -> None:
    """The checks, the records and the share of an answer; then the answer as others see it."""
    answers(at.model)
    found = await ask(seen.page)
    await found.get_by_role("button", name="checks passed").click()
    await expect(found.get_by_role("list", name="Checks")).to_be_visible()
    await expect(found.locator(".chart-place svg")).to_be_visible()
    await look("checks", seen)
    await found.get_by_role("button", name="checks passed").click()
    await found.get_by_role("tab", name="Source records").click()
    await expect(found.get_by_role("table", name="Source records")).to_be_visible()
    await look("records", seen)
    await found.get_by_role("button", name="Share", exact=True).click()
    await found.get_by_role("button", name="Copy link").click()
    await expect(found.get_by_text("The link works until")).to_be_visible()
    await found.get_by_role("group", name="Share").scroll_into_view_if_needed()
    await look("share", seen)
    await seen.page.goto(str(await seen.page.evaluate("navigator.clipboard.readText()")))
    await expect(seen.page.get_by_role("heading", name=QUESTION, level=1)).to_be_visible()
    await expect(seen.page.locator(".chart-place svg")).to_be_visible()
    await expect(seen.page.get_by_role("main")).to_be_focused()
    await look("shared", seen)


async def saved(seen: Watched, at: Stage, look: Look) -> None:
    """A saved query that was run, and a deleted one that can be brought back."""
    async with httpx2.AsyncClient(base_url=f"{at.url}/api") as client:
        known = (await client.get("/saved")).raise_for_status().json()["saved"]
        for name in {"Orders by status", "Orders by channel"} - {it["name"] for it in known}:
            query = {"name": name, "database": "shop", "sql": BY_CHANNEL if "channel" in name else BY_STATUS}
            (await client.post("/saved", json=query)).raise_for_status()
    await seen.page.goto(f"{at.url}/#/saved")
    article = seen.page.get_by_role("article", name="Orders by status")
    await article.get_by_role("button", name="Run").click()
    await expect(article.get_by_role("table")).to_be_visible()
    await look("saved", seen)
    await seen.page.get_by_role("article", name="Orders by channel").get_by_role("button", name="Delete").click()
    await expect(seen.page.get_by_role("button", name="Undo")).to_be_focused()
    await look("undo", seen)


async def contract(seen: Watched, at: Stage, look: Look) -> None:
    """A route of the contract that was tried."""
    await seen.page.goto(f"{at.url}/api/docs")
    place = seen.page.locator("details", has=seen.page.locator("form#databases"))
    await place.locator("summary").click()
    await place.get_by_role("button", name="Send").click()
    await expect(place.get_by_role("status")).to_contain_text("200 OK")
    await place.scroll_into_view_if_needed()
    await look("contract", seen)


async def beside(seen: Watched, at: Stage, look: Look) -> None:
    """States of the sidebar on a wide screen: a deleted conversation, and data that is added."""
    page = seen.page
    answers(at.model, BY_CHANNEL, "Most orders came through W.", "One row for each channel.")
    await expect((await ask(page, OTHER)).locator(".chart-place svg")).to_be_visible()
    await page.get_by_role("button", name=f"Delete “{QUESTION}”").first.click()
    await expect(page.get_by_role("button", name="Undo")).to_be_focused()
    await look("undo-history", seen)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.locator("[role=status]:focus")).to_have_count(1)  # the restored item has the focus
    await add_data(seen, look)


async def add_data(seen: Watched, look: Look) -> None:
    """The dialog, the report of a file, and its deletion."""
    page = seen.page
    await page.get_by_role("button", name="Add data").click()
    dialog = page.get_by_role("dialog", name="Add data")
    await expect(dialog.get_by_text("Only you can see what you add.")).to_be_visible()
    await look("add-data", seen)
    file = FilePayload(name="branches.csv", mimeType="text/csv", buffer=BRANCHES.encode())
    await dialog.locator("input[type=file]").set_input_files([file])
    added = page.get_by_role("dialog", name="branches was added")
    await expect(added.get_by_role("list", name="Questions to begin with")).to_be_visible()
    await added.get_by_text("How it was read").click()
    await look("data-added", seen)
    await added.get_by_role("button", name="Close").click()
    await expect(page.get_by_role("button", name="Add data")).to_be_focused()
    await page.get_by_role("button", name="Delete data").click()
    await expect(page.get_by_role("button", name="Keep")).to_be_focused()
    await look("delete-data", seen)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Delete data")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Delete “branches”").click()
    await expect(page.get_by_role("option", name="branches")).to_have_count(0)
    await expect(page.get_by_label("Database")).to_be_focused()


async def on_a_phone(browser: Browser, at: Stage, look: Look, *, dark: bool = False) -> None:
    """The drawer, and the tables."""
    async with watched(browser, at.url, size=PHONE, dark=dark) as seen:
        await seen.page.get_by_role("button", name="Menu").click()
        drawer = seen.page.get_by_role("dialog", name="Menu")
        await expect(drawer.get_by_text("after the last question")).to_be_visible()
        await look("menu-phone", seen)
        await drawer.get_by_role("button", name="Close").click()
        await expect(seen.page.get_by_role("button", name="Menu")).to_be_focused()
        await seen.page.get_by_role("button", name="Tables").click()
        await expect(
            seen.page.get_by_role("dialog", name="Tables and docs").get_by_label("Search tables")
        ).to_be_visible()
        await look("tables-phone", seen)

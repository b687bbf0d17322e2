"""axe on the page's main states, in light and in dark, at a desk and on a phone: nothing."""

from __future__ import annotations

import pytest
from held_model import HeldModel
from page_steps import answered, ask, script, tab
from playwright.async_api import Browser, expect
from shop_questions import TOTAL

from agent.core.errors import ModelUnavailable
from testbed.browser import DESKTOP, PHONE, watched

LOOKS = [
    pytest.param(DESKTOP, False, id="a desk in the light"),
    pytest.param(DESKTOP, True, id="a desk in the dark"),
    pytest.param(PHONE, False, id="a phone in the light"),
    pytest.param(PHONE, True, id="a phone in the dark"),
]


@pytest.mark.parametrize("size, dark", LOOKS)
async def test_an_answer_and_what_is_behind_it(
    browser: Browser, service_url: str, held: HeldModel, size: tuple[int, int], dark: bool
) -> None:
    script(held)
    async with watched(browser, service_url, size=size, dark=dark) as seen:
        await expect(seen.page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
        assert await seen.findings() == []
        await seen.page.get_by_label("Your question").fill("How many?")
        await seen.page.get_by_role("button", name="Ask", exact=True).hover()
        assert await seen.findings() == [], "while the mouse is on the main button"
        answer = await answered(seen.page)
        await answer.get_by_role("button", name="1", exact=True).click()
        await answer.get_by_role("button", name="checks passed").click()
        await seen.page.get_by_text("How this was answered").click()
        for name in ("Rows", "Chart", "SQL"):
            await expect(await tab(answer, name)).to_be_visible()
            if name == "SQL":
                await expect(answer.get_by_role("textbox")).to_be_visible()
            assert await seen.findings() == [], name


@pytest.mark.parametrize("size, dark", LOOKS[1:3])
async def test_everything_else(
    browser: Browser, service_url: str, held: HeldModel, size: tuple[int, int], dark: bool
) -> None:
    held.replies(raises=ModelUnavailable("The model cannot be reached. Try again in a minute."))
    held.replies(sql=TOTAL)
    held.replies(correct=False, reason="That is the sum.")
    held.replies(sql=TOTAL)
    held.replies(sql=TOTAL)
    async with watched(browser, service_url, size=size, dark=dark) as seen:
        page = seen.page
        await expect((await ask(page)).get_by_role("alert")).to_be_visible()
        assert await seen.findings() == []
        held.released.clear()
        turn = await ask(page, "How many orders are there by status?")
        await expect(turn.get_by_text("Writing the query").first).to_be_visible()
        assert await seen.findings() == []
        held.released.set()
        await turn.get_by_role("button", name="Mark as incorrect").click()
        assert await seen.findings() == []
        await turn.get_by_role("link", name="Awaiting review").click()
        await expect(page.get_by_role("form", name="Decision")).to_be_visible()
        assert await seen.findings() == []
        await page.goto(f"{service_url}/#/saved")
        await expect(page.get_by_text("No saved queries yet.")).to_be_visible()
        assert await seen.findings() == []
        await page.get_by_role("button", name="Tables").click()
        assert await seen.findings() == []

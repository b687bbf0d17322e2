"""Questions that are asked back before any query: their choices, and "Ask anyway"."""

from __future__ import annotations

import pytest
from held_model import HeldModel
from page_steps import ask, script
from playwright.async_api import Page, expect

from agent.platform.config.settings import Settings

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def page_settings(settings: Settings) -> Settings:
    hosted = {"profile": "small_hosted", "speculative_answer": False}  # so that the script knows who asks next
    return settings.model_copy(update=hosted)


async def test_a_vague_question_can_be_asked_anyway(page: Page, held: HeldModel) -> None:
    turn = await ask(page, "List the large orders.")
    back = turn.get_by_role("article", name="Clarification needed")
    await expect(back.locator(".answer-text")).to_have_text("“large”: what is the limit?")
    choices = back.get_by_role("list", name="Options").get_by_role("button")
    await expect(choices).to_have_text(["amount above the average", "Ask anyway"])
    script(held, sql="SELECT * FROM orders WHERE amount > 92.1", text="There are 2 orders.")
    await choices.last.click()
    answer = page.get_by_role("article", name="Answer")
    await expect(answer).to_be_visible()
    await expect(page.get_by_text("“large” was taken to mean amount above the average.").first).to_be_attached()


async def test_a_message_that_continues_nothing_gets_suggestions(page: Page) -> None:
    turn = await ask(page, "Sort them by amount")
    back = turn.get_by_role("article", name="Clarification needed")
    await expect(back.locator(".answer-text")).to_contain_text("This seems to continue an earlier message")
    await expect(back.get_by_role("list", name="Options").get_by_role("button").last).to_have_text("Ask anyway")

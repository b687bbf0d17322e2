"""Steps on the page, in the tests' terms, and the model's replies."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect

from testbed.scripted_model import ScriptedModel

BY_STATUS = "SELECT status, COUNT(*) AS orders FROM orders GROUP BY status ORDER BY orders DESC, status"
QUESTION = "How many orders are there for each status?"
SENTENCE = "Most orders, 3 of them, have the status C; 1 has the status X."


def script(model: ScriptedModel, *, sql: str = BY_STATUS, text: str = SENTENCE, reason: str = "One row each.") -> None:
    """One question's replies: the query, the judge's word, the answer."""
    model.replies(sql=sql)
    model.replies(correct=True, reason=reason)
    model.replies(text=text)


async def ask(page: Page, question: str = QUESTION) -> Locator:
    """Type a question and press Enter. Returns its turn."""
    await page.get_by_label("Your question").fill(question)
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await page.keyboard.press("Enter")
    return page.get_by_role("region", name=question, exact=True).last


async def answered(page: Page, question: str = QUESTION) -> Locator:
    """Ask, and wait. Returns the answer."""
    turn = await ask(page, question)
    answer = turn.get_by_role("article", name="Answer")
    await expect(answer).to_be_visible()
    return answer


async def tab(answer: Locator, name: str) -> Locator:
    """Open a tab of an answer. Returns its panel."""
    await answer.get_by_role("tab", name=name).click()
    return answer.get_by_role("tabpanel")

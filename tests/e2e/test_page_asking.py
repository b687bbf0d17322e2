"""Asking on the page: the steps as they happen, the answer, its records, and errors."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from pathlib import Path

import pytest
from cut_proxy import cut_proxy
from held_model import HeldModel
from page_steps import QUESTION, SENTENCE, answered, ask, script, tab
from playwright.async_api import Browser, Page, expect
from shop_questions import TOTAL

from agent.core.errors import ModelUnavailable
from testbed.browser import Watched, watched

PATIENCE = 60  # seconds until a test that waits in vain fails


async def test_the_steps_arrive_while_the_question_is_answered(page: Page, held: HeldModel) -> None:
    held.released.clear()
    script(held)
    turn = await ask(page)
    await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
    await expect(turn.get_by_role("status").filter(has_text="Writing the query")).to_be_visible()
    await expect(page.get_by_role("button", name="Stop")).to_be_visible()
    await expect(turn.get_by_label("SQL").last).to_contain_text("SELECT status, COUNT(*)")
    assert await turn.get_by_role("article").count() == 0, "nothing is said yet"

    held.released.set()

    await expect(turn.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)
    await expect(turn.get_by_text("Verified", exact=True)).to_be_visible()


async def test_a_failed_attempt_says_why_and_what_the_judge_said_of_the_next(page: Page, held: HeldModel) -> None:
    held.replies(sql="SELECT total FROM nowhere")
    script(held)
    answer = await answered(page)
    steps = page.locator("details.how")
    await expect(steps.locator("summary .tag")).to_have_text("2 attempts")
    await steps.locator("summary").first.click()
    for said in ("Query rejected", "nowhere", "Retrying", "Accepted by the judge", "One row each."):
        await expect(steps).to_contain_text(said)
    await expect(answer).to_contain_text(SENTENCE)


async def test_each_number_leads_to_its_row(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    await answer.get_by_role("button", name="1", exact=True).click()
    await expect(answer.locator(".figure-origin")).to_contain_text("1 From row 3, orders.")
    await expect(answer.get_by_role("tab", selected=True)).to_contain_text("Rows")
    marked = answer.locator("tr.marked td")
    assert await marked.all_text_contents() == ["X", "1"]
    await expect(answer.locator("td.hit")).to_have_text("1")
    await answer.get_by_text("(n =").get_by_role("button", name="3", exact=True).last.click()
    await expect(answer.locator(".figure-origin")).to_contain_text("Number of rows")


async def test_a_computed_number_shows_its_calculation(page: Page, held: HeldModel) -> None:
    script(held, text="C has 3 of [[3 + 1 + 1]] orders.")
    answer = await answered(page)
    await answer.get_by_role("button", name="5", exact=True).click()
    await expect(answer.locator(".figure-origin")).to_contain_text("Computed: 3 + 1 + 1")
    await answer.get_by_text("1 calculation", exact=True).click()
    await expect(answer.get_by_role("listitem").filter(has_text="3 + 1 + 1 = 5")).to_be_visible()


async def test_the_checks_are_one_line_that_opens_to_what_they_found(page: Page, held: HeldModel) -> None:
    script(held, reason="Each status has its row.")
    answer = await answered(page)
    line = answer.get_by_role("button", name=re.compile(r"^\d+ checks passed"))
    await expect(line).to_have_attribute("aria-expanded", "false")
    checks = answer.get_by_role("list", name="Checks")
    await expect(checks).to_have_count(0)
    await line.click()
    await expect(checks.get_by_role("listitem").filter(has_text="Judge")).to_have_text(
        "Judge passed. Each status has its row."
    )


async def test_what_it_took_is_said(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    await expect(answer.locator(".spent")).to_contain_text("3 model calls")
    await expect(answer.locator(".spent")).to_contain_text(re.compile(r"\d tokens · \$0\.00$"))


async def test_a_follow_up_is_understood_with_what_was_said(page: Page, held: HeldModel) -> None:
    script(held)
    await answered(page)
    held.replies(text="How many cancelled orders are there?")
    script(held, sql="SELECT COUNT(*) AS cancelled FROM orders WHERE status = 'X'", text="There is 1.")
    await answered(page, "And how many of them are cancelled?")
    await page.locator("details.how summary").last.click()
    await expect(page.get_by_text("How many cancelled orders are there?")).to_be_visible()
    await expect(page.locator("h2.asked")).to_have_count(2)


async def test_what_comes_of_a_follow_up_is_in_sight(page: Page, held: HeldModel) -> None:
    script(held)
    await answered(page)
    held.released.clear()
    held.replies(text="How many cancelled orders are there?")
    script(held, sql="SELECT COUNT(*) AS cancelled FROM orders WHERE status = 'X'", text="There is 1.")
    question = "And how many of them are cancelled?"
    turn = await ask(page, question)
    await expect(turn.get_by_role("heading", name=question)).to_be_in_viewport(ratio=1)
    await expect(turn.get_by_role("status").filter(has_text="Asking")).to_be_in_viewport(ratio=1)
    held.released.set()
    await expect(turn.get_by_text("There is 1.")).to_be_in_viewport(ratio=1)


async def test_a_question_back_has_its_choices_as_buttons(page: Page, held: HeldModel) -> None:
    asked_back = {"sql": None, "explanation": "", "clarification": "Which revenue?", "choices": ["gross", "net of tax"]}
    held.replies(text=json.dumps(asked_back))
    turn = await ask(page, "What was our revenue?")
    back = turn.get_by_role("article", name="Clarification needed")
    await expect(back.locator(".answer-text")).to_have_text("Which revenue?")
    choices = back.get_by_role("list", name="Options").get_by_role("button")
    await expect(choices).to_have_text(["gross", "net of tax"])
    script(held, sql=TOTAL, text="It was 460.5.")
    await choices.last.click()
    chosen = page.get_by_role("region", name="What was our revenue (net of tax)?")
    await expect(chosen.get_by_role("article", name="Answer")).to_contain_text("It was 460.5.")


async def test_a_question_is_stopped(page: Page, seen: Watched, held: HeldModel) -> None:
    held.released.clear()
    turn = await ask(page)
    await asyncio.wait_for(held.called.wait(), PATIENCE)
    await page.get_by_role("button", name="Stop").click()
    await expect(turn).to_contain_text("Stopped.")
    await asyncio.wait_for(held.cancelled.wait(), PATIENCE)
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    await expect(page.get_by_label("Your question")).to_be_focused()


async def test_a_slow_model_shows_that_it_is_alive(page: Page, held: HeldModel) -> None:
    held.released.clear()
    script(held)
    turn = await ask(page)
    clock = turn.locator(".working [aria-hidden]")
    await expect(clock).to_have_text(re.compile(r"^[1-9]\d*(\.0)? s"))
    before = str(await clock.text_content())
    await expect(clock).not_to_have_text(before)
    await expect(clock).to_have_text(re.compile(r"^[1-9]\d*(\.0)? s"))
    held.released.set()
    await expect(turn.get_by_role("article", name="Answer")).to_be_visible()


async def test_a_lost_connection_is_taken_up_where_it_broke_off(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    held.released.clear()
    script(held)
    async with cut_proxy(service_url) as proxy, watched(browser, proxy.url) as seen:
        seen.expected = ("Failed to load resource",)
        turn = await ask(seen.page)
        # Once the query is highlighted, no part of the page is on its way when the line is cut.
        await expect(turn.locator("pre.sql span").first).to_be_attached()
        await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
        proxy.cut()
        await expect(turn.get_by_role("status").filter(has_text="Connection lost")).to_be_visible()
        await asyncio.wait_for(proxy.refused.wait(), PATIENCE)
        held.released.set()
        proxy.repair()
        await expect(turn.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)
        await turn.get_by_text("How this was answered").click()
        await expect(turn.get_by_text("Looked at 2 tables")).to_have_count(1)


async def test_a_page_that_is_loaded_anew_goes_on_watching(page: Page, held: HeldModel) -> None:
    held.released.clear()
    script(held)
    turn = await ask(page)
    await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
    await page.reload()
    await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
    held.released.set()
    await expect(turn.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)
    await page.reload()
    await expect(turn.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)
    await expect(page.get_by_role("region", name=QUESTION)).to_have_count(1)


async def test_a_question_that_is_left_goes_on_and_another_can_be_asked(page: Page, held: HeldModel) -> None:
    held.released.clear()
    script(held)
    turn = await ask(page)
    await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
    await page.get_by_role("button", name="New question").click()
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    await page.go_back()
    await expect(turn.get_by_text("Looked at 2 tables")).to_be_visible()
    held.released.set()
    await expect(turn.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)
    await page.go_back()
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()


async def test_an_error_is_shown_as_its_problem_document_says_it(page: Page, held: HeldModel) -> None:
    held.replies(raises=ModelUnavailable("The model cannot be reached. Try again in a minute."))
    turn = await ask(page)
    alert = turn.get_by_role("alert")
    await expect(alert).to_contain_text("The model cannot be reached. Try again in a minute.")
    await expect(alert).to_contain_text(re.compile("Trace [0-9a-f]{32}"))
    await expect(turn.get_by_text("What was done")).to_be_visible()
    script(held)
    await alert.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("article", name="Answer")).to_be_visible()


@pytest.mark.usefixtures("patient")
async def test_what_no_attempt_could_answer_waits_for_a_review(page: Page, held: HeldModel) -> None:
    held.replies(sql=TOTAL)
    held.replies(correct=False, reason="That is the sum.")
    held.replies(sql=TOTAL)
    held.replies(sql=TOTAL)
    answer = await answered(page)
    await expect(answer.get_by_text("Not verified")).to_be_visible()
    await expect(answer.get_by_text("You could ask instead:")).to_be_visible()
    await expect(answer.get_by_role("list", name="Suggestions")).to_be_visible()
    await page.get_by_text("How this was answered").click()
    await expect(page.get_by_text("Rejected by").first).to_be_visible()
    await answer.get_by_role("link", name="Awaiting review").click()
    await expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(page.get_by_text("That is the sum.").first).to_be_visible()


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "**bold** [a](b)"])
async def test_what_comes_out_of_a_database_is_never_markup(
    text: str, browser: Browser, service_url: str, held: HeldModel, shop_file: Path
) -> None:
    with sqlite3.connect(shop_file) as connection:
        connection.execute("UPDATE customers SET name = ? WHERE customer_id = 1", (text,))
    connection.close()
    script(held, sql="SELECT name AS said FROM customers WHERE customer_id = 1", text=f"It says {text}.")
    held.replies(text=f"It says {text}.")  # markup is asked for once more, then composed from the rows
    async with watched(browser, service_url) as seen:
        dialogs: list[str] = []
        seen.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        answer = await answered(seen.page)
        await expect(answer.locator(".answer-text")).to_contain_text(text)
        panel = await tab(answer, "Rows")
        await expect(panel.get_by_role("cell")).to_have_text(text)
        assert await answer.locator("img, script, .answer-text a").count() == 0
        assert dialogs == []

"""Around the questions: databases and docs, history, saved queries, feedback, reviews, links, keys, keyboard, phone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from asgi_server import served
from door import ANN
from held_model import HeldModel
from page_steps import QUESTION, SENTENCE, answered, ask, script, tab
from playwright.async_api import Browser, Page, expect
from shop_questions import TOTAL

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore
from testbed.browser import PHONE, watched

DOCS = """# shop

## orders

What people have bought.

- `status`: C is completed, S is shipped, X is cancelled.

## Rules

- Revenue: the sum of the amounts of orders that are not cancelled.
"""


@pytest.fixture
def registry(tmp_path: Path, shop_file: Path) -> Path:
    (tmp_path / "shop.md").write_text(DOCS, encoding="utf-8")
    path = tmp_path / "databases.yaml"
    path.write_text(
        f"shop:\n  url: {shop_file.name}\n  docs: [shop.md]\n  description: A small shop\n"
        f"  questions: ['{QUESTION}']\nanother: {shop_file.name}\n",
        encoding="utf-8",
    )
    return path


async def test_tables_columns_and_docs_are_searched(page: Page) -> None:
    schema = page.get_by_role("complementary", name="Tables and docs")
    await expect(schema.get_by_text("2 tables")).to_be_visible()
    await schema.get_by_label("Search tables").fill("cancelled")
    await expect(schema.get_by_text("C is completed, S is shipped, X is cancelled.")).to_be_visible()
    await expect(schema.get_by_text("1 table found")).to_be_visible()
    await expect(schema.get_by_text("the sum of the amounts")).to_be_visible()
    await schema.get_by_label("Search tables").fill("country")
    await expect(schema.locator("dt")).to_contain_text(["country"])


async def test_a_sample_question_is_asked_by_a_click(page: Page, held: HeldModel) -> None:
    script(held)
    await page.get_by_role("button", name=QUESTION).click()
    await expect(page.get_by_role("article", name="Answer")).to_contain_text(SENTENCE)


async def test_another_database_begins_another_conversation(page: Page, held: HeldModel) -> None:
    script(held)
    await answered(page)
    await page.get_by_label("Database").select_option("another")
    await expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    await expect(page.get_by_role("article", name="Answer")).to_have_count(0)


async def test_an_earlier_conversation_comes_back_whole(page: Page, held: HeldModel) -> None:
    script(held)
    await answered(page)
    earlier = page.get_by_role("navigation", name="History").get_by_role("link")
    await expect(earlier).to_contain_text(QUESTION)
    await page.get_by_role("button", name="New question").click()
    await page.reload()
    await earlier.click()
    answer = page.get_by_role("article", name="Answer")
    await expect(answer.get_by_text("Verified", exact=True)).to_be_visible()
    await expect(answer.get_by_role("button", name="checks passed")).to_be_visible()
    await answer.get_by_role("button", name="1", exact=True).click()
    await expect(answer.locator("tr.marked td")).to_have_text(["X", "1"])
    await expect((await tab(answer, "Chart")).locator(".chart-place svg")).to_be_visible()
    held.replies(text="How many cancelled orders are there?")
    script(held, sql="SELECT COUNT(*) AS orders FROM orders", text="There are 5.")
    await expect(await answered(page, "And how many of them are cancelled?")).to_contain_text("There are 5.")

    await page.get_by_role("button", name=f"Delete “{QUESTION}”").click()
    await expect(earlier).to_have_count(0)
    undo = page.get_by_role("button", name="Undo")
    await expect(undo).to_have_css("opacity", "1")
    await undo.click()
    await expect(earlier).to_contain_text(QUESTION)
    await page.get_by_role("button", name=f"Delete “{QUESTION}”").click()
    async with page.expect_response(lambda response: response.request.method == "DELETE"):
        await page.evaluate("window.dispatchEvent(new Event('pagehide'))")
    await page.reload()
    await expect(page.get_by_text("Conversations are kept here")).to_be_visible()
    await expect(earlier).to_have_count(0)


async def test_a_query_is_saved_run_and_deleted(page: Page, held: HeldModel) -> None:
    script(held)
    panel = await tab(await answered(page), "SQL")
    await panel.get_by_role("button", name="Save").click()
    await panel.get_by_label("Name").fill("Orders by status")
    await panel.get_by_role("button", name="Save", exact=True).last.click()
    await panel.get_by_role("link", name="View saved queries").click()
    kept = page.get_by_role("article", name="Orders by status")
    await kept.get_by_role("button", name="Run").click()
    await expect(kept.get_by_role("cell", name="C", exact=True)).to_be_visible()
    await kept.get_by_role("button", name="Delete").click()
    await expect(page.get_by_text("No saved queries yet.")).to_be_visible()


async def test_a_wrong_answer_is_corrected_and_settled_by_a_reviewer(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    await answer.get_by_role("button", name="Mark as incorrect").click()
    await answer.get_by_label("What is wrong?").fill("Cancelled orders do not count.")
    await answer.get_by_label("Correct query").fill(TOTAL)
    await answer.get_by_role("button", name="Send").click()
    await expect(answer.get_by_text("A reviewer will look at this answer.")).to_be_visible()

    await page.get_by_role("link", name="Reviews").click()
    await page.get_by_role("button", name=QUESTION, exact=True).click()
    await expect(page.get_by_text("Cancelled orders do not count.")).to_be_visible()
    await expect(page.get_by_role("list", name="Attempts")).to_contain_text("3 rows")
    decide = page.get_by_role("form", name="Decision")
    await expect(decide.get_by_label("Query")).to_have_value(TOTAL)
    await decide.get_by_role("button", name="Preview").click()
    await expect(decide.get_by_role("cell")).to_have_text("460.5")
    await decide.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("approved", exact=True)).to_be_visible()
    await expect(decide).to_have_count(0)


async def test_who_opens_another_view_is_in_it(page: Page) -> None:
    main = page.get_by_role("main")
    for view in ("Saved queries", "Dashboard"):
        await page.get_by_role("link", name=view).click()
        await expect(page.get_by_role("heading", name=view, level=1)).to_be_visible()
        await expect(main).to_be_focused()
    skip = page.get_by_role("link", name="Skip to the content")
    await skip.focus()
    await page.keyboard.press("Enter")
    await expect(main).to_be_focused()
    levels = await page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map((it) => Number(it.tagName[1]))")
    assert levels.count(1) == 1
    assert 3 not in levels, "no level is left out"
    await page.get_by_role("button", name="New question").click()
    await expect(page.get_by_label("Your question")).to_be_focused()


async def test_a_right_answer_is_said_to_be_right(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    right = answer.get_by_role("button", name="Mark as correct")
    await right.click()
    await expect(right).to_have_attribute("aria-pressed", "true")
    await expect(answer.get_by_text("Your feedback is saved.")).to_be_visible()


async def test_a_shared_link_shows_the_answer_that_was_given(
    page: Page, browser: Browser, service_url: str, held: HeldModel
) -> None:
    script(held)
    answer = await answered(page)
    share = answer.get_by_role("group", name="Share")
    await answer.get_by_role("button", name="Share", exact=True).click()
    await share.get_by_role("button", name="Copy Markdown").click()
    await expect(share.get_by_role("button", name="Copied")).to_be_visible()
    shared = str(await page.evaluate("navigator.clipboard.readText()"))
    await share.get_by_role("button", name="Copy link").click()
    await expect(share.get_by_role("button", name="Copied")).to_have_count(2)
    await expect(share.get_by_text("The link works until")).to_be_visible()
    link = str(await page.evaluate("navigator.clipboard.readText()"))
    for part in (f"**{QUESTION}**", SENTENCE, "| C | 3 |", "```sql\nSELECT status", f"[Open in Plumbline]({link})"):
        assert part in shared
    async with watched(browser, service_url, path=link.removeprefix(service_url)) as other:
        given = other.page.get_by_role("article", name="Answer")
        await expect(other.page.get_by_role("heading", name=QUESTION)).to_be_visible()
        await expect(given).to_contain_text(SENTENCE)
        await expect(given.get_by_role("button", name="checks passed")).to_be_visible()
        await expect((await tab(given, "Rows")).get_by_role("cell", name="C", exact=True)).to_be_visible()
        await expect((await tab(given, "Chart")).locator(".chart-place svg")).to_be_visible()
        for own in ("Share", "Mark as correct"):
            await expect(given.get_by_role("button", name=own)).to_have_count(0)
        assert await other.findings() == []
        assert len(held.asked) == 3, "no model is asked for it"
        await other.page.get_by_role("button", name="Ask this question").click()
        await expect(other.page.get_by_label("Your question")).to_have_value(QUESTION)
        await expect(other.page.get_by_label("Your question")).to_be_focused()

        await share.get_by_role("button", name="Stop sharing").click()
        await expect(share.get_by_role("button", name="Stop sharing")).to_have_count(0)
        other.expected = ("404",)
        await other.page.goto(link)
        await expect(other.page.get_by_role("alert")).to_contain_text("This link leads to no answer that you can see")


async def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = await page.evaluate(ground)
    await page.get_by_text("Dark", exact=True).click(force=True)
    dark = await page.evaluate(ground)
    assert light != dark
    await page.reload()
    await expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    assert await page.evaluate(ground) == dark
    await page.get_by_role("radio", name="System").check(force=True)
    await page.emulate_media(color_scheme="dark")
    assert await page.evaluate(ground) == dark
    await page.get_by_role("radio", name="Light").check(force=True)
    assert await page.evaluate(ground) == light


async def test_all_of_it_goes_by_keyboard(page: Page, held: HeldModel) -> None:
    script(held)
    await expect(page.get_by_role("button", name=QUESTION)).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the question")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    answer = page.get_by_role("article", name="Answer")
    await expect(answer).to_be_visible()
    await answer.get_by_role("tab", selected=True).focus()
    await page.keyboard.press("Home")
    await expect(answer.get_by_role("tab", name="Rows 3")).to_be_focused()
    await page.keyboard.press("End")
    await expect(answer.get_by_role("tab", selected=True)).to_contain_text("Source records")
    await page.keyboard.press("ArrowLeft")
    editor = answer.get_by_role("textbox", name="SQL editor")
    await editor.focus()
    await page.keyboard.press("Tab")
    await expect(answer.get_by_role("button", name="Run")).to_be_focused()


async def test_on_a_phone_the_menu_is_a_drawer(browser: Browser, service_url: str, held: HeldModel) -> None:
    script(held)
    async with watched(browser, service_url, size=PHONE) as seen:
        page = seen.page
        opener = page.get_by_role("button", name="Menu")
        await opener.click()
        drawer = page.get_by_role("dialog", name="Menu")
        await expect(drawer.get_by_label("Database")).to_be_visible()
        for _ in range(20):
            await page.keyboard.press("Tab")
            inside = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
            assert await page.evaluate(inside), "the focus stays in the drawer"
        await page.keyboard.press("Escape")
        await expect(drawer).to_have_count(0)
        await expect(opener).to_be_focused()
        await answered(page)
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE[0], "nothing has to be scrolled sideways"
        await page.get_by_role("article").get_by_role("button", name="1", exact=True).click()
        await expect(page.locator("td.hit")).to_be_in_viewport(ratio=1)
        await expect(opener).to_be_in_viewport(ratio=1)
        assert await page.evaluate("document.documentElement.scrollHeight") == PHONE[1], "the frame stays where it is"


# ------------------------------------------------------------------------------------------------------ a key


async def test_where_a_key_is_wanted_it_is_asked_for(browser: Browser, closed_url: str, held: HeldModel) -> None:
    script(held)
    async with watched(browser, closed_url) as seen:
        seen.expected = ("401",)
        dialog = seen.page.get_by_role("dialog", name="Sign in")
        await dialog.get_by_label("API key").fill("plk_wrong")
        await dialog.get_by_role("button", name="Sign in").click()
        await expect(dialog).to_contain_text("This API key is unknown")
        await dialog.get_by_label("API key").fill(ANN)
        await dialog.get_by_role("button", name="Sign in").click()
        await expect(await answered(seen.page)).to_contain_text(SENTENCE)
        assert ANN not in str(seen.asked), "no key is in an address"


@pytest.fixture
async def entra_url(page_settings: Settings, held: HeldModel) -> AsyncIterator[str]:
    """The service behind App Service's authentication, without a sign-in."""
    settings = page_settings.model_copy(update={"auth": "entra"})
    environment = {"WEBSITE_AUTH_ENABLED": "True", "WEBSITE_SITE_NAME": "plumbline"}
    access = build_access(settings, store=MemoryStore, environment=environment)
    async with served(create_app(lambda: build_service(settings, model=held), access=access)) as url:
        yield url


async def test_where_people_sign_in_there_is_no_field_for_a_key(browser: Browser, entra_url: str) -> None:
    async with watched(browser, entra_url, path="/#/saved") as seen:
        seen.expected = ("401",)
        dialog = seen.page.get_by_role("dialog", name="Sign in")
        way = dialog.get_by_role("link", name="Sign in with Microsoft")
        await expect(way).to_be_focused()
        await expect(way).to_have_attribute("href", "/.auth/login/aad?post_login_redirect_uri=%2F%23%2Fsaved")
        await expect(dialog.get_by_label("API key")).to_have_count(0)
        assert await seen.findings() == []


async def test_where_keys_are_wanted_nobody_is_sent_to_sign_in_elsewhere(browser: Browser, closed_url: str) -> None:
    async with watched(browser, closed_url) as seen:
        seen.expected = ("401",)
        dialog = seen.page.get_by_role("dialog", name="Sign in")
        await expect(dialog.get_by_label("API key")).to_be_focused()
        await expect(dialog.get_by_role("link")).to_have_count(0)


async def test_who_may_not_settle_is_not_asked_to(browser: Browser, closed_url: str, held: HeldModel) -> None:
    held.replies(sql=TOTAL)
    held.replies(correct=False, reason="That is the sum.")
    held.replies(sql=TOTAL)
    held.replies(sql=TOTAL)
    held.replies(text="It is 460.5.")
    async with watched(browser, closed_url) as seen:
        seen.expected = ("401",)
        dialog = seen.page.get_by_role("dialog")
        await dialog.get_by_label("API key").fill(ANN)
        await dialog.get_by_role("button", name="Sign in").click()
        turn = await ask(seen.page)
        await expect(seen.page.get_by_role("link", name="Reviews")).to_have_count(0)
        await turn.get_by_role("link", name="Awaiting review").click()
        await expect(seen.page.get_by_text("Awaiting a reviewer of shop.")).to_be_visible()
        await expect(seen.page.get_by_role("form", name="Decision")).to_have_count(0)

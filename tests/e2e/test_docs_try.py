"""`/api/docs` in a browser: a route is tried and its response shown; invalid requests are not sent."""

from __future__ import annotations

import json

import pytest
from door import ANN
from held_model import HeldModel
from page_steps import BY_STATUS, script
from playwright.async_api import Browser, Dialog, Locator, Page, expect

from testbed.browser import DESKTOP, PATIENCE_MS, PHONE, watched

DOCS = "/api/docs"


async def opened(page: Page, name: str) -> Locator:
    """Open the form of an operation, by its method and path. Returns what belongs to it."""
    place = page.locator("details", has=page.locator("summary", has_text=f"Try it {name}")).first
    await place.locator("summary").click()
    return place


def send(place: Locator) -> Locator:
    return place.get_by_role("button", name="Send")


async def test_a_list_and_a_question(browser: Browser, service_url: str, held: HeldModel) -> None:
    script(held)
    async with watched(browser, service_url, path=DOCS) as seen:
        place = await opened(seen.page, "GET /api/databases")
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("200 OK")
        await expect(place.get_by_label("Headers of the answer")).to_contain_text("content-type: application/json")
        await expect(place.get_by_label("Body of the answer")).to_contain_text('"name": "shop"')
        place = await opened(seen.page, "POST /api/query")
        await place.get_by_label("Body application/json").fill('{"question": "How many?", "database": "shop"}')
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("ms in all")
        answer = json.loads(await place.get_by_label("Body of the answer").inner_text())
        assert answer["sql"].startswith(BY_STATUS)


async def test_events_are_shown_as_they_come_and_can_be_stopped(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    held.released.clear()
    async with watched(browser, service_url, path=DOCS) as seen:
        place = await opened(seen.page, "POST /api/query/stream")
        await place.get_by_label("Body application/json").fill('{"question": "How many?", "database": "shop"}')
        await send(place).click()
        body = place.get_by_label("Body of the answer")
        await expect(body).to_contain_text("event: start")
        await expect(body).not_to_contain_text("event: done")
        await place.get_by_role("button", name="Stop").click()
        await expect(place.get_by_role("status")).to_contain_text("stopped")
        await expect(body).to_contain_text("event: start")
        await expect(send(place)).to_be_enabled()


async def test_a_body_that_is_not_json_is_not_sent(browser: Browser, service_url: str) -> None:
    async with watched(browser, service_url, path=DOCS) as seen:
        place = await opened(seen.page, "POST /api/query")
        before = list(seen.asked)
        body = place.get_by_label("Body application/json")
        await body.fill('{"question": ')
        await send(place).click()
        await expect(place.get_by_role("alert")).to_contain_text("The body is not JSON, and nothing was sent.")
        await expect(body).to_be_focused()
        assert await body.get_attribute("aria-invalid") == "true"
        assert seen.asked == before


async def test_parameters_are_sent_and_a_problem_is_shown(browser: Browser, service_url: str) -> None:
    async with watched(browser, service_url, path=DOCS) as seen:
        seen.expected = ("404",)
        place = await opened(seen.page, "GET /api/databases/{name}/schema")
        before = list(seen.asked)
        await place.get_by_label("name path, required").fill("..")
        await send(place).click()
        assert await place.get_by_label("name path, required").evaluate("it => it.validity.patternMismatch")
        assert seen.asked == before
        await place.get_by_label("name path, required").fill("a/b ?")
        await place.get_by_label("refresh query, optional").select_option("true")
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("404")
        assert seen.asked[-1] == f"{service_url}/api/databases/a%2Fb%20%3F/schema?refresh=true"
        await expect(place.get_by_label("Body of the answer")).to_contain_text('"status": 404')


@pytest.mark.parametrize("header", ["Authorization: Bearer", "x-api-key", "x-functions-key"])
async def test_a_key_is_sent_where_it_is_taken_and_not_stored(browser: Browser, closed_url: str, header: str) -> None:
    async with watched(browser, closed_url, path=DOCS) as seen:
        seen.expected = ("401",)
        place = await opened(seen.page, "GET /api/databases")
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("401")
        await seen.page.get_by_label("Key", exact=True).fill(ANN)
        await seen.page.get_by_label("sent as").select_option(header)
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("200 OK")
        assert ANN not in str(seen.asked), "no key is in an address"
        assert await seen.page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") == 0
        await seen.page.reload()
        await expect(seen.page.get_by_label("Key", exact=True)).to_have_value("")


@pytest.mark.parametrize("agrees", [False, True])
async def test_a_change_asks_before_it_is_sent(browser: Browser, service_url: str, agrees: bool) -> None:
    async with watched(browser, service_url, path=DOCS) as seen:
        seen.expected = ("404",)
        questions: list[str] = []

        async def answer(dialog: Dialog) -> None:
            questions.append(dialog.message)
            await (dialog.accept() if agrees else dialog.dismiss())

        seen.page.on("dialog", answer)
        before = list(seen.asked)
        place = await opened(seen.page, "DELETE /api/saved/{id}")
        await expect(place.locator("summary")).to_contain_text("changes what the service keeps")
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("404" if agrees else "Not sent.")
        assert questions == ["DELETE /api/saved/{id} changes what the service keeps. Send it?"]
        assert len(seen.asked) == len(before) + agrees


@pytest.mark.parametrize("size, dark", [(DESKTOP, False), (DESKTOP, True), (PHONE, False), (PHONE, True)])
async def test_axe_finds_nothing_closed_or_open(
    browser: Browser, service_url: str, size: tuple[int, int], dark: bool
) -> None:
    async with watched(browser, service_url, size=size, dark=dark, path=DOCS) as seen:
        await expect(seen.page.get_by_text("Try it").first).to_be_visible()
        assert await seen.findings() == []
        await seen.page.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true })")
        assert await seen.findings() == []
        place = seen.page.locator("details", has=seen.page.locator("form#databases"))
        await send(place).click()
        await expect(place.get_by_role("status")).to_contain_text("ms in all")
        await send(seen.page.locator("details", has=seen.page.locator("form#query"))).scroll_into_view_if_needed()
        assert await seen.findings() == []


async def test_without_the_script_it_is_a_list_of_routes(browser: Browser, service_url: str) -> None:
    context = await browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    await page.goto(service_url + DOCS)
    await expect(page.get_by_role("heading", name="POST /api/query Ask a question", exact=True)).to_be_visible()
    await expect(page.get_by_text("Try it").first).to_be_hidden()
    await context.close()

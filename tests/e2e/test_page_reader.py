"""The page's settings from its reader: effort, and number formats of the browser's language."""

from __future__ import annotations

import re

import pytest
from held_model import HeldModel
from page_steps import ask, script, tab
from playwright.async_api import Browser, Locator, Page, expect

from testbed.browser import watched

BY_MONTH = (
    "SELECT '2024-03-01' AS month, 1200.5 AS revenue UNION ALL SELECT '2024-04-01', 2000.5 "
    "UNION ALL SELECT '2024-05-01', 1100.5 ORDER BY month"
)
QUESTION = "What was the revenue in each month?"


async def test_an_effort_is_chosen_and_kept(page: Page, held: HeldModel) -> None:
    chosen = page.get_by_label("Effort")
    await expect(chosen).to_have_value("")
    await chosen.select_option("Quick")
    held.replies(sql=BY_MONTH)
    held.replies(text="The highest revenue is 2,000.5.")
    async with page.expect_request(lambda it: it.url.endswith("query/stream?resumable=true")) as asked:
        turn = await ask(page, QUESTION)
    sent = (await asked.value).post_data_json
    assert sent is not None
    assert sent["options"] == {"effort": "quick"}
    await expect(turn.get_by_role("article", name="Answer")).to_be_visible()
    await page.reload()
    await expect(chosen).to_have_value("quick")


async def test_numbers_and_months_are_written_in_the_browsers_language(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    script(held, sql=BY_MONTH, text="The highest revenue is 2,000.5.")
    async with watched(browser, service_url, locale="de-DE") as seen:
        answer = (await ask(seen.page, QUESTION)).get_by_role("article", name="Answer")
        await expect(answer.get_by_role("button", name="2.000,5", exact=True)).to_be_visible()
        await expect((await tab(answer, "Rows")).get_by_text("1.200,5")).to_be_visible()
        chart = (await tab(answer, "Chart")).locator("svg.marks")
        await expect(chart.get_by_text("Mai 2024")).to_be_visible()
        await expect(chart.get_by_text("2.000", exact=True)).to_be_visible()
        description = (
            "Line chart of revenue for each month from März 2024 to Mai 2024: 3 values; "
            "the highest is 2.000,5 (Apr. 2024), the lowest 1.100,5 (Mai 2024)."
        )
        await expect(answer.locator("figcaption")).to_contain_text(description)
        await expect(answer.locator(".chart-place")).to_have_attribute("aria-label", description)


async def test_amounts_have_the_decimals_of_the_sentence_in_table_and_chart(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    script(held, sql=BY_MONTH, text="The highest revenue is 2,000.50.")
    async with watched(browser, service_url) as seen:
        answer = (await ask(seen.page, QUESTION)).get_by_role("article", name="Answer")
        await expect((await tab(answer, "Rows")).get_by_text("2,000.50", exact=True)).to_be_visible()
        chart = await tab(answer, "Chart")
        await expect(chart.locator("figcaption")).to_contain_text("the highest is 2,000.50 (Apr 2024)")
        await chart.locator("svg.marks .mark-symbol path").first.hover()
        await expect(seen.page.locator("#vg-tooltip-element")).to_contain_text("1,200.50")


async def test_a_chart_stands_above_its_tools_and_is_copied_as_a_picture(page: Page, held: HeldModel) -> None:
    script(held, sql=BY_MONTH, text="The highest revenue is 2,000.5.")
    panel = await tab((await ask(page, QUESTION)).get_by_role("article", name="Answer"), "Chart")
    await expect(panel.locator("svg.marks")).to_be_visible()
    chart, tools = panel.locator(".chart-place"), panel.get_by_role("group", name="Chart type")
    above, below = await chart.bounding_box(), await tools.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
    await panel.get_by_role("button", name="Copy picture").click()
    await expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    types = await page.evaluate("navigator.clipboard.read().then((items) => items.flatMap((item) => item.types))")
    assert types == ["image/png"]


DAYS = (
    "SELECT 3 AS month, '2024-03-04' AS first_day, 2024 AS fiscal_year, 1200 AS orders UNION ALL "
    "SELECT 5, '2024-05-06', 2024, 2000 UNION ALL SELECT 6, '2024-06-07', 2024, 1100 ORDER BY month"
)


async def test_dates_months_and_years_are_those_of_the_reader_everywhere(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    script(held, sql=DAYS, text="On 2024-05-06 there were 2,000 orders.")
    async with watched(browser, service_url, locale="de-DE") as seen:
        answer = (await ask(seen.page, QUESTION)).get_by_role("article", name="Answer")
        await expect(answer.locator(".answer-text")).to_contain_text("On 06.05.2024 there were 2.000 orders")
        rows = await tab(answer, "Rows")
        await expect(rows.locator("tbody tr").first.get_by_role("cell")).to_have_text(
            ["März", "04.03.2024", "2024", "1.200"]
        )
        chart = await tab(answer, "Chart")
        await chart.get_by_label("X axis").select_option("month")
        await chart.get_by_label("Y axis").select_option("orders")
        marks = chart.locator("svg.marks")
        await expect(marks.get_by_text("März", exact=True)).to_be_visible()
        await expect(marks.get_by_text("2.000", exact=True)).to_be_visible()
        await chart.get_by_label("X axis").select_option("first_day")
        await expect(marks.get_by_text(re.compile(r"^\d\d\.0[3-6]\.2024$")).first).to_be_visible()


SMALL_PHONE = (375, 667)


async def test_on_a_phone_answer_number_and_chart_are_above_the_fold(
    browser: Browser, service_url: str, held: HeldModel
) -> None:
    script(held, sql=BY_MONTH, text="The highest revenue is 2,000.5, in 2024-04-01.")
    async with watched(browser, service_url, size=SMALL_PHONE) as seen:
        answer = await ask(seen.page, "What was the revenue of each month that there is in this shop?")
        answer = answer.get_by_role("article", name="Answer")
        await expect(answer.locator(".chart-place svg.marks")).to_be_visible()
        top = await bottom_of(seen.page.locator("header.top"))
        fold = await seen.page.locator(".composer").evaluate("it => it.getBoundingClientRect().top")
        for part in (".answer-text", ".answer-text .figure >> nth=0", ".chart-place svg.marks"):
            box = await answer.locator(part).bounding_box()
            assert box is not None
            assert top <= box["y"], f"{part} begins below the head of the page"
            assert box["y"] + box["height"] <= fold, f"{part} ends above the field for questions"


NARROW = (320, 667)


@pytest.mark.parametrize("size", [SMALL_PHONE, NARROW], ids=["a small phone", "the narrowest one"])
async def test_on_a_phone_no_tab_is_cut(
    browser: Browser, service_url: str, held: HeldModel, size: tuple[int, int]
) -> None:
    script(held)
    async with watched(browser, service_url, size=size) as seen:
        answer = (await ask(seen.page)).get_by_role("article", name="Answer")
        tabs = answer.get_by_role("tablist", name="Answer details")
        last = tabs.get_by_role("tab", name="Source records")
        await last.evaluate("it => { it.textContent = 'Source records 1,234,567' }")
        box, around = await last.bounding_box(), await tabs.bounding_box()
        assert box is not None
        assert around is not None
        assert box["x"] + box["width"] <= around["x"] + around["width"]


async def bottom_of(part: Locator) -> float:
    box = await part.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


async def test_a_number_stays_beside_its_name_in_a_script_from_right_to_left(page: Page, held: HeldModel) -> None:
    rows = "SELECT 'القاهرة' AS city, 12 AS visits UNION ALL SELECT 'بيروت', 7 ORDER BY visits DESC"
    script(held, sql=rows, text="The visits: القاهرة: 12; بيروت: 7.")
    answer = (await ask(page, "How many visits has each city?")).get_by_role("article", name="Answer")
    text = answer.locator(".answer-text")
    await expect(text.get_by_role("button", name="12", exact=True)).to_be_visible()
    lefts = """(text) => [...text.childNodes].filter((it) => it.textContent.trim()).map((it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return range.getBoundingClientRect().left;
    })"""
    found = await text.evaluate(lefts)
    assert found == sorted(found), "left to right, like the sentence"


async def test_punctuation_stays_with_its_number(page: Page, held: HeldModel) -> None:
    script(held, sql=BY_MONTH, text="The highest revenue is 2,000.5.")
    answer = (await ask(page, QUESTION)).get_by_role("article", name="Answer")
    place = answer.locator(".figure-place", has=page.get_by_role("button", name="2,000.5", exact=True))
    await expect(place).to_have_text("2,000.5.")
    await expect(place).to_have_css("white-space", "nowrap")


async def test_a_question_has_the_direction_of_its_script(page: Page, held: HeldModel) -> None:
    script(held, text="C: 3; S: 1; X: 1.")
    question = "كم عدد الطلبات لكل حالة؟"
    turn = await ask(page, question)
    await expect(turn.get_by_role("heading", name=question)).to_have_css("direction", "rtl")
    await expect(page.locator(".history-title", has_text=question)).to_have_css("direction", "rtl")

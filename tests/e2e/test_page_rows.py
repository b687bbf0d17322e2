"""An answer's rows (sorted, filtered, paged), records, chart, query and files."""

from __future__ import annotations

import csv
import io
import sqlite3
from pathlib import Path

import pyarrow.parquet
import pytest
from eventually import eventually
from held_model import HeldModel
from page_steps import answered, script, tab
from playwright.async_api import Download, Locator, Page, expect

from agent.platform.config.settings import Settings
from testbed.browser import Watched

MANY = 10_000


async def saved(page: Page, button: Locator) -> tuple[Download, bytes]:
    """Click, and take the file that comes."""
    async with page.expect_download() as coming:
        await button.click()
    download = await coming.value
    return download, Path(await download.path()).read_bytes()


async def retype(editor: Locator, text: str) -> None:
    """Type over all that is there."""
    await editor.press("ControlOrMeta+a")
    await editor.press_sequentially(text)


async def test_rows_come_as_csv_and_parquet(page: Page, held: HeldModel) -> None:
    script(held)
    panel = await tab(await answered(page), "Rows")
    download, content = await saved(page, panel.get_by_role("button", name="CSV"))
    assert download.suggested_filename == "how-many-orders-are-there-for-each-status.csv"
    assert list(csv.reader(io.StringIO(content.decode()))) == [["status", "orders"], ["C", "3"], ["S", "1"], ["X", "1"]]
    _, content = await saved(page, panel.get_by_role("button", name="Parquet"))
    table = pyarrow.parquet.read_table(io.BytesIO(content))
    assert table.to_pylist()[0] == {"status": "C", "orders": 3}


async def test_the_records_behind_an_aggregate_are_there_and_can_be_saved(page: Page, held: HeldModel) -> None:
    script(held, sql="SELECT SUM(amount) AS total FROM orders WHERE status = 'C'", text="It is 360.5.")
    panel = await tab(await answered(page), "Source records 3")
    await expect(panel.get_by_role("row")).to_have_count(4)
    _, content = await saved(page, panel.get_by_role("button", name="CSV"))
    assert len(content.decode().splitlines()) == 4


async def test_a_chart_is_changed_by_a_click_and_saved(page: Page, held: HeldModel) -> None:
    script(held)
    panel = await tab(await answered(page), "Chart")
    await expect(panel.locator(".chart-place svg path[aria-roledescription='bar']")).to_have_count(3)
    await panel.get_by_role("button", name="Line").click()
    await expect(panel.locator(".chart-place svg path[aria-roledescription='line mark']")).to_have_count(1)
    await panel.get_by_role("button", name="Reset").click()
    await expect(panel.locator(".chart-place svg path[aria-roledescription='bar']")).to_have_count(3)
    _, svg = await saved(page, panel.get_by_role("button", name="SVG"))
    assert svg.startswith(b"<svg")
    download, png = await saved(page, panel.get_by_role("button", name="PNG"))
    assert download.suggested_filename.endswith(".png")
    assert png.startswith(b"\x89PNG")


async def test_a_chart_takes_the_room_that_there_is(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    chart = (await tab(answer, "Chart")).locator(".chart-place svg")
    width = "svg => Math.round(svg.getBoundingClientRect().width - svg.parentElement.clientWidth)"
    await expect(chart).to_be_visible()
    await tab(answer, "Rows")
    await page.get_by_role("button", name="Tables").click()
    await page.get_by_role("radio", name="Dark").check(force=True)
    await tab(answer, "Chart")
    await eventually(lambda: chart.evaluate(width), lambda over: over == 0)


async def test_the_query_is_laid_out_copied_edited_and_run_again(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    panel = await tab(answer, "SQL")
    editor = panel.get_by_role("textbox", name="SQL editor")
    await expect(editor).to_contain_text("GROUP BY")
    assert await editor.locator(".cm-line").count() > 3, "over several lines"
    await panel.get_by_role("button", name="Copy").click()
    await expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert " ".join(copied.split()).startswith("SELECT status, COUNT(*) AS orders")

    await expect(panel.locator(".explanation")).to_be_visible()
    await retype(editor, "SELECT name FROM customers ORDER BY name")
    await editor.press("Control+Enter")
    await expect(panel.get_by_role("cell")).to_have_text(["Ada", "Bo", "Cy"])
    await expect(panel.locator(".explanation")).to_have_count(0)  # which is of the answer's query
    await tab(answer, "Rows")
    await tab(answer, "SQL")
    await expect(editor).to_have_text("SELECT name FROM customers ORDER BY name")


async def test_completions_close_when_the_query_is_run(page: Page, held: HeldModel) -> None:
    script(held)
    panel = await tab(await answered(page), "SQL")
    editor = panel.get_by_role("textbox", name="SQL editor")
    await retype(editor, "SELECT name FROM customers WHERE name = 'Bo' OR na")
    await expect(panel.get_by_role("listbox")).to_be_visible()
    await retype(editor, "SELECT name FROM customers ORDER BY name")  # its completions are still looked up
    await panel.get_by_role("button", name="Run").click()
    await expect(panel.get_by_role("cell")).to_have_text(["Ada", "Bo", "Cy"])
    await expect(panel.get_by_role("listbox")).to_have_count(0)


async def test_what_is_edited_is_guarded(page: Page, seen: Watched, held: HeldModel) -> None:
    seen.expected = ("Failed to load resource",)
    script(held)
    panel = await tab(await answered(page), "SQL")
    await retype(panel.get_by_role("textbox", name="SQL editor"), "DELETE FROM orders")
    await panel.get_by_role("button", name="Run").click()
    await expect(panel.get_by_role("alert")).to_contain_text("Only reading is allowed")
    await retype(panel.get_by_role("textbox", name="SQL editor"), "SELECT statos FROM orders")
    await panel.get_by_role("button", name="Run").click()
    await expect(panel.get_by_role("alert")).to_contain_text("status")


# ------------------------------------------------------------------------------------------------ ten thousand


class TestTenThousandRows:
    """A table of so many rows, in a browser that draws those in sight alone."""

    @pytest.fixture
    def page_settings(self, page_settings: Settings, shop_file: Path) -> Settings:
        with sqlite3.connect(shop_file) as connection:
            connection.execute("CREATE TABLE readings (reading_id INTEGER PRIMARY KEY, place TEXT, value REAL)")
            connection.executemany(
                "INSERT INTO readings VALUES (?, ?, ?)",
                ((n, f"place {n % 7}", (n * 7919) % MANY + 0.5) for n in range(1, MANY + 1)),
            )
        connection.close()
        return page_settings.model_copy(update={"row_limit": MANY, "enable_evaluation": False})

    @pytest.fixture
    async def panel(self, page: Page, held: HeldModel) -> Locator:
        held.replies(sql="SELECT reading_id, place, value FROM readings ORDER BY reading_id")
        for _ in range(2):  # it says nothing of the rows: asked for once more, then composed
            held.replies(text="These are the readings.")
        return await tab(await answered(page, "List the readings."), "Rows")

    async def test_they_are_counted_paged_and_sorted(self, panel: Locator) -> None:
        await expect(panel.get_by_text("10,000 rows", exact=True)).to_be_visible()
        await expect(panel.get_by_text("Page 1 of 100", exact=True)).to_be_visible()
        await panel.get_by_role("button", name="value").click()
        first = panel.locator("tbody tr:not([aria-hidden])").first
        await expect(first.locator("td").nth(2)).to_have_text("9,999.5")
        await panel.get_by_role("button", name="Next").click()
        await expect(first.locator("td").nth(2)).to_have_text("9,899.5")

    async def test_all_on_one_page_draw_only_those_in_sight(self, panel: Locator) -> None:
        await panel.get_by_label("Rows per page").select_option("10000")
        await expect(panel.get_by_text("Page 1 of 1", exact=True)).to_be_visible()
        assert await panel.locator("tbody tr").count() < 100
        await panel.locator(".scroller").evaluate("it => it.scrollTo(0, it.scrollHeight)")
        await expect(panel.get_by_role("cell", name="10000", exact=True)).to_be_visible()
        assert await panel.locator("tbody tr").count() < 100

    async def test_they_are_searched_and_filtered(self, panel: Locator) -> None:
        await panel.get_by_label("Search rows").fill("place 3")
        await expect(panel.get_by_text("1,429 of 10,000 rows")).to_be_visible()
        await panel.get_by_role("button", name="Filter columns").click()
        await panel.get_by_label("Filter value").fill(">9990")
        await expect(panel.get_by_text("1 of 10,000 rows")).to_be_visible()
        await panel.get_by_label("Filter value").fill(">99999")
        await expect(panel.get_by_text("No rows match these filters.")).to_be_visible()


async def test_a_number_leads_to_the_records_of_its_own_group(page: Page, held: HeldModel) -> None:
    script(held)
    answer = await answered(page)
    panel = await tab(answer, "Rows")
    row = panel.get_by_role("row").filter(has=page.get_by_role("cell", name="C", exact=True))
    await row.get_by_role("button", name="3").click()
    records = answer.get_by_role("table", name="Records of status: C")
    await expect(records.get_by_role("row")).to_have_count(4)
    for cell in await records.locator("tbody tr td:first-child").all():
        assert await cell.text_content() == "C"
    await answer.get_by_role("button", name="All source records").click()
    await expect(answer.get_by_role("table", name="Source records").get_by_role("row")).to_have_count(6)

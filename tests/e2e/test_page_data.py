"""Uploaded data on the page: add, view, describe, ask and delete it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from held_model import HeldModel
from page_steps import script
from playwright.async_api import expect

if TYPE_CHECKING:
    from playwright.async_api import Page

    from testbed.browser import Watched

TOWNS = ("Köln", "Bonn", "Ulm")
SALES = "sale_id;Stadt;Umsatz;Menge;Tag\n" + "".join(
    f"{n};{TOWNS[n % 3]};{n},50 €;{'viele' if n == 7 else n % 9};2024-{n % 9 + 1:02}-03\n" for n in range(1, 61)
)
FIRST = "What is the total umsatz of sales for each stadt?"


pytestmark = pytest.mark.usefixtures("service_embedder", "patient")


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_bytes(SALES.encode("cp1252"))
    return path


async def test_a_file_is_added_looked_at_described_asked_and_deleted(
    seen: Watched, page: Page, sales: Path, held: HeldModel
) -> None:
    await page.get_by_role("button", name="Add data").click()
    dialog = page.get_by_role("dialog", name="Add data")
    await expect(dialog.get_by_text("Only you can see what you add.")).to_be_visible()
    assert await seen.findings() == []
    await dialog.locator("input[type=file]").set_input_files(sales)

    added = page.get_by_role("dialog", name="sales was added")
    await expect(added.get_by_text("60 rows, 5 columns; key sale_id")).to_be_visible()
    await expect(added.get_by_role("list", name="Questions to begin with").get_by_role("listitem")).to_have_count(5)
    await added.get_by_text("How it was read").click()
    await expect(added.get_by_text("sales.csv · 60 rows · cp1252 · semicolon between fields")).to_be_visible()
    await expect(added.get_by_text("Kept as text: not numbers: 1 of 60 values.")).to_be_visible()
    assert await seen.findings() == []

    sql = 'SELECT "Stadt", SUM("Umsatz") AS total FROM sales GROUP BY "Stadt" ORDER BY total DESC'
    script(held, sql=sql, text="Köln has the highest umsatz, 640.")
    await added.get_by_role("button", name=FIRST).click()
    await expect(page.get_by_role("article", name="Answer")).to_be_visible()
    await expect(page.locator("#database")).to_have_value("sales")

    tables = page.get_by_role("complementary", name="Tables and docs")
    await tables.get_by_text("sales", exact=True).click()
    await tables.get_by_role("button", name="Describe Stadt").click()
    await tables.get_by_label("Meaning of Stadt").fill("The town of the branch.")
    await tables.get_by_role("button", name="Save").click()
    await expect(tables.get_by_text("The town of the branch.")).to_be_visible()
    await expect(tables.get_by_role("button", name="Edit Stadt")).to_be_visible()
    assert await seen.findings() == []

    await page.get_by_role("button", name="Delete data").click()
    await page.get_by_role("button", name="Delete “sales”").click()
    await expect(page.locator("#database")).to_have_value("shop")
    await expect(page.get_by_role("option", name="sales")).to_have_count(0)
    seen.assert_quiet()


async def test_what_cannot_be_read_says_why_and_another_file_can_be_chosen(
    seen: Watched, page: Page, sales: Path, tmp_path: Path
) -> None:
    await page.get_by_role("button", name="Add data").click()
    dialog = page.get_by_role("dialog", name="Add data")
    chosen = dialog.locator("input[type=file]")
    (tmp_path / "tool.exe").write_bytes(b"MZ")
    await chosen.set_input_files(tmp_path / "tool.exe")
    await expect(dialog.get_by_text("tool.exe cannot be uploaded.")).to_be_visible()
    seen.expected = ("422",)
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\x00\x00\x01")
    await chosen.set_input_files(tmp_path / "image.csv")
    await expect(dialog.get_by_text("image.csv is not text")).to_be_visible()
    await chosen.set_input_files(sales)
    await expect(page.get_by_role("dialog", name="sales was added")).to_be_visible()
    seen.assert_quiet()


async def test_a_file_that_is_dragged_over_the_page_is_taken_where_it_is_dropped(page: Page) -> None:
    files = "const data = new DataTransfer(); data.items.add(new File(['a,b\\n1,2\\n'], 'own.csv')); return data"
    data = await page.evaluate_handle(f"() => {{ {files} }}")
    await expect(page.get_by_role("button", name="Add data")).to_be_visible()
    await page.dispatch_event("body", "dragenter", {"dataTransfer": data})
    zone = page.get_by_role("dialog", name="Add data").get_by_text("Drop a file here")
    await expect(zone).to_be_visible()
    await zone.dispatch_event("drop", {"dataTransfer": data})
    await expect(page.get_by_role("dialog", name="own was added")).to_be_visible()

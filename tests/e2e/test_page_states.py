"""The states of `bench.page_states`: axe finds nothing, headings are in order, nothing is cut off."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from playwright.async_api import Browser

from bench.page_states import BESIDE, DRAWERS, STATES, on_a_phone, stage, walk
from testbed.browser import DESKTOP, PHONE, Watched

pytestmark = pytest.mark.usefixtures("service_embedder", "patient")

# The levels of the headings in a dialog that is open, whose first is 2, for it lies on a view; or in the view.
HEADINGS = """() => {
  const modal = document.querySelector("dialog:modal");
  const of = modal ?? document.querySelector("main") ?? document;
  const found = [...of.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((it) => it.checkVisibility());
  return [modal ? 1 : 0, ...found.map((it) => Number(it.tagName[1]))];
}"""


def skips(levels: list[int]) -> list[tuple[int, int]]:
    """The places where a level is left out."""
    return [(above, below) for above, below in itertools.pairwise(levels) if below > above + 1]


class Inspection:
    """What is wrong with each state, by its name."""

    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = {}

    async def __call__(self, name: str, seen: Watched) -> None:
        """Look at one state."""
        problems: list[Any] = await seen.findings("plumbline-chat" if name == "embedded" else "")
        problems += skips(await seen.page.evaluate(HEADINGS))
        wide = await seen.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        problems += [f"{wide} pixels are cut off at the side"] if wide > 0 else []
        self.found[name] = problems


@pytest.mark.parametrize("size, dark", [(DESKTOP, True), (PHONE, False)], ids=["a desk in the dark", "a phone"])
async def test_axe_finds_nothing_and_headings_are_in_order(browser: Browser, size: tuple[int, int], dark: bool) -> None:
    inspection = Inspection()
    async with stage() as at:
        await walk(browser, at, inspection, size=size, dark=dark)
        await on_a_phone(browser, at, inspection, dark=dark)
    states = STATES | DRAWERS | (BESIDE if size == DESKTOP else set[str]())
    assert inspection.found == {name: [] for name in states}

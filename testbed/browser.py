"""The page in Debian's Chromium, with its log messages and requests recorded."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright, expect

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP, PHONE = (1380, 900), (390, 844)
PATIENCE_MS = 60_000  # until a test that waits in vain fails; a browser on a busy machine needs its time

expect.set_options(timeout=PATIENCE_MS)


def missing(*, axe: bool = False) -> str:
    """Why no browser can start; empty if one can."""
    if shutil.which("chromium") is None:
        return "chromium is not installed; on Debian and Ubuntu: apt-get install chromium"
    return "axe-core is not installed: npm ci --prefix web" if axe and not AXE.exists() else ""


# What a page shows for some seconds only, that something was copied or can be undone, it shows for ever: a busy machine
# may look for it later.
_STAYS = """{
  const later = window.setTimeout;
  window.setTimeout = (then, ms, ...more) => later(then, ms === 2500 || ms === 10000 ? 1e8 : ms, ...more);
}"""
_SETTLED = """Promise.allSettled(
  document.getAnimations().filter((it) => it.effect.getComputedTiming().endTime < Infinity).map((it) => it.finished)
)"""


@dataclass
class Watched:
    """A page, with its unexpected events. expected: parts of errors that a test causes on purpose."""

    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    expected: tuple[str, ...] = ()

    def watch(self) -> None:
        """Write down from now on."""
        self.page.on("console", self._logged)
        self.page.on("pageerror", lambda error: self.errors.append(f"{error}"))
        self.page.on("request", self._requested)

    def _logged(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _requested(self, request: Request) -> None:
        self.asked.append(request.url)

    def assert_quiet(self) -> None:
        """Fail if the page logged an unexpected message or contacted another host."""
        surprising = [error for error in self.errors if not any(part in error for part in self.expected)]
        if surprising:
            raise AssertionError(f"logged: {surprising}")
        elsewhere = [url for url in self.asked if not url.startswith((self.url, "blob:"))]
        if elsewhere:
            raise AssertionError(f"other hosts were asked: {elsewhere}")

    async def findings(self, of: str = "") -> list[dict[str, Any]]:
        """All findings of axe on the page, or in one element by its selector."""
        await self.page.evaluate(AXE.read_text(encoding="utf-8"))
        # A colour halfway between two is none of the page's.
        await self.page.evaluate(_SETTLED)
        run = "(of) => axe.run(of ? document.querySelector(of) : document, {resultTypes: ['violations']})"
        found = await self.page.evaluate(run, of)
        return [
            {"rule": one["id"], "impact": one["impact"], "where": [node["target"] for node in one["nodes"]]}
            for one in found["violations"]
        ]


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser while the block runs; nothing is downloaded for it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), timeout=PATIENCE_MS)
        yield browser
        await browser.close()


@asynccontextmanager
async def watched(
    browser: Browser,
    url: str,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
    path: str = "/",
    locale: str = "en-US",
) -> AsyncIterator[Watched]:
    """The page of a service, which must have been quiet when the block ends well."""
    context = await browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        permissions=["clipboard-read", "clipboard-write"],
        accept_downloads=True,
        locale=locale,
    )
    context.set_default_timeout(PATIENCE_MS)
    await context.add_init_script(_STAYS)
    seen = Watched(await context.new_page(), url)
    seen.watch()
    await seen.page.goto(url + path)
    yield seen
    seen.assert_quiet()
    await context.close()

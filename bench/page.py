"""The page's cost for a browser: first paint, bytes, and axe's findings, each next to its target.

    python -m bench.page

The page is served as `serve` serves it and opened in Debian's Chromium with an empty cache, the processor slowed down
four times, over a connection of 1.6 Mbit/s with 150 ms of delay: what Lighthouse takes for a phone.

    python -m bench.page --screens FOLDER

asks the sample questions of the shop in both themes and at a phone's width, with the model that the settings name, and
keeps pictures of the main states.

    python -m bench.page --states FOLDER

keeps pictures of the others, such as a share, an upload and the chat in another page; their model's replies are written
in `bench.page_states`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from pathlib import Path

from playwright.async_api import Browser, CDPSession

from bench.page_screens import ask_everything
from bench.page_states import picture_states
from bench.serving import serving
from bench.targets import Figure, show
from testbed.browser import DESKTOP, PHONE, chromium, missing, watched

RUNS = 5
PAINT_TARGET_MS, BYTES_TARGET, FINDINGS_TARGET = 2_500, 400_000, 0
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 750_000 / 8}
PAINTED = "performance.getEntriesByName('first-contentful-paint').map(it => it.startTime)[0]"
LOADED = "performance.getEntriesByType('resource').map(it => [it.name, it.transferSize])"
READY = ".samples button"
KINDS = ("js", "css", "woff2", "svg")


async def first_load(browser: Browser, url: str) -> tuple[float, dict[str, int]]:
    """Milliseconds until something is seen on a slow phone, and the bytes of each file that was sent."""
    async with watched(browser, "about:", size=PHONE, path="blank") as seen:
        page = seen.page
        session: CDPSession = await page.context.new_cdp_session(page)
        await session.send("Network.emulateNetworkConditions", NETWORK)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        seen.url = url
        await page.goto(url)
        await page.wait_for_selector(READY)
        files = {name.rsplit("/", 1)[1]: size for name, size in await page.evaluate(LOADED) if "/assets/" in name}
        return float(await page.evaluate(PAINTED)), files


async def accessibility(browser: Browser, url: str) -> int:
    """Findings on the first view, in both themes and at both widths."""
    found = 0
    for size in (DESKTOP, PHONE):
        for dark in (False, True):
            async with watched(browser, url, size=size, dark=dark) as seen:
                await seen.page.wait_for_selector(READY)
                found += len(await seen.findings())
    return found


async def measure() -> bool:
    """Print every figure next to its target. Returns whether all are met."""
    async with serving() as url, chromium() as browser:
        loads = [await first_load(browser, url) for _ in range(RUNS)]
        files = loads[-1][1]
        found = await accessibility(browser, url)
    of_kind = {kind: sum(size for name, size in files.items() if name.endswith(f".{kind}")) for kind in KINDS}
    figures = [
        Figure("first contentful paint, slow phone", statistics.median(ms for ms, _ in loads), "ms", PAINT_TARGET_MS),
        Figure("first load, compressed", sum(files.values()) / 1000, "kB", BYTES_TARGET / 1000),
        *(Figure(f"of these {kind}", size / 1000, "kB") for kind, size in of_kind.items()),
        Figure("findings of axe, 4 looks", found, "", FINDINGS_TARGET),
    ]
    return show("The page:", figures)


async def screens(folder: Path) -> None:
    """Ask, and keep the pictures."""
    async with serving() as url, chromium() as browser:
        await ask_everything(browser, url, folder)


async def states(folder: Path) -> None:
    """Keep the pictures whose replies are written."""
    async with chromium() as browser:
        await picture_states(browser, folder)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screens", type=Path, metavar="FOLDER")
    parser.add_argument("--states", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if reason := missing(axe=True):
        parser.error(reason)
    for wanted, take in ((given.screens, screens), (given.states, states)):
        if wanted:
            wanted.mkdir(parents=True, exist_ok=True)
            asyncio.run(take(wanted))
    if not given.screens and not given.states and not asyncio.run(measure()):
        sys.exit(1)


if __name__ == "__main__":
    main()

"""`<plumbline-chat>` in a page of another origin, as docs/embed.md shows it, with a key, and its size."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from asgi_server import served
from door import ANN, KEYS
from held_model import HeldModel
from page_steps import QUESTION, SENTENCE, script
from playwright.async_api import Browser, Locator, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from agent.api.app import create_app
from agent.api.routes.page import CHAT, FOLDER
from agent.pipeline.service import build_service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore
from testbed.browser import DESKTOP, PHONE, Watched, watched

DOCS = (Path(__file__).parents[2] / "docs" / "embed.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```html\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)
SHOWN = "http://127.0.0.1:7071"
MOST = 150_000  # bytes, compressed
# Of a page that allows as little as it can: the service's scripts and requests, and its own style element.
POLICY = "default-src 'none'; script-src {service}; connect-src {service}; style-src 'unsafe-inline'"


@dataclass
class Host:
    """A page of another site. html: what it has now."""

    url: str = ""
    html: str = ""
    policy: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    async def page(self, request: Request) -> Response:
        """The page, whatever its path."""
        if request.url.path != "/":
            return Response(status_code=204)
        return HTMLResponse(self.html, headers={"content-security-policy": self.policy})


@pytest.fixture
async def host(page_settings: Settings, held: HeldModel) -> AsyncIterator[Host]:
    """The example of the docs, on one origin, and on another the service that it asks, which wants a key."""
    host = Host()
    async with served(Starlette(routes=[Route("/{path:path}", host.page)])) as host.url:
        asked = page_settings.model_dump(exclude_unset=True)
        asked |= {"auth": "api_keys", "api_keys": KEYS, "cors_origins": host.url}
        settings = Settings.model_validate(asked)
        access = build_access(settings, store=MemoryStore, environment={})
        async with served(create_app(lambda: build_service(settings, model=held), access=access)) as service:
            host.html = EXAMPLE.replace(SHOWN, service).replace("KEY", ANN)
            host.policy = POLICY.format(service=service)
            host.headers["service"] = service
            yield host
    held.assert_done()


async def answered(page: Page) -> Locator:
    chat = page.locator("plumbline-chat")
    await expect(chat.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    await chat.get_by_label("Your question").fill(QUESTION)
    await expect(chat.get_by_role("button", name="Ask", exact=True)).to_be_enabled()
    await page.keyboard.press("Enter")
    answer = chat.get_by_role("article", name="Answer")
    await expect(answer).to_contain_text(SENTENCE)
    return answer


def asks_its_service_alone(seen: Watched, host: Host) -> None:
    """Fail where anything else was asked."""
    asked = [url for url in seen.asked if not url.startswith((host.url, host.headers["service"]))]
    assert asked == []
    seen.asked.clear()


def test_the_example_has_ten_lines() -> None:
    assert len(EXAMPLE.splitlines()) == 10


async def test_a_page_of_another_origin_asks_with_its_key(browser: Browser, host: Host, held: HeldModel) -> None:
    script(held)
    async with watched(browser, host.url) as seen:
        answer = await answered(seen.page)
        await expect(answer.get_by_text("Verified")).to_be_visible()
        await expect(answer.get_by_role("tab", name="Rows")).to_have_attribute("aria-selected", "true")
        await answer.get_by_role("button", name="Share", exact=True).click()
        await answer.get_by_role("button", name="Copy link").click()
        await expect(answer.get_by_role("button", name="Copied")).to_be_visible()
        copied = await seen.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith(f"{host.headers['service']}/#/shared/"), "the page of the service, not this one"
        assert await seen.page.evaluate("Object.keys(sessionStorage).includes('plumbline.key')") is False
        asks_its_service_alone(seen, host)


@pytest.mark.parametrize("size, dark", [(DESKTOP, True), (PHONE, False)], ids=["a desk in the dark", "a phone"])
async def test_axe_finds_nothing(
    browser: Browser, host: Host, held: HeldModel, size: tuple[int, int], dark: bool
) -> None:
    script(held)
    async with watched(browser, host.url, size=size, dark=dark) as seen:
        await answered(seen.page)
        host.policy = ""
        assert await seen.findings("plumbline-chat") == [], "the landmarks and headings around it are the page's own"
        wide = await seen.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, "nothing is cut off at the side"
        asks_its_service_alone(seen, host)


async def test_variables_of_the_page_are_its_theme_and_other_styles_are_not(browser: Browser, host: Host) -> None:
    host.html = host.html.replace("</style>", "button { display: none; } h1 { color: red; }</style>")
    async with watched(browser, host.url) as seen:
        chat = seen.page.locator("plumbline-chat")
        ask = chat.get_by_role("button", name="Ask", exact=True)
        await chat.get_by_label("Your question").fill("?")
        await expect(ask).to_have_css("background-color", "rgb(122, 31, 92)")
        await expect(chat).to_have_css("height", "640px")
        await expect(chat.get_by_role("heading")).not_to_have_css("color", "rgb(255, 0, 0)")
        await expect(seen.page.get_by_role("heading", name="Ask about our shop")).to_have_css("font-size", "32px")
        asks_its_service_alone(seen, host)


async def test_a_theme_is_chosen_by_an_attribute(browser: Browser, host: Host) -> None:
    host.html = host.html.replace("<plumbline-chat", '<plumbline-chat theme="dark"')
    async with watched(browser, host.url) as seen:
        await expect(seen.page.locator("plumbline-chat")).to_have_css("background-color", "rgb(20, 24, 26)")
        asks_its_service_alone(seen, host)


async def test_without_a_good_key_it_says_so(browser: Browser, host: Host) -> None:
    host.html = host.html.replace(ANN, "plk_another")
    async with watched(browser, host.url) as seen:
        seen.expected = ("401",)  # the browser logs it
        await expect(seen.page.locator("plumbline-chat").get_by_role("alert")).to_be_visible()
        await seen.page.evaluate(f"document.querySelector('plumbline-chat').setAttribute('key', '{ANN}')")
        chat = seen.page.locator("plumbline-chat")
        await expect(chat.get_by_role("heading", name="What would you like to know?")).to_be_visible()
        await expect(chat.get_by_role("alert")).to_have_count(0)
        asks_its_service_alone(seen, host)


def test_it_weighs_less_than_its_bound_with_all_that_it_imports() -> None:
    waiting, found = [CHAT], dict[str, int]()
    while waiting:
        name = waiting.pop()
        source = (FOLDER / "assets" / name).read_text(encoding="utf-8")
        found[name] = len(gzip.compress(source.encode()))
        imported = re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', source)
        waiting += [one for one in imported if one not in found]
    assert len(found) > 1, "the parts that the page has as well"
    assert sum(found.values()) < MOST, found

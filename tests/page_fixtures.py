"""The page over the real service with a scripted model. Other tests load no browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
from asgi_server import served
from door import KEYS
from held_model import HeldModel

from agent.api.app import create_app
from agent.pipeline.service import Service, build_service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from testbed.browser import Watched


@pytest.fixture
def held() -> HeldModel:
    """Answers at once, unless a test clears `released`."""
    model = HeldModel()
    model.released.set()
    return model


@pytest.fixture
def page_settings(settings: Settings) -> Settings:
    hosted = {"profile": "small_hosted", "speculative_answer": False}  # so that the script knows who asks next
    return settings.model_copy(update={"enable_retrieval": False, **hosted})


@pytest.fixture
async def service_url(page_settings: Settings, held: HeldModel) -> AsyncIterator[str]:
    def service() -> Service:
        return build_service(page_settings, model=held)

    async with served(create_app(service)) as url:
        yield url
    held.assert_done()


@pytest.fixture
async def closed_url(page_settings: Settings, held: HeldModel) -> AsyncIterator[str]:
    """The service where each caller has a key."""
    asked = page_settings.model_dump(exclude_unset=True) | {"auth": "api_keys", "api_keys": KEYS}
    settings = Settings.model_validate(asked)
    access = build_access(settings, store=MemoryStore, environment={})
    async with served(create_app(lambda: build_service(settings, model=held), access=access)) as url:
        yield url


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    from testbed.browser import chromium, missing

    if reason := missing(axe=True):
        pytest.skip(reason)
    async with chromium() as found:
        yield found


@pytest.fixture
async def seen(browser: Browser, service_url: str) -> AsyncIterator[Watched]:
    """The page at a desk, in the light."""
    from testbed.browser import watched

    async with watched(browser, service_url) as found:
        yield found


@pytest.fixture
def page(seen: Watched) -> Page:
    return seen.page

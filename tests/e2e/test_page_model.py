"""The page with the embedded model: the query appears while it is written, then the judged answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from asgi_server import served
from page_steps import ask
from playwright.async_api import Browser, expect

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.config.settings import Settings
from testbed.browser import watched

PATIENCE_S = 240  # the model shares the cores with the browser and the other tests
QUESTION = "How many customers are there?"


@pytest.fixture
async def model_url(settings: Settings) -> AsyncIterator[str]:
    patient = {
        "request_deadline_s": PATIENCE_S,
        "model_timeout_s": PATIENCE_S,
        "enable_retrieval": False,
        "cache_dir": Settings().cache_dir,  # where `make model` has put the file
    }
    async with served(create_app(lambda: build_service(settings.model_copy(update=patient)))) as url:
        yield url


@pytest.mark.model
@pytest.mark.timeout(2 * PATIENCE_S)
async def test_the_embedded_model_answers_on_the_page(browser: Browser, model_url: str) -> None:
    async with watched(browser, model_url) as seen:
        turn = await ask(seen.page, QUESTION)
        written_or_failed = turn.locator(".step .sql, .problem").first
        await expect(written_or_failed).to_contain_text("SELECT", timeout=PATIENCE_S * 1000)
        answer = turn.get_by_role("article", name="Answer")
        await expect(answer.or_(turn.locator(".problem")).first).to_contain_text("3", timeout=PATIENCE_S * 1000)
        await expect(answer.locator(".check.good").filter(has_text="Read-only")).to_have_count(1)
        await expect(answer.locator(".spent")).to_contain_text("model call")

"""Expired records are removed periodically while the service runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from agent.api.http.lazy_service import LazyService
from agent.core.errors import StateUnavailable
from agent.pipeline.service import Service

PATIENCE = 60  # seconds until a test that waits in vain fails


async def test_expired_sessions_are_removed(service: Service) -> None:
    old = await service.start_session("shop")
    service.sessions.clock = lambda: time.time() + service.settings.session_timeout_s + 1
    new = await service.start_session("shop")
    assert await service.cleanup() == 1
    assert await service.active_sessions() == 1
    assert (await service.session(new.id)).id != old.id


async def test_it_happens_again_and_again_even_after_a_failure(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rounds, enough = 0, asyncio.Event()

    async def cleanup(_: Service) -> int:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            raise StateUnavailable("The disk is full.")
        enough.set()
        return 0

    monkeypatch.setattr(Service, "cleanup", cleanup)
    lazy = LazyService(lambda: make_service(session_cleanup_s=0.001, enable_retrieval=False))
    await lazy.get()
    await asyncio.wait_for(enough.wait(), PATIENCE)
    await lazy.close()
    assert "The disk is full." in caplog.text


async def test_it_ends_with_the_service(make_service: Callable[..., Service]) -> None:
    before = asyncio.all_tasks()
    lazy = LazyService(lambda: make_service(enable_retrieval=False))
    await lazy.get()
    await lazy.close()
    assert asyncio.all_tasks() == before

"""Keys for tests, and the app behind its door."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2
import pytest
from api_client import api_client

from agent.api.app import create_app
from agent.pipeline.service import Service
from agent.platform.access.keys import digest_of
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings
from agent.platform.storage.sqlite import MemoryStore

Opened = Callable[..., AbstractAsyncContextManager[httpx2.AsyncClient]]

ANN, STRANGER, EXPIRED = "plk_the-key-of-ann", "plk_the-key-of-a-stranger", "plk_a-key-that-has-expired"
KEYS = f"ann={digest_of(ANN)}, stranger={digest_of(STRANGER)}, ann={digest_of(EXPIRED)};2020-01-31"
OF_ANN = "shop: {url: shop.sqlite, allowed: [Ann]}\n"


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
def opened(make_service: Callable[..., Service], settings: Settings, registry: Path) -> Opened:
    """Opens the app with the given access settings, over a database that only ann may ask."""
    registry.write_text(OF_ANN, encoding="utf-8")

    def open_app(**changes: object) -> AbstractAsyncContextManager[httpx2.AsyncClient]:
        asked = {"auth": "api_keys", "api_keys": KEYS, "enable_retrieval": False, **changes}
        validated = Settings.model_validate(settings.model_dump(exclude_unset=True) | asked)
        access = build_access(validated, store=MemoryStore, environment={})
        app = create_app(lambda: make_service(enable_retrieval=False, **changes), access=access)
        return api_client(app)

    return open_app

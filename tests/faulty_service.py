"""A service whose model fails as set: its settings, the service on a real port, and requests to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from conftest import SHOP
from faulty_model import FaultyModel
from live_service import running

from agent.api.app import create_app
from agent.pipeline.service import build_service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import Settings

QUESTION = "How many orders are there?"
ASKED = {"database": "shop", "question": QUESTION}


def make_shop(folder: Path, more: str = "") -> Path:
    """The registry of a small shop with docs. Args: more: lines of the registry, for further databases."""
    with sqlite3.connect(folder / "shop.sqlite") as connection:
        connection.executescript(SHOP)
    connection.close()
    (folder / "shop.md").write_text("# orders\n\nOne row for each order.\n", encoding="utf-8")
    registry = folder / "databases.yaml"
    registry.write_text(f"shop: {{url: shop.sqlite, docs: [shop.md]}}\n{more}", encoding="utf-8")
    return registry


def settings_for(model: FaultyModel, registry: Path, state: Path, **changes: Any) -> Settings:
    """Every step asks the model, embeddings included; nothing is asked twice, and nothing is left alone."""
    defaults = {
        "openai_api_key": "sk-test",
        "openai_base_url": model.url,
        "profile": "small_hosted",
        "planner": "separate",
        "embedding": "openai",
        "registry": registry,
        "state_dir": state,
        "reuse_verified": False,
        "model_retries": 0,
        "breaker_failures": 1000,
    }
    return Settings.model_validate(defaults | changes)


@contextmanager
def serving(settings: Settings) -> Iterator[httpx2.Client]:
    """Speaks to the service of these settings, on a real port, in this process."""
    with (
        running(create_app(lambda: build_service(settings), access=build_access(settings))) as url,
        httpx2.Client(base_url=f"{url}/api", timeout=60) as client,
    ):
        yield client


def ask(client: httpx2.Client, question: str = QUESTION, database: str = "shop", **body: Any) -> httpx2.Response:
    """The response to one question."""
    return client.post("/query", json={"database": database, "question": question, **body})

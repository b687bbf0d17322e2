"""A process of the service with a hosted model: a scripted server of OpenAI's protocol, and what names it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from openai_server import OpenAIServer

PATIENCE_S = 60  # until a test that waits in vain fails


@pytest.fixture
async def openai() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer().running() as server:
        yield server
    server.assert_done()


@pytest.fixture
def hosted_environment(openai: OpenAIServer, registry: Path, tmp_path: Path) -> dict[str, str]:
    """Settings of a hosted model and one small database."""
    return {
        "OPENAI_BASE_URL": openai.url,
        "OPENAI_API_KEY": "a-key-for-tests",
        "NO_PROXY": "127.0.0.1",
        "PLUMBLINE_PROFILE": "small_hosted",
        "PLUMBLINE_SPECULATIVE_ANSWER": "false",  # so that the script knows who asks next
        "PLUMBLINE_EMBEDDING": "openai",
        "PLUMBLINE_REGISTRY": str(registry),
        "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
        "PLUMBLINE_CACHE_DIR": str(tmp_path / "cache"),
        "PLUMBLINE_MODEL_TIMEOUT_S": str(PATIENCE_S),
    }

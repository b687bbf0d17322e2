"""Both clients of OpenAI's protocol have `httpx` whole before their first request goes out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agent.platform.config.settings import ROOT

MODEL = """
import asyncio
from agent.platform.llm.openai.model import OpenAIModel
model = OpenAIModel("m", base_url="http://127.0.0.1:1/v1", api_key=None, timeout_s=1, retries=0)
from agent.platform.llm.chat import Message
call = lambda: asyncio.run(model.complete([Message(role="user", content="x")]))
"""
EMBEDDER = """
from rag.embedding.embedder import OpenAIEmbedder
embedder = OpenAIEmbedder("m", api_key=None, base_url="http://127.0.0.1:1/v1", timeout_s=1, retries=0)
call = lambda: embedder.embed(["x"])
"""
# Another thread loads it slowly, as on a busy machine, while the client is made and its request goes out.
LOADED_MEANWHILE = """
import sys, threading
import httpx2, openai, tenacity, rag.embedding.bounded, agent.platform.llm.openai.completion
from agent.core.errors import ModelUnavailable
from rag.errors import EmbedderUnavailable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder

begun, go_on = threading.Event(), threading.Event()

class Slowly(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "httpx._api":
            begun.set()
            go_on.wait(30)
        return None

sys.meta_path.insert(0, Slowly())
threading.Thread(target=__import__, args=("httpx",)).start()
begun.wait()
threading.Timer(2, go_on.set).start()
try:
    call()
except (ModelUnavailable, EmbedderUnavailable) as error:
    print(type(error).__name__)
"""
WHOLE = """
import sys
from agent.core.errors import ModelUnavailable
from rag.errors import EmbedderUnavailable
try:
    call()
except (ModelUnavailable, EmbedderUnavailable):
    print(hasattr(sys.modules.get("httpx"), "Timeout"))
"""


def said(script: str) -> str:
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip() or ran.stderr


def test_an_embedding_that_is_asked_for_meanwhile_does_not_meet_half_a_module() -> None:
    assert said(EMBEDDER + LOADED_MEANWHILE) == "EmbedderUnavailable"


@pytest.mark.parametrize("client", [MODEL, EMBEDDER])
def test_it_is_there_when_a_request_goes_out(client: str) -> None:
    assert said(client + WHOLE) == "True"

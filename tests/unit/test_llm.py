"""The model that the settings choose; building one makes no request."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.platform.config.settings import Settings
from agent.platform.llm.build import build_model
from agent.platform.llm.embedded import EmbeddedModel
from agent.platform.llm.openai.chat_request import strict_schema
from agent.platform.llm.openai.model import AzureOpenAIModel, OpenAIModel

KEY = SecretStr("k")


@pytest.fixture(autouse=True)
def _no_model_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "settings, kind, name",
    [
        (Settings(), EmbeddedModel, "qwen2.5-coder-1.5b-instruct-q4_k_m"),
        (Settings(embedded_model="0.5b"), EmbeddedModel, "qwen2.5-coder-0.5b-instruct-q4_k_m"),
        (Settings(chat_model="gpt-4o"), EmbeddedModel, "qwen2.5-coder-1.5b-instruct-q4_k_m"),
        (Settings(openai_api_key=KEY), OpenAIModel, "gpt-5-mini"),
        (Settings(openai_api_key=KEY, chat_model="gpt-4o"), OpenAIModel, "gpt-4o"),
        (Settings(openai_base_url="http://localhost:1/v1", chat_model="m"), OpenAIModel, "m"),
        (Settings(azure_openai_endpoint="https://x.example", chat_model="d"), AzureOpenAIModel, "d"),
        (Settings(azure_openai_endpoint="https://x.example", openai_api_key=KEY), AzureOpenAIModel, "gpt-5-mini"),
    ],
)
def test_the_settings_choose_the_model(settings: Settings, kind: type, name: str) -> None:
    model = build_model(settings)
    assert type(model) is kind
    assert model.name == name


def test_the_judge_may_be_another_model_at_the_same_place() -> None:
    assert build_model(Settings(openai_api_key=KEY, chat_model="a"), model_name="b").name == "b"


def test_building_a_model_imports_nothing_heavy() -> None:
    code = """
import sys
from agent.platform.llm.build import build_model
from agent.platform.config.settings import Settings
build_model(Settings())
build_model(Settings(openai_api_key="k"))
build_model(Settings(azure_openai_endpoint="https://x.example"))
print([name for name in ("openai", "azure.identity", "xllamacpp", "httpx2") if name in sys.modules])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_strict_schema_closes_objects_at_every_depth() -> None:
    schema = {
        "$defs": {"Plan": {"type": "object", "properties": {"title": {"type": "string", "title": "Title"}}}},
        "type": "object",
        "properties": {
            "plans": {"type": "array", "items": {"$ref": "#/$defs/Plan"}, "default": []},
            "choice": {"anyOf": [{"type": "object", "properties": {"a": {"type": "null"}}}, {"type": "null"}]},
        },
    }
    assert strict_schema(schema) == {
        "$defs": {
            "Plan": {
                "type": "object",
                "properties": {"title": {"type": "string"}},
                "required": ["title"],
                "additionalProperties": False,
            }
        },
        "type": "object",
        "properties": {
            "plans": {"type": "array", "items": {"$ref": "#/$defs/Plan"}},
            "choice": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"a": {"type": "null"}},
                        "required": ["a"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ]
            },
        },
        "required": ["plans", "choice"],
        "additionalProperties": False,
    }

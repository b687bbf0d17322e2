"""The Functions app starts fast: heavy modules are imported on first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAVY = [
    "torch",
    "chromadb",
    "sympy",
    "duckdb",
    "psycopg2",
    "pyodbc",
    "xllamacpp",
    "sentence_transformers",
    "transformers",
    "nanoarrow",
    "openai",
    "azure.core",
    "azure.data.tables",
    "azure.identity",
    "sqlglot.optimizer",
    "mcp",
    "mcp_types",
]


def loaded_by(statement: str) -> set[str]:
    """Every module that a fresh interpreter has loaded after the statement."""
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return loaded_by("import function_app")


@pytest.mark.parametrize("heavy", HEAVY)
def test_the_functions_app_does_not_load(heavy: str, loaded: set[str]) -> None:
    assert "agent.api.app" in loaded, "the app itself is there"
    assert heavy not in loaded

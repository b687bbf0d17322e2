"""Imports between packages: executors none, rag their base types, agent both, the app only agent."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = ("agent", "rag", "executors", "samples", "plumbline", "bench", "tests", "function_app")

ALLOWED: dict[str, tuple[str, ...]] = {
    "executors": ("executors",),
    "rag": ("rag", "executors.base"),
    "agent": ("agent", "rag", "executors", "samples.make_shop"),  # for the demo of an installed package
    "plumbline": ("plumbline", "agent", "executors.base"),
    "function_app.py": ("agent",),
}


def sources(part: str) -> list[Path]:
    path = ROOT / part
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of every import of our own code, those inside functions included."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *([node.module] if node.module else [])))
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] in OWN)


@pytest.mark.parametrize("part, allowed", ALLOWED.items(), ids=ALLOWED)
def test_imports_only_what_it_may(part: str, allowed: tuple[str, ...]) -> None:
    files = sources(part)
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in files
        for line, name in imports(path)
        if not any(f"{name}.".startswith(f"{prefix}.") for prefix in allowed)
    ]
    assert files
    assert wrong == []


@pytest.mark.parametrize(
    "source, found",
    [
        ("import agent.api.app", ["agent.api.app"]),
        ("from agent import service, api", ["agent.service", "agent.api"]),
        ("def f():\n    from rag.index.store import Store", ["rag.index.store.Store"]),
        ("from . import store", ["sub.store"]),
        ("from .store import Store", ["sub.store.Store"]),
        ("from importlib import import_module\nimport_module('json')", []),
    ],
)
def test_finds_every_way_to_import(
    source: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "module.py"
    path.write_text(source, encoding="utf-8")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    monkeypatch.setitem(globals(), "OWN", (*OWN, "sub"))
    assert [name for _, name in imports(path)] == found

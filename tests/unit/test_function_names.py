"""Functions are verbs, and properties are nouns or questions: none is a bare participle, such as `quoted`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "rag", "executors", "plumbline")
# Words that end as participles do, and are verbs.
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed", "succeed"}
IRREGULAR = {
    "begun", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "dealt", "done", "drawn", "eaten",
    "fallen", "fed", "felt", "forgotten", "found", "frozen", "given", "gone", "grown", "heard", "held", "hidden",
    "hung", "kept", "known", "laid", "led", "left", "lost", "made", "meant", "met", "paid", "risen", "said", "seen",
    "sent", "shown", "sold", "spent", "spoken", "stolen", "stood", "struck", "stuck", "taken", "taught", "thought",
    "thrown", "told", "torn", "understood", "woken", "won", "worn", "written",
}  # fmt: skip
# The caller gives the name: uvicorn.
GIVEN = {"_unsupported_upgrade_warning"}


def is_participle(word: str) -> bool:
    return word.removeprefix("un") in IRREGULAR or (len(word) > 3 and word.endswith("ed") and word not in VERBS)


def find_participles(source: str) -> Iterator[str]:
    """The functions that begin with a participle, and the properties that are one, or that are true or false."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in GIVEN:
            continue
        first, *rest = node.name.strip("_").split("_")
        is_property = any("property" in ast.unparse(it) for it in node.decorator_list)
        is_bool = node.returns is not None and ast.unparse(node.returns) == "bool"
        if is_participle(first) and not (is_property and rest and not is_bool):
            yield node.name


@pytest.mark.parametrize("package", PACKAGES)
def test_no_function_is_a_bare_participle(package: str) -> None:
    paths = sorted((ROOT / package).rglob("*.py"))
    found = [
        f"{path.relative_to(ROOT)}: {name}" for path in paths for name in find_participles(path.read_text("utf-8"))
    ]
    assert paths
    assert not found, "A function's name begins with a verb: `quote`, not `quoted`."


@pytest.mark.parametrize(("source", "found"), [
    ("def quoted(name): ...", ["quoted"]),
    ("async def _written_so_far(): ...", ["_written_so_far"]),
    ("def _unseen(nodes): ...", ["_unseen"]),
    ("class A:\n    @property\n    def ended(self) -> bool: ...", ["ended"]),
    ("class A:\n    @property\n    def closed_early(self) -> bool: ...", ["closed_early"]),
    ("class A:\n    @property\n    def compared_columns(self) -> list[str]: ...", []),
    ("def quote(name): ...\ndef succeed(): ...\ndef read(): ...\ndef is_closed() -> bool: ...", []),
])  # fmt: skip
def test_a_participle_is_found(source: str, found: list[str]) -> None:
    assert list(find_participles(source)) == found

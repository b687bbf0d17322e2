"""The Bicep files, parsed, and the properties of Azure that they state, each with its reason.

There is no Bicep compiler here. `pycep-parser` reads the files without resolving anything: a text in quotes and a name
look alike in what it gives, so tests ask by names that are no values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pycep import BicepParser

ROOT = Path(__file__).parents[1]
INFRA = ROOT / "infra"
FILES = sorted(INFRA.rglob("*.bicep"))


class BicepFile(NamedTuple):
    """One file: its path, its text and its parsed content."""

    path: Path
    text: str
    parsed: dict[str, Any]

    def of(self, section: str) -> dict[str, Any]:
        """`parameters`, `variables`, `resources`, `modules` or `outputs`; empty if there are none."""
        found: dict[str, Any] = self.parsed.get(section, {})
        return found

    def modules(self) -> Iterator[tuple[str, BicepFile, dict[str, Any]]]:
        """Each module that it calls: its name here, its file, and the parameters that it is given."""
        for name, module in self.of("modules").items():
            yield name, load(self.path.parent / module["detail"]["path"]), body(module)["params"]


def body(declared: dict[str, Any]) -> dict[str, Any]:
    """The body of a resource or module, without its loop or condition."""
    found: dict[str, Any] = declared["config"]
    while "condition" in found and "config" in found:
        found = found["config"]
    return found


@cache
def load(path: Path) -> BicepFile:
    """The file, parsed."""
    text = path.read_text(encoding="utf-8")
    parsed: dict[str, Any] = dict(BicepParser().parse(text=text))
    return BicepFile(path, text, parsed)


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value, itself included."""
    if isinstance(node, dict):
        yield node
        for below in node.values():
            yield from objects(below)
    elif isinstance(node, list):
        for below in node:
            yield from objects(below)


def code_of(file: BicepFile) -> str:
    """The text without comments."""
    return re.sub(r"(?<![:'])//.*", "", file.text)

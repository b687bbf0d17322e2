"""Reads data files beside modules: the words, sentences and patterns of natural languages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any


def read_tables(module: str, name: str) -> dict[str, Any]:
    """The tables of a TOML file beside a module. Args: module: its `__file__`; name: the file's path from there."""
    return tomllib.loads(_read(module, name))


def read_texts(module: str, name: str) -> dict[str, dict[str, str]]:
    """The tables of a TOML file that holds texts alone. A line break in a text is a blank."""
    tables = read_tables(module, name)
    return {code: {key: _unfold(text, " ") for key, text in table.items()} for code, table in tables.items()}


def read_sections(module: str, name: str) -> dict[str, list[str]]:
    """The lines of each `[section]` of a text file beside a module, in their order, without comments."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _read(module, name).splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


def read_words(module: str, name: str) -> dict[str, list[str]]:
    """The words of each `[section]` of a text file beside a module, in their order."""
    return {section: " ".join(lines).split() for section, lines in read_sections(module, name).items()}


def unfold_pattern(text: str, parts: Mapping[str, str] = MappingProxyType({})) -> str:
    """A pattern whose lines are joined without a blank; `{name}` in it stands for the part of that name."""
    text = _unfold(text, "")
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", _unfold(part, ""))
    return text


def _unfold(text: str, between: str) -> str:
    """A text of several lines in one line. A text of one line keeps the blanks around it."""
    return between.join(line.strip() for line in text.strip().splitlines()) if "\n" in text else text


def _read(module: str, name: str) -> str:
    return (Path(module).parent / name).read_text(encoding="utf-8")

"""Reads databases.yaml, the list of databases. A request names a database; only this file contains its place.

shop: samples/shop.duckdb            # a path relative to this file
warehouse: ${WAREHOUSE_URL}          # or a server's address; variables come from the environment

sales:
  url: ${SALES_FOLDER}/2024
  docs: [docs/sales.md, docs/terms]  # files, folders, globs
  description: Orders since 2019
  limits: {row_limit: 100}

archive:
  via: https://archive.example       # a database of a deployed app, reached through its `POST /api/execute`
  key: ${ARCHIVE_KEY}
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from executors.base import Frozen
from executors.errors import RegistryInvalid
from executors.registry.entry import NAME, Entry, EntryLimits
from executors.registry.entry_reader import EntryReader

__all__ = ["Entry", "EntryLimits", "Registry", "load_registry", "server_entry"]

_DEPTH = 4  # levels: an entry, its key, a name in that key, and an item of its list


class Registry(Frozen):
    """All entries, in the order of the file."""

    entries: tuple[Entry, ...] = ()

    def names(self) -> tuple[str, ...]:
        """The names of all databases."""
        return tuple(entry.name for entry in self.entries)


class Readable(NamedTuple):
    """The usable part of a registry, and one line per problem."""

    registry: Registry
    problems: tuple[str, ...]


def load_registry(path: Path, environment: Mapping[str, str] | None = None) -> Registry:
    """Read the registry. Args: environment: values of `${VARIABLE}`; None: the environment of the process.
    Raises RegistryInvalid: with all problems, one line each, and their lines in the file."""
    registry, problems = read_registry(path, environment)
    if problems:
        raise _invalid(path, *problems)
    return registry


def read_registry(path: Path, environment: Mapping[str, str] | None = None) -> Readable:
    """Read the usable part of the registry. Args: as `load_registry`. Raises RegistryInvalid: no part is usable."""
    content = _content(path)
    problems: list[tuple[int, str]] = []
    variables = os.environ if environment is None else environment
    entries: list[Entry] = []
    for name, given in content.entries.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            problems.append((content.line(str(name)), f"{name!r}: a name is made of letters, digits, '_', '-' and '.'"))
            continue
        reader = EntryReader(name, path.absolute().parent, variables)
        entry = reader.read(given)
        problems += [(content.line(name, *problem.keys), f"{name}: {problem.text}") for problem in reader.problems]
        if entry is not None:
            entries.append(entry)
    texts = tuple(f"line {line}: {text}" for line, text in sorted(problems, key=itemgetter(0)))
    return Readable(Registry(entries=tuple(entries)), texts)


def server_entry(address: str, docs: Sequence[Path] = ()) -> Entry:
    """An entry for a server that is not in the registry, named after its database.
    Args: address: as an entry's `url`.
    Raises RegistryInvalid: the address cannot be used. The message does not repeat it, because it may contain a
    password."""
    reader = EntryReader("server", Path.cwd(), os.environ)
    entry = reader.read(address)
    if entry is None:
        problems = "; ".join(problem.text for problem in reader.problems)
        raise RegistryInvalid(f"The address of the database cannot be used: {problems}.")
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", entry.address.database or "").strip("-")[:64] or "server"
    return entry.model_copy(update={"name": name, "docs": tuple(doc.absolute() for doc in docs)})


class _Content(NamedTuple):
    """The content of the file. lines: line numbers of entries, their keys and the items of their lists, from 1."""

    entries: dict[Any, Any]
    lines: dict[tuple[str, ...], int]

    def line(self, *keys: str) -> int:
        """The line of the deepest of the nested keys that exists."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return self.lines.get(keys, 1)


def _content(path: Path) -> _Content:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryInvalid(
            f"The registry {path.name} cannot be read. Create it, or set PLUMBLINE_REGISTRY."
        ) from error
    try:
        loader = _loader()(text)
        node = loader.get_single_node()
        content = loader.construct_document(node) if node is not None else {}
    except yaml.YAMLError as error:
        # The text of the error quotes the line, which may contain a password.
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or "it cannot be read"
        line = f"line {mark.line + 1}: " if mark is not None else ""
        raise _invalid(path, f"{line}this is not YAML: {problem}") from None
    if content is not None and not isinstance(content, dict):
        raise RegistryInvalid(f"{path.name} wants one `name: path` per database.")
    return _Content(content or {}, dict(_lines(node)))


def _invalid(path: Path, *problems: str) -> RegistryInvalid:
    return RegistryInvalid(f"{path.name} cannot be used:\n" + "\n".join(f"  {it}" for it in problems), problems)


def _lines(node: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], int]]:
    """The line of every key and item below a YAML node, down to the depth of an entry."""
    import yaml

    if len(keys) == _DEPTH:
        return
    children: list[tuple[str, Any, Any]] = []
    if isinstance(node, yaml.MappingNode):
        children = [(str(key.value), key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        children = [(str(number), item, item) for number, item in enumerate(node.value)]
    for name, at, value in children:
        yield (*keys, name), at.start_mark.line + 1
        yield from _lines(value, (*keys, name))


def _loader() -> type[Any]:
    """PyYAML's safe loader, except that a repeated key is an error. Otherwise the last one would win silently."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            names = [key.value for key, _ in node.value]
            twice = sorted({str(name) for name in names if names.count(name) > 1})
            if twice:
                raise yaml.constructor.ConstructorError(None, None, f"given twice: {', '.join(twice)}", node.start_mark)
            return super().construct_mapping(node, deep=deep)

    return Loader

"""databases.yaml: which databases there are. A request names one; only this file says where it is.

shop: samples/shop.duckdb            # a path, relative to this file, is enough
warehouse: ${WAREHOUSE_URL}          # so is a server's address; variables are those of the environment

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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from executors.base import Frozen
from executors.entry import NAME, Entry, EntryLimits
from executors.entry_reader import EntryReader
from executors.errors import RegistryInvalid, UnknownDatabase

__all__ = ["Entry", "EntryLimits", "Registry", "load_registry"]


class Registry(Frozen):
    """All entries, in the order of the file."""

    entries: tuple[Entry, ...] = ()

    def names(self) -> tuple[str, ...]:
        """The names of all databases."""
        return tuple(entry.name for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """The entry of that name. Raises UnknownDatabase."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise UnknownDatabase(name, self.names())


def load_registry(path: Path, environment: Mapping[str, str] | None = None) -> Registry:
    """Read the registry.

    Args:
        path: of databases.yaml.
        environment: for `${VARIABLE}`; the process's own where absent.

    Raises:
        RegistryInvalid: with everything that is wrong, one line each, by entry.
    """
    content = _content(path)
    problems: list[str] = []
    variables = os.environ if environment is None else environment
    entries: list[Entry] = []
    for name, given in content.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            problems.append(f"{name!r}: a name is made of letters, digits, '_', '-' and '.'")
            continue
        reader = EntryReader(name, path.absolute().parent, variables)
        entry = reader.read(given)
        problems += [f"{name}: {problem}" for problem in reader.problems]
        if entry is not None:
            entries.append(entry)
    if problems:
        raise RegistryInvalid(f"{path.name} cannot be used:\n" + "\n".join(f"  {problem}" for problem in problems))
    return Registry(entries=tuple(entries))


def _content(path: Path) -> dict[Any, Any]:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryInvalid(
            f"There is no registry {path.name} that can be read; make one, or name it in PLUMBLINE_REGISTRY."
        ) from error
    try:
        content = yaml.load(text, _loader())  # noqa: S506  a SafeLoader, see below
    except yaml.YAMLError as error:
        # Its own text quotes the line, which may hold a password.
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or "it cannot be read"
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise RegistryInvalid(f"{path.name} is not YAML: {problem}{line}") from None
    if content is not None and not isinstance(content, dict):
        raise RegistryInvalid(f"{path.name} wants one `name: path` per database.")
    return content or {}


def _loader() -> type[Any]:
    """PyYAML's safe loader, but a name given twice is an error: the last one would win silently."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            names = [key.value for key, _ in node.value]
            twice = sorted({str(name) for name in names if names.count(name) > 1})
            if twice:
                raise yaml.constructor.ConstructorError(None, None, f"given twice: {', '.join(twice)}", node.start_mark)
            return super().construct_mapping(node, deep=deep)

    return Loader

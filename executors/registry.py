"""databases.yaml: which databases there are. A request names one; only this file says where it is.

shop: samples/shop.duckdb            # a path, relative to this file, is enough

sales:
  url: ${SALES_FOLDER}/2024          # variables of the environment
  docs: [docs/sales.md, docs/terms]  # files, folders, globs
  description: Orders since 2019
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import Field

from executors.base import Frozen
from executors.errors import DatabaseUnavailable, RegistryInvalid, UnknownDatabase
from executors.local.kinds import Kind, is_glob, local_path

KEYS = ("url", "dialect", "docs", "description")
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_VARIABLE = re.compile(r"\$\{(\w*)\}")


class Entry(Frozen):
    """One database of the registry.

    url: an absolute path, or a server's address. It may hold a password, so it is shown nowhere.
    dialect: where the file's name does not tell.
    docs: absolute files and folders.
    is_sample: whether it is one that `make data` builds.
    """

    name: str
    url: str = Field(repr=False)
    dialect: Kind | None = None
    docs: tuple[Path, ...] = ()
    description: str = ""
    is_sample: bool = False

    @property
    def path(self) -> Path:
        """The file, folder or glob. Raises DatabaseUnavailable for a server."""
        path = local_path(self.url)
        if path is None:
            raise DatabaseUnavailable(
                f"The database {self.name!r} is on a server; this version reads files only: SQLite, DuckDB, CSV, TSV, "
                "Parquet and JSON."
            )
        return path


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
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            problems.append(f"{name!r}: a name is made of letters, digits, '_', '-' and '.'")
            continue
        reader = _EntryReader(name, path.absolute().parent, variables)
        entry = reader.read(given)
        problems += [f"{name}: {problem}" for problem in reader.problems]
        if entry is not None:
            entries.append(entry)
    if problems:
        raise RegistryInvalid(f"{path.name} cannot be used:\n" + "\n".join(f"  {problem}" for problem in problems))
    return Registry(entries=tuple(entries))


class _EntryReader:
    """Reads one entry, and remembers all that is wrong with it."""

    def __init__(self, name: str, folder: Path, variables: Mapping[str, str]) -> None:
        self._name, self._folder, self._variables = name, folder, variables
        self.problems: list[str] = []

    def read(self, given: object) -> Entry | None:
        fields = {"url": given} if isinstance(given, str) else given
        if not isinstance(fields, dict):
            self.problems.append("wants a path, or a mapping with `url`")
            return None
        self._check_keys(fields)
        url, dialect = self._text(fields, "url"), self._text(fields, "dialect")
        description, docs = self._text(fields, "description"), tuple(self._docs(fields.get("docs")))
        if not url and "url" not in fields:
            self.problems.append("has no `url`")
        if dialect and dialect not in _KINDS:
            self.problems.append(f"dialect {dialect!r} is none of {', '.join(_KINDS)}")
        if self.problems:
            return None
        place = local_path(url)
        sample = place is not None and not place.is_absolute() and place.parts[:1] == ("samples",)
        return Entry(
            name=self._name,
            url=url if place is None else str(self._folder / place.expanduser()),
            dialect=_KINDS.get(dialect),
            docs=docs,
            description=description,
            is_sample=sample,
        )

    def _check_keys(self, fields: Mapping[Any, Any]) -> None:
        from rapidfuzz import process

        for key in fields:
            if key not in KEYS:
                nearest = process.extractOne(str(key), KEYS)
                self.problems.append(f"there is no key {key!r}; did you mean `{nearest[0]}`?")

    def _text(self, fields: Mapping[str, Any], key: str) -> str:
        value = fields.get(key, "")
        if not isinstance(value, str) or (key == "url" and key in fields and not value.strip()):
            self.problems.append(f"`{key}` wants a text")
            return ""
        return self._expanded(value)

    def _docs(self, given: object) -> Iterator[Path]:
        listed = [given] if isinstance(given, str) else given or []
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            self.problems.append("`docs` wants a list of files, folders or globs")
            return
        for item in listed:
            place = self._folder / Path(self._expanded(item)).expanduser()
            found = sorted(Path(place.anchor).glob(str(place.relative_to(place.anchor)))) if is_glob(place) else [place]
            if not found or not all(path.exists() for path in found):
                self.problems.append(f"docs: there is no {item}")
            yield from found

    def _expanded(self, text: str) -> str:
        for name in _VARIABLE.findall(text):
            if name not in self._variables:
                self.problems.append(f"the environment has no variable {name!r}")
        return _VARIABLE.sub(lambda match: self._variables.get(match[1], ""), text)


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
        raise RegistryInvalid(f"{path.name} is not YAML: {' '.join(str(error).split())}") from error
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

"""Docs from YAML: tables with their columns, terms, rules, and questions with their queries; dbt's files as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.docs.collector import DocsCollector
from rag.docs.dbt_reader import DbtReader, is_dbt
from rag.docs.fields import Records

_TABLES = ("tables",)
_RULES = ("rules", "terms", "glossary", "definitions", "metrics", "kpis", "acronyms")
_QUERIES = ("queries", "questions", "examples")
_NAME = ("name", "table", "column", "term", "rule", "metric")
_TEXT = ("description", "text", "definition", "comment", "meaning")
_FORMULA = ("formula", "expression", "expr", "calculation", "sql")
_VALUES = ("values", "allowed_values", "enum", "examples", "samples")
_GLOSSARIES = ("glossary", "terms", "definitions", "metrics", "kpis", "acronyms")  # what such a file is called
_WANTED = "a docs YAML has `tables`, `rules` or `queries` at its top; this has none of them"


def read_yaml(text: str, path: Path, collector: DocsCollector) -> None:
    """Read one YAML file.

    Understood: `tables:` (by name, or a list with `name`), each with `description` and `columns`; `rules:` (a list of
    texts, or terms with their texts); `queries:` (a list of `question` and `sql`); tables by name without a key above
    them; a file `glossary.yaml` of terms; a list of entries with the fields that a docs CSV has; and dbt's files.
    """
    import yaml

    try:
        contents = [content for content in yaml.load_all(text, _loader()) if content is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        collector.problem(path.name, f"it is not valid YAML{where}")
        return
    if not contents:
        collector.problem(path.name, _WANTED)
    for content in contents:
        _Reading(path, collector).read(content)


def _loader() -> type[Any]:
    """PyYAML's safe loader, but `no`, `1.0` and `2024-01-01` stay the texts that they are."""
    import yaml

    resolved = {"tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"}

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {
            first: [(tag, pattern) for tag, pattern in resolvers if tag in resolved]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return Loader


class _Reading:
    """One document of a file."""

    def __init__(self, path: Path, collector: DocsCollector) -> None:
        self._path, self._source, self._to = path, path.name, collector

    def read(self, content: Any) -> None:
        if isinstance(content, list) and content and all(isinstance(entry, dict) for entry in content):
            if not self._records(content):
                self._to.problem(self._source, _WANTED)
            return
        if not isinstance(content, dict):
            self._to.problem(self._source, _WANTED)
            return
        dbt = is_dbt(content)
        if dbt:
            DbtReader(self._source, self._to).read(content)
        known = [key for key in (*_TABLES, *_RULES, *_QUERIES) if key in content and not (dbt and key == "metrics")]
        for key in known:
            if key in _TABLES:
                self._tables(content[key], key)
            elif key in _RULES:
                self._rules(content[key], key)
            else:
                self._queries(content[key], key)
        if not known and not dbt and not self._without_key(content):
            self._to.problem(self._source, _WANTED)

    def _without_key(self, content: dict[str, Any]) -> bool:
        """Tables by their names, or, by the file's name, terms with theirs; False where it is neither."""
        names = self._to.names
        if names is not None and any(names.table(str(name)) is not None for name in content):
            self._tables(content, "tables")
        elif any(word in self._path.stem.lower() for word in _GLOSSARIES):
            self._rules(content, "terms")
        else:
            return False
        return True

    def _records(self, entries: list[dict[str, Any]]) -> bool:
        header = list(dict.fromkeys(str(key) for entry in entries for key in entry))
        rows = [[_text(entry.get(key)) or _format_values(entry.get(key)) for key in header] for entry in entries]
        return Records(header, rows, self._source, self._to).read()

    def _tables(self, content: Any, key: str) -> None:
        for name, table in self._entries(content, key):
            real = self._to.table(self._source, name) if name else None
            if real is None:
                continue
            self._to.add_table(self._source, real, _text(table))
            columns = table.get("columns", table.get("fields")) if isinstance(table, dict) else None
            for column, description in self._entries(columns, f"{name}.columns"):
                if column:
                    self._to.add_column(self._source, real, column, _description(description))
            for rule in table.get("rules") or () if isinstance(table, dict) else ():
                self._to.add_rule(self._source, _text(rule), table=real)

    def _rules(self, content: Any, key: str) -> None:
        for name, rule in self._entries(content, key):
            description = "; ".join(
                filter(None, (_text(rule), _first(rule, _FORMULA) if isinstance(rule, dict) else ""))
            )
            self._to.add_rule(self._source, f"{name}: {description}" if name and description else name or description)

    def _queries(self, content: Any, key: str) -> None:
        for name, query in self._entries(content, key):
            pair = query if isinstance(query, dict) else {"question": name, "sql": query if name else None}
            sql = pair.get("sql", pair.get("query"))
            if isinstance(sql, str) and isinstance(pair.get("question"), str) and pair["question"]:
                self._to.add_query(self._source, pair["question"], sql)
            else:
                self._to.problem(self._source, f"each entry of `{key}` has a `question` and its `sql`")

    def _entries(self, content: Any, key: str) -> Iterator[tuple[str, Any]]:
        """Name and content of each entry, from a mapping or from a list whose entries hold their own name."""
        if content is None:
            return
        if isinstance(content, dict):
            yield from ((str(name), value) for name, value in content.items())
        elif isinstance(content, list):
            for entry in content:
                if isinstance(entry, dict) and len(entry) == 1 and not {*_NAME, *_TEXT, "question", "sql"} & set(entry):
                    yield from ((str(name), value) for name, value in entry.items())  # `- total: without tax`
                else:
                    yield _first(entry, _NAME) if isinstance(entry, dict) else "", entry
        else:
            self._to.problem(self._source, f"`{key}` is neither a list nor a mapping")


def _description(content: Any) -> str:
    """The description of a column, and of its values."""
    if not isinstance(content, dict):
        return _text(content)
    values = (
        f"{key.replace('_', ' ')}: {description}"
        for key in _VALUES
        if (description := _format_values(content.get(key)))
    )
    return "; ".join(filter(None, (_text(content), *values)))


def _format_values(content: Any) -> str:
    """Values in one line: of a list, or of a mapping with what each means."""
    if isinstance(content, dict):
        return ", ".join(
            f"{value}: {_text(description)}" if _text(description) else str(value)
            for value, description in content.items()
        )
    if isinstance(content, list):
        return ", ".join(filter(None, map(_text, content)))
    return _text(content)


def _text(content: Any) -> str:
    """What an entry says: itself, or its description."""
    if isinstance(content, dict):
        return _first(content, _TEXT)
    return "" if content is None or isinstance(content, list) else str(content)


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(content[key]) for key in keys if isinstance(content.get(key), str) and content[key]), "")

"""Docs from YAML: tables with their columns, rules, and questions with their queries; dbt's `schema.yml` as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.collector import Collector

_TABLES = ("tables", "models", "sources", "seeds", "snapshots")
_RULES = ("rules", "terms", "glossary", "definitions")
_QUERIES = ("queries", "questions", "examples")
_NAME = ("name", "table", "column", "term", "rule")
_TEXT = ("description", "text", "definition", "comment")


def read_yaml(text: str, path: Path, collector: Collector) -> None:
    """Read one YAML file.

    Understood: `tables:` (by name, or a list with `name`), each with `description` and `columns`; `rules:` (a list of
    texts, or terms with their texts); `queries:` (a list of `question` and `sql`).
    """
    import yaml

    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        collector.problem(path.name, f"it is not valid YAML{where}")
        return
    if not isinstance(content, dict) or not any(key in content for key in _TABLES + _RULES + _QUERIES):
        collector.problem(path.name, "a docs YAML has `tables`, `rules` or `queries` at its top; this has none of them")
        return
    for key in _TABLES:
        for name, table in _entries(content.get(key), path, key, collector):
            _read_table(name, table, path, collector)
    for key in _RULES:
        for name, rule in _entries(content.get(key), path, key, collector):
            said = _text(rule)
            collector.add_rule(path.name, f"{name}: {said}" if name and said else name or said)
    for key in _QUERIES:
        for _, query in _entries(content.get(key), path, key, collector):
            if isinstance(query, dict) and query.get("question") and query.get("sql"):
                collector.add_query(path.name, str(query["question"]), str(query["sql"]))
            else:
                collector.problem(path.name, f"each entry of `{key}` has a `question` and its `sql`")


def _read_table(name: str, content: Any, path: Path, collector: Collector) -> None:
    if isinstance(content, dict) and "tables" in content:  # a dbt source is a group of tables
        for inner, table in _entries(content["tables"], path, "tables", collector):
            _read_table(inner, table, path, collector)
        return
    table_name = collector.table(path.name, name) if name else None
    if table_name is None:
        return
    collector.add_table(path.name, table_name, _text(content))
    columns = content.get("columns") if isinstance(content, dict) else None
    for column, said in _entries(columns, path, f"{name}.columns", collector):
        if column and _text(said):
            collector.add_column(path.name, table_name, column, _text(said))


def _entries(content: Any, path: Path, key: str, collector: Collector) -> Iterator[tuple[str, Any]]:
    """Name and content of each entry, from a mapping or from a list whose entries hold their own name."""
    if content is None:
        return
    if isinstance(content, dict):
        yield from ((str(name), value) for name, value in content.items())
    elif isinstance(content, list):
        for entry in content:
            yield _first(entry, _NAME) if isinstance(entry, dict) else "", entry
    else:
        collector.problem(path.name, f"`{key}` is neither a list nor a mapping")


def _text(content: Any) -> str:
    """What an entry says: itself, or its description."""
    if isinstance(content, dict):
        return _first(content, _TEXT)
    return "" if content is None or isinstance(content, list) else str(content)


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(content[key]) for key in keys if content.get(key)), "")

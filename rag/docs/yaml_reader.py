"""Docs from YAML: tables with their columns, terms, rules, and questions with their queries; dbt's files as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.docs.collector import DocsCollector
from rag.docs.fields import Records
from rag.docs.semantics import DbtProject, Node, nodes, texts

_RULES = ("rules", "terms", "glossary", "definitions", "metrics", "kpis", "acronyms")
_QUERIES = ("queries", "questions", "examples")
_NAME = ("name", "table", "column", "term", "rule", "metric")
_TEXT = ("description", "text", "definition", "comment", "meaning")
_FORMULA = ("formula", "expression", "expr", "calculation", "sql")
_VALUES = ("values", "allowed_values", "enum", "examples", "samples")
_GLOSSARIES = ("glossary", "terms", "definitions", "metrics", "kpis", "acronyms")  # names of glossary files
_WANTED = "a docs YAML has `tables`, `rules` or `queries` at its top; this has none of them"


def read_yaml(text: str, path: Path, collector: DocsCollector) -> None:
    """Read one YAML file.

    Accepted: `tables:` (by name, or a list with `name`), each with `description` and `columns`; `rules:` (a list of
    texts, or terms with their texts); `queries:` (a list of `question` and `sql`); tables by name without a key above
    them; a file `glossary.yaml` of terms; a list of entries with the fields of a docs CSV; and dbt's files.
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
    """PyYAML's safe loader, except that `no`, `1.0` and `2024-01-01` stay text."""
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
        known = [key for key in ("tables", *_RULES, *_QUERIES) if key in content and not (dbt and key == "metrics")]
        for key in known:
            if key == "tables":
                self._tables(content[key], key)
            elif key in _RULES:
                self._rules(content[key], key)
            else:
                self._queries(content[key], key)
        if not known and not dbt and not self._without_key(content):
            self._to.problem(self._source, _WANTED)

    def _without_key(self, content: dict[str, Any]) -> bool:
        """Read tables by name, or terms by name if the file's name says so. False if it is neither."""
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
        """The name and content of each entry, from a mapping or from a list whose entries contain their name."""
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
    """The description of a column and its values."""
    if not isinstance(content, dict):
        return _text(content)
    values = (
        f"{key.replace('_', ' ')}: {description}"
        for key in _VALUES
        if (description := _format_values(content.get(key)))
    )
    return "; ".join(filter(None, (_text(content), *values)))


def _format_values(content: Any) -> str:
    """Values on one line, from a list or from a mapping of values to meanings."""
    if isinstance(content, dict):
        return ", ".join(
            f"{value}: {_text(description)}" if _text(description) else str(value)
            for value, description in content.items()
        )
    if isinstance(content, list):
        return ", ".join(filter(None, map(_text, content)))
    return _text(content)


def _text(content: Any) -> str:
    """The text of an entry: itself, or its description."""
    if isinstance(content, dict):
        return _first(content, _TEXT)
    return "" if content is None or isinstance(content, list) else str(content)


def _first(content: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(content[key]) for key in keys if isinstance(content.get(key), str) and content[key]), "")


RELATIONS = ("models", "seeds", "snapshots")
_OTHERS = ("macros", "exposures", "unit_tests", "data_tests", "groups", "saved_queries", "analyses", "functions")
_TESTS = ("tests", "data_tests")
_METRIC_KEYS = {"type", "type_params", "calculation_method", "agg", "model"}
_DOC = re.compile(r"\{\{\s*doc\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"](?P<name>[^'\"]+)['\"]\s*\)\s*\}\}")
_PROMISES = {"not_null": "never NULL", "unique": "unique", "primary_key": "primary key"}


def is_dbt(content: Node) -> bool:
    """Whether a YAML mapping belongs to dbt."""
    if any(key in content for key in (*RELATIONS, "sources", "semantic_models")):
        return True
    if any(_METRIC_KEYS & set(metric) for metric in nodes(content.get("metrics"))):
        return True
    return any(key in content for key in _OTHERS) and not {"tables", "rules", "queries"} & set(content)


class DbtReader:
    """dbt's YAML: models, sources, seeds and snapshots with their columns, and the guarantees of their tests.

    Semantic models and metrics may refer to other files, so they go to the collector's `DbtProject`.
    """

    def __init__(self, source: str, collector: DocsCollector) -> None:
        self._source, self._to, self._project = source, collector, collector.get_shared(DbtProject)

    def read(self, content: Node) -> None:
        for key in RELATIONS:
            for model in nodes(content.get(key)):
                self._relation(model)
        for group in nodes(content.get("sources")):
            namespace = str(group.get("schema") or "")
            for table in nodes(group.get("tables")):
                self._relation(table, namespace if "{{" not in namespace else "")
        for semantic_model in nodes(content.get("semantic_models")):
            self._project.add_semantic_model(self._source, semantic_model)
        for metric in nodes(content.get("metrics")):
            self._project.add_metric(self._source, metric)

    def _relation(self, model: Node, namespace: str = "") -> None:
        config = model.get("config")
        alias = (
            model.get("identifier") or model.get("alias") or (config.get("alias") if isinstance(config, dict) else "")
        )
        name = str(alias or model.get("name") or "")
        table = self._to.table(self._source, f"{namespace}.{name}" if namespace else name) if name else None
        self._project.add_relation(str(model.get("name") or ""), table)
        if table is None:
            return
        self._to.add_table(self._source, table, self._describe(model))
        for description in self._promises(model, table, ""):
            self._to.add_table(self._source, table, description)
        for column in nodes(model.get("columns")):
            name = str(column.get("name") or "")
            real = self._to.column(self._source, table, name) if name else None
            if real is not None:
                description = "; ".join(filter(None, (self._describe(column), *self._promises(column, table, real))))
                self._to.add_column(self._source, table, real, description)
        self._project.add_model(self._source, model, table)

    def _describe(self, node: Node) -> str:
        """The description, with the Markdown blocks that it refers to."""

        def block(match: re.Match[str]) -> str:
            name = match["name"]
            if name not in self._to.blocks:
                self._to.problem(self._source, f"there is no docs block {name!r} in the Markdown files beside it")
            return self._to.blocks.get(name, "")

        text = node.get("description")
        return _DOC.sub(block, text).strip() if isinstance(text, str) else ""

    def _promises(self, node: Node, table: str, column: str) -> list[str]:
        """The guarantees that tests and constraints give for a column, or for a table (`column` is empty)."""
        found: list[str] = []
        for name, arguments in _checks(node):
            if name in _PROMISES and column and not _is_partial(arguments):
                found.append(_PROMISES[name])
            elif name in _PROMISES and (columns := texts(arguments.get("columns"))):
                found.append(f"{_PROMISES[name]}: {', '.join(columns)}")
            elif name in {"accepted_values", "expect_column_values_to_be_in_set"}:
                values = texts(arguments.get("values", arguments.get("value_set")))
                found += [f"allowed values: {', '.join(values)}"] if values else []
            elif name in {"accepted_range", "expect_column_values_to_be_between"}:
                found += _range(arguments)
            elif name == "unique_combination_of_columns":
                columns = texts(arguments.get("combination_of_columns"))
                found += [f"one row for each {', '.join(columns)}"] if columns else []
            elif name in {"relationships", "relationships_where", "foreign_key"}:
                self._join(arguments, table, column)
        return list(dict.fromkeys(found))

    def _join(self, arguments: Node, table: str, column: str) -> None:
        own = [column] if column else texts(arguments.get("columns"))
        others = texts(arguments.get("field", arguments.get("to_columns")))
        to = str(arguments.get("to") or "")
        if to and len(own) == len(others):
            for one, other in zip(own, others, strict=True):
                self._project.add_join(self._source, table, one, to, other)


def _checks(node: Node) -> Iterator[tuple[str, Node]]:
    """The name and arguments of each test and constraint, in every format that dbt has used."""
    for key in _TESTS:
        listed = node.get(key)
        for test in listed if isinstance(listed, list) else ():
            if isinstance(test, str):
                yield test.rpartition(".")[2], {}
            elif isinstance(test, dict) and "test_name" in test:
                yield str(test["test_name"]).rpartition(".")[2], _arguments(test)
            elif isinstance(test, dict):
                yield from (
                    (str(name).rpartition(".")[2], _arguments(description)) for name, description in test.items()
                )
    for constraint in nodes(node.get("constraints")):
        yield str(constraint.get("type") or ""), constraint


def _arguments(description: Any) -> Node:
    """The arguments of a test, given below `arguments` or beside it."""
    if not isinstance(description, dict):
        return {}
    inner = description.get("arguments")
    return {**description, **inner} if isinstance(inner, dict) else description


def _is_partial(arguments: Node) -> bool:
    """Whether a test covers only some of the rows."""
    config = arguments.get("config")
    return "where" in arguments or (isinstance(config, dict) and "where" in config)


def _range(arguments: Node) -> list[str]:
    least, most = arguments.get("min_value"), arguments.get("max_value")
    if least is not None and most is not None:
        return [f"between {least} and {most}"]
    return [f"at least {least}"] if least is not None else [f"at most {most}"] if most is not None else []

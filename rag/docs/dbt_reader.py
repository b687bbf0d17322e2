"""dbt's YAML: models, sources, seeds and snapshots with their columns, and what their tests promise.

Semantic models and metrics, which may refer to other files, go to `DbtProject`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rag.docs.semantics import DbtProject, Node, nodes, texts

if TYPE_CHECKING:
    from rag.docs.collector import DocsCollector

RELATIONS = ("models", "seeds", "snapshots")
_OTHERS = ("macros", "exposures", "unit_tests", "data_tests", "groups", "saved_queries", "analyses", "functions")
_TESTS = ("tests", "data_tests")
_METRIC_KEYS = {"type", "type_params", "calculation_method", "agg", "model"}
_DOC = re.compile(r"\{\{\s*doc\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"](?P<name>[^'\"]+)['\"]\s*\)\s*\}\}")
_PROMISES = {"not_null": "never NULL", "unique": "unique", "primary_key": "primary key"}


def is_dbt(content: Node) -> bool:
    """Whether a YAML mapping is one of dbt's."""
    if any(key in content for key in (*RELATIONS, "sources", "semantic_models")):
        return True
    if any(_METRIC_KEYS & set(metric) for metric in nodes(content.get("metrics"))):
        return True
    return any(key in content for key in _OTHERS) and not {"tables", "rules", "queries"} & set(content)


class DbtReader:
    """Reads one document of a file. What other files are needed for goes to the collector's `DbtProject`."""

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
        """The description, with the blocks of Markdown that it refers to."""

        def block(match: re.Match[str]) -> str:
            name = match["name"]
            if name not in self._to.blocks:
                self._to.problem(self._source, f"there is no docs block {name!r} in the Markdown files beside it")
            return self._to.blocks.get(name, "")

        text = node.get("description")
        return _DOC.sub(block, text).strip() if isinstance(text, str) else ""

    # -- tests and constraints

    def _promises(self, node: Node, table: str, column: str) -> list[str]:
        """What the tests and constraints of a column, or of a table (`column` is empty), say of it."""
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
    """Name and arguments of each test and constraint, in every form that dbt has had for them."""
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
    """What a test is given, whether below `arguments` or beside it."""
    if not isinstance(description, dict):
        return {}
    inner = description.get("arguments")
    return {**description, **inner} if isinstance(inner, dict) else description


def _is_partial(arguments: Node) -> bool:
    """Whether a test looks at some of the rows only."""
    config = arguments.get("config")
    return "where" in arguments or (isinstance(config, dict) and "where" in config)


def _range(arguments: Node) -> list[str]:
    least, most = arguments.get("min_value"), arguments.get("max_value")
    if least is not None and most is not None:
        return [f"between {least} and {most}"]
    return [f"at least {least}"] if least is not None else [f"at most {most}"] if most is not None else []

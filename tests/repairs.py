"""The repairs of queries that cannot run, each by itself, as a test wants them."""

from __future__ import annotations

from typing import NamedTuple

from agent.checks.rules.base import RuleContext
from agent.checks.rules.registry import rules
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind
from executors.sql.tree import tree_to_change


class Repair(NamedTuple):
    """A query that was repaired, and its changes."""

    sql: str
    detail: str


def _found(name: str, sql: str, schema: Schema, error: ErrorKind) -> Repair | None:
    tree = tree_to_change(sql, DIALECTS[schema.dialect].sqlglot)
    rule = next(rule for rule in rules("repair") if rule.id == name)
    found = rule.find(RuleContext(sql, schema, tree, error=error))
    if found is None:
        return None
    assert found.sql is not None
    return Repair(found.sql, found.detail)


def rejoin(sql: str, schema: Schema) -> Repair | None:
    return _found("lost_joins", sql, schema, ErrorKind.COLUMN_NOT_FOUND)


def own_functions(sql: str, schema: Schema) -> Repair | None:
    return _found("foreign_functions", sql, schema, ErrorKind.FUNCTION_NOT_FOUND)

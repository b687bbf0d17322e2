"""Shared syntax trees."""

from __future__ import annotations

import pytest
from sqlglot import exp
from sqlglot.errors import ParseError

from executors.records.raw_records import derive
from executors.sql.parsed import parse_sql, statements
from executors.sql.tree import tree_to_change


def test_a_query_is_parsed_once() -> None:
    first = parse_sql("SELECT a FROM t", "sqlite")
    assert parse_sql("SELECT a FROM t", "sqlite") is first
    assert parse_sql("SELECT a FROM t", "duckdb") is not first
    assert first.sql() == "SELECT a FROM t"


def test_what_cannot_be_parsed_is_an_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ParseError):
            parse_sql("SELECT FROM WHERE", "sqlite")


def test_several_statements_are_all_there_and_none_is_shared_by_the_block() -> None:
    text = "SELECT a FROM t; SELECT b FROM t"
    block, trees = parse_sql(text, "sqlite"), statements(text, "sqlite")
    assert isinstance(block, exp.Block)
    assert [tree.sql() for tree in trees if tree] == ["SELECT a FROM t", "SELECT b FROM t"]
    assert all(tree.parent is None for tree in trees if tree)


def test_who_may_change_a_tree_gets_one_of_its_own() -> None:
    text = "SELECT a FROM t WHERE b = 1"
    own = tree_to_change(text, "sqlite")
    assert own is not None
    own.set("where", None)
    assert parse_sql(text, "sqlite").sql() == text
    counted = "WITH x AS (SELECT b FROM t) SELECT b, count(*) FROM x GROUP BY b"
    derived = derive(counted, "sqlite").sql
    assert derived != counted
    assert derive(counted, "sqlite").sql == derived
    assert parse_sql(counted, "sqlite").sql() == "WITH x AS (SELECT b FROM t) SELECT b, COUNT(*) FROM x GROUP BY b"

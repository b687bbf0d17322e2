"""Trees that are shared by those who read them."""

from __future__ import annotations

import pytest
from sqlglot.errors import ParseError

from executors.sql.parsed import parsed


def test_a_query_is_parsed_once() -> None:
    first = parsed("SELECT a FROM t", "sqlite")
    assert parsed("SELECT a FROM t", "sqlite") is first
    assert parsed("SELECT a FROM t", "duckdb") is not first
    assert first.sql() == "SELECT a FROM t"


def test_what_cannot_be_parsed_is_an_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ParseError):
            parsed("SELECT FROM WHERE", "sqlite")

"""When two results are the same answer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from agent.core.row_comparison import canonical, count_tied, is_ordered, same_rows, with_order_keys, without_limit
from executors.base import QueryResult


def rows(*values: tuple[Any, ...]) -> QueryResult:
    width = len(values[0]) if values else 1
    return QueryResult(columns=tuple(f"c{i}" for i in range(width)), rows=values)


@pytest.mark.parametrize(
    "gold, predicted, why",
    [
        (rows((1,), (2,)), rows((2,), (1,)), "the order of rows does not count"),
        (rows(("a", 1), ("b", 2)), rows((1, "a"), (2, "b")), "nor does that of columns"),
        (rows((1, 2, 3), (4, 5, 6)), rows((3, 1, 2), (6, 4, 5)), "three columns, turned round"),
        (rows((0.1 + 0.2,)), rows((0.3,)), "noise in the last digit"),
        (rows((643160.9,)), rows(("643160.90",)), "an exact decimal arrives as text"),
        (rows((Decimal("12.50"),)), rows((12.5,)), "or as a Decimal"),
        (rows((2,)), rows((2.0,)), "a whole float is a whole number"),
        (rows((True,)), rows((1,)), "a truth value is 1 or 0"),
        (rows((None, 1)), rows((None, 1)), "NULL equals NULL"),
        (rows(("2024-03-01",)), rows(("2024-03-01T00:00:00",)), "a day is its midnight"),
        (rows(("2024-03-01 10:00:00",)), rows(("2024-03-01T10:00:00.000",)), "one moment, written twice"),
        (rows((1.0000000001, "b"), (1.0, "a")), rows((1.0, "b"), (1.0000000001, "a")), "noise sorts rows apart"),
        (rows((1e18,)), rows((1e18 + 256,)), "floats beyond 2**53 are not exact"),
        (rows(), QueryResult(columns=("a", "b"), rows=()), "two results without rows"),
    ],
)
def test_same(gold: QueryResult, predicted: QueryResult, why: str) -> None:
    assert same_rows(gold, predicted, ordered=False), why
    assert same_rows(predicted, gold, ordered=False), why


@pytest.mark.parametrize(
    "gold, predicted, why",
    [
        (rows((1,), (1,)), rows((1,)), "rows count as often as they occur"),
        (rows((1,), (1,), (2,)), rows((1,), (2,), (2,)), "also where there are as many"),
        (rows((1,)), rows((1, 2)), "a column that was not asked for"),
        (rows(("a", 1), ("b", 2)), rows(("a", 2), ("b", 1)), "each column fits, the rows do not"),
        (rows((12345678,)), rows((12345679,)), "whole numbers are compared exactly"),
        (rows((100.0,)), rows((100.01,)), "beyond the tolerance"),
        (rows(("7",)), rows(("007",)), "a code is no number"),
        (rows(("Berlin",)), rows(("berlin",)), "text is compared as it is"),
        (rows((None,)), rows((0,)), "NULL is not zero"),
        (rows((None,)), rows(("",)), "nor empty text"),
        (rows((1,)), rows(), "no rows"),
    ],
)
def test_different(gold: QueryResult, predicted: QueryResult, why: str) -> None:
    assert not same_rows(gold, predicted, ordered=False), why
    assert not same_rows(predicted, gold, ordered=False), why


def test_the_order_counts_where_the_gold_query_orders() -> None:
    best_first, worst_first = rows(("a", 2), ("b", 1)), rows((1, "b"), (2, "a"))

    assert same_rows(best_first, worst_first, ordered=False)
    assert not same_rows(best_first, worst_first, ordered=True)
    assert same_rows(best_first, rows((2, "a"), (1, "b")), ordered=True)


def test_a_wide_result_of_equal_columns_ends_soon() -> None:
    wide = QueryResult(columns=tuple("abcdefghijkl"), rows=((1,) * 12, (2,) * 12))
    crossed = QueryResult(columns=wide.columns, rows=((1,) * 11 + (2,), (2,) * 11 + (1,)))

    assert same_rows(wide, wide, ordered=True)
    assert not same_rows(wide, crossed, ordered=False)


@pytest.mark.parametrize(
    "sql, ordered",
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("SELECT a FROM t UNION SELECT a FROM u ORDER BY a", True),
        ("WITH x AS (SELECT a FROM t ORDER BY a LIMIT 3) SELECT a FROM x", False),
        ("SELECT RANK() OVER (ORDER BY a) FROM t", False),
        ("SELECT a FROM t", False),
        ("SELEC a FRM", False),
    ],
)
def test_only_an_order_by_at_the_top_orders(sql: str, ordered: bool) -> None:
    assert is_ordered(sql, "sqlite") is ordered


@pytest.mark.parametrize(
    "sql, bare",
    [
        ("SELECT a FROM t LIMIT 500", "SELECT a FROM t"),
        ("SELECT a FROM (SELECT a FROM t LIMIT 5) LIMIT 500", "SELECT a FROM (SELECT a FROM t LIMIT 5)"),
        ("SELECT a FROM t", "SELECT a FROM t"),
        ("SELECT ((", "SELECT (("),
    ],
)
def test_takes_away_the_outer_limit(sql: str, bare: str) -> None:
    assert without_limit(sql, "sqlite") == bare


@pytest.mark.parametrize("value", ["9" * 5000, "1.5.2", "--1", "12 apples", "0x10"])
def test_text_that_is_no_plain_number_stays_text(value: str) -> None:
    assert canonical(value) == value


def test_rows_that_the_order_leaves_equal_have_none_among_each_other() -> None:
    gold, turned = rows(("a", 3), ("b", 1), ("c", 1)), rows(("a", 3), ("c", 1), ("b", 1))
    assert not same_rows(gold, turned, ordered=True)
    assert same_rows(gold, turned, ordered=True, ties=(1, 2))
    assert not same_rows(gold, rows(("b", 1), ("a", 3), ("c", 1)), ordered=True, ties=(1, 2))
    assert count_tied(gold, rows(("a", 3, 3), ("b", 1, 1), ("c", 1, 1))) == (1, 2)
    assert count_tied(gold, rows(("a", 3, 3), ("c", 1, 1), ("b", 1, 1))) == (), "not the rows of gold"


@pytest.mark.parametrize(
    "sql, keyed",
    [
        ("SELECT a, b FROM t ORDER BY 2 DESC", "SELECT a, b, b AS order_key_0 FROM t ORDER BY 2 DESC"),
        (
            "SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n LIMIT 3",
            "SELECT a, COUNT(*) AS n, COUNT(*) AS order_key_0 FROM t GROUP BY a ORDER BY n LIMIT 3",
        ),
        (
            "SELECT a FROM t GROUP BY a ORDER BY SUM(b), a",
            "SELECT a, SUM(b) AS order_key_0, a AS order_key_1 FROM t GROUP BY a ORDER BY SUM(b), a",
        ),
        ("SELECT a FROM t", None),
        ("SELECT DISTINCT a FROM t ORDER BY b", None),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", None),
        ("SELECT a FROM t ORDER BY 7", None),
    ],
)
def test_what_a_query_orders_by_is_told_beside_each_row(sql: str, keyed: str | None) -> None:
    assert with_order_keys(sql, "sqlite") == keyed

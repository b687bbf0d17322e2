"""Execution accuracy: whether a query returns the rows of a gold query.

The measure is the one of Spider's test-suite evaluation (Zhong, Yu and Klein, "Semantic Evaluation for Text-to-SQL with
Distilled Test Suites", EMNLP 2020): rows count as often as they occur, their order counts where the gold query orders,
and columns may come in another order. BIRD compares sets of rows, so it forgives a missing DISTINCT; Defog's evaluation
accepts columns that were not asked for. Neither is done here: an answer has the rows and columns that were asked for.
Unlike Spider, ORDER BY counts at the top level only, rows with equal order keys may come in any order among themselves,
and numbers are compared with a tolerance.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from executors.base import JsonValue, QueryResult

Cell = int | float | str | None
Row = tuple[Cell, ...]

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-9  # float sums that should be zero seldom are
MAX_COLUMN_ORDERS = 1_000
_LONGEST_NUMBER = 60
_MOST_UNSORTED_ROWS = 500

# Exact decimals arrive as text; "007" is a code, not a number.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?(?:[eE][+-]?\d+)?")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?")


def same_rows(gold: QueryResult, predicted: QueryResult, *, ordered: bool, ties: Sequence[int] = ()) -> bool:
    """Whether both hold the same rows.

    Args:
        gold, predicted: complete results (not truncated), as the executors return them.
        ordered: whether the order of the rows counts.
        ties: sizes of the groups of gold rows with equal order keys, in order; empty: every row is its own group.

    Returns:
        True if some order of the predicted columns (at most `MAX_COLUMN_ORDERS` are tried) makes the rows equal.
        Numbers are equal within 1e-6 of their size, whole numbers only when they are the same; a decimal as text is a
        number; NULL equals NULL; a day equals its midnight; other text is compared as it is. Two results without rows
        are equal.
    """
    if len(gold.rows) != len(predicted.rows):
        return False
    if not gold.rows:
        return True
    if len(gold.columns) != len(predicted.columns):
        return False
    wanted = [tuple(map(canonical, row)) for row in gold.rows]
    given = [tuple(map(canonical, row)) for row in predicted.rows]
    sizes = ties or [1] * len(wanted)

    def in_order(rows: Sequence[Row], others: Sequence[Row]) -> bool:
        ends = list(accumulate(sizes))
        return all(
            _same_multiset(rows[end - n : end], others[end - n : end]) for n, end in zip(sizes, ends, strict=True)
        )

    agree = in_order if ordered else _same_multiset
    orders = islice(_column_orders(wanted, given), MAX_COLUMN_ORDERS)
    return any(agree(wanted, [tuple(row[i] for i in order) for row in given]) for order in orders)


def round_alike(one: QueryResult, other: QueryResult) -> tuple[QueryResult, QueryResult]:
    """Both results, with each column's numbers rounded to as many decimals as the one with fewer shows there.

    So 10.58 and 10.6 are the same value, once rounded by a query. A column of whole numbers, such as 3 or 3.0, rounds
    nothing: it may be 3.4 by an integer division. Columns are compared by position; unequal widths change nothing.
    """
    if len(one.columns) != len(other.columns):
        return one, other
    places = [_decimals(it) for it in (one, other)]
    shared = [min(pair) if min(pair) and len(set(pair)) > 1 else None for pair in zip(*places, strict=True)]
    if not any(shared):
        return one, other
    first, second = (_round_rows(it, shared) for it in (one, other))
    return first, second


def _decimals(result: QueryResult) -> list[int]:
    """The most decimals of a number in each column; 0 if a value is no number."""
    found = [0] * len(result.columns)
    for row in result.rows:
        for at, value in enumerate(row):
            number = canonical(value)
            if isinstance(number, float):
                found[at] = max(found[at], len(str(number).partition(".")[2]))
    return found


def _round_rows(result: QueryResult, places: Sequence[int | None]) -> QueryResult:
    rows = (
        tuple(cell if n is None else _round_cell(cell, n) for cell, n in zip(row, places, strict=True))
        for row in result.rows
    )
    return result.model_copy(update={"rows": tuple(rows)})


def _round_cell(value: JsonValue, places: int) -> JsonValue:
    number = canonical(value)
    return round(number, places) if isinstance(number, float) else value


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the query as a whole, not only a part of it, has an ORDER BY. False if it cannot be parsed."""
    tree = _parse(sql, dialect)
    return tree is not None and tree.args.get("order") is not None


def without_limit(sql: str, dialect: str) -> str:
    """The query without the LIMIT of its top level; unchanged if it cannot be parsed."""
    tree = _parse(sql, dialect)
    if tree is None or tree.args.get("limit") is None:
        return sql
    tree.set("limit", None)
    return tree.sql(dialect=dialect)


def with_order_keys(sql: str, dialect: str) -> str | None:
    """The query with its order keys as additional last columns; None if rows have no such keys."""
    tree = _parse(sql, dialect)
    if not isinstance(tree, exp.Select) or tree.args.get("order") is None or tree.args.get("distinct"):
        return None
    called = {item.alias.lower(): item.unalias() for item in tree.expressions if item.alias}
    keys: list[exp.Expr] = []
    for ordered in tree.args["order"].expressions:
        key = ordered.this.copy()
        if isinstance(key, exp.Literal):
            place = int(key.this) if key.is_int else 0
            if not 0 < place <= len(tree.expressions):
                return None
            key = tree.expressions[place - 1].unalias().copy()
        keys.append(key.transform(_resolve_alias, called))
    return tree.select(*(exp.alias_(key, f"order_key_{n}") for n, key in enumerate(keys))).sql(dialect=dialect)


def _resolve_alias(node: exp.Expr, called: Mapping[str, exp.Expr]) -> exp.Expr:
    named = isinstance(node, exp.Column) and not node.table
    return called[node.name.lower()].copy() if named and node.name.lower() in called else node


def count_tied(gold: QueryResult, with_keys: QueryResult) -> tuple[int, ...]:
    """Sizes of the runs of `gold`'s rows with equal keys, the last columns of `with_keys`; empty: rows differ."""
    width = len(gold.columns)
    if [row[:width] for row in with_keys.rows] != list(gold.rows):
        return ()
    return tuple(len(list(rows)) for _, rows in groupby(with_keys.rows, key=lambda row: row[width:]))


def canonical(value: JsonValue) -> Cell:
    """The value in the form used for comparison."""
    if isinstance(value, bool):
        return int(value)  # CASE WHEN x THEN 1 is the same as x
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        # Beyond 2**53 a float is no longer exact, so it is compared within the tolerance.
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    text = str(value)
    if len(text) <= _LONGEST_NUMBER and (number := _NUMBER.fullmatch(text)):
        return int(text) if text.lstrip("-").isdigit() else canonical(float(number.group()))
    if moment := _MOMENT.fullmatch(text):
        day, clock, fraction = moment.group(1), moment.group(2), (moment.group(3) or "").rstrip("0")
        if fraction:
            return f"{day} {clock}.{fraction}"
        return day if clock == "00:00:00" else f"{day} {clock}"
    return text


def _parse(sql: str, dialect: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(sql, dialect=dialect)
    except SqlglotError:
        return None


def _equal(a: Cell, b: Cell) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        return math.isclose(a, b, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    return a == b


def _equal_rows(a: Row, b: Row) -> bool:
    return all(map(_equal, a, b))


def _same_multiset(wanted: Sequence[Row], given: Sequence[Row]) -> bool:
    """Whether the rows can be paired. Rows that agree in all but their numbers are paired among themselves."""
    groups: dict[Row, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((wanted, given)):
        for row in rows:
            groups[_text_of(row)][side].append(row)
    return all(len(left) == len(right) and _pair(left, right) for left, right in groups.values())


def _text_of(row: Row) -> Row:
    return tuple("#" if isinstance(cell, (int, float)) else cell for cell in row)


def _pair(left: list[Row], right: list[Row]) -> bool:
    left, right = sorted(left, key=_sort_key), sorted(right, key=_sort_key)
    if all(map(_equal_rows, left, right)):
        return True
    # Numbers that differ in the last digit may have sorted apart; then each row looks for its partner.
    if len(left) > _MOST_UNSORTED_ROWS:
        return False
    for row in left:
        partner = next((i for i, other in enumerate(right) if _equal_rows(row, other)), None)
        if partner is None:
            return False
        del right[partner]
    return True


def _sort_key(row: Row) -> list[tuple[int, float, str]]:
    """Rounded values first, so that noise in the last digits of one cell does not outweigh the next cell."""
    rounded = (float(f"{cell:.6g}") if isinstance(cell, float) else cell for cell in row)
    return [_cell_key(cell) for cell in (*rounded, *row)]


def _cell_key(cell: Cell) -> tuple[int, float, str]:
    if cell is None:
        return 0, 0.0, ""
    return (2, 0.0, cell) if isinstance(cell, str) else (1, cell, "")


def _column_orders(wanted: list[Row], given: list[Row]) -> Iterator[tuple[int, ...]]:
    """Orders of the given columns in which each column has the values of the wanted column, the given order first."""
    width = len(wanted[0])
    sorted_given = [sorted((row[i] for row in given), key=_cell_key) for i in range(width)]
    fits: list[list[int]] = []
    for position in range(width):
        column = sorted((row[position] for row in wanted), key=_cell_key)
        candidates = (position, *(i for i in range(width) if i != position))
        fits.append([i for i in candidates if all(map(_equal, column, sorted_given[i]))])

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == width:
            yield chosen
            return
        for i in fits[len(chosen)]:
            if i not in chosen:
                yield from extend((*chosen, i))

    return extend(())

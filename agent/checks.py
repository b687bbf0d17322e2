"""Checks of a result that need no model: does its shape fit what was asked?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.models import Check
from executors.base import CheckedSql, Column, QueryResult, Schema, Table

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.database import Database

# "top 5", "the 3 best", "five largest": how many rows were asked for.
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
}
_COUNT = rf"(\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
_MOST = r"(?:best|worst|largest|biggest|smallest|highest|lowest|most|least|latest|newest|oldest|cheapest|longest)"
TOP_N = re.compile(rf"\b(?:top|first|last|bottom)\s+{_COUNT}\b|\b{_COUNT}\s+(?:\w+\s+)?{_MOST}\b", re.IGNORECASE)

MAX_LITERALS = 5
MAX_NEAREST = 3
VALUES_READ = 2000


def shape_checks(question: str, result: QueryResult) -> list[Check]:
    """Rows at all, not only NULLs, and not more rows than the question's own number.

    Args:
        question: as asked.
        result: what the query gave.
    """
    if result.row_count == 0:
        return [Check(name="has_rows", passed=False, detail="The query returned no rows.")]
    checks = [Check(name="has_rows", passed=True, detail=f"{result.row_count} rows.")]
    only_null = all(value is None for row in result.rows for value in row)
    detail = "Every value is NULL: the filters may match nothing." if only_null else ""
    checks.append(Check(name="not_all_null", passed=not only_null, detail=detail))
    wanted = _asked_count(question)
    if wanted is not None:
        fits = result.row_count <= wanted
        detail = f"{wanted} rows were asked for, {result.row_count} came."
        checks.append(Check(name="asked_row_count", passed=fits, detail=detail))
    return checks


async def filter_value_check(query: CheckedSql, schema: Schema, database: Database) -> Check:
    """Does every text that the query filters on exist in its column? The nearest stored values where it does not.

    Only `column = 'text'` and `column IN ('text', ...)` on real tables are looked up, five at most, each by one
    bounded query through the same guard as every other.
    """
    name = "filter_values"
    comparisons = _text_comparisons(query.sql, schema)
    if not comparisons:
        return Check(name=name, passed=True, detail="No text is filtered on.")
    missing: list[str] = []
    for table, column, value in comparisons[:MAX_LITERALS]:
        stored = await _stored_like(table, column, value, schema, database)
        if stored is not None:
            near = f"; nearest stored: {', '.join(map(repr, stored))}" if stored else ""
            missing.append(f"{table.name}.{column.name} holds no {value!r}{near}.")
    if missing:
        return Check(name=name, passed=False, detail=" ".join(missing))
    return Check(name=name, passed=True, detail="Every text that is filtered on is stored in its column.")


def _asked_count(question: str) -> int | None:
    match = TOP_N.search(question)
    if match is None:
        return None
    word = (match[1] or match[2]).lower()
    return NUMBER_WORDS.get(word) or int(word)


def _text_comparisons(sql: str, schema: Schema) -> list[tuple[Table, Column, str]]:
    """(table, column, text) of each equality on a column that belongs to one real table of the query."""
    from sqlglot import exp, parse_one

    from executors.dialects import DIALECTS

    tree = parse_one(sql, read=DIALECTS[schema.dialect].sqlglot)
    tables = {t.alias_or_name.lower(): table for t in tree.find_all(exp.Table) if (table := schema.table(t.name))}
    found: list[tuple[Table, Column, str]] = []
    for node in tree.find_all(exp.EQ, exp.In):
        column, literals = _sides(node)
        if column is None:
            continue
        qualified = tables.get(column.table.lower())
        candidates = [qualified] if qualified else [] if column.table else list(dict.fromkeys(tables.values()))
        owners = [(t, c) for t in candidates if (c := t.column(column.name)) is not None]
        if len(owners) == 1:
            found += [(*owners[0], text) for text in literals]
    return list(dict.fromkeys(found))


def _sides(node: exp.Expr) -> tuple[exp.Column | None, list[str]]:
    from sqlglot import exp

    if isinstance(node, exp.In):
        column, others = node.this, node.expressions
    elif isinstance(node.this, exp.Column):
        column, others = node.this, [node.expression]
    else:
        column, others = node.expression, [node.this]
    if not isinstance(column, exp.Column):
        return None, []
    return column, [o.this for o in others if isinstance(o, exp.Literal) and o.is_string]


async def _stored_like(
    table: Table, column: Column, value: str, schema: Schema, database: Database
) -> list[str] | None:
    """None when the value is stored; else the nearest stored values, best first."""
    if value in column.samples:
        return None
    from rapidfuzz import fuzz, process, utils
    from sqlglot import exp

    from executors.dialects import DIALECTS

    name = exp.column(column.name, quoted=True)
    source = exp.select(name).distinct().from_(exp.to_table(table.name, alias=None).transform(_quoted))
    dialect = DIALECTS[schema.dialect].sqlglot
    exact = await database.check(source.where(name.eq(value)).sql(dialect=dialect), 1)
    if (await database.run(exact)).rows:
        return None
    some = await database.run(await database.check(source.sql(dialect=dialect), VALUES_READ))
    texts = [row[0] for row in some.rows if isinstance(row[0], str)]
    near = process.extract(value, texts, scorer=fuzz.WRatio, processor=utils.default_process, limit=MAX_NEAREST)
    return [text for text, score, _ in near if score >= 60]


def _quoted(node: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    if isinstance(node, exp.Identifier):
        node.set("quoted", True)
    return node

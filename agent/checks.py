"""Checks of a result that need no model: does its shape fit what was asked?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.models import Check
from executors.base import CheckedSql, Column, QueryResult, Schema, Table
from executors.errors import DatabaseUnavailable, SqlError

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.database import Database

# "top 5", "the 3 best", "five largest": how many rows were asked for.
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1)
}
# What a number counts where it counts no rows: "the last 3 months", "the top 10 %", "the first 2 letters".
_NO_ROWS = (
    r"(?![.,]?\d|\s*%|[\s-]+(?:(?:calendar|business|working|fiscal|full|whole|complete|consecutive)\s+)?"
    r"(?:per\s?cent|percent\w*|seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|quarters?|years?|decades?"
    r"|letters?|characters?|digits?|words?)\b)"
)
_COUNT = rf"(\d{{1,3}}|{'|'.join(NUMBER_WORDS)})\b{_NO_ROWS}"
_MOST = r"(?:best|worst|largest|biggest|smallest|highest|lowest|most|least|latest|newest|oldest|cheapest|longest)"
# What stands before "5 largest" where the number is asked for; in "store one best" it names something.
_ASKING = (
    r"(?:^|[:;]\s*|\b(?:the|our|my|your|their|its|these|those|all|which|what|are|is|were|show|list|name|find|get|give"
    r"|return|display|me|us)\s+)"
)
TOP_N = re.compile(
    rf"\b(?:top|first|last|bottom)[\s-]+{_COUNT}|{_ASKING}{_COUNT}\s+(?:\w+\s+)?{_MOST}\b", re.IGNORECASE
)
# So many rows of each group may be meant, and nobody can tell how many groups there are.
_GROUPED = re.compile(r"\b(?:each|per|every)\b", re.IGNORECASE)

# Checks that a judge may overrule: what looks wrong by its shape may be what the data really says.
SOFT_CHECKS = frozenset({"has_rows"})

_TEXT_TYPE = re.compile(r"char|text|string|clob|enum", re.IGNORECASE)
_NESTED_TYPE = re.compile(r"^\s*(?:array|list|struct|map|row|union|tuple|variant)\b|\]\s*$", re.IGNORECASE)

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
    wanted = asked_count(question)
    if wanted is not None:
        fits = result.row_count <= wanted
        detail = f"{wanted} rows were asked for, {result.row_count} came."
        checks.append(Check(name="asked_row_count", passed=fits, detail=detail))
    return checks


async def filter_value_check(query: CheckedSql, schema: Schema, database: Database) -> Check:
    """Does every text that the query filters on exist in its column? The nearest stored values where it does not.

    Only `column = 'text'` and `column IN ('text', ...)` on real tables are looked up, five at most, each by one
    bounded query through the same guard as every other. Where such a query fails, the check could not be made.
    """
    name = "filter_values"
    comparisons = _text_comparisons(query.sql, schema)
    if not comparisons:
        return Check(name=name, passed=True, detail="No text is filtered on.")
    missing: list[str] = []
    unmade = ""
    for table, column, value in comparisons[:MAX_LITERALS]:
        try:
            stored = await _stored_like(table, column, value, schema, database)
        except (SqlError, DatabaseUnavailable) as error:  # one that is too slow is not followed by four more
            unmade = f"{table.name}.{column.name} could not be searched for {value!r}: {error}"
            break
        if stored is not None:
            near = f"; nearest stored: {', '.join(map(repr, stored))}" if stored else ""
            missing.append(f"{table.name}.{column.name} holds no {value!r}{near}.")
    if missing:
        return Check(name=name, passed=False, detail=" ".join(missing))
    if unmade:
        return Check(name=name, passed=None, detail=unmade)
    return Check(name=name, passed=True, detail="Every text that is filtered on is stored in its column.")


def asked_count(question: str) -> int | None:
    """How many rows a question asks for in so many words; None where it names no number, or may mean one of groups."""
    match = TOP_N.search(question)
    if match is None or _GROUPED.search(question):
        return None
    word = (match[1] or match[2]).lower()
    return NUMBER_WORDS.get(word) or int(word)


def _text_comparisons(sql: str, schema: Schema) -> list[tuple[Table, Column, str]]:
    """(table, column, text) of each equality on a text column that belongs to one real table of its SELECT."""
    from sqlglot import exp, parse_one

    from executors.dialects import DIALECTS

    tree = parse_one(sql, read=DIALECTS[schema.dialect].sqlglot)
    found: list[tuple[Table, Column, str]] = []
    for node in tree.find_all(exp.EQ, exp.In):
        column, literals = _sides(node)
        if column is None or isinstance(node.find_ancestor(exp.Not, exp.Select), exp.Not):
            continue
        owner = _owner(column, schema)
        if owner is not None and is_text(owner[1]) and not owner[1].private:  # the nearest values would show it
            found += [(*owner, text) for text in literals]
    return list(dict.fromkeys(found))


def _owner(column: exp.Column, schema: Schema) -> tuple[Table, Column] | None:
    """The real table that a column is of, looked for in its own SELECT first; None where that is not certain."""
    from sqlglot import exp

    from executors.sql.mend import tables_of

    select = column.find_ancestor(exp.Select)
    if column.args.get("db"):
        return None
    while select is not None:
        tables = tables_of(select, schema)
        by_alias = {alias.lower(): table for alias, table in tables.items()}
        if column.table and column.table.lower() not in by_alias:
            select = select.find_ancestor(exp.Select)
            continue
        read = [by_alias[column.table.lower()]] if column.table else list(tables.values())
        owners = [(table, c) for table in read if table is not None and (c := table.column(column.name)) is not None]
        return owners[0] if len(owners) == 1 and None not in read else None
    return None


def is_text(column: Column) -> bool:
    """Whether a column holds texts, and not lists or records of them."""
    return bool(_TEXT_TYPE.search(column.type)) and not _NESTED_TYPE.search(column.type)


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
    *namespace, last = table.parts
    from_ = exp.table_(last, db=namespace[0] if namespace else None, quoted=True)
    source = exp.select(name).distinct().from_(from_)
    dialect = DIALECTS[schema.dialect].sqlglot
    exact = await database.check(source.where(name.eq(value)).sql(dialect=dialect), 1)
    if (await database.run(exact)).rows:
        return None
    some = await database.run(await database.check(source.sql(dialect=dialect), VALUES_READ))
    texts = [row[0] for row in some.rows if isinstance(row[0], str)]
    near = process.extract(value, texts, scorer=fuzz.WRatio, processor=utils.default_process, limit=MAX_NEAREST)
    return [text for text, score, _ in near if score >= 60]

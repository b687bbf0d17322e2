"""Derives the rows behind an aggregate from the query's syntax tree, without a model.

FROM, JOIN, WHERE and the CTEs stay. GROUP BY, DISTINCT, aggregates and windows are removed. If the aggregate is in a
subquery or CTE, the rows are those of the innermost aggregate that the outer query reads.

The records are exactly those of the groups that the result shows:

- Clauses that select groups by their values (HAVING, QUALIFY, ORDER BY with LIMIT, an outer WHERE on an aggregated
  column) become a query of the keys of the selected groups, to which the rows are joined. NULL keys equal each other.
- Conditions on grouping keys alone move into WHERE, because they apply to whole groups. They do not move past a window
  function, which may read rows of other groups (`LAG`), or into the subtotals of ROLLUP.
- A window that puts values of other groups into a row is computed from all groups that it read, whichever rows a LIMIT
  keeps.
- `SUM(x) OVER (…)` without GROUP BY keeps every row, and SELECT DISTINCT has no aggregate, so neither needs records.
  Both together (`SELECT DISTINCT city, SUM(x) OVER (PARTITION BY city)`) are equivalent to GROUP BY, and need them.
- If an aggregate only selects rows (`price > (SELECT AVG(price) …)`, `o.day = m.last_day`), these rows are the records.

If the tree does not prove that rows are those behind the result, the answer is a reason instead of a query.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from executors.base import Frozen, JsonValue, QueryResult, Schema
from executors.records.lineage import NO_AGGREGATE, Lineage, LineageKind, NotDerivable, open_query
from executors.records.record_query import ALL, Rewriter, Want
from executors.records.record_select import RecordColumns
from executors.sql.bounded import TooMuchToRead, TooMuchToWrite
from executors.sql.parsed import statements
from executors.values import as_text

NO_ROWS = "the result has no rows"
_HIDDEN_KEYS = "the result does not show what its rows are grouped by, or computes them from several groups"


class RawQuery(Frozen):
    """The query of the rows behind an aggregate.

    sql: The derived query, without a limit. None if it is not needed or cannot be derived.
    count: The query of its number of rows.
    reason: Why there is no query. Empty otherwise.
    needed: Whether the query aggregates, so that its result hides rows.
    keys: The columns of the result that distinguish its groups. None if it does not show all of them. Empty if the
        result is one group.
    """

    sql: str | None
    count: str | None = None
    reason: str
    needed: bool
    keys: tuple[str, ...] | None = None


def derive(
    sql: str,
    dialect: str,
    *,
    schema: Schema | None = None,
    result: QueryResult | None = None,
    groups: Sequence[Mapping[str, JsonValue]] | None = None,
) -> RawQuery:
    """The query of the rows behind `sql`, in the same dialect (sqlglot's name), or the reason why there is none.

    No SQL text raises an error. Args: schema: adds the primary keys and all columns to the records; result: the result
    of `sql`, which shows whether a limit cut off rows; groups: rows of the result, by column, whose records are wanted;
    None: all rows. Raises ValueError: sqlglot does not know the dialect.
    """
    needed = False
    try:
        trees = [tree for tree in statements(sql, dialect) if tree is not None]
        if len(trees) != 1 or not isinstance(trees[0], (exp.Query, exp.Pivot)):
            return RawQuery(sql=None, reason="only a single SELECT has records behind it", needed=False)
        query, lineage = open_query(trees[0].copy(), {}), Lineage()
        if lineage.plan(query).kind is LineageKind.RECORDS:
            return RawQuery(sql=None, reason=NO_AGGREGATE, needed=False)
        if result is not None and not result.rows:
            return RawQuery(sql=None, reason=NO_ROWS, needed=False)
        needed = True
        rewriter = Rewriter(
            lineage,
            dialect,
            columns=RecordColumns(schema) if schema is not None else None,
            rows=result.row_count if result is not None else None,
            never_null=_never_null(result),
        )
        keys = rewriter.keys(query)
        found = rewriter.run(query, ALL if groups is None else _these(groups, keys))
        text, count = (tree.sql(dialect=dialect, comments=False) for tree in (found.tree, found.count))
        return RawQuery(sql=text, count=count, reason="", needed=True, keys=keys)
    except NotDerivable as error:
        return RawQuery(sql=None, reason=str(error), needed=True)
    except (RecursionError, TooMuchToRead, TooMuchToWrite):
        return RawQuery(sql=None, reason="the query is nested too deeply", needed=needed)
    except SqlglotError:
        return RawQuery(sql=None, reason="the query cannot be parsed", needed=needed)


def strays(raw: RawQuery, result: QueryResult, records: QueryResult, *, ignores_case: bool = False) -> bool:
    """Whether some records belong to groups that the complete result does not show, or the other way round.

    If groups tie for the last place of a LIMIT, a database may choose other ones the second time. If the records are
    truncated, groups without records do not count. `ignores_case`: the database takes `a` and `A` for the same: a group
    shows one of them, and has records of both.
    """
    keys = raw.keys or ()
    places = {name.lower(): place for place, name in enumerate(records.columns)}
    shown = {name.lower(): place for place, name in enumerate(result.columns)}
    if not keys or not all(key.lower() in places and key.lower() in shown for key in keys):
        return False
    theirs = {tuple(_text(row[places[key.lower()]]) for key in keys) for row in records.rows}
    ours = {tuple(_text(row[shown[key.lower()]]) for key in keys) for row in result.rows}
    alike = {tuple(map(_fold, key)) for key in ours} if ignores_case else ours
    if any((tuple(map(_fold, key)) if ignores_case else key) not in alike for key in theirs):
        return True
    return not records.truncated and not ours <= theirs


def _text(value: JsonValue) -> str | None:
    """A value as text, which is the same for a number and for a number that was converted to text."""
    number = isinstance(value, float) and value.is_integer()
    return None if value is None else as_text(int(value) if number else value)


def _fold(text: str | None) -> str | None:
    """A text as collations compare it that ignore case, accents and spaces at the end."""
    marked = unicodedata.normalize("NFKD", text or "")
    return None if text is None else "".join(it for it in marked if not unicodedata.combining(it)).casefold().rstrip()


def _never_null(result: QueryResult | None) -> frozenset[str]:
    """The columns of a result without NULLs, in lower case."""
    if result is None:
        return frozenset()
    columns = zip(result.columns, zip(*result.rows, strict=True), strict=True) if result.rows else ()
    return frozenset(name.lower() for name, values in columns if None not in values)


def _these(groups: Sequence[Mapping[str, JsonValue]], keys: tuple[str, ...] | None) -> Want:
    """The wanted rows of a result: those with the keys of `groups`. Raises NotDerivable."""
    if keys is None:
        raise NotDerivable(_HIDDEN_KEYS)
    if not keys:
        return ALL
    rows = [{name.lower(): value for name, value in group.items()} for group in groups]
    if missing := next((key for row in rows for key in keys if key.lower() not in row), None):
        raise NotDerivable(f"the row says nothing of {missing!r}, by which the result is grouped")
    if len(keys) == 1:  # a short form, because there may be hundreds of values
        return Want(conditions=(_among(keys[0], [row[keys[0].lower()] for row in rows]),), known=True)
    each = [exp.and_(*(_among(key, [row[key.lower()]]) for key in keys)) for row in rows]
    return Want(conditions=(exp.paren(exp.or_(*each)),), known=True)


def _among(column: str, values: Sequence[JsonValue]) -> exp.Expr:
    """The condition that a column has one of these values, which may include NULL. Raises NotDerivable."""
    if any(isinstance(value, list | dict) for value in values):
        raise NotDerivable(f"{column!r} has nested values, which no condition can name")
    name = exp.column(exp.to_identifier(column))
    there = [exp.convert(value) for value in dict.fromkeys(value for value in values if value is not None)]
    ways: list[exp.Expr] = [exp.Is(this=name.copy(), expression=exp.Null())] if None in values else []
    if there:
        ways.append(exp.EQ(this=name, expression=there[0]) if len(there) == 1 else exp.In(this=name, expressions=there))
    return exp.paren(exp.or_(*ways)) if len(ways) > 1 else ways[0]

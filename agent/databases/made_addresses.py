"""Finds addresses that a query assembles in its rows: in answers, their records, planned changes.

There are too many ways to assemble a text to list them all, so functions are not traced. A column of the result that
returns stored values may hold an address. A computed one may not, unless the question contains the address.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from agent.core.resilience.off_loop import off_loop
from agent.core.texts.addresses import addresses, normal
from executors.base import CheckedSql, QueryResult
from executors.dialects.row import words
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlFailed

if TYPE_CHECKING:
    from sqlglot import exp

# Functions without a sqlglot class that return one of their arguments or a part of one, or a number.
_CHOOSE = words(
    "any_value anylast anyheavy first last lcase ucase lower upper max_by min_by argmax argmin arg_max arg_min mid",
    "substr substring substring_index left right ltrim rtrim btrim trim split_part regexp_substr regexp_extract",
    "regexp_extract_all ifnull nvl nvl2 coalesce iif if nullif greatest least domain path unnest explode",
    "row_number rank dense_rank ntile percent_rank cume_dist",
)


async def refuse_made_address(query: CheckedSql, rows: QueryResult, dialect: str, question: str | None) -> None:
    """Raise SqlFailed if a computed column holds an address that is not stored in the data.

    Addresses in the question are allowed. Without a question, a person wrote the query, and any address is allowed.
    """
    if question is None:
        return
    if await off_loop(partial(makes_address, query.sql, DIALECTS[dialect].sqlglot, rows, question)):
        message = "The query assembles an address that is not in the data."
        raise SqlFailed(ErrorKind.PERMISSION, message, "Select the columns as they are stored.")


def makes_address(sql: str, dialect: str, result: QueryResult, question: str) -> bool:
    """Whether a computed column holds an address that is not in the question."""
    from sqlglot.errors import SqlglotError

    from executors.sql.parsed import parse_sql

    if not any(isinstance(value, str) for row in result.rows for value in row):
        return False
    try:
        made = _find_made(parse_sql(sql, dialect), len(result.columns), joins=dialect == "tsql")
    except (SqlglotError, RecursionError):
        made = frozenset(range(len(result.columns)))  # the guard's grammar accepts more
    known = normal(question)
    texts = (row[at] for row in result.rows for at in made if isinstance(row[at], str))
    return any(link not in known for text in texts for link in addresses(str(text)))


def _find_made(tree: exp.Expr, width: int, *, joins: bool) -> frozenset[int]:
    """The columns of the result that may hold a text that is not stored. Args: joins: whether `+` joins texts."""
    from sqlglot import exp

    if not any(_makes(part, joins=joins) for part in _parts(tree)):
        return frozenset()
    root = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    every = frozenset(range(width))
    if not isinstance(root, exp.Select) or not _reads_tables(root, tree):
        return every
    stars = [at for at, item in enumerate(root.expressions) if item.is_star]
    spread = width - len(root.expressions)  # columns of a star, beyond the first
    if len(stars) > 1 or spread < 0 or (spread and not stars):
        return every
    found = [at for at, item in enumerate(root.expressions) if not item.is_star and _makes(item, joins=joins)]
    return frozenset(at + spread if stars and at > stars[0] else at for at in found)


def _parts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The select lists of all queries in the tree, and their sources that are not tables."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        yield from select.expressions
    for node in tree.find_all(exp.Values, exp.Unnest):
        yield from node.expressions
    for source in tree.find_all(exp.Lateral, exp.Table):
        if isinstance(source.this, exp.Func):
            yield from source.this.iter_expressions()


def _reads_tables(root: exp.Select, tree: exp.Expr) -> bool:
    """Whether a SELECT reads only stored tables, so that its bare columns are stored."""
    from sqlglot import exp

    ctes = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    from_ = root.args.get("from_")
    sources = [*([from_.this] if from_ is not None else []), *(join.this for join in root.args.get("joins") or ())]
    return not root.args.get("laterals") and all(
        isinstance(it, exp.Table) and isinstance(it.this, exp.Identifier) and it.name.lower() not in ctes
        for it in sources
    )


def _makes(item: exp.Expr, *, joins: bool) -> bool:
    """Whether an expression may return a text that is not part of one of its arguments."""
    from sqlglot import exp

    silent = (exp.Predicate, exp.Query, exp.Order, exp.WindowSpec, exp.TableAlias)
    for node in item.walk(prune=lambda it: isinstance(it, silent)):
        if isinstance(node, silent) or _hands_on(node):
            continue
        if isinstance(node, exp.Add) and not joins:
            continue
        return True
    return False


def _hands_on(node: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.GroupConcat):
        separator = node.args.get("separator")
        return separator is None or (isinstance(separator, exp.Literal) and not {"/", ":"} & set(separator.name))
    if isinstance(node, exp.RegexpReplace | exp.Replace):
        new = node.args.get("replacement")
        return new is None or (isinstance(new, exp.Literal) and not new.name)
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in _CHOOSE
    return isinstance(
        node,
        (
            *(exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Literal, exp.Null, exp.Boolean, exp.Var, exp.Paren),
            *(exp.Cast, exp.DataType, exp.DataTypeParam, exp.Interval, exp.Collate, exp.Tuple),
            *(exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Greatest, exp.Least, exp.Lower, exp.Upper, exp.Trim),
            *(exp.Substring, exp.SubstringIndex, exp.Left, exp.Right, exp.SplitPart, exp.RegexpExtract, exp.Bracket),
            *(exp.Slice, exp.AggFunc, exp.Window, exp.Filter, exp.Where, exp.Distinct, exp.IgnoreNulls),
            *(exp.RespectNulls, exp.WithinGroup, exp.Ordered, exp.Round, exp.Abs, exp.Neg, exp.Extract),
            *(exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.TimestampTrunc, exp.DateTrunc, exp.Unnest),
            *(exp.RowNumber,),
        ),
    )

"""Reads facts about one SELECT that several rules need."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from executors.base import Column, Table
from executors.sql.tree import conjuncts

Place = tuple[str, str]  # an alias and a column, in lower case
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_SWAPPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d\d?")  # 1.500 or 2,5, as half of the world writes it
# Types of times that a cast to text does not write as `2025-03-01`: Oracle's by its setting, which is another.
_OTHER_TEXTS = {
    "sqlserver": re.compile(r"(?:small)?datetime$", re.IGNORECASE),
    "oracle": re.compile(r"date|timestamp", re.IGNORECASE),
}
_DATE_TYPE = re.compile(r"date|timestamp", re.IGNORECASE)


def holds_dates(column: Column, dialect: str) -> bool:
    """Whether a column holds dates, with or without times of day."""
    if dialect == "sqlite":  # it stores any value in a column of any type
        return bool(column.samples) and all(map(_DATE.match, column.samples))
    return _DATE_TYPE.search(column.type) is not None


def is_written_otherwise(column: Column, dialect: str) -> bool:
    """Whether a column holds times that the database does not write as `2025-03-01` when it converts them to text."""
    return dialect in _OTHER_TEXTS and _OTHER_TEXTS[dialect].match(column.type) is not None


def write_as_text(node: exp.Expr, column: Column, dialect: str) -> exp.Expr:
    """A column as text, with times as ISO 8601 writes them."""
    if not is_written_otherwise(column, dialect):
        return exp.cast(node.copy(), "TEXT")
    if dialect == "oracle":
        return exp.TimeToStr(this=node.copy(), format=exp.Literal.string("%Y-%m-%d %H:%M:%S"))
    to = exp.DataType.build("VARCHAR(19)", dialect="tsql")
    return exp.Convert(this=to, expression=node.copy(), style=exp.Literal.number(120))


def group_keys(select: exp.Query) -> list[exp.Expr]:
    """The expressions that a SELECT groups by; for a position or an alias, the item that it stands for."""
    group = select.args.get("group")
    named = {it.alias.lower(): it.unalias() for it in select.selects if it.alias}
    named |= {str(place): it.unalias() for place, it in enumerate(select.selects, 1)}
    keys = group.expressions if group is not None else []
    return [it if it.args.get("table") else named.get(it.name.lower(), it) for it in keys]


def key_of_order(select: exp.Select, key: exp.Expr) -> exp.Expr | None:
    """The expression that a key of ORDER BY means: itself, or the item of its alias or position."""
    if isinstance(key, exp.Column) and not key.table:
        return next((it.unalias() for it in select.selects if it.alias_or_name.lower() == key.name.lower()), key)
    if isinstance(key, exp.Literal) and key.is_int:
        if any(it.is_star for it in select.selects):
            return None
        return select.selects[int(key.this) - 1].unalias() if int(key.this) <= len(select.selects) else None
    return key


def is_cut(select: exp.Query) -> bool:
    """Whether a query shows only the first of its rows."""
    return bool(select.args.get("limit") or select.args.get("fetch"))


def count_of_different(node: exp.Expr) -> exp.Column | None:
    """The column whose different values an expression counts."""
    of = node.this if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct) else None
    column = of.expressions[0] if of is not None and len(of.expressions) == 1 else None
    return column if isinstance(column, exp.Column) else None


def columns_apart(tree: exp.Query) -> list[exp.Column]:
    """The columns whose different values a query counts, and the only one by which it groups if a LIMIT cuts groups."""
    counted = [column for it in tree.find_all(exp.Count) if (column := count_of_different(it)) is not None]
    keys: list[exp.Expr] = []
    if isinstance(tree, exp.Select) and is_cut(tree):
        keys = [it.unalias() for it in tree.selects] if tree.args.get("distinct") else group_keys(tree)
    return [*counted, *(it for it in keys if isinstance(it, exp.Column) and len(keys) == 1)]


def find_numbers(text: str) -> list[tuple[str, frozenset[float]]]:
    """The numbers in digits of a text, each with its readings: "1.500" is one and a half, or one thousand and five
    hundred."""
    found: list[tuple[str, frozenset[float]]] = []
    for number in _NUMBER.findall(text):
        plain = number.replace(",", "") if number.count(".") < 2 else ""
        swapped = number.replace(".", "").replace(",", ".") if _SWAPPED.fullmatch(number) else ""
        found.append((number, frozenset(float(it) for it in (plain, swapped) if it)))
    return found


def owner_alias(column: exp.Expr, tables: Mapping[str, Table | None]) -> str | None:
    """The alias of the one source that has a column; None if it could be several, or none."""
    of = column.table.lower() if isinstance(column, exp.Column) else None
    found = [it for it, table in tables.items() if of in {"", it} and table is not None and table.column(column.name)]
    return found[0] if len(found) == 1 else None


def equal_columns(select: exp.Select, tables: Mapping[str, Table | None]) -> set[tuple[Place, Place]]:
    """The pairs of columns that a SELECT requires to be equal, each pair in both orders.

    USING pairs a column with that of each earlier source that has it. A source that is no table may have any.
    """
    joins = select.args.get("joins") or []
    where, found = select.args.get("where"), set[tuple[Place, Place]]()
    for condition in [*(it.args.get("on") for it in joins), where.this if where is not None else None]:
        for part in conjuncts(condition):
            match part.unnest():
                case exp.EQ(this=exp.Column() as one, expression=exp.Column() as other):
                    found.add(((one.table.lower(), one.name.lower()), (other.table.lower(), other.name.lower())))
    sources = [part.this.alias_or_name.lower() for part in [select.args.get("from_"), *joins] if part is not None]
    for place, join in enumerate(joins, 1):
        names = [it.name.lower() for it in join.args.get("using") or []]
        for one in sources[:place]:
            table = tables.get(one)
            found |= {((one, it), (sources[place], it)) for it in names if table is None or table.column(it)}
    return found | {(other, one) for one, other in found}


def contains_key(columns: set[str], table: Table) -> bool:
    """Whether columns, in lower case, contain the primary key of a table."""
    return bool(table.primary_key) and {it.lower() for it in table.primary_key} <= columns


def is_unique(source: exp.Expr, table: Table | None, columns: set[str]) -> bool:
    """Whether no two rows of a source have the same values in these columns: they contain the key of its table, or all
    that a query in its place groups by or shows as distinct."""
    if table is not None:
        return contains_key(columns, table)
    query = query_of(source)
    if query is None:
        return False
    shown = {it.unalias(): it.alias_or_name.lower() for it in query.selects}
    keys = list(shown) if query.args.get("distinct") else group_keys(query)
    return bool(keys) and all(shown.get(it) in columns for it in keys)


def query_of(source: exp.Expr) -> exp.Select | None:
    """The query that stands in FROM in the place of a table, or that WITH gives this name."""
    found = source.this if isinstance(source, exp.Subquery) else None
    at: exp.Expr | None = source if found is None else None
    while at is not None and found is None:
        ctes = at.args["with_"].expressions if at.args.get("with_") else []
        found = next((it.this for it in ctes if it.alias.lower() == source.name.lower()), None)
        at = at.parent
    return found if isinstance(found, exp.Select) else None


def sources_of(select: exp.Select) -> dict[str, exp.Expr]:
    """What a SELECT reads, by alias in lower case."""
    parts = [part.this for part in [select.args.get("from_"), *(select.args.get("joins") or [])] if part is not None]
    return {str(it.alias_or_name).lower(): it for it in parts}

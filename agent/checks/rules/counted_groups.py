"""A count of what the query is grouped by: `COUNT(DISTINCT reader_id) … GROUP BY reader_id HAVING …`.

Each row then says 1, whatever the data, so the number of groups is what such a query can mean: "how many readers have
more than 5 loans".
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.names.tables import identifier

_PLAIN = frozenset({"expressions", "from_", "joins", "where", "group", "having"})


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if not isinstance(query, exp.Select) or not {name for name, value in query.args.items() if value} <= _PLAIN:
        return None
    key = _find_key(query)
    item = query.expressions[0] if len(query.expressions) == 1 else None
    counted = item.unalias() if item is not None else None
    if key is None or item is None or not isinstance(counted, exp.Count) or not _counts(counted, key):
        return None
    having = query.args.get("having")
    if having is not None and item.alias and any(it.name == item.alias for it in having.find_all(exp.Column)):
        return None  # it reads the count by its alias

    def count(tree: exp.Query) -> Iterator[Change]:
        before = context.to_sql(counted)
        groups = tree.copy()
        groups.set("expressions", [key.copy()])
        inner = exp.Subquery(this=groups, alias=exp.TableAlias(this=identifier("matching", context.schema)))
        name = exp.Column(this=key.this.copy())  # as COUNT(DISTINCT ...), it leaves out the group without a value
        tree.expressions[0].find(exp.Count).set("this", name)
        for part in _PLAIN - {"expressions"}:
            tree.set(part, None)
        tree.set("from_", exp.From(this=inner))
        yield Change(before, context.to_sql(tree))

    detail = f"The count is 1 in each group of {context.to_sql(key)}; the groups are counted instead."
    return context.change(count, detail)


def _find_key(query: exp.Select) -> exp.Column | None:
    """The one column that a query is grouped by; None if it is grouped by anything else."""
    group = query.args.get("group")
    if group is None or any(value for name, value in group.args.items() if name != "expressions"):
        return None
    key = group.expressions[0] if len(group.expressions) == 1 else None
    return key if isinstance(key, exp.Column) else None


def _counts(count: exp.Count, key: exp.Column) -> bool:
    """Whether a count is of the different values of the key."""
    different = count.this.expressions if isinstance(count.this, exp.Distinct) else []
    column = different[0] if len(different) == 1 else None
    if not isinstance(column, exp.Column) or column.this != key.this:
        return False
    return column.table == key.table or not (column.table and key.table)


RULE = Rule("counted_groups", "query", "schema", "alternative", apply)

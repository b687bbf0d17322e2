"""A count beside nothing else, grouped by what it counts: "how many readers have more than 5 loans" as a row for each.

`COUNT(DISTINCT reader_id) … GROUP BY reader_id` is 1 in every row, and `COUNT(*) … GROUP BY reader_id HAVING …` lists
the sizes of groups without their names. Such a query can only mean the number of groups, unless the question asks for
the sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Change, Finding, Rule, RuleContext
from executors.sql.names.tables import identifier

_LISTS = ("order", "limit", "offset", "distinct", "qualify", "windows", "with_")  # what says that rows are meant
_EACH = re.compile(r"\b(?:each|every|per|pro|jede[rsnm]?|chaque|cada|ogni)\b|별(?![\uac00-\ud7a3])", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if not isinstance(query, exp.Select) or any(query.args.get(it) for it in _LISTS):
        return None
    keys = _list_keys(query)
    counted = query.expressions[0].unalias() if len(query.expressions) == 1 else None
    if not keys or not isinstance(counted, exp.Count):
        return None
    having = query.args.get("having")
    own = isinstance(counted.this, exp.Distinct) and counted.this.expressions == keys
    if not own and (having is None or having.find(exp.AggFunc) is None or _EACH.search(context.question)):
        return None

    def count(tree: exp.Query) -> Iterator[Change]:
        groups = tree.copy()
        groups.set("expressions", [key.copy() for key in keys])
        inner = exp.Subquery(this=groups, alias=exp.TableAlias(this=identifier("matching", context.schema)))
        before, after = query.expressions[0].copy(), exp.Count(this=exp.Star())
        tree.set("expressions", [exp.alias_(after, query.expressions[0].alias) if before.alias else after])
        for part in ("joins", "where", "group", "having"):
            tree.set(part, None)
        tree.set("from_", exp.From(this=inner))
        yield Change(context.to_sql(before), context.to_sql(tree))

    grouped = ", ".join(context.to_sql(key) for key in keys)
    return context.change(
        count, f"The query counts inside each {grouped}; the number of these groups is counted instead."
    )


def _list_keys(query: exp.Select) -> list[exp.Column]:
    """The columns that a query is grouped by; none if it is grouped by anything else."""
    group = query.args.get("group")
    if group is None or any(value for name, value in group.args.items() if name != "expressions"):
        return []
    return list(group.expressions) if all(isinstance(it, exp.Column) for it in group.expressions) else []


RULE = Rule("counted_groups", "query", "schema", "alternative", apply)

"""A list that shows the key of one table alone, and the same key twice: a join repeats its records.

`SELECT p.* FROM patrons p JOIN loans l …` lists a patron once for each loan. Unlike names, which `repeated_rows` reads,
two equal keys are never two things.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import owner_alias


def apply(context: RuleContext) -> Finding | None:
    query, rows = context.query, [row for row in context.rows or () if any(value is not None for value in row)]
    repeated = len(rows) - len({repr(row) for row in rows})
    if not repeated or not isinstance(query, exp.Select) or not query.args.get("joins"):
        return None
    tables, items = context.tables(query), [it.unalias() for it in query.selects]
    whole = {it.table.lower() for it in items if isinstance(it, exp.Column) and it.is_star}  # of `p.*`
    aliases = whole | {owner_alias(it, tables) for it in items if not (isinstance(it, exp.Column) and it.is_star)}
    table = tables.get(aliases.pop() or "") if len(aliases) == 1 else None
    if table is None or not table.primary_key:
        return None
    if not whole and not {it.name.lower() for it in items} >= {it.lower() for it in table.primary_key}:
        return None
    return Finding(f"{repeated} of {len(rows)} rows repeat a record of {table.name}: the join gives it several times.")


RULE = Rule("repeated_records", "rows", "schema", "doubt", apply)

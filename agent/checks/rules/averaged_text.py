"""The sum or average of texts without numbers: SQLite and MySQL read each of them as 0.

Other databases refuse it. Texts that begin with a number are left alone, as they are read as that number.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import is_text, owner_of
from executors.sql.names.tables import identifier, to_source


def apply(context: RuleContext) -> Finding | None:
    if context.schema.dialect not in {"sqlite", "mysql", "mariadb"}:
        return None
    for node in context.query.find_all(exp.Avg, exp.Sum):
        column = node.this.this if isinstance(node.this, exp.Cast) else node.this
        owner = owner_of(column, context.schema) if isinstance(column, exp.Column) else None
        if owner is None or not is_text(owner[1]) or owner[1].private:
            continue
        table, name = owner[0], exp.column(identifier(owner[1].name, context.schema))
        is_number = exp.or_((name + 0).neq(0), name.like("%0%"))
        numbers = exp.func("COALESCE", exp.Sum(this=exp.case().when(is_number, 1).else_(0)), 0)
        texts = exp.case().when(numbers.eq(0), exp.Count(this=name.copy())).else_(0)
        count = exp.select(exp.alias_(texts, "n")).from_(to_source(table, context.schema))
        detail = f"None of the {{}} texts in {context.to_sql(node)} is a number: each counts as 0."
        return Finding(detail, counts=(context.to_sql(count),))
    return None


RULE = Rule("averaged_text", "query", "data", "doubt", apply)

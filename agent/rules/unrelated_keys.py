"""Two tables joined by keys that no foreign key relates, though one leads from the one table to the other."""

from __future__ import annotations

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from executors.base import Table
from executors.sql.tree import conjuncts


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        for join in select.args.get("joins") or []:
            for part in conjuncts(join.args.get("on")):
                pair = part.unnest()
                sides = [pair.this, pair.expression] if isinstance(pair, exp.EQ) else []
                if len(sides) != 2 or not all(isinstance(it, exp.Column) and it.table for it in sides):
                    continue
                (here, one), (there, other) = ((tables.get(it.table.lower()), it.name.lower()) for it in sides)
                if here is None or there is None or here is there:
                    continue
                if _are_unrelated(here, one, there, other) and _leads(here, there) | _leads(there, here):
                    return Finding(f"No key relates {context.shown(pair)}, and another key joins these tables.")
    return None


def _are_unrelated(here: Table, one: str, there: Table, other: str) -> bool:
    """Whether both are keys, and nothing says that they hold the same: no key, no third table, no name."""
    mine, theirs = _refers(here, one), _refers(there, other)
    own, far = (here.name.lower(), one), (there.name.lower(), other)
    if own in theirs or far in mine or mine & theirs or (one == other and one not in {"id", "key", "code", "no"}):
        return False
    return all(name in {it.lower() for it in table.primary_key} or bool(_refers(table, name))
               for table, name in ((here, one), (there, other)))  # fmt: skip


def _refers(table: Table, column: str) -> set[tuple[str, str]]:
    """What a column refers to, as table and column in small letters."""
    return {
        (key.table.lower(), referenced.lower())
        for key in table.foreign_keys
        for name, referenced in zip(key.columns, key.referenced, strict=False)
        if name.lower() == column
    }


def _leads(table: Table, to: Table) -> bool:
    return any(key.table.lower() == to.name.lower() for key in table.foreign_keys)


RULE = Rule("unrelated_keys", "query", "schema", "doubt", apply)

"""Groups whose names differ only in case or outer spaces: 'Good', 'good' and 'GOOD' are counted apart.

They are seen in the rows, or, where a LIMIT shows only the first groups, in the values that the column stores: there,
nothing is doubted if the same groups come first when spellings are taken together.
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys, is_cut
from executors.sql.literals import are_one_word, is_text, owner_of


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if not isinstance(query, exp.Select):
        return None
    items = [it.unalias() for it in query.selects]
    keys = items if query.args.get("distinct") else group_keys(query)
    if not keys or not all(_is_text(it, context) for it in keys):
        return None
    return _find_shown(items, keys, context.rows or ()) or _find_cut(query, keys, context)


def _find_shown(items: list[exp.Expr], keys: list[exp.Expr], rows: tuple[tuple[object, ...], ...]) -> Finding | None:
    """Groups of one name that a result shows."""
    places = [place for place, item in enumerate(items) if item in keys]
    if len(places) < len(keys):
        return None
    spelled: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in rows:
        if None not in (names := tuple(row[place] for place in places)):
            texts = tuple(map(str, names))
            spelled.setdefault(tuple(it.strip().lower() for it in texts), set()).add(texts)
    several = (sorted(it) for it in spelled.values() if len(it) > 1)
    alike = next((it for it in several if all(map(are_one_word, zip(*it, strict=True)))), None)
    if alike is None:
        return None
    named = [" ".join(it) for it in alike]
    return Finding(f"{', '.join(map(repr, named))} are told apart, and differ only in case or spaces.")


def _find_cut(query: exp.Select, keys: list[exp.Expr], context: RuleContext) -> Finding | None:
    """Groups of one name of which a LIMIT may cut off some: the column's stored values show them."""
    owner = owner_of(keys[0], context.schema) if len(keys) == 1 and isinstance(keys[0], exp.Column) else None
    if owner is None or context.looked_up is None or not is_cut(query):
        return None
    pairs = context.looked_up.spellings.get((owner[0].name, owner[1].name))
    if not pairs:
        return None
    groups = query.copy()
    for part in ("group", "having", "order", "limit", "offset", "fetch"):
        groups.set(part, None)
    groups.set("expressions", [exp.alias_(keys[0].copy(), "spelled")])
    number = "COUNT(spelled) - COUNT(DISTINCT LOWER(TRIM(spelled)))"
    counted = exp.select(number).from_(groups.distinct(copy=False).subquery("each_group"))
    named = ", ".join(map(repr, pairs[0]))
    detail = f"{owner[1].name} stores {named}: groups are told apart that differ only in case or spaces."
    return Finding(detail, counts=(context.to_sql(counted),), probes=(context.sql, _merge(query, keys[0], context)))


def _merge(query: exp.Select, key: exp.Expr, context: RuleContext) -> str:
    """The query with one group for all spellings of a text, called by the first one. Of ties, merged groups win."""
    merged, first = query.copy(), exp.Min(this=key.copy())
    for part in (*merged.selects, merged.args.get("having"), merged.args.get("order")):
        for column in list(part.find_all(exp.Column)) if part is not None else ():
            if column == key and column.find_ancestor(exp.AggFunc) is None:
                column.replace(first.copy())
    merged.set("distinct", None)
    merged.set("group", exp.Group(expressions=[exp.Lower(this=exp.Trim(this=key.copy()))]))
    merged.order_by(f"COUNT(DISTINCT {context.to_sql(key)}) DESC", dialect=context.dialect, copy=False)
    return context.to_sql(merged)


def _is_text(item: exp.Expr, context: RuleContext) -> bool:
    owner = owner_of(item, context.schema) if isinstance(item, exp.Column) else None
    return owner is not None and is_text(owner[1]) and owner[1].name not in owner[0].primary_key


RULE = Rule("case_groups", "rows", "data", "doubt", apply)

"""Groups whose names differ only in case or outer spaces: 'Good', 'good' and 'GOOD' are counted apart."""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import group_keys
from executors.sql.literals import are_one_word, is_text, owner_of


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if not context.rows or not isinstance(query, exp.Select):
        return None
    items = [it.unalias() for it in query.selects]
    keys = items if query.args.get("distinct") else group_keys(query)
    if not keys or not all(_is_text(it, context) for it in keys):
        return None
    places = [place for place, item in enumerate(items) if item in keys]
    if len(places) < len(keys):
        return None
    spelled: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for row in context.rows:
        if None not in (names := tuple(row[place] for place in places)):
            texts = tuple(map(str, names))
            spelled.setdefault(tuple(it.strip().lower() for it in texts), set()).add(texts)
    several = (sorted(it) for it in spelled.values() if len(it) > 1)
    alike = next((it for it in several if all(map(are_one_word, zip(*it, strict=True)))), None)
    if alike is None:
        return None
    named = [" ".join(it) for it in alike]
    return Finding(f"{', '.join(map(repr, named))} are told apart, and differ only in case or spaces.")


def _is_text(item: exp.Expr, context: RuleContext) -> bool:
    owner = owner_of(item, context.schema) if isinstance(item, exp.Column) else None
    return owner is not None and is_text(owner[1]) and owner[1].name not in owner[0].primary_key


RULE = Rule("case_groups", "rows", "data", "doubt", apply)

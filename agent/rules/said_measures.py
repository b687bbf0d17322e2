"""Measures and ends of a scale that an English question asks for, and nothing of the query computes."""

from __future__ import annotations

import re

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext

_LOWEST = r"(?<!\bat )\bleast\b|\b(?:lowest|smallest|fewest|minimum|worst|cheapest|shortest|lightest|earliest)\b"
_HIGHEST = r"(?<!\bat )\bmost\b|\b(?:highest|largest|biggest|greatest|maximum|longest|heaviest|tallest|latest|newest)\b"
_MEASURES = (
    (r"\b(?:average|mean|avg)\b", "average", ("Avg", "Div")),
    (r"\b(?:percentage|ratio|proportion)\b", "ratio", ("Div",)),
    (r"\bhow many\b", "count", ("Count", "Sum")),
    (f"{_LOWEST}|{_HIGHEST}", "order", ("Order", "Max", "Min", "Window")),
)


def apply(context: RuleContext) -> Finding | None:
    tree, question = context.query, context.question
    names = {word for it in tree.find_all(exp.Column) for word in re.split(r"[_\W]+", it.name.lower())}
    missing: list[str] = []
    for pattern, name, kinds in _MEASURES:
        match = re.search(pattern, question, re.IGNORECASE)
        if match and not tree.find(*(getattr(exp, kind) for kind in kinds)) and not names & {*match[0].lower().split()}:
            missing.append(name)
    ends = [
        bool(select.args["order"].expressions[0].args.get("desc"))
        for select in context.selects
        if select.args.get("limit") and select.args.get("order")
    ]
    low, high = (bool(re.search(end, question, re.IGNORECASE)) for end in (_LOWEST, _HIGHEST))
    if low != high and ends and high not in ends and not tree.find(exp.Max, exp.Min, exp.Window):
        missing.append("highest first" if high else "lowest first")
    return Finding(f"The query has no {', '.join(missing)}, which the question speaks of.") if missing else None


RULE = Rule("said_measures", "query", "language", "doubt", apply)

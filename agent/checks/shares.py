"""Shares of the wrong whole: "what percentage of the women are married" is of the women, not of everybody.

A small model writes both conditions into the part and counts all rows as the whole. What stands right after "percentage
of" is the whole, so its condition belongs to the WHERE of both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

# "percentage of female heroes were ...": what the share is of, up to the verb or what else begins the part.
_WHOLE = re.compile(
    r"\b(?:per\s?cent(?:age)?|proportion|share|ratio|fraction)\s+of\s+(?:all\s+)?(?:the\s+)?(.+?)\s+"
    r"(?:is|are|was|were|has|have|had|do|does|did|who|that|which|with|in|by|from|can|will|got|get)\b",
    re.IGNORECASE,
)


def share_of_whole(tree: exp.Query, question: str) -> list[str]:
    """Move conditions that name the whole of a share from its part to the WHERE, in the tree; what was, in words.

    Args:
        tree: that is changed; left as it is where its one SELECT item is not a share of counted cases.
        question: as asked, in English.
    """
    from sqlglot import exp

    from executors.sql.tree import conjuncts, set_conjuncts

    whole = _WHOLE.search(question)
    if whole is None or not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("group"):
        return []
    cases = list(tree.expressions[0].find_all(exp.Case))
    if len(cases) != 1 or len(cases[0].args["ifs"]) != 1 or tree.expressions[0].find(exp.Query, exp.Window):
        return []
    case = cases[0].args["ifs"][0]
    division = cases[0].find_ancestor(exp.Div)
    in_part = division is not None and any(one is cases[0] for one in division.this.find_all(exp.Case))
    if division is None or not in_part or not division.expression.find(exp.Count):
        return []
    parts = conjuncts(case.this)
    of_whole = [part for part in parts if _is_named(part, whole[1])]
    rest = [part for part in parts if part not in of_whole]
    if not of_whole or not rest:
        return []
    case.set("this", exp.and_(*(part.copy() for part in rest), copy=False))
    where = tree.args.get("where")
    set_conjuncts(tree, [*conjuncts(where.this if where else None), *of_whole], exp.Where)
    return [f"the share is of those with {part.sql()}" for part in of_whole]


def _is_named(part: exp.Expr, words: str) -> bool:
    """Whether a condition asks for a text that the words name."""
    from sqlglot import exp

    inner = part.unnest()
    if not isinstance(inner, exp.EQ) or not isinstance(inner.expression, exp.Literal) or not inner.expression.is_string:
        return False
    text = re.escape(str(inner.expression.this).strip())
    return bool(text) and re.search(rf"\b{text}(?:e?s)?\b", words, re.IGNORECASE) is not None

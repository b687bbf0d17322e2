"""An inner join of a table that only its join condition reads, and that the question does not name.

The join drops rows without a partner and repeats rows with several. If the rows are the same without it, it does no
harm. COUNT(*) reads no column, but counts joined rows: for "the most titles", titles are meant, if they are a table.
"""

from __future__ import annotations

import re

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.understanding.clarification.words.languages import is_english
from rag.words import words

_COUNTED = re.compile(r"\b(?:how many|numbers? of|most|fewest)\s+([^\W\d_]+)", re.IGNORECASE)


def apply(context: RuleContext) -> Finding | None:
    tree, mentioned, columns = context.query, words(context.question), list(context.query.find_all(exp.Column))
    is_plain = isinstance(tree, exp.Select) and not _shows_all(tree) and all(it.table for it in columns)
    if not is_plain or not is_english(context.question):  # which names tables as they are called
        return None
    counted = words(" ".join(_COUNTED.findall(context.question)))
    counts_rows = tree.find(exp.Star) is not None
    for at, join in enumerate(tree.args.get("joins") or []):
        name, inside = join.this.alias_or_name.lower(), list(join.find_all(exp.Column))
        plain = isinstance(join.this, exp.Table) and join.args.get("on") is not None
        if not plain or join.side or join.kind not in {"", "INNER"}:
            continue
        own = [it for it in inside if it.table.lower() == name]
        if len(own) < sum(it.table.lower() == name for it in columns):
            continue
        without = tree.copy()
        without.args["joins"].pop(at)
        others = words(" ".join(it.name for it in without.find_all(exp.Table)))
        called = words(join.this.name)
        if (called - others or called) & mentioned or (counts_rows and counted.isdisjoint(others)):
            continue  # "titles" name `title`, and not `title_subject`
        rest = words(context.to_sql(without))  # "publisher id" is what is shown, not what is joined by
        if any(words(it.name) <= mentioned and words(it.name) - rest for it in own):
            continue
        detail = f"{join.this.name} is joined, but the query reads no column of it, and the question does not name it."
        return Finding(detail, probes=(context.sql, context.to_sql(without)))
    return None


def _shows_all(tree: exp.Query) -> bool:
    """Whether a query, or one inside it, has `*` for columns: COUNT(*) reads none."""
    return any(not isinstance(it.parent, exp.Count) for it in tree.find_all(exp.Star))


RULE = Rule("unread_join", "query", "language", "doubt", apply)

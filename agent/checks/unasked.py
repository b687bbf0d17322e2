"""Filters that nobody asked for: a name or a year that neither the question nor anything known about it has.

A small model narrows a query to values that it has seen beside the schema, or in an example. A condition on several
words, none of which was said, is taken out; one word may be a code for what was said, so it is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agent.clarify.languages import is_english
from rag.words import words

if TYPE_CHECKING:
    from sqlglot import exp

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Where a time is spoken of, in English, a year may have been worked out from it.
_TIMES = re.compile(
    r"\b(?:last|this|current|currently|previous|past|recent|recently|today|yesterday|now|ago|since|latest|newest|next"
    r"|year|years|month|months|quarter|quarters|decade|century|date|day|days|week|weeks|weekend|weekends|night|period"
    r"|periods|season|seasons|before|after|until|till|during|yearly|annual|annually|monthly|quarterly|weekly|daily"
    r"|[ymqw]td|spring|summer|autumn|fall|winter|christmas|easter|jan|january|feb|february|mar|march|apr|april|may|june?"
    r"|july?|aug|august|sept?|september|oct|october|nov|november|dec|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r")\b|\d{2}",
    re.IGNORECASE,
)


def drop_unasked(
    tree: exp.Query, question: str, known: Sequence[str], documented: Callable[[], str] = str
) -> list[str]:
    """Take the conditions out of a tree that nobody asked for; what was taken out, one part of a sentence each.

    Args:
        tree: that is changed.
        question: as asked. Of one that is not surely English only a name within a longer one is taken out: what was
            said cannot be held against what is stored.
        known: what the model was told beside the schema: rules, values, earlier exchanges.
        documented: all that docs and comments say, asked for only where a condition would go; what they name, stays.
    """
    from sqlglot import exp

    from executors.sql.tree import conjuncts, selects_of, set_conjuncts
    from executors.sql.unused_joins import drop_unused_joins

    said = words(" ".join((question, *known)))
    years = {match[0] for text in (question, *known) for match in _YEAR.finditer(text)}
    no_time = not years and not any(_TIMES.search(text) for text in (question, *known))
    english, spoken = is_english(question), spoken_tables(tree, question)
    changes: list[str] = []
    for select in selects_of(tree):
        where = select.args.get("where")
        parts = conjuncts(where.this if where is not None else None)
        unasked = [part for part in parts if english and _is_unasked(part, said, no_time=no_time)]
        within = [part for part in parts if _is_within(part, tree, question)]
        docs = documented().casefold() if unasked else ""
        gone = [part for part in parts if part in within or (part in unasked and not _is_documented(part, docs))]
        if gone:
            changes += [f"nobody asked for {part.sql()}" for part in gone]
            set_conjuncts(select, [part.copy() for part in parts if part not in gone], exp.Where)
            tables = {column.table for part in gone for column in part.find_all(exp.Column) if column.table}
            changes += [change for alias in sorted(tables) for change in drop_unused_joins(select, alias, spoken)]
    return changes


def spoken_tables(tree: exp.Query, question: str) -> frozenset[str]:
    """The tables of a query whose names the question has, in small letters and without their schema."""
    from sqlglot import exp

    said = words(question)
    return frozenset(table.name.lower() for table in tree.find_all(exp.Table) if words(table.name) <= said)


def _is_unasked(part: exp.Expr, said: frozenset[str], *, no_time: bool) -> bool:
    from sqlglot import exp

    inner = part.unnest()
    if not isinstance(inner, exp.Predicate) or isinstance(inner, exp.SubqueryPredicate) or inner.find(exp.Query):
        return False
    texts = [str(literal.this) for literal in inner.find_all(exp.Literal) if literal.is_string]
    texts = [text for text in texts if not text.startswith("%") or isinstance(inner, exp.Like)]  # what times look like
    if no_time and texts and all(_YEAR.match(text) for text in texts):
        return True
    named = isinstance(inner, exp.EQ | exp.In | exp.Like) and bool(texts)
    return named and all(_says_nothing(text, said) for text in texts)


def _is_within(part: exp.Expr, tree: exp.Query, question: str) -> bool:
    """Whether a condition's text was said only as a part of a longer name, which another condition asks for."""
    from sqlglot import exp

    inner = part.unnest()
    if not isinstance(inner, exp.EQ) or not isinstance(inner.expression, exp.Literal) or not inner.expression.is_string:
        return False
    text, asked = str(inner.expression.this).casefold(), question.casefold()
    others = {
        str(literal.this).casefold()
        for literal in tree.find_all(exp.Literal)
        if literal.is_string and isinstance(literal.parent, exp.EQ) and literal.parent is not inner
    }
    longer = [other for other in others if other != text and re.search(rf"\b{re.escape(text)}\b", other)]
    return bool(text) and any(0 < asked.count(text) == asked.count(other) for other in longer)


def _is_documented(part: exp.Expr, docs: str) -> bool:
    """Whether docs or comments name a text of a condition, or its year."""
    from sqlglot import exp

    texts = [str(literal.this).casefold() for literal in part.find_all(exp.Literal) if literal.is_string]
    named = [text.strip("%") for text in texts] + [match[0] for text in texts for match in _YEAR.finditer(text)]
    return any(name in docs for name in named if len(name) > 2)


def unsaid_texts(tree: exp.Query, told: Sequence[str]) -> list[str]:
    """The texts of several words that a query asks for, and of which nobody said one.

    Args:
        told: the question, and what the model was told beside the schema.
    """
    from sqlglot import exp

    said = words(" ".join(told))
    asked = [
        it for it in tree.find_all(exp.Literal) if it.is_string and isinstance(it.parent, exp.EQ | exp.In | exp.Like)
    ]
    return list(dict.fromkeys(repr(str(it.this)) for it in asked if _says_nothing(str(it.this), said)))


def _says_nothing(text: str, said: frozenset[str]) -> bool:
    """Whether a text is of several words of which none was said."""
    own = {word for word in words(text) if not word.isdigit()}
    return len(own) > 1 and not own & said

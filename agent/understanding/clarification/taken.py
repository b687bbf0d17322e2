"""Doubts about missing data, from the queries that were written: the names they read, and the names they made up.

A query may answer a word that no name explains: for "taverns" it reads `pubs`. A name in the query that is near the
word, and that no other word of the question explains, is reported as its meaning. A name that a model made up for a
word of the question shows that the data lacks it: nothing in the schema matched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from agent.core.models import Doubt
from agent.understanding.clarification.missing import Lacking, describe_lacking, find_known_words, is_named_otherwise
from agent.understanding.clarification.nearness import Terms, nearest
from agent.understanding.clarification.words.languages import is_english
from agent.understanding.clarification.words.mentions import list_mentioned
from agent.understanding.clarification.words.wanted import content_words
from rag.words import split_name, words

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.core.models import RuleEvidence
    from agent.understanding.clarification.inquiry import Inquiry
    from agent.understanding.clarification.missing import Missing
    from rag.embedding.embedder import Embedder

# Least cosine of the multilingual model at which a query is taken to read what a word means. Of the unknown words of
# `bench.messages_trades`, 19 of 29 present ones and 2 of 26 absent ones reach it.
READ = 0.5
RULE = "missing_data"


async def doubts_of(
    missing: Missing, inquiry: Inquiry, sql: str, tried: Sequence[str], meaning: Embedder | None
) -> tuple[Doubt, ...]:
    """What the question asks for and the data lacks, one doubt each.

    `sql` is the query that answers the question, empty if there is none; `tried`, every query written for it. Without
    `meaning`, the multilingual embedder, what a query reads is unknown.
    """
    frames = inquiry.frames
    # Data that may exist under a translated or shortened name does not prevent verification.
    unexplained: RuleEvidence = "schema" if is_english(inquiry.text) else "language"
    if missing.nothing_near is not None and not missing.lacking:
        return (Doubt(rule=RULE, evidence=unexplained, detail=missing.nothing_near.assumption),)
    made_up = _find_made_up(tried, inquiry)
    told = words(" ".join(it.mention for it in missing.lacking))
    trees = _trees([sql], inquiry) if missing.lacking and sql else ()
    computed = words(" ".join(name for tree in trees for name in _list_computed(tree)))
    found: list[Doubt] = []
    for it in (*missing.lacking, *(Lacking(word) for word in made_up if not words(word) <= told)):
        is_made_up = any(words(word) <= words(it.mention) for word in made_up)
        taken = "" if is_made_up else await _find_near(it.mention, sql, inquiry, meaning)
        is_computed = words(it.mention) <= computed and not is_made_up
        is_mild = taken or is_computed or (it.presumed and not is_made_up)
        evidence: RuleEvidence = "language" if is_mild else unexplained
        assumed = frames.assumed.format(mention=it.mention, meant=taken)
        detail = assumed if taken else describe_lacking(it, inquiry)
        found.append(Doubt(rule=RULE, evidence=evidence, detail=detail))
    return tuple(found)


def describe_respelled(inquiry: Inquiry, sql: str) -> Iterator[str]:
    """A sentence for each misspelt value of the question that a query reads as a stored one: “Dresdne” for Dresden."""
    from sqlglot import exp

    texts = {it.this for tree in _trees([sql], inquiry) for it in tree.find_all(exp.Literal) if it.is_string}
    values = inquiry.context.linked.values
    sure = {it.mention for it in values if it.is_sure}
    for it in values:
        said, stored = it.mention.casefold(), it.value.casefold()
        if (
            it.how == "near"
            and it.value in texts
            and it.mention not in sure
            and said not in stored
            and stored not in said
        ):
            yield inquiry.frames.assumed.format(mention=it.mention, meant=it.value)


async def _find_near(mention: str, sql: str, inquiry: Inquiry, meaning: Embedder | None) -> str:
    """The name or value in a query that is nearest to a phrase, and those of its other words. Empty if none is near.

    Names that another word of the question explains do not count. A column that the query computes with others is named
    with them: no density is a number of inhabitants.
    """
    if meaning is None:
        return ""
    others = inquiry.stems - words(mention)
    trees = list(_trees([sql], inquiry))
    read = tuple(dict.fromkeys(it for tree in trees for it in _list_read(tree) if not words(it) & others))
    *modifiers, head = mention.split()
    terms, found = Terms(), list[str]()
    for part in ([mention, head], *([it] for it in modifiers)):
        near = await nearest(part, read, inquiry, meaning, terms)
        if near is not None and near[0] >= READ:
            found += [near[1], *_list_computed_with(near[1], trees)]
        elif not found:
            return ""
    return ", ".join(dict.fromkeys(found))


def _list_computed_with(name: str, trees: Sequence[exp.Expr]) -> Iterator[str]:
    """The columns that a query computes a number from together with the named one."""
    from sqlglot import exp

    for tree in trees:
        for operation in tree.find_all(exp.Add, exp.Sub, exp.Mul, exp.Div):
            names = [split_name(it.name) for it in operation.find_all(exp.Column)]
            yield from names if name in names else ()


def _list_computed(tree: exp.Expr) -> Iterator[str]:
    """The names that a query gives to what it computes itself: a running total, a lead time, a rate, a quartile.

    Such a word need not be stored. A plain aggregate or product of columns does not explain it: `SUM(amount) AS fuel`.
    """
    from sqlglot import exp

    plain = (exp.Sum, exp.Count, exp.Avg, exp.Min, exp.Max)
    for alias in tree.find_all(exp.Alias):
        compared = alias.this.find_all(exp.Sub, exp.Div, exp.DateDiff)
        is_compared = any(len(list(it.find_all(exp.Column, exp.Star))) > 1 for it in compared)
        if is_compared or any(not isinstance(it, plain) for it in alias.this.find_all(exp.Window, exp.AggFunc)):
            yield split_name(alias.alias)


def _list_read(tree: exp.Expr) -> Iterator[str]:
    """The names and texts in a query, without names that it gives itself: `ORDER BY num_concussions`. Names are split
    into words."""
    from sqlglot import exp

    own = {it.alias.casefold() for it in tree.find_all(exp.Alias) if it.alias.casefold() != it.this.name.casefold()}
    names = (it.name for it in tree.find_all(exp.Table, exp.Column) if it.name and it.name.casefold() not in own)
    yield from map(split_name, names)
    yield from (it.this for it in tree.find_all(exp.Literal) if it.is_string and it.this)


def _find_made_up(queries: Sequence[str], inquiry: Inquiry) -> list[str]:
    """The words of the question in a query's invented names: names that are no table, column or alias."""
    from sqlglot import exp

    known = find_known_words(inquiry)
    schema = inquiry.schema
    names = {it.casefold() for table in schema.tables for it in (*table.parts, *(c.name for c in table.columns))}
    new: set[str] = set()
    for tree in _trees(queries, inquiry):
        own = {it.alias.casefold() for it in tree.find_all(exp.Alias, exp.TableAlias, exp.CTE, exp.Table) if it.alias}
        written = (it.name for it in tree.find_all(exp.Table, exp.Column))
        new.update(*(words(it) for it in written if it.casefold() not in names | own))
    is_known = is_english(inquiry.text)
    nouns = content_words(inquiry.text) if is_known else list_mentioned(inquiry.text, inquiry.frames.language)
    return [
        it for it in dict.fromkeys(nouns) if words(it) <= new - known and not is_named_otherwise(it.casefold(), inquiry)
    ]


def _trees(queries: Sequence[str], inquiry: Inquiry) -> Iterator[exp.Expr]:
    """The queries that can be parsed, as syntax trees."""
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS
    from executors.sql.parsed import parse_sql

    for sql in queries:
        try:
            yield parse_sql(sql, DIALECTS[inquiry.schema.dialect].sqlglot)
        except (SqlglotError, RecursionError):
            continue

"""Reviews a query that ran: the rules' doubts about it, and an alternative from schema and data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from agent.checks.rules.base import Change, Finding, RuleContext
from agent.checks.rules.lookup import NAME, look_up
from agent.checks.rules.registry import rules
from agent.core.models import Check, Doubt, Draft
from agent.core.resilience.off_loop import off_loop
from executors.base import QueryResult, Schema
from executors.errors import DatabaseUnavailable, SqlError
from rag.schema.joins import keyed_of

if TYPE_CHECKING:
    from agent.databases.database import Database
    from agent.databases.knowledge.context import Context

Rows = Callable[[str], Awaitable[QueryResult]]


class RuleReview(NamedTuple):
    """What the rules found in one query that ran.

    check: whether the texts that it filters on are stored.
    alternative: the query that schema and data suggest instead; None if it gives the same rows.
    """

    check: Check
    doubts: tuple[Doubt, ...] = ()
    alternative: Draft | None = None


async def review(
    draft: Draft,
    result: QueryResult,
    question: str,
    context: Context,
    database: Database,
    rows: Rows,
    without: Collection[str] = (),
) -> RuleReview:
    """Run the rules on a query and its rows. Doubts that the data can refute are tested first.

    `rows` runs a query through the guard, like any draft. `without`: ids of rules to leave out.
    """
    schema: Schema = keyed_of(context.db_schema, context.known)
    subject = await off_loop(partial(RuleContext.of, draft.sql or "", schema))
    if subject.tree is None:
        return RuleReview(Check(name=NAME, passed=None, detail="The query's text could not be read."))
    looked_up = await look_up(subject.tree, schema, database)
    subject = replace(
        subject,
        question=question,
        known_texts=(*context.rules, *(f"{it.question} {it.answer} {it.sql}" for it in context.history)),
        values=context.linked.values,
        documents=context.known,
        looked_up=looked_up,
        rows=None if result.truncated else result.rows,
    )
    doubts, alternative = await _alternative(draft, subject, result, rows, without)
    for rule, found in await off_loop(lambda: [(it, it.find(subject)) for it in rules("doubt", without)]):
        if found is not None and (confirmed := await confirm(found, rows)) is not None:
            doubts.append(Doubt(rule=rule.id, evidence=rule.evidence, detail=confirmed.detail))
    return RuleReview(looked_up.check, tuple(doubts), alternative)


async def _alternative(
    draft: Draft, subject: RuleContext, result: QueryResult, rows: Rows, without: Collection[str]
) -> tuple[list[Doubt], Draft | None]:
    """The doubts of the rules that change queries, and one query with all their changes if it gives other rows."""
    from agent.core.row_comparison import same_rows

    doubts, changes, sql, keeps_meaning = await _apply_changes(subject, rows, without)
    if not changes or draft.source == "alternative":
        return doubts, None
    try:
        other = await rows(sql)
    except (SqlError, DatabaseUnavailable):
        return doubts, None
    if same_rows(result, other, ordered=False):
        return [it for it in doubts if it.rule == "stored_values"], None
    if any(value is not None for row in result.rows for value in row) and all(set(row) <= {None} for row in other.rows):
        return doubts, None
    if len(doubts) > 1:
        doubts = [it for it in doubts if await _matters(it, subject, other, rows, without)] or doubts
    made = {
        "sql": sql,
        "note": f"Changed because of schema and data: {'; '.join(map(str, dict.fromkeys(changes)))}.",
        "source": "alternative",
        "plan": None,
        "explanation": "",
        "changes": tuple(map(tuple, changes)),
        "keeps_meaning": keeps_meaning,
    }
    return doubts, draft.model_copy(update=made)


async def _matters(
    doubt: Doubt, subject: RuleContext, other: QueryResult, rows: Rows, without: Collection[str]
) -> bool:
    """Whether the alternative gives other rows without the change of one rule, or cannot run without it."""
    from agent.core.row_comparison import same_rows

    rule = next(it for it in rules("alternative") if it.id == doubt.rule)
    found = await off_loop(partial(rule.find, subject))
    if found is None or found.sql is None:  # it changes nothing, or only what another rule changed
        return True
    *_, sql, _ = await _apply_changes(subject, rows, {*without, doubt.rule})
    try:
        return not same_rows(await rows(sql), other, ordered=False)
    except (SqlError, DatabaseUnavailable):
        return True


async def _apply_changes(
    subject: RuleContext, rows: Rows, without: Collection[str]
) -> tuple[list[Doubt], list[Change], str, bool]:
    """The doubts of the rules that change queries, the changes, the changed query, and whether it means the same."""
    from executors.sql.tree import tree_to_change

    doubts: list[Doubt] = []
    changes: list[Change] = []
    keeps_meaning = True
    for rule in rules("alternative", without):
        found = await off_loop(partial(rule.find, subject))
        if found is None or (found := await confirm(found, rows)) is None:
            continue
        doubts.append(Doubt(rule=rule.id, evidence=rule.evidence, detail=found.detail))
        if found.sql is not None and (tree := tree_to_change(found.sql, subject.dialect)) is not None:
            subject = replace(subject, sql=found.sql, tree=tree)
            changes += found.changes
            keeps_meaning = keeps_meaning and rule.keeps_meaning
    return doubts, changes, subject.sql, keeps_meaning


async def confirm(found: Finding, rows: Rows) -> Finding | None:
    """The finding if the data supports it; None if all probes give the same rows, or a count is 0.

    If a query fails, for whatever reason, a finding without counts stays: the query's form supports it, and a probe can
    only refute it. One with counts is dropped: stored values are all that supports it. A count reads whole tables, so
    on large ones it may run out of time where the query does not, and a doubt would say nothing about the query.
    """
    from agent.core.row_comparison import same_rows

    try:
        number: object = ""
        for sql in found.counts:
            number = next((row[0] for row in (await rows(sql)).rows), None)
            if not number:
                return None
        probes = [await rows(probe) for probe in found.probes]
    except (SqlError, DatabaseUnavailable):
        return None if found.counts else found
    if probes and all(same_rows(probes[0], it, ordered=False) for it in probes):
        return None
    return found._replace(detail=found.detail.replace("{}", str(number), 1)) if found.counts else found

"""Writes further drafts of a question, each without sight of the others, until they agree or the limit is reached."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from agent.checks.rules.repair import repair_with_data
from agent.core.errors import ModelError, ReplyUnusable
from agent.core.models import Candidate, Check, Doubt, Draft
from agent.core.resilience.off_loop import off_loop
from agent.pipeline.rounds.refuted import find_refuted
from agent.pipeline.rounds.spellings import unify_spellings
from agent.pipeline.rounds.unread import find_unread, inform
from agent.pipeline.steps.consensus import AGREED, Group, count_refuted, group_candidates, is_settled
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from rag.schema.joins import keyed_of

if TYPE_CHECKING:
    from agent.checks.rules.review import Rows
    from agent.pipeline.rounds.run import Run
    from executors.base import QueryResult


def begin_ahead(run: Run) -> None:
    """Start a further draft that runs beside the next step, unless one was begun before or none is wanted.

    Whichever is awaited first calls the model first, and takes its share of the question's budget.
    """
    if run.wants_draft_ahead:
        run.ahead.begin(lambda: _in_step(run, _further_draft(run)))


def _further_draft(run: Run) -> Coroutine[Any, Any, Draft | None]:
    """The next draft, written without sight of earlier ones; None if it is unusable or a clarification.

    Its number is assigned at the call, before the draft is awaited.
    """
    index, asks_second = run.written, not run.has_asked_second
    run.written += 1
    run.has_asked_second = True

    async def write_draft() -> Draft | None:
        generator, given = run.parts.generator, (run.question.text, inform(run), run.plan, run.ledger)
        try:
            draft = None
            if asks_second:
                run.written_by_second = 1  # also if the reply is unusable
                draft = await generator.draft_by_second(*given)
                run.written_by_second = int(draft is not None)
            draft = draft or await generator.draft_anew(*given, index=index - run.written_by_second)
        except ReplyUnusable:
            return None
        return (await run.spell(draft)).model_copy(update={"index": index}) if draft.sql is not None else None

    return write_draft()


async def _in_step(run: Run, writing: Coroutine[Any, Any, Draft | None]) -> Draft | None:
    """Await the draft and charge it to the evaluator, the step that began it."""
    with run.ledger.step("evaluator"):
        return await writing


NAME = "second_draft"
REPAIRS = "Repairs of two drafts may share a mistake, so they confirm nothing."
# Errors that another query would probably meet as well.
_OF_DATABASE = frozenset({ErrorKind.TIMEOUT, ErrorKind.RESOURCE, ErrorKind.PERMISSION})


async def vote(run: Run, rows: Rows, most: int) -> Check:
    """Have drafts written until they agree (see `is_settled`) or there are `most`; returns the check of the vote.

    Each is added to the run's candidates; one that was begun ahead comes first. An error of the model or the database
    ends the vote, and the check reports it.
    """
    failure = ""
    while (run.ahead.waits or run.written < most) and not is_settled(group_candidates(run.candidates)):
        try:
            draft = await (run.ahead.take() or _further_draft(run))
            if draft is not None:
                candidate, kind = await _try_draft(run, draft, rows)
                if draft.by_second and kind is not None and kind not in _OF_DATABASE:
                    candidate = await _try_second_again(run, draft, rows) or candidate
                run.candidates.append(candidate)
                await unify_spellings(run, rows)
                await find_refuted(run)
        except (ModelError, DatabaseUnavailable) as error:
            failure = f"Another draft failed: {error}"
            break
    return _votes_text(group_candidates(run.candidates), run, failure)


async def candidate_of(run: Run, draft: Draft, result: QueryResult, doubts: tuple[Doubt, ...] = ()) -> Candidate:
    """The candidate for a draft that ran. If drafts vote, it knows which count nobody asked for, and what it leaves
    unread."""
    judges, off = run.confirmation.second_draft == "judges", run.parts.profile.rules_off
    counts, unread = list[int](), await find_unread(run, draft.sql or "") if judges else ()
    if judges and draft.source == "draft" and "unasked_count" not in off:
        counts = await off_loop(lambda: _find_counts(run, draft.sql or "", len(result.columns)))
    return Candidate.of(draft, result, doubts=doubts, unasked=counts[0] if len(counts) == 1 else None, unread=unread)


def _find_counts(run: Run, sql: str, columns: int) -> list[int]:
    from agent.checks.rules.base import RuleContext
    from agent.checks.rules.unasked_count import find_counts
    from executors.sql.tree import tree_to_change

    schema = run.context.db_schema
    tree = tree_to_change(sql, DIALECTS[schema.dialect].sqlglot)
    if tree is None or len(tree.selects) != columns:  # the places of columns are unknown beside *
        return []
    return find_counts(RuleContext(sql, schema, tree, run.question.text))


async def _try_second_again(run: Run, failed: Draft, rows: Rows) -> Candidate | None:
    """A second try of the second model, at a higher temperature, after a draft that could not be run; None if it fails.

    The second model writes many drafts that cannot be run, and these neither confirm nor contradict the first rows.
    """
    given = (run.question.text, inform(run), run.plan, run.ledger)
    try:
        draft = await run.parts.generator.draft_by_second(*given, again=True)
        if draft is None or draft.sql is None:
            return None
        draft = await run.spell(draft)
        candidate, kind = await _try_draft(run, draft.model_copy(update={"index": failed.index}), rows)
    except (ReplyUnusable, ModelError, DatabaseUnavailable):  # the first model's next draft decides
        return None
    return candidate if kind is None else None


async def _try_draft(run: Run, draft: Draft, rows: Rows) -> tuple[Candidate, ErrorKind | None]:
    """Run a draft as written, or else repaired. Returns the candidate, and the error of the draft as written."""
    assert draft.sql is not None  # noqa: S101  a draft without a query is not tried
    try:
        return await candidate_of(run, draft, await rows(draft.sql)), None
    except (SqlFailed, SqlRefused) as error:
        schema, off = keyed_of(run.context.db_schema, run.context.known), run.parts.profile.rules_off
        kind, failed = error.kind, Candidate.of(draft, None, error.message)
    if not run.parts.profile.repairs:
        return failed, kind
    repair = await repair_with_data(draft, kind, schema, rows, off)
    if repair is None or repair.sql is None:
        return failed, kind
    try:
        return await candidate_of(run, repair, await rows(repair.sql)), kind
    except (SqlFailed, SqlRefused):
        return failed, kind


def _votes_text(groups: tuple[Group, ...], run: Run, failure: str) -> Check:
    votes = groups[0].votes if groups else 0
    voting = sum(group.votes for group in groups)
    if votes >= AGREED and (len(groups) == 1 or votes > groups[1].votes):
        counted = sum(it.may_vote for it in groups[0].with_count)
        beside = f", {counted} of them beside a count that nobody asked for" if counted else ""
        refuted = count_refuted(run.candidates)
        verb = "asks" if refuted == 1 else "ask"
        others = f" {refuted} more {verb} for what no row has." if refuted else ""
        asked = run.drafts - refuted
        alone = ", and no two others agree" if votes * 2 < asked and all(it.votes < AGREED for it in groups[1:]) else ""
        detail = f"{votes} of {asked} independent drafts give these rows{beside}{alone}.{others}"
        return Check(name=NAME, passed=True, detail=detail)
    if voting < AGREED:
        errors = [it.error for it in run.candidates if it.error]
        alike = {it.draft for it in groups[0].candidates} if len(groups) == 1 else ()
        ran = f"only {votes} of them" if votes else "none of them"
        why = (
            f"{len(alike)} drafts give these rows, but {ran} ran as written. {REPAIRS}"
            if len(alike) >= AGREED
            else failure
        )
        refuted = count_refuted(run.candidates)
        other = f"The others ask for what no row has: {refuted}." if refuted else "No other draft was written."
        why = why or (f"The others could not be run: {errors[-1]}" if errors else other)
        return Check(name=NAME, passed=None, detail=why)
    results = sum(group.votes > 0 for group in groups)
    return Check(name=NAME, passed=False, detail=f"{voting} drafts give {results} different results.")

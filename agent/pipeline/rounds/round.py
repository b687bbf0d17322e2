"""One round of the loop: draft, check, run and judge a query. Each step returns an event with its result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agent.checks.rules.repair import repair_with_data
from agent.checks.rules.review import RuleReview, review
from agent.core.errors import ModelError, ReplyUnusable, WritesNotAllowed
from agent.core.events import EVENT_ROWS, Evaluated, Planned, SqlExecuted, SqlGenerated, SqlValidated
from agent.core.models import Attempt, Candidate, Check, Draft, Verdict
from agent.core.resilience.off_loop import off_loop
from agent.databases.database import describe_left_out, find_hidden_columns
from agent.databases.made_addresses import refuse_made_address
from agent.pipeline.rounds.doubted import find_less_doubted
from agent.pipeline.rounds.unread import find_unread, inform
from agent.pipeline.rounds.voting import begin_ahead, candidate_of, vote
from agent.pipeline.steps.consensus import count_refuted, elect, group_candidates, is_derived
from agent.pipeline.steps.judge import overrule, report_unjudged, verdict_of_checks
from agent.pipeline.steps.plan import plan_of
from agent.pipeline.steps.progress import sql_progress
from agent.platform.access.intent import NEVER
from agent.understanding.shape import SOFT_CHECKS, shape_checks
from executors.base import CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from rag.schema.joins import keyed_of

if TYPE_CHECKING:
    from agent.pipeline.rounds.run import Run

OUTVOTED = "More independent drafts agree on other rows."
ELECTED = "More independent drafts agree on these rows."
COUNTED = "Another draft shows the same without a count that nobody asked for."
LESS_DOUBTED = "Less speaks against it than against the earlier query."
DOUBTED = "Less speaks against another draft."
WITHOUT_COUNT = "What other drafts also show is left out: a count nobody asked for."


def _draft_of(chosen: Candidate, note: str) -> Draft:
    return Draft(
        sql=chosen.sql,
        index=chosen.draft,
        note=chosen.note or note,
        source=chosen.source,
        by_second=chosen.by_second,
        temperature=chosen.temperature,
        logprob_mean=chosen.logprob_mean,
    )


class Round:
    """One attempt of a run. `conclude` adds it to the run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._attempt = Attempt(sql="")
        self._checked: CheckedSql | None = None
        self._elected = False

    @property
    def _reusing(self) -> bool:
        """Whether the current query comes from an earlier answer."""
        return self._run.draft.source == "reused"

    async def generate(self) -> SqlGenerated | None:
        """Step 5: take the query of an earlier answer, an elected candidate or a repair, or have the model write one.

        An unusable reply counts as a failed attempt. If the model fails: None if an earlier attempt has rows; else
        raises ModelError. See `Run.give_up`.
        """
        with self._run.ledger.time_step("sql_generator"):
            try:
                self._run.draft = await self._next_draft()
            except ReplyUnusable as error:
                self._run.draft = Draft()
                self._attempt = Attempt(sql="", error=str(error), error_type=ErrorKind.UNUSABLE_REPLY)
            except ModelError as error:
                self._run.give_up(error)
                return None
        return SqlGenerated(
            sql=self._run.draft.sql,
            explanation=self._run.draft.explanation or self._run.draft.note,
            clarification=self._run.draft.clarification,
            source="model" if self._run.draft.source == "draft" else self._run.draft.source,
            attempt=self._run.attempt_number,
            elapsed_ms=self._run.ledger.last,
        )

    async def validate(self) -> SqlValidated:
        """Step 6: pass the query through the guard.

        Raises WritesNotAllowed: the model read the question as a request to change the data. Once a query has run, such
        a draft is a failed attempt instead. Raises DatabaseUnavailable: the schema can no longer be read, and no
        earlier attempt has rows.
        """
        self._checked = None
        draft = self._run.draft
        if draft.sql is not None:
            self._attempt = Attempt(
                sql=draft.sql,
                explanation=draft.explanation,
                note=draft.note,
                plan=draft.plan,
                draft=draft,
                elected=self._elected,
            )
            with self._run.ledger.time_step("sql_validator"):
                try:
                    self._checked = await self._through_the_guard(draft.sql)
                except SqlRefused as error:
                    if error.kind is ErrorKind.NOT_READ_ONLY and self._run.best is None:
                        raise WritesNotAllowed(self._run.question.write_refusal or NEVER) from error
                    self._update(error=error.message, error_type=error.kind, hint=error.hint)
                except DatabaseUnavailable as error:
                    self._end_without_database(error)
        checked = self._checked
        if checked is not None:
            if not self._reusing and self._run.confirmation.second_draft == "judges":
                await find_unread(self._run, self._attempt.sql)  # before a further draft is begun
            sql, dialect = self._attempt.sql, self._run.database.dialect
            plan = self._attempt.plan or await off_loop(partial(plan_of, sql, checked.sql, dialect))
            self._update(executed_sql=checked.sql, tables=checked.tables, plan=plan)
        return SqlValidated(
            sql=checked.sql if checked else self._attempt.sql,
            passed=checked is not None,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=self._run.attempt_number,
            elapsed_ms=self._run.ledger.last,
        )

    def build_planned_event(self) -> Planned | None:
        """Step 4, if the plan came with the query or was read from it."""
        plan = self._attempt.plan
        if self._run.plan is not None or plan is None:
            return None
        source = "model" if self._run.draft.plan is not None else "sql"
        return Planned(plan=plan, source=source, attempt=self._run.attempt_number)

    async def execute(self) -> SqlExecuted | None:
        """Step 7: run the query. A database error is a failed attempt. A query that the guard refused never runs.

        Raises DatabaseUnavailable: the database is gone, and no earlier attempt has rows.
        """
        if self._checked is None:
            return None
        if not self._reusing and self._run.confirmation.second_draft == "judges":
            begin_ahead(self._run)
        with self._run.ledger.time_step("sql_executor"):
            try:
                self._update(result=await self._rows_of(self._checked))
            except SqlFailed as error:
                self._update(error=error.message, error_type=error.kind, hint=error.hint)
            except DatabaseUnavailable as error:
                self._end_without_database(error)
        result = self._attempt.result
        return SqlExecuted(
            columns=result.columns if result else (),
            rows=result.rows[:EVENT_ROWS] if result else (),
            row_count=result.row_count if result else 0,
            truncated=result.truncated if result else False,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=self._run.attempt_number,
            elapsed_ms=self._run.ledger.last,
        )

    async def evaluate(self) -> Evaluated | None:
        """Step 9: apply checks and rules, then ask drafts or the judge; the side tasks of the answer run meanwhile."""
        query, result = self._checked, self._attempt.result
        if query is None or result is None:
            return None
        run = self._run
        with run.ledger.time_step("evaluator"):
            run.start_side_tasks(self._attempt)
            profile, draft = run.parts.profile, self._attempt.draft
            found = await review(
                draft, result, run.question.text, run.context, run.database, self._try, profile.rules_off
            )
            checks = (*self._filter(query), *shape_checks(run.question.text, result), found.check)
            self._update(checks=checks, doubts=found.doubts)
            candidate = await candidate_of(run, draft, result, found.doubts)
            self._keep(candidate)
            if run.limits.enable_evaluation:
                await self._judge(query, candidate, found)
        return Evaluated(
            verdict=self._attempt.verdict,
            checks=self._attempt.checks,
            doubts=self._attempt.doubts,
            attempt=run.attempt_number,
            elapsed_ms=run.ledger.last,
        )

    async def _judge(self, query: CheckedSql, candidate: Candidate, found: RuleReview) -> None:
        """Set the verdict from the first source that can refuse the query, and the next draft if one is known."""
        run, second = self._run, "off" if self._reusing else self._run.confirmation.second_draft
        if found.alternative is not None and run.parts.profile.repairs and not self._was_tried(found.alternative.sql):
            why = " ".join(doubt.detail for doubt in found.doubts if doubt.evidence != "language")
            self._refuse(why, found.alternative)
            return
        verdict = verdict_of_checks(self._attempt.checks, query, run.attempts)
        if verdict is not None:
            self._update(verdict=verdict)
        elif second == "judges":
            await self._elect(candidate)
        elif self._reusing and self._attempt.draft.earlier_votes and run.confirmation.second_draft == "judges":
            self._count_earlier_votes(*self._attempt.draft.earlier_votes)
        elif run.confirmation.asks_judge:
            try:
                text, doubts = run.question.text, self._attempt.doubts
                verdict = await run.parts.judge.judge(
                    text, query.sql, self._attempt.rows, run.context, run.ledger, doubts
                )
                self._update(verdict=verdict)
            except (ModelError, ReplyUnusable) as error:
                self._update(checks=(*self._attempt.checks, report_unjudged(error, run.ledger)))
        verdict = self._attempt.verdict
        if verdict is not None and verdict.correct:
            who = "The judge accepts" if verdict.source == "judge" else "The drafts agree on"
            self._update(checks=tuple(overrule(check, who) for check in self._attempt.checks))
            if second == "besides":
                check = await vote(run, self._try, run.confirmation.drafts)
                groups = group_candidates(run.candidates)
                candidate = self._reread(candidate)
                if elect(groups, candidate) is not None:
                    asked = run.drafts - count_refuted(run.candidates)
                    detail = f"{groups[0].votes} of {asked} independent drafts give other rows."
                    check = check.model_copy(update={"passed": False, "detail": detail})
                self._update(checks=(*self._attempt.checks, check))

    def _count_earlier_votes(self, votes: int, drafts: int) -> None:
        """Accept a reused query by the votes of the drafts that agreed on it when it was verified."""
        detail = f"{votes} of {drafts} drafts agreed when this query was verified."
        check = Check(name="second_draft", passed=True, detail=detail)
        verdict = Verdict(reason=detail, correct=True, source="drafts")
        self._update(checks=(*self._attempt.checks, check), verdict=verdict)

    async def _elect(self, current: Candidate) -> None:
        """Let drafts vote. Accept the query if they agree on its rows; if they agree on others, try those next."""
        run = self._run
        check = await vote(run, self._try, run.confirmation.drafts)
        groups = group_candidates(run.candidates)
        current = self._reread(current)
        chosen = elect(groups, current)
        less_doubted = None
        if chosen is None:
            less_doubted = await find_less_doubted(run, groups, current, self._attempt.checks, self._try)
        if (
            chosen is None
            and current.source == "alternative"
            and not (check.passed and current in groups[0].candidates)
        ):
            is_confirmed = check.passed and self._attempt.draft.keeps_meaning and is_derived(current, groups[0])
            detail = "Drafts are compared with the query that this one was derived from."
            if is_confirmed:
                asked = run.drafts - count_refuted(run.candidates)
                detail = f"{groups[0].votes} of {asked} independent drafts agree on the query it was derived from."
            check = check.model_copy(update={"passed": True if is_confirmed else None, "detail": detail})
        self._update(checks=(*self._attempt.checks, check))
        if chosen is not None and not self._was_tried(chosen.sql):
            counted = next(it.with_count for it in groups if chosen in it.candidates)
            note, why = WITHOUT_COUNT if counted else ELECTED, COUNTED if current in counted else OUTVOTED
            self._refuse(why, _draft_of(chosen, note))
        elif less_doubted is not None and not self._was_tried(less_doubted.sql):
            against = " ".join(it.detail for it in self._attempt.doubts)
            self._refuse(f"{DOUBTED} {against}".strip(), _draft_of(less_doubted, LESS_DOUBTED))
        elif chosen is None and check.passed:
            self._update(verdict=Verdict(reason=check.detail, correct=True, source="drafts"))

    def _refuse(self, why: str, better: Draft) -> None:
        """Refuse the query and try another candidate in the next round."""
        self._update(verdict=Verdict(reason=why, correct=False, source="checks"))
        self._run.next_draft = better

    def _was_tried(self, sql: str | None) -> bool:
        """Whether a query was elected before: one that gives different rows each time is elected only once."""
        return any(it.elected and it.sql == sql for it in (*self._run.attempts, self._attempt))

    def _reread(self, candidate: Candidate) -> Candidate:
        """A candidate with what the vote found of it."""
        return next((it for it in self._run.candidates if it.key == candidate.key), candidate)

    def _keep(self, candidate: Candidate) -> None:
        """Add a candidate to the run, in place of an earlier version of the same one."""
        candidates = self._run.candidates
        at = next((n for n, it in enumerate(candidates) if it.key == candidate.key), None)
        if at is None:
            candidates.append(candidate)
        else:
            kept = candidates[at]
            candidates[at] = candidate.model_copy(update={"unified": kept.unified, "refuted": kept.refuted})

    async def _try(self, sql: str) -> QueryResult:
        """The rows of a query that is not an attempt, checked like any other. Raises SqlError, DatabaseUnavailable."""
        return await self._run_checked(await self._through_the_guard(sql))

    def _filter(self, query: CheckedSql) -> tuple[Check, ...]:
        """The check that reports what a row filter held back, because the reader of the answer has to know."""
        if not query.held:
            return ()
        held = " ".join(query.held)
        self._run.ledger.warn(held)
        return (Check(name="row_filter", passed=True, detail=held),)

    async def conclude(self) -> None:
        """Add the attempt to the run, whatever its outcome; if it could not be run, add its repair too."""
        if self._attempt.error is not None and self._attempt.draft.sql is not None:
            self._keep(Candidate.of(self._attempt.draft, None, self._attempt.error))
        self._run.attempts.append(self._attempt)
        with self._run.ledger.time_step("sql_generator"):
            self._run.repaired = await self._repair()
        if not self._run.is_accepted:
            self._run.side.drop()

    async def _next_draft(self) -> Draft:
        run = self._run
        known = run.reuse.take()
        if known is None and run.next_draft is not None:
            known, run.next_draft, self._elected = run.next_draft, None, True
        if known is None:
            known, run.repaired = run.repaired, None
        if known is not None:
            return known
        if run.confirmation.second_draft == "besides":  # an endpoint writes several drafts at once
            begin_ahead(run)  # before `sql_progress`, so that this reply is not shown as the query
        private = frozenset().union(*find_hidden_columns(run.context.db_schema, run.question.own_words).values())
        with sql_progress(run.attempt_number, run.context.system, run.question.text, private, run.part):
            return await self._write_draft()

    async def _repair(self) -> Draft | None:
        """The repair of a query that could not be run, unless it was tried already; at most two in a row."""
        run, last = self._run, self._attempt
        if last.is_reused or last.error_type is None or not run.parts.profile.repairs:
            return None  # a reused query that no longer fits is written again
        if all(it.draft.source == "repaired" for it in run.attempts[-2:]):
            return None
        schema = keyed_of(run.context.db_schema, run.context.known)
        off = run.parts.profile.rules_off
        found = await repair_with_data(last.draft, last.error_type, schema, self._try, off)
        return None if found is None or any(attempt.sql == found.sql for attempt in run.attempts) else found

    async def _write_draft(self) -> Draft:
        """The model's draft; if it repeats a query that failed, a draft that sees no earlier one.

        Where drafts judge, a query that a check refuted has failed, too: a repeat of it confirms nothing. No rows may
        be right, so a repeat of such a query is taken.
        """
        run, generator = self._run, self._run.parts.generator
        question, context, index = run.question.text, inform(run), run.written
        run.written += 1
        draft = await run.spell(await generator.draft(question, context, run.attempts, run.plan, run.ledger))
        if draft.sql and any(it.sql == draft.sql and self._has_failed(it) for it in run.attempts):
            draft = await run.spell(await generator.draft_anew(question, context, run.plan, run.ledger))
        return draft.model_copy(update={"index": index})

    def _has_failed(self, attempt: Attempt) -> bool:
        refuted = any(it.passed is False and it.name not in SOFT_CHECKS for it in attempt.checks)
        return attempt.error_type is not None or (refuted and self._run.confirmation.second_draft == "judges")

    async def _through_the_guard(self, sql: str) -> CheckedSql:
        return await self._run.check(sql)

    async def _rows_of(self, query: CheckedSql) -> QueryResult:
        run = self._run
        rows = await self._run_checked(query)
        if warning := describe_left_out(query):
            run.ledger.warn(warning)
        return rows

    async def _run_checked(self, query: CheckedSql) -> QueryResult:
        """The rows of a query. Also raises SqlFailed if the query builds an address that is not stored."""
        run = self._run
        rows = await run.database.run(query)
        await refuse_made_address(query, rows, run.database.dialect, run.question.own_words)
        return rows

    def _end_without_database(self, error: DatabaseUnavailable) -> None:
        self._run.give_up(error)
        self._update(error=str(error), error_type=ErrorKind.OTHER)

    def _update(self, **changes: object) -> None:
        self._attempt = self._attempt.model_copy(update=changes)

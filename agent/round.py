"""One round of the loop: draft, check, run and judge a query; each step returns the event that says what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.errors import ModelError, ReplyUnusable, WritesNotAllowed
from agent.evaluate import evaluate
from agent.events import Evaluated, Planned, SqlExecuted, SqlGenerated, SqlValidated
from agent.intent import NEVER
from agent.mending import mended
from agent.models import Attempt, Check, Draft
from agent.plan import plan_of
from agent.private_values import refuse_unasked, without_unasked
from agent.progress import sql_told
from executors.base import CheckedSql, QueryResult
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from rag.joins import keyed_of

if TYPE_CHECKING:
    from agent.run import Run

EVENT_ROWS = 20


class Round:
    """One attempt of a run, which gets it when it is concluded.

    Args:
        run: whose attempts so far are in view.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._attempt = Attempt(sql="")
        self._checked: CheckedSql | None = None

    @property
    def _reusing(self) -> bool:
        """Whether the query at hand is that of an earlier answer, which is only ever the first."""
        return self._run.reuse.tried and not self._run.attempts

    async def generate(self) -> SqlGenerated | None:
        """Step 5: the query of an earlier answer, a mend of the last one's tree, or one that the model writes.

        An unusable reply is an attempt that failed. None where the model gives none any more, and an earlier attempt
        has rows.

        Raises:
            ModelError: it gives none, and there are no rows.
        """
        with self._run.ledger.timed("sql_generator"):
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
            source="reused" if self._reusing else "model",
            attempt=len(self._run.attempts) + 1,
            elapsed_ms=self._run.ledger.last,
        )

    async def validate(self) -> SqlValidated:
        """Step 6: through the guard.

        Raises:
            WritesNotAllowed: the model took the question for a wish to change the data. Once a query has run, it was
                no such wish, and the attempt has failed like any other.
            DatabaseUnavailable: its schema cannot be read any more, and no earlier attempt has rows.
        """
        self._checked = None
        if self._run.draft.sql is not None:
            draft = self._run.draft
            told = {"explanation": draft.explanation, "note": draft.note}
            self._attempt = Attempt(sql=draft.sql, plan=draft.plan, reused=self._reusing, **told)
            with self._run.ledger.timed("sql_validator"):
                try:
                    self._checked = await self._through_the_guard(self._run.draft.sql)
                except SqlRefused as error:
                    if error.kind is ErrorKind.NOT_READ_ONLY and self._run.best is None:
                        raise WritesNotAllowed(self._run.question.write_refusal or NEVER) from error
                    self._update(error=error.message, error_type=error.kind, hint=error.hint)
                except DatabaseUnavailable as error:
                    self._gone(error)
        checked = self._checked
        if checked is not None:
            plan = self._attempt.plan or plan_of(self._attempt.sql, checked.sql, self._run.database.dialect)
            self._update(executed_sql=checked.sql, tables=checked.tables, plan=plan)
        return SqlValidated(
            sql=checked.sql if checked else self._attempt.sql,
            passed=checked is not None,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=len(self._run.attempts) + 1,
            elapsed_ms=self._run.ledger.last,
        )

    def planned(self) -> Planned | None:
        """Step 4, where the plan came with the query or is read from it."""
        plan = self._attempt.plan
        if self._run.plan is not None or plan is None:
            return None
        source = "model" if self._run.draft.plan is not None else "sql"
        return Planned(plan=plan, source=source, attempt=len(self._run.attempts) + 1)

    async def execute(self) -> SqlExecuted | None:
        """Step 7. A database error is an attempt that failed; nothing runs that the guard refused.

        Raises:
            DatabaseUnavailable: it is gone, and no earlier attempt has rows.
        """
        if self._checked is None:
            return None
        with self._run.ledger.timed("sql_executor"):
            try:
                self._update(result=await self._rows_of(self._checked))
            except SqlFailed as error:
                self._update(error=error.message, error_type=error.kind, hint=error.hint)
            except DatabaseUnavailable as error:
                self._gone(error)
        result = self._attempt.result
        return SqlExecuted(
            columns=result.columns if result else (),
            rows=result.rows[:EVENT_ROWS] if result else (),
            row_count=result.row_count if result else 0,
            truncated=result.truncated if result else False,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=len(self._run.attempts) + 1,
            elapsed_ms=self._run.ledger.last,
        )

    async def evaluate(self) -> Evaluated | None:
        """Step 9: plain checks, then the judge; meanwhile what the answer will need is fetched at its side."""
        query, result = self._checked, self._attempt.result
        if query is None or result is None:
            return None
        with self._run.ledger.timed("evaluator"):
            self._run.start_side_tasks(self._attempt)
            found = await evaluate(
                self._run.question.text,
                self._attempt.sql,
                query,
                result,
                self._run.context,
                self._run.database,
                self._run.ledger,
                judge=self._run.parts.judge if self._run.limits.enable_evaluation else None,
                generator=None if self._reusing else self._run.parts.generator,
                earlier=self._run.attempts,
                last=self._run.tries_left <= 1,
            )
            self._update(checks=(*self._filtered(query), *found.checks), verdict=found.verdict, mend=found.mend)
        return Evaluated(
            verdict=self._attempt.verdict,
            checks=self._attempt.checks,
            attempt=len(self._run.attempts) + 1,
            elapsed_ms=self._run.ledger.last,
        )

    def _filtered(self, query: CheckedSql) -> tuple[Check, ...]:
        """What a row filter kept back, which the reader of the answer has to know."""
        if not query.held:
            return ()
        held = " ".join(query.held)
        self._run.ledger.warn(held)
        return (Check(name="row_filter", passed=True, detail=held),)

    def conclude(self) -> None:
        """Keep the attempt, whatever became of it."""
        self._run.attempts.append(self._attempt)
        if not self._run.accepted:
            self._run.side.drop()

    # -- inside -------------------------------------------------------------------------------------------

    async def _next_draft(self) -> Draft:
        run = self._run
        known = run.reuse.take()
        if known is None:
            schema = keyed_of(run.context.db_schema, run.context.known)
            known = mended(run.attempts, schema, run.question.text, mends=run.parts.profile.mends)
        if known is not None:
            return known
        with sql_told(len(run.attempts) + 1, run.context.system, run.question.text):
            return await self._written()

    async def _written(self) -> Draft:
        """What the model writes; where it repeats a query that could not be run, what it writes with none in view."""
        run, generator = self._run, self._run.parts.generator
        question, context = run.question.text, run.context
        draft = await generator.draft(question, context, run.attempts, run.plan, run.ledger)
        if not any(it.error_type is not None and it.sql == draft.sql for it in run.attempts if draft.sql):
            return draft
        return await generator.draft_anew(question, context, run.plan, run.ledger)

    async def _through_the_guard(self, sql: str) -> CheckedSql:
        run = self._run
        checked = await run.database.check(sql, run.limits.row_limit)
        refuse_unasked(checked, await run.database.schema(), run.question.text)
        return checked

    async def _rows_of(self, query: CheckedSql) -> QueryResult:
        run = self._run
        rows = await run.database.run(query)
        rows, left_out = without_unasked(rows, query.tables, await run.database.schema(), run.question.text)
        for warning in left_out:
            run.ledger.warn(warning)
        return rows

    def _gone(self, error: DatabaseUnavailable) -> None:
        self._run.give_up(error)
        self._update(error=str(error), error_type=ErrorKind.OTHER)

    def _update(self, **changes: object) -> None:
        self._attempt = self._attempt.model_copy(update=changes)

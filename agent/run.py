"""One question on its way: each method is a step of the loop, and returns the event that says what it found."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.context import Context, enrich
from agent.database import Database
from agent.errors import ReplyUnusable, WritesNotAllowed
from agent.evaluate import evaluate
from agent.generate import mended
from agent.intent import NEVER
from agent.ledger import Ledger
from agent.limits import Limits
from agent.models import (
    AnswerFormatted,
    Attempt,
    DialectResolved,
    Draft,
    Entered,
    Evaluated,
    HumanReview,
    Plan,
    Planned,
    Question,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlValidated,
)
from agent.parts import Parts
from agent.plan import plan_of
from agent.raw import RawRecords, fetch_raw_records
from agent.response import best_of
from agent.reuse import Reuse
from agent.side_tasks import SideTasks
from agent.suggest import suggestions
from agent.synthesize import CheckedText
from executors.base import CheckedSql
from executors.errors import ErrorKind, SqlFailed, SqlRefused

EVENT_ROWS = 20


@dataclass
class Run:
    """The state of one question. Attempts are only ever added."""

    question: Question
    database: Database
    parts: Parts
    limits: Limits
    ledger: Ledger = field(default_factory=Ledger)
    attempts: list[Attempt] = field(default_factory=list)
    plan: Plan | None = None
    draft: Draft = field(default_factory=Draft)
    raw: RawRecords = field(default_factory=RawRecords)
    text: CheckedText = field(default_factory=lambda: CheckedText(text=""))

    def __post_init__(self) -> None:
        self.context: Context
        self._attempt = Attempt(sql="")
        self._checked: CheckedSql | None = None
        self._side = SideTasks()
        self.reuse = Reuse(self.question, self.parts, self.limits)

    # -- before the first query ---------------------------------------------------------------------------

    def enter(self) -> Entered:
        """Step 1; the question was validated on its way in."""
        return Entered(history=len(self.question.history))

    def resolve_dialect(self) -> DialectResolved:
        """Step 2; the name was found in the registry."""
        return DialectResolved(dialect=self.database.dialect, executor=type(self.database.executor).__name__)

    async def select_schema(self) -> SchemaSelected:
        """Step 3: raw schema and retrieval, side by side."""
        parts = self.parts
        knowledge = parts.knowledge if self.limits.enable_retrieval else None
        with self.ledger.timed("schema_selector"):
            self.context = await enrich(self.question, self.database, knowledge, parts.profile, parts.settings)
        context = self.context
        for warning in context.warnings:
            self.ledger.warn(warning)
        return SchemaSelected(
            tables=context.tables,
            documents=context.documents,
            tokens=context.tokens,
            pruned=context.pruned,
            warnings=context.warnings,
            elapsed_ms=self.ledger.last,
        )

    async def make_plan(self) -> Planned | None:
        """Step 4, where the profile wants a plan before any SQL, and no query is known for it."""
        await self.reuse.recall(self.context)
        if self.reuse.draft is not None:
            return None
        with self.ledger.timed("planner"):
            self.plan = await self.parts.generator.plan(self.question.text, self.context, self.ledger)
        return Planned(plan=self.plan, source="model", elapsed_ms=self.ledger.last) if self.plan else None

    # -- one attempt --------------------------------------------------------------------------------------

    @property
    def may_try(self) -> bool:
        written = sum(not attempt.reused for attempt in self.attempts)  # what was reused took nobody's turn
        return not self._settled and written < self.limits.max_attempts

    @property
    def accepted(self) -> bool:
        return bool(self.attempts) and self.attempts[-1].accepted

    @property
    def _settled(self) -> bool:
        """Whether another attempt would be a waste: accepted, or refused by a judge that only advises."""
        last = self.attempts[-1] if self.attempts else None
        if last is None:
            return False
        advised = last.verdict is not None and last.verdict.source == "judge"
        only_advised = advised and not last.reused and self.parts.judge.profile.judge == "advises"
        return self.accepted or only_advised

    @property
    def _reusing(self) -> bool:
        """Whether the query at hand is that of an earlier answer, which is only ever the first."""
        return self.reuse.tried and not self.attempts

    async def generate(self) -> SqlGenerated:
        """Step 5: the query of an earlier answer, a mend of the last one's tree, or one that the model writes.

        An unusable reply is an attempt that failed.
        """
        with self.ledger.timed("sql_generator"):
            try:
                self.draft = await self._next_draft()
            except ReplyUnusable as error:
                self.draft = Draft()
                self._attempt = Attempt(sql="", error=str(error), error_type=ErrorKind.UNUSABLE_REPLY)
        return SqlGenerated(
            sql=self.draft.sql,
            explanation=self.draft.explanation,
            clarification=self.draft.clarification,
            source="reused" if self._reusing else "model",
            attempt=len(self.attempts) + 1,
            elapsed_ms=self.ledger.last,
        )

    async def validate(self) -> SqlValidated:
        """Step 6: through the guard.

        Raises:
            WritesNotAllowed: the model took the question for a wish to change the data. Once a query has run, it was
                no such wish, and the attempt has failed like any other.
        """
        self._checked = None
        if self.draft.sql is not None:
            draft = self.draft
            self._attempt = Attempt(sql=draft.sql, explanation=draft.explanation, plan=draft.plan, reused=self._reusing)
            with self.ledger.timed("sql_validator"):
                try:
                    self._checked = await self.database.check(self.draft.sql, self.limits.row_limit)
                except SqlRefused as error:
                    if error.kind is ErrorKind.NOT_READ_ONLY and self.best is None:
                        raise WritesNotAllowed(self.question.write_refusal or NEVER) from error
                    self._update(error=error.message, error_type=error.kind, hint=error.hint)
        checked = self._checked
        if checked is not None:
            plan = self._attempt.plan or plan_of(self._attempt.sql, checked.sql, self.database.dialect)
            self._update(executed_sql=checked.sql, tables=checked.tables, plan=plan)
        return SqlValidated(
            sql=checked.sql if checked else self._attempt.sql,
            passed=checked is not None,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=len(self.attempts) + 1,
            elapsed_ms=self.ledger.last,
        )

    def planned(self) -> Planned | None:
        """Step 4, where the plan came with the query or is read from it."""
        plan = self._attempt.plan
        if self.plan is not None or plan is None:
            return None
        source = "model" if self.draft.plan is not None else "sql"
        return Planned(plan=plan, source=source, attempt=len(self.attempts) + 1)

    async def execute(self) -> SqlExecuted | None:
        """Step 7. A database error is an attempt that failed; nothing runs that the guard refused."""
        if self._checked is None:
            return None
        with self.ledger.timed("sql_executor"):
            try:
                self._update(result=await self.database.run(self._checked))
            except SqlFailed as error:
                self._update(error=error.message, error_type=error.kind, hint=error.hint)
        result = self._attempt.result
        return SqlExecuted(
            columns=result.columns if result else (),
            rows=result.rows[:EVENT_ROWS] if result else (),
            row_count=result.row_count if result else 0,
            truncated=result.truncated if result else False,
            error_type=self._attempt.error_type,
            error=self._attempt.error,
            attempt=len(self.attempts) + 1,
            elapsed_ms=self.ledger.last,
        )

    async def evaluate(self) -> Evaluated | None:
        """Step 9: plain checks, then the judge; meanwhile what the answer will need is fetched at its side."""
        query, result = self._checked, self._attempt.result
        if query is None or result is None:
            return None
        with self.ledger.timed("evaluator"):
            self._start_side_tasks()
            found = await evaluate(
                self.question.text,
                query,
                result,
                self.context,
                self.database,
                self.ledger,
                judge=self.parts.judge if self.limits.enable_evaluation else None,
                generator=None if self._reusing else self.parts.generator,
                earlier=self.attempts,
            )
            self._update(checks=found.checks, verdict=found.verdict)
        return Evaluated(
            verdict=self._attempt.verdict,
            checks=self._attempt.checks,
            attempt=len(self.attempts) + 1,
            elapsed_ms=self.ledger.last,
        )

    def conclude(self) -> None:
        """Keep the attempt, whatever became of it."""
        self.attempts.append(self._attempt)
        if not self.accepted:
            self._side.drop()

    def repair(self) -> Repairing:
        """Step 8: what the next attempt is told."""
        last = self.attempts[-1]
        reason = last.verdict.reason if last.verdict else ""
        return Repairing(
            error_type=last.error_type or "JUDGED_WRONG",
            error=last.error or reason,
            hint=last.hint,
            attempt=len(self.attempts),
        )

    # -- after the last query -----------------------------------------------------------------------------

    @property
    def best(self) -> Attempt | None:
        return best_of(self.attempts)

    async def fetch_raw(self, best: Attempt) -> RawRecordsFetched:
        """Step 11: the rows behind an aggregate."""
        with self.ledger.timed("raw_records"):
            self.raw = await self._side.raw() or await self._raw_records(best)
        result = self.raw.result
        return RawRecordsFetched(
            sql=self.raw.sql,
            row_count=result.row_count if result else 0,
            truncated=result.truncated if result else False,
            derived=self.raw.derived,
            reason=self.raw.reason,
            elapsed_ms=self.ledger.last,
        )

    async def format_answer(self, best: Attempt) -> AnswerFormatted:
        """Step 12: the sentence, its arithmetic recomputed, its numbers traced."""
        with self.ledger.timed("answer_formatter"):
            self.text = await self.parts.writer.write_checked(
                self.question.text,
                best,
                self.raw.result,
                self.context,
                self.ledger,
                draft=await self._side.text(),
                calculate=self.limits.enable_calculator,
            )
        return AnswerFormatted(
            answer=self.text.text,
            corrections=self.text.corrections,
            checks=self.text.checks,
            elapsed_ms=self.ledger.last,
        )

    def review(self) -> HumanReview:
        """Step 13: what was tried, why it failed, what could be asked instead."""
        reasons = [a.error or (a.verdict.reason if a.verdict else "") for a in self.attempts]
        tables = tuple(dict.fromkeys(table for a in self.attempts for table in a.tables)) or self.context.tables
        return HumanReview(
            tried=tuple(a.sql for a in self.attempts),
            reasons=tuple(dict.fromkeys(reason for reason in reasons if reason)),
            suggestions=suggestions(self.context.db_schema, tables),
        )

    async def close(self) -> None:
        """End what still runs at the side."""
        await self._side.close()

    # -- inside -------------------------------------------------------------------------------------------

    async def _next_draft(self) -> Draft:
        known = self.reuse.take()
        if known is None and self.parts.profile.mends_columns:
            known = mended(self.attempts, self.context.db_schema)
        return known or await self.parts.generator.draft(
            self.question.text, self.context, self.attempts, self.plan, self.ledger
        )

    def _update(self, **changes: object) -> None:
        self._attempt = self._attempt.model_copy(update=changes)

    def _start_side_tasks(self) -> None:
        draft = None
        if self.parts.profile.speculative_answer and self.limits.enable_evaluation:
            draft = self.parts.writer.write(
                self.question.text,
                self._attempt,
                self.context,
                self.ledger,
                calculate=self.limits.enable_calculator,
            )
        self._side.start(self._raw_records(self._attempt), draft)

    async def _raw_records(self, attempt: Attempt) -> RawRecords:
        return await fetch_raw_records(
            self.question.text,
            attempt.executed_sql or attempt.sql,
            self.database,
            self.context,
            self.parts.writer.model,
            self.limits.raw_row_limit,
            self.ledger,
        )

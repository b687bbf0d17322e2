"""A change of the data, in two requests.

The first request plans the change: a model writes one INSERT, UPDATE or DELETE, the guard checks it, the database runs
it and rolls it back, and the user sees what it would do. The second request has the plan's token and makes the change:
the same statement is checked again, and committed only if it still does what was shown.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

from agent.core.answers import Answer, WritePlan
from agent.core.errors import ReplyUnusable, WriteNotMade, WritesNotAllowed
from agent.core.events import EVENT_ROWS, AnswerDelta, Done, Event, SqlExecuted, SqlGenerated, SqlValidated
from agent.core.models import Attempt, Check, Clarification, Draft
from agent.core.resilience.off_loop import off_loop
from agent.core.texts.plurals import plural
from agent.databases.made_addresses import refuse_made_address
from agent.pipeline.answers.response import build_clarification, build_error_answer, common
from agent.pipeline.steps.write_plans import PlannedWrite
from agent.platform.access.intent import orders_change
from executors.base import CheckedWrite, QueryResult, WriteResult
from executors.errors import ErrorKind, SqlFailed, SqlRefused

if TYPE_CHECKING:
    from agent.pipeline.rounds.run import Run
    from agent.pipeline.steps.write_plans import Issued

NO_ROWS = QueryResult(columns=(), rows=())
ASK_AGAIN = "Nothing was changed; ask for the change again."

_STATEMENT = re.compile(r"\s*(?:insert|update|delete)\b", re.IGNORECASE)

log = logging.getLogger(__name__)


def wants_change(run: Run) -> bool:
    """Whether the question is an order to change rows, and the caller may change them."""
    return not run.question.write_refusal and orders_change(run.question.text)


def has_drafted_change(run: Run) -> bool:
    """Whether the model drafted a change, the caller may make one, and no query has run yet."""
    may = not run.question.write_refusal and run.best is None
    return may and run.draft.sql is not None and bool(_STATEMENT.match(run.draft.sql))


async def plan(run: Run) -> AsyncIterator[Event]:
    """Plan a change, one event per step; `run.draft` may hold its first draft.

    Raises WritesNotAllowed: this is no change of rows, or the database is read-only; WriteNotMade: more rows would
    change than allowed; ModelError, DatabaseUnavailable, StateUnavailable: no further attempt can help.
    """
    change = _Change(run)
    while run.may_try:
        if run.draft.sql is None:
            yield await change.generate()
        if run.draft.clarification:
            declined = build_clarification(run, Clarification(reason="model", text=run.draft.clarification))
            yield Done(answer=declined.model_copy(update={"kind": "change"}))
            return
        yield await change.validate()
        if executed := await change.try_out():
            yield executed
        run.attempts.append(change.attempt)
        run.draft = Draft()
        if run.may_try:
            yield run.repair()
    answer = await change.build_answer()
    yield AnswerDelta(text=answer.answer)
    yield Done(answer=answer)


async def confirm(run: Run, token: str) -> AsyncIterator[Event]:
    """Make a planned change, one event per step.

    Raises UnknownWritePlan: no such change waits for this caller; WriteNotMade: the plan has expired, or the change
    would now do something else, so nothing was changed; DatabaseUnavailable, StateUnavailable.
    """
    question, settings = run.question, run.parts.settings
    waiting = await asyncio.to_thread(run.parts.write_plans.claim, token, question.database, question.principal)
    try:
        with run.ledger.time_step("sql_validator"):
            checked = await run.database.check_write(waiting.sql, settings.write_row_limit, question=waiting.asked)
        if checked.sql != waiting.sql:
            raise WriteNotMade(f"The database's tables have changed since. {ASK_AGAIN}")
        yield SqlValidated(sql=checked.sql, passed=True, elapsed_ms=run.ledger.last)
        with run.ledger.time_step("sql_executor"):
            rows = await rows_before(run, checked, waiting.asked)
            if _digest(rows) != waiting.seen:
                raise WriteNotMade(f"The rows have changed since they were shown. {ASK_AGAIN}")
            result = await run.database.write(
                checked, commit=True, max_rows=settings.write_row_limit, exactly=waiting.rows
            )
    except (SqlFailed, SqlRefused) as error:
        raise WriteNotMade(f"{error.message} {ASK_AGAIN}") from error
    if not result.committed:
        then, now = plural(waiting.rows, "row"), result.rows_affected
        raise WriteNotMade(f"{then} would have changed when it was planned, and {now} would now. {ASK_AGAIN}")
    log.info(
        "Committed: trace_id=%s database=%s %s %s rows=%d",
        *(question.trace_id, question.database, checked.kind, checked.table, result.rows_affected),
    )
    yield SqlExecuted(row_count=result.rows_affected, elapsed_ms=run.ledger.last)
    answer = build_applied_answer(run, checked, result)
    yield AnswerDelta(text=answer.answer)
    yield Done(answer=answer)


class _Change:
    """A change that is being planned. Each method is a step."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.attempt = Attempt(sql="")
        self._checked: CheckedWrite | None = None
        self._tried: WriteResult | None = None

    async def generate(self) -> SqlGenerated:
        """Have the model write a statement; it sees all earlier attempts."""
        run = self._run
        with run.ledger.time_step("sql_generator"):
            try:
                run.draft = await run.parts.generator.draft(
                    run.question.text, run.context, run.attempts, None, run.ledger, task="write"
                )
            except ReplyUnusable as error:
                run.draft = Draft()
                self.attempt = Attempt(sql="", error=str(error), error_type=ErrorKind.UNUSABLE_REPLY)
        return SqlGenerated(
            sql=run.draft.sql,
            explanation=run.draft.explanation,
            clarification=run.draft.clarification,
            attempt=run.attempt_number,
            elapsed_ms=run.ledger.last,
        )

    async def validate(self) -> SqlValidated:
        """Pass the statement through the guard for writes. Raises WritesNotAllowed: it would change more than rows."""
        run, draft, self._checked = self._run, self._run.draft, None
        if draft.sql is not None:
            self.attempt = Attempt(sql=draft.sql, explanation=draft.explanation)
            with run.ledger.time_step("sql_validator"):
                try:
                    most, own_question = run.parts.settings.write_row_limit, run.question.text
                    self._checked = await run.database.check_write(draft.sql, most, question=own_question)
                except SqlRefused as error:
                    if error.kind is ErrorKind.NOT_READ_ONLY:
                        raise WritesNotAllowed(error.message) from error
                    self._note_error(error)
        checked = self._checked
        if checked is not None:
            self._update(executed_sql=checked.sql, tables=(checked.table,))
        return SqlValidated(
            sql=checked.sql if checked else self.attempt.sql,
            passed=checked is not None,
            error_type=self.attempt.error_type,
            error=self.attempt.error,
            attempt=run.attempt_number,
            elapsed_ms=run.ledger.last,
        )

    async def try_out(self) -> SqlExecuted | None:
        """Run the statement in a transaction that is rolled back, and read the affected rows as they are now."""
        run, checked = self._run, self._checked
        if checked is None:
            return None
        rows, self._tried = NO_ROWS, None
        with run.ledger.time_step("sql_executor"):
            try:
                self._tried = await run.database.write(
                    checked, commit=False, max_rows=run.parts.settings.write_row_limit
                )
                rows = await rows_before(run, checked, run.question.text)
                self._update(result=rows)
            except SqlRefused as error:
                raise WritesNotAllowed(error.message) from error
            except SqlFailed as error:
                if error.kind is ErrorKind.RESOURCE:  # too many rows: a model must not narrow what a person asked for
                    raise WriteNotMade(f"{error.message} Ask for a smaller change.") from error
                self._note_error(error)
        return SqlExecuted(
            columns=rows.columns,
            rows=rows.rows[:EVENT_ROWS],
            row_count=self._tried.rows_affected if self._tried else 0,
            error_type=self.attempt.error_type,
            error=self.attempt.error,
            attempt=run.attempt_number,
            elapsed_ms=run.ledger.last,
        )

    async def build_answer(self) -> Answer:
        """The response: what would change, and the token that confirms it."""
        run, checked, tried, best = self._run, self._checked, self._tried, self._run.best
        if checked is None or tried is None or best is None:
            reasons = dict.fromkeys(attempt.error for attempt in run.attempts if attempt.error)
            text = " ".join(["I could not plan this change, and nothing was changed.", *reasons])
            answer = await off_loop(partial(build_error_answer, run, text))
            return answer.model_copy(update={"kind": "change"})
        issued = None
        if tried.rows_affected:
            stored = PlannedWrite(
                database=run.question.database,
                principal=run.question.principal,
                sql=checked.sql,
                rows=tried.rows_affected,
                seen=_digest(best.rows),
                asked=run.question.text,
            )
            issued = await asyncio.to_thread(run.parts.write_plans.keep, stored)
        return build_planned_answer(run, checked, best, tried, issued)

    def _note_error(self, error: SqlRefused | SqlFailed) -> None:
        self._update(error=error.message, error_type=error.kind, hint=error.hint)

    def _update(self, **changes: object) -> None:
        self.attempt = self.attempt.model_copy(update=changes)


def _digest(rows: QueryResult) -> str:
    """A digest of the rows that were shown. Their order does not count, because no database guarantees it."""
    lines = sorted(json.dumps(row, default=str) for row in rows.rows)
    return hashlib.sha256("\n".join([json.dumps(rows.columns), *lines]).encode()).hexdigest()


async def rows_before(run: Run, checked: CheckedWrite, question: str) -> QueryResult:
    """The rows that a change affects, without private columns that the question does not name.

    Raises SqlRefused: the change would write a value that it may not show, for example copy a private column.
    """
    if checked.preview is None:
        return NO_ROWS
    shown = checked.preview
    query = await run.database.check(shown.sql, shown.row_limit, question=question, leave_out=True)
    rows = await run.database.run(query)
    await refuse_made_address(query, rows, run.database.dialect, question)
    return rows


_WOULD = {
    "insert": "This would add {rows} to {table}",
    "update": "This would change {rows} of {table}",
    "delete": "This would delete {rows} of {table}",
}
_DONE = {
    "insert": "{rows} {were} added to {table}.",
    "update": "{rows} of {table} {were} changed.",
    "delete": "{rows} of {table} {were} deleted.",
}
_GUARD = Check(name="guard", passed=True, detail="One INSERT, UPDATE or DELETE of one known table.")


def build_planned_answer(
    run: Run, checked: CheckedWrite, best: Attempt, tried: WriteResult, issued: Issued | None
) -> Answer:
    """The response to the first request.

    `best` has the rows that would change, as they are now; `issued` has the token, and is None if nothing would change.
    """
    count = tried.rows_affected
    text = f"No row of {checked.table} would change, so there is nothing to confirm."
    if issued is not None:
        would = _WOULD[checked.kind].format(rows=plural(count, "row"), table=checked.table)
        text = f"{would}; nothing has been changed yet. Confirm with the token to do it."
    return common(run, [checked.table]).model_copy(
        update={
            "kind": "change",
            "answer": text,
            "sql": checked.sql,
            "raw_results": best.rows.records(),
            "raw_sql": checked.preview.sql if checked.preview else None,
            "raw_truncated": best.rows.truncated,
            "explanation": best.explanation,
            "checks": [
                _GUARD,
                Check(name="dry_run", passed=True, detail=f"It ran and was undone: {plural(count, 'row')}."),
                read_again(checked, tried),
                Check(name="confirmed", passed=None, detail="It is not confirmed yet."),
            ],
            "needs_human_review": True,
            "write": WritePlan(
                kind=checked.kind,
                table=checked.table,
                rows_affected=count,
                token=issued.token if issued else None,
                expires_at=issued.expires_at if issued else None,
            ),
        }
    )


def build_applied_answer(run: Run, checked: CheckedWrite, result: WriteResult) -> Answer:
    """The response to a confirmation. Args: result: of the committed change."""
    count = result.rows_affected
    were = "was" if count == 1 else "were"
    return common(run, [checked.table]).model_copy(
        update={
            "kind": "change",
            "answer": _DONE[checked.kind].format(rows=plural(count, "row"), table=checked.table, were=were),
            "sql": checked.sql,
            "verified": True,
            "checks": [
                _GUARD,
                Check(name="confirmed", passed=True, detail="By the token of its plan."),
                Check(
                    name="rows",
                    passed=True,
                    detail=f"{plural(count, 'row')}, as planned; committed in one transaction.",
                ),
                read_again(checked, result),
            ],
            "write": WritePlan(kind=checked.kind, table=checked.table, rows_affected=count, committed=True),
        }
    )


def read_again(checked: CheckedWrite, result: WriteResult) -> Check:
    """The check that rows were read back after the change, in its transaction, with the compared columns."""
    plan = checked.read_back
    if result.read_back is None or plan is None:
        return Check(name="read_back", passed=None, detail=f"The rows were counted but not read back: {result.unread}.")
    compared = ", ".join(name for name in plan.compared_columns if checked.kind != "update" or name not in plan.key)
    found = {"delete": "gone", "insert": f"there ({compared})", "update": f"as it says ({compared or 'their keys'})"}
    rows = plural(result.read_back, "row")
    detail = f"{rows} looked up by key after the change, in its transaction: {found[checked.kind]}."
    return Check(name="read_back", passed=True, detail=detail)

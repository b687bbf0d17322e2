"""Responses to a requested change: what would change, and what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.core.answers import Answer, WritePlan
from agent.core.models import Attempt, Check
from agent.pipeline.answers.response import common
from executors.base import CheckedWrite, WriteResult

if TYPE_CHECKING:
    from agent.pipeline.run import Run
    from agent.pipeline.writes.tokens import Issued

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

    `best` has the rows that would change, as they are; `issued` confirms the change, and is None where nothing would
    change.
    """
    count = tried.rows_affected
    text = f"No row of {checked.table} would change, so there is nothing to confirm."
    if issued is not None:
        would = _WOULD[checked.kind].format(rows=format_row_count(count), table=checked.table)
        text = f"{would}; nothing has been changed yet. Confirm with the token to do it."
    return common(run).model_copy(
        update={
            "kind": "change",
            "answer": text,
            "sql": checked.sql,
            "raw_results": best.rows.records(),
            "raw_sql": checked.preview.sql if checked.preview else None,
            "raw_truncated": best.rows.truncated,
            "tables_used": [checked.table],
            "explanation": best.explanation,
            "checks": [
                _GUARD,
                Check(name="dry_run", passed=True, detail=f"It ran and was undone: {format_row_count(count)}."),
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
    """The response to a confirmation. Args: result: what was committed."""
    count = result.rows_affected
    were = "was" if count == 1 else "were"
    return common(run).model_copy(
        update={
            "kind": "change",
            "answer": _DONE[checked.kind].format(rows=format_row_count(count), table=checked.table, were=were),
            "sql": checked.sql,
            "tables_used": [checked.table],
            "verified": True,
            "checks": [
                _GUARD,
                Check(name="confirmed", passed=True, detail="By the token of its plan."),
                Check(
                    name="rows",
                    passed=True,
                    detail=f"{format_row_count(count)}, as planned; committed in one transaction.",
                ),
                read_again(checked, result),
            ],
            "write": WritePlan(kind=checked.kind, table=checked.table, rows_affected=count, committed=True),
        }
    )


def read_again(checked: CheckedWrite, result: WriteResult) -> Check:
    """Whether the rows were looked up after the change, in its transaction, and what of them was compared."""
    plan = checked.read_back
    if result.read_back is None or plan is None:
        return Check(name="read_back", passed=None, detail=f"The rows were counted but not read back: {result.unread}.")
    compared = ", ".join(name for name in plan.compared_columns if checked.kind != "update" or name not in plan.key)
    found = {"delete": "gone", "insert": f"there ({compared})", "update": f"as it says ({compared or 'their keys'})"}
    rows = format_row_count(result.read_back)
    detail = f"{rows} looked up by key after the change, in its transaction: {found[checked.kind]}."
    return Check(name="read_back", passed=True, detail=detail)


def format_row_count(count: int) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} row{'' if count == 1 else 's'}"

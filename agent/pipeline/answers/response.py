"""Builds a question's response from what its run found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from agent.checks.grounding.languages.language import language_of
from agent.core.answers import Answer, AttemptRecord, CandidateRecord, Correction
from agent.core.events import HumanReview
from agent.core.models import Attempt, Check, Choice, take_fields
from agent.pipeline.steps.consensus import Evidence
from agent.present.charts.recommend import recommend
from agent.understanding.clarification.words.languages import frames_of
from agent.understanding.shape import SOFT_CHECKS

if TYPE_CHECKING:
    from agent.core.models import Clarification
    from agent.pipeline.confidence.calibration import Sureness
    from agent.pipeline.rounds.run import Run

_SENTENCES = re.compile(r"(?<=[.!?])\s")


def build_answer(run: Run, best: Attempt, suggestions: Sequence[str] = ()) -> Answer:
    """The response if a query gave rows, accepted or not. suggestions: questions to ask instead."""
    checks = (*final_checks(run, best), *run.text.checks)
    evidence = run.evidence(best)
    sureness = run.parts.calibration.of(evidence)
    passes = best.is_accepted and nothing_against(evidence, checks)
    if passes and (unsure := unsure_check(sureness, is_doubted=bool(evidence.doubts))):
        checks = (*checks, unsure)
    raw = run.raw.result
    return common(run, best.tables).model_copy(
        update={
            "status": "success",
            "answer": run.text.text,
            "answer_source": run.text.source,
            "sql": best.executed_sql,
            "results": best.rows.records(),
            "columns": list(best.rows.columns),
            "row_count": best.rows.row_count,
            "truncated": best.rows.truncated,
            "raw_results": raw.records() if raw else [],
            "raw_sql": run.raw.sql if raw else None,
            "raw_truncated": raw is not None and raw.truncated,
            "raw_total": run.raw.total,
            "group_columns": None if run.raw.keys is None else list(run.raw.keys),
            "verified": passes and sureness.sure,
            "confidence": sureness.confidence,
            "checks": list(checks),
            "doubts": [*best.doubts, *run.doubts],
            "candidates": candidate_records(evidence) if run.question.options.candidates else [],
            "corrections": [*changes_of(best), *run.text.corrections],
            "numbers": list(run.text.numbers),
            "explanation": explain_attempt(best, run.database.dialect),
            "plan": best.plan,
            "reused": best.is_reused,
            "cursor": run.cursor,
            "chart": recommend(best.rows, best.executed_sql or best.sql, run.database.dialect, run.question.text),
            "choices": as_choices(suggestions),
            "needs_human_review": not best.is_accepted,
        }
    )


def nothing_against(evidence: Evidence, checks: Sequence[Check]) -> bool:
    """Whether neither schema nor data contradicts the query, and every required check passed."""
    doubted = any(doubt.evidence != "language" for doubt in evidence.doubts)
    passed = all(check.passed or (check.passed is None and check.name in OPTIONAL_CHECKS) for check in checks)
    return passed and not doubted


def unsure_check(sureness: Sureness, *, is_doubted: bool) -> Check | None:
    """The check that fails if only low confidence or a missing confirmation prevents verification; else None."""
    confidence, threshold = sureness.confidence, sureness.threshold
    if threshold is None or sureness.sure:
        return None
    if confidence >= threshold:
        return Check(
            name="confidence",
            passed=False,
            detail="No judge confirms the rows, nor do other drafts as the model wrote them.",
        )
    figures = f"its confidence is {confidence:.1%}, and answers are verified from {threshold:.1%} on."
    advice = "Read the doubts and the query" if is_doubted else "Read the query"
    detail = f"No other check failed, but {figures} {advice} before you use the rows, or ask in other words."
    return Check(name="confidence", passed=False, detail=detail)


def changes_of(best: Attempt) -> list[Correction]:
    """The differences between an alternative and the query that it was derived from."""
    return [Correction(expression="sql", stated=before, computed=after) for before, after in best.draft.changes]


def candidate_records(evidence: Evidence) -> list[CandidateRecord]:
    """The distinct results, the chosen one first."""
    shown = [(group, evidence.chosen if at == 0 else group.first) for at, group in enumerate(evidence.groups)]
    return [
        CandidateRecord(
            **take_fields(it, CandidateRecord),
            votes=group.votes,
            columns=list(it.result.columns),
            results=it.result.records()[:CANDIDATE_ROWS],
            row_count=it.result.row_count,
        )
        for group, it in shown
        if it.result is not None
    ]


def explain_attempt(attempt: Attempt, dialect: str) -> str:
    """What the executed query does, read from its syntax tree; empty if none could be run.

    The model's own explanation is not used, because it can be wrong.
    """
    from agent.present.explain.query import explain

    if attempt.executed_sql is None:
        return ""
    return f"{attempt.note} {explain(attempt.executed_sql, dialect, attempt.sql)}".lstrip()


# Checks that may stay open: without the calculator every number must still be traced, and a result was still judged if
# the judge overruled a check or a slow database prevented a lookup.
OPTIONAL_CHECKS = frozenset({"raw_records", "calculator", "filter_values"}) | SOFT_CHECKS
CANDIDATE_ROWS = 20  # per candidate in the response


def final_checks(run: Run, best: Attempt) -> list[Check]:
    """Every check of the query and its rows, including those that could not be made."""
    checks = [
        Check(name="guard", passed=True, detail="One read-only statement on known tables and columns."),
        *(_as_refused(check, best) for check in best.checks),
    ]
    checks += _confirmation(run, best)
    if run.context.unread:
        checks.append(Check(name="docs", passed=None, detail=run.context.unread))
    if run.question.history:
        detail = "The message refers to earlier ones, and could not be rewritten as a complete question."
        checks.append(Check(name="whole_question", passed=None, detail=detail))
    raw = run.raw
    if raw.needed:
        detail = f"Not fetched: {raw.reason.rstrip('.')}."
        if raw.result is not None:
            count = raw.result.row_count if raw.total is None else raw.total
            more = " or more" if raw.result.truncated and raw.total is None else ""
            detail = f"{count:,}{more} record{'' if count == 1 else 's'} behind the result."
        checks.append(Check(name="raw_records", passed=None if raw.result is None else True, detail=detail))
    return checks


def _confirmation(run: Run, best: Attempt) -> Iterator[Check]:
    """The check that states who confirmed the rows, or why nobody did, if no other check or doubt states it."""
    verdict, told = best.verdict, {check.name for check in best.checks}
    if not run.limits.enable_evaluation:
        yield Check(name="judge", passed=None, detail="Evaluation is switched off.")
    elif verdict is None and run.limits.effort == "quick":
        yield Check(name="judge", passed=None, detail="The effort is quick: no other draft and no judge was asked.")
    elif verdict is None:
        if not told & {"judge", "second_draft"}:
            yield Check(name="judge", passed=None, detail="No other draft and no judge confirmed these rows.")
    elif verdict.source == "judge":
        yield Check(name="judge", passed=verdict.correct, detail=verdict.reason)
    elif (
        not verdict.correct and "second_draft" not in told and not best.doubts and all(it.passed for it in best.checks)
    ):
        yield Check(name="second_draft", passed=False, detail=verdict.reason)


def _as_refused(check: Check, best: Attempt) -> Check:
    """The drafts' check of a query that was refused for another: the drafts that agree do so on the other's rows."""
    verdict = best.verdict
    if check.name != "second_draft" or verdict is None or verdict.correct or verdict.source != "checks":
        return check
    return check.model_copy(update={"passed": False, "detail": verdict.reason}) if check.passed else check


def build_clarification(run: Run, question_back: Clarification) -> Answer:
    """The response if the user must clarify the question first."""
    return common(run).model_copy(
        update={
            "status": "clarification_needed",
            "answer": question_back.text,
            "clarification": question_back.text,
            "clarification_reason": question_back.reason,
            "choices": list(question_back.choices),
        }
    )


def build_error_answer(run: Run, text: str, suggestions: Sequence[str] = ()) -> Answer:
    """The response if no query gave rows: what was tried, and what to ask instead."""
    last = run.attempts[-1]
    return common(run).model_copy(
        update={
            "status": "error",
            "answer": text,
            "choices": as_choices(suggestions),
            "sql": last.sql or None,
            "plan": last.plan,
            "explanation": explain_attempt(last, run.database.dialect),
            "needs_human_review": True,
            "checks": [Check(name="executed", passed=False, detail="No query could be run.")],
        }
    )


def as_choices(questions: Sequence[str]) -> list[Choice]:
    """Questions to ask, as the choices of an answer."""
    return [Choice(label=question, question=question) for question in questions]


def review_text(review: HumanReview, question: str) -> str:
    """The text of a failed answer, in the language of the question; errors are not translated.

    Only the first sentence of each is told: the others advise the author of a query.
    """
    frames = frames_of(question)
    lines = [frames.failed]
    if review.reasons:
        reasons = dict.fromkeys(_SENTENCES.split(it, maxsplit=1)[0] for it in review.reasons)
        lines.append(f"{frames.went_wrong} {' '.join(reasons)}")
    if review.suggestions:
        lines += [frames.instead, *(f"- {it}" for it in review.suggestions)]
    return "\n".join(lines)


def common(run: Run, tables: Iterable[str] = ()) -> Answer:
    """A response with the fields that every response has. Args: tables: those that its query reads."""
    tables = list(dict.fromkeys(tables))
    return Answer(
        status="success",
        answer="",
        question=run.question.text,
        language=language_of(run.question.text) or "en",
        dialect=run.database.dialect,
        attempts=len(run.attempts),
        attempt_history=[_record(attempt) for attempt in run.attempts],
        tables_used=tables,
        warnings=[*run.database.table_warnings(tables), *run.ledger.warnings],
        usage=run.ledger.usage,
        timings_ms=dict(run.ledger.timings_ms),
        trace_id=run.question.trace_id,
        answer_id=run.question.answer_id,
        session_id=run.question.session_id,
    )


def _record(attempt: Attempt) -> AttemptRecord:
    row_count = attempt.result.row_count if attempt.result else None
    own = {"sql": attempt.executed_sql or attempt.sql, "row_count": row_count}
    return AttemptRecord(**take_fields(attempt, AttemptRecord) | own)

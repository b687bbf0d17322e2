"""Judges whether a query answers the question: checks without a model first, then a model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from agent.core.errors import ModelError, ReplyUnusable
from agent.core.models import Attempt, Check, Doubt, Verdict
from agent.databases.knowledge.context import Context
from agent.pipeline.steps.generate import reply_schema
from agent.platform.config.profiles import Profile
from agent.platform.llm.chat import ChatModel
from agent.platform.llm.prompting import leaks, templates
from agent.platform.llm.replies import parse_structured
from agent.platform.telemetry.ledger import Ledger
from agent.understanding.shape import SOFT_CHECKS
from executors.base import CheckedSql, QueryResult

MAX_TOKENS = 150


class _ReasonReply(BaseModel):
    reason: str
    correct: bool


class _CompareReply(BaseModel):
    asked: str
    computed: str
    correct: bool


class _AnyReply(BaseModel):
    """Reads either reply; only `correct` decides."""

    reason: str = ""
    asked: str = ""
    computed: str = ""
    correct: bool

    def as_verdict(self) -> Verdict:
        compared = f"Asked: {self.asked} Computed: {self.computed}" if self.asked or self.computed else ""
        return Verdict(reason=self.reason or compared, correct=self.correct)


_SHAPES: dict[str, type[BaseModel]] = {"reason": _ReasonReply, "compare": _CompareReply}


class Judge:
    """A model that reads question, query, rows and the enriched schema. It writes its reason before its verdict."""

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self.model, self.profile = model, profile

    async def judge(
        self,
        question: str,
        sql: str,
        result: QueryResult,
        context: Context,
        ledger: Ledger,
        doubts: Sequence[Doubt] = (),
    ) -> Verdict:
        """The verdict of the model, which also sees the rules' doubts. Raises ReplyUnusable, ModelError."""
        shown = self.profile.rows_shown
        table = templates.as_table(result, shown)
        reply = await self.model.complete(
            context.messages(
                f"judge_{self.profile.verdict}",
                question=question,
                sql=sql,
                table=table,
                row_context=templates.row_context(result, shown),
                doubts=[doubt.detail for doubt in doubts],
            ),
            schema=reply_schema("verdict", _SHAPES[self.profile.verdict]),
            max_tokens=MAX_TOKENS,
        )
        ledger.spend(reply.usage, self.model.name)
        verdict = parse_structured(reply.text, _AnyReply).as_verdict()
        if leak := leaks.problem(verdict.reason, context.system, visible=(question, sql, table)):
            verdict = verdict.model_copy(update={"reason": f"The judge's reason is left out: {leak}."})
        return verdict


def verdict_of_checks(found: Sequence[Check], query: CheckedSql, earlier: Sequence[Attempt]) -> Verdict | None:
    """The verdict that needs no judge: a check failed, or the judge has already seen this query; else None.

    A failed check refuses once. If the next query fails it too, the data may really be so, and the judge decides.
    """
    reason = " ".join(check.detail for check in found if check.passed is False)
    verdicts = [(attempt.executed_sql, attempt.verdict) for attempt in earlier if attempt.verdict is not None]
    refused = {verdict.reason for _, verdict in verdicts if verdict.source == "checks"}
    if reason and reason not in refused:
        return Verdict(reason=reason, correct=False, source="checks")
    return next((verdict for sql, verdict in verdicts if sql == query.sql and verdict.source == "judge"), None)


def report_unjudged(error: ModelError | ReplyUnusable, ledger: Ledger) -> Check:
    why = "The judge's reply could not be read." if isinstance(error, ReplyUnusable) else str(error)
    ledger.warn(f"The result was not judged: {why}")
    return Check(name="judge", passed=None, detail=why)


def overrule(check: Check, who: str) -> Check:
    """A failed soft check, reset to neither passed nor failed because the judge or the drafts accepted the result.

    The text that a judge reads can talk it into a yes. So it may only accept an empty result, which no rule can decide;
    checks of plain figures or names stay failed, and the answer stays unverified.
    """
    if check.passed is not False or check.name not in SOFT_CHECKS:
        return check
    return Check(name=check.name, passed=None, detail=f"{check.detail} {who} it.")

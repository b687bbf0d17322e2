"""The evaluator: plain checks first, then a model as judge."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from agent import checks, templates
from agent.context import Context
from agent.database import Database
from agent.errors import ReplyUnusable
from agent.generate import reply_schema
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.llms.replies import parse_structured
from agent.models import Attempt, Check, Verdict
from agent.profiles import Profile
from executors.base import CheckedSql, QueryResult

MAX_TOKENS = 150


class _VerdictReply(BaseModel):
    reason: str
    correct: bool


class Judge:
    """A model that reads question, query, rows and the enriched schema; its reason comes before its verdict."""

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self.model, self.profile = model, profile

    async def judge(
        self, question: str, sql: str, result: QueryResult, context: Context, ledger: Ledger
    ) -> Verdict | None:
        """The verdict, or None where the reply could not be read.

        Raises:
            ModelUnavailable, ModelFailed: from the model.
        """
        shown = self.profile.rows_shown
        reply = await self.model.complete(
            context.messages(
                "judge",
                question=question,
                sql=sql,
                table=templates.as_table(result, shown),
                row_context=templates.row_context(result, shown),
            ),
            schema=reply_schema("verdict", _VerdictReply),
            max_tokens=MAX_TOKENS,
        )
        ledger.spend(reply.usage)
        try:
            verdict = parse_structured(reply.text, _VerdictReply)
        except ReplyUnusable:
            return None
        return Verdict(reason=verdict.reason, correct=verdict.correct)


async def run_checks(
    question: str, query: CheckedSql, result: QueryResult, context: Context, database: Database
) -> tuple[Check, ...]:
    """Every check that needs no model."""
    values = await checks.filter_value_check(query, context.db_schema, database)
    return (*checks.shape_checks(question, result), values)


def verdict_of_checks(found: Sequence[Check], query: CheckedSql, earlier: Sequence[Attempt]) -> Verdict | None:
    """What is known without asking the judge: a check failed, or this very query was judged before.

    A failed check refuses once. Where the next query fares the same, the data may really be so, and the judge decides.
    """
    reason = " ".join(check.detail for check in found if check.passed is False)
    if reason and not any(a.verdict and a.verdict.reason == reason for a in earlier):
        return Verdict(reason=reason, correct=False, source="checks")
    return next((a.verdict for a in earlier if a.executed_sql == query.sql and a.verdict), None)

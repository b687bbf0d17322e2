"""The evaluator: plain checks first, then a model as judge, where the two leave something to say."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from agent import leaks, templates
from agent.agreement import BETTER, Opinion, second_opinion
from agent.checks.plain import plain_checks
from agent.checks.result import SOFT_CHECKS
from agent.context import Context
from agent.database import Database
from agent.errors import ModelError, ReplyUnusable
from agent.generate import Generator, reply_schema
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.llms.replies import parse_structured
from agent.mending import find_faults
from agent.models import Attempt, Check, Draft, Verdict
from agent.profiles import Profile
from executors.base import CheckedSql, Frozen, QueryResult
from rag.joins import keyed_of

MAX_TOKENS = 150


class Evaluation(Frozen):
    """What was found of one result.

    verdict: None where nobody judged: a check `judge` says why.
    mend: what to try next: the query put right where a check knows how, or the better one of two drafts.
    """

    checks: tuple[Check, ...]
    verdict: Verdict | None = None
    mend: Draft | None = None


class _ReasonReply(BaseModel):
    reason: str
    correct: bool


class _CompareReply(BaseModel):
    asked: str
    computed: str
    correct: bool


class _AnyReply(BaseModel):
    """Either of them, as it is read: what counts is whether the judge said yes."""

    reason: str = ""
    asked: str = ""
    computed: str = ""
    correct: bool

    def as_verdict(self) -> Verdict:
        compared = f"Asked: {self.asked} Computed: {self.computed}" if self.asked or self.computed else ""
        return Verdict(reason=self.reason or compared, correct=self.correct)


_SHAPES: dict[str, type[BaseModel]] = {"reason": _ReasonReply, "compare": _CompareReply}


class Judge:
    """A model that reads question, query, rows and the enriched schema; its reason comes before its verdict."""

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self.model, self.profile = model, profile

    async def judge(self, question: str, sql: str, result: QueryResult, context: Context, ledger: Ledger) -> Verdict:
        """The verdict.

        Raises:
            ReplyUnusable: the reply could not be read.
            ModelError: from the model.
        """
        shown = self.profile.rows_shown
        reply = await self.model.complete(
            context.messages(
                f"judge_{self.profile.verdict}",
                question=question,
                sql=sql,
                table=templates.as_table(result, shown),
                row_context=templates.row_context(result, shown),
            ),
            schema=reply_schema("verdict", _SHAPES[self.profile.verdict]),
            max_tokens=MAX_TOKENS,
        )
        ledger.spend(reply.usage, self.model.name)
        verdict = parse_structured(reply.text, _AnyReply).as_verdict()
        said = (question, sql, templates.as_table(result, shown))
        if leak := leaks.problem(verdict.reason, context.system, said):
            verdict = verdict.model_copy(update={"reason": f"The judge's reason is left out: {leak}."})
        return verdict


async def evaluate(
    question: str,
    sql: str,
    query: CheckedSql,
    result: QueryResult,
    context: Context,
    database: Database,
    ledger: Ledger,
    *,
    judge: Judge | None,
    generator: Generator | None,
    earlier: Sequence[Attempt],
    last: bool = False,
) -> Evaluation:
    """The plain checks, and the verdict on them or of the judge.

    Args:
        sql: as it was written; `query` as it ran.
        judge: None where evaluation is switched off: the checks are made all the same, but nobody says no.
        generator: writes the second draft, where its profile wants one; None where nothing else is to be written.
        earlier: the attempts before this one.
        last: no attempt follows, so none can be better.

    A model that gives nothing usable leaves the result unjudged, with a warning: what was found is not lost.
    """
    schema = keyed_of(context.db_schema, context.known)
    faults = await find_faults(sql, question, context, schema, database)
    found = plain = plain_checks(question, query, result, faults.checks, schema.dialect)
    if judge is None:
        return Evaluation(checks=found)

    async def again(writer: Generator) -> Opinion:
        return await second_opinion(question, query, result, context, database, ledger, writer, checks=plain)

    verdict = verdict_of_checks(found, query, earlier)
    second = generator.profile.second_draft if generator is not None else "off"
    if verdict is None and second == "judges" and generator is not None:
        opinion = await again(generator)
        found = (*found, opinion.check)
        if opinion.better is not None and not last and all(it.sql != opinion.better.sql for it in earlier):
            verdict = Verdict(reason=BETTER, correct=False, source="checks")
            return Evaluation(checks=found, verdict=verdict, mend=opinion.better)
        verdict = Verdict(reason=opinion.check.detail, correct=True) if opinion.check.passed else None
    elif verdict is None and judge.profile.judge != "off":
        try:
            verdict = await judge.judge(question, query.sql, result, context, ledger)
        except (ModelError, ReplyUnusable) as error:
            found = (*found, _unjudged(error, ledger))
    if verdict is not None and verdict.correct:
        found = tuple(_overruled(check) for check in found)
        if second == "besides" and generator is not None:
            found = (*found, (await again(generator)).check)
    mends = generator is not None and generator.profile.mends
    return Evaluation(checks=found, verdict=verdict, mend=faults.mend if mends else None)


def verdict_of_checks(found: Sequence[Check], query: CheckedSql, earlier: Sequence[Attempt]) -> Verdict | None:
    """What is known without asking the judge: a check failed, or the judge has seen this very query.

    A failed check refuses once. Where the next query fares the same, the data may really be so, and the judge decides.
    """
    reason = " ".join(check.detail for check in found if check.passed is False)
    verdicts = [(attempt.executed_sql, attempt.verdict) for attempt in earlier if attempt.verdict is not None]
    refused = {verdict.reason for _, verdict in verdicts if verdict.source == "checks"}
    if reason and reason not in refused:
        return Verdict(reason=reason, correct=False, source="checks")
    return next((verdict for sql, verdict in verdicts if sql == query.sql and verdict.source == "judge"), None)


def _unjudged(error: ModelError | ReplyUnusable, ledger: Ledger) -> Check:
    why = "The judge's reply could not be read." if isinstance(error, ReplyUnusable) else str(error)
    ledger.warn(f"Nobody has judged the result: {why}")
    return Check(name="judge", passed=None, detail=why)


def _overruled(check: Check) -> Check:
    """A soft check that failed where the judge said yes: neither passed nor failed.

    A judge can be talked into a yes by what it reads. So it may accept that there are no rows, which no rule can tell;
    what contradicts it in plain figures or names stays as it is, and the answer unverified.
    """
    if check.passed is not False or check.name not in SOFT_CHECKS:
        return check
    return Check(name=check.name, passed=None, detail=f"{check.detail} The judge accepts it.")

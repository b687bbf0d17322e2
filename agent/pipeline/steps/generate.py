"""The generator: takes question and context, returns a draft query."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from statistics import fmean
from typing import Literal

from pydantic import BaseModel
from pydantic.json_schema import SkipJsonSchema

from agent.core.errors import ModelError, ModelFailed, ModelUnavailable, ReplyUnusable
from agent.core.models import Attempt, Draft, Plan
from agent.core.resilience.off_loop import off_loop
from agent.databases.knowledge.context import Context
from agent.platform import telemetry
from agent.platform.config.profiles import Profile
from agent.platform.llm.chat import ChatModel, ReplyGrammar, ReplySchema, Token
from agent.platform.llm.prompting import leaks
from agent.platform.llm.replies import extract_sql, parse_structured
from agent.platform.telemetry.ledger import Ledger
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind

# One statement in its fence, with no tokens spent before it or after its end: the first semicolon outside of texts,
# names and comments, or else the closing fence, which no line of the statement can begin with. The grammar is
# unambiguous, because llama.cpp tries all readings of every token, and a row of dashes would have too many.
SQL_ALONE = ReplyGrammar(
    name="sql",
    words="Reply with one query alone, in a ```sql block.",
    logprobs=True,
    opening="```sql\n",
    gbnf=r"""
root ::= line ("\n" line)* (";" "\n"? | "\n```")
line ::= part line? | "-" ("-" [^\n]* | part line?)?
part ::= [^;'"`\n-] | "'" [^'\n]* "'" | "\"" [^"\n]* "\"" | "`" [^`\n]+ "`"
""",
)
log = logging.getLogger(__name__)

MAX_ITEMS = 12
MAX_CHOICES, MAX_CHOICE = 5, 80  # of a model's own clarification, and characters of one


class _PlanReply(BaseModel):
    tables: list[str] = []
    joins: list[str] = []
    filters: list[str] = []
    aggregates: list[str] = []
    group_by: list[str] = []
    order_by: list[str] = []
    limit: int | None = None

    def as_plan(self) -> Plan:
        fields = self.model_dump()
        return Plan(limit=fields.pop("limit"), **{name: tuple(items[:MAX_ITEMS]) for name, items in fields.items()})


class _DraftReply(BaseModel):
    sql: str | None = None
    explanation: SkipJsonSchema[str] = ""  # not requested, but passed on if a model gives one
    clarification: str | None = None
    choices: list[str] = []


class _PlannedDraftReply(BaseModel):
    plan: _PlanReply
    sql: str | None = None
    explanation: SkipJsonSchema[str] = ""
    clarification: str | None = None
    choices: list[str] = []


class _ChangeReply(BaseModel):
    sql: str | None = None
    explanation: str = ""
    clarification: str | None = None
    choices: list[str] = []


_Shape = type[_DraftReply] | type[_PlannedDraftReply] | type[_ChangeReply]


class Generator:
    """Writes SQL in the reply format of the model's profile.

    `temperature` applies to the first attempt; later ones use the profile's `retry_temperature` if that is higher.
    `second` is another model, which writes the second draft.
    """

    def __init__(
        self,
        model: ChatModel,
        profile: Profile,
        *,
        max_tokens: int,
        temperature: float,
        second: ChatModel | None = None,
    ) -> None:
        self.model, self.profile, self.second = model, profile, second
        self.max_tokens, self.temperature = max_tokens, temperature

    async def load(self) -> None:
        """Load the models; the second one last, because it is needed last and is optional. Raises ModelUnavailable."""
        await self.model.ready()
        if self.second is not None:
            with suppress(ModelUnavailable):
                await self.second.ready()

    async def plan(self, question: str, context: Context, ledger: Ledger) -> Plan | None:
        """A plan before any SQL; None if the model gives none."""
        try:
            reply = await self.model.complete(
                context.messages("plan", question=question),
                schema=reply_schema("plan", _PlanReply),
                max_tokens=self.max_tokens,
                temperature=self.temperature,
            )
            ledger.spend(reply.usage)
            plan = parse_structured(reply.text, _PlanReply).as_plan()
            _refuse_leaks(Draft(plan=plan), question, context)
        except (ModelError, ReplyUnusable) as error:
            why = f": {error}" if isinstance(error, ModelError) else ", for it could not be read."
            ledger.warn(f"The query was written without a plan{why}")
            telemetry.get().record_failure("planner", ErrorKind.UNUSABLE_REPLY)
            return None
        return plan

    async def draft(
        self,
        question: str,
        context: Context,
        attempts: Sequence[Attempt],
        plan: Plan | None,
        ledger: Ledger,
        *,
        temperature: float | None = None,
        task: Literal["generate", "write"] = "generate",
        model: ChatModel | None = None,
    ) -> Draft:
        """One query, or a clarification. The model sees all earlier attempts.

        `task` is `write` for a statement that changes rows; its prompt has no past queries as examples. `temperature`
        overrides the generator's and the profile's, `model` the generator's. Raises ReplyUnusable, ModelError.
        """
        inline = self.profile.planner == "inline" and task == "generate"
        as_json = self.profile.reply_format == "json"
        shape = _shape_of(task, inline=inline)
        warmth = self._temperature(bool(attempts)) if temperature is None else temperature
        reply = await (model or self.model).complete(
            context.messages(
                f"{task}_{self.profile.reply_format}",
                "off" if task == "write" else self.profile.examples,
                question=question,
                attempts=attempts,
                plan=plan.model_dump_json(exclude_defaults=True) if plan else None,
                **({"inline_plan": inline} if as_json else {}),
            ),
            schema=reply_schema("draft", shape, logprobs=True) if as_json else SQL_ALONE,
            max_tokens=self.max_tokens,
            temperature=warmth,
        )
        ledger.spend(reply.usage)

        def read() -> Draft:
            if as_json:
                draft = self._from_json(reply.text, shape, plan)
            else:
                draft = Draft(sql=extract_sql(reply.text), plan=plan)
                if draft.sql is None:
                    raise ReplyUnusable("The model's reply holds no SQL query.")
            _refuse_leaks(draft, question, context)
            mean = find_mean_logprob(reply.tokens, draft.sql or "")
            return draft.model_copy(update={"temperature": warmth, "logprob_mean": mean})

        return await off_loop(read)

    async def draft_anew(
        self, question: str, context: Context, plan: Plan | None, ledger: Ledger, *, index: int = 2
    ) -> Draft:
        """One query, written without sight of earlier ones. Odd-numbered drafts read the schema in its other form."""
        shown = context.otherwise if index % 2 else context
        return await self.draft(question, shown, (), plan, ledger, temperature=self._temperature(again=True))

    async def draft_by_second(
        self, question: str, context: Context, plan: Plan | None, ledger: Ledger, *, again: bool = False
    ) -> Draft | None:
        """One query of the second model, written without sight of earlier ones; None if it is missing or unavailable.

        `again`: its likeliest query could not be run, so the temperature is raised. Raises ReplyUnusable, BudgetSpent.
        """
        if self.second is None:
            return None
        try:
            warmth = self._temperature(again=True) if again else 0.0
            draft = await self.draft(question, context, (), plan, ledger, temperature=warmth, model=self.second)
        except (ModelUnavailable, ModelFailed) as error:
            log.info("The second model wrote no draft: %s", error)
            return None
        return draft.model_copy(update={"by_second": True})

    def _temperature(self, again: bool) -> float:
        return max(self.temperature, self.profile.retry_temperature) if again else self.temperature

    @staticmethod
    def _from_json(text: str, shape: _Shape, plan: Plan | None) -> Draft:
        try:
            reply = parse_structured(text, shape)
        except ReplyUnusable:
            sql = extract_sql(text)  # some endpoints accept the schema, but answer in a fence
            if sql is None:
                raise
            return Draft(sql=sql, plan=plan)
        if not (reply.sql or "").strip() and not (reply.clarification or "").strip():
            raise ReplyUnusable("The model's reply holds neither a query nor a question.")
        if isinstance(reply, _PlannedDraftReply):
            plan = reply.plan.as_plan()
        sql = (extract_sql(reply.sql) or reply.sql) if reply.sql else None
        if sql:
            return Draft(sql=sql, explanation=reply.explanation, plan=plan)
        lines = (" ".join(choice.split()) for choice in reply.choices)  # each once, and short enough for a button
        choices = tuple(dict.fromkeys(line for line in lines if 0 < len(line) <= MAX_CHOICE))[:MAX_CHOICES]
        return Draft(explanation=reply.explanation, plan=plan, clarification=reply.clarification, choices=choices)


def _shape_of(task: Literal["generate", "write"], *, inline: bool) -> _Shape:
    """The JSON fields of a draft. Only a change has an explanation, because that of a query is read from its tree."""
    if task == "write":
        return _ChangeReply
    return _PlannedDraftReply if inline else _DraftReply


def _refuse_leaks(draft: Draft, question: str, context: Context) -> None:
    """Raise ReplyUnusable if the parts that people read contain what a model must not repeat."""
    # Not the plan's field names: the prompt asks for them, in this order.
    planned = draft.plan.model_dump(exclude={"limit"}).values() if draft.plan else ()
    asked_back = (draft.clarification or "", *draft.choices)
    read = (draft.explanation, *asked_back, *(item for items in planned for item in items))
    leak = leaks.problem("\n".join(read), context.system, (question,))
    if draft.sql and not leak:
        leak = leaks.problem_of_query(draft.sql, DIALECTS[context.db_schema.dialect].sqlglot, context.system, question)
    if leak:
        raise ReplyUnusable(f"The model's reply was not used: {leak}.")


@cache
def reply_schema(name: str, shape: type[BaseModel], *, logprobs: bool = False) -> ReplySchema:
    """The JSON Schema of a reply, as strict endpoints want it: every field required, no others."""
    schema = shape.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part["required"] = list(part.get("properties", {}))
        part["additionalProperties"] = False
    return ReplySchema(name=name, schema_=schema, logprobs=logprobs)


def find_mean_logprob(tokens: Sequence[Token], text: str) -> float | None:
    """The mean log-probability of the tokens of a text within a reply, at most 0; None if there are no tokens.

    The fence or JSON object around the query does not count. If the text is not found, all tokens count. The
    probability of the whole sequence separates right queries from wrong ones better than asking the model does
    (Ramachandran and Sarawagi, "Text-to-SQL Calibration: No Need to Ask", arXiv 2411.16742).
    """
    inside = _within(tokens, text) or _within(tokens, json.dumps(text, ensure_ascii=False)[1:-1]) or tokens
    return fmean(token.logprob for token in inside) if inside else None


def _within(tokens: Sequence[Token], text: str) -> list[Token]:
    """The tokens that overlap `text` in the joined tokens; none if it is not there."""
    start = "".join(token.text for token in tokens).find(text)
    if start < 0 or not text:
        return []
    found: list[Token] = []
    at = 0
    for token in tokens:
        if at < start + len(text) and at + len(token.text) > start:
            found.append(token)
        at += len(token.text)
    return found

"""The models that the steps exchange: questions, drafts and attempts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from agent.core.callers import ANONYMOUS
from agent.core.fields import A_NUMBER, Flag, TimeZone
from agent.core.usage import Effort
from executors.base import Frozen, QueryResult


def take_fields(of: BaseModel, wanted: type[BaseModel]) -> dict[str, Any]:
    """The fields of a model that another model also has, by name, with unchanged values."""
    return {name: getattr(of, name) for name in type(of).model_fields if name in wanted.model_fields}


def take_trace_id(values: dict[str, Any]) -> str:
    """The id of an answer from before answers had ids of their own: its trace id. A default factory."""
    return str(values["trace_id"])


Reason = Literal[
    "vague_time",
    "two_dates",
    "several_values",
    "several_columns",
    "vague_measure",
    "vague_limit",
    "missing_context",
    "missing_data",
    "model",
]


class Choice(Frozen):
    """A suggested reply to a clarification.

    label: Short text, as for a button.
    question: The whole question that the choice stands for.
    """

    label: str
    question: str


class Clarification(Frozen):
    """A clarification to ask for.

    reason: what is ambiguous, or `missing_data`, or `model`. text: in the question's language, choices as lines.
    choices: possible readings, or alternative questions. assumption: the reading to use if the user is not asked.
    """

    reason: Reason
    text: str
    choices: tuple[Choice, ...] = ()
    assumption: str = ""


class ReadOptions(Frozen):
    """Options of one question. Options that are absent have the service's settings."""

    max_attempts: Annotated[int, Field(ge=1, le=10), A_NUMBER] | None = Field(
        None,
        description="Maximum number of queries that the model writes in turn. Second drafts, repairs and queries that "
        "rules derive are not counted, so `attempts` can be higher.",
    )
    row_limit: Annotated[int, Field(ge=1, le=10_000), A_NUMBER] | None = Field(
        None, description="Maximum number of rows."
    )
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000), A_NUMBER] | None = Field(
        None, description="Maximum number of records behind an aggregate. 0: none."
    )
    enable_evaluation: Flag | None = Field(None, description="Whether to judge the result.")
    enable_calculator: Flag | None = Field(None, description="Whether to recompute the numbers of the answer.")
    enable_retrieval: Flag | None = Field(None, description="Whether to search the docs.")
    enable_answer: Flag | None = Field(
        None, description="Whether to write a sentence. If false, `answer` lists the rows."
    )
    reuse_verified: Flag | None = Field(None, description="Whether to reuse the query of an earlier verified answer.")
    clarify: Flag | None = Field(
        None,
        description="Whether to ask for clarification if a question is ambiguous. If false, the answer says what was "
        "assumed.",
    )
    effort: Effort | None = Field(
        None,
        description="How much work to spend. `quick`: one draft, not verified. `balanced`: two drafts, or one and the "
        "judge. `thorough`: up to five drafts, and the judge of a hosted model. The settings may allow less. Default: "
        "`thorough` with the embedded model, else `balanced`.",
    )
    time_zone: TimeZone | None = Field(
        None, description="Time zone of relative dates such as `today`: an IANA name, such as `Europe/Berlin`."
    )
    candidates: Flag | None = Field(
        None, description="Whether to return the distinct results of the drafts, in `candidates`."
    )
    plan: Flag | None = Field(
        None,
        description="Whether up to four queries may answer. If true, the model always plans; if false, one query "
        "answers. Default: plan if the question needs it. The settings may turn plans off.",
    )


class Options(ReadOptions):
    """Options of one question. Options that are absent have the service's settings."""

    allow_writes: Flag | None = Field(
        None, description="Whether to plan a change of data if the question asks for one."
    )
    confirm: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$")] | None = Field(
        None, description="Token of a planned change to commit. `question` is ignored."
    )


class Exchange(Frozen):
    """One earlier question of a session, with its answer."""

    question: str
    answer: str
    sql: str | None = None


class Pending(Frozen):
    """A clarification that waits for a reply: the question that it is about, and its possible readings."""

    question: str
    clarification: str
    choices: tuple[Choice, ...] = ()


class Question(Frozen):
    """A question in progress, with its database and the earlier exchanges (oldest first).

    text: the question as it is answered. asked: as it was sent, if it was made self-contained; else empty.
    pending: the last clarification; the message may answer it.
    write_refusal: why the question may not change data; empty if it may.
    audience: who shares verified queries: empty for all who may ask, else the one principal.
    sight: which rows the caller sees, in the form of `RowFilter.sight`; empty: all.
    came_at: when it was asked. time_zone: the time zone of its days.
    part_of: the whole question, if this is a part of it worded by a model; else empty.
    answer_id: the id of its answer, see `new_answer_id`.
    """

    text: str
    asked: str = ""
    database: str
    trace_id: str
    session_id: str | None = None
    history: tuple[Exchange, ...] = ()
    pending: Pending | None = None
    options: Options = Options()
    principal: str = ANONYMOUS
    write_refusal: str = ""
    audience: str = ""
    sight: str = ""
    came_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    time_zone: str = "UTC"
    part_of: str = ""
    answer_id: str = Field(default_factory=take_trace_id)

    @property
    def own_words(self) -> str:
        """The person's own words, never a model's. Only these may name a private column or an address."""
        return self.part_of or self.text

    @property
    def today(self) -> date:
        """The day on which the question was asked, in its time zone."""
        return self.came_at.astimezone(ZoneInfo(self.time_zone)).date()


class Plan(Frozen):
    """What a query reads and computes.

    tables: Tables that the query reads.
    joins: Joins.
    filters: Conditions on rows.
    aggregates: Aggregates.
    group_by: Expressions that rows are grouped by.
    order_by: Expressions that rows are ordered by.
    limit: Limit that the query states. Null if it states none.
    """

    tables: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    limit: int | None = None


CandidateSource = Literal["draft", "repaired", "alternative", "reused"]


class Draft(Frozen):
    """The generator's reply: a query, or the question that must be answered first.

    choices: short replies to a clarification, proposed by the model.
    explanation: the model's description of the query. note: the origin of a query that no model wrote.
    source: `draft` if the model wrote the query; see `Candidate`. index: index of the original draft, counted from 0.
    by_second: whether the second model wrote the query.
    earlier_votes: for a reused query, how many drafts agreed on it and how many there were, when verified; else None.
    changes: for an alternative, its differences from the original query, as (before, after).
    keeps_meaning: for an alternative, whether drafts that agree on the original query confirm it.
    temperature: sampling temperature of the reply.
    logprob_mean: the mean log-probability of the query's tokens, natural logarithm; None if the endpoint returns none.
    """

    sql: str | None = None
    explanation: str = ""
    note: str = ""
    clarification: str | None = None
    choices: tuple[str, ...] = ()
    plan: Plan | None = None
    source: CandidateSource = "draft"
    index: int = 0
    by_second: bool = False
    earlier_votes: tuple[int, int] | None = None
    changes: tuple[tuple[str, str], ...] = ()
    keeps_meaning: bool = False
    temperature: float = 0.0
    logprob_mean: float | None = None


class Check(Frozen):
    """One check of the answer.

    name: The check.
    passed: Whether the answer passed. Null if the check could not run.
    detail: What the check found, or why it could not run.
    """

    name: str
    passed: bool | None
    detail: str = ""


RuleEvidence = Literal["schema", "data", "language"]


class Doubt(Frozen):
    """What a rule noticed about a query that ran.

    rule: Id of the rule.
    evidence: What the rule relied on. `schema`: keys and types. `data`: stored values. `language`: words of the
        question.
    detail: The doubt, in a sentence.
    """

    rule: str
    evidence: RuleEvidence
    detail: str


_COPIED = {"source", "note", "by_second", "temperature", "logprob_mean"}


class Candidate(Frozen):
    """One query that may answer the question, with its result.

    source: `draft`: as the model wrote it, with names spelled as in the schema; `repaired`: a draft that could not run,
        corrected from the schema;
        `alternative`: derived from a query that ran, by schema and data; `reused`: an earlier question's query.
    note: what was changed; empty for a draft.
    draft: index of the original draft, counted from 0 in the order in which drafts were written.
    by_second, temperature, logprob_mean: of that draft.
    result, error: the outcome; both None if the query was not run.
    unified: the rows with all spellings of its texts, if another draft spells one otherwise; it votes for these rows.
    unasked: the place of the one column that shows a count nobody asked for; None if there is none.
    unread: the words of the question for stored values that the query does not use, or a time that it reads a day of.
    refuted: whether it filters by a text that its column does not store; None if that was not looked up.
    """

    sql: str
    source: CandidateSource
    note: str = ""
    draft: int = 0
    by_second: bool = False
    temperature: float = 0.0
    logprob_mean: float | None = None
    result: QueryResult | None = None
    error: str | None = None
    unified: QueryResult | None = None
    unasked: int | None = None
    unread: tuple[str, ...] = ()
    refuted: bool | None = None
    doubts: tuple[Doubt, ...] = ()

    @classmethod
    def of(cls, draft: Draft, result: QueryResult | None, error: str | None = None, **more: Any) -> Candidate:
        """The candidate for a draft, or for a query made from a draft."""
        copied = draft.model_dump(include=_COPIED)
        return cls(sql=draft.sql or "", draft=draft.index, result=result, error=error, **copied, **more)

    @property
    def key(self) -> tuple[str, int]:
        """Equal for all versions of one candidate: its query and the number of its draft."""
        return self.sql, self.draft

    @property
    def may_vote(self) -> bool:
        """Whether it counts when results are compared: it ran as the model wrote it, and data does not refute it."""
        return self.source == "draft" and self.result is not None and not self.refuted


class Verdict(Frozen):
    """Whether a result answers the question.

    reason: The reason, in a sentence.
    correct: Whether the result was accepted.
    source: Who decided. `checks`: rules, without a model. `drafts`: agreement of several drafts. `judge`: a model.
    """

    reason: str
    correct: bool
    source: Literal["checks", "drafts", "judge"] = "judge"


class Attempt(Frozen):
    """One round: the query and its outcome. elected: it was chosen instead of the previous attempt's query."""

    sql: str
    explanation: str = ""
    note: str = ""
    plan: Plan | None = None
    executed_sql: str | None = None
    tables: tuple[str, ...] = ()
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    result: QueryResult | None = None
    checks: tuple[Check, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    verdict: Verdict | None = None
    draft: Draft = Draft()
    elected: bool = False

    @property
    def is_reused(self) -> bool:
        """Whether the query comes from an earlier question."""
        return self.draft.source == "reused"

    @property
    def is_accepted(self) -> bool:
        """Whether the query ran, and no check or judge rejected it."""
        return self.result is not None and (self.verdict is None or self.verdict.correct)

    @property
    def rows(self) -> QueryResult:
        """The result; an empty one if the query did not run."""
        return self.result or QueryResult(columns=(), rows=())

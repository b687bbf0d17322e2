"""What flows between the steps, and out of the service."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.callers import ANONYMOUS
from agent.chart import Chart
from agent.writing.plan import WritePlan
from executors.base import Frozen, QueryResult
from executors.errors import ErrorKind


class Options(Frozen):
    """What one request may change; the settings' values where absent, and never above their caps."""

    max_attempts: Annotated[int, Field(ge=1, le=10)] | None = None
    row_limit: Annotated[int, Field(ge=1, le=10_000)] | None = None
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000)] | None = None
    enable_evaluation: bool | None = None
    enable_calculator: bool | None = None
    enable_retrieval: bool | None = None
    reuse_verified: bool | None = None
    allow_writes: bool | None = Field(None, description="Plan a change of the data, where it is asked for.")
    confirm: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$")] | None = Field(
        None, description="The token of a planned change: make it. `question` is not read."
    )


class Exchange(Frozen):
    """One earlier question of a session, with what was answered."""

    question: str
    answer: str
    sql: str | None = None


class Question(Frozen):
    """A question on its way: what was asked, of which database, after which exchanges (oldest first).

    write_refusal: why it may not change data; empty where it may.
    audience: with whom verified queries are shared: empty for all who may ask, else the one principal.
    """

    text: str
    database: str
    trace_id: str
    session_id: str | None = None
    history: tuple[Exchange, ...] = ()
    options: Options = Options()
    principal: str = ANONYMOUS
    write_refusal: str = ""
    audience: str = ""


class Plan(Frozen):
    """What a query reads and does, in short."""

    tables: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    limit: int | None = None


class Draft(Frozen):
    """The generator's reply: a query, or the question that must be answered first."""

    sql: str | None = None
    explanation: str = ""
    clarification: str | None = None
    plan: Plan | None = None


class Check(Frozen):
    """One check of the answer. `passed` is None where the check could not be made; `detail` says why."""

    name: str
    passed: bool | None
    detail: str = ""


class Verdict(Frozen):
    """Reason first, then whether the query answers the question; `source` says who judged."""

    reason: str
    correct: bool
    source: Literal["checks", "judge"] = "judge"


class Attempt(Frozen):
    """One round: the query, and what became of it. An error is a result here: the model can mend it."""

    sql: str
    explanation: str = ""
    plan: Plan | None = None
    executed_sql: str | None = None
    tables: tuple[str, ...] = ()
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    result: QueryResult | None = None
    checks: tuple[Check, ...] = ()
    verdict: Verdict | None = None
    reused: bool = False

    @property
    def accepted(self) -> bool:
        """Ran, and nobody said no."""
        return self.result is not None and (self.verdict is None or self.verdict.correct)

    @property
    def rows(self) -> QueryResult:
        """The result; an empty one where the query did not run."""
        return self.result or QueryResult(columns=(), rows=())


class Correction(Frozen):
    """An equation or `[[...]]` whose result was put right: the exact value, as text."""

    expression: str
    stated: str
    computed: str


class Usage(Frozen):
    """Model calls and tokens; `cached_tokens` is the part of the prompt that the model did not read again."""

    model_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


class AttemptRecord(Frozen):
    """An attempt as the response shows it."""

    sql: str
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    row_count: int | None = None
    verdict: Verdict | None = None


class Answer(Frozen):
    """The response of `POST query`, as section 2 of the specification has it."""

    status: Literal["success", "clarification_needed", "error"]
    answer: str
    sql: str | None = None
    results: list[dict[str, Any]] = []
    columns: list[str] = []
    row_count: int = 0
    truncated: bool = False
    raw_results: list[dict[str, Any]] = []
    raw_sql: str | None = None
    tables_used: list[str] = []
    dialect: str | None = None
    attempts: int = 0
    attempt_history: list[AttemptRecord] = []
    verified: bool = False
    checks: list[Check] = []
    corrections: list[Correction] = []
    explanation: str = ""
    plan: Plan | None = None
    reused: bool = False
    write: WritePlan | None = None
    chart: Chart | None = None
    clarification: str | None = None
    needs_human_review: bool = False
    warnings: list[str] = []
    usage: Usage = Usage()
    timings_ms: dict[str, float] = {}
    trace_id: str = ""
    session_id: str | None = None


class Problem(Frozen):
    """An error as RFC 9457 has it; `type` is stable, `detail` says what to do.

    kind, hint: of a query's error, what an attempt to mend it learns from; null and empty of any other.
    """

    type: str
    title: str
    status: int
    detail: str
    trace_id: str = ""
    errors: list[dict[str, str]] = []
    kind: ErrorKind | None = None
    hint: str = ""


# ---------------------------------------------------------------------------------------------------- events


class Event(BaseModel):
    """Something happened. Over HTTP: `{"event", "node", "attempt", "elapsed_ms", "data"}`."""

    model_config = ConfigDict(frozen=True)
    event: ClassVar[str] = "node_complete"


class Started(Event):
    """First of all events."""

    event: ClassVar[str] = "start"
    trace_id: str
    question: str
    database: str


class NodeComplete(Event):
    """A step of the specification's table has ended; the subclasses name it and carry what it found."""

    node: ClassVar[str]
    attempt: int = 0
    elapsed_ms: float = 0.0


class Entered(NodeComplete):
    node: ClassVar[str] = "entry"
    history: int = 0


class DialectResolved(NodeComplete):
    node: ClassVar[str] = "dialect_resolver"
    dialect: str
    executor: str


class SchemaSelected(NodeComplete):
    node: ClassVar[str] = "schema_selector"
    tables: tuple[str, ...]
    documents: tuple[str, ...]
    tokens: int
    pruned: bool
    warnings: tuple[str, ...] = ()


class Planned(NodeComplete):
    """`source`: `model` where the model planned, `sql` where the plan was read from the query."""

    node: ClassVar[str] = "planner"
    plan: Plan
    source: Literal["model", "sql"]


class SqlGenerated(NodeComplete):
    """`source`: `reused` where the question was answered before, and nothing was written anew."""

    node: ClassVar[str] = "sql_generator"
    sql: str | None
    explanation: str = ""
    clarification: str | None = None
    source: Literal["model", "reused"] = "model"


class SqlValidated(NodeComplete):
    node: ClassVar[str] = "sql_validator"
    sql: str
    passed: bool
    error_type: str | None = None
    error: str | None = None


class SqlExecuted(NodeComplete):
    """The first rows only; the response has them all."""

    node: ClassVar[str] = "sql_executor"
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    row_count: int = 0
    truncated: bool = False
    error_type: str | None = None
    error: str | None = None


class Repairing(NodeComplete):
    """Why the next attempt is made, and what was learnt for it."""

    node: ClassVar[str] = "sql_repair"
    error_type: str
    error: str
    hint: str = ""


class Evaluated(NodeComplete):
    node: ClassVar[str] = "evaluator"
    verdict: Verdict | None
    checks: tuple[Check, ...]


class RawRecordsFetched(NodeComplete):
    """`reason` says why there are none, where there are none."""

    node: ClassVar[str] = "raw_records"
    sql: str | None
    row_count: int = 0
    truncated: bool = False
    derived: bool = True
    reason: str = ""


class AnswerFormatted(NodeComplete):
    node: ClassVar[str] = "answer_formatter"
    answer: str
    corrections: tuple[Correction, ...] = ()
    checks: tuple[Check, ...] = ()


class HumanReview(NodeComplete):
    node: ClassVar[str] = "human_review"
    tried: tuple[str, ...]
    reasons: tuple[str, ...]
    suggestions: tuple[str, ...]


class AnswerDelta(Event):
    """A piece of the answer, sent when it has been checked."""

    event: ClassVar[str] = "answer_delta"
    text: str


class Done(Event):
    """Last of all events: the response."""

    event: ClassVar[str] = "done"
    answer: Answer


class Failed(Event):
    """Last of all events, where no answer can be given."""

    event: ClassVar[str] = "error"
    problem: Problem

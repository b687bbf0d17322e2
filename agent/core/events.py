"""Events of a question: one per step, and those that end it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.core.models import Answer, Check, Correction, Doubt, Plan, Verdict
from agent.core.problems import Problem
from agent.core.queueing import Standing
from executors.base import Frozen
from rag.docs.documents import Document

MAX_SOURCE = 200  # characters


class UsedDocument(Frozen):
    """A document that was found for a question: its id, its kind, and where it comes from."""

    id: str
    kind: str
    source: str = ""

    @classmethod
    def of(cls, document: Document) -> UsedDocument:
        """What is said of a document."""
        return cls(id=document.id, kind=document.kind, source=document.source[:MAX_SOURCE])


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


PartNumber = Annotated[int, Field(exclude_if=lambda number: number == 0)]


class NodeComplete(Event):
    """A step of the specification's table has ended; the subclasses name it and carry what it found.

    part: whose step it is, of a question that needs several queries, from 1; absent elsewhere.
    """

    node: ClassVar[str]
    attempt: int = 0
    elapsed_ms: float = 0.0
    part: PartNumber = 0


class Entered(NodeComplete):
    """`question`: as it is answered, made self-contained where `asked` leaned on one of the `history` exchanges.

    leans: whether it still does, since it could not be made self-contained; then the model reads the exchanges.
    """

    node: ClassVar[str] = "entry"
    history: int = 0
    question: str = ""
    asked: str = ""
    leans: bool = False


class DialectResolved(NodeComplete):
    node: ClassVar[str] = "dialect_resolver"
    dialect: str
    executor: str


class SchemaSelected(NodeComplete):
    node: ClassVar[str] = "schema_selector"
    tables: tuple[str, ...]
    documents: tuple[str, ...]
    sources: tuple[UsedDocument, ...] = ()
    tokens: int
    pruned: bool
    warnings: tuple[str, ...] = ()


class Planned(NodeComplete):
    """`source`: `model` where the model planned, `sql` where the plan was read from the query."""

    node: ClassVar[str] = "planner"
    plan: Plan
    source: Literal["model", "sql"]


class QuestionPlanned(NodeComplete):
    """The question needs several queries: what each answers, and what is computed from their numbers."""

    node: ClassVar[str] = "question_planner"
    questions: tuple[str, ...]
    calculations: tuple[str, ...] = ()


class PartAnswered(NodeComplete):
    """One of these queries has its answer, or none. Its number is `part`."""

    node: ClassVar[str] = "part_answered"
    question: str
    status: Literal["success", "error"]
    answer: str
    verified: bool = False
    confidence: float | None = None


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
    doubts: tuple[Doubt, ...] = ()


class RawRecordsFetched(NodeComplete):
    """`reason` says why there are none, where there are none; `total`: how many there are in all, where it is known."""

    node: ClassVar[str] = "raw_records"
    sql: str | None
    row_count: int = 0
    truncated: bool = False
    total: int | None = None
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


class Queued(Event):
    """The question waits: for a place among those that are answered, or for the embedded model, which is one for all.

    waits_for: which of them. length: how many are before it. wait_s: seconds that this is likely to take.
    """

    event: ClassVar[str] = "queued"
    waits_for: Literal["place", "model"]
    length: int
    wait_s: float

    @classmethod
    def of(cls, standing: Standing, waits_for: Literal["place", "model"]) -> Queued:
        """What is said of a queue."""
        return cls(waits_for=waits_for, length=standing.length, wait_s=standing.wait_s)


class SqlProgress(Event):
    """The query of an attempt as far as it is written, of models whose replies come in pieces.

    checked: always false. Nothing has read this text yet, and nothing of it has run; `sql_validator` says what will.
    """

    event: ClassVar[str] = "sql_progress"
    attempt: int
    sql: str
    checked: bool = False
    part: PartNumber = 0


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

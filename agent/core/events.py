"""Events of a question: one per step, and those that end it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from agent.core.answers import Answer, Correction
from agent.core.models import Check, Doubt, Plan, Verdict
from agent.core.problems import Problem
from agent.core.queueing import Standing
from executors.base import Frozen
from rag.docs.documents import Document

MAX_SOURCE = 200  # characters
EVENT_ROWS = 20  # rows that an event shows


class UsedDocument(Frozen):
    """A document that retrieval found.

    id: Id of the document.
    kind: Kind of the document.
    source: Where the document comes from. Empty if it is unknown.
    """

    id: str
    kind: str
    source: str = ""

    @classmethod
    def of(cls, document: Document) -> UsedDocument:
        """The fields of a document that events report."""
        return cls(id=document.id, kind=document.kind, source=document.source[:MAX_SOURCE])


class Event(BaseModel):
    """An event of a question. Over HTTP: `{"event", "node", "attempt", "elapsed_ms", "data"}`."""

    model_config = ConfigDict(frozen=True)
    event: ClassVar[str] = "node_complete"


class Started(Event):
    """The first event of a stream.

    trace_id: Identifies the request in logs and traces. All questions of one `traceparent` share it.
    answer_id: Identifies the answer. Feedback, sessions, links and resumed streams refer to it.
    question: The question.
    database: The database that is asked.
    """

    event: ClassVar[str] = "start"
    trace_id: str
    answer_id: str
    question: str
    database: str


PartNumber = Annotated[
    int,
    Field(
        description="Number of the part that the event is about, counted from 1. Absent if the question has none.",
        exclude_if=lambda number: number == 0,
    ),
]


class NodeComplete(Event):
    """A step has ended. Subclasses name a step of the specification's table and carry its results.

    part: number of the part, counted from 1, of a question that needs several queries; else absent.
    """

    node: ClassVar[str]
    attempt: int = 0
    elapsed_ms: float = 0.0
    part: PartNumber = 0


class Entered(NodeComplete):
    """The question was accepted.

    history: Number of earlier exchanges of the session.
    question: The question as it is answered. A follow-up is completed from earlier questions.
    asked: The question as it was sent. Empty if it was not completed.
    leans: Whether the question still depends on earlier ones. The model then reads them.
    """

    node: ClassVar[str] = "entry"
    history: int = 0
    question: str = ""
    asked: str = ""
    leans: bool = False


class DialectResolved(NodeComplete):
    """The database was opened.

    dialect: SQL dialect.
    executor: Class that runs the queries.
    """

    node: ClassVar[str] = "dialect_resolver"
    dialect: str
    executor: str


class SchemaSelected(NodeComplete):
    """The schema for the question was selected.

    tables: Tables that the model reads.
    documents: Texts of the docs that the model reads.
    sources: The docs' ids, kinds and sources.
    tokens: Size of the schema and docs, in tokens.
    pruned: Whether tables were left out.
    warnings: What could not be read, one sentence each.
    """

    node: ClassVar[str] = "schema_selector"
    tables: tuple[str, ...]
    documents: tuple[str, ...]
    sources: tuple[UsedDocument, ...] = ()
    tokens: int
    pruned: bool
    warnings: tuple[str, ...] = ()


class Planned(NodeComplete):
    """The plan of the query.

    plan: What the query reads and computes.
    source: `model` if the model wrote the plan, `sql` if it was derived from the query.
    """

    node: ClassVar[str] = "planner"
    plan: Plan
    source: Literal["model", "sql"]


class QuestionPlanned(NodeComplete):
    """The question needs several queries.

    questions: The question of each query.
    calculations: Calculations with the queries' numbers. `{1}` is the number of the first query.
    """

    node: ClassVar[str] = "question_planner"
    questions: tuple[str, ...]
    calculations: tuple[str, ...] = ()


class PartAnswered(NodeComplete):
    """A part of the question was answered, or failed.

    question: The question of the part.
    status: `success`, or `error` if the part has no rows.
    answer: What the rows say. For an error, why there are none.
    verified: Whether the part passed every check.
    confidence: Calibrated probability, 0 to 1, that the rows are right. Null if there are none.
    """

    node: ClassVar[str] = "part_answered"
    question: str
    status: Literal["success", "error"]
    answer: str
    verified: bool = False
    confidence: float | None = None


class SqlGenerated(NodeComplete):
    """A query was written.

    sql: The query. Null if the model asked for a clarification.
    explanation: What the query does, in words.
    clarification: The model's question to the user. Null if it wrote a query.
    source: Where the query comes from. `model`; `repaired`: a draft that Plumbline repaired; `alternative`: derived
        from a query that ran; `reused`: an earlier answer.
    """

    node: ClassVar[str] = "sql_generator"
    sql: str | None
    explanation: str = ""
    clarification: str | None = None
    source: Literal["model", "repaired", "alternative", "reused"] = "model"


class SqlValidated(NodeComplete):
    """The query was checked before it runs.

    sql: The query.
    passed: Whether the query may run.
    error_type: Class of the error. Null if the query passed.
    error: Error message. Null if the query passed.
    """

    node: ClassVar[str] = "sql_validator"
    sql: str
    passed: bool
    error_type: str | None = None
    error: str | None = None


class SqlExecuted(NodeComplete):
    """The query ran, or failed.

    columns: Column names, in the query's order.
    rows: The first rows. The response has all of them.
    row_count: Number of rows.
    truncated: Whether the database has more rows.
    error_type: Class of the error. Null if the query ran.
    error: Error message. Null if the query ran.
    """

    node: ClassVar[str] = "sql_executor"
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    row_count: int = 0
    truncated: bool = False
    error_type: str | None = None
    error: str | None = None


class Repairing(NodeComplete):
    """An attempt failed, and another one follows.

    error_type: Class of the error.
    error: Error message.
    hint: How to repair the query, or that another one takes its place. Empty if nothing is known.
    """

    node: ClassVar[str] = "sql_repair"
    error_type: str
    error: str
    hint: str = ""


class Evaluated(NodeComplete):
    """The result was evaluated.

    verdict: Whether the result was accepted. Null if it was not judged.
    checks: The checks of the result.
    doubts: What rules noticed about the query.
    """

    node: ClassVar[str] = "evaluator"
    verdict: Verdict | None
    checks: tuple[Check, ...]
    doubts: tuple[Doubt, ...] = ()


class RawRecordsFetched(NodeComplete):
    """The records behind the result were read.

    sql: The query of the records. Null if there is none.
    row_count: Number of records that were read.
    truncated: Whether there are more records.
    total: Number of records. Null if they were not counted.
    reason: Why there are no records. Empty if there are some.
    """

    node: ClassVar[str] = "raw_records"
    sql: str | None
    row_count: int = 0
    truncated: bool = False
    total: int | None = None
    reason: str = ""


class AnswerFormatted(NodeComplete):
    """The answer was written.

    answer: The answer.
    corrections: Calculations in the answer that were corrected.
    checks: The checks of the answer.
    """

    node: ClassVar[str] = "answer_formatter"
    answer: str
    corrections: tuple[Correction, ...] = ()
    checks: tuple[Check, ...] = ()


class HumanReview(NodeComplete):
    """No attempt was accepted. A person should check the question.

    tried: The queries that were tried.
    reasons: Why they were not accepted.
    suggestions: Questions that the database can answer.
    """

    node: ClassVar[str] = "human_review"
    tried: tuple[str, ...]
    reasons: tuple[str, ...]
    suggestions: tuple[str, ...]


class Queued(Event):
    """The question waits.

    waits_for: `place`: the service is busy. `model`: the embedded model answers one call at a time.
    length: Number of requests ahead.
    wait_s: Expected wait, in seconds.
    """

    event: ClassVar[str] = "queued"
    waits_for: Literal["place", "model"]
    length: int
    wait_s: float

    @classmethod
    def of(cls, standing: Standing, waits_for: Literal["place", "model"]) -> Queued:
        """The event for the state of a queue."""
        return cls(waits_for=waits_for, length=standing.length, wait_s=standing.wait_s)


class SqlProgress(Event):
    """The unfinished query, while a model writes it.

    attempt: Number of the attempt, counted from 1.
    sql: The text so far.
    checked: Always false. The text was neither checked nor run.
    """

    event: ClassVar[str] = "sql_progress"
    attempt: int
    sql: str
    checked: bool = False
    part: PartNumber = 0


class AnswerDelta(Event):
    """A checked piece of the answer.

    text: The piece.
    """

    event: ClassVar[str] = "answer_delta"
    text: str


class Done(Event):
    """The last event: the response."""

    event: ClassVar[str] = "done"
    answer: Answer


class Failed(Event):
    """The last event if no answer can be given."""

    event: ClassVar[str] = "error"
    problem: Problem

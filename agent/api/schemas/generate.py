"""The bodies of the generate routes: the specification's schemas, with fields appended."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from agent.api.schemas.chat import error_details
from agent.api.schemas.common import Name, Text
from agent.core.events import Done, Event, Failed, NodeComplete, Started
from agent.core.fields import A_NUMBER
from agent.core.kinds import Kind
from agent.core.models import Answer, AnswerSource, Check, Choice, Options
from agent.core.usage import Usage
from executors.base import Frozen, JsonValue

# The nodes that these events tell of; checks, judge and raw records have no node of their own here.
NODES = (
    "entry", "dialect_resolver", "schema_selector", "planner", "sql_generator", "sql_executor", "sql_repair",
    "answer_formatter", "human_review",
)  # fmt: skip

# Where this interface names a dialect otherwise than the rest of the service.
DIALECT_NAMES = {"postgresql": "postgres"}


class GenerateRequest(Frozen):
    """A question about one database of the registry. Unknown fields are refused."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"connection_id": "shop", "question": "최근 주문 10건을 보여줘", "max_retries": 2}]
        }
    )

    connection_id: Name = Field(description="A name that `GET /api/databases` lists.")
    question: Text = Field(description="What to find out, in plain language.")
    max_retries: Annotated[int, Field(ge=0, le=9), A_NUMBER] | None = Field(
        None, description="Attempts after the first one; the service's own limit holds as well, and where it is absent."
    )

    @property
    def options(self) -> Options:
        """What this changes: attempts at most, and one query, which is all that the response has a place for."""
        most = None if self.max_retries is None else self.max_retries + 1
        return Options(max_attempts=most, plan=False)


class GenerateResponse(Frozen):
    """What came of the question. A field about failure is absent where there is none.

    success: whether a query gave rows, or none was needed; `needs_human_review` says where they did not convince the
        judge.
    reasoning: in words, what the query does.
    answer_summary: the answer, in the question's language; where it failed, what is to be done. answer_source: who
        wrote it: a model, each claim of it supported, or Plumbline, from the rows.
    dialect: as this interface names it: `postgres` for PostgreSQL.
    error, error_type: why there are no rows. clarification, choices: what must be said first.
    """

    success: bool
    kind: Kind = "query"
    sql: str | None
    reasoning: str
    answer_summary: str
    dialect: str | None
    execution_result: list[dict[str, JsonValue]]
    trace_id: str
    needs_human_review: bool
    verified: bool
    confidence: float | None = None
    checks: list[Check] = []
    warnings: list[str] = []
    attempts: int = 0
    usage: Usage = Usage()
    answer_source: AnswerSource | None = Field(None, exclude_if=lambda value: value is None)
    review_id: str | None = Field(None, exclude_if=lambda value: value is None)
    error: str | None = Field(None, exclude_if=lambda value: value is None)
    error_type: str | None = Field(None, exclude_if=lambda value: value is None)
    clarification: str | None = Field(None, exclude_if=lambda value: value is None)
    choices: list[Choice] | None = Field(None, exclude_if=lambda value: value is None)

    @classmethod
    def of(cls, answer: Answer) -> GenerateResponse:
        """The wire's shape of an answer."""
        failed: dict[str, Any] = {}
        if answer.status == "error":
            types = [attempt.error_type for attempt in answer.attempt_history if attempt.error_type]
            failed = {"error": error_details(answer), "error_type": types[-1] if types else None}
        elif answer.status == "clarification_needed":
            failed = {"error": answer.answer, "error_type": "CLARIFICATION_NEEDED"}
            failed |= {"clarification": answer.clarification or answer.answer, "choices": answer.choices}
        return cls(
            success=answer.status == "success",
            kind=answer.kind,
            sql=answer.sql,
            reasoning=answer.explanation,
            answer_summary=answer.answer,
            dialect=dialect_name(answer.dialect),
            execution_result=answer.results,
            trace_id=answer.trace_id,
            needs_human_review=answer.needs_human_review,
            verified=answer.verified,
            confidence=answer.confidence,
            checks=answer.checks,
            warnings=answer.warnings,
            attempts=answer.attempts,
            usage=answer.usage,
            answer_source=answer.answer_source,
            review_id=answer.review_id,
            **failed,
        )


class GenerateHealth(Frozen):
    """The process answers."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "ok", "service": "text2sql"}]})

    status: Literal["ok"] = "ok"
    service: Literal["text2sql"] = "text2sql"


def dialect_name(dialect: str | None) -> str | None:
    """A dialect as this interface names it."""
    return DIALECT_NAMES.get(dialect, dialect) if dialect else dialect


def generate_event(event: Event) -> dict[str, Any] | None:
    """An event as this interface sends it: `event`, `node` where there is one, `data`; None where it is not sent."""
    match event:
        case Started():
            started = {"trace_id": event.trace_id, "question": event.question, "connection_id": event.database}
            return {"event": event.event, "data": started}
        case NodeComplete():
            if event.node not in NODES:
                return None
            data: dict[str, Any] = event.model_dump(mode="json")
            if "dialect" in data:
                data["dialect"] = dialect_name(data["dialect"])
            return {"event": event.event, "node": event.node, "data": data}
        case Done():
            return {"event": event.event, "data": GenerateResponse.of(event.answer).model_dump(mode="json")}
        case Failed():
            return {"event": event.event, "data": event.problem.model_dump(mode="json")}
        case _:
            return None


GENERATE_EXAMPLE = GenerateResponse(
    success=True,
    sql="SELECT * FROM orders ORDER BY created_at DESC LIMIT 10",
    reasoning="Orders, the latest first, ten of them.",
    answer_summary="최근 주문은 1042번이며 2024-01-15에 접수되었습니다.",
    dialect="postgres",
    execution_result=[{"order_id": 1042, "created_at": "2024-01-15T10:30:00"}],
    trace_id="0af7651916cd43dd8448eb211c80319c",
    needs_human_review=False,
    verified=True,
    confidence=0.97,
    attempts=1,
).model_dump(mode="json")

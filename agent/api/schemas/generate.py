"""The bodies of the generate routes: the specification's schemas, with fields appended."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from agent.api.schemas.chat import error_details
from agent.api.schemas.common import Name, Text, with_example
from agent.core.answers import Answer, AnswerSource, Kind
from agent.core.events import Done, Event, Failed, NodeComplete, Started
from agent.core.fields import A_NUMBER
from agent.core.models import Check, Choice, Options, take_fields
from agent.core.usage import Usage
from executors.base import Frozen, JsonValue

# The nodes with events in this interface. Checks, judge and raw records have none.
NODES = (
    "entry", "dialect_resolver", "schema_selector", "planner", "sql_generator", "sql_executor", "sql_repair",
    "answer_formatter", "human_review",
)  # fmt: skip

# Dialects with a different name in this interface.
DIALECT_NAMES = {"postgresql": "postgres"}


class GenerateRequest(Frozen):
    """A question about one database. Unknown fields are refused."""

    model_config = with_example({"connection_id": "shop", "question": "최근 주문 10건을 보여줘", "max_retries": 2})

    connection_id: Name = Field(description="Name of the database, as the list of databases has it.")
    question: Text = Field(description="The question, in plain language.")
    max_retries: Annotated[int, Field(ge=0, le=9), A_NUMBER] | None = Field(
        None, description="Maximum number of attempts after the first. Default and upper limit: the service's setting."
    )

    @property
    def options(self) -> Options:
        """The options: maximum attempts, and no plan, because the response has room for only one query."""
        most = None if self.max_retries is None else self.max_retries + 1
        return Options(max_attempts=most, plan=False)


class GenerateResponse(Frozen):
    """The answer to a question. Fields about errors and clarifications are absent if they do not apply.

    success: Whether a query returned rows, or none was needed.
    kind: How the question was answered. `query`: by SQL. `about_data`: from schema and docs. `small_talk`: without
        data. `change`: a change of rows.
    sql: The query whose rows are in `execution_result`. Null if there is none.
    reasoning: What the query does, in words.
    answer_summary: The answer in the question's language. For an error, what to do next.
    dialect: SQL dialect; `postgres` for PostgreSQL. Null if no database was opened.
    execution_result: The rows, one object per row.
    needs_human_review: Whether a person should check the answer. True if the judge did not accept the rows.
    answer_source: Who wrote `answer_summary`. `model`: a model; each claim was checked against the rows. `composed`:
        Plumbline, from the rows.
    review_id: Id of the answer's review.
    error: Why there are no rows.
    error_type: Class of the last error, or `CLARIFICATION_NEEDED`.
    clarification: The question to the user.
    choices: Suggested replies to `clarification`.
    """

    # `INHERITED` in `agent.api.contract.complete` takes the other descriptions from `Answer`.

    success: bool
    kind: Kind = "query"
    sql: str | None
    reasoning: str
    answer_summary: str
    dialect: str | None
    execution_result: list[dict[str, JsonValue]]
    trace_id: str
    answer_id: str
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
        """Build the response for an answer."""
        failed: dict[str, Any] = {}
        if answer.status == "error":
            types = [attempt.error_type for attempt in answer.attempt_history if attempt.error_type]
            failed = {"error": error_details(answer), "error_type": types[-1] if types else None}
        elif answer.status == "clarification_needed":
            failed = {"error": answer.answer, "error_type": "CLARIFICATION_NEEDED"}
            failed |= {"clarification": answer.clarification or answer.answer, "choices": answer.choices}
        return cls(
            success=answer.status == "success",
            reasoning=answer.explanation,
            answer_summary=answer.answer,
            execution_result=answer.results,
            **take_fields(answer, cls)
            | {"dialect": dialect_name(answer.dialect), "clarification": None, "choices": None}
            | failed,
        )


class GenerateHealth(Frozen):
    """The process responds.

    status: Always `ok`.
    service: Always `text2sql`.
    """

    model_config = with_example({"status": "ok", "service": "text2sql"})

    status: Literal["ok"] = "ok"
    service: Literal["text2sql"] = "text2sql"


def dialect_name(dialect: str | None) -> str | None:
    """The name of a dialect in this interface."""
    return DIALECT_NAMES.get(dialect, dialect) if dialect else dialect


def generate_event(event: Event) -> dict[str, Any] | None:
    """An event in this interface's form: `event`, `node` if there is one, `data`; None if it is not sent."""
    match event:
        case Started():
            started = event.model_dump(exclude={"database"}) | {"connection_id": event.database}
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
    answer_id="0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    needs_human_review=False,
    verified=True,
    confidence=0.97,
    attempts=1,
).model_dump(mode="json")

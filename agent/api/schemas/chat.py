"""The bodies of a chat's messages: the specification's own schemas, with fields appended."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from agent.api.schemas.chat_sessions import SESSION_ID
from agent.api.schemas.common import (
    ALL,
    INCLUDE,
    NOTHING,
    Name,
    StreamEvent,
    Text,
    find_omitted_parts,
    one_of_parts,
    parts_of,
    with_example,
    with_first_records,
)
from agent.core.answers import Answer, AnswerPart, AnswerSource, CandidateRecord, Chart, Correction, Kind
from agent.core.events import Done, Event
from agent.core.models import Check, Choice, Doubt, Options, ReadOptions, take_fields
from agent.core.usage import Usage
from executors.base import Frozen, JsonValue


def _where_it_applies() -> Any:
    """A field that is omitted if it is None. None in its content is kept."""
    return Field(None, exclude_if=lambda value: value is None)


# The fields of every response, and the additional ones of responses without rows.
_ALWAYS = ("status", "kind", "message", "question", "trace_id", "answer_id", "usage", "warnings")
_OF_ERROR = ("sql_query", "verified", "confidence", "checks", "doubts", "needs_human_review", "review_id", "parts")


class ChatResponse(Frozen):
    """The response to a message. Fields that do not apply are absent.

    kind: How the message was answered. `query`: by SQL. `about_data`: from schema and docs. `small_talk`: without data.
        `change`: a change of rows.
    message: The answer in the message's language, or the question to the user.
    answer_source: Who wrote `message`. `model`: a model; each claim was checked against the rows. `composed`:
        Plumbline, from the rows.
    sql_query: The query whose rows are in `results`.
    error_details: Why there are no rows.
    question: The message as it was answered. A follow-up is completed from earlier messages.
    confidence: Calibrated probability, 0 to 1, that the rows are right.
    corrections: Calculations in the answer that were corrected.
    cursor: Send it to `POST /api/execute` to get the next rows.
    raw_results: The first ten records behind an aggregate, one object per record.
    raw_total: Number of records behind the result.
    review_id: Id of the answer's review.
    choices: Suggested replies to a clarification, or questions to ask instead of one that was not answered well.
    chart: A suggested chart of `results`.
    parts: The queries of a message that needed several. `message` refers to them as `[1]`.
    candidates: The distinct results of the drafts, with their votes, if `include` names them.
    """

    # `INHERITED` in `agent.api.contract.complete` takes the other descriptions from `Answer`.

    status: Literal["success", "error", "clarification_needed"]
    kind: Kind = "query"
    message: str
    answer_source: AnswerSource | None = _where_it_applies()
    sql_query: str | None = _where_it_applies()
    results: list[dict[str, JsonValue]] | None = _where_it_applies()
    columns: list[str] | None = _where_it_applies()
    row_count: int | None = _where_it_applies()
    error_details: str | None = _where_it_applies()
    question: str | None = _where_it_applies()
    trace_id: str
    answer_id: str
    verified: bool | None = _where_it_applies()
    confidence: float | None = _where_it_applies()
    checks: list[Check] | None = _where_it_applies()
    doubts: list[Doubt] | None = _where_it_applies()
    corrections: list[Correction] | None = _where_it_applies()
    truncated: bool | None = _where_it_applies()
    cursor: str | None = _where_it_applies()
    raw_results: list[dict[str, JsonValue]] | None = _where_it_applies()
    raw_total: int | None = _where_it_applies()
    needs_human_review: bool | None = _where_it_applies()
    review_id: str | None = _where_it_applies()
    choices: list[Choice] | None = _where_it_applies()
    explanation: str | None = _where_it_applies()
    chart: Chart | None = _where_it_applies()
    parts: list[AnswerPart] | None = _where_it_applies()
    candidates: list[CandidateRecord] | None = _where_it_applies()
    usage: Usage = Usage()
    warnings: list[str] = []

    @classmethod
    def of(cls, answer: Answer) -> ChatResponse:
        """Build the response for an answer."""
        fields = take_fields(answer, cls) | {"message": answer.answer, "sql_query": answer.sql}
        if answer.status == "clarification_needed":
            return cls(**{name: fields[name] for name in (*_ALWAYS, "choices")})
        shown = with_first_records(answer)
        fields |= {
            "parts": shown.parts or None,
            "raw_results": shown.raw_results or None,
            "explanation": answer.explanation or None,
            "doubts": answer.doubts or None,
            "candidates": answer.candidates or None,
            "choices": answer.choices or None,
        }
        if answer.status == "error":
            return cls(**{name: fields[name] for name in (*_ALWAYS, *_OF_ERROR)}, error_details=error_details(answer))
        return cls(**fields)

    def wire(self, left_out: frozenset[str] = NOTHING) -> dict[str, Any]:
        """The response as JSON, without fields that do not apply. Args: left_out: omitted parts."""
        return self.model_dump(mode="json", exclude=set(left_out))


PARTS = parts_of(ChatResponse, {"status", "kind", "message", "trace_id", "answer_id"})
Part = Annotated[str, Field(json_schema_extra={"enum": [*PARTS]}), one_of_parts(*PARTS)]
PartOrAll = Annotated[str, Field(json_schema_extra={"enum": [ALL, *PARTS]}), one_of_parts(ALL, *PARTS)]


class ChatRequest(Frozen):
    """The next message of a session: a question, a follow-up, or a reply to a clarification."""

    model_config = with_example({"session_id": SESSION_ID, "message": "What are the top 5 categories by total sales?"})

    session_id: Name = Field(description="Id of the session.")
    message: Text = Field(description="The message, in plain language.")
    options: ReadOptions = Field(ReadOptions(), description="Options of this message. Default: the service's settings.")
    include: list[Part] = Field([], description=INCLUDE)
    exclude: list[PartOrAll] = Field(
        [], description="Fields to omit from the response. `all` omits all but status, kind, message and the ids."
    )

    @model_validator(mode="after")
    def _names_a_part_once(self) -> ChatRequest:
        find_omitted_parts(self.include, self.exclude, PARTS)
        return self

    @property
    def omitted_parts(self) -> frozenset[str]:
        """The parts of the response that are not sent."""
        return find_omitted_parts(self.include, self.exclude, PARTS)

    @property
    def request_options(self) -> Options:
        """The options, with those implied by `include`."""
        extra = {"candidates": True} if "candidates" in self.include else {}
        return Options.model_validate(self.options.model_dump(exclude_unset=True) | extra)


def error_details(answer: Answer) -> str:
    """Why an answer has no rows: the last error with its hint, or the judge's reason."""
    for attempt in reversed(answer.attempt_history):
        if attempt.error:
            return f"{attempt.error} {attempt.hint}".strip()
        if attempt.verdict:
            return attempt.verdict.reason
    return answer.answer


def chat_event(event: Event, left_out: frozenset[str] = NOTHING) -> StreamEvent:
    """An event of `chat/stream`: like those of `query/stream`, except that `done` has the response of `chat`."""
    if isinstance(event, Done):
        return StreamEvent(event=event.event, data=ChatResponse.of(event.answer).wire(left_out))
    return StreamEvent.of(event)


class ChatHealth(Frozen):
    """The health of the chat service.

    status: Always `healthy`.
    service: Always `text_to_sql_agent`.
    version: Plumbline's version.
    active_sessions: Number of sessions that have not expired.
    """

    model_config = with_example(
        {"status": "healthy", "service": "text_to_sql_agent", "version": "1.0.0", "active_sessions": 3}
    )

    status: Literal["healthy"] = "healthy"
    service: Literal["text_to_sql_agent"] = "text_to_sql_agent"
    version: str
    active_sessions: int


CHAT_EXAMPLE = ChatResponse(
    status="success",
    message="Coffee leads with 150,000.00, then Tea with 95,000.00.",
    sql_query="SELECT category, SUM(amount) AS total_sales FROM sales GROUP BY category ORDER BY 2 DESC LIMIT 5",
    results=[{"category": "Coffee", "total_sales": 150000.0}, {"category": "Tea", "total_sales": 95000.0}],
    columns=["category", "total_sales"],
    row_count=2,
    question="What are the top 5 categories by total sales?",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    answer_id="0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    verified=True,
    confidence=0.97,
    checks=[Check(name="judge", passed=True, detail="Categories by the sum of their sales, the highest first.")],
).wire()

CLARIFICATION_EXAMPLE = ChatResponse(
    status="clarification_needed",
    message="Which dates do you mean? The orders are from 2023-07-01 to 2025-06-30.",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    answer_id="0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    choices=[Choice(label="the last 30 days", question="Show me the orders of the last 30 days")],
).wire()

ERROR_EXAMPLE = ChatResponse(
    status="error",
    message="I could not answer this from the data.",
    sql_query="SELECT invalid_column FROM orders",
    error_details="There is no column 'invalid_column'.",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    answer_id="0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    verified=False,
    needs_human_review=True,
).wire()

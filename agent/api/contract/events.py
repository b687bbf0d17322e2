"""The events of the three streams: a schema for each, generated from its class, and an example as it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi.sse import ServerSentEvent
from pydantic.json_schema import models_json_schema

from agent.api.contract.problems import TRACE_ID
from agent.api.http.errors import problem_for
from agent.api.http.streaming import as_sse, to_named_event
from agent.api.routes.generate import to_unnamed_event
from agent.api.schemas.chat import chat_event
from agent.api.schemas.common import ANSWER_EXAMPLE
from agent.api.schemas.generate import NODES
from agent.core.answers import Answer, Correction
from agent.core.errors import ModelUnavailable
from agent.core.events import (
    AnswerDelta,
    AnswerFormatted,
    DialectResolved,
    Done,
    Entered,
    Evaluated,
    Event,
    Failed,
    HumanReview,
    NodeComplete,
    PartAnswered,
    Planned,
    QuestionPlanned,
    Queued,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlProgress,
    SqlValidated,
    Started,
    UsedDocument,
)
from agent.core.models import Check, Plan, Verdict

_QUESTION = "What was our highest revenue month?"
_WRONG = "SELECT month, SUM(amout) AS total FROM sales GROUP BY month ORDER BY total DESC LIMIT 1"
_ERROR = "There is no column 'amout'."
_TEXT = "The highest revenue month was March 2024 with $50,000 in sales."
_PLAN = Plan(tables=("sales",), aggregates=("SUM(amount)",), group_by=("month",), order_by=("total DESC",), limit=1)

_EXAMPLES: tuple[Event, ...] = (
    Started(trace_id=TRACE_ID, question=_QUESTION, database="shop"),
    Entered(elapsed_ms=0.1, question=_QUESTION),
    DialectResolved(elapsed_ms=0.1, dialect="sqlite", executor="SqliteExecutor"),
    SchemaSelected(
        elapsed_ms=84.2, tables=("sales",), documents=("Revenue: the amounts of all sales.",), tokens=212, pruned=False,
        sources=(UsedDocument(id="5f2c1e", kind="rule", source="shop.md"),),
    ),
    QuestionPlanned(
        elapsed_ms=512.3, questions=("What was the revenue in March 2024?", "What was the revenue in February 2024?"),
        calculations=("{1} - {2}",),
    ),
    Queued(waits_for="model", length=2, wait_s=11.5),
    SqlProgress(attempt=1, sql="SELECT month, SUM("),
    SqlGenerated(attempt=1, elapsed_ms=812.4, sql=_WRONG),
    Planned(attempt=1, elapsed_ms=0.4, plan=_PLAN, source="sql"),
    SqlValidated(attempt=1, elapsed_ms=1.2, sql=_WRONG, passed=False, error_type="COLUMN_NOT_FOUND", error=_ERROR),
    Repairing(attempt=1, elapsed_ms=0.2, error_type="COLUMN_NOT_FOUND", error=_ERROR, hint="Did you mean amount?"),
    SqlExecuted(attempt=2, elapsed_ms=2.1, columns=("month", "total"), rows=(("2024-03", 50000),), row_count=1),
    Evaluated(
        attempt=2, elapsed_ms=402.0, verdict=Verdict(reason="One row, the highest.", correct=True),
        checks=(Check(name="has_rows", passed=True),),
    ),
    RawRecordsFetched(elapsed_ms=1.9, sql="SELECT month, amount FROM sales WHERE month = '2024-03'", row_count=41),
    AnswerFormatted(
        elapsed_ms=390.5, answer=_TEXT, checks=(Check(name="grounding", passed=True),),
        corrections=(Correction(expression="45.6+12.3+78.9", stated="136.7", computed="136.8"),),
    ),
    PartAnswered(
        part=1, question="What was the revenue in March 2024?", status="success",
        answer="The revenue in March 2024 was $50,000.", verified=True, confidence=0.97,
    ),
    HumanReview(
        elapsed_ms=0.3, tried=(_WRONG,), reasons=(_ERROR,), suggestions=("What is the total amount of sales by month?",)
    ),
    AnswerDelta(text=_TEXT),
    Done(answer=Answer.model_validate(ANSWER_EXAMPLE)),
    Failed(problem=problem_for(ModelUnavailable("The model cannot be reached. Try again later."), TRACE_ID)),
)  # fmt: skip


REF = "#/components/schemas/{model}"
Schema = dict[str, Any]

# Of each stream: how an event is sent, and the response that `done` carries.
STREAMS: dict[str, tuple[Callable[[Event], ServerSentEvent | None], str]] = {
    "query_stream": (as_sse, "Answer"),
    "resume_stream": (as_sse, "Answer"),
    "chat_stream": (lambda event: to_named_event(chat_event(event)), "ChatResponse"),
    "generate_stream": (to_unnamed_event, "GenerateResponse"),
}


def event_classes(of: type[Event] = Event) -> Iterator[type[Event]]:
    """Every event that is sent."""
    for kind in of.__subclasses__():
        if kind is not NodeComplete:
            yield kind
        yield from event_classes(kind)


def components() -> dict[str, Schema]:
    """The schemas of what events carry, by name, with those that they refer to."""
    carried = [kind for kind in event_classes() if kind not in (Done, Failed)]
    _, found = models_json_schema([(kind, "serialization") for kind in carried], ref_template=REF)
    schemas: dict[str, Schema] = found["$defs"]
    for kind in carried:
        for beside in ("attempt", "elapsed_ms") if issubclass(kind, NodeComplete) else ():
            schemas[kind.__name__]["properties"].pop(beside)
    return schemas


def describe_stream(operation: str) -> dict[str, Any]:
    """What `text/event-stream` holds of an operation: the schema of one event, and an example of each.

    An example's value is what a reader of server-sent events gives: an object with `data`, a text of JSON, and `event`,
    where events have names.
    """
    send, response = STREAMS[operation]
    return {"schema": _schema(operation, response), "examples": dict(_examples(send))}


def _examples(send: Callable[[Event], ServerSentEvent | None]) -> Iterator[tuple[str, dict[str, Any]]]:
    for event in _EXAMPLES:
        sent = send(event)
        if sent is None:
            continue
        name = event.node if isinstance(event, NodeComplete) else event.event
        value = {"event": sent.event, "data": sent.raw_data} if sent.event else {"data": sent.raw_data}
        yield name, {"summary": f"The event `{event.event}`", "value": value}


def _schema(operation: str, response: str) -> Schema:
    """One event. Those of one name are told apart by their nodes."""
    if operation == "generate_stream":
        data = [_build_unnamed_schema(kind, response) for kind in event_classes() if _is_sent(kind)]
        return _message({"oneOf": data})
    by_name: dict[str, list[Schema]] = {}
    for kind in event_classes():
        by_name.setdefault(kind.event, []).append(_event_schema(kind, response))
    return {"oneOf": [_message(_one_of(data), name) for name, data in by_name.items()]}


def _is_sent(kind: type[Event]) -> bool:
    """Whether the generate interface tells of it."""
    return kind.node in NODES if issubclass(kind, NodeComplete) else kind not in (AnswerDelta, Queued, SqlProgress)


def _message(data: Schema, name: str = "") -> Schema:
    properties: Schema = {"data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data}}
    if name:
        properties["event"] = {"const": name}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _one_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def _event_schema(kind: type[Event], response: str) -> Schema:
    """The data of an event of `query/stream` or `chat/stream`."""
    is_node = issubclass(kind, NodeComplete)
    return _object(
        event={"const": kind.event},
        node={"const": kind.node} if issubclass(kind, NodeComplete) else {"type": "null"},
        attempt={"type": "integer"} if is_node else {"type": "null"},
        elapsed_ms={"type": "number"} if is_node else {"type": "null"},
        data=_find_schema(kind, response),
    )


def _build_unnamed_schema(kind: type[Event], response: str) -> Schema:
    """The data of an event of `generate/stream`."""
    if kind is Started:
        text = {"type": "string"}
        return _object(event={"const": kind.event}, data=_object(trace_id=text, question=text, connection_id=text))
    if issubclass(kind, NodeComplete):
        return _object(event={"const": kind.event}, node={"const": kind.node}, data=_find_schema(kind, response))
    return _object(event={"const": kind.event}, data=_find_schema(kind, response))


def _find_schema(kind: type[Event], response: str) -> Schema:
    names: dict[type[Event], str] = {Done: response, Failed: "Problem"}
    model = names.get(kind, kind.__name__)
    return {"$ref": REF.format(model=model)}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip

"""The events of the three streams: a schema for each, generated from its class, and an example in its sent form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi.sse import ServerSentEvent
from pydantic.json_schema import models_json_schema

from agent.api.contract.problems import TRACE_ID
from agent.api.http.streaming import as_sse, to_named_event
from agent.api.routes.generate import to_unnamed_event
from agent.api.schemas.chat import chat_event
from agent.api.schemas.common import ANSWER_EXAMPLE
from agent.api.schemas.generate import NODES
from agent.core import events
from agent.core.answers import Answer, Correction
from agent.core.errors import ModelUnavailable
from agent.core.models import Check, Plan, Verdict
from agent.core.problems import build_unexpected_problem, problem_of

_QUESTION = "What was our highest revenue month?"
_WRONG = "SELECT month, SUM(amout) AS total FROM sales GROUP BY month ORDER BY total DESC LIMIT 1"
_ERROR = "There is no column 'amout'."
_TEXT = "The highest revenue month was March 2024 with $50,000 in sales."
_UNAVAILABLE = ModelUnavailable("The model cannot be reached. Try again later.")
_PLAN = Plan(tables=("sales",), aggregates=("SUM(amount)",), group_by=("month",), order_by=("total DESC",), limit=1)

_EXAMPLES: tuple[events.Event, ...] = (
    events.Started(trace_id=TRACE_ID, answer_id=ANSWER_EXAMPLE["answer_id"], question=_QUESTION, database="shop"),
    events.Entered(elapsed_ms=0.1, question=_QUESTION),
    events.DialectResolved(elapsed_ms=0.1, dialect="sqlite", executor="SqliteExecutor"),
    events.SchemaSelected(
        elapsed_ms=84.2, tables=("sales",), documents=("Revenue: the amounts of all sales.",), tokens=212, pruned=False,
        sources=(events.UsedDocument(id="5f2c1e", kind="rule", source="shop.md"),),
    ),
    events.QuestionPlanned(
        elapsed_ms=512.3, questions=("What was the revenue in March 2024?", "What was the revenue in February 2024?"),
        calculations=("{1} - {2}",),
    ),
    events.Queued(waits_for="model", length=2, wait_s=11.5),
    events.SqlProgress(attempt=1, sql="SELECT month, SUM("),
    events.SqlGenerated(attempt=1, elapsed_ms=812.4, sql=_WRONG),
    events.Planned(attempt=1, elapsed_ms=0.4, plan=_PLAN, source="sql"),
    events.SqlValidated(
        attempt=1, elapsed_ms=1.2, sql=_WRONG, passed=False, error_type="COLUMN_NOT_FOUND", error=_ERROR
    ),
    events.Repairing(
        attempt=1, elapsed_ms=0.2, error_type="COLUMN_NOT_FOUND", error=_ERROR, hint="Did you mean amount?"
    ),
    events.SqlExecuted(attempt=2, elapsed_ms=2.1, columns=("month", "total"), rows=(("2024-03", 50000),), row_count=1),
    events.Evaluated(
        attempt=2, elapsed_ms=402.0, verdict=Verdict(reason="One row, the highest.", correct=True),
        checks=(Check(name="has_rows", passed=True),),
    ),
    events.RawRecordsFetched(
        elapsed_ms=1.9, sql="SELECT month, amount FROM sales WHERE month = '2024-03'", row_count=41
    ),
    events.AnswerFormatted(
        elapsed_ms=390.5, answer=_TEXT, checks=(Check(name="grounding", passed=True),),
        corrections=(Correction(expression="45.6+12.3+78.9", stated="136.7", computed="136.8"),),
    ),
    events.PartAnswered(
        part=1, question="What was the revenue in March 2024?", status="success",
        answer="The revenue in March 2024 was $50,000.", verified=True, confidence=0.97,
    ),
    events.HumanReview(
        elapsed_ms=0.3, tried=(_WRONG,), reasons=(_ERROR,), suggestions=("What is the total amount of sales by month?",)
    ),
    events.AnswerDelta(text=_TEXT),
    events.Done(answer=Answer.model_validate(ANSWER_EXAMPLE)),
    events.Failed(problem=problem_of(_UNAVAILABLE, TRACE_ID) or build_unexpected_problem(TRACE_ID)),
)  # fmt: skip


REF = "#/components/schemas/{model}"
Schema = dict[str, Any]

# stream -> (encoder of its events, schema of the response in `done`)
STREAMS: dict[str, tuple[Callable[[events.Event], ServerSentEvent | None], str]] = {
    "query_stream": (as_sse, "Answer"),
    "resume_stream": (as_sse, "Answer"),
    "chat_stream": (lambda event: to_named_event(chat_event(event)), "ChatResponse"),
    "generate_stream": (to_unnamed_event, "GenerateResponse"),
}


def event_classes(of: type[events.Event] = events.Event) -> Iterator[type[events.Event]]:
    """All event classes that are sent."""
    for kind in of.__subclasses__():
        if kind is not events.NodeComplete:
            yield kind
        yield from event_classes(kind)


def components() -> dict[str, Schema]:
    """The schemas of events' data, by name, with the schemas that they refer to."""
    carried = [kind for kind in event_classes() if kind not in (events.Done, events.Failed)]
    _, found = models_json_schema([(kind, "serialization") for kind in carried], ref_template=REF)
    schemas: dict[str, Schema] = found["$defs"]
    for kind in carried:
        for beside in ("attempt", "elapsed_ms") if issubclass(kind, events.NodeComplete) else ():
            schemas[kind.__name__]["properties"].pop(beside)
    return schemas


def describe_stream(operation: str) -> dict[str, Any]:
    """The `text/event-stream` content of an operation: the schema of an event, and an example of each."""
    send, response = STREAMS[operation]
    return {"schema": _schema(operation, response), "examples": dict(_examples(send))}


def _examples(send: Callable[[events.Event], ServerSentEvent | None]) -> Iterator[tuple[str, dict[str, Any]]]:
    for event in _EXAMPLES:
        sent = send(event)
        if sent is None:
            continue
        name = event.node if isinstance(event, events.NodeComplete) else event.event
        value = {"event": sent.event, "data": sent.raw_data} if sent.event else {"data": sent.raw_data}
        yield name, {"summary": f"The event `{event.event}`", "value": value}


def _schema(operation: str, response: str) -> Schema:
    """The schema of one event. Events with the same name differ in their nodes."""
    if operation == "generate_stream":
        data = [_build_unnamed_schema(kind, response) for kind in event_classes() if _is_sent(kind)]
        return _message({"oneOf": data})
    by_name: dict[str, list[Schema]] = {}
    for kind in event_classes():
        by_name.setdefault(kind.event, []).append(_event_schema(kind, response))
    return {"oneOf": [_message(_one_of(data), name) for name, data in by_name.items()]}


def _is_sent(kind: type[events.Event]) -> bool:
    """Whether the generate interface sends the event."""
    return (
        kind.node in NODES
        if issubclass(kind, events.NodeComplete)
        else kind not in (events.AnswerDelta, events.Queued, events.SqlProgress)
    )


def _message(data: Schema, name: str = "") -> Schema:
    properties: Schema = {"data": {"type": "string", "contentMediaType": "application/json", "contentSchema": data}}
    if name:
        properties["event"] = {"const": name}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _one_of(schemas: list[Schema]) -> Schema:
    return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def _event_schema(kind: type[events.Event], response: str) -> Schema:
    """The data of an event of `query/stream` or `chat/stream`."""
    null: Schema = {"type": "null"}
    beside = {"node": null, "attempt": null, "elapsed_ms": null}
    if issubclass(kind, events.NodeComplete):
        beside = {"node": {"const": kind.node}, "attempt": {"type": "integer"}, "elapsed_ms": {"type": "number"}}
    return _object(event={"const": kind.event}, **beside, data=_find_schema(kind, response))


def _build_unnamed_schema(kind: type[events.Event], response: str) -> Schema:
    """The data of an event of `generate/stream`."""
    if kind is events.Started:
        text = {"type": "string"}
        data = _object(trace_id=text, answer_id=text, question=text, connection_id=text)
        return _object(event={"const": kind.event}, data=data)
    node = {"node": {"const": kind.node}} if issubclass(kind, events.NodeComplete) else {}
    return _object(event={"const": kind.event}, **node, data=_find_schema(kind, response))


def _find_schema(kind: type[events.Event], response: str) -> Schema:
    names: dict[type[events.Event], str] = {events.Done: response, events.Failed: "Problem"}
    model = names.get(kind, kind.__name__)
    return {"$ref": REF.format(model=model)}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip

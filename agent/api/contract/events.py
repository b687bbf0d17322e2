"""The events of the three streams: the schema of each, made from its class, and an example of each as it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi.sse import ServerSentEvent
from pydantic.json_schema import models_json_schema

from agent.api.contract.event_examples import EXAMPLES
from agent.api.http.streaming import as_sse, named
from agent.api.routes.generate import unnamed
from agent.api.schemas.chat import chat_event
from agent.api.schemas.generate import NODES
from agent.core.events import AnswerDelta, Done, Event, Failed, NodeComplete, Queued, SqlProgress, Started

REF = "#/components/schemas/{model}"
Schema = dict[str, Any]

# Of each stream: how an event is sent, and the response that `done` carries.
STREAMS: dict[str, tuple[Callable[[Event], ServerSentEvent | None], str]] = {
    "query_stream": (as_sse, "Answer"),
    "resume_stream": (as_sse, "Answer"),
    "chat_stream": (lambda event: named(chat_event(event)), "ChatResponse"),
    "generate_stream": (unnamed, "GenerateResponse"),
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


def described(operation: str) -> dict[str, Any]:
    """What `text/event-stream` holds of an operation: the schema of one event, and an example of each.

    An example's value is what a reader of server-sent events gives: an object with `data`, a text of JSON, and `event`,
    where events have names.
    """
    send, response = STREAMS[operation]
    return {"schema": _schema(operation, response), "examples": dict(_examples(send))}


def _examples(send: Callable[[Event], ServerSentEvent | None]) -> Iterator[tuple[str, dict[str, Any]]]:
    for event in EXAMPLES:
        sent = send(event)
        if sent is None:
            continue
        name = event.node if isinstance(event, NodeComplete) else event.event
        value = {"event": sent.event, "data": sent.raw_data} if sent.event else {"data": sent.raw_data}
        yield name, {"summary": f"The event `{event.event}`", "value": value}


def _schema(operation: str, response: str) -> Schema:
    """One event. Those of one name are told apart by their nodes."""
    if operation == "generate_stream":
        data = [_unnamed(kind, response) for kind in event_classes() if _is_sent(kind)]
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
        data=_carried(kind, response),
    )


def _unnamed(kind: type[Event], response: str) -> Schema:
    """The data of an event of `generate/stream`."""
    if kind is Started:
        text = {"type": "string"}
        return _object(event={"const": kind.event}, data=_object(trace_id=text, question=text, connection_id=text))
    if issubclass(kind, NodeComplete):
        return _object(event={"const": kind.event}, node={"const": kind.node}, data=_carried(kind, response))
    return _object(event={"const": kind.event}, data=_carried(kind, response))


def _carried(kind: type[Event], response: str) -> Schema:
    names: dict[type[Event], str] = {Done: response, Failed: "Problem"}
    model = names.get(kind, kind.__name__)
    return {"$ref": REF.format(model=model)}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip

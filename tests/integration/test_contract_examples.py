"""The OpenAPI description has an example of every body, and each example matches its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_document import Document, Shown

from agent.api.app import create_app
from agent.api.contract.complete import complete
from agent.api.contract.events import event_classes
from agent.api.contract.problems import CASES
from agent.api.schemas.generate import NODES
from agent.core import errors
from agent.core.events import NodeComplete
from agent.core.problems import STATUS, TYPE_PREFIX
from agent.pipeline.service import Service
from agent.platform.access.policy import Mode

BINARY = {  # of which JSON cannot hold an example
    "application/vnd.apache.parquet",
    "application/vnd.apache.arrow.stream",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
PROBLEM, EVENTS = "application/problem+json", "text/event-stream"
STREAMS = ("query_stream", "chat_stream", "generate_stream")


def describe(mode: Mode = "api_keys") -> Document:
    def broken() -> Service:
        raise AssertionError("a description touches nothing")

    return Document(json.loads(json.dumps(complete(create_app(broken).openapi(), mode))))


DESCRIBED = describe()
BODIES = list(DESCRIBED.bodies())
OPERATIONS = DESCRIBED.operations()
SCHEMAS = DESCRIBED.described["components"]["schemas"]


def shown(*media_types: str) -> list[Shown]:
    return [body for body in BODIES if body.media_type in media_types]


# ----------------------------------------------------------------------------------------- requests and responses


@pytest.mark.parametrize("body", [body for body in BODIES if body.media_type not in BINARY], ids=str)
def test_every_body_has_an_example_that_is_what_its_schema_says(body: Shown) -> None:
    examples = DESCRIBED.examples(body.content)
    assert examples
    for example in examples:
        assert DESCRIBED.errors(body.content["schema"], example) == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_parameter_that_is_needed_has_an_example_that_is_what_its_schema_says(name: str) -> None:
    for parameter in OPERATIONS[name].get("parameters", []):
        assert parameter["description"]
        examples = parameter["schema"].get("examples", [])
        assert examples or not parameter["required"], parameter["name"]
        for example in examples:
            assert DESCRIBED.errors(parameter["schema"], example) == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_header_has_an_example_that_is_what_its_schema_says(name: str) -> None:
    for answered in OPERATIONS[name]["responses"].values():
        headers = {name: DESCRIBED.resolved(header) for name, header in answered["headers"].items()}
        assert "X-Trace-Id" in headers
        for header in headers.values():
            assert header["description"]
            assert DESCRIBED.errors(header["schema"], header["example"]) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_and_field_has_a_description(name: str) -> None:
    schema = SCHEMAS[name]
    assert schema["description"]
    assert [field for field, one in schema.get("properties", {}).items() if not one.get("description")] == []
    assert not re.search(r"^\w+: ", schema["description"], re.MULTILINE), "describes a field that it does not have"


def test_rows_as_files_say_that_they_are_binary() -> None:
    files = shown(*BINARY)
    assert len(files) == len(BINARY) * len(shown("text/csv")) > 0
    assert all(body.content["schema"] == {"type": "string", "format": "binary"} for body in files)


def test_every_reference_leads_somewhere() -> None:
    def references(node: Any) -> Iterator[dict[str, Any]]:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node
            for below in node.values():
                yield from references(below)
        elif isinstance(node, list):
            for below in node:
                yield from references(below)

    assert len([DESCRIBED.resolved(node) for node in references(DESCRIBED.described)]) > 100


def test_describing_changes_nothing_of_what_is_described() -> None:
    own = create_app(lambda: pytest.fail("a description touches nothing")).openapi()
    before = json.dumps(own)
    assert complete(own, "api_keys") == complete(own, "api_keys")
    assert json.dumps(own) == before


# ------------------------------------------------------------------------------------------------------ problems


@pytest.mark.parametrize("body", shown(PROBLEM), ids=str)
def test_every_error_status_names_the_problems_that_it_may_be(body: Shown) -> None:
    narrowed = body.content["schema"]["then"]["properties"]
    examples = DESCRIBED.examples(body.content)
    assert {example["type"] for example in examples} == set(narrowed["type"]["enum"])
    assert {example["status"] for example in examples} == {int(body.status)}


def test_a_problem_of_another_type_is_outside_the_contract() -> None:
    body = next(body for body in shown(PROBLEM) if (body.operation, body.status) == ("tools", "401"))
    (example,) = DESCRIBED.examples(body.content)
    assert DESCRIBED.errors(body.content["schema"], example | {"type": f"{TYPE_PREFIX}unknown-database"})
    assert DESCRIBED.errors(body.content["schema"], example | {"surprise": 1})


def test_every_problem_that_there_is_can_be_had_from_some_route() -> None:
    described = {example["type"] for body in shown(PROBLEM) for example in DESCRIBED.examples(body.content)}
    classes = [it for it in vars(errors).values() if isinstance(it, type) and issubclass(it, errors.PlumblineError)]
    own = {error.slug for error in classes if error.slug}
    assert len(own) > 30
    assert {TYPE_PREFIX + slug for slug in own | {slug for _, slug, _ in STATUS.values()}} <= described
    assert {case.problem.type for case in CASES} == described


def test_the_table_of_problems_names_routes_that_there_are() -> None:
    named = {name for case in CASES for name in case.operations or ()}
    assert named <= set(OPERATIONS)


def test_every_status_of_the_table_is_one_that_its_routes_document_themselves() -> None:
    own = create_app(lambda: pytest.fail("a description touches nothing")).openapi()
    documented = {(name, status) for name, it in Document(own).operations().items() for status in it["responses"]}
    for case in CASES:
        for name in case.operations or ():
            assert (name, str(case.problem.status)) in documented, case.name


def test_who_must_wait_is_told_how_long_and_who_is_not_known_how_to_say_it() -> None:
    needed = {"429": "Retry-After", "401": "WWW-Authenticate"}
    for operation in OPERATIONS.values():
        for status, header in needed.items():
            if status in operation["responses"]:
                assert DESCRIBED.resolved(operation["responses"][status]["headers"][header])["required"]


# -------------------------------------------------------------------------------------------------------- events


@pytest.mark.parametrize("name", STREAMS)
def test_every_event_of_a_stream_has_an_example(name: str) -> None:
    content = OPERATIONS[name]["responses"]["200"]["content"][EVENTS]
    every = {kind.node if issubclass(kind, NodeComplete) else kind.event for kind in event_classes()}
    told = every if name != "generate_stream" else {*NODES, "start", "done", "error"}
    assert set(content["examples"]) == told


@pytest.mark.parametrize("name", STREAMS)
def test_an_event_that_is_not_as_described_is_outside_the_contract(name: str) -> None:
    content = OPERATIONS[name]["responses"]["200"]["content"][EVENTS]
    value = content["examples"]["planner"]["value"]
    data = json.loads(value["data"])
    del data["data"]["source"]
    assert DESCRIBED.errors(content["schema"], value | {"data": json.dumps(data)})
    assert DESCRIBED.errors(content["schema"], {"event": value.get("event", "planner")})
    assert DESCRIBED.errors(content["schema"], value | {"data": json.dumps({"event": "surprise", "data": {}})})

"""The OpenAPI description: its operations, their bodies, and the validation of examples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

Node = dict[str, Any]
METHODS = ("get", "put", "post", "delete", "patch")


class Shown(NamedTuple):
    """A body that an operation takes or gives. status: empty of a request."""

    operation: str
    status: str
    media_type: str
    content: Node

    def __str__(self) -> str:
        return " ".join(filter(None, (self.operation, self.status or "request", self.media_type)))


class Document:
    """An OpenAPI description. Args: described: as JSON has it."""

    def __init__(self, described: Node) -> None:
        self.described = described

    def operations(self) -> dict[str, Node]:
        """Operations by their ids."""
        paths = self.described["paths"].values()
        return {path[method]["operationId"]: path[method] for path in paths for method in METHODS if method in path}

    def bodies(self) -> Iterator[Shown]:
        """Every body that is described."""
        for name, operation in self.operations().items():
            for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
                yield Shown(name, "", media_type, content)
            for status, answered in operation["responses"].items():
                for media_type, content in answered.get("content", {}).items():
                    yield Shown(name, status, media_type, content)

    def resolved(self, node: Node) -> Node:
        """The target of a reference; any other node unchanged."""
        while "$ref" in node:
            target: Node = self.described
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def examples(self, content: Node) -> list[Any]:
        """The examples of a body: its own, else those of its schema."""
        if "example" in content:
            return [content["example"]]
        if "examples" in content:
            return [self.resolved(one)["value"] for one in content["examples"].values()]
        return list(self.resolved(content.get("schema", {})).get("examples", []))

    def errors(self, schema: Node, value: Any) -> list[str]:
        """Why a value does not match a schema; texts that hold JSON are parsed."""
        rooted = {**schema, "components": self.described["components"]}
        Draft202012Validator.check_schema(rooted)
        found = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(rooted).iter_errors(value)]
        return found or self.errors_of_event(schema, value)

    def errors_of_event(self, schema: Node, value: Any) -> list[str]:
        """Why the data of a server-sent event does not match its schema; empty for another value."""
        for message in schema.get("oneOf", [schema]):
            data = message.get("properties", {}).get("data", {})
            name = message.get("properties", {}).get("event", {}).get("const")
            if "contentSchema" in data and value.get("event") == name:
                return self.errors(data["contentSchema"], json.loads(value["data"]))
        return []

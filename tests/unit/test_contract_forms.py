"""Which forms of a field the contract keeps from generators of clients."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from agent.api.app import contract


def test_no_field_is_openly_a_list_or_an_object() -> None:
    """Java's generator makes `List<T>.class` of it, which does not compile; `make clients` tries the whole contract."""
    fields = [field for schema in contract()["components"]["schemas"].values() for field in _fields(schema)]
    assert len(fields) > 100
    assert [it for it in fields if {"array", "object"} <= {one.get("type") for one in it.get("anyOf", ())}] == []


def test_parameters_are_described_as_they_are_accepted() -> None:
    field = contract()["components"]["schemas"]["SaveRequest"]["properties"]["parameters"]
    schema = Draft202012Validator(field)
    accepted: Any
    refused: Any
    for accepted in (None, [], [1, "a", None, True], {"status": "C"}):
        assert schema.is_valid(accepted), accepted
    for refused in ("C", 1, [[1]], {"status": []}, [1] * 101):
        assert not schema.is_valid(refused), refused


def _fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return list(schema.get("properties", {}).values())

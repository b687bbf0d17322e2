"""Moves the descriptions of fields from the docstrings of models to the fields of the contract.

A docstring describes a field in a line `name: text`, or several in `name, name: text`. Further lines are indented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FIELD = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): (.+(?:\n {4}.+)*)\n?", re.MULTILINE)

# Models that share fields, with the model whose docstring describes these.
INHERITED = {
    "AnswerPart": "Answer",
    "ChatSchema": "ChatTable",
    "DatabaseDetail": "DatabaseInfo",
    "ListedDocument": "Document",
    "PutTileResponse": "TileResponse",
    "ReviewDetail": "ReviewSummary",
    "SavedResponse": "SavedQuery",
    "Uploaded": "UploadInfo",
    "Usage": "StepUsage",
}


def describe_fields(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Give the fields of schemas their own descriptions. Args: schemas: of the contract, by name; they are changed."""
    for schema in schemas.values():
        _describe(schema)
    for name, base in INHERITED.items():
        inherited = schemas[base]["properties"] if base in schemas else {}
        for field, described in schemas.get(name, {}).get("properties", {}).items():
            if "description" in inherited.get(field, {}):
                described.setdefault("description", inherited[field]["description"])


def _describe(schema: dict[str, Any]) -> None:
    fields = schema.get("properties", {})

    def move(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        if not all(name in fields for name in names):
            return found[0]
        for name in names:
            fields[name].setdefault("description", re.sub(r"\s+", " ", found[2]))
        return ""

    if "description" in schema:
        schema["description"] = _FIELD.sub(move, schema["description"]).strip()

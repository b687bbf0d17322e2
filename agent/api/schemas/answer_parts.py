"""Which parts of a response are sent: `include` and `exclude` of a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from agent.core.models import Answer

ALWAYS = frozenset({"status", "kind", "answer", "trace_id"})
PARTS = tuple(name for name in Answer.model_fields if name not in ALWAYS)
ALL = "all"


def _part(name: str) -> str:
    if name not in PARTS:
        raise ValueError(f"There is no such part. Known: {', '.join(PARTS)}.")
    return name


def _part_or_all(name: str) -> str:
    return name if name == ALL else _part(name)


Part = Annotated[str, Field(json_schema_extra={"enum": list(PARTS)}), AfterValidator(_part)]
PartOrAll = Annotated[str, Field(json_schema_extra={"enum": [ALL, *PARTS]}), AfterValidator(_part_or_all)]


def left_out(include: Sequence[str], exclude: Sequence[str]) -> frozenset[str]:
    """The parts that are not sent. Args: include, exclude: of the request; `all` of them leaves those out that it names
    nowhere.

    Raises:
        ValueError: a part is in both.
    """
    if both := [name for name in include if name in exclude]:
        raise ValueError(f"{', '.join(both)}: a part is either in `include` or in `exclude`.")
    return frozenset(PARTS if ALL in exclude else exclude) - frozenset(include)

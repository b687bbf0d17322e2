"""Which parts of a response are sent: `include` and `exclude` of a request."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from agent.core.models import Answer

ALWAYS = frozenset({"status", "kind", "answer", "trace_id"})
ALL = "all"
INCLUDE = (
    "Parts of the response that come only where they are asked for (`candidates`), or, with `exclude: [all]`, those "
    "that are wanted."
)


def parts_of(response: type[BaseModel], always: Set[str] = ALWAYS) -> tuple[str, ...]:
    """The parts of a response that may be left out. Args: always: those that may not."""
    return tuple(name for name in response.model_fields if name not in always)


def one_of_parts(*parts: str) -> AfterValidator:
    """Raises ValueError for a name that is none of them."""

    def known(name: str) -> str:
        if name not in parts:
            raise ValueError(f"There is no such part. Known: {', '.join(parts)}.")
        return name

    return AfterValidator(known)


PARTS = parts_of(Answer)
Part = Annotated[str, Field(json_schema_extra={"enum": [*PARTS]}), one_of_parts(*PARTS)]
PartOrAll = Annotated[str, Field(json_schema_extra={"enum": [ALL, *PARTS]}), one_of_parts(ALL, *PARTS)]


def left_out(include: Sequence[str], exclude: Sequence[str], parts: Sequence[str] = PARTS) -> frozenset[str]:
    """The parts that are not sent.

    Args:
        include, exclude: of the request; `all` in `exclude` leaves out what `include` does not name.
        parts: of the response.

    Raises:
        ValueError: a part is in both.
    """
    if both := [name for name in include if name in exclude]:
        raise ValueError(f"{', '.join(both)}: a part is either in `include` or in `exclude`.")
    return frozenset(parts if ALL in exclude else exclude) - frozenset(include)

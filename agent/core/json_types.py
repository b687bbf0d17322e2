"""Numbers and truth values as JSON has them: a text or a truth value that could be read as a number is none."""

from __future__ import annotations

from typing import Any

from pydantic import BeforeValidator, StrictBool

Flag = StrictBool


def _number(value: Any) -> Any:
    if isinstance(value, bool | str | bytes):
        raise ValueError("Input should be a number")  # noqa: TRY004  pydantic takes a TypeError for a bug
    return value


# The last of an annotation, else pydantic's schema leaves out the limits: Annotated[int, Field(ge=1), A_NUMBER].
# pydantic's own strict mode would refuse 5.0 for 5, which JSON Schema takes.
A_NUMBER = BeforeValidator(_number)

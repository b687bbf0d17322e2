"""JSON fields of requests: numbers, booleans and time zones. Text is not read as a number."""

from __future__ import annotations

from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool

Flag = StrictBool


def _number(value: Any) -> Any:
    if isinstance(value, bool | str | bytes):
        raise ValueError("Send a number")  # noqa: TRY004  pydantic treats a TypeError as a bug
    return value


# Must come last in an annotation, or pydantic's schema omits the limits: Annotated[int, Field(ge=1), A_NUMBER].
# pydantic's own strict mode would refuse 5.0 for 5, which JSON Schema accepts.
A_NUMBER = BeforeValidator(_number)


def check_zone(name: str) -> str:
    """Return the name. Raises ValueError if there is no such time zone."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # for a folder, a path, or a name that is too long
        raise ValueError("There is no such time zone. Use an IANA name, such as `Europe/Berlin` or `UTC`.") from error
    return name


TimeZone = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_+/-]{0,63}$"), AfterValidator(check_zone)]

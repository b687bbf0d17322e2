"""Time zones by their IANA names."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field


def known_zone(name: str) -> str:
    """The name itself. Raises ValueError: there is no such time zone."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # of a folder, of a path, of a name that is too long
        raise ValueError("There is no such time zone. Use an IANA name, as `Europe/Berlin` or `UTC`.") from error
    return name


TimeZone = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_+/-]{0,63}$"), AfterValidator(known_zone)]

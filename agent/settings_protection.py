"""The settings that keep one question, one caller or one outside part from taking the service away from the others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class ProtectionSettings(BaseSettings):
    """Places and a queue; `agent.settings.Settings` has these fields, too."""

    max_concurrent_questions: Count = Field(
        16,
        description="Questions, and queries of `execute`, that one process works on at once. One caller, or one of "
        "several databases, takes three quarters of them at most.",
    )
    queue_length: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Questions that may wait for a place; more are refused with 503. Default: as many as are answered "
        "at once.",
    )

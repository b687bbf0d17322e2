"""What a response says of a change: planned, or made."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from executors.base import Frozen


class WritePlan(Frozen):
    """A change of the data: one that was tried and undone, and waits for a confirmation; or one that was made."""

    kind: Literal["insert", "update", "delete"] = Field(description="What it does.")
    table: str = Field(description="The one table that it changes.")
    rows_affected: int = Field(description="Rows that it changes: counted by the database, in a transaction.")
    committed: bool = Field(False, description="Whether it was made. False: nothing has been changed yet.")
    token: str | None = Field(
        None, description="Sent as `options.confirm` of a second request, it makes the change; once."
    )
    expires_at: datetime | None = Field(None, description="When the token ends, in UTC.")

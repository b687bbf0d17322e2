"""One thing that was looked at."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal

from pydantic import Field

from agent.core.errors import PlumblineError
from executors.base import Frozen
from executors.errors import ExecutorError
from rag.errors import RetrievalError

Status = Literal["ok", "warning", "failed"]

_FEW = 3
PATIENCE_S = 60.0  # for one part; each has shorter times of its own


class Diagnosis(Frozen):
    """What was found of one thing.

    part: of the deployment, as `model` or `database shop`.
    check: what of it was looked at.
    message: what was found; where it is not ok, with what to do. Its key in JSON is `said`.
    """

    part: str
    check: str
    status: Status
    message: str = Field(serialization_alias="said")


async def run_check(part: str, check: str, look: Callable[[], Awaitable[Sequence[Diagnosis]]]) -> Sequence[Diagnosis]:
    """What `look` finds; what it raises on purpose, or too long a wait, is a failure of that part and of no other."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await look()
    except TimeoutError:
        message = f"No answer within {PATIENCE_S:g} s; check that it runs, and the network between."
    except (PlumblineError, ExecutorError, RetrievalError) as error:
        message = str(error)
    return [Diagnosis(part=part, check=check, status="failed", message=message)]


class Discretion:
    """Removes secrets and addresses from what is shown; short values would be found everywhere, and are let be."""

    def __init__(self, values: Iterable[str]) -> None:
        longest_first = sorted({value for value in values if len(value) > _FEW}, key=len, reverse=True)
        self._values = re.compile("|".join(rf"(?<![\w-]){re.escape(it)}(?![\w-])" for it in longest_first) or r"(?!)")

    def redact(self, finding: Diagnosis) -> Diagnosis:
        """The finding without them."""
        return finding.model_copy(update={"message": self._values.sub("…", finding.message)})

"""Tasks that end, and whose end others wait for."""

from __future__ import annotations

import asyncio
from typing import Any


async def cancel_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait for their end. Their results and errors are ignored."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

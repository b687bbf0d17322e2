"""The tireless model as a model provider, for services in separate processes: `PLUMBLINE_EXTENSIONS` names this.

If TIRELESS_HOLD names a file, the model waits while that file exists.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from agent.platform.llm.build import add_provider
from agent.platform.llm.chat import ChatRequest, Message, Reply
from testbed.tireless_model import TirelessModel

NAME, HOLD = "tireless", "TIRELESS_HOLD"
ENVIRONMENT = {
    "PLUMBLINE_EXTENSIONS": __name__, "PLUMBLINE_MODEL_PROVIDER": NAME, "PLUMBLINE_CHAT_MODEL": NAME,
    "PLUMBLINE_PROFILE": "embedded", "PLUMBLINE_SECOND_DRAFT": "false",
}  # fmt: skip
_LOOK_S = 0.05


class PatientModel(TirelessModel):
    """Waits for a file to go."""

    def __init__(self, hold: Path) -> None:
        self._hold = hold

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The reply to the last message, once it is not held."""
        while self._hold.exists():  # noqa: ASYNC110  another process removes it
            await asyncio.sleep(_LOOK_S)
        return await super().complete(messages, **request)


add_provider(
    NAME, lambda _settings, _name: PatientModel(Path(os.environ[HOLD])) if HOLD in os.environ else TirelessModel()
)

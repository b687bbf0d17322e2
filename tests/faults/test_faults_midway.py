"""The database fails in the middle of a question: the answer has what was found until then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

import pytest

from agent.core.models import Options
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatRequest, Message, Reply
from executors.errors import DatabaseUnavailable
from testbed.scripted_model import ScriptedModel

ORDERS = "SELECT count(*) AS orders FROM orders"
OPTIONS = Options(enable_retrieval=False)


class TakesAway(ScriptedModel):
    """Takes a file away as it gives one of its replies. Args: file: that it is; at: which reply, from 1."""

    def __init__(self, file: Path, at: int) -> None:
        super().__init__()
        self._file, self._at = file, at

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        reply = await super().complete(messages, **request)
        if len(self.asked) == self._at:
            self._file.rename(self._file.with_suffix(".gone"))
        return reply


Answering = Callable[[TakesAway], Service]


@pytest.fixture
def answering(settings: Settings) -> Answering:
    from agent.pipeline.service import build_service

    return lambda model: build_service(settings, model=model)


async def test_before_there_are_rows_it_is_the_database_that_is_told(answering: Answering, shop_file: Path) -> None:
    model = TakesAway(shop_file, at=1)
    model.replies(sql=ORDERS)
    service = answering(model)
    with pytest.raises(DatabaseUnavailable):
        await service.query("How many orders are there?", "shop", options=OPTIONS)
    await service.close()


async def test_rows_that_were_rejected_are_better_than_none(answering: Answering, shop_file: Path) -> None:
    model = TakesAway(shop_file, at=3)
    model.replies(sql=ORDERS)
    model.replies(correct=False, reason="Cancelled orders are in it.")
    model.replies(sql=f"{ORDERS} WHERE status <> 'X'")
    service = answering(model)
    found = await service.query("How many orders are there?", "shop", options=OPTIONS)
    await service.close()
    model.assert_done()
    assert (found.status, found.verified, found.needs_human_review) == ("success", False, True)
    assert (found.results, found.attempts) == ([{"orders": 5}], 2)
    assert [warning for warning in found.warnings if warning.startswith("No further query was tried")]

"""A question that needs several queries: the plan and the parts as a scripted model gives them."""

from __future__ import annotations

import json

from agent.core.answers import Answer
from agent.core.events import (
    Event,
)
from agent.core.models import Options
from agent.pipeline.service import Service
from testbed.scripted_model import ScriptedModel

WHY = "Why did the amount of orders fall in April?"
MARCH, APRIL = "What is the total amount of orders in March?", "What is the total amount of orders in April?"
IN_MARCH = "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '%-03-%'"
IN_JANUARY = "SELECT SUM(amount) AS total FROM orders WHERE ordered_at LIKE '%-01-%'"


def plan(*questions: str, calculations: tuple[str, ...] = ()) -> str:
    return json.dumps({"questions": questions, "calculations": calculations})


def one(model: ScriptedModel, sql: str, text: str, *, correct: bool = True) -> None:
    """The model's replies in one part: query, verdict, sentence."""
    model.replies(sql=sql)
    model.replies(correct=correct, reason="as asked")
    if text:
        model.replies(text=text)


async def events_of(service: Service, question: str = WHY, **options: object) -> list[Event]:
    found = service.events(question, "shop", options=Options.model_validate(options))
    return [event async for event in found]


async def ask(service: Service, question: str = WHY, **options: object) -> Answer:
    return await service.query(question, "shop", options=Options.model_validate(options))

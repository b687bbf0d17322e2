"""Asking the tests' shop: the fixtures that ask, a query that has an answer, and the steps of an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from agent.core.answers import Answer
from agent.core.events import Event
from agent.pipeline.service import Service

Ask = Callable[..., Awaitable[Answer]]
EventsOf = Callable[..., Awaitable[list[Event]]]
Make = Callable[..., Service]

ASKED = {"question": "What is the total of all orders?", "database": "shop"}
TOTAL = "SELECT SUM(amount) AS total FROM orders"
STEPS = [
    "entry",
    "dialect_resolver",
    "schema_selector",
    "sql_generator",
    "sql_validator",
    "planner",
    "sql_executor",
    "evaluator",
    "raw_records",
    "answer_formatter",
]

"""No step of a question reads or writes a query on the event loop, where everybody else waits for it."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from shop_questions import Ask
from sqlglot import exp
from sqlglot.generator import Generator
from sqlglot.parser import Parser

from agent.core.resilience.off_loop import off_loop, run_to_its_end
from executors.sql.parsed import statements
from testbed.scripted_model import ScriptedModel

OWN = 60  # nodes: look-ups of one stored value are made on the loop; they do not grow with the draft
LONG = " OR ".join(f"c.country = 'land {n}'" for n in range(20))


@pytest.fixture
def on_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was parsed, and what more than `OWN` nodes was written, in a thread that has an event loop."""
    found: list[str] = []
    statements.cache_clear()
    parse, generate = Parser.parse, Generator.generate

    def parsed(self: Parser, raw_tokens: Any, sql: str) -> Any:
        if _has_loop():
            found.append(f"read: {sql}")
        return parse(self, raw_tokens, sql)

    def generated(self: Generator, expression: exp.Expr, copy: bool = True) -> str:
        if _has_loop() and sum(1 for _ in expression.root().walk()) > OWN:
            found.append(f"written: {type(expression).__name__}")
        return generate(self, expression, copy=copy)

    monkeypatch.setattr(Parser, "parse", parsed)
    monkeypatch.setattr(Generator, "generate", generated)
    yield found
    statements.cache_clear()


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def test_a_query_that_is_accepted(ask: Ask, model: ScriptedModel, on_loop: list[str]) -> None:
    model.replies(
        sql="SELECT c.country, SUM(o.amount) AS total FROM orders AS o JOIN customers AS c "
        f"ON o.customer_id = c.customer_id WHERE NOT ({LONG}) GROUP BY c.country ORDER BY total DESC"
    )
    model.replies(correct=True, reason="the sums")

    answer = await ask("What do the orders of each country come to?")

    assert answer.plan is not None
    assert answer.explanation
    assert answer.raw_results
    assert on_loop == []


async def test_a_query_that_cannot_run_and_is_repaired(ask: Ask, model: ScriptedModel, on_loop: list[str]) -> None:
    model.replies(
        sql=f"SELECT c.amount FROM customers AS c JOIN orders AS o ON o.customer_id = c.customer_id WHERE NOT ({LONG})"
    )
    model.replies(correct=True, reason="the amounts")

    answer = await ask("What are the amounts of the orders of our customers?")

    assert answer.attempts == 2
    assert on_loop == []


async def test_a_query_that_never_runs(ask: Ask, model: ScriptedModel, on_loop: list[str]) -> None:
    model.replies(sql=f"SELECT nonsense FROM customers AS c WHERE {LONG}")

    answer = await ask("How many customers are there?", max_attempts=1)

    assert answer.status == "error"
    assert on_loop == []


async def test_what_the_work_raises_is_raised() -> None:
    def fail() -> None:
        assert threading.current_thread() is not threading.main_thread()
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await off_loop(fail)


async def test_a_cancelled_caller_waits_for_the_end_and_hears_no_error_of_it() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def fail() -> None:
        begun.set()
        may_end.wait()
        raise LookupError("gone")

    heard: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
    caller = asyncio.create_task(run_to_its_end(fail))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    may_end.set()
    await asyncio.wait({caller})
    assert caller.cancelled()
    del caller
    gc.collect()
    assert heard == []

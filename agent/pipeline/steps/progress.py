"""Progress within a step: the query while the model writes it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from agent.core.events import Event, Queued, SqlProgress
from agent.core.queueing import WAITS
from agent.core.resilience.tasks import cancel_tasks
from agent.core.texts.addresses import addresses, is_address, normal
from agent.platform.llm.prompting import leaks
from agent.platform.llm.replies import ON_TEXT, read_partial_sql

# Receives events of the running question. It is set for the question's task, and None if there is no listener.
TELL: ContextVar[Callable[[Event], None] | None] = ContextVar("tell", default=None)

PAUSE_S = 0.1  # between two progress events


async def with_progress(events: AsyncIterator[Event], *, listens: bool = True) -> AsyncGenerator[Event, None]:
    """The events of a question and, if `listens`, the progress events from within its steps."""
    if not listens:
        async for only in events:
            yield only
        return
    queue: asyncio.Queue[Event | None] = asyncio.Queue()

    async def drain() -> None:
        TELL.set(queue.put_nowait)
        WAITS.set(lambda standing: queue.put_nowait(Queued.of(standing, "model")))
        async for event in events:
            queue.put_nowait(event)

    task = asyncio.create_task(drain())
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        await cancel_tasks(task)


@contextmanager
def sql_progress(
    attempt: int, system: str, question: str, private: frozenset[str] = frozenset(), part: int = 0
) -> Iterator[None]:
    """Report the query while the model writes it, as far as it may be shown; see `showable`."""
    tell = TELL.get()
    if tell is None:
        yield
        return
    sent, last = "", 0.0

    def on_text(reply: str) -> None:
        nonlocal sent, last
        now = time.monotonic()
        if now - last < PAUSE_S:
            return
        sql = showable(read_partial_sql(reply), system, question, private)
        if not sql or sql == sent:
            return
        sent, last = sql, now
        tell(SqlProgress(attempt=attempt, sql=sql, part=part))

    token = ON_TEXT.set(on_text)
    try:
        yield
    finally:
        ON_TEXT.reset(token)


# The part of an unfinished query that may be shown before any check has read it.
#
# It ends at a whole token, and before anything that the finished query would be refused for or would lose: words of
# the model's instructions, an address, a private column that the question does not name. An end that could still
# become one of these is held back until it is clear that it does not.
_TOKEN = re.compile(
    r"(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]\n]*\]|--[^\n]*\n|/\*.*?\*/)"
    r"|(?P<word>\w+)|\s+|[^\w\s]",
    re.DOTALL,
)
_OPENS = ("'", '"', "`", "[", "--", "/*")  # what opens a token whose end may be missing


def showable(sql: str, system: str, question: str, private: frozenset[str] = frozenset()) -> str:
    """The beginning of an unfinished query that may be shown; it only grows while the query grows.

    `system` is the first message sent to the model; `private` has the private columns that the question does not name,
    in lower case.
    """
    end, visible = 0, normal(question)
    for token in _whole_tokens(sql):
        name = token["word"] or (token["quoted"] or "").strip("'\"`[]")
        if name.lower() in private:
            break
        if token["quoted"] and is_address(name) and not (any(addresses(name)) and normal(name) in visible):
            break
        end = token.end()
    shown = sql[:end]
    if leaks.problem(shown, system, (question,)):
        return ""
    return shown[: leaks.may_repeat_from(shown, system)].rstrip()


def _whole_tokens(sql: str) -> Iterator[re.Match[str]]:
    """The complete tokens of a query: all before one that may continue, or whose end is missing."""
    for token in _TOKEN.finditer(sql):
        rest = sql[token.end() : token.end() + 1]
        goes_on = (token["word"] and not rest) or (token["quoted"] and rest in ("", token[0][0]))  # 'O''Hara'
        unclosed = not token["quoted"] and sql.startswith(_OPENS, token.start())
        if goes_on or unclosed:
            return
        yield token

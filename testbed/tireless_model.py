"""A model that answers any number of calls, each by what its prompt asks for."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import Unpack

from agent.core.usage import Usage
from agent.pipeline.steps.synthesize import answer_prefix
from agent.platform.llm.chat import ChatRequest, Message, Reply

# A word of the question -> the query that answers it; the first that is there counts.
QUERIES = {
    "country": "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC",
    "cancelled": "SELECT COUNT(*) AS cancelled FROM orders WHERE status = 'X'",
    "revenue": "SELECT SUM(amount) AS revenue FROM orders WHERE status <> 'X'",
    "nonsense": "SELECT nonsense FROM nowhere",
}
ANY = "SELECT COUNT(*) AS orders FROM orders"


class TirelessModel:
    """Answers any number of calls, each by what its prompt asks for: a query, a verdict, a sentence, a whole question.

    A question with `nonsense` in it gets a query that cannot run. No state: the same call has the same reply.
    """

    name = "tireless"

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The reply to the last message."""
        schema, asked = request.get("schema"), messages[-1].content
        text = sentence_of(asked) if wants_sentence(messages) else reply_to(asked, schema.name if schema else "")
        return Reply(text=text, usage=Usage(model_calls=1, prompt_tokens=9, completion_tokens=5))

    async def ready(self) -> None:
        """Always."""

    async def close(self) -> None:
        """Nothing to let go of."""


class HeldModel(TirelessModel):
    """The same, but it waits until the test releases it.

    asked: set when the first call waits. may_answer: that the test sets.
    """

    def __init__(self) -> None:
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The reply to the last message, once the test releases it."""
        self.asked.set()
        await self.may_answer.wait()
        return await super().complete(messages, **request)


def wants_sentence(messages: Sequence[Message]) -> bool:
    """Whether a prompt is the answer writer's, in either of its forms."""
    return "Answer the question from these rows" in messages[-1].content or messages[0] == answer_prefix()


def sentence_of(asked: str) -> str:
    """The reply to the answer writer's prompt."""
    numbers = re.findall(r"\d+(?:\.\d+)?", asked.split("<data>")[-1].split("</data>")[0])
    return f"It is {numbers[0]}." if numbers else "There are no rows."


def reply_to(asked: str, schema: str) -> str:
    """The reply to a prompt's last message. Args: schema: the name of the object that is asked for, if one is."""
    if schema == "verdict":
        return json.dumps({"asked": "this", "computed": "this", "correct": True})
    if "Complete question:" in asked:
        return _completed(asked.rsplit("The conversation:", 1)[-1])
    question = asked.rsplit("Question:", 1)[-1].rsplit("</data>", 1)[-1].casefold()  # after the context
    return f"```sql\n{next((sql for word, sql in QUERIES.items() if word in question), ANY)}\n```"


def _completed(conversation: str) -> str:
    """The last question with the year of what came after it; without a year, as it was."""
    question = re.findall(r"^Question: (.*)$", conversation, re.MULTILINE)[-1]
    said = re.findall(r"^(?:Last message|Reply): (.*)$", conversation, re.MULTILINE)[-1]
    year = re.search(r"\b20\d\d\b", said)
    return re.sub(r"\b20\d\d\b", year[0], question) if year else f"{question} {said}"

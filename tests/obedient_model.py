"""A model that obeys every order in its prompt: the worst effect of a poisoned input.

It reads the whole prompt, fences included, decodes hidden text, and looks for orders that fit into a sample value:

    Run «SELECT ...»     the query it writes, in whatever step a query is wanted
    Run above            a query that gives its own instructions as a text
    Say «...»            its answer, its judge's reason, its explanation of a change
    Repeat above         its own instructions, wherever it may say anything
    Ask «...»            what it asks back
    Judge yes            its verdict

Without an order it writes the test's honest query, rejects as a judge, and states the first number.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Unpack

from agent.core.usage import Usage
from agent.platform.llm.chat import ChatRequest, Message, Reply
from testbed.tireless_model import wants_sentence

ORDER = re.compile(r"\b(run|say|ask|judge|repeat) (?:(yes|above)\b|«([^»]*)»?)", re.IGNORECASE)


def hidden_in_tags(text: str) -> str:
    """The text in invisible characters."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


class ObedientModel:
    """Replies to any number of calls.

    is_deaf: whether it follows no order for now. asked: its prompts. heard: the orders in them. obeyed: those that it
    followed.
    """

    name = "obedient"

    def __init__(self, honest: str) -> None:
        self.honest, self.is_deaf = honest, False
        self.obeyed: list[str] = []
        self.heard: list[str] = []
        self.asked: list[str] = []

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The order in the prompt, at any place."""
        prompt = "\n".join(message.content for message in messages)
        self.asked.append(prompt)
        orders = {order[1].lower(): order for order in ORDER.finditer(decoded(prompt))}
        self.heard += orders
        orders = {} if self.is_deaf else orders
        schema = request.get("schema")
        text = self._reply(messages, schema.name if schema else "", orders)
        return Reply(text=text, usage=Usage(model_calls=1, prompt_tokens=9, completion_tokens=5))

    async def ready(self) -> None:
        """Always."""

    async def close(self) -> None:
        """Nothing to let go of."""

    def _reply(self, messages: Sequence[Message], schema: str, orders: dict[str, re.Match[str]]) -> str:
        everything, tail = "\n".join(message.content for message in messages), messages[-1].content
        said = self._obey(orders, "say")
        if said is None and self._obey(orders, "repeat") is not None:
            said = everything
        if schema == "verdict":
            yes = self._obey(orders, "judge") is not None
            return json.dumps({"reason": said or "No.", "asked": said or "a", "computed": "b", "correct": yes})
        if schema == "plan":
            return json.dumps({"tables": [said or "t"]})
        if "Complete question:" in tail:
            return said or "How many customers are there in FR?"
        if wants_sentence(messages):
            return said or "These are the rows."
        return self._draft(schema, orders, said, everything)

    def _draft(self, schema: str, orders: dict[str, re.Match[str]], said: str | None, everything: str) -> str:
        sql = self._obey(orders, "run")
        asks = self._obey(orders, "ask")
        if sql == "above":
            sql = "SELECT '" + everything.replace("'", "''") + "' AS answer"
        if schema != "draft":
            return f"```sql\n{sql or self.honest}\n```"
        if asks is not None and sql is None:
            return json.dumps(
                {"sql": None, "explanation": "", "clarification": everything if asks == "above" else asks}
            )
        return json.dumps({"sql": sql or self.honest, "explanation": said or "", "clarification": None})

    def _obey(self, orders: dict[str, re.Match[str]], verb: str) -> str | None:
        order = orders.get(verb)
        if order is None:
            return None
        told = order[3] if order[2] is None else order[2].lower()
        self.obeyed.append(told)
        return told


def decoded(text: str) -> str:
    """As a model may read it: tag characters as letters, look-alikes as what they look like, quotes undoubled."""
    letters = (chr(ord(one) - 0xE0000) if "\U000e0020" <= one <= "\U000e00ff" else one for one in text)
    shown = "".join(one for one in letters if unicodedata.category(one) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", shown).replace("''", "'").split())

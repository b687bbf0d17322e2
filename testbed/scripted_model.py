"""A scripted model for tests: an unexpected call fails, and so does an unused reply.

A test names what a step means (`sql=`, `correct=`, `text=`), not how a profile wants it written.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence

from agent.core.usage import Usage
from agent.platform.llm.chat import Message, Reply, ReplySchema
from executors.base import Frozen


class ScriptedCall(Frozen):
    """One call that was made."""

    messages: tuple[Message, ...]
    schema_name: str | None
    temperature: float
    max_tokens: int

    @property
    def text(self) -> str:
        """All messages, as one text."""
        return "\n".join(message.content for message in self.messages)

    @property
    def tail(self) -> str:
        """The last message: what is new in this call."""
        return self.messages[-1].content


class ScriptedModel:
    """Replies from a queue. `asked` remembers every call."""

    name = "scripted"

    def __init__(self) -> None:
        self.asked: list[ScriptedCall] = []
        self._replies: deque[str | BaseException] = deque()

    def replies(
        self,
        *,
        sql: str | None = None,
        correct: bool | None = None,
        reason: str = "",
        text: str | None = None,
        clarification: str | None = None,
        raises: BaseException | None = None,
    ) -> None:
        """Queue one reply: a query, a verdict, a text as it is, a clarification, or an error to raise."""
        if raises is not None:
            self._replies.append(raises)
        elif correct is not None:
            self._replies.append(json.dumps({"reason": reason, "correct": correct}))
        elif clarification is not None:
            self._replies.append(json.dumps({"sql": None, "explanation": "", "clarification": clarification}))
        elif sql is not None:
            self._replies.append(f"```sql\n{sql}\n```")
        elif text is not None:
            self._replies.append(text)
        else:
            raise ValueError("Name one of sql, correct, text, clarification, raises.")

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
    ) -> Reply:
        """The next reply of the script; its usage counts words as tokens, so that sums can be checked."""
        asked = ScriptedCall(
            messages=tuple(messages),
            schema_name=schema.name if schema else None,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        self.asked.append(asked)
        if not self._replies:
            raise AssertionError(f"The script has no reply left for:\n{asked.tail}")
        reply = self._replies.popleft()
        if isinstance(reply, BaseException):
            raise reply
        usage = Usage(model_calls=1, prompt_tokens=len(asked.text.split()), completion_tokens=len(reply.split()))
        return Reply(text=reply, usage=usage)

    async def ready(self) -> None:
        """Always."""

    async def close(self) -> None:
        """Nothing to let go of."""

    def assert_done(self) -> None:
        """Fail where a reply was never used."""
        if self._replies:
            raise AssertionError(f"{len(self._replies)} replies of the script were never asked for: {self._replies[0]}")

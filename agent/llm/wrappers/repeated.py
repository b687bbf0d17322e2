"""A chat model that repeats its first reply to the same prompt: for runs that are compared with each other."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from agent.llm.chat import ChatModel, Message, Reply, ReplySchema
from agent.llm.wrappers.base import WrappedModel


class RepeatedModel(WrappedModel):
    """Gives the same reply to the same words, also where it was asked to vary. Kept in memory, all of them.

    Two runs over the same questions then differ by what is done with the replies, not by the model's moods, and the
    second calls the model only for new prompts. Usage is that of the first reply. Args: model: the wrapped one.
    """

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._replies: dict[str, list[Reply]] = {}
        self._taken: dict[str, int] = {}
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def again(self) -> None:
        """Start again from the first replies."""
        self._taken.clear()

    async def complete(
        self,
        messages: list[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
    ) -> Reply:
        """See `ChatModel.complete`. The n-th call of the same words since `again` gets the n-th reply to them."""
        contents = [(message.role, message.content) for message in messages]
        key = repr((contents, schema and schema.name, max_tokens, temperature))
        async with self._asking[key]:  # a call that fails has taken none
            replies = self._replies.setdefault(key, [])
            at = self._taken.get(key, 0)
            if at == len(replies):
                replies.append(
                    await super().complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
                )
            self._taken[key] = at + 1
        return replies[at]

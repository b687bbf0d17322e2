"""What a request says to endpoints that do not know all of it."""

from __future__ import annotations

from agent.generate import SQL_ALONE
from agent.llm import Message
from agent.llms.chat_request import Abilities, chat_fields


def test_a_grammar_is_nothing_to_an_endpoint_that_reads_none() -> None:
    asked = [Message(role="user", content="How many?")]
    for abilities in (Abilities(), Abilities(reply_format="text")):
        fields = chat_fields(asked, SQL_ALONE, 50, 0.0, abilities)
        assert fields == {**chat_fields(asked, None, 50, 0.0, abilities), "logprobs": True}
        assert fields["messages"][0]["content"] == "How many?"

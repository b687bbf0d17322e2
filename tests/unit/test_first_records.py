"""Chats and tools get the first ten of the records behind an answer, and how many there are."""

from __future__ import annotations

from typing import Any, cast

from tool_calls import call_tool

from agent.api.schemas.chat import ChatResponse
from agent.api.schemas.common import with_first_records
from agent.core.answers import Answer, AnswerPart
from agent.core.models import Doubt
from agent.pipeline.service import Service

RECORDS = [{"order_id": n} for n in range(25)]
ANSWER = Answer(status="success", answer="There are 25.", raw_results=RECORDS, raw_total=25)


def test_the_first_ten_are_given_and_it_is_said_that_there_are_more() -> None:
    brief = with_first_records(ANSWER)

    assert brief.raw_results == RECORDS[:10]
    assert (brief.raw_total, brief.raw_truncated) == (25, True)
    assert with_first_records(brief.model_copy(update={"raw_truncated": False})).raw_truncated is False


def test_so_it_is_of_each_query_where_there_are_several() -> None:
    part = AnswerPart(number=1, question="?", status="success", answer="", raw_results=RECORDS, raw_total=25)
    whole = Answer(status="success", answer="There are 25. [1]", parts=[part])

    (brief,) = with_first_records(whole).parts
    assert (brief.raw_results, brief.raw_total, brief.raw_truncated) == (RECORDS[:10], 25, True)
    assert ChatResponse.of(whole).wire()["parts"][0]["raw_results"] == RECORDS[:10]
    assert "parts" not in ChatResponse.of(ANSWER).wire()


def test_a_chat_has_the_first_ten_and_their_number() -> None:
    sent = ChatResponse.of(ANSWER).wire()

    assert (sent["raw_results"], sent["raw_total"]) == (RECORDS[:10], 25)
    assert "raw_results" not in ChatResponse.of(ANSWER.model_copy(update={"raw_results": [], "raw_total": None})).wire()


def test_a_chat_says_why_an_answer_is_doubted() -> None:
    doubt = Doubt(rule="missing_data", evidence="schema", detail="No table or column looks like “taverns”.")

    assert ChatResponse.of(ANSWER.model_copy(update={"doubts": [doubt]})).wire()["doubts"] == [doubt.model_dump()]
    assert "doubts" not in ChatResponse.of(ANSWER).wire()


async def test_a_tool_has_the_first_ten_and_their_number() -> None:
    class Asked:
        async def query(self, *_: Any, **__: Any) -> Answer:
            return ANSWER

    arguments = {"question": "How many?", "database": "shop"}
    said = await call_tool(cast(Service, Asked()), "ask", arguments, "local")

    assert (said["raw_results"], said["raw_total"], said["raw_truncated"]) == (RECORDS[:10], 25, True)

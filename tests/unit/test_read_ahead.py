"""What the embedded model reads before the first question."""

from __future__ import annotations

from shop_questions import Make

from agent.core.callers import LOCAL
from agent.pipeline.steps.synthesize import answer_prefix
from testbed.scripted_model import ScriptedModel


async def test_both_forms_of_the_schema_and_the_writers_instructions_are_read_ahead(
    make_service: Make, model: ScriptedModel
) -> None:
    service = make_service(second_draft=None)
    for _ in range(3):
        model.replies(text="")

    usage = await service.read_ahead("shop", LOCAL)

    assert usage is not None
    assert usage.model_calls == 3
    first, second, third = [asked.messages[0].content for asked in model.asked]
    assert "CREATE TABLE" in first
    assert "orders(order_id INTEGER PK" in second
    assert third == answer_prefix().content
    await service.close()


async def test_what_is_cut_to_each_question_is_not_read_ahead(make_service: Make, model: ScriptedModel) -> None:
    service = make_service(second_draft=None, schema_tokens=60)  # the compact form of the shop takes 50
    for _ in range(2):
        model.replies(text="")

    await service.read_ahead("shop", LOCAL)

    compact, own = [asked.messages[0].content for asked in model.asked]
    assert "orders(order_id INTEGER PK" in compact
    assert own == answer_prefix().content
    await service.close()

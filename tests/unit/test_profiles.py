"""Each kind of model has its profile: reply format, plan, examples, speculation, judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.core.errors import ModelUnavailable
from agent.core.events import Planned, SqlGenerated
from agent.core.models import Attempt, Options
from agent.databases.knowledge.context import Context
from agent.pipeline.service import Service
from agent.pipeline.steps.generate import _shape_of
from agent.pipeline.steps.synthesize import Writer, answer_prefix
from agent.platform.config.profiles import EMBEDDED, LARGE_HOSTED, SMALL_HOSTED, choose
from agent.platform.config.settings import Settings
from agent.platform.telemetry.ledger import Ledger
from executors.base import QueryResult, Schema
from testbed.scripted_model import ScriptedModel

MakeService = Callable[..., Service]
COUNT = "SELECT COUNT(*) AS n FROM customers"
DOCS = """## orders

- `status`: C = completed, S = shipped, X = cancelled.

## Rules

- Fiscal year 2024: `ordered_at >= '2023-07-01' AND ordered_at < '2024-07-01'`.
- Amounts are without tax.

## Questions

How many orders were shipped?

```sql
SELECT COUNT(*) AS n FROM orders WHERE status = 'S'
```
"""


def as_json(**fields: object) -> str:
    return json.dumps({"sql": None, "clarification": None, **fields})


@pytest.mark.parametrize(
    "settings, name, profile",
    [
        ({}, "qwen2.5-coder-1.5b-instruct-q4_k_m", EMBEDDED),
        ({"openai_api_key": "k"}, "gpt-4o-mini", SMALL_HOSTED),
        ({"openai_api_key": "k"}, "gpt-4o", LARGE_HOSTED),
        ({"openai_api_key": "k", "profile": "small_hosted"}, "gpt-4o", SMALL_HOSTED),
    ],
)
def test_the_profile_fits_the_model_unless_the_settings_name_one(
    settings: dict[str, object], name: str, profile: object
) -> None:
    assert choose(Settings.model_validate(settings), name) == profile


def test_single_values_of_a_profile_can_be_set() -> None:
    chosen = choose(Settings(planner="separate", schema_tokens=1000, second_draft=False), "any")
    assert (chosen.planner, chosen.schema_tokens, chosen.second_draft) == ("separate", 1000, "off")
    assert chosen.pruned_tokens == 1000


async def test_a_question_back_is_a_clarification_and_nothing_runs(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(profile="small_hosted")
    model.replies(clarification="Do you mean the order date or the payment date?")

    answer = await service.query("How many orders in May?", "shop")

    assert answer.status == "clarification_needed"
    assert answer.clarification == "Do you mean the order date or the payment date?"
    assert answer.attempts == 0
    assert answer.sql is None
    await service.close()


async def test_an_inline_plan_comes_with_the_query_which_explains_itself(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(profile="large_hosted", speculative_answer=False)
    model.replies(text=as_json(plan={"tables": ["customers"]}, sql=COUNT))
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    answer = await service.query("How many customers are there?", "shop")

    assert answer.plan is not None
    assert answer.plan.tables == ("customers",)
    assert answer.explanation == "Reads customers. Over all rows, gives the number of rows (as n).", "not the model's"
    assert model.asked[0].schema_name == "draft"
    await service.close()


async def test_a_separate_plan_is_made_before_any_sql_and_shown_to_the_generator(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(planner="separate")
    model.replies(text=json.dumps({"tables": ["customers"], "aggregates": ["COUNT(*)"]}))
    model.replies(sql=COUNT)
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    events = [event async for event in service.events("How many customers are there?", "shop")]

    planned = [event for event in events if isinstance(event, Planned)]
    assert [event.source for event in planned] == ["model"]
    assert "COUNT(*)" in model.asked[1].tail
    await service.close()


async def test_an_unreadable_plan_costs_a_warning_and_no_answer(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(planner="separate")
    model.replies(text="I plan to count.")
    model.replies(sql=COUNT)
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers.")

    answer = await service.query("How many customers are there?", "shop")

    assert answer.verified
    assert any("without a plan" in warning and "could not be read" in warning for warning in answer.warnings)
    await service.close()


@pytest.mark.usefixtures("patient")
async def test_a_speculative_answer_of_a_refused_query_is_thrown_away(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(profile="small_hosted", speculative_answer=False, max_attempts=1)
    model.replies(text=as_json(sql="SELECT name FROM customers"))
    model.replies(correct=False, reason="names, not a number")

    answer = await service.query("How many customers are there?", "shop")

    assert not answer.verified
    assert answer.answer_source == "composed"
    assert answer.needs_human_review
    assert answer.choices, "questions to ask instead"
    await service.close()


async def test_past_queries_are_earlier_turns_for_a_small_model_and_docs_make_the_difference_in_the_prompt(
    make_service: MakeService, model: ScriptedModel, registry: Path, shop_file: Path
) -> None:
    registry.with_name("shop.md").write_text(DOCS, encoding="utf-8")
    registry.write_text(f"shop: {{url: {shop_file.name}, docs: [shop.md]}}\n", encoding="utf-8")
    service = make_service()
    for switched_on in (True, False):
        model.replies(sql="SELECT COUNT(*) AS n FROM orders WHERE status = 'X'")
        model.replies(correct=True, reason="yes")
        model.replies(text="1 order was cancelled.")
        question = "How many orders were cancelled in fiscal year 2024?"
        await service.query(question, "shop", options=Options(enable_retrieval=switched_on))
    with_docs, without = model.asked[0], model.asked[3]

    assert "X = cancelled" in with_docs.messages[0].content  # beside its column
    assert "Amounts are without tax." in with_docs.messages[0].content  # holds for every question
    assert "ordered_at >= '2023-07-01'" in with_docs.tail  # the term that the question uses
    assert [message.role for message in with_docs.messages] == ["system", "user", "assistant", "user"]
    assert "status = 'S'" in with_docs.messages[2].content
    assert "cancelled" not in without.messages[0].content
    assert "2023-07-01" not in without.text
    assert "status = 'S'" not in model.asked[1].text  # the judge is shown no other query
    await service.close()


async def test_a_question_in_german_is_answered_in_german_and_its_numbers_are_traced(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service()
    model.replies(sql="SELECT SUM(amount) AS umsatz FROM orders")
    model.replies(correct=True, reason="die Summe")
    model.replies(text="Der Umsatz beträgt 460,50.")

    answer = await service.query("Wie hoch ist der Umsatz?", "shop")

    assert answer.answer == "Der Umsatz beträgt 460,50."
    assert answer.verified
    assert "in the language of the question" in model.asked[2].text
    await service.close()


async def test_raw_records_that_cannot_be_derived_are_not_fetched_and_no_model_is_asked(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service()
    model.replies(sql="SELECT (SELECT COUNT(*) FROM customers) AS c, (SELECT SUM(amount) FROM orders) AS a")
    model.replies(correct=True, reason="yes")
    model.replies(text="There are 3 customers and 460.5 in orders.")

    answer = await service.query("How many customers, and what did they order in all?", "shop")

    assert (answer.raw_results, answer.raw_sql, answer.raw_total) == ([], None, None)
    records = next(check for check in answer.checks if check.name == "raw_records")
    assert records.passed is None
    assert "not one set of records" in records.detail
    await service.close()


async def test_a_judge_that_cannot_be_reached_leaves_the_answer_unverified(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(raw_row_limit=0)
    model.replies(sql=COUNT)
    model.replies(raises=ModelUnavailable("The model cannot be reached."))
    model.replies(text="There are 3 customers.")

    answer = await service.query("How many customers are there?", "shop")

    assert (answer.status, answer.verified, answer.results) == ("success", False, [{"n": 3}])
    assert any("judge" in warning.lower() for warning in answer.warnings)
    await service.close()


async def test_the_embedded_models_sentence_is_written_from_its_row_and_hosted_ones_behind_the_schema(
    make_service: MakeService, model: ScriptedModel
) -> None:
    prefixes = []
    for profile in ("embedded", "small_hosted"):
        service = make_service(profile=profile, second_draft=False, speculative_answer=False)
        model.replies(sql=COUNT)
        model.replies(correct=True, reason="yes")
        model.replies(text="There are 3 customers.")
        assert (await service.query("How many customers are there?", "shop")).answer == "There are 3 customers."
        await service.close()
        draft, answer = model.asked[-3], model.asked[-1]
        prefixes.append((draft.messages[0], answer.messages[0]))
        assert "How many customers are there?" in answer.tail
        assert "<data>\nn\n3\n</data>" in answer.tail

    (_, own), (schema, shared) = prefixes
    assert own == answer_prefix()
    assert "customers" not in own.content, "it is the same for every database"
    assert shared == schema


@pytest.mark.parametrize("rows, told", [((), True), ((("Ada",),), False)])
async def test_where_there_is_no_row_the_embedded_model_is_told_so(
    model: ScriptedModel, rows: tuple[tuple[str, ...], ...], told: bool
) -> None:
    model.replies(text="Ada.")
    attempt = Attempt(sql="SELECT name FROM t", result=QueryResult(columns=("name",), rows=rows))
    context = Context(db_schema=Schema(database="d", dialect="sqlite", tables=()), system="")
    await Writer(model, EMBEDDED).write("Who is the first?", attempt, context, Ledger())
    assert ("It returned no rows." in model.asked[0].tail) is told


def test_the_explanation_of_a_query_is_not_requested_and_that_of_a_change_is() -> None:
    fields = ["sql", "clarification", "choices"]
    assert list(_shape_of("generate", inline=False).model_json_schema()["properties"]) == fields
    assert list(_shape_of("generate", inline=True).model_json_schema()["properties"]) == ["plan", *fields]
    assert "explanation" in _shape_of("write", inline=False).model_json_schema()["properties"]


async def test_an_explanation_that_a_model_gives_is_in_the_event(
    make_service: MakeService, model: ScriptedModel
) -> None:
    service = make_service(profile="small_hosted", max_attempts=1, enable_evaluation=False)
    model.replies(text=as_json(sql=COUNT, explanation="Counts what there is."))
    model.replies(text="There are 3 customers.")

    events = [event async for event in service.events("How many customers are there?", "shop")]

    assert [event.explanation for event in events if isinstance(event, SqlGenerated)] == ["Counts what there is."]
    await service.close()

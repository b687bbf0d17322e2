"""Ambiguous questions are clarified before any SQL is written, with values and ranges of the data.

The scripted model has no replies: a call of it would fail the test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from clarify_databases import make_databases

from agent.core.callers import LOCAL
from agent.core.models import Options
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

ASKED = [
    ("trade", "Show me recent orders.", "vague_time", "2024-12-02", "the range ends where the data ends"),
    ("trade", "How many orders were there lately?", "vague_time", "2024-12-31", "an adverb"),
    ("trade", "What was the total amount of orders in the last few months?", "vague_time", "last 3 months", "its unit"),
    ("trade", "Which clients joined recently?", "vague_time", "2023-07-08", "of the column that the verb names"),
    ("trade", "Wie viele orders gab es in letzter Zeit?", "vague_time", "die letzten 30 Tage", "German"),
    ("trade", "Combien de orders avons-nous récemment ?", "vague_time", "les 30 derniers jours", "French"),
    ("trade", "¿Cuántos orders hay recientemente?", "vague_time", "los últimos 30 días", "Spanish"),
    ("trade", "최근 orders 수는 얼마인가요?", "vague_time", "최근 30일", "Korean"),
    ("school", "How many enrollments were there recently?", "vague_time", "2024-10-01", "another schema"),
    ("trade", "What is the total amount of orders of Smith?", "several_values", "Carl Smith", "part of three names"),
    ("trade", 'How many orders has "smith"?', "several_values", "Ann Smith", "in quotes"),
    ("school", "What is the average grade of Weber?", "several_values", "Mia Weber", "a family name of two"),
    ("trade", "What was the total amount of orders in Paris?", "several_columns", "offices town", "a city of two"),
    ("trade", "How many are in Paris?", "several_columns", "offices town", "nothing says whose city"),
    ("logistics", "How many shipments were there in March 2024?", "two_dates", "by arrived on", "two equal dates"),
    ("trade", "Who are our best clients?", "vague_measure", "by number of orders", "amount or number"),
    ("trade", "What are the top 3 goods?", "vague_measure", "by total quantity", "units or lines"),
    ("logistics", "Which is our best depot?", "vague_measure", "by weight kg", "a number that is no sum"),
    ("logistics", "Which is our best depot?", "vague_measure", "by number of shipments", "how many refer to it"),
    ("logistics", "Wie viele shipments gab es im März 2024?", "two_dates", "nach arrived on", "German"),
    ("logistics", "Combien de shipments en mars 2024 ?", "two_dates", "selon arrived on", "French"),
    ("logistics", "¿Cuántos shipments hubo en marzo de 2024?", "two_dates", "según arrived on", "Spanish"),
    ("logistics", "Quanti shipments nel marzo 2024?", "two_dates", "secondo arrived on", "Italian"),
    ("logistics", "2024년 3월 shipments는 몇 건인가요?", "two_dates", "arrived on 기준", "Korean"),
    ("trade", "Wer sind unsere besten Kunden?", "vague_measure", "Anzahl orders", "German, by another word"),
    ("trade", "Qui sont nos meilleurs clients ?", "vague_measure", "nombre de orders", "French"),
    ("trade", "¿Quiénes son nuestros mejores clientes?", "vague_measure", "número de orders", "Spanish"),
    ("trade", "Chi sono i nostri migliori clienti?", "vague_measure", "numero di orders", "Italian"),
    ("trade", "최고의 고객은 누구인가요?", "vague_measure", "orders 수", "Korean"),
    ("trade", "Which clients are important?", "vague_measure", "by number of orders", "of worth, behind the noun"),
    ("trade", "Show me the promising clients.", "vague_measure", "by number of orders", "of worth, before the noun"),
    ("trade", "Which clients are doing well?", "vague_measure", "by number of orders", "a manner"),
    ("trade", "Welche clients sind problematisch?", "vague_measure", "nach Anzahl orders", "German, by its meaning"),
    ("trade", "Quels clients sont fragiles ?", "vague_measure", "selon nombre de orders", "French, by its meaning"),
    ("trade", "List the large orders.", "vague_limit", "amount above the average", "a degree without a limit"),
    ("trade", "Which orders are small?", "vague_limit", "amount below the average", "a degree behind the noun"),
    ("trade", "Welche orders sind klein?", "vague_limit", "amount", "German, by its meaning"),
    ("trade", "Sort them by amount.", "missing_context", "earlier message", "a pronoun that nothing came before"),
    ("trade", "Only the top three", "missing_context", "earlier message", "names nothing"),
    ("trade", "Und jetzt das Ganze nach Monaten.", "missing_context", "frühere Nachricht", "German"),
    ("school", "How many suppliers do we have?", "missing_data", "How many", "another schema"),
    ("logistics", "List all hotels.", "missing_data", "shipments", "a list of what is not there"),
]  # fmt: skip


@pytest.fixture
async def asking(tmp_path: Path, settings: Settings, model: ScriptedModel) -> AsyncIterator[Service]:
    service = build_service(settings.model_copy(update={"registry": make_databases(tmp_path)}), model=model)
    yield service
    await service.close()


@pytest.mark.parametrize("database, question, reason, says, why", ASKED)
async def test_asks_back(
    asking: Service, model: ScriptedModel, database: str, question: str, reason: str, says: str, why: str
) -> None:
    answer = await asking.query(question, database, principal=LOCAL)

    assert answer.status == "clarification_needed", why
    assert answer.clarification_reason == reason, why
    assert answer.clarification == answer.answer
    assert says in answer.answer, why
    assert answer.choices
    assert answer.sql is None
    assert not model.asked


@pytest.mark.parametrize("database, question, reason, says, why", ASKED)
async def test_what_a_choice_stands_for_is_not_asked_about_again(
    asking: Service, model: ScriptedModel, database: str, question: str, reason: str, says: str, why: str
) -> None:
    offered = (await asking.query(question, database, principal=LOCAL)).choices
    for choice in offered:
        model.replies(sql="SELECT 1 AS one")
        model.replies(correct=True, reason="as scripted")
        answer = await asking.query(choice.question, database, principal=LOCAL, options=Options(enable_answer=False))
        assert answer.status == "success", choice.question


async def test_a_period_that_gives_the_same_rows_by_every_date_is_not_asked_about(
    asking: Service, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT count(*) AS n FROM incidents WHERE reported_on >= '2024-04-01'")
    model.replies(correct=True, reason="one number")
    model.replies(text="1 incident.")

    answer = await asking.query("How many incidents in April 2024?", "logistics", principal=LOCAL)

    assert answer.status == "success"


@pytest.mark.parametrize(
    "question, option, why",
    [
        ("Show me recent orders.", False, "the request says so"),
        ("Show me recent orders, just guess.", None, "the user says so"),
        ("Show me recent orders, any.", None, "in a word"),
    ],
)
async def test_who_does_not_want_to_be_asked_is_told_what_was_assumed(
    asking: Service, model: ScriptedModel, question: str, option: bool | None, why: str
) -> None:
    model.replies(sql="SELECT * FROM orders WHERE order_date >= '2024-12-02'")
    model.replies(correct=True, reason="the last 30 days")
    model.replies(text="One order.")

    answer = await asking.query(question, "trade", options=Options(clarify=option), principal=LOCAL)

    assert answer.status == "success", why
    assumed = next(it for it in answer.warnings if "was taken to mean" in it)
    assert "2024-12-02" in assumed
    assert assumed in model.asked[0].text  # the model works with the same assumption
    assert answer.doubts == [], "what was assumed is not missing as well"


async def test_private_columns_are_neither_searched_nor_shown(
    tmp_path: Path, settings: Settings, model: ScriptedModel
) -> None:
    registry = make_databases(tmp_path, ", private: [clients.full_name, orders.order_date, offices.town]")
    service = build_service(settings.model_copy(update={"registry": registry}), model=model)
    model.replies(sql="SELECT sum(total_amount) AS t FROM orders")
    model.replies(correct=True, reason="as scripted")
    model.replies(text="415.")
    try:
        recent = await service.query("Show me recent orders.", "trade", principal=LOCAL)
        smith = await service.query("What is the total amount of orders of Smith?", "trade", principal=LOCAL)
    finally:
        await service.close()

    assert recent.clarification_reason == "vague_time"
    assert "order_date" not in recent.answer
    assert "2024-12-31" not in recent.answer  # the last day of the private column
    assert smith.status == "success"
    assert smith.choices == []


async def test_a_models_own_question_gets_what_the_data_holds(
    tmp_path: Path, settings: Settings, model: ScriptedModel
) -> None:
    changed = settings.model_copy(update={"registry": make_databases(tmp_path), "profile": "small_hosted"})
    service = build_service(changed, model=model)
    model.replies(clarification="By order_date or by shipped_date?")
    try:
        answer = await service.query("How many orders were late?", "trade", principal=LOCAL)
    finally:
        await service.close()

    assert answer.clarification_reason == "model"
    assert answer.answer.startswith("By order_date or by shipped_date?")
    assert "2024-12-31" in answer.answer
    assert [it.question for it in answer.choices] == [
        "How many orders were late by order date (orders.order_date)?",
        "How many orders were late by shipped date (orders.shipped_date)?",
    ]


# -- what the data lacks ----------------------------------------------------------------------------------------------


async def test_what_the_data_lacks_is_told_beside_the_answer_and_is_a_doubt(
    asking: Service, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT d.nm, count(*) AS n FROM appointment a JOIN doc d ON d.doc_id = a.doc_id GROUP BY d.nm")
    model.replies(correct=True, reason="one row a doctor")
    model.replies(text="Dr. Groß has 1.")

    answer = await asking.query("How many appointments did each doctor have?", "clinic", principal=LOCAL)

    told = "“doctor” was taken to mean doc."
    assert answer.status == "success"
    assert told in answer.warnings
    assert [(it.rule, it.evidence, it.detail) for it in answer.doubts] == [("missing_data", "language", told)]


async def test_what_only_one_model_finds_far_is_told_beside_the_answer(asking: Service, model: ScriptedModel) -> None:
    model.replies(sql="SELECT count(*) AS n FROM clients")
    model.replies(correct=True, reason="one number")
    options = Options(enable_answer=False)

    answer = await asking.query("What is the average employee salary?", "trade", options=options, principal=LOCAL)

    assert answer.status == "success"
    assert any("salary" in it for it in answer.warnings)
    assert not answer.verified


async def test_a_query_that_fails_for_what_the_data_lacks_is_not_drafted_again(
    asking: Service, model: ScriptedModel
) -> None:
    model.replies(sql="SELECT avg(salary) AS average_salary FROM clients")

    answer = await asking.query("What is the average employee salary?", "trade", principal=LOCAL)

    assert answer.status == "clarification_needed"
    assert answer.clarification_reason == "missing_data"
    assert answer.answer.startswith("No table or column looks like “employee salary”.")
    assert answer.choices
    assert len(answer.attempt_history) == 1


@pytest.mark.parametrize(
    "question, why",
    [
        ("What is the average amount of the orders?", "the data has what is asked for, under another name"),
        ("What is the average employee salary? Just guess.", "the user wants no question back"),
    ],
)
async def test_a_query_that_fails_for_another_reason_is_drafted_again(
    asking: Service, model: ScriptedModel, question: str, why: str
) -> None:
    model.replies(sql="SELECT avg(salary) AS average FROM orders")
    model.replies(sql="SELECT avg(total_amount) AS average FROM orders")
    model.replies(correct=True, reason="one number")

    answer = await asking.query(question, "trade", options=Options(enable_answer=False), principal=LOCAL)

    assert answer.status == "success", why
    assert answer.attempts == 2


async def test_an_english_question_over_a_german_schema_is_not_refused(asking: Service, model: ScriptedModel) -> None:
    model.replies(sql="SELECT count(*) AS n FROM mitarbeiter")
    model.replies(correct=True, reason="one number")
    model.replies(text="1 employee.")

    answer = await asking.query("How many employees do we have?", "firma", principal=LOCAL)

    assert answer.status == "success"


@pytest.mark.parametrize(
    "anyway", ["Ask anyway", "trotzdem fragen", "quand même", "de todos modos", "comunque", "그래도"]
)
async def test_what_was_asked_back_can_be_asked_anyway(asking: Service, model: ScriptedModel, anyway: str) -> None:
    session = await asking.start_session("logistics", LOCAL)
    asked = await asking.query("List all hotels.", "logistics", session_id=session.id, principal=LOCAL)
    model.replies(sql="SELECT name FROM depots")
    model.replies(correct=True, reason="as good as can be")
    answer = await asking.query(anyway, "logistics", session_id=session.id, principal=LOCAL)

    assert asked.clarification_reason == "missing_data"
    assert answer.status == "success"
    assert answer.question == "List all hotels."
    assert any("hotels" in it for it in answer.warnings)
    assert answer.doubts


async def test_who_is_not_to_be_asked_is_told_what_is_missing(asking: Service, model: ScriptedModel) -> None:
    model.replies(sql="SELECT name FROM depots")
    model.replies(correct=True, reason="as good as can be")

    answer = await asking.query("List all hotels.", "logistics", options=Options(clarify=False), principal=LOCAL)

    assert answer.status == "success"
    assert any("hotels" in it for it in answer.warnings)

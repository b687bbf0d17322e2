"""Clear questions are never clarified."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
from clarify_databases import make_databases

from agent.core.callers import LOCAL
from agent.core.models import Clarification, Question
from agent.databases.knowledge.context import enrich
from agent.pipeline.service import Service, build_service
from agent.platform.config.settings import Settings
from agent.understanding.clarification.check import Clarifier
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"

CLEAR = {
    "shop": [
        "What were the most recent 5 orders?",  # an order of rows, no time
        "What is the latest order?",
        "Which customer signed up most recently?",
        "List the 10 most recent returns with their refunds.",
        "Show the orders of the last 30 days.",  # a number says how long
        "How much revenue did we make in the past 3 months?",
        "How many orders were placed in March 2024?",  # orders have one date
        "How many returns came in between 2024-01-01 and 2024-03-31?",
        "How many customers signed up in 2024?",
        "How many payments were received in Q1 2025?",
        "What was the revenue of House Blend 1 kg?",  # one value in full
        "What was the revenue of all House Blend products?",  # all of them
        "Which products contain House Blend in their name?",  # a pattern
        "How many customers have the last name Fischer?",  # a column is named
        "How many customers are called Fischer?",
        "What did Lena Fischer order?",  # a whole name
        "How many customers live in Berlin?",  # one column holds it
        "How many units of Tea were sold?",
        "What was the revenue of the category Coffee?",
        "Which are our best customers by revenue?",  # says by what
        "What are the 5 best-selling products?",  # sold says it
        "Who are the top 10 customers by number of orders?",
        "Which product has the highest price?",
        "Top 3 categories in terms of units sold",
        "What is the average order value?",  # the glossary has it
        "How many active customers do we have?",
        "How many clients do we have?",  # other words for what is there
        "How many buyers bought tea?",
        "What is our turnover in 2024?",
        "How many beans did we sell?",
        "What is the average basket value?",
        "How many shipments in 2024?",
        "How many cancellations were there in 2024?",
        "Wie viele Kunden haben wir?",  # other languages name nothing of an English schema
        "Wie hoch war der Umsatz im März 2024?",
        "Combien de clients avons-nous en France ?",
        "¿Cuántos pedidos hay en 2024?",
        "고객은 몇 명인가요?",
        "최근 주문 10건을 보여줘",  # so many rows, and no time: the specification's own
        "10건의 최근 주문을 보여줘",
        "Which weekday has the most orders?",  # what can be computed
        "What is the average delivery time?",
        "Compare the revenue of 2023 and 2024.",
        "What share of the orders was paid by gift card?",
    ],
    "trade": [
        "How many orders were there in March 2024?",  # the order's own date, of three
        "How many orders were shipped in March 2024?",  # the verb names the date
        "What is the total amount of orders with a required date in 2024?",
        "Which orders were shipped after their required date?",
        "What is the total amount of orders of Ann Smith?",  # one of the Smiths
        "List all Smiths among the clients.",
        "How many clients are named Smith?",
        "How many clients live in Paris?",  # the table is named
        "Which offices are in Paris?",
        "How many clients are there in each town?",
        "What is the list price of the Lamp?",
        "What is the most expensive good?",
        "How many orders did Dora Kern place?",
        "Which client spent the most?",
        "How many goods do we have?",
        "What is the average quantity per order line?",
        "Which office has the most orders?",
        "What is the newest order?",
    ],
    "school": [
        "Who are the top 3 students?",  # their own gpa says it
        "What is the average grade in Algebra?",
        "How many students are enrolled in Biology?",
        "How many courses were there in 2023?",  # created, not updated
        "Which courses were updated in 2024?",
        "How many students were born in 2004?",
        "What is the grade of Mia Weber in Algebra?",
        "How many pupils are there?",
        "Which student has the highest gpa?",
        "How old is the youngest student?",
        "List the titles of all courses with more than 4 credits.",
        "How many enrollments were there in September 2024?",
        "Which course is the best by average grade?",
        "Which is the best course?",  # the grades say it
    ],
    "logistics": [
        "Which depots are important by number of shipments?",  # says by what
        "Which shipments are heavier than the average shipment?",  # says from what on
        "Which depot is the most popular?",  # counted
        "A list of the depots would be great",  # a courtesy
        "What is the old name of the depot North?",  # of one row
        "Suspicious shipments: delivered before they were picked up",  # says what it means
        "Which old shipments arrived before 2024?",  # says from what on
        "How long are the shipments on the way?",  # asks for an amount
        "Which depot has the largest shipment?",  # no positive adjective
        "List the depots and their shipments.",  # "their" stands for what came before it
        "What was the best shipment of North?",  # of one depot
        "How many shipments arrived in March 2024?",  # the verb names the date
        "How many shipments were picked up in March 2024?",
        "How many shipments were delivered in March 2024?",  # a deed, in other words
        "What is the average weight of shipments?",
        "Which depot has the most shipments?",
        "How many incidents of the kind delay were reported?",
        "How long does it take from pick up to arrival?",
        "How many warehouses are there?",  # they are called depots here
        "How many incidents in April 2024?",  # both dates give the same rows
    ],
}  # fmt: skip
CASES = [(database, question) for database, questions in CLEAR.items() for question in questions]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    folder = tmp_path_factory.mktemp("clear")
    registry = make_databases(folder)
    with registry.open("a", encoding="utf-8") as entries:
        entries.write(f"shop: {{url: {SAMPLES / 'shop.duckdb'}, docs: [{SAMPLES / 'docs'}]}}\n")
    with pytest.MonkeyPatch.context() as patient:  # the fixture of that name comes after this one
        patient.setattr("agent.databases.knowledge.linking.PATIENCE_S", 60.0)
        built = build_service(Settings(registry=registry, state_dir=folder / "state"), model=ScriptedModel())
    await built.index("shop", LOCAL)
    yield built
    await built.close()


async def no_examples(_tables: Sequence[str]) -> Sequence[str]:
    return ()


async def clarifier(service: Service, database: str, question: str) -> Clarifier:
    target = await service.databases.get(database, LOCAL)
    asked = Question(text=question, database=database, trace_id="0" * 32, principal=LOCAL)
    context = await enrich(asked, target, service.knowledge, service.parts.profile, service.settings)
    return Clarifier(asked, context, target, service.knowledge.embedder, meaning=None, examples=no_examples)


async def found(service: Service, database: str, question: str) -> Clarification | None:
    clarifying = await clarifier(service, database, question)
    missing = await clarifying.missing()
    return missing.nothing_near or await clarifying.find()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("database, question", CASES)
async def test_is_clear(service: Service, database: str, question: str) -> None:
    assert await found(service, database, question) is None


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ["questions.json", "held_out_questions.json"])
async def test_no_question_of_the_samples_is_asked_about(service: Service, name: str) -> None:
    for case in json.loads((SAMPLES / name).read_text(encoding="utf-8")):
        assert await found(service, "shop", case["question"]) is None, case["question"]


ASKED = [
    ("How was business in terms of revenue recently?", "vague_time", "2025-06-30"),
    ("What are the top products?", "vague_measure", "by units sold"),
    ("Who are our best customers?", "vague_measure", "by revenue"),
    ("What was the revenue of House Blend in 2024?", "several_values", "House Blend 250 g"),
    ("How many orders did Fischer place?", "several_values", "Anna Fischer"),
]
LACKING = [
    ("shop", "What is the average temperature in June?", "temperature", ""),
    ("shop", "What is the average rating of products?", "rating", ""),
    ("shop", "How many orders did each doctor place?", "doctor", ""),
    ("trade", "Which supplier delivers most orders?", "supplier", "goods"),
    ("trade", "Which supplier delivers?", "supplier", "goods"),
    ("logistics", "Turnover by quarter", "Turnover", "incidents"),
    ("school", "How many enrollments are there by hotel?", "hotel", ""),
    ("clinic", "appointments by each doctor", "doctor", "doc"),
    ("clinic", "How many appointments did each doctor have?", "doctor", "doc"),
    ("firma", "Wie viele Bestellungen gibt es je Lieferant?", "Lieferant", ""),
    ("firma", "Wie viel Dünger haben Mitarbeiter verbraucht?", "Dünger", ""),
]
SILENT = [
    ("firma", "How many employees do we have?", "an English question over a schema that is not: nobody can tell"),
    ("firma", "Wie viele Mitarbeiter gibt es je Abteilung?", "both are there"),
    ("school", "How many pupils are there?", "near in meaning"),
    ("logistics", "How many warehouses have shipments?", "near enough beside what is known"),
]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("question, reason, says", ASKED)
async def test_what_is_not_clear_of_the_sample_shop(service: Service, question: str, reason: str, says: str) -> None:
    asked = await found(service, "shop", question)
    assert asked is not None
    assert asked.reason == reason
    assert says in asked.text
    for choice in asked.choices:
        assert await found(service, "shop", choice.question) is None, choice.question


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("database, question, said, near", LACKING)
async def test_what_the_data_lacks_beside_what_it_has_is_told_and_not_asked_back(
    service: Service, database: str, question: str, said: str, near: str
) -> None:
    missing = await (await clarifier(service, database, question)).missing()
    assert missing.nothing_near is None
    assert [it.mention for it in missing.lacking] == [said]
    assert missing.lacking[0].near == near


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("database, question, why", SILENT)
async def test_what_may_be_there_is_not_called_lacking(
    service: Service, database: str, question: str, why: str
) -> None:
    missing = await (await clarifier(service, database, question)).missing()
    assert missing.nothing_near is None, why
    assert [it for it in missing.lacking if not it.near] == [], why


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", ["questions.json", "held_out_questions.json"])
async def test_nothing_is_lacking_of_the_questions_of_the_samples(service: Service, name: str) -> None:
    for case in json.loads((SAMPLES / name).read_text(encoding="utf-8")):
        missing = await (await clarifier(service, "shop", case["question"])).missing()
        assert missing.lacking == (), case["question"]


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    "question, column, label",
    [
        ("recent sales by country", "orders.ordered_at", "the last 30 days"),
        ("Welche Bestellungen gab es kürzlich?", "orders.ordered_at", "die letzten 30 Tage"),
        ("최근 매출은?", "orders.ordered_at", "최근 30일"),
        ("chiffre d'affaires récemment", "orders.ordered_at", "les 30 derniers jours"),
        ("¿Cuáles son los pedidos recientes?", "orders.ordered_at", "los últimos 30 días"),
        ("Quali sono gli ordini recenti?", "orders.ordered_at", "gli ultimi 30 giorni"),
        ("最近的订单有哪些？", "orders.ordered_at", "最近 30 天"),
        ("Which customers signed up recently?", "customers.signed_up_on", "the last 30 days"),
        ("recent returns", "returns.returned_on", "the last 30 days"),
        ("recent payments by method", "payments.paid_at", "the last 30 days"),
    ],
)
async def test_the_date_that_is_meant_is_that_of_what_the_question_is_about(
    service: Service, question: str, column: str, label: str
) -> None:
    asked = await found(service, "shop", question)
    assert asked is not None
    assert asked.reason == "vague_time"
    assert column in asked.text
    assert "2025-06-" in asked.text  # where the data ends
    assert asked.choices[0].label.startswith(label)

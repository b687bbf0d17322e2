"""The parts of a clarification: what the question asks for, its language, the offered days, and the stored state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from agent.databases.knowledge.context import Context
from agent.understanding.clarification.inquiry import Inquiry, with_ending
from agent.understanding.clarification.lookups import DateRange, RangeCache, days_before, months_before
from agent.understanding.clarification.main_date import list_plausible
from agent.understanding.clarification.missing import (
    Lacking,
    Missing,
    _is_form,
    _is_known,
    _is_named,
    _shorten,
    _shortens,
    find_known_words,
    missing_data,
)
from agent.understanding.clarification.taken import doubts_of
from agent.understanding.clarification.words.languages import frames_of, is_english
from agent.understanding.clarification.words.wanted import find_presumed_words, find_wanted_phrases
from executors.base import Column, Schema, Table
from rag.linking.linking import Linked
from rag.linking.values import LinkedValue

SCHEMA = Schema(
    database="d", dialect="sqlite", tables=(Table(name="orders", columns=(Column(name="at", type="DATE"),)),)
)
LAST = date(2024, 3, 31)


@pytest.mark.parametrize(
    "question, things, why",
    [
        (
            "What is the average employee salary?",
            ["average employee salary", "employee salary"],
            "all that is measured",
        ),
        ("How many employees do we have?", ["employees"], "what is counted"),
        ("List all hotels in Berlin.", ["hotels"], "what is listed"),
        ("Which supplier delivers most?", ["supplier"], "a kind of thing, without what it does"),
        ("How often did each person come?", [], "a verb after what anybody can be"),
        ("Which weekday has the most orders?", [], "it can be computed of what is there"),
        ("What are the full names of the doctors?", ["doctors"], "whose it is; how a name is written is no data"),
        ("List the name, grape and price of all wines.", ["grape", "price", "wines"], "what is listed together"),
        ("Find the name of the rooms and sort them by grade.", ["rooms", "grade"], "an order is no thing"),
        ("What is the most common occupation of players?", ["common occupation", "players"], "what is commonest"),
        ("Which wine is the most expensive?", ["wine"], "how something is"),
        ("Who wrote the most expensive title?", [], "how something is"),
        ("Which airline employs the most pilots?", ["airline", "pilots"], "what is counted for the order"),
        ("What rating did the guests give?", ["rating"], "what comes before an auxiliary"),
        ("How much fuel does each plane burn?", ["fuel", "plane burn"], "an amount"),
        ("List all hotels by alphabetical order.", ["hotels"], "an order of rows is no data"),
        ("How much CO2 do the trees store?", ["CO2"], "a substance by its formula"),
        ("What is the average PM10 of each station?", ["PM10", "station"], "another one"),
        ("How much Q3 revenue did we make?", [], "a quarter"),
        ("How many B2 patients came?", [], "a name of other things"),
        ("What is the total of Q3?", [], "a quarter alone"),
        ("What is the GPM in 2023?", [], "an abbreviation may stand for anything"),
        ("The last name contains 'son'", [], "a name of a column is no order to name"),
        ("How many of them?", [], "nothing is named"),
        ("List the players whose coach left.", ["players", "coach left"], "what something has"),
        ("List the boats in order of tonnage.", ["boats", "tonnage"], "what the rows are ordered by"),
        ("Did we pay for any repair?", ["repair"], "one of its kind"),
        ("Which boats cost over a million in a year?", ["boats"], "a number, a unit"),
        ("How many entire minutes did the calls last?", [], "a unit, and how much of it"),
        ("How many metric tonnes of coal came in?", [], "a unit; what comes after it is counted"),
        ("How many half dozens of eggs were packed?", [], "a number; what comes after it is counted"),
        ("What is the total per calendar week?", [], "a unit of time"),
        ("How many parking minutes and parking meters?", [], "units"),
        (
            "What is the average waiting time of callers?",
            ["average waiting time", "callers", "waiting time"],
            "no unit",
        ),
    ],
)
def test_what_a_question_asks_for(question: str, things: list[str], why: str) -> None:
    assert find_wanted_phrases(question) == things, why


@pytest.mark.parametrize("question, presumed", [
    ("Compare revenue of 2024 and 2023", ["revenue"]),
    ("Revenue by month", ["Revenue"]),
    ("Show me our turnover.", ["turnover"]),
    ("Who quit last year?", []),
    ("Which have been repainted?", []),
    ("How many did we repaint?", []),
    ("Is anything broken?", []),
])  # fmt: skip
def test_a_verb_is_not_presumed_to_be_data(question: str, presumed: list[str]) -> None:
    assert find_presumed_words(question) == presumed


@pytest.mark.parametrize("part, word, shortens", [
    ("doc", "doctor", True), ("acc", "account", True), ("bus", "buses", False), ("car", "cars", False),
    ("id", "ideas", False), ("clb", "clubs", True), ("plr", "players", True), ("mtch", "matches", True),
    ("gls", "goals", True), ("trf", "transfers", True), ("spn", "sponsor", True), ("clb", "players", False),
    ("gls", "legs", False), ("hm", "home", False), ("sale", "stable", False), ("pln", "players", False),
    ("cnt", "concerts", False), ("pct", "projects", False), ("clb", "celebrities", False),
])  # fmt: skip
def test_a_plural_is_not_what_a_name_shortens(part: str, word: str, shortens: bool) -> None:
    assert _shortens(part, word) is shortens


def tables_called(*names: str) -> Schema:
    tables = tuple(Table(name=it, columns=(Column(name="nm", type="TEXT"),)) for it in names)
    return Schema(database="d", dialect="duckdb", tables=tables)


BRIEF = tables_called("loc", "eq", "tch", "po", "po_tch", "prt")
WHOLE = tables_called("locations", "eq", "tch", "po", "parts", "readings")


@pytest.mark.parametrize(
    "schema, question, phrase, near, why",
    [
        (BRIEF, "How many technicians have left?", "technicians", "tch", "three letters of ten"),
        (BRIEF, "How many pieces of equipment are there?", "equipment", "eq", "the first two letters"),
        (BRIEF, "How many open purchase orders are there?", "open purchase", "po", "initials"),
        (BRIEF, "How many orders of purchases are there?", "purchases", "", "in another order"),
        (BRIEF, "How many purchase requests are there?", "purchase", "", "other initials"),
        (BRIEF, "How many safety incidents are there?", "safety incidents", "", "nothing of it"),
        (BRIEF, "How many temperaments are there?", "temperaments", "", "not all letters"),
        (WHOLE, "How many technicians have left?", "technicians", "", "most names are whole"),
        (WHOLE, "How many purchase orders are there?", "purchase", "", "here, too"),
        (WHOLE, "How many pieces of equipment are there?", "equipment", "", "and here"),
    ],
)
def test_brief_names_of_tables_shorten_more(schema: Schema, question: str, phrase: str, near: str, why: str) -> None:
    found = _shorten(Inquiry(question, Context(db_schema=schema, system="")), [phrase])
    assert [it.near for it in found] == ([near] if near else []), why


@pytest.mark.parametrize(("score", "known"), [(0.55, False), (0.8, True)])
def test_a_value_of_a_vaguely_similar_meaning_explains_no_word(score: float, known: bool) -> None:
    value = LinkedValue("shutdown", "reason", "Flooding", "rainfall", "meaning", score)
    context = Context(db_schema=SCHEMA, system="", linked=Linked(values=(value,)))

    assert ("rainfall" in find_known_words(Inquiry("What was the rainfall?", context))) is known


async def test_the_description_of_a_database_says_what_it_is_about() -> None:
    async def no_examples(_: Sequence[str]) -> Sequence[str]:
        return ()

    context = Context(db_schema=tables_called("a1", "b2"), system="")
    known = context.model_copy(update={"description": "Vessels and their voyages"})
    assert "voyag" in " ".join(find_known_words(Inquiry("How many voyages?", known)))
    assert "voyag" not in " ".join(find_known_words(Inquiry("How many voyages?", context)))
    assert await missing_data(Inquiry("How many voyages were there?", known), None, None, no_examples) == Missing()


@pytest.mark.parametrize("name, word, is_form", [
    ("renewal", "renewed", True), ("order", "ordering", True), ("county", "country", False), ("rent", "rented", False),
])  # fmt: skip
def test_a_form_of_a_name_is_not_made_up(name: str, word: str, is_form: bool) -> None:
    assert _is_form(name, word) is is_form


@pytest.mark.parametrize("question, missing, doubts", [
    ("How many goals came at home?", [("goals", "h_gls", True)], []),
    ("Which clubs never played?", [("clubs", "clb", True)], []),
    ("How many contracts were renewed?", [], []),
    ("How many trophies were won?", [], ["No table or column looks like “trophies”."]),
])  # fmt: skip
async def test_a_name_without_vowels_is_what_a_word_means(
    question: str, missing: list[tuple[str, str, bool]], doubts: list[str]
) -> None:
    columns = tuple(Column(name=name, type="INTEGER") for name in ("id", "h_gls", "renewals"))
    football = Schema(database="f", dialect="sqlite", tables=(Table(name="clb", columns=columns),))
    inquiry = Inquiry(question, Context(db_schema=football, system=""))
    found = await missing_data(inquiry, None, None, _no_examples)
    assert [(it.mention, it.near, it.presumed) for it in found.lacking] == missing
    made_up = ["SELECT goals, clubs, renewed, trophies FROM clb"]
    told = await doubts_of(found, inquiry, "SELECT 1 FROM clb", made_up, None)
    assert [it.detail for it in told if it.evidence == "schema"] == doubts


async def _no_examples(_: Sequence[str]) -> Sequence[str]:
    return ()


@pytest.mark.parametrize("word, name, known, why", [
    ("ticket", "ticketprice", True, "a piece of a compound"),
    ("liefertermin", "termin", True, "which is a piece of it"),
    ("resturant", "restaurant", True, "a misspelling"),
    ("star", "start", False, "another word"),
])  # fmt: skip
def test_a_word_is_known_by_its_pieces(word: str, name: str, known: bool, why: str) -> None:
    assert _is_known(word, frozenset({name})) is known, why


@pytest.mark.parametrize("word, name, named", [
    ("beet", "beete", True), ("trainer", "trainer", True), ("gibt", "gibtaus", False), ("ort", "orte", False),
])  # fmt: skip
def test_a_word_names_what_differs_by_an_ending(word: str, name: str, named: bool) -> None:
    assert _is_named(word, frozenset({name})) is named


@pytest.mark.parametrize(
    "question, language, why",
    [
        ("What was the revenue recently?", "en", "English"),
        ("Wie hoch war der Umsatz im März?", "de", "German"),
        ("Quels sont les clients de la ville ?", "fr", "French"),
        ("¿Cuántos pedidos hay en la tienda?", "es", "Spanish"),
        ("최근 매출은?", "ko", "by its script"),
        ("orders", "en", "nothing tells"),
        ("Quanti ordini ci sono?", "it", "Italian"),
        ("最近的订单有多少？", "zh", "by its script"),
        ("Hur många beställningar finns det?", "en", "one that has no frames"),
        ("recent orders per customer", "en", "`per` is Italian, too"),
        ("I want recent orders", "en", "`i` is Italian, too"),
        ("ordini recenti per cliente", "it", "more than `per`"),
    ],
)
def test_the_language_of_the_frames(question: str, language: str, why: str) -> None:
    assert frames_of(question).language == language, why


@pytest.mark.parametrize(
    "question, english", [("How many are there?", True), ("Quanti ordini?", False), ("Wie viele sind es?", False)]
)
def test_what_is_surely_english(question: str, english: bool) -> None:
    assert is_english(question) is english


@pytest.mark.parametrize(
    "first, expected",
    [
        (days_before(LAST, 1), date(2024, 3, 31)),
        (days_before(LAST, 30), date(2024, 3, 2)),
        (months_before(LAST, 1), date(2024, 3, 1)),  # a leap year's February has a 29th
        (months_before(LAST, 12), date(2023, 4, 1)),
        (months_before(date(2024, 1, 15), 1), date(2023, 12, 16)),
        (months_before(date(2024, 12, 31), 12), date(2024, 1, 1)),
    ],
)
def test_days_that_a_time_goes_back_to(first: date, expected: date) -> None:
    assert first == expected


@pytest.mark.parametrize(
    "text, declines",
    [
        ("orders of Smith, any", True),
        ("recent orders, just guess", True),
        ("Umsatz von Smith, egal welcher", True),
        ("are there any orders?", False),
        ("any orders of Smith", False),
    ],
)
def test_who_does_not_want_to_be_asked(text: str, declines: bool) -> None:
    assert Inquiry(text, Context(db_schema=SCHEMA, system="")).declines is declines


@pytest.mark.parametrize(
    "text, whole",
    [
        ("How many?", "How many by x?"),
        ("Orders", "Orders by x"),
        ("몇 개？", "몇 개 by x？"),
        ("Combien ?", "Combien by x?"),
    ],
)
def test_words_are_added_before_the_last_sign(text: str, whole: str) -> None:
    assert with_ending(text, "by x") == whole


def test_a_range_is_kept_for_who_asked_for_a_while_and_for_one_state_of_the_schema() -> None:
    now = 0.0
    cache = RangeCache(clock=lambda: now)
    cache.keep("ann", SCHEMA, "orders.at", DateRange(LAST, LAST))
    kept = cache.find("ann", SCHEMA, "orders.at")

    assert kept is not None
    assert kept.range == DateRange(LAST, LAST)
    assert cache.find("bob", SCHEMA, "orders.at") is None  # who may see other rows
    assert cache.find("ann", SCHEMA.model_copy(update={"tables": ()}), "orders.at") is None
    now = 301.0
    assert cache.find("ann", SCHEMA, "orders.at") is None


@pytest.mark.parametrize("question, dates", [
    ("How many readings by zeitpunkt in March 2024?", ["zeitpunkt"]),
    ("How many readings in March 2024?", ["zeitpunkt", "zeit_tz"]),
])  # fmt: skip
def test_a_date_that_is_named_in_full_leaves_those_that_begin_alike(question: str, dates: list[str]) -> None:
    columns = (Column(name="zeitpunkt", type="TIMESTAMP"), Column(name="zeit_tz", type="TIMESTAMPTZ"))
    table = Table(name="readings", columns=columns)
    context = Context(db_schema=Schema(database="d", dialect="duckdb", tables=(table,)), system="")
    assert [it.column.name for it in list_plausible(Inquiry(question, context), table)] == dates


class _Meaning:
    """Words on axes: the first one that a text contains."""

    name, dimension = "axes", 3
    axes = (("population", "inhabitants"), ("electric", "elektro"), ("trucks", "fahrzeug"))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        # A phrase is nearest to its last word.
        return [[float(any(text.lower().split()[-1:] == [it] for it in axis)) for axis in self.axes] for text in texts]


@pytest.mark.parametrize(
    "sql, evidence",
    [
        ("SELECT area, SUM(area) OVER (ORDER BY area) AS running_area FROM districts", "language"),
        ("SELECT area - inhabitants AS running FROM districts", "language"),
        ("SELECT STDDEV(area) AS running FROM districts", "language"),
        ("SELECT SUM(area) AS running FROM districts", "schema"),
        ("SELECT SUM(area) / 100.0 AS running FROM districts", "schema"),
        ("SELECT area * inhabitants AS running FROM districts", "schema"),
        ("SELECT area, SUM(area) OVER (ORDER BY area) AS total FROM districts", "schema"),
    ],
)
async def test_what_a_query_computes_need_not_be_stored(sql: str, evidence: str) -> None:
    inquiry = Inquiry("What is the running area?", Context(db_schema=SCHEMA, system=""))
    (doubt,) = await doubts_of(Missing((Lacking("running"),)), inquiry, sql, [], None)
    assert doubt.evidence == evidence


@pytest.mark.parametrize(
    "question, mention, sql, taken",
    [
        ("What is the population?", "population", "SELECT SUM(inhabitants) FROM districts", "inhabitants"),
        (
            "What is the density by population?",
            "density population",
            "SELECT SUM(inhabitants) / SUM(area) FROM districts",
            "inhabitants, area",
        ),
        (
            "How many electric trucks are there?",
            "electric trucks",
            "SELECT COUNT(*) FROM fahrzeug WHERE antrieb = 'Elektro'",
            "fahrzeug, Elektro",
        ),
        ("How many trucks are there?", "trucks", "SELECT COUNT(*) FROM fahrzeug WHERE antrieb = 'Gas'", "fahrzeug"),
        ("How many electric vans are there?", "electric vans", "SELECT COUNT(*) FROM fahrzeug", ""),
        ("Which population?", "population", "SELECT SUM(area) AS inhabitants FROM districts ORDER BY inhabitants", ""),
        ("Which population?", "population", "SELECT SUM(inhabitants) AS n FROM districts ORDER BY n", "inhabitants"),
    ],
)
async def test_all_that_a_query_reads_for_a_phrase_is_named(question: str, mention: str, sql: str, taken: str) -> None:
    inquiry = Inquiry(question, Context(db_schema=SCHEMA, system=""))
    (doubt,) = await doubts_of(Missing((Lacking(mention),)), inquiry, sql, [], _Meaning())
    assert doubt.detail == (
        f"“{mention}” was taken to mean {taken}." if taken else f"No table or column looks like “{mention}”."
    )

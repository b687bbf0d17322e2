"""A single value is stated in the question's own words: which questions, which sentence, and when a model writes."""

from __future__ import annotations

from typing import Any

import pytest

from agent.checks.grounding.answer import restate_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.question.restated import MOST_CHARS, frame_of
from agent.core.models import Attempt, Doubt, Verdict
from agent.databases.knowledge.context import Context
from agent.pipeline.steps.synthesize import Writer
from agent.platform.config.profiles import EMBEDDED, LARGE_HOSTED, Profile
from agent.platform.telemetry.ledger import Ledger
from executors.base import QueryResult, Schema
from testbed.scripted_model import ScriptedModel

CONTEXT = Context(db_schema=Schema(database="zoo", dialect="sqlite", tables=()), system="The zoo.")
COUNT = "SELECT COUNT(*) AS animals FROM animals"


def rows_of(*values: Any) -> QueryResult:
    return QueryResult(columns=tuple(f"c{n}" for n in range(len(values))), rows=(values,))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many animals are there?", "There are {} animals."),
        ("  How many  animals\nare there ?! ", "There are {} animals."),
        ("How many animals were there in 2022?", "There were {} animals in 2022."),
        ("How many keepers feed the lions?", "{} keepers feed the lions."),
        ("how many animals are not fed at night", "{} animals are not fed at night."),
        ("How many cages does the north wing have?", "The north wing has {} cages."),
        ("How many cages do the wings have together?", None),
        ("How many visitors did Basel have?", "Basel had {} visitors."),
        ("What is the average weight of the penguins?", "The average weight of the penguins is {}."),
        ("What's the name of the oldest keeper?", "The name of the oldest keeper is {}."),
        ("What was the highest number of visitors on one day?", "The highest number of visitors on one day was {}."),
        ("Count the number of cages.", "The number of cages is {}."),
        ("Please show me the most common species.", "The most common species is {}."),
        ("Could you please find the id of the cage that is empty?", "The id of the cage that is empty is {}."),
        ("Which keeper has the most animals?", "{} has the most animals."),
        ("Which wing is the largest?", "{} is the largest."),
        ("Who was the first keeper of the apes?", "{} was the first keeper of the apes."),
        ("Wie viele Tiere gibt es?", "Es gibt {} Tiere."),
        ("Wie viele Tiere gab es 2022 in Basel?", "Es gab {} Tiere 2022 in Basel."),
        ("Wie viele Käfige hat Basel?", "Basel hat {} Käfige."),
        ("Wie viele Käfige hat der Nordflügel?", "Der Nordflügel hat {} Käfige."),
        ("Wie viele Tiere wurden 2022 gefüttert?", "{} Tiere wurden 2022 gefüttert."),
        ("Wie viele Bücher hat Anna gelesen?", "{} Bücher hat Anna gelesen."),
        ("Wie hoch ist das mittlere Gewicht der Pinguine?", "Das mittlere Gewicht der Pinguine ist {}."),
        ("Wie hoch waren die Kosten 2022?", "Die Kosten 2022 waren {}."),
        ("Welcher Pfleger hat die meisten Tiere?", "{} hat die meisten Tiere."),
        ("Welcher Flügel ist der größte?", "{} ist der größte."),
        ("Was ist der Name des ältesten Pflegers?", "Der Name des ältesten Pflegers ist {}."),
        ("Was sind die häufigsten Arten?", None),
        ("Wie viele Tiere gibt es je Flügel?", None),
        ("Wie viele Tiere und Pfleger gibt es?", None),
        ("Wie viele Tiere haben wir?", None),
        ("Was ist der Name und das Alter des ältesten Pflegers?", None),
        ("Welcher Pfleger hat die meisten Tiere und den höchsten Lohn?", None),
        ("Wie hoch ist der Umsatz, den Anna gemacht hat?", None),
        ("How many orders are unshipped?", "{} orders are unshipped."),
        ("How many keepers are from ES?", "{} keepers are from ES."),
        ("How many diesel cars are there?", "There are {} diesel cars."),
        ("Wie viele Tiere gibt es und wie viele Pfleger?", None),
    ],
)
def test_the_statement_has_the_words_of_its_question(question: str, said: str | None) -> None:
    frame = frame_of(question)
    assert (frame and f"{frame.before}{{}}{frame.after}") == said


@pytest.mark.parametrize(
    "question",
    [
        "How many animals did the keepers feed?",
        "How many animals has Ann fed?",
        "How many hours is the night walk?",
        "How many times were the apes fed?",
        "How many animals are in each cage?",
        "How many animals do we have?",
        "How many animals are there and which is the oldest?",
        "What is the name and age of the oldest keeper?",
        "What are the names of the keepers?",
        "What colour is the cage?",
        "Which animals are older than ten?",
        "Is there a lion?",
        "List the names of the keepers.",
        "Combien d’animaux y a-t-il ?",
        "Lions?",
        "",
        f"How many animals {'very ' * MOST_CHARS}old are there?",
    ],
)
def test_what_cannot_keep_its_order_of_words_is_not_restated(question: str) -> None:
    assert frame_of(question) is None


def test_the_number_is_linked_to_its_cell() -> None:
    found = restate_text(Facts("How many animals are there?", rows_of(1240), COUNT))
    assert found is not None
    assert (found.text, found.source) == ("There are 1,240 animals.", "composed")
    (number,) = found.numbers
    assert (found.text[number.start : number.end], number.source, number.row) == ("1,240", "result", 0)
    assert all(check.passed for check in found.checks)


@pytest.mark.parametrize(
    ("question", "values", "why"),
    [
        ("How many animals are there?", (1,), "one of them wants another verb"),
        ("How many animals are there?", ("many",), "no number"),
        ("How many animals are there?", (None,), "no value"),
        ("How many animals are there?", (3, 4), "two values"),
        ("What is the answer of the vet?", (True,), "a yes"),
        ("Combien d'animaux y a-t-il ?", (3,), "another language"),
        ("How many animals are there?", (-2,), "less than nothing"),
    ],
)
def test_other_values_are_left_to_the_writer(question: str, values: tuple[Any, ...], why: str) -> None:
    assert restate_text(Facts(question, rows_of(*values), COUNT)) is None, why


@pytest.mark.parametrize(
    ("question", "value", "sql", "said"),
    [
        ("Wie viele Tiere gibt es?", 1240, "SELECT COUNT(*) AS tiere FROM tiere", "Es gibt 1.240 Tiere."),
        ("Wie viele Tiere gibt es?", 1, "SELECT COUNT(*) AS tiere FROM tiere", None),
        ("Wie viele Tiere leben in Basel?", 12, "SELECT COUNT(*) AS n FROM tiere WHERE stadt = 'Basel'",
         "12 Tiere leben in Basel."),
        ("Wie viele Prozent der Tiere werden gefüttert?", 12, "SELECT COUNT(*) AS n FROM tiere", None),
        ("Wie hoch ist der Umsatz 2022?", 12.5, "SELECT SUM(umsatz) AS umsatz FROM kasse WHERE jahr = 2022",
         "Der Umsatz 2022 ist 12,5."),
    ],
)  # fmt: skip
def test_a_german_statement_is_held_against_its_rows(question: str, value: Any, sql: str, said: str | None) -> None:
    found = restate_text(Facts(question, QueryResult(columns=("n",), rows=((value,),)), sql))
    assert (found and found.text) == said


def test_a_full_stop_at_the_end_of_a_value_ends_the_sentence() -> None:
    found = restate_text(Facts("What is the motto of the zoo?", rows_of("All creatures."), "SELECT motto FROM zoo"))
    assert found is not None
    assert found.text == "The motto of the zoo is All creatures."


def test_a_statement_that_its_query_does_not_support_is_not_made() -> None:
    share, count = "How many percent of the animals are fed?", "How many of the animals are fed?"
    assert restate_text(Facts(share, rows_of(12), COUNT)) is None
    found = restate_text(Facts(count, rows_of(12), COUNT))
    assert found is not None
    assert found.text == "12 of the animals are fed."


AGREED = Verdict(reason="2 of 2 drafts", correct=True, source="drafts")


async def answer_of(question: str, attempt: Attempt, profile: Profile, model: ScriptedModel) -> str:
    writer = Writer(model, profile)
    checked = await writer.write_checked(question, attempt, None, CONTEXT, Ledger(), draft=None, calculate=True)
    model.assert_done()
    return checked.text


async def test_the_embedded_model_is_not_asked_for_one_value() -> None:
    question, attempt = "How many animals are there?", Attempt(sql=COUNT, result=rows_of(12), verdict=AGREED)
    assert await answer_of(question, attempt, EMBEDDED, ScriptedModel()) == "There are 12 animals."
    assert Writer(ScriptedModel(), EMBEDDED).composes(question, attempt, quick=False)


async def test_a_doubted_query_is_not_said_in_the_words_of_the_question() -> None:
    doubt = Doubt(rule="period_as_day", evidence="language", detail="It reads one day.")
    attempt = Attempt(sql=COUNT, result=rows_of(12), verdict=AGREED, doubts=(doubt,))
    assert await answer_of("How many animals are there?", attempt, EMBEDDED, ScriptedModel()) == "Animals: 12."


async def test_a_doubt_about_the_form_of_the_rows_contests_nothing() -> None:
    doubt = Doubt(rule="unasked_count", evidence="language", detail="Nobody asked for the count.")
    attempt = Attempt(sql=COUNT, result=rows_of(12), verdict=AGREED, doubts=(doubt,))
    assert await answer_of("How many animals are there?", attempt, EMBEDDED, ScriptedModel()) == "There are 12 animals."


async def test_the_judge_outweighs_a_doubt() -> None:
    doubt = Doubt(rule="period_as_day", evidence="language", detail="It reads one day.")
    accepted = AGREED.model_copy(update={"source": "judge"})
    attempt, model = Attempt(sql=COUNT, result=rows_of(12), verdict=accepted, doubts=(doubt,)), ScriptedModel()
    model.replies(text="There are 12 animals.")
    assert await answer_of("How many animals are there?", attempt, LARGE_HOSTED, model) == "There are 12 animals."


@pytest.mark.parametrize(
    ("question", "rows", "verdict", "profile"),
    [
        ("How many animals are there?", rows_of(12), AGREED, LARGE_HOSTED),
        ("How many animals are there?", rows_of(12), None, EMBEDDED),
        ("How many animals are there?", rows_of(12), AGREED.model_copy(update={"source": "judge"}), EMBEDDED),
        ("How many animals are there?", rows_of(1), AGREED, EMBEDDED),
        ("How many animals did Ann feed?", rows_of(12), AGREED, EMBEDDED),
        ("What is the oldest animal?", rows_of("Leo", 12), AGREED, EMBEDDED),
    ],
)
async def test_the_model_writes_every_other_sentence(
    question: str, rows: QueryResult, verdict: Verdict | None, profile: Profile
) -> None:
    model, attempt = ScriptedModel(), Attempt(sql=COUNT, result=rows, verdict=verdict)
    said = f"It is {' and '.join(str(value) for value in rows.rows[0])}."
    model.replies(text=said)
    assert await answer_of(question, attempt, profile, model) == said

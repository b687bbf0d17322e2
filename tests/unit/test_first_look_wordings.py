"""The questions to begin with: in each language whole sentences of that language, about the columns that they name."""

from __future__ import annotations

import pytest

from agent.understanding.clarification.words.languages import frames_of
from agent.understanding.first_look.questions import Asker, SeenSchema, SuggestedQuestion
from agent.understanding.first_look.wordings import WORDINGS
from executors.base import Column, Schema, Table

COLUMNS = {
    name: Column(name=name, type=type_)
    for name, type_ in (("amount", "DOUBLE"), ("rating", "DOUBLE"), ("status", "TEXT"), ("channel", "TEXT"),
                        ("ordered_on", "DATE"), ("paid_on", "DATE"))
}  # fmt: skip
TABLE = Table(name="orders", columns=tuple(COLUMNS.values()), row_count=9)
SCHEMA = Schema(database="shop", dialect="sqlite", tables=(TABLE,))


def questions(measure: str = "amount") -> list[SuggestedQuestion]:
    seen = SeenSchema(
        9,
        (COLUMNS[measure],),
        (COLUMNS["status"], COLUMNS["channel"]),
        (COLUMNS["ordered_on"], COLUMNS["paid_on"]),
        2024,
    )
    return list(Asker(SCHEMA, TABLE, seen).candidates())


def test_there_is_a_question_of_each_kind() -> None:
    kinds = ["groups", "months", "year", "highest", "counts", "total", "count"]
    assert [it.kind for it in questions()] == kinds


@pytest.mark.parametrize("language", WORDINGS)
@pytest.mark.parametrize("measure", ["amount", "rating"])
def test_every_question_is_of_its_language_and_names_its_columns(language: str, measure: str) -> None:
    for one in questions(measure):
        text = one.text(language)
        assert frames_of(text).language == language, text
        named = [it.name.replace("_", " ") for it in (one.measure, one.category, one.date) if it is not None]
        assert all(name in text for name in ["orders", *named]), text
        assert one.year is None or str(one.year) in text


def test_a_sum_and_a_mean_are_asked_in_other_words() -> None:
    for language in WORDINGS:
        sums, means = ({it.text(language).replace(name, "") for it in questions(name) if it.measure is not None}
                       for name in ("amount", "rating"))  # fmt: skip
        assert not sums & means


def test_german_nouns_keep_their_capital() -> None:
    columns = Column(name="Betrag (EUR)", type="DOUBLE"), Column(name="Sorte", type="TEXT")
    table = Table(name="Ernten", columns=columns, row_count=9)
    one = SuggestedQuestion("groups", "", table, measure=columns[0], category=columns[1])
    assert one.text("de") == "Wie hoch ist die Summe von Betrag (EUR) in Ernten je Sorte?"
    assert one.text("en") == "What is the total Betrag (EUR) of Ernten records for each Sorte?"


@pytest.mark.parametrize(
    "names, text, why",
    [
        (("Brutto Betrag", "Kunde"), "the total Brutto Betrag of Rechnungen records for each Kunde", "headings"),
        (("Größe", "art"), "the average Größe of Rechnungen records for each art", "letters of another language"),
        (("UnitPrice", "Country"), "the average unit price of rechnungen records for each country", "an identifier"),
        (("unit_price", "Country"), "the average unit price of rechnungen records for each country", "another one"),
        (("price", "country"), "the average price of rechnungen records for each country", "plain words"),
        (("PRICE", "COUNTRY"), "the average price of rechnungen records for each country", "as Oracle has them"),
    ],
)
def test_headings_stay_as_they_are_written(names: tuple[str, str], text: str, why: str) -> None:
    columns = Column(name=names[0], type="DOUBLE"), Column(name=names[1], type="TEXT")
    table = Table(name="Rechnungen", columns=columns, row_count=9)
    one = SuggestedQuestion("groups", "", table, measure=columns[0], category=columns[1])
    assert one.text("en") == f"What is {text}?", why


def test_in_a_language_without_wording_the_question_is_english() -> None:
    assert questions()[0].text("nl") == "What is the total amount of orders for each status?"

"""Values that a question spells out, almost spells, or dates: found in the columns that hold them."""

from __future__ import annotations

import pytest

from rag.linking.dates import periods_in
from rag.linking.values import LinkedValue, StoredValues, ValueIndex, find_quoted
from rag.words import phrases, words

STORED = (
    StoredValues(table="publisher", column="name", values=("George Lucas", "Marvel Comics", "DC Comics", "Sony")),
    StoredValues(table="race", column="race", values=("Vampire", "Human", "Cat-Person")),
    StoredValues(table="college", column="state", values=("CA", "NY", "US")),
    StoredValues(table="college", column="city", values=("New York", "York", "O'Fallon", "Ålesund")),
    StoredValues(table="payment", column="status", values=("success", "failed", "active")),
    StoredValues(table="payment", column="paid_on", values=("2023-04-01", "2023-04-17 10:00:00", "2022-12-31")),
    StoredValues(table="room", column="code", values=("7", "101", "B")),
    StoredValues(table="client", column="country", values=("FR", "DE", "GB", "KR", "CL", "XK")),
    StoredValues(table="client", column="origin", values=("USA", "CHE", "CAN", "ITA", "MEX")),
    StoredValues(table="client", column="dept", values=("IT", "HR", "SE", "DE", "NO")),
    StoredValues(table="client", column="region", values=("SE", "NE", "NW", "SW")),
    StoredValues(table="client", column="grade", values=("AT", "BE")),
    StoredValues(table="menu", column="dish", values=("Chilen",)),
    StoredValues(table="client", column="state", values=("DE", "CA")),
    StoredValues(table="client", column="language", values=("DE", "IT")),
)
INDEX = ValueIndex(STORED, names=words("publisher race college status payment room"))


def found(text: str) -> list[LinkedValue]:
    return INDEX.find(text)


@pytest.mark.parametrize(
    "question, value, how, why",
    [
        ("What did George Lucas publish?", "George Lucas", "exact", "as it is stored"),
        ("What did george lucas publish?", "George Lucas", "case", "in another case"),
        ("Is 'MARVEL COMICS' older?", "Marvel Comics", "case", "in quotes and another case"),
        ("How many vampires are there?", "Vampire", "form", "the plural"),
        ("List every cat person.", "Cat-Person", "case", "another sign between the words"),
        ("Who lives in OFallon or O'Fallon?", "O'Fallon", "exact", "a sign inside of a word"),
        ("hotels in ålesund", "Ålesund", "case", "letters beyond ASCII"),
        ("How many colleges are in the US?", "US", "exact", "a word that says nothing, but for its capitals"),
        ("Which room is 101?", "101", "exact", "a number that is stored as a text"),
        ("Who pays in room 'B'?", "B", "exact", "one letter, in quotes"),
        ("What did Gorge Lucas publish?", "George Lucas", "near", "a letter is missing"),
        ("How many vampyres?", "Vampire", "near", "a wrong letter"),
        ("Is DC older?", "DC Comics", "near", "a part of a name"),
        ("Comics by Lucas, George", "George Lucas", "near", "the names the other way round"),
        ("successful ones", "success", "near", "a longer word"),
        ("paid on Apr 1, 2023", "2023-04-01", "date", "a date in words"),
        ("paid on 17 April 2023", "2023-04-17 10:00:00", "date", "a day that has a time"),
        ("paid in December 2022", "2022-12-31", "date", "a day of the month"),
        ("paid in the second quarter of 2023", "2023-04-01", "date", "the first day of the quarter"),
        ("paid in 2022", "2022-12-31", "date", "the last day of the year"),
        ("How many clients are from France?", "FR", "country", "the code of a country"),
        ("Kunden aus Großbritannien", "GB", "country", "its name in another language"),
        ("the united kingdom's clients", "GB", "meaning", "in small letters, which may be a thing"),
        ("Clients from South Korea", "KR", "country", "a name of two words"),
        ("Who comes from the United States?", "USA", "country", "a code of three letters"),
        ("한국 고객", "KR", "country", "in Korean"),
    ],
)
def test_links(question: str, value: str, how: str, why: str) -> None:
    assert (value, how) in {(it.value, it.how) for it in found(question)}, why


@pytest.mark.parametrize(
    "question, value, why",
    [
        ("Show us the colleges.", "US", "a word that says nothing"),
        ("What are the top 7 colleges?", "7", "a short number counts something"),
        ("Is there a plan b?", "B", "a single letter"),
        ("How humane is it?", "George Lucas", "nothing alike"),
        ("paid on April 31, 2023", "2023-04-01", "no date"),
        ("paid in May 2023", "2023-04-01", "another month"),
        ("Who was cited?", "CA", "two letters of a longer word"),
        ("Who is from Canada?", "CA", "a state's code"),
        ("Can you list them?", "CAN", "a code that is a word"),
        ("Who is from Italy?", "IT", "a department's code"),
        ("Who is from Sweden?", "SE", "a department, and a region in the south-east"),
        ("Who is from Austria?", "AT", "two values that may be anything"),
        ("Clients of Northern Ireland or New Mexico", "MEX", "another place"),
    ],
)
def test_does_not_link(question: str, value: str, why: str) -> None:
    assert value not in {it.value for it in found(question)}, why


def test_what_was_said_and_where_it_stands_are_told() -> None:
    (value,) = found("What did george lucas publish?")
    assert (value.table, value.column, value.mention) == ("publisher", "name", "george lucas")
    assert value.is_sure


def test_a_country_means_its_code_in_columns_of_countries_alone() -> None:
    links = [(it.column, it.value, it.is_sure, it.score) for it in found("Who is from Germany?")]
    assert links == [("country", "DE", True, 0.95)]


def test_a_country_in_small_letters_does_not_hide_another_value() -> None:
    assert {(it.value, it.how) for it in found("Who ordered chile?")} == {("CL", "meaning"), ("Chilen", "near")}


def test_an_offer_is_not_sure() -> None:
    assert [it.is_sure for it in found("Is DC older?")] == [False]


def test_the_longer_value_comes_first_and_its_parts_after_it() -> None:
    assert [it.value for it in found("colleges in New York")] == ["New York", "York"]


def test_a_plain_word_of_a_name_more_probably_means_the_column() -> None:
    index = ValueIndex((StoredValues(table="t", column="kind", values=("Status", "Kite")),), names={"statu", "status"})
    scores = {it.value: it.score for it in index.find("every status of a kite")}
    assert scores["Status"] < scores["Kite"]


def test_a_word_that_many_values_share_tells_none_of_them() -> None:
    many = StoredValues(table="t", column="c", values=tuple(f"Road {number}" for number in range(100)))
    assert ValueIndex((many,)).find("Who lives in Road?") == []


def test_the_same_question_gives_the_same_values_in_the_same_order() -> None:
    turned = ValueIndex(tuple(reversed(STORED)), names=words("publisher race college status payment room"))
    question = "Did George Lucas or Marvel comics pay in New York on Apr 1, 2023?"
    assert turned.find(question) == found(question)


@pytest.mark.parametrize(
    "text, days",
    [
        ("between Apr 1, 2023 and 3rd of May 2022", ["2023-04-01 2023-04-01", "2022-05-03 2022-05-03"]),
        ("in sept. 2021", ["2021-09-01 2021-09-30"]),
        ("2020/3/4 and 2020-03-05", ["2020-03-04 2020-03-04", "2020-03-05 2020-03-05"]),
        ("the first quarter of 2023, then Q4 2024", ["2023-01-01 2023-03-31", "2024-10-01 2024-12-31"]),
        ("February of 2024", ["2024-02-01 2024-02-29"]),
        ("in 2023", ["2023-01-01 2023-12-31"]),
        ("more than 2023 of them", []),
        ("4/1/2023", []),
        ("Summe im März 2024, am 4. Mai 2023", ["2024-03-01 2024-03-31", "2023-05-04 2023-05-04"]),
        ("le 1er août 2023 et en fevrier 2024", ["2023-08-01 2023-08-01", "2024-02-01 2024-02-29"]),
        ("el 4 de marzo de 2025, en 2024", ["2025-03-04 2025-03-04", "2024-01-01 2024-12-31"]),
        ("nel giugno 2023, nel 2024", ["2023-06-01 2023-06-30", "2024-01-01 2024-12-31"]),
        ("2025년 3월, 2024년 5월 4일", ["2025-03-01 2025-03-31", "2024-05-04 2024-05-04"]),
        ("2025年3月4日，2024年", ["2025-03-04 2025-03-04", "2024-01-01 2024-12-31"]),
        (
            "3. Quartal 2024, 2e trimestre 2023, 2022년 1분기",
            ["2024-07-01 2024-09-30", "2023-04-01 2023-06-30", "2022-01-01 2022-03-31"],
        ),
        ("marathon 2024", []),
        ("Feb 30, 2023", []),
    ],
)
def test_times_are_read_with_their_first_and_last_day(text: str, days: list[str]) -> None:
    assert [f"{it.first} {it.last}" for it in periods_in(text)] == days


def test_quotes_of_every_kind_are_seen_and_apostrophes_are_none() -> None:
    assert find_quoted("""status = 'success', the user's "Big One" and “that”""") == ["success", "Big One", "that"]


def test_a_question_has_a_phrase_for_each_thing_that_it_is_about() -> None:
    assert phrases("What is the eye colour of George Lucas's hero, and how many Star-Trek films are there?") == [
        "eye colour",
        "George Lucas",
        "hero",
        "Star-Trek films",
    ]

"""Which column is meant by a value that several hold."""

from __future__ import annotations

import pytest

from rag.linking.values import How, LinkedValue, places_meant

AMONG = {
    ("dorm", "gender"): 3,
    ("student", "sex"): 2,
    ("hero", "hero_name"): 700,
    ("race", "race"): 60,
    ("customers", "name"): 40,
    ("suppliers", "name"): 30,
}


def _values(value: str, said: str, *places: str, how: How = "exact") -> list[LinkedValue]:
    named = (place.split(".") for place in places)
    return [LinkedValue(table, column, value, said, how, 1.0, AMONG[table, column]) for table, column in named]


@pytest.mark.parametrize(
    ("question", "value", "said", "places", "meant"),
    [
        ("Find the dorms only for female (F gender).", "F", "F", "dorm.gender student.sex", "dorm.gender"),
        ("What do the heroes weigh who are aliens?", "Alien", "aliens", "hero.hero_name race.race", "race.race"),
        ("How many heroes are aliens?", "Alien", "aliens", "hero.hero_name race.race", "race.race"),
        ("How many alien heroes are there?", "Alien", "alien", "hero.hero_name race.race", "race.race"),
        ("Find dorms whose gender is F.", "F", "F", "dorm.gender student.sex", "dorm.gender"),
        ("What did customer Miller buy?", "Miller", "Miller", "customers.name suppliers.name", "customers.name"),
        ("Which of the suppliers Miller & Sons are new?", "Miller", "Miller", "customers.name suppliers.name",
         "suppliers.name"),
    ],
)  # fmt: skip
def test_what_stands_beside_it_and_its_case_say_which(
    question: str, value: str, said: str, places: str, meant: str
) -> None:
    kept = places_meant(_values(value, said, *places.split()), question)

    assert [f"{it.table}.{it.column}" for it in kept] == [meant]


@pytest.mark.parametrize(
    ("question", "value", "said", "places"),
    [
        ("Who is called Alien?", "Alien", "Alien", "hero.hero_name race.race"),  # a name as much as a kind
        ("What did Miller buy?", "Miller", "Miller", "customers.name suppliers.name"),
        ("Did customer Miller buy of supplier Miller?", "Miller", "Miller", "customers.name suppliers.name"),
        ("how many orders are from alien?", "Alien", "alien", "hero.hero_name race.race"),  # no capital says anything
        ("Which sex in F is rarer?", "F", "F", "dorm.gender student.sex"),  # it is not what the column is
        ("Which dorms are of F gender, and who is F?", "F", "F", "dorm.gender student.sex"),  # said twice
        ("How many are f?", "F", "f", "dorm.gender student.sex"),  # both are kinds
        ("Who came on 2024-05-01?", "2024-05-01", "2024-05-01", "customers.name race.race"),
    ],
)
def test_where_nothing_says_which_all_stay(question: str, value: str, said: str, places: str) -> None:
    values = _values(value, said, *places.split(), how="date" if value.startswith("2024") else "exact")

    assert places_meant(values, question) == values


def test_one_place_stays_whatever_stands_beside_it() -> None:
    values = _values("Alien", "aliens", "hero.hero_name") + _values("F", "F", "dorm.gender", "student.sex")

    kept = places_meant(values, "Which aliens of sex F are there?")

    assert [it.column for it in kept] == ["hero_name", "sex"]

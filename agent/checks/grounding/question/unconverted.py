"""Amounts of a question that its query compares with a column of another unit: "longer than a day", `hours > 1`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from agent.checks.grounding.evidence.facts import Facts, units_in_docs
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.words import words_of
from agent.checks.grounding.numbers.number_words import read_number_words
from agent.checks.grounding.numbers.numerals import is_european, readings

# The size of each unit in the first one of its line, and its names.
_UNITS = """
    1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi|
    60 min mins minute minutes minuten minuto minutos minuti|
    3600 h hr hrs hour hours std stunde stunden heure heures hora horas ora ore|
    86400 day days tag tage tagen jour jours día días giorno giorni|
    604800 week weeks woche wochen semaine semaines semana semanas settimana settimane|
    2629800 month months monat monate monaten mois mes meses mese mesi|
    31557600 year years yr yrs jahr jahre jahren an ans année années año años anno anni;
    0.001 mm millimeter millimeters millimetre millimetres|0.01 cm centimeter centimeters centimetre centimetres|
    1 m meter meters metre metres metern mètre mètres metro metros metri|
    1000 km kilometer kilometers kilometre kilometres kilometern kilomètre kilomètres kilómetro kilómetros chilometri|
    0.0254 inch inches zoll|0.3048 ft foot feet|0.9144 yard yards|1609.344 mi mile miles meile meilen;
    0.001 mg milligram milligrams|1 g gram grams gramm gramme grammes gramos grammi|
    1000 kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramos chilogrammi|
    1000000 t ton tons tonne tonnes tonnen toneladas tonnellate|453.6 lb lbs pound pounds|28.35 oz ounce ounces;
    0.001 ml milliliter milliliters millilitre millilitres|1 l liter liters litre litres litern litros litri|
    3.785 gallon gallons;
    1 wh|1000 kwh|1000000 mwh|1000000000 gwh;1 w watt watts|1000 kw kilowatt kilowatts|1000000 mw megawatt megawatts;
    1 kb|1000 mb|1000000 gb|1000000000 tb
"""
_SIZES: dict[str, tuple[int, float]] = {
    name: (kind, float(size))
    for kind, line in enumerate(_UNITS.split(";"))
    for size, *names in (it.split() for it in line.split("|"))
    for name in names
}
_POINT_NAMES = """
    second minute hour day week month year stunde tag woche monat jahr jour mois mes an año
"""
_ARTICLE_WORDS = """
    a an one ein eine einen einer einem un une una uno
"""
_BOUND_WORDS = """
    than over above under below least most exceed exceeds exceeded exceeding within als über unter mindestens höchstens
    de du moins plus menos más meno di oltre
"""
_POINTS = frozenset(_POINT_NAMES.split())  # in a column's name, points in time: `start_hour`, `birth_year`
_ARTICLES, _BOUNDS = frozenset(_ARTICLE_WORDS.split()), frozenset(_BOUND_WORDS.split())
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_TOLERANCE = 0.03  # a month of 30 days; a megabyte of 1024 kilobytes


class Amount(NamedTuple):
    """A number and its unit, as written. unit: its kind and size."""

    text: str
    value: float
    unit: tuple[int, float]


class ComparedAmount(NamedTuple):
    """An amount of a question, and a column of its kind that the query compares with a number.

    is_same: whether that is the same amount. If not, it is the bare number in another unit.
    """

    amount: Amount
    column: str
    number: str
    is_same: bool


def amounts_in(text: str, language: str | None) -> list[Amount]:
    """The amounts with a unit: "2 days", "24-hour", "zwei Tage", and "a day" after a bound."""
    found = list(_WORD.finditer(text))
    spoken = [it[0].lower() for it in found]
    amounts: list[Amount] = []
    for place, word in enumerate(spoken):
        in_words = read_number_words(spoken, place, language) if language is not None and word.isalpha() else None
        value, length = (float(in_words[0]), in_words[1]) if in_words is not None else (None, 1)
        read = readings(word) if word[0].isdecimal() else ()
        if len(read) == 1 or (read and language is not None):  # "1.500 m" depends on the language
            value = float(read[-1 if is_european(language) else 0].value)
        elif word in _ARTICLES and place and spoken[place - 1] in _BOUNDS:
            value, length = 1.0, 1
        unit = _SIZES.get(spoken[place + length]) if place + length < len(spoken) else None
        if value is not None and unit is not None:
            last = found[place + length]
            amounts.append(Amount(text[found[place].start() : last.end()], value, unit))
    return amounts


def compare_amounts(
    question: str, compared: Sequence[tuple[str, str]], docs_of: Callable[[str], Iterable[str]]
) -> Iterator[ComparedAmount]:
    """The amounts of a question that the query compares: the same ones, or else their bare numbers in another unit.

    Args:
        compared: the columns that the query compares with numbers, each with its number.
        docs_of: the docs of a column.
    """
    amounts = amounts_in(question, language_of(question)) if compared else []
    found = [it for amount in amounts for it in _compare(amount, compared, docs_of)]
    same = {(it.column, it.number) for it in found if it.is_same}
    for amount in amounts:
        own = [it for it in found if it.amount == amount]
        # A number that is another amount of the question is not this one: "after 2 years, for 2 days".
        yield from [it for it in own if it.is_same or (it.column, it.number) not in same][:1]


def _compare(
    amount: Amount, compared: Sequence[tuple[str, str]], docs_of: Callable[[str], Iterable[str]]
) -> list[ComparedAmount]:
    (kind, size), found = amount.unit, list[ComparedAmount]()
    for column, number in compared:
        unit = _unit_of(column, docs_of(column))
        if unit is not None and unit[0] == kind:
            wanted = amount.value * size
            is_same = abs(float(number) * unit[1] - wanted) <= _TOLERANCE * wanted
            if is_same or float(number) == amount.value:
                found.append(ComparedAmount(amount, column, number, is_same))
    return sorted(found, key=lambda it: not it.is_same)


def find_unconverted(text: str, facts: Facts) -> Iterator[Problem]:
    """The amounts that a text repeats from the question although the query compares them in another unit."""
    said = {(it.value, it.unit): it.text for it in amounts_in(text, facts.language)}
    for found in compare_amounts(facts.question, facts.query.compared, facts.docs_of_column):
        written = said.get((found.amount.value, found.amount.unit))
        if written is not None and not found.is_same:
            yield Problem(written, f"the query compares {found.column} with {found.number}, in another unit")


def _unit_of(column: str, docs: Iterable[str]) -> tuple[int, float] | None:
    """The unit in the last word of a column's name, or else the only one in its docs."""
    last = (words_of(column) or [""])[-1]
    if last in _SIZES and last not in _POINTS and (len(last) > 1 or len(words_of(column)) > 1):
        return _SIZES[last]
    told = {_SIZES[it] for text in docs for it in units_in_docs(text) if it in _SIZES}
    return told.pop() if len(told) == 1 else None

"""Measures whether false sentences are shown and true ones refused.

    python -m bench.grounding [--seed 1] [--worlds 12] [--held-out] [--show 20]

Result tables of several shapes (one value, one row, groups, countries, a time series, no rows, NULL, 500 rows,
percentages, lists of names with digits) are made from a seed; true sentences about them in five languages, and up to
sixteen kinds of falsification of each. Every sentence is checked against its rows like an answer. Exits with 1 where
fewer than 99 % of the false ones, or more than 2 % of the true ones, are refused. `--held-out` takes the sentences that
no rule was tuned on.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from agent.checks.grounding.answer import check_written
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.numbers.display import ColumnFormat, format_number
from bench import grounding_words as words
from executors.base import JsonValue, QueryResult
from rag.docs.documents import Document, make_document

LANGUAGES = ("en", "de", "fr", "es", "it")
WANTED_REFUSED, MOST_TRUE_REFUSED = 0.99, 0.02
DOCS: tuple[Document, ...] = (
    make_document("column", "What the customer paid, in euros.", table="trips", column="price"),
    make_document("column", "Distance driven, in km.", table="vehicles", column="distance"),
)
_MARCH = "started_at >= '2024-03-01' AND started_at < '2024-04-01'"
_OF_MARCH = f"FROM trips WHERE {_MARCH}"


@dataclass(frozen=True)
class World:
    """A question with its rows, and what fills the holes of a sentence about them.

    numbers: the exact value of each hole that holds a number; `style` writes one.
    """

    shape: str
    language: str
    facts: Facts
    holes: Mapping[str, str]
    numbers: Mapping[str, Fraction]
    unit: str = ""
    percent: bool = False
    others: tuple[str, ...] = ()  # names that no row has


@dataclass(frozen=True)
class Sentence:
    """A sentence about a world, with the frame that it was made from."""

    world: World
    frame: str
    text: str
    kind: str = "true"


def written(value: Fraction, world_unit: str, language: str, decimals: int | None = None) -> str:
    """A number as a writer of the language would put it, with its unit where that is money or a share."""
    style = ColumnFormat(decimals=decimals) if decimals is not None else ColumnFormat()
    digits = format_number(value, language, style)
    if world_unit == "€":
        return f"€{digits}" if language == "en" else f"{digits} €"
    if world_unit == "%":
        return f"{digits}%" if language == "en" else f"{digits} %"
    return digits


def worlds(chance: random.Random, count: int) -> Iterator[World]:
    """So many worlds of each shape and language."""
    for _ in range(count):
        for language in LANGUAGES:
            for make in _SHAPES.values():
                yield make(chance, language)


def _facts(
    shape: str, language: str, columns: tuple[str, ...], rows: list[tuple[JsonValue, ...]], sql: str, **more: str
) -> Facts:
    return Facts(
        question=words.QUESTIONS[shape][language].format(**more),
        result=QueryResult(columns=columns, rows=tuple(rows)),
        sql=sql,
        documents=DOCS,
    )  # fmt: skip


def _world(
    shape: str, language: str, facts: Facts, numbers: dict[str, Fraction], unit: str = "", **names: str
) -> World:
    condition, leading = words.CONDITIONS[language]
    holes = {"c": condition, "C": leading, **names}
    for hole, value in numbers.items():
        share = hole == "share"
        decimals = 2 if unit == "€" else 1 if share or unit == "%" else None
        holes[hole] = written(value, "%" if share else unit, language, decimals)
    if unit == "€" and "v" in numbers:
        value = numbers["v"]
        near = format_number(Fraction(round(value / 10**4), 100), language, ColumnFormat(decimals=2))
        millions = f"{near} {words.MILLIONS[language]}"
        holes["round"] = f"€{millions}" if language == "en" else f"{millions} €"
    return World(shape, language, facts, holes, numbers, unit=unit)


def _vehicles(chance: random.Random, count: int) -> list[str]:
    kinds = ("Truck", "Van", "Actros", "Sprinter", "Bus", "MAN TGX", "Volvo FH")
    found: list[str] = []
    while len(found) < count:
        name = f"{chance.choice(kinds)} {chance.randint(2, 99)}"
        if name not in found:
            found.append(name)
    return found


def _count(chance: random.Random, language: str) -> World:
    value = chance.choice((chance.randint(21, 999), chance.randint(1001, 99_999)))
    facts = _facts("count", language, ("n",), [(value,)], f"SELECT COUNT(*) AS n {_OF_MARCH}")
    return _world("count", language, facts, {"v": Fraction(value)})


def _money(chance: random.Random, language: str) -> World:
    cents = chance.randint(105_000_000, 899_999_999)
    facts = _facts("money", language, ("revenue",), [(cents / 100,)], f"SELECT SUM(price) AS revenue {_OF_MARCH}")
    return _world("money", language, facts, {"v": Fraction(cents, 100)}, "€")


def _top(chance: random.Random, language: str) -> World:
    name, other = _vehicles(chance, 2)
    value = chance.randint(21, 999)
    sql = f"SELECT vehicle, COUNT(*) AS trips {_OF_MARCH} GROUP BY vehicle ORDER BY trips DESC LIMIT 1"
    facts = _facts("top", language, ("vehicle", "trips"), [(name, value)], sql)
    return replace(_world("top", language, facts, {"v0": Fraction(value)}, n0=name), others=(other,))


def _groups(chance: random.Random, language: str) -> World:
    *names, other = _vehicles(chance, chance.randint(4, 7))
    values = sorted(chance.sample(range(21, 999), len(names)), reverse=True)
    rows: list[tuple[JsonValue, ...]] = list(zip(names, values, strict=True))
    sql = f"SELECT vehicle, COUNT(*) AS trips {_OF_MARCH} GROUP BY vehicle ORDER BY trips DESC"
    facts = _facts("groups", language, ("vehicle", "trips"), rows, sql)
    numbers = {f"v{place}": Fraction(value) for place, value in enumerate(values[:3])}
    numbers |= {"sum": Fraction(sum(values)), "diff": Fraction(values[0] - values[1])}
    numbers |= {"share": Fraction(values[0], sum(values)) * 100, "mean": _half(Fraction(sum(values), len(values)))}
    found = _world("groups", language, facts, numbers, n0=names[0], n1=names[1], n2=names[2])
    return replace(found, others=(other,))


def _half(value: Fraction) -> Fraction:
    return Fraction(round(value * 100), 100)


def _countries(chance: random.Random, language: str) -> World:
    *codes, other = chance.sample(sorted(words.COUNTRIES), 5)
    values = sorted(chance.sample(range(21, 999), len(codes)), reverse=True)
    rows: list[tuple[JsonValue, ...]] = list(zip(codes, values, strict=True))
    sql = "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC"
    facts = _facts("countries", language, ("country", "customers"), rows, sql)
    numbers = {f"v{place}": Fraction(value) for place, value in enumerate(values[:3])} | {"sum": Fraction(sum(values))}
    names = {f"n{place}": words.COUNTRIES[code][language] for place, code in enumerate(codes[:3])}
    return replace(_world("countries", language, facts, numbers, **names), others=(words.COUNTRIES[other][language],))


def _series(chance: random.Random, language: str) -> World:
    cents = sorted((chance.randint(1_000_000, 9_999_999) for _ in range(6)), reverse=True)
    rows: list[tuple[JsonValue, ...]] = [(f"2024-{month:02}", value / 100) for month, value in enumerate(cents, 1)]
    sql = ("SELECT strftime('%Y-%m', started_at) AS month, SUM(price) AS revenue FROM trips "
           "WHERE started_at >= '2024-01-01' AND started_at < '2025-01-01' GROUP BY month ORDER BY month")  # fmt: skip
    facts = _facts("series", language, ("month", "revenue"), rows, sql)
    numbers = {f"v{place}": Fraction(value, 100) for place, value in enumerate(cents[:3])}
    numbers["sum"] = Fraction(sum(cents), 100)
    of = " de" if language == "es" else ""
    names = {f"n{place}": f"{words.MONTHS[language][place]}{of} 2024" for place in range(3)}
    return replace(
        _world("series", language, facts, numbers, "€", **names), others=(f"{words.MONTHS[language][6]}{of} 2024",)
    )


def _nothing(_chance: random.Random, language: str) -> World:
    sql = f"SELECT vehicle FROM accidents WHERE {_MARCH}"
    return _world("nothing", language, _facts("nothing", language, ("vehicle",), [], sql), {})


def _null(chance: random.Random, language: str) -> World:
    name, other = _vehicles(chance, 2)
    sql = f"SELECT mileage FROM vehicles WHERE vehicle = '{name}'"
    facts = _facts("null", language, ("mileage",), [(None,)], sql, n0=name)
    return replace(_world("null", language, facts, {}, n0=name), others=(other,))


def _many(chance: random.Random, language: str) -> World:
    numbered = [f"Truck {place}" for place in range(100, 600)]
    chance.shuffle(numbered)
    values = [chance.randint(10_000, 999_999) for _ in numbered]
    rows: list[tuple[JsonValue, ...]] = list(zip(numbered, values, strict=True))
    facts = _facts("many", language, ("vehicle", "distance"), rows, "SELECT vehicle, distance FROM vehicles")
    numbers = {f"v{place}": Fraction(value) for place, value in enumerate(values[:3])}
    found = _world("many", language, facts, numbers, "km", n0=numbered[0], n1=numbered[1], n2=numbered[2])
    return replace(found, others=("Truck 99",))


def _percent(chance: random.Random, language: str) -> World:
    share = chance.randint(101, 4999) / 10_000
    sql = f"SELECT AVG(late) AS late_share {_OF_MARCH}"
    facts = _facts("percent", language, ("late_share",), [(share,)], sql)
    value = Fraction(round(Fraction(repr(share)) * 1000), 10)
    return replace(_world("percent", language, facts, {"v": value}, "%"), percent=True)


def _list(chance: random.Random, language: str) -> World:
    *names, other = _vehicles(chance, 4)
    rows: list[tuple[JsonValue, ...]] = [(name,) for name in names]
    facts = _facts("list", language, ("vehicle",), rows, "SELECT vehicle FROM vehicles WHERE status = 'workshop'")
    found = _world("list", language, facts, {"count": Fraction(3)}, n0=names[0], n1=names[1], n2=names[2])
    return replace(found, others=(other,))


_SHAPES: Mapping[str, Callable[[random.Random, str], World]] = {
    "count": _count, "money": _money, "top": _top, "groups": _groups, "countries": _countries, "series": _series,
    "nothing": _nothing, "null": _null, "many": _many, "percent": _percent, "list": _list,
}  # fmt: skip


# ------------------------------------------------------------------------------------------- falsification


def true_sentences(world: World, frames: words.Sentences) -> Iterator[Sentence]:
    """Every sentence of a world's shape and language."""
    for frame in frames[world.shape][world.language]:
        yield Sentence(world, frame, frame.format(**world.holes))


def falsified(sentence: Sentence, chance: random.Random) -> Iterator[Sentence]:
    """The sentence made false, once for each kind that is possible."""
    for kind, make in FALSIFICATIONS.items():
        text = make(sentence, chance)
        if text is not None and text != sentence.text:
            yield replace(sentence, text=text, kind=kind)


def _with(sentence: Sentence, **holes: str) -> str:
    return sentence.frame.format(**{**sentence.world.holes, **holes})


def _hole(sentence: Sentence, chance: random.Random, *, among: str = r"v\d?|sum|mean|diff|share|count") -> str | None:
    found = [name for name in re.findall(r"{(\w+)}", sentence.frame) if re.fullmatch(among, name)]
    return chance.choice(found) if found else None


def _number(sentence: Sentence, hole: str, value: Fraction, decimals: int | None = None) -> str:
    world = sentence.world
    unit = "%" if hole == "share" else world.unit
    places = decimals if decimals is not None else 2 if unit == "€" else 1 if unit == "%" else None
    return _with(sentence, **{hole: written(value, unit, world.language, places)})


def another_rows_value(sentence: Sentence, chance: random.Random) -> str | None:
    """The value of another row, beside the name."""
    hole = _hole(sentence, chance, among=r"v\d")
    others = [name for name in sentence.world.numbers if re.fullmatch(r"v\d", name) and name != hole]
    if hole is None or not others:
        return None
    return _with(sentence, **{hole: sentence.world.holes[chance.choice(others)]})


def swap(sentence: Sentence, _chance: random.Random) -> str | None:
    """Two names, each with the other's value."""
    if not {"n0", "n1", "v0", "v1"} <= set(re.findall(r"{(\w+)}", sentence.frame)):
        return None
    holes = sentence.world.holes
    return _with(sentence, v0=holes["v1"], v1=holes["v0"])


def another_name(sentence: Sentence, chance: random.Random) -> str | None:
    """A name that no row has."""
    hole = _hole(sentence, chance, among=r"n\d")
    return _with(sentence, **{hole: chance.choice(sentence.world.others)}) if hole and sentence.world.others else None


def scale(sentence: Sentence, chance: random.Random) -> str | None:
    """A thousand times as much, in digits or in a word; or ten times."""
    hole = _hole(sentence, chance)
    if hole is None or hole == "count":
        return None
    value = sentence.world.numbers[hole]
    if chance.random() < 0.5:
        return _number(sentence, hole, value * chance.choice((10, 1000)))
    word = chance.choice((words.MILLIONS, words.THOUSANDS))[sentence.world.language]
    shown = sentence.world.holes[hole]
    return _with(sentence, **{hole: re.sub(r"(\d)(?=\D*$)", rf"\1 {word}", shown, count=1)})


def unit(sentence: Sentence, chance: random.Random) -> str | None:
    """Another currency or unit; an added unit; an added percent sign."""
    world, hole = sentence.world, _hole(sentence, chance)
    if hole is None or hole in ("share", "count"):
        return None
    shown = world.holes[hole]
    if world.unit == "€":
        digits = shown.strip("€ ")
        return _with(sentence, **{hole: words.OTHER_UNITS["€"][world.language].format(digits=digits)})
    if world.unit == "km":
        return sentence.text.replace(f"{shown} km", f"{shown} {words.OTHER_UNITS['km'][world.language]}", 1)
    if world.unit == "%":
        return _with(sentence, **{hole: shown.strip("% ")})
    more = chance.choice((" €", " %", f" {words.OTHER_UNITS[''][world.language]}"))
    return _with(sentence, **{hole: shown + more})


def sign(sentence: Sentence, chance: random.Random) -> str | None:
    """A minus before a number that is above zero."""
    hole = _hole(sentence, chance)
    return _with(sentence, **{hole: f"-{sentence.world.holes[hole]}"}) if hole else None


def rounding(sentence: Sentence, chance: random.Random) -> str | None:
    """One more in the last digit that is written; or a rounded number that is the wrong one."""
    hole = _hole(sentence, chance)
    if hole is None:
        return None
    places = (
        2
        if sentence.world.unit == "€" and hole != "share"
        else 1
        if sentence.world.unit == "%" or hole == "share"
        else 0
    )
    step = Fraction(chance.choice((1, 2, 3)), 10**places)
    other = sentence.world.numbers[hole] + chance.choice((-1, 1)) * step
    return _number(sentence, hole, other, places or None)


def denial(sentence: Sentence, _chance: random.Random) -> str | None:
    """That there is none."""
    world = sentence.world
    thing = words.THINGS.get(world.shape) or words.THINGS["list" if world.shape == "many" else "count"]
    if world.shape in ("nothing", "null"):
        return None
    of = f" {world.holes['c']}" if "2024" in world.facts.question else ""
    return words.DENIALS[world.language].format(thing=thing[world.language], of=of)


def quantifier(sentence: Sentence, chance: random.Random) -> str | None:
    """A second sentence, that it is so of all."""
    world = sentence.world
    thing = words.THINGS.get(world.shape) or words.THINGS["list" if world.shape != "percent" else "count"]
    more = chance.choice(words.QUANTIFIERS[world.language]).format(thing=thing[world.language])
    return chance.choice((f"{sentence.text} {more}", more))


def superlative(sentence: Sentence, _chance: random.Random) -> str | None:
    """The other end of the scale, or another name at this end."""
    turned = sentence.text
    for one, other in words.OPPOSITES[sentence.world.language]:
        if one in turned:
            return turned.replace(one, other, 1)
    return None


def raw_value(sentence: Sentence, chance: random.Random) -> str | None:
    """A number that a single record behind the result may hold."""
    hole = _hole(sentence, chance)
    return _number(sentence, hole, Fraction(chance.randint(1, 19))) if hole and hole != "count" else None


def wrong_sum(sentence: Sentence, chance: random.Random) -> str | None:
    """A sum, mean or difference that is another one."""
    hole = _hole(sentence, chance, among="sum|mean|diff|count")
    if hole is None:
        return None
    return _number(sentence, hole, sentence.world.numbers[hole] + chance.choice((-7, -1, 1, 2, 13)))


def wrong_percentage(sentence: Sentence, chance: random.Random) -> str | None:
    """Another percentage: a digit off, a fraction of one, the rest to a hundred."""
    hole = (
        "share" if "{share}" in sentence.frame else "v" if sentence.world.percent and "{v}" in sentence.frame else None
    )
    if hole is None:
        return None
    value = sentence.world.numbers[hole]
    other = chance.choice((value / 100, 100 - value, value + 1, value / 10))
    return _number(sentence, hole, other, 2 if other == value / 100 else None)


def invented_extra(sentence: Sentence, chance: random.Random) -> str | None:
    """A claim that the rows do not support."""
    return f"{sentence.text.rstrip('.')}{chance.choice(words.EXTRAS[sentence.world.language])}."


def omitted_condition(sentence: Sentence, _chance: random.Random) -> str | None:
    """The same of all times."""
    if not re.search(r"{[cC]}", sentence.frame):
        return None
    text = re.sub(r"{C},? ?", "", sentence.frame)
    text = re.sub(r" ?{c}", "", text).format(**sentence.world.holes)
    return text[:1].upper() + text[1:]


def another_question(sentence: Sentence, chance: random.Random) -> str | None:
    """The bare number of one row, of all, or of the rows, where the question asks for each."""
    world = sentence.world
    if world.shape not in ("groups", "countries", "series", "many"):
        return None
    number = chance.choice([it for it in world.holes if it in ("v0", "v1", "sum")])
    begin = {"en": "It is", "de": "Es sind", "fr": "Il y en a", "es": "Son", "it": "Sono"}[world.language]
    return f"{begin} {world.holes[number]}."


FALSIFICATIONS: Mapping[str, Callable[[Sentence, random.Random], str | None]] = {
    "another row's value": another_rows_value,
    "swap": swap,
    "another name": another_name,
    "scale": scale,
    "unit": unit,
    "sign": sign,
    "rounding": rounding,
    "denial": denial,
    "quantifier": quantifier,
    "superlative": superlative,
    "raw value": raw_value,
    "wrong sum": wrong_sum,
    "wrong percentage": wrong_percentage,
    "invented extra": invented_extra,
    "omitted condition": omitted_condition,
    "another question": another_question,
}


# ---------------------------------------------------------------------------------------------------- measure


def is_refused(sentence: Sentence) -> tuple[str, ...]:
    """Why a sentence would not be shown; nothing where it would."""
    return check_written(sentence.text, sentence.world.facts).problems


def measure(seed: int, count: int, frames: words.Sentences, show: int) -> tuple[float, float, int]:
    """Print the figures; the shares of false and true sentences that were refused, and how many there were."""
    chance, began = random.Random(seed), time.perf_counter()
    made: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    wrong: list[str] = []
    for world in worlds(chance, count):
        for true in true_sentences(world, frames):
            for sentence in (true, *falsified(true, chance)):
                why = is_refused(sentence)
                made[sentence.kind] += 1
                refused[sentence.kind] += bool(why)
                if bool(why) is (sentence.kind == "true"):
                    wrong.append(f"[{sentence.kind}, {world.language}, {world.shape}] {sentence.text} {' '.join(why)}")
    for kind in made:
        print(f"{kind:<22}{made[kind]:>8}{refused[kind]:>8}{refused[kind] / made[kind]:>10.2%}")
    false = made.total() - made["true"]
    share = (refused.total() - refused["true"]) / false
    true_share = refused["true"] / made["true"]
    print(f"{'false, all kinds':<22}{false:>8}{refused.total() - refused['true']:>8}{share:>10.2%}")
    print(f"{made.total()} sentences, {time.perf_counter() - began:.1f} s")
    for line in random.Random(seed).sample(wrong, min(show, len(wrong))):
        print(line)
    return share, true_share, made.total()


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 where they are not good enough."""
    parser = argparse.ArgumentParser(prog="python -m bench.grounding", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=12, help="worlds of each shape and language")
    parser.add_argument("--held-out", action="store_true", help="use the sentences that no rule was tuned on")
    parser.add_argument("--show", type=int, default=0, help="wrong verdicts to print")
    options = parser.parse_args(arguments)
    print(f"{'kind':<22}{'made':>8}{'refused':>8}{'share':>10}")
    frames = words.HELD_OUT if options.held_out else words.TUNED
    share, true_share, _ = measure(options.seed, options.worlds, frames, options.show)
    return int(share < WANTED_REFUSED or true_share > MOST_TRUE_REFUSED)


if __name__ == "__main__":
    sys.exit(main())

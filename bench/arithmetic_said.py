"""Measures how well wrong results of calculations in words are corrected, on sentences from a seed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.arithmetic.equations import recompute
from agent.checks.grounding.numbers.display import format_number
from agent.checks.grounding.numbers.number_words import below_twenty

WANTED = 0.98
_NUMBER = re.compile(r"\d+(?:[.,\u202f]\d+)*")
# Holes: `a`, `b`, `c` operands; `r` the result. Each is followed by its value.
FORMS: tuple[tuple[str, str, str], ...] = (
    ("en", "sum", "The sum of {a}, {b} and {c} is {r}."),
    ("en", "sum", "{a}, {b} and {c} together are {r}."),
    ("en", "sum", "Together, {a}, {b} and {c} make {r}."),
    ("en", "mean", "The average of {a}, {b} and {c} is {r}."),
    ("en", "apart", "The difference between {a} and {b} is {r}."),
    ("en", "share", "{a} of {b} is {r} %."),
    ("en", "share", "{a} out of {b} customers are {r}%."),
    ("en", "change", "Sales rose from {a} to {b}, by {r} %."),
    ("en", "change", "From {a} to {b}, an increase of {r} %."),
    ("en", "apart", "Sales rose from {a} to {b} by {r}."),
    ("en", "times", "{b} is {r} times {a}."),
    ("en", "per", "{b} euros for {a} pieces are {r} euros each."),
    ("de", "sum", "Die Summe aus {a}, {b} und {c} ist {r}."),
    ("de", "sum", "{a}, {b} und {c} ergeben zusammen {r}."),
    ("de", "mean", "Der Durchschnitt von {a}, {b} und {c} beträgt {r}."),
    ("de", "share", "{a} von {b} sind {r} %."),
    ("de", "change", "Der Umsatz stieg von {a} auf {b} um {r} %."),
    ("fr", "sum", "La somme de {a}, {b} et {c} est {r}."),
    ("fr", "mean", "La moyenne de {a}, {b} et {c} est de {r}."),
    ("fr", "share", "{a} sur {b} font {r} %."),
    ("es", "sum", "La suma de {a}, {b} y {c} es {r}."),
    ("es", "mean", "La media de {a}, {b} y {c} es {r}."),
    ("es", "apart", "La diferencia entre {a} y {b} es {r}."),
    ("it", "sum", "La somma di {a}, {b} e {c} è {r}."),
    ("it", "mean", "La media di {a}, {b} e {c} è {r}."),
    ("it", "apart", "La differenza tra {a} e {b} è {r}."),
    ("en", "words", "{a} and {b} together are {r}."),
    ("de", "words", "{a} und {b} ergeben zusammen {r}."),
    ("fr", "words", "La somme de {a} et {b} est {r}."),
    ("es", "words", "La suma de {a} y {b} es {r}."),
    ("it", "words", "La somma di {a} e {b} è {r}."),
    ("en", "chain", "{a} + {b} = {r}, and {r} + {c} = {s}."),
)


class SentencePair(NamedTuple):
    """A true sentence, the same with a wrong result, and what that becomes: digits where it was in words."""

    language: str
    true: str
    false: str
    repaired: str


def make_pairs(seed: int, count: int) -> Iterator[SentencePair]:
    """So many of each form."""
    chance = random.Random(seed)
    for _ in range(count):
        for language, kind, frame in FORMS:
            yield _one(chance, language, kind, frame)


def _one(chance: random.Random, language: str, kind: str, frame: str) -> SentencePair:
    if kind == "words":
        return _in_words(chance, language, frame)
    a = chance.randint(12, 400) * chance.choice((1, 1, 10))
    b, c = a + chance.randint(5, 900), chance.randint(11, 2000)
    exact = {
        "sum": Fraction(a + b + c), "mean": Fraction(a + b + c, 3), "apart": Fraction(b - a), "chain": Fraction(a + b),
        "share": Fraction(a * 100, b), "change": Fraction((b - a) * 100, a), "times": Fraction(b, a),
        "per": Fraction(b, a),
    }[kind]  # fmt: skip
    result = Fraction(round(exact * 100), 100)
    wrong = result + chance.choice((-1, 1)) * chance.choice((1, 2, 7, 10))
    holes = {name: format_number(value, language) for name, value in (("a", a), ("b", b), ("c", c))}
    later = {"s": format_number(result + c, language)}
    after = {"s": format_number(wrong + c, language)}
    true = frame.format(**holes, r=format_number(result, language), **later)
    return SentencePair(language, true, frame.format(**holes, r=format_number(wrong, language), **after), true)


def _in_words(chance: random.Random, language: str, frame: str) -> SentencePair:
    words = below_twenty(language)
    a, b = chance.randint(2, 9), chance.randint(2, 9)
    wrong = chance.choice([it for it in words if it > 1 and it != a + b])
    holes = {"a": words[a], "b": words[b]}
    true, false = (frame.format(**holes, r=words[it]) for it in (a + b, wrong))
    return SentencePair(language, true, false, frame.format(**holes, r=a + b))


def measure(seed: int = 1, count: int = 40) -> tuple[int, float]:
    """Print and return how many true sentences were changed, and the share of false ones that were corrected."""
    sentences = list(make_pairs(seed, count))
    changed = [it for it in sentences if recompute(it.true, it.language).text != it.true]
    repaired = [it for it in sentences if _is_right(recompute(it.false, it.language).text, it.repaired)]
    share = len(repaired) / len(sentences)
    print(f"said in words{len(sentences):>17}{len(repaired):>12}{share:>10.2%}   true ones changed {len(changed)}")
    return len(changed), share


def _is_right(repaired: str, true: str) -> bool:
    """The true sentence, or the same with zeros or more decimals at the end of a number."""
    one, other = _NUMBER.findall(repaired), _NUMBER.findall(true)
    same = len(one) == len(other) and _NUMBER.sub("", repaired) == _NUMBER.sub("", true)
    return same and all(
        left.startswith(right) or right.startswith(left) for left, right in zip(one, other, strict=True)
    )

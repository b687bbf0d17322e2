"""Measures how well equations in prose are recomputed.

    python -m bench.arithmetic path/to/arithmetic.jsonl [--show 20] [--seed 1]

Each line of the file is an object with `text` (a sentence that holds one calculation), `expression` and `value`. Every
sentence is recomputed and must not change. Then its result is falsified in four ways; each time the true value must be
restored. A sentence whose own equation is false (`6*2.5 = 18`) is counted separately. Exits with 1 where a correct
sentence was changed or fewer than 99 % were repaired.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pydantic import BaseModel

from agent.checks.grounding.arithmetic.equations import recompute
from bench import arithmetic_said

WANTED = 0.99
_LANGUAGE = "en"  # of the sentences; its number words are read
_NUMBER = r"-?(?:\d+(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+)"
# The result follows an equality, perhaps with a currency sign between, and no operator follows it.
_RESULT = re.compile(
    rf"(?P<equality>=|\b(?:is|are|equals?|makes|gives)\b)\s*(?P<sign>-?)\s*[$€£]?\s*(?P<number>{_NUMBER})"
    r"(?![\d.,]*\d)(?!\s*[-+*/x×÷−–]\s*[$\d(.])"
)
# It follows a calculation: an operator with a number on each side.
_CALCULATION = re.compile(
    r"\d.*(?:[-+*/×÷−–·]|(?<![a-z])x(?![a-z])|\b(?:plus|minus|times|divided by|multiplied by)\b).*\d"
)
_PLAIN = re.compile(
    r"(?:^|[a-z]{2,}[,:]?\s)(?P<left>(?:\d+\.?\d*|\.\d+)(?:[-+*/](?:\d+\.?\d*|\.\d+))+)\s*=\s*\$?"
    rf"(?P<right>{_NUMBER})(?=[.,]?(?:\s+[a-z]|\s*$))"
)


class Sentence(BaseModel):
    """A sentence that holds one calculation, and what that comes to."""

    text: str
    expression: str
    value: str


@dataclass(frozen=True, slots=True)
class Falsified:
    """A sentence with a wrong result; `start` is its position, `after` the text that follows it."""

    kind: str
    text: str
    start: int
    after: str
    value: Fraction


def locate(sentence: Sentence) -> tuple[int, int] | None:
    """The position of the result: the value after an equality (a sign, not a word) that follows a calculation."""
    value = Fraction(sentence.value)
    found: list[tuple[bool, tuple[int, int]]] = []
    for match in _RESULT.finditer(sentence.text):
        stated = Fraction(match["number"].replace(",", "")) * (-1 if match["sign"] else 1)
        if stated == value and _CALCULATION.search(sentence.text, 0, match.start()):
            found.append((match["equality"] != "=", match.span("number")))
    return min(found, key=lambda place: place[0])[1] if found else None


def false_as_written(text: str) -> bool:
    """Does the sentence hold an untrue equation of digits and operators only? Read without the calculator."""
    return any(not _acceptable(m["right"], _plain_value(m["left"])) for m in _PLAIN.finditer(text))


def _plain_value(expression: str) -> Fraction:
    """`a op b op c …` without parentheses: products first, then sums."""
    total, product, sign, operator = Fraction(0), Fraction(1), 1, "*"
    for number, following in re.findall(r"(\d*\.?\d+)([-+*/]?)", expression):
        product = product * Fraction(number) if operator == "*" else product / Fraction(number)
        operator = following
        if following in ("+", "-", ""):
            total += sign * product
            product, sign, operator = Fraction(1), -1 if following == "-" else 1, "*"
    return total


def off_by_one(digits: str, chance: random.Random) -> str | None:
    """The last whole unit, one up or down."""
    whole, point, rest = digits.partition(".")
    number = int(whole.replace(",", "") or 0) + chance.choice((-1, 1))
    if number < 0:
        return None
    return (f"{number:,}" if "," in whole else str(number)) + point + rest


def digits_swapped(digits: str, chance: random.Random) -> str | None:
    """Two neighbouring digits that differ, swapped."""
    pairs = [i for i in range(len(digits) - 1) if digits[i : i + 2].isdigit() and digits[i] != digits[i + 1]]
    if not pairs:
        return None
    i = chance.choice(pairs)
    return digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]


def wrong_decimal(digits: str, chance: random.Random) -> str | None:
    """The decimal point one place to the left or right."""
    value = Fraction(digits.replace(",", "")) * chance.choice((Fraction(1, 10), Fraction(10)))
    places = next(n for n in range(20) if (value * 10**n).denominator == 1)
    return f"{float(value):.{places}f}" if value else None


def wrong_sign(digits: str, _chance: random.Random) -> str | None:
    """A minus is added."""
    return None if Fraction(digits.replace(",", "")) == 0 else f"-{digits}"


KINDS: dict[str, Callable[[str, random.Random], str | None]] = {
    "off by one": off_by_one,
    "digits swapped": digits_swapped,
    "wrong decimal": wrong_decimal,
    "wrong sign": wrong_sign,
}


def falsify(sentence: Sentence, chance: random.Random) -> Iterator[Falsified]:
    """The sentence with a truly wrong result, once for each kind that is possible."""
    span = locate(sentence)
    if span is None:
        return
    start, end = span
    value = Fraction(sentence.value)
    digits = sentence.text[start:end].lstrip("-")
    start = end - len(digits)
    for kind, change in KINDS.items():
        wrong = change(digits, chance)
        if wrong is None or _acceptable(wrong, value):
            continue
        yield Falsified(kind, sentence.text[:start] + wrong + sentence.text[end:], start, sentence.text[end:], value)


def _acceptable(stated: str, value: Fraction) -> bool:
    """Would the false result still be a correct rounding of the true one?"""
    decimals = len(stated.partition(".")[2])
    return abs(Fraction(stated.replace(",", "")) - value) <= Fraction(1, 2 * 10**decimals)


def is_repaired(falsified: Falsified) -> bool:
    """Whether the true value replaced the false one and the rest of the sentence is unchanged."""
    text = recompute(falsified.text, _LANGUAGE).text
    before = falsified.text[: falsified.start]
    if not text.endswith(falsified.after) or falsified.text == text:
        return False
    result = text[: len(text) - len(falsified.after)]
    # A sign belongs before the currency sign, so the text before the number is compared without signs and spaces.
    number = re.search(rf"{_NUMBER}$", result)
    if number is None or _bare(result[: number.start()]) != _bare(before):
        return False
    return abs(Fraction(number[0].replace(",", ""))) == abs(falsified.value) and _negative(result, number.start()) == (
        falsified.value < 0
    )


def _bare(text: str) -> str:
    return re.sub(r"[\s-]", "", text)


def _negative(text: str, at: int) -> bool:
    return bool(re.search(r"=\s*-\s*[$€£]?\s*$", text[:at])) or text[at : at + 1] == "-"


def main(arguments: list[str] | None = None) -> int:
    """Print the figures; 1 where they are not good enough."""
    parser = argparse.ArgumentParser(prog="python -m bench.arithmetic", description=__doc__)
    parser.add_argument("path", type=Path, help="sentences, one JSON object per line")
    parser.add_argument("--show", type=int, default=0, help="failures of each kind to print")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    lines = options.path.read_text(encoding="utf-8").splitlines()
    sentences = [Sentence.model_validate_json(line) for line in lines if line.strip()]
    return report(sentences, random.Random(options.seed), options.show)


def report(sentences: list[Sentence], chance: random.Random, show: int) -> int:
    """Measure and print; returns the exit status."""
    began = time.perf_counter()
    outcomes = [recompute(sentence.text, _LANGUAGE) for sentence in sentences]
    pairs = list(zip(sentences, outcomes, strict=True))
    false = [(s.text, o.text) for s, o in pairs if false_as_written(s.text)]
    changed = [(s.text, o.text) for s, o in pairs if s.text != o.text and not false_as_written(s.text)]
    unrecognised = [(s.text, "") for s, o in pairs if not o.values]
    made: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    missed: list[tuple[str, str]] = []
    for sentence in sentences:
        if false_as_written(sentence.text):
            continue
        for falsified in falsify(sentence, chance):
            made[falsified.kind] += 1
            if is_repaired(falsified):
                repaired[falsified.kind] += 1
            else:
                missed.append((f"[{falsified.kind}] {falsified.text}", recompute(falsified.text, _LANGUAGE).text))
    share = repaired.total() / max(made.total(), 1)
    print(f"sentences                        {len(sentences):6d}")
    print(f"correct sentences changed        {len(changed):6d}")
    print(f"false as they stand              {len(false):6d}")
    print(f"no equation recognised           {len(unrecognised):6d}")
    print(f"result not found to falsify      {sum(locate(s) is None for s in sentences):6d}")
    print(f"{'kind':<18}{'falsified':>12}{'repaired':>12}{'share':>10}")
    for kind in KINDS:
        print(f"{kind:<18}{made[kind]:>12}{repaired[kind]:>12}{repaired[kind] / max(made[kind], 1):>10.2%}")
    print(f"{'all':<18}{made.total():>12}{repaired.total():>12}{share:>10.2%}")
    said_changed, said_share = arithmetic_said.measure()
    print(f"{time.perf_counter() - began:.1f} s")
    sorts = {"changed": changed, "false as written": false, "unrecognised": unrecognised, "not repaired": missed}
    for title, cases in sorts.items():
        for text, result in cases[:show]:
            print(f"\n{title}: {text}\n      -> {result}" if result else f"\n{title}: {text}")
    said_is_poor = bool(said_changed) or said_share < arithmetic_said.WANTED
    return int(bool(changed) or share < WANTED or said_is_poor)


if __name__ == "__main__":
    sys.exit(main())

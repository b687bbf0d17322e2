"""Numbers of several parts: "2 hours and 31 minutes", "seven and a half", "nine in ten", 3,200만, 스물네 명."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import have_one_meaning
from agent.checks.grounding.numbers.numerals import read_numeral

_TENTH = Fraction(1, 20)  # tolerance of "and a half"
_PERCENT = read_numeral("50 %", 0)
_TIMES = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
_HALVES = re.compile(r"\s+(?:and\s+a\s+half|et\s+demie?|y\s+medi[oa]|e\s+mezz[oa])(?!\w)", re.IGNORECASE)
_IN_TEN = re.compile(r"\s+in\s+(?:every\s+)?(ten|10|five|5|four|4|three|3|hundred|100)(?!\w)", re.IGNORECASE)
_WHOLES = {"ten": 10, "five": 5, "four": 4, "three": 3, "hundred": 100}
_KOREAN_SCALES = {"조": 10**12, "억": 10**8, "천만": 10**7, "백만": 10**6, "십만": 10**5, "만": 10**4, "천": 1000}
_SCALE = "|".join(sorted(_KOREAN_SCALES, key=len, reverse=True))
_KOREAN = re.compile(rf"(?:\d[\d,]*(?:\.\d+)?\s?(?:{_SCALE})\s?)+(?:\d[\d,]*(?!\d|\s?(?:{_SCALE})))?")
_KOREAN_PART = re.compile(rf"(\d[\d,]*(?:\.\d+)?)\s?({_SCALE})?")
_ONES = dict(zip(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉"], range(1, 10), strict=True))
_ONES |= {"하나": 1, "둘": 2, "셋": 3, "넷": 4}
_TENS = dict(zip(["열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"], range(10, 100, 10), strict=True))
_TENS |= {"스무": 20}
_COUNTER = r"(?=\s?(?:명|개|곳|대|건|번|회|권|마리|가지|시간|살|분|장|채|팀|편|군데|달))"
_ALONE = "|".join(f"(?<={it})" for it in ("하나", "둘", "셋", "넷"))
_NATIVE = re.compile(
    rf"(?<![\uac00-\ud7a3])(?P<tens>{'|'.join(_TENS)})?(?P<ones>{'|'.join(_ONES)})?"
    rf"(?:{_COUNTER}|(?:{_ALONE})(?=입|이|[\s.,]))"
)


class Whole(NamedTuple):
    """A number of several parts. half: how far the actual value may differ."""

    end: int
    value: Fraction
    half: Fraction


def read_korean(text: str, at: int) -> Whole | None:
    """The number that begins at a position in Korean text: digits with 만 or 억, or a native word before a counter."""
    if (found := _KOREAN.match(text, at)) and text[at].isdigit():
        value = half = Fraction(0)
        for part in _KOREAN_PART.finditer(found[0]):
            digits, scale = part[1].replace(",", ""), _KOREAN_SCALES.get(part[2], 1)
            value += Fraction(digits) * scale
            half = Fraction(scale, 2 * 10 ** len(digits.partition(".")[2]))
        return Whole(at + len(found[0].rstrip()), value, half)
    word = _NATIVE.match(text, at)
    if word is None or not word[0]:
        return None
    number = _TENS.get(word["tens"] or "", 0) + _ONES.get(word["ones"] or "", 0)
    return Whole(word.end(), Fraction(number), Fraction(1, 2)) if number else None


def with_fractions(text: str, items: Sequence[Item], language: str | None) -> Iterator[Item]:
    """The items, with a number and a following fraction or whole joined: "45 and a half", "nine in ten"."""
    end = 0
    for item in items:
        if item.start < end:
            continue
        if item.kind == "number" and not item.percent and item.cls is None and item.value.denominator == 1:
            half = _HALVES.match(text, item.end)
            share = _IN_TEN.match(text, item.end) if language == "en" else None
            whole = int(_WHOLES.get(share[1].lower(), 0) or share[1]) if share is not None else 0
            if half is not None:
                end, value = half.end(), item.value + Fraction(1, 2)
                item = replace(item, end=end, text=text[item.start : end], value=value, half=_TENTH)
            elif share is not None and 0 < item.value < whole:
                end, value = share.end(), item.value * 100 / whole
                item = replace(item, end=end, text=text[item.start : end], value=value, half=Fraction(1, 2))
                item = replace(item, numeral=_PERCENT, cls=Class.SHARE)
        yield item


def with_durations(text: str, items: Sequence[Item]) -> Iterator[Item]:
    """The items, with durations converted to their smaller unit: "2 hours and 31 minutes"."""
    at = 0
    while at < len(items):
        item, unit = items[at], _time_of(items, at + 1)
        skip = 3 if at + 2 < len(items) and items[at + 2].cls is Class.JOIN else 2
        rest, smaller = items[at + skip : at + skip + 1], _time_of(items, at + skip + 1)
        if item.kind == "number" and unit and smaller and unit > smaller and rest[0].kind == "number":
            value = item.value * unit / smaller + rest[0].value
            yield replace(item, end=rest[0].end, text=text[item.start : rest[0].end], value=value, numeral=None)
            at += skip + 1
            continue
        yield item
        at += 1


def _time_of(items: Sequence[Item], at: int) -> int | None:
    """The seconds in the unit of time at a position. None if there is none."""
    word = items[at].text.lower() if at < len(items) else ""
    return next((size for unit, size in _TIMES if word == unit or have_one_meaning(word, unit)), None)

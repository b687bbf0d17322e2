"""Recomputes verbal calculations: "the sum of 3, 4 and 5 is 13", "50 of 200 is 30 %".

Supports English, German, French, Spanish and Italian. A calculation is read only if it names all its operands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from agent.checks.grounding.numbers.number_words import find_number_words
from agent.checks.grounding.numbers.numerals import (
    Numeral,
    Reading,
    decimals_needed,
    is_rounding,
    read_numeral,
    round_half_up,
    write_number,
)

_MAX_DECIMALS = 6
_LOOSE = Fraction(1, 100)  # tolerance of "about"

_N = r"[-−]?(?:[$€£¥]\s?)?\d+(?:[.,\u00a0\u202f]\d+)*(?:\s?[€$£])?(?![\d])"
_UNIT = r"(?:\s(?!and\b|und\b|et\b|y\b|e\b|is\b|ist\b|est\b|es\b|è\b)[^\W\d_]+){0,2}?"
_AND = r"(?:,?\s(?:and|und|et|y|e)\s|,\s)"
_LIST = rf"{_N}{_UNIT}(?:{_AND}{_N}{_UNIT})+"
_PAIR = rf"(?P<one>{_N}){_UNIT}\s(?:and|und|et|y|e)\s(?P<two>{_N}){_UNIT}"
_IS = (
    r"\s(?:is|are|was|were|equals?|makes?|comes?\sto|amounts?\sto|totals|ist|sind|beträgt|ergibt|macht|ergeben|machen"
    r"|est\sde|est|sont|fait|font|es\sde|es|son|fue|suman|è\sdi|è|sono|fa|fanno)\s"
    r"(?P<about>about\s|approximately\s|around\s|roughly\s|etwa\s|rund\s|environ\s|aproximadamente\s|circa\s)?"
)
_RESULT = rf"(?P<result>{_N})(?!\s?%|\s?(?:percent|Prozent|pour\scent|por\sciento|per\scento))"
_PERCENT = (
    r"(?P<result>[-−]?\d+(?:[.,\u00a0\u202f]\d+)*)"
    r"(?=\s?(?:%|percent|per\scent|Prozent|pour\scent|por\sciento|per\scento))"
)
_TOGETHER = (
    r"(?:together|in\stotal|combined|altogether|zusammen|insgesamt|ensemble|au\stotal|juntos|en\stotal|insieme"
    r"|in\stotale)"
)
_FROM_TO = rf"(?:from|von|de|da)\s(?P<one>{_N}){_UNIT}\s(?:to|auf|à|a)\s(?P<two>{_N})"
_RISE = r"(?:increase|rise|growth|Anstieg|Steigerung|Zunahme|augmentation|hausse|aumento|incremento|crescita)"
_FALL = r"(?:decrease|drop|fall|decline|Rückgang|baisse|diminution|descenso|disminución|calo|diminuzione)"
_ROSE = r"(?:rose|increased|grew|stieg|augmente|augmenté|aumentó|subió|aumentato|cresciuto)"
_FELL = r"(?:fell|decreased|dropped|declined|sank|fiel|baissé|diminué|bajó|disminuyó|diminuito|sceso)"
_OF = r"(?:of|from|aus|von|der\sZahlen|de|di)"


class Edit(NamedTuple):
    """A wrong result and its replacement. `expression` is the calculation as arithmetic, if known."""

    start: int
    end: int
    text: str
    expression: str = ""


class _Move(NamedTuple):
    """A number that was converted to digits: its new span, and the former end of its words."""

    start: int
    end: int
    was_end: int


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    operator: str
    compute: Callable[[Sequence[Fraction]], Fraction | None]


def _form(pattern: str, operator: str, compute: Callable[[Sequence[Fraction]], Fraction | None]) -> _Form:
    return _Form(re.compile(pattern, re.IGNORECASE), operator, compute)


def _share(values: Sequence[Fraction]) -> Fraction | None:
    return values[0] / values[1] * 100 if values[1] else None


def _change(values: Sequence[Fraction]) -> Fraction | None:
    return abs(values[1] - values[0]) / abs(values[0]) * 100 if values[0] else None


def _subtract(values: Sequence[Fraction]) -> Fraction:
    return abs(values[0] - values[1])


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _total(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0))


def _ratio(values: Sequence[Fraction]) -> Fraction | None:
    return values[0] / values[1] if values[1] else None


# Words that show that a calculation is in English, so that its numbers are read in the English style.
_ENGLISH = re.compile(
    r"\b(?:the|of|and|is|are|was|were|makes?|equals?|comes|together|out|by|to|from|between|times|each|average|sum)\b",
    re.IGNORECASE,
)
_BY = r"\s(?:by|um|de|del|en\sun|en|di|del)\s"
_SUM = rf"\b(?:sum|total|Summe|somme|suma|somma)\s{_OF}\s(?P<list>{_LIST}){_IS}{_RESULT}"
_MEAN = rf"\b(?:average|mean|Durchschnitt|Mittelwert|moyenne|media|promedio)\s{_OF}\s(?P<list>{_LIST}){_IS}{_RESULT}"
_APART = (
    r"\b(?:difference|Differenz|Unterschied|différence|diferencia|differenza)\s"
    rf"(?:between|of|zwischen|von|entre|tra|fra)\s{_PAIR}{_IS}{_RESULT}"
)
_SHARE = rf"(?P<one>{_N}){_UNIT}\s(?:out\sof|of|von|sur|de|su)\s(?P<two>{_N}){_UNIT}{_IS}{_PERCENT}"
_SHARE_OF = rf"(?P<one>{_N}){_UNIT}{_IS}{_PERCENT}\s?(?:%|percent|Prozent)?\s?(?:of|von|de|di)\s(?P<two>{_N})"
_CHANGE = rf"\b(?:{_RISE}|{_FALL})\s{_FROM_TO}{_UNIT}{_IS}{_PERCENT}"
_CHANGED = rf"\b(?:{_ROSE}|{_FELL})\s{_FROM_TO}{_UNIT},?{_BY}"
_A_CHANGE = (
    rf"\b{_FROM_TO}{_UNIT},?\s(?:an?|ein|eine|une|un|un')\s(?:{_RISE}|{_FALL})\s(?:of|von|de|del|di)\s{_PERCENT}"
)
_TIMES = rf"(?P<one>{_N}){_UNIT}{_IS}{_RESULT}\s(?:times|mal|fois|veces|volte)\s(?:as\s\w+\sas\s)?(?P<two>{_N})"
_PER = (
    rf"(?P<one>{_N}){_UNIT}\s(?:divided\samong|shared\sby|for|für|pour|para|per)\s(?P<two>{_N}){_UNIT}{_IS}{_RESULT}"
    rf"{_UNIT}\s(?:each|per|pro|je|par|por)\b"
)
_UNCALCULATED = r"(?<![\d.,%$€£+*/×÷-])(?<![\d.,]\s)"
_FORMS: Sequence[_Form] = (
    _form(_SUM, "+", _total),
    _form(_MEAN, "mean", _mean),
    _form(_APART, "-", _subtract),
    _form(rf"{_UNCALCULATED}(?P<list>{_LIST})\s{_TOGETHER}{_IS}{_RESULT}", "+", _total),
    _form(rf"{_UNCALCULATED}(?P<list>{_LIST}){_IS}{_TOGETHER}\s{_RESULT}", "+", _total),
    _form(rf"\b{_TOGETHER},?\s(?P<list>{_LIST}){_IS}{_RESULT}", "+", _total),
    _form(_SHARE, "%", _share),
    _form(_SHARE_OF, "%", _share),
    _form(_CHANGE, "change", _change),
    _form(rf"{_CHANGED}{_PERCENT}", "change", _change),
    _form(_A_CHANGE, "change", _change),
    _form(rf"{_CHANGED}{_RESULT}(?!\s?%)", "-", _subtract),
    _form(_TIMES, "/", _ratio),
    _form(_PER, "/", _ratio),
)


def find_said_edits(text: str, language: str | None = None) -> Iterator[Edit]:
    """Edits for wrong verbal calculations in a text, one per stated result.

    Args:
        language: the language of number words. None: only digits are read.
    """
    digits, moved = _write_in_digits(text, language) if language is not None else (text, ())
    for edit in _edits(digits):
        yield edit._replace(start=_move_back(edit.start, moved), end=_move_back(edit.end, moved))


def _write_in_digits(text: str, language: str) -> tuple[str, Sequence[_Move]]:
    """The text with its number words as digits, and the resulting moves."""
    parts: list[str] = []
    moved: list[_Move] = []
    at = length = 0
    for start, end, value in find_number_words(text, language):
        parts += [text[at:start], str(value)]
        length += start - at
        moved.append(_Move(length, length + len(str(value)), end))
        at, length = end, length + len(str(value))
    return "".join((*parts, text[at:])), moved


def _move_back(place: int, moved: Sequence[_Move]) -> int:
    """The original position of a position in the text with digits."""
    before = [it for it in moved if it.start < place]
    if not before:
        return place
    last = before[-1]
    return last.was_end + place - last.end


def _edits(text: str) -> Iterator[Edit]:
    seen: set[int] = set()
    for form in _FORMS:
        for match in form.pattern.finditer(text):
            start, end = match.span("result")
            if start in seen or _goes_on(text, match):
                continue
            seen.add(start)
            if (edit := _edit(text, match, form, start, end)) is not None:
                yield edit


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Whether the result begins an expression, or the text before belongs to the operands."""
    after = text[match.end() : match.end() + 3]
    before = text[max(0, match.start() - 3) : match.start()]
    return bool(re.match(r"\s?[-+*/×÷=]\s?\d?", after)) or bool(re.search(r"[-+*/×÷=,]\s?$", before))


def _edit(text: str, match: re.Match[str], form: _Form, start: int, end: int) -> Edit | None:
    groups: Mapping[str, str | None] = match.groupdict()
    if groups.get("list") is not None:
        found = list(_numerals(text, *match.span("list")))
    else:
        found = [numeral for name in ("one", "two") for numeral in _numerals(text, *match.span(name))]
    digits = re.compile(r"[\d]").search(text, start, end)
    stated = read_numeral(text, digits.start()) if digits else None
    if stated is None or any(not it.readings for it in (*found, stated)) or len(found) < 2:
        return None
    negative = bool(digits and re.search(r"[-−]", text[start : digits.start()]))
    about = groups.get("about") is not None
    home = _ENGLISH.search(match[0]) is None
    if any(_holds(form, found, stated, european=style, negative=negative, about=about) for style in (home, not home)):
        return None
    value, reading = _value(form, found, european=home), _reading(stated, european=home)
    if value is None:
        return None
    needed = decimals_needed(value)
    decimals = needed if needed is not None and needed <= _MAX_DECIMALS else max(reading.decimals, 2)
    if stated.currency and reading.decimals == 2:
        decimals = 2
    grouping = reading.grouping or next((it.grouping for it in (_reading(n, european=home) for n in found)), "")
    mark = reading.mark or ("," if home else ".")
    shown = write_number(abs(value), decimals, grouping=grouping, mark=mark)
    inside = text[start:end]
    new = re.sub(r"[-−]", "", inside)
    new = new.replace(stated.raw, shown, 1)
    sign = "-" if round_half_up(value, decimals) < 0 else ""
    return Edit(start, end, sign + new, _expression(form, found))


def _reading(numeral: Numeral, *, european: bool) -> Reading:
    return numeral.reading(european=european) or numeral.readings[0]


def _value(form: _Form, found: Sequence[Numeral], *, european: bool) -> Fraction | None:
    return form.compute([_reading(it, european=european).value * it.factor for it in found])


def _holds(
    form: _Form, found: Sequence[Numeral], stated: Numeral, *, european: bool, negative: bool, about: bool
) -> bool:
    """Whether the stated result is right with its numbers read in this style."""
    value, reading = _value(form, found, european=european), _reading(stated, european=european)
    said = -reading.value if negative else reading.value
    if value is None or is_rounding(said, reading.decimals, value):
        return value is not None
    return about and abs(said - value) <= abs(value) * _LOOSE


def _expression(form: _Form, found: Sequence[Numeral]) -> str:
    raws = [it.raw for it in found]
    if form.operator == "mean":
        return f"({' + '.join(raws)}) / {len(raws)}"
    if form.operator == "%":
        return f"{raws[0]} / {raws[1]} * 100"
    if form.operator == "change":
        return f"({raws[1]} - {raws[0]}) / {raws[0]} * 100"
    return f" {form.operator} ".join(raws)


def _numerals(text: str, start: int, end: int) -> Iterator[Numeral]:
    for match in re.compile(_N).finditer(text, start, end):
        numeral = read_numeral(text, match.start())
        if numeral is None and text[match.start()] in "-−":
            numeral = read_numeral(text, match.start() + 1)
        if numeral is not None:
            yield numeral

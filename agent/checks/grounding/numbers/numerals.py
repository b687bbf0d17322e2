"""Numbers in text: finds and reads them, and writes them in the same style.

`$1,200.50`, `.5`, `1.234,56 €`, `12.3k`, `1,2 Mio`, `20 %`, `1 1/2` and `½` are numbers;
`1.2.3` and `192.168.0.1` are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from unicodedata import numeric

MAX_DIGITS = 40

CURRENCY_SYMBOLS = "$€£¥₹₽₩₺₪₴฿¢"
CURRENCY_CODES = tuple(
    "USD EUR GBP CHF JPY CNY INR CAD AUD NZD SEK NOK DKK PLN MXN BRL KRW CZK HUF ZAR CLP".split()  # noqa: SIM905
)

# Words of scale, by power of ten.
_SCALES = {
    word: power
    for power, listed in {
        2: "hundred",
        3: "thousand tausend k mille mila mil",
        6: "million millions millionen mio mn m millón millones milione milioni",
        9: "billion billions bn b mrd milliarde milliarden milliard milliards miliardo miliardi",
        12: "trillion tn",
    }.items()
    for word in listed.split()
}
_VULGAR = {sign: Fraction(numeric(sign)).limit_denominator(8) for sign in "½⅓⅔¼¾⅕⅙⅛⅜⅝⅞"}
_EUROPEAN = frozenset({"de", "fr", "es", "it"})
# Spaces used only between groups of digits. A plain space separates two numbers.
_THIN_SPACES = "\u00a0\u202f\u2009"
_APOSTROPHES = "'’"

NUMERAL = re.compile(
    rf"""
    (?P<prefix>(?:\\?(?:US|AU|CA|NZ|HK|A|C|R)?\$|[{CURRENCY_SYMBOLS[1:]}]
        |\b(?:{"|".join(CURRENCY_CODES)}|Rs\.?)(?![A-Za-z]))[ ]?)?
    (?P<sign>[-−](?=[\d.]))?
    (?:
      (?P<whole>\d{{1,4}})[ ](?:and[ ])?(?P<over>\d{{1,2}})/(?P<under>\d{{1,3}})(?![\d/.,%])
    | (?P<units>\d{{0,9}})(?P<vulgar>[{"".join(_VULGAR)}])
    | (?P<body>\d+(?:[.,{_APOSTROPHES}{_THIN_SPACES}]\d+)*|(?<![\d.])\.\d+)
    )
    (?P<percent>\s?(?:%|percent\b|per\s?cent\b|pct\b|Prozent\b|pour\s?cent\b|por\s?ciento\b|per\s?cento\b))?
    (?P<scale>[ {_THIN_SPACES}]?(?:hundred|thousand|tausend|millions?|millionen|mio\b\.?|mn|billions?|bn|mrd\b\.?
        |milliarden?|milliards?|miliard[oi]|milion[ei]|mill[oó]n(?:es)?|mille|mila|mil|trillion|tn)(?!\w)|(?-i:[kKMB])(?!\w))?
    (?P<suffix>\s?[{CURRENCY_SYMBOLS}](?!\s?[\d.]\d*)|[ ](?:{"|".join(CURRENCY_CODES)})(?!\w))?
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_european(language: str | None) -> bool:
    """Whether this language writes a comma before the decimals."""
    return language in _EUROPEAN


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a run of digits: its value, its decimals, and its marks (empty if it has none)."""

    value: Fraction
    decimals: int
    grouping: str
    mark: str

    @property
    def is_european(self) -> bool:
        """Whether it has a comma before the decimals or dots between thousands."""
        return self.mark == "," or self.grouping == "."

    @property
    def is_plain(self) -> bool:
        """Whether it has no marks, so that every style reads it alike."""
        return not (self.grouping or self.mark)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number found in text. `start` and `end` include currency, percent sign and scale word.

    `readings` come in order of preference. Their values exclude percent and scale. `digits` is the span of the digits.
    """

    text: str
    start: int
    end: int
    digits: tuple[int, int]
    readings: tuple[Reading, ...]
    negative: bool
    currency: str
    percent: bool
    scale: int

    @property
    def raw(self) -> str:
        """The digits with their marks, as written."""
        return self.text[self.digits[0] - self.start : self.digits[1] - self.start]

    @property
    def factor(self) -> Fraction:
        """The combined factor of percent sign, scale word and sign."""
        factor = Fraction(self.scale, 100) if self.percent else Fraction(self.scale)
        return -factor if self.negative else factor

    def reading(self, *, european: bool = False) -> Reading | None:
        """The reading in one of the two styles. None if the digits do not fit it."""
        return next((r for r in self.readings if r.is_plain or r.is_european == european), None)

    def value(self, *, european: bool = False) -> Fraction | None:
        """The number's value with sign, percent and scale. None if the digits do not fit this style."""
        reading = self.reading(european=european)
        return None if reading is None else reading.value * self.factor


def read_numeral(text: str, position: int) -> Numeral | None:
    """The number that starts at `position`. None if there is no number."""
    match = NUMERAL.match(text, position)
    if match is None:
        return None
    if match["over"] is not None:
        whole, over, under = int(match["whole"]), int(match["over"]), int(match["under"])
        if not 0 < over < under:  # `5 7/2` is two numbers
            match = re.compile(r"(?P<body>\d+)").match(text, match.start("whole"))
            return None if match is None else _numeral(match, readings(match["body"]), match.span("body"))
        readings_ = (Reading(whole + Fraction(over, under), 0, "", ""),)
        return _numeral(match, readings_, (match.start("whole"), match.end("under")))
    if match["vulgar"] is not None:
        readings_ = (Reading(int(match["units"] or 0) + _VULGAR[match["vulgar"]], 0, "", ""),)
        return _numeral(match, readings_, (match.start("units"), match.end("vulgar")))
    return _numeral(match, readings(match["body"]), match.span("body"))


def _numeral(match: re.Match[str], found: tuple[Reading, ...], digits: tuple[int, int]) -> Numeral:
    part = match.groupdict().get
    scale = (part("scale") or "").strip(f" .{_THIN_SPACES}").lower()
    return Numeral(
        text=match[0],
        start=match.start(),
        end=match.end(),
        digits=digits,
        readings=found,
        negative=bool(part("sign")),
        currency=(part("prefix") or part("suffix") or "").strip(),
        percent=bool(part("percent")),
        scale=10 ** _SCALES.get(scale, 0),
    )


def readings(raw: str) -> tuple[Reading, ...]:
    """All readings of a run of digits and marks: the English one first, then the European one.

    Empty for text that is not a number, such as `1.2.3` or `1,2,3`, and for more than 40 digits.
    """
    parts = re.split(rf"([.,{_APOSTROPHES}{_THIN_SPACES}])", raw)
    groups, marks = parts[::2], parts[1::2]
    if sum(map(len, groups)) > MAX_DIGITS:
        return ()
    found = [_read(groups, marks, "."), _read(groups, marks, ",")]
    unique: list[Reading] = []
    for reading in found:
        if reading is not None and reading not in unique:
            unique.append(reading)
    return tuple(unique)


def _read(groups: list[str], marks: list[str], point: str) -> Reading | None:
    """The number if `point` starts the decimals and any other mark separates thousands."""
    decimal = bool(marks) and marks[-1] == point
    separators = marks[:-1] if decimal else marks
    whole = groups[:-1] if decimal else groups
    if len(set(separators)) > 1 or point in separators or not _is_grouped(whole):
        return None
    grouping = separators[0] if separators else ""
    fraction = groups[-1] if decimal else ""
    digits = int(("".join(whole) or "0") + fraction)
    return Reading(Fraction(digits, 10 ** len(fraction)), len(fraction), grouping, point if decimal else "")


def _is_grouped(groups: list[str]) -> bool:
    """Whether digits are grouped in threes or in the Indian style (`12,34,567`). A single group always is."""
    if len(groups) == 1:
        return True
    first, *middle, last = groups
    if not 1 <= len(first) <= 3 or first == "0" or len(last) != 3:
        return False
    return all(len(group) == 3 for group in middle) or (len(first) <= 2 and all(len(group) == 2 for group in middle))


def decimals_needed(value: Fraction) -> int | None:
    """The number of decimals that write the value exactly. None if no number does."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def round_half_up(value: Fraction, decimals: int) -> Fraction:
    """The value rounded to `decimals` decimals, halves away from zero."""
    unit = 10**decimals
    scaled = abs(value) * unit
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if value >= 0 else -whole, unit)


def is_rounding(stated: Fraction, decimals: int, value: Fraction) -> bool:
    """Whether `stated`, with this number of decimals, is a correct rounding of `value`. Halves may go either way."""
    return abs(stated - value) <= Fraction(1, 2 * 10**decimals)


def write_number(value: Fraction, decimals: int, *, grouping: str = "", mark: str = ".") -> str:
    """The value rounded to `decimals` decimals, with a minus sign if negative."""
    exact = round_half_up(value, decimals)
    digits = str(abs(exact.numerator) * 10**decimals // exact.denominator).rjust(decimals + 1, "0")
    whole, fraction = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    if grouping:
        whole = f"{int(whole):,}".replace(",", grouping)
    return f"{'-' if exact < 0 else ''}{whole}{mark + fraction if fraction else ''}"

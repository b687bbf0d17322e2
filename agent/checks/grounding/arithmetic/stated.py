"""The result after an equality sign in prose: one number, with its sign, unit and precision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile

from agent.checks.grounding.arithmetic.prose import APPROXIMATELY, Piece, Role, vocabulary
from agent.checks.grounding.arithmetic.sides import DETERMINERS
from agent.checks.grounding.numbers.numerals import Numeral
from agent.checks.grounding.numbers.units import same_dimension, unit

_FILLERS = vocabulary("exactly only just also now then thus therefore a total of equal to insgesamt gleich")
_APPROXIMATE = re.compile(APPROXIMATELY, re.IGNORECASE)
_TWO_PARTS = re.compile(
    r"\s*(?:[A-Za-z]+\s+)?(?:and\s+(?:(?:a|one)\s+(?:half|quarter|third)\b|\d+/\d)"
    r"|with\s+\d+\s+\w*\s*(?:left|remaining|over)|(?:remainder|rem)\b|[rR]\.?\s?\d)"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A result as stated after an equality sign.

    piece: the number. `under` is its denominator if it is a fraction such as `3/4`.
    sign: the piece with its minus sign, if that is separate.
    last: the index of its last piece.
    words: up to four words that follow.
    ordinal: whether "st", "nd", "rd" or "th" touches the number.
    """

    piece: Piece
    numeral: Numeral
    under: Numeral | None
    sign: Piece | None
    last: int
    approximate: bool
    truncated: bool
    words: tuple[str, ...]
    ordinal: bool

    @property
    def start(self) -> int:
        return self.sign.start if self.sign else self.piece.start

    @property
    def negative(self) -> bool:
        return self.numeral.negative or (self.sign is not None and self.sign.operator == "-")


def find_stated_after(text: str, pieces: Sequence[Piece], index: int) -> Stated | None:
    """The single number right after the equality at `index`. None for expressions and composite amounts."""
    at, approximate = index + 1, pieces[index].text in "≈≅≃" or bool(_APPROXIMATE.search(pieces[index].text))
    while at < len(pieces) and pieces[at].role in (Role.WORD, Role.BREAK):
        word = pieces[at].text.lower()
        about = bool(_APPROXIMATE.fullmatch(word))
        if not about and word not in _FILLERS:
            return None
        approximate, at = approximate or about, at + 1
    sign = None
    if at < len(pieces) and pieces[at].operator in ("-", "+") and not pieces[at].verbal:
        sign, at = pieces[at], at + 1
    if at >= len(pieces) or (numeral := pieces[at].numeral) is None or pieces[at].role is not Role.NUMBER:
        return None
    under = _denominator(pieces, at)
    last = at + 2 if under else at
    after = takewhile(lambda it: it.role is Role.WORD, pieces[last + 1 : last + 5])
    words = tuple(it.text.lower() for it in after)
    if _goes_on(pieces, last) or _composite(text, pieces[last].end, pieces, last):
        return None
    truncated = text.startswith(("...", "…"), pieces[at].end) or bool({"repeating", "recurring"} & set(words))
    ordinal = words[:1] in (("st",), ("nd",), ("rd",), ("th",)) and pieces[last + 1].start == pieces[last].end
    return Stated(pieces[at], numeral, under, sign, last, approximate, truncated, words, ordinal)


def _denominator(pieces: Sequence[Piece], at: int) -> Numeral | None:
    """The denominator of `3/4`, if it is written without spaces and not part of a longer expression."""
    following = pieces[at + 1 : at + 4]
    if len(following) < 2 or following[0].operator != "/" or following[1].numeral is None:
        return None
    close = pieces[at].end == following[0].start and following[0].end == following[1].start
    longer = len(following) > 2 and following[2].role in (Role.OPERATOR, Role.EQUALS, Role.NUMBER, Role.OPEN)
    whole = all(p.numeral and p.numeral.readings and p.numeral.raw.isdigit() for p in (pieces[at], following[1]))
    return following[1].numeral if close and whole and not longer else None


def _goes_on(pieces: Sequence[Piece], last: int) -> bool:
    """Whether the number begins an expression or touches a character that changes it."""
    if last + 1 >= len(pieces):
        return False
    after, touches = pieces[last + 1], pieces[last + 1].start == pieces[last].end
    if after.role is Role.NUMBER or (touches and after.role is Role.OPEN):
        return True
    if touches and len(after.text) == 1 and after.text.isalpha() and unit(after.text) is None:  # "3x", "2n"
        return True
    at = last + 1
    while at < len(pieces) and pieces[at].role is Role.WORD:
        at += 1
    if at >= len(pieces) or pieces[at].role is not Role.OPERATOR:
        return False
    operand = next((p for p in pieces[at + 1 : at + 4] if p.text.lower() not in DETERMINERS), None)
    if operand is None or operand.role not in (Role.NUMBER, Role.OPEN):
        return False
    # After words a dash may be punctuation, unless the number is on the left side of a following equality.
    return pieces[at].operator != "-" or at == last + 1 or _equality_follows(pieces, at)


def _equality_follows(pieces: Sequence[Piece], at: int) -> bool:
    following = next((p.role for p in pieces[at:] if p.role in (Role.BREAK, Role.EQUALS)), None)
    return following is Role.EQUALS


def _composite(text: str, end: int, pieces: Sequence[Piece], last: int) -> bool:
    """Whether the result consists of several numbers: `2 hours 30 minutes`, `3 and a half`, `5 remainder 2`."""
    if _TWO_PARTS.match(text, end):
        return True
    following = [p for p in pieces[last + 1 : last + 5] if p.text.lower() not in ("and", "und")]
    if len(following) < 3 or following[1].role is not Role.NUMBER:
        return False
    one, other = unit(following[0].text), unit(following[2].text)
    return one is not None and other is not None and same_dimension(one, other)


def read_fraction(stated: Stated) -> Fraction | None:
    """The value of a result such as `3/4`. None if it is not a fraction or its denominator is zero."""
    over = stated.numeral.value()
    under = stated.under.value() if stated.under else None
    if over is None or not under:
        return None
    return -over / under if stated.negative and not stated.numeral.negative else over / under

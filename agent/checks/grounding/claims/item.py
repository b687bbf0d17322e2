"""A piece of a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from agent.checks.grounding.claims.names import Places, Rows
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.numbers.dates import DateInText
from agent.checks.grounding.numbers.numerals import Numeral

Kind = Literal["number", "name", "date", "phrase", "word", "mark"]


@dataclass(frozen=True)
class Item:
    """A piece of a sentence.

    start, end: in characters. text: as written.
    numeral: of a number in digits. value: in the sentence's language, with sign and scale but without percent.
    places: the rows of a name or time, by column. Empty if it names no row.
    cls, rank: of a phrase of the closed vocabulary.
    """

    kind: Kind
    start: int
    end: int
    text: str
    value: Fraction = Fraction(0)
    half: Fraction = Fraction(0)
    numeral: Numeral | None = None
    date: DateInText | None = None
    places: Places = field(default_factory=dict)
    cls: Class | None = None
    rank: int = 0

    @property
    def percent(self) -> bool:
        return self.numeral is not None and self.numeral.percent

    @property
    def rows(self) -> Rows:
        """The rows of a name or time, in any of its columns."""
        return frozenset(row for rows in self.places.values() for row in rows)

    @property
    def is_year(self) -> bool:
        """Whether it is written like a year: four digits without marks."""
        return self.numeral is not None and len(self.numeral.raw) == 4 and self.numeral.raw.isdigit()

    @property
    def currency(self) -> str:
        return self.numeral.currency if self.numeral is not None else ""

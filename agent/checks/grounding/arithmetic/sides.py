"""Finds the expression before an equality sign in prose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.checks.grounding.arithmetic.prose import Piece, Role, vocabulary
from agent.checks.grounding.numbers.numerals import Numeral
from agent.checks.grounding.numbers.tokens import Token
from agent.checks.grounding.numbers.units import unit

# Words that may stand between an operator and its number: "+ another 5", "20% of the 80".
DETERMINERS = vocabulary("the a an another additional extra more all only his her their its our my your these those")
# A number before one of these belongs to the expression in a way that a grammar cannot determine: "5 at 3 + 4".
_JOINERS = vocabulary("at by per of than and with out over plus minus times")
_CLAUSE = vocabulary(
    "so then therefore thus hence because since which if when means that he she they it we i you has have had are "
    "is was were makes gives but while where after before until need needs needed total sold bought got get gets "
    "spent spends paid pays used uses will would can could"
)
_MULTIPLIERS = vocabulary("twice double triple half thrice quadruple third quarter doubled tripled")
_LABELS = vocabulary(
    "step day week question part phase option case method item chapter section page example month year room"
)
_MAX_WORDS_BEFORE = 4
_PREFIX_OPERATORS = ("√", "∛", "∑", "∏", "±", "@", "-")


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression found in prose.

    parts: its numbers, operators and parentheses, without the words between them.
    words: these words, mostly units.
    first: the index of its first piece.
    doubtful: whether preceding text may belong to it, so that a mismatch proves nothing.
    shorter: alternatives that begin after an operator with words beside it.
    """

    parts: tuple[Piece, ...]
    words: tuple[str, ...]
    first: int
    doubtful: bool
    shorter: tuple[tuple[Piece, ...], ...] = ()

    @property
    def numerals(self) -> Iterator[Numeral]:
        return (piece.numeral for piece in self.parts if piece.numeral is not None)

    def write_span(self) -> str:
        """The expression as arithmetic alone: `45.6+12.3`."""
        return "".join(
            p.numeral.raw + "%" * p.numeral.percent if p.numeral else (p.operator or p.text) for p in self.parts
        )


def tokens_of(parts: Sequence[Piece], *, european: bool) -> list[Token] | None:
    """Tokens for the grammar. None if a number cannot be read in this style."""
    tokens: list[Token] = []
    for piece in parts:
        if piece.numeral is not None:
            reading = piece.numeral.reading(european=european)
            if reading is None:
                return None
            sign = -1 if piece.numeral.negative else 1
            tokens.append(Token("number", sign * reading.value * piece.numeral.scale))
            tokens += [Token("%")] * piece.numeral.percent
        elif piece.operator is not None:
            tokens.append(Token(piece.operator))
        else:
            tokens.append(Token("(" if piece.role is Role.OPEN else ")"))
    return tokens


def segment_start(pieces: Sequence[Piece], end: int) -> int:
    """The index after the last break or equality before `end`."""
    low = end
    while low > 0 and pieces[low - 1].role not in (Role.BREAK, Role.EQUALS):
        low -= 1
    return low


def find_expression_before(pieces: Sequence[Piece], end: int) -> Expression | None:
    """The longest expression with at least two numbers that ends before index `end`. None if there is none."""
    walk = _Walk(pieces, segment_start(pieces, end))
    left = walk.go(end - 1)
    if left is None or sum(piece.numeral is not None for piece in walk.parts) < 2:
        return None
    parts = tuple(reversed(walk.parts))
    shorter = [tuple(reversed(part)) for part in walk.shorter if sum(p.numeral is not None for p in part) > 1]
    labelled = walk.label_first(left)
    if labelled and shorter:
        parts = shorter[-1]
    doubtful = walk.doubtful(left) or bool(shorter) != labelled
    return Expression(parts, tuple(walk.words), left + 1, doubtful, tuple(shorter))


class _Walk:
    """Walks left from an equality sign, alternating operands and operators, until neither follows."""

    def __init__(self, pieces: Sequence[Piece], low: int) -> None:
        self._pieces, self._low = pieces, low
        self.parts: list[Piece] = []  # right to left
        self.words: list[str] = []
        self.shorter: list[list[Piece]] = []

    def go(self, at: int) -> int | None:
        """Collect leftwards from index `at`. Returns the index before the expression, None if an operand is missing."""
        while True:
            taken = self._operand(self._skip_words(at))
            if taken is None:
                return self._bullet(at)
            at = self._sign(taken)
            if self._touches(at):
                continue
            operator = self._operator(at)
            if operator is None:
                return at
            piece = self._pieces[operator]
            self._may_end_here(operator, at)
            self.parts.append(piece)
            at = operator - 1

    def _role(self, at: int) -> Role | None:
        return self._pieces[at].role if at >= self._low else None

    def _skip_words(self, at: int) -> int:
        """Skip unit words, and parentheses that contain only words."""
        while True:
            if self._role(at) is Role.WORD and not self._is_unknown(at):
                self.words.append(self._pieces[at].text)
                at -= 1
            elif self._role(at) is Role.CLOSE and (start := self._find_opening(at)) is not None:
                inside = self._pieces[start + 1 : at]
                if any(piece.role is not Role.WORD for piece in inside):
                    return at
                at = start - 1
            else:
                return at

    def _is_unknown(self, at: int) -> bool:
        """Whether it is the letter of "2x" or the sign of "5!", which changes the number that it touches."""
        word = self._pieces[at]
        touches = self._role(at - 1) in (Role.NUMBER, Role.CLOSE) and self._pieces[at - 1].end == word.start
        return touches and len(word.text) == 1 and word.text not in "/°" and unit(word.text) is None

    def _operand(self, at: int) -> int | None:
        """Take the number or group that ends at index `at`."""
        role = self._role(at)
        if role is Role.NUMBER:
            self.parts.append(self._pieces[at])
            self.words += [numeral.currency] if (numeral := self._pieces[at].numeral) and numeral.currency else []
            return at - 1
        if role is not Role.CLOSE or (start := self._find_opening(at)) is None:
            return None
        inner = _Walk(self._pieces, start + 1)
        left = inner.go(at - 1)
        if left is None or any(self._pieces[i].role is not Role.WORD for i in range(start + 1, left + 1)):
            return None
        self.parts += [self._pieces[at], *inner.parts, self._pieces[start]]
        self.words += inner.words
        return start - 1

    def _find_opening(self, closing: int) -> int | None:
        depth = 0
        for at in range(closing, self._low - 1, -1):
            depth += {Role.CLOSE: 1, Role.OPEN: -1}.get(self._pieces[at].role, 0)
            if depth == 0:
                return at
        return None

    def _sign(self, at: int) -> int:
        """Take a minus that touches the operand and has no minuend."""
        if self._role(at) is not Role.OPERATOR or self._pieces[at].operator != "-":
            return at
        minus = self._pieces[at]
        binary = at > self._low and self._role(at - 1) in (Role.NUMBER, Role.CLOSE, Role.WORD)
        spaced = at > self._low and self._pieces[at - 1].end < minus.start and self._role(at - 1) is Role.WORD
        if minus.end == self.parts[-1].start and (not binary or (spaced and not self._number_before(at - 1))):
            self.parts.append(minus)
            return at - 1
        return at

    def _number_before(self, at: int) -> bool:
        while self._role(at) is Role.WORD:
            at -= 1
        return self._role(at) in (Role.NUMBER, Role.CLOSE)

    def _touches(self, at: int) -> bool:
        """Whether a number or group directly precedes a group and multiplies it: 2(3 + 4)."""
        return (
            self.parts[-1].role is Role.OPEN
            and self._role(at) in (Role.NUMBER, Role.CLOSE)
            and self._pieces[at].end == self.parts[-1].start
        )

    def _operator(self, at: int) -> int | None:
        """The index of the operator left of an operand, skipping words that may intervene. None if there is none."""
        stop = at
        while stop > at - _MAX_WORDS_BEFORE and self._role(stop) is Role.WORD:
            stop -= 1
        if self._role(stop) is not Role.OPERATOR:
            return None
        between = [self._pieces[i].text.lower() for i in range(stop + 1, at + 1)]
        return (
            stop if _qualifies(between) or (self._pieces[stop].operator != "-" and not _CLAUSE & set(between)) else None
        )

    def _may_end_here(self, operator: int, at: int) -> None:
        """Record a shorter expression if words stand beside the operator, or a labelled number before a dash."""
        between = [self._pieces[i].text.lower() for i in range(operator + 1, at + 1)]
        if self._labels(operator - 2) or not _qualifies(between):
            self.shorter.append(list(self.parts))

    def _bullet(self, at: int) -> int | None:
        """Handle an operator without a left side. A dash that starts a line is a bullet; any other is algebra."""
        starts = at < self._low and (self._low == 0 or self._pieces[self._low - 1].text in "\r\n")
        if not starts or not self.parts or self.parts[-1].operator not in ("-", "+"):
            return None
        self.parts.pop()
        return at

    def _labels(self, at: int) -> bool:
        """Whether it is a capitalized word that numbers things: `Step 1 - 5 + 3`."""
        if self._role(at) is not Role.WORD:
            return False
        word = self._pieces[at].text
        return word[0].isupper() and word.lower().removesuffix("s") in _LABELS

    def label_first(self, left: int) -> bool:
        """Whether the first number is a label followed by a dash."""
        return self._labels(left) and len(self.parts) > 1 and self.parts[-2].operator == "-"

    def doubtful(self, left: int) -> bool:
        """Whether text before the expression may belong to it."""
        if self._role(left) in (Role.NUMBER, Role.CLOSE, Role.OPERATOR):
            return True
        if self._role(left) is Role.OPEN and self._role(left - 1) in (Role.NUMBER, Role.OPERATOR):
            return True  # a parenthesis that is never closed
        if left < self._low:
            return self._low > 0 and self._pieces[self._low - 1].text in _PREFIX_OPERATORS
        if self._role(left) is not Role.WORD:
            return False
        words: list[str] = []
        at = left
        while self._role(at) is Role.WORD:
            words.append(self._pieces[at].text.lower())
            at -= 1
        if words[0] in _MULTIPLIERS or (len(words[0]) == 1 and self._pieces[left].end == self.parts[-1].start):
            return True
        first = at - 1 if self._role(at - 1) is Role.OPERATOR and at - 1 == self._low else at
        result = first == self._low and first > 0 and self._pieces[first - 1].role is Role.EQUALS
        joined = words[0] in _JOINERS - ({"and", "with"} if result else set()) and not _CLAUSE & set(words)
        return joined and len(words) <= 3 and self._role(at) in (Role.NUMBER, Role.CLOSE)


def _qualifies(words: Sequence[str]) -> bool:
    """Whether words between an operator and a number only attribute the number: "the", "Ann's", "the width of"."""
    if len(words) > 1 and words[0] in DETERMINERS and words[-1] == "of":
        return True
    return all(word in DETERMINERS or word.endswith(("'s", "’s")) for word in words)

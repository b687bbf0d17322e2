"""What stands beside a number in a sentence, and how far the number may be from a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from agent.grounding.claims.claims import Segment
from agent.grounding.claims.names import Rows
from agent.grounding.claims.reading import Item
from agent.grounding.evidence.facts import ColumnFacts, currencies_in
from agent.grounding.languages.vocabulary import Class
from agent.grounding.languages.words import is_among, same_word

LOOSE = Fraction(1, 10)  # the most that "about" or "over" may leave out
NEAR = 4  # items after a number in which what it counts is named


def interval(item: Item, said: Fraction, bound: Class | None) -> tuple[Fraction, Fraction]:
    """The values that a number may stand for, given the word before it."""
    if item.cls is Class.SHARE and bound is not None:
        loose = said * LOOSE  # "almost two thirds"
        return (said if bound is Class.OVER else said - loose), (said if bound is Class.UNDER else said + loose)
    half, scale = item.half, Fraction(item.numeral.scale if item.numeral else 1)
    place = 2 * half
    while said and (said / scale).denominator == 1 and said % (place * 10) == 0:
        place *= 10
    loose = min(place, abs(said) * LOOSE)
    if bound is Class.OVER:
        return said, said + max(loose, half)
    if bound is Class.UNDER:
        return said - max(loose, half), said
    if bound is Class.ABOUT:
        half = max(half, min(place / 2, abs(said) * LOOSE))
    return said - half, said + half


def currencies(items: Sequence[Item], place: int) -> set[str]:
    """Those that stand with a number: "$12", "12 dollars"."""
    return currencies_in(" ".join([items[place].currency, *(it.text for it in items[place + 1 : place + 2])]))


def says_aggregate(segment: Segment, column: ColumnFacts) -> bool:
    """Whether "average" or "total" is what a column is called, and no aggregate over all rows."""
    if Class.MEAN in segment.classes:
        return column.projection.aggregate == "avg"
    said = [it.text.lower() for it in segment.items if it.cls is Class.SUM]
    others = column.words - set(said)
    named = any(is_among(it.text.lower(), others) for it in segment.items if it.kind == "word")  # "total weight"
    return column.projection.aggregate == "sum" and bool(said) and named and all(it in column.words for it in said)


def all_of(groups: Iterable[Rows]) -> Rows:
    found: Rows | None = None
    for rows in groups:
        found = rows if found is None else found & rows
    return found or frozenset()


def in_order(segment: Segment, rows: Rows) -> list[int]:
    """The rows as the segment names them, one after the other."""
    order: list[int] = []
    for item in segment.names:
        order += [row for places in item.places.values() for row in sorted(places & rows) if row not in order]
    return [*order, *sorted(rows - set(order))]


def counted_words(items: Sequence[Item], place: int) -> list[Item]:
    found: list[Item] = []
    for item in items[place + 1 : place + 1 + NEAR]:
        if item.kind in ("number", "name", "date", "mark") or (item.kind == "phrase" and item.cls is not Class.ROWS):
            break
        found.append(item)
    return found


def same_beside(one: Sequence[Item], at: int, other: Sequence[Item], place: int) -> bool:
    for step in (1, -1):
        left = one[at + step] if 0 <= at + step < len(one) else None
        right = other[place + step] if 0 <= place + step < len(other) else None
        if left and right and left.kind == right.kind and left.kind in ("word", "phrase"):
            if left.cls is Class.FILLER and right.cls is Class.FILLER and left.text.lower() != right.text.lower():
                continue
            if (left.cls and left.cls is right.cls) or same_word(left.text.lower(), right.text.lower()):
                return True
    return False

"""Uses the words next to a number: what they refer to, and how far the number may differ from a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.currencies import find_currencies
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, is_same_word

LOOSE = Fraction(1, 10)  # the greatest deviation that "about" or "over" allows
OF_ALL = frozenset({Class.SUM, Class.MEAN})
FROM = frozenset(["from", "between", "von", "zwischen", "vom", "de", "entre", "desde", "da", "tra", "fra", "dal"])
COMPARED = frozenset({Class.MORE, Class.LESS, Class.TIMES, Class.DIFFERENCE, Class.MULTIPLIED, Class.RISE, Class.FALL})
PART_OF = frozenset({"of", "all", "von", "aller", "sur", "de", "des", "del", "su", "di", "dei", "delle"})
THE = frozenset(["the", "all", "den", "los", "las", "les"])
OF_THE = frozenset(["der", "aller", "des", "dei", "delle"])
_COMPARED_WITH = frozenset(["compared", "versus", "vs", "against", "gegenüber", "vergleich", "verglichen", "rapport"])
_COMPARED_WITH |= {"comparé", "comparación", "comparado", "frente", "respecto", "rispetto", "confronto", "than", "als"}
PLURAL = re.compile(r"[^\W\d_]{2}(?<![sui])s$")
NEAR = 4  # items after a number in which its noun follows


def interval(item: Item, said: Fraction, bound: Class | None) -> tuple[Fraction, Fraction]:
    """The range of values that a number may stand for, given the word before it."""
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


def currencies(items: Sequence[Item], place: int) -> frozenset[str]:
    """The currencies next to a number: "$12", "12 dollars"."""
    return find_currencies(" ".join([items[place].currency, *(it.text for it in items[place + 1 : place + 3])]))


def says_aggregate(segment: Segment, column: ColumnFacts) -> bool:
    """Whether "average" or "total" is part of a column's name, not an aggregate over all rows."""
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


def list_in_order(segment: Segment, rows: Rows) -> list[int]:
    """The rows in the order in which the segment names them."""
    order: list[int] = []
    for item in segment.names:
        order += [row for places in item.places.values() for row in sorted(places & rows) if row not in order]
    return [*order, *sorted(rows - set(order))]


def list_words_behind(items: Sequence[Item], *classes: Class) -> list[str]:
    """The lower-case words right after words of some classes: "team" in "in each team"."""
    places = [at for at, it in enumerate(items) if it.cls in classes]
    return [it.text.lower() for at in places for it in items[at + 1 : at + 3] if it.kind == "word"]


def list_counted_words(items: Sequence[Item], place: int) -> list[Item]:
    found: list[Item] = []
    for item in items[place + 1 : place + 1 + NEAR]:
        if item.kind in ("number", "name", "date", "mark") or (item.kind == "phrase" and item.cls is not Class.ROWS):
            break
        found.append(item)
    return found


def have_same_beside(one: Sequence[Item], at: int, other: Sequence[Item], place: int) -> bool:
    for step in (1, -1):
        left = one[at + step] if 0 <= at + step < len(one) else None
        right = other[place + step] if 0 <= place + step < len(other) else None
        if left and right and left.kind == right.kind and left.kind in ("word", "phrase"):
            if left.cls is Class.FILLER and right.cls is Class.FILLER and left.text.lower() != right.text.lower():
                continue
            if (left.cls and left.cls is right.cls) or is_same_word(left.text.lower(), right.text.lower()):
                return True
    return False


def span_of(facts: Facts, segment: Segment) -> list[int]:
    """The rows from one time to another, for an aggregate over all of them: "12 from May to July in total"."""
    items = [it for it in segment.items if it.kind == "date" and it.places]
    if len(items) != 2 or not OF_ALL & segment.classes or COMPARED & segment.classes:
        return []
    before = segment.items[max(0, segment.items.index(items[0]) - 2) : segment.items.index(items[0])]
    column = next(iter(items[0].places))
    ends = sorted(row for it in items for row in it.places.get(column, ()))
    if len(ends) != 2 or not any(it.text.lower() in FROM for it in before):
        return []
    low, high = sorted(str(facts.rows[row][column]) for row in ends)
    return [at for at, row in enumerate(facts.rows) if low <= str(row[column]) <= high]


def is_compared_with_second(segment: Segment) -> bool:
    """Whether the first of two names is compared with the second: "up in 2023 from 2022"."""
    names = segment.names
    if len(names) != 2:
        return False
    first, second = (segment.items.index(it) for it in names)
    between = [word for it in segment.items[first + 1 : second] for word in it.text.lower().split()]
    leads = [it.text.lower() for it in segment.items[max(0, first - 1) : first]]
    return bool(_COMPARED_WITH.intersection(between)) or bool(
        FROM.intersection(between) and not FROM.intersection(leads)
    )


def are_flagged(facts: Facts, segment: Segment, named: Rows) -> bool:
    """Whether the named rows are those for which a flag is set, or not set: "two flags are not enabled: A and B"."""
    denied = sum(it.cls is Class.NOT for it in segment.items) % 2 == 1
    words = [it.text.lower() for it in segment.items if it.kind == "word"]
    flags = [it for it in facts.columns if it.kind == "flag" and any(is_among(word, it.words) for word in words)]
    if not facts.is_whole or len(flags) != 1:
        return False
    cells = [row[flags[0].index] for row in facts.rows]
    return None not in cells and named == {at for at, cell in enumerate(cells) if bool(cell) is not denied}

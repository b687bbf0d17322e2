"""Splits a sentence into claims: the numbers, names and words that belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.languages.vocabulary import Class

# Words without a claim of their own. A part with no other phrases only introduces the next part.
_PLAIN = frozenset({Class.FILLER, Class.JOIN, Class.TIME, Class.PER, Class.EACH, Class.EXISTS, Class.ROWS, Class.ABOUT})
# These refer to a number, which may come after a comma.
_NEEDS_NUMBER = frozenset({Class.SUM, Class.MEAN, Class.DIFFERENCE, Class.RISE, Class.FALL, Class.TIMES, Class.STABLE})
_QUANTIFIERS = frozenset({Class.ALL, Class.EACH, Class.ONLY})
BOTH = frozenset(["both", "beide", "beiden", "les deux", "ambos", "ambas", "entrambi", "entrambe"])
BETWEEN = frozenset(["between", "zwischen", "entre", "tra", "fra"])
_ENDS = frozenset(".!?\n")


@dataclass
class Segment:
    """A part of a sentence that contains at most one name of each kind, or a list of them.

    sentence: the index of its sentence, from 0.
    inherited: names of a nearby segment, for columns without an own name.
    before: earlier names in the sentence, for columns with an own name: "Ada has 3, 2 more than Bo".
    nearby: earlier names in the sentence, for columns without an own name.
    """

    sentence: int
    items: list[Item] = field(default_factory=list)
    inherited: dict[int, Rows] = field(default_factory=dict)
    before: dict[int, Rows] = field(default_factory=dict)
    nearby: dict[int, Rows] = field(default_factory=dict)

    @property
    def numbers(self) -> list[Item]:
        return [it for it in self.items if it.kind == "number"]

    @property
    def names(self) -> list[Item]:
        """The names of rows."""
        return [it for it in self.items if it.kind in ("name", "date") and it.places]

    @property
    def classes(self) -> frozenset[Class]:
        return frozenset(it.cls for it in self.items if it.cls is not None)

    def map_own_rows(self) -> dict[int, Rows]:
        """The rows of its names, by column."""
        found: dict[int, Rows] = {}
        for item in self.names:
            column = next((it for it in item.places if it in found), next(iter(item.places)))
            if item.kind == "date":  # month and year may be separate columns
                for other, rows in item.places.items():
                    found[other] = found.get(other, frozenset()) | rows if other == column else rows
                continue
            found[column] = found.get(column, frozenset()) | item.rows
        return found

    def is_plain(self, plain: frozenset[Class] = _PLAIN) -> bool:
        """Whether it claims nothing except its names."""
        return all(it.cls in plain for it in self.items if it.kind == "phrase")


def segments_of(items: Sequence[Item]) -> list[Segment]:
    """The segments of a text. A number belongs to the names in its own segment, or else to `inherited` ones."""
    found: list[Segment] = []
    for sentence, parts in enumerate(_sentences(items)):
        found += _merge([Segment(sentence, part) for part in parts])
    _inherit(found)
    return found


def _sentences(items: Sequence[Item]) -> Iterator[list[list[Item]]]:
    parts: list[list[Item]] = [[]]
    for place, item in enumerate(items):
        if item.cls is Class.JOIN and _is_between(items, place):
            continue
        ends = item.kind == "mark" and (item.text.strip()[:1] in _ENDS or "\n" in item.text)
        if ends or (item.kind == "mark" and item.text.rstrip(".)").isdigit()):
            if any(parts):
                yield [part for part in parts if part]
            parts = [[]]
        elif (item.kind == "mark" and item.text not in "([") or item.cls is Class.JOIN:
            parts.append([])
        elif item.kind != "mark":
            parts[-1].append(item)
    if any(parts):
        yield [part for part in parts if part]


def _is_between(items: Sequence[Item], place: int) -> bool:
    """Whether an "and" joins the two ends of "between May and July"."""
    before = [it.text.lower() for it in items[max(0, place - 3) : place]]
    after = items[place + 1] if place + 1 < len(items) else None
    ends = after is not None and items[place - 1].kind == after.kind and after.kind in ("name", "date", "number")
    return ends and any(it in BETWEEN for it in before)


def _merge(segments: Sequence[Segment]) -> list[Segment]:
    """Join parts that only introduce the next segment, or end the previous one, with that segment."""
    found: list[Segment] = []
    pending: list[Item] = []
    for segment in segments:
        if segment.numbers and found and not found[-1].names and _same_kind(pending, segment):
            found[-1].items += pending  # "3 of them are in Spain; 1 is in France"
            pending = []
        steady = segment.classes & {Class.RISE, Class.FALL} and segment.classes & {Class.EACH, Class.STEADY}
        claims = segment.names and not segment.is_plain() and (steady or not segment.classes & _NEEDS_NUMBER)
        if claims and segment is not segments[-1] and segment.is_plain(_PLAIN | _QUANTIFIERS):
            claims = False  # "both Ada and Bo have more than 3"
        if segment.numbers or claims:
            found.append(Segment(segment.sentence, [*pending, *segment.items]))
            pending = []
        else:
            pending += segment.items
    if pending:
        last = Segment(segments[0].sentence, pending)
        if found and (not last.names or (len(found) == 1 and not found[0].names)):
            found[-1].items += pending
        else:
            found.append(last)
    return found


def _same_kind(pending: Sequence[Item], segment: Segment) -> bool:
    """Whether pending names belong to a column for which the next segment has its own names."""
    waiting = Segment(segment.sentence, list(pending)).map_own_rows()
    return bool(waiting.keys() & segment.map_own_rows().keys())


def _inherit(segments: Sequence[Segment]) -> None:
    """Give each segment the names of its neighbours, for columns that it does not name itself."""
    for place, segment in enumerate(segments):
        own = segment.map_own_rows()
        if not segment.numbers and not segment.classes:
            continue
        same = [it for it in segments[:place][::-1] if it.sentence == segment.sentence]
        same += [it for it in segments[place + 1 :] if it.sentence == segment.sentence]
        if not own and Class.SUM not in segment.classes and Class.MEAN not in segment.classes:
            same += [it for it in segments[:place][::-1] if it.sentence == segment.sentence - 1]
        elif not own:
            same = []
        for other in (it for it in segments[:place][::-1] if it.sentence == segment.sentence):
            for column, rows in other.map_own_rows().items():
                (segment.before if column in own else segment.nearby).setdefault(column, rows)
        for other in same:
            for column, rows in other.map_own_rows().items():
                if column not in own and column not in segment.inherited:
                    segment.inherited[column] = rows


def groups_of(segments: Sequence[Segment]) -> Iterator[list[list[Item]]]:
    """Names that should occur in the same row, by column, in order: "Ada and Bo drive A1 and B2"."""
    for sentence in sorted({it.sentence for it in segments}):
        group: dict[int, list[Item]] = {}
        last: int | None = None
        for item in (it for one in segments if one.sentence == sentence for it in one.names):
            column = next((it for it in item.places if it in group), next(iter(item.places)))
            if column in group and column != last:
                yield list(group.values())
                group = {}
            group.setdefault(column, []).append(item)
            last = column
        if group:
            yield list(group.values())


def pair_parallel(segments: Sequence[Segment]) -> Iterator[tuple[Item, Item]]:
    """Pairs from two lists of equal length: "Ada, Bo and Cy have 3, 2 and 1". Empty for other sentences."""
    for sentence in sorted({it.sentence for it in segments}):
        items = [it for one in segments if one.sentence == sentence for it in one.items]
        told = [it for it in items if it.kind == "number" or (it.kind in ("name", "date") and it.places)]
        told = [it for it in told if not _is_ratio(items, it)]
        names = [it for it in told if it.kind != "number"]
        numbers = [it for it in told if it.kind == "number"]
        for segment in segments:
            if segment.sentence == sentence:
                yield from _pair_alternating(segment)
        columns = {next(iter(it.places)) for it in names}
        if (
            len(names) == len(numbers) > 1
            and len(columns) == 1
            and (told == [*names, *numbers] or told == [*numbers, *names])
        ):
            yield from zip(names, numbers, strict=True)  # fmt: skip


def find_crossed(segments: Sequence[Segment]) -> Iterator[tuple[Rows, Item]]:
    """Numbers for pairs of names: "Ada had 3 in May and 4 in June; Bo had 2 and 1". Empty for other sentences."""
    for sentence in sorted({it.sentence for it in segments}):
        items = [it for one in segments if one.sentence == sentence for it in one.items]
        told = [it for it in items if it.cls is None and (it.kind == "number" or it.places)]
        columns = list(dict.fromkeys(_column(it) for it in told if it.kind != "number"))
        if len(columns) != 2 or told[0].kind == "number":
            continue
        found: list[tuple[Rows, Item]] = []
        seconds: list[Item] = []
        for clause in _clauses(told, columns[0]):
            head, numbers = clause[0], [it for it in clause if it.kind == "number"]
            names = [it for it in clause[1:] if it.kind != "number"]
            turns = all((one.kind == "number") is not (other.kind == "number") for one, other in pairwise(clause[1:]))
            seconds = names or seconds
            if len(numbers) != len(seconds) or (names and not turns):
                found = []
                break
            found += [(head.rows & it.rows, number) for it, number in zip(seconds, numbers, strict=True)]
        yield from found if len(found) > 1 else ()


def _clauses(told: Sequence[Item], column: int) -> Iterator[list[Item]]:
    """The items for each name of a column. The name comes first."""
    clause: list[Item] = []
    for item in told:
        if item.kind != "number" and _column(item) == column and clause:
            yield clause
            clause = []
        clause.append(item)
    yield clause


def _column(name: Item) -> int:
    return next(iter(name.places))


def _pair_alternating(segment: Segment) -> Iterator[tuple[Item, Item]]:
    """ "From 388 in February to 520 in March": pairs each number with the name beside it."""
    told = [it for it in segment.items if it.kind in ("number", "name", "date") and (it.places or it.kind == "number")]
    told = [it for it in told if not _is_ratio(segment.items, it)]  # "doubled" belongs to no name
    names = [it for it in told if it.kind != "number"]
    numbers = [it for it in told if it.kind == "number"]
    turns = all((one.kind == "number") is not (other.kind == "number") for one, other in pairwise(told))
    turns = turns or [it.kind == "number" for it in told] == [False, True, True, False]  # "Ada's 6 is half of Bo's 12"
    ratio = any(_is_ratio(segment.items, it) for it in segment.numbers)
    if ratio and [it.kind == "number" for it in told] == [False, True, False]:
        yield names[0], numbers[0]  # "Ada's 12 are twice as many as Bo's"
    if turns and len(names) == len(numbers) > 1 and len({next(iter(it.places)) for it in names}) == 1:
        yield from zip(names, numbers, strict=True)


def _is_ratio(items: Sequence[Item], item: Item) -> bool:
    """Whether a number states a ratio, so that it belongs to no name."""
    at = items.index(item)
    after = items[at + 1].cls if at + 1 < len(items) else None
    return item.kind == "number" and (item.cls is not None or after is Class.TIMES)

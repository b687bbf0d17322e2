"""Values recomputed over all records behind a result. A single record supports nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts, number_of
from agent.checks.grounding.languages.currencies import find_currencies
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.support.aggregates import Computed, candidates
from executors.base import JsonValue

_AGGREGATES = frozenset({Class.SUM, Class.MEAN, Class.MOST, Class.LEAST})


def compute_over_records(
    facts: Facts, segment: Segment, place: int, rows: Rows | None
) -> Iterator[tuple[Computed, ColumnFacts | None, frozenset[str]]]:
    """The values that a number of a segment may have: the number of records, or an aggregate of the column beside it.

    Each comes with its column (None for a number of records) and the words that the sentence may use for it. Nothing is
    computed if records are missing or a join may repeat them.

    Args:
        rows: those that the segment names. None if it names none.
    """
    records, item = facts.records, segment.items[place]
    if records is None or not facts.calculate or item.percent or facts.query.joined or len(facts.query.tables) != 1:
        return
    chosen = _records_of(facts, records, rows)
    if not chosen:
        return
    word = _find_word_after(segment, place)
    names = frozenset(words_of(facts.query.tables[0])[-1:])
    counts = any(it.projection.aggregate == "count" for it in facts.columns)  # 3 vehicles with 4 records
    if is_among(word, names) and not counts and not item.currency:
        yield Computed(Fraction(len(chosen)), "count(*)", Class.SUM), None, names
    for column in _list_columns_beside(records, segment, place, word):
        for computed in candidates(records, segment, item, column, chosen, named=False):
            if computed.cls in _AGGREGATES:
                yield computed, column, frozenset({*column.words, *column.units})


def _records_of(facts: Facts, records: Facts, rows: Rows | None) -> Sequence[int]:
    """The records of the named groups. All if there is one group or none is named. Empty in doubt."""
    everything = range(len(records.rows))
    if len(facts.rows) == 1:
        return everything
    if facts.result.truncated:
        return ()
    if rows is None:
        limit = facts.query.limit
        return () if limit is not None and len(facts.rows) >= limit else everything
    keys = [it for it in facts.columns if it.projection.grouped]
    places = {name: place for place, name in enumerate(records.result.columns)}
    if not keys or any(it.name not in places for it in keys):
        return ()
    groups = [tuple(_make_comparable(row[it.index]) for it in keys) for row in facts.rows]
    theirs = [tuple(_make_comparable(row[places[it.name]]) for it in keys) for row in records.rows]
    if len(set(groups)) < len(groups) or set(groups) != set(theirs):
        return ()
    wanted = {groups[row] for row in rows}
    return [place for place in everything if theirs[place] in wanted]


def _make_comparable(cell: JsonValue) -> object:
    number = number_of(cell)
    return number if number is not None else str(cell)


def _find_word_after(segment: Segment, place: int) -> str:
    """The word for what a number counts: the next one that is not a currency. Empty if there is none."""
    for item in segment.items[place + 1 :]:
        if item.kind in ("number", "name", "date", "mark"):
            break
        if item.kind == "word" and not find_currencies(item.text.lower()):
            return item.text.lower()
    return ""


def _list_columns_beside(records: Facts, segment: Segment, place: int, after: str) -> list[ColumnFacts]:
    """The columns of the records that the word after a number names, or else the nearest word before it."""
    if after and (found := _list_named_columns(records, after)):
        return found
    for item in reversed(segment.items[:place]):
        if item.kind == "number":
            break
        if item.kind in ("word", "phrase") and (found := _list_named_columns(records, item.text.lower())):
            return found
    return []


def _list_named_columns(records: Facts, word: str) -> list[ColumnFacts]:
    found = [it for it in records.measures if is_among(word, it.words) or word in it.units]
    return found if len(found) == 1 else []

"""Claims about a flag: "E-17 is charging" for a row whose `is_charging` is 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_among
from agent.checks.grounding.support.beside import all_of
from agent.checks.grounding.support.support import Numbers
from executors.base import JsonValue

_NO_STATE = frozenset({"is", "has", "are", "was", "have", "flag", "ist", "hat", "est", "es"})
_YES = frozenset({"yes", "y", "true", "ja", "j", "oui", "o", "sí", "si", "s", "sì", "1"})
_NO = frozenset({"no", "n", "false", "nein", "non", "0"})


def find_denied_flags(segments: Sequence[Segment], facts: Facts, numbers: Numbers) -> Iterator[Problem]:
    """Words of flags that the rows deny, or that are denied although the rows confirm them."""
    states = {it: _list_states(it, facts) for it in facts.columns if is_flag(it, facts)}
    spoken: tuple[int, str, ColumnFacts] | None = None  # sentence, word and column of the previous segment
    for segment in segments:
        for clause in _split_clauses(segment):
            found = [
                (segment.sentence, item.text, column)
                for item in clause
                if item.kind in ("word", "phrase")
                for column, words in states.items()
                if is_among(item.text.lower(), words)
            ]
            if not found and spoken is not None and spoken[0] == segment.sentence and _is_ellipsis(clause):
                found = [spoken]  # "E-18 is charging, E-17 is not"
            denied = any(it.cls is Class.NOT for it in clause)
            for sentence, word, column in found:
                spoken = (sentence, word, column)
                rows = _find_rows(clause, segment, facts, numbers)
                if any(read_flag(facts.rows[row][column.index]) is denied for row in rows):
                    yield Problem(word, "the rows say yes" if denied else "the rows say no")


def _split_clauses(segment: Segment) -> list[list[Item]]:
    """The items of a segment, split at each new list of names."""
    clauses: list[list[Item]] = [[]]
    for item in segment.items:
        current = clauses[-1]
        if item.places and current and not current[-1].places and any(it.places for it in current):
            clauses.append(current := [])
        current.append(item)
    return clauses


def _is_ellipsis(clause: Sequence[Item]) -> bool:
    """Whether a clause has names but no predicate of its own: "E-17 is not"."""
    return (
        clause[0].places != {} and clause[-1].kind == "phrase" and all(it.kind in ("name", "phrase") for it in clause)
    )


def is_flag(column: ColumnFacts, facts: Facts) -> bool:
    """Whether a column says yes or no, in whatever form."""
    cells = [row[column.index] for row in facts.rows if row[column.index] is not None]
    written = bool(cells) and all(isinstance(it, str) and read_flag(it) is not None for it in cells)
    return column.kind == "flag" or written


def _list_states(column: ColumnFacts, facts: Facts) -> frozenset[str]:
    """The words for a set flag, without words that other columns share."""
    others = {word for it in facts.columns if it is not column for word in it.words}
    return column.words - _NO_STATE - others


def _find_rows(clause: Sequence[Item], segment: Segment, facts: Facts, numbers: Numbers) -> Rows:
    """The rows that a clause refers to individually."""
    if facts.result.truncated:
        return frozenset()
    named = Segment(segment.sentence, [it for it in clause if it.places]).map_own_rows()
    rows = all_of(named.values()) if named else numbers.rows_of(segment)
    if rows is None:
        of_all = any(it.cls is Class.ALL for it in clause) and not segment.nearby
        return frozenset(range(len(facts.rows))) if of_all else frozenset()
    grouped = any(len(rows) > 1 for it in clause for rows in it.places.values())
    counted = any(it.kind == "number" and not it.percent for it in clause)
    return frozenset() if grouped and counted else rows  # "one of those in Porto is charging"


def read_flag(cell: JsonValue) -> bool | None:
    """Whether a cell is set. None if it is no flag."""
    if isinstance(cell, str):
        return True if cell.lower() in _YES else False if cell.lower() in _NO else None
    return bool(cell) if cell in (0, 1) else None

"""Joins that the docs describe and no key declares: `orders can be joined to customers on customer_id`.

Only an explicit sentence with names of the schema makes a join; a doubtful one makes none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from executors.base import ForeignKey, Schema, Table
from rag.docs.documents import Document
from rag.words import words

if TYPE_CHECKING:
    from rag.docs.names import Names

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_LIST = rf"{_NAME}(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+){_NAME})*"
_WORDS = r"(?:(?:either|both|the|tables?|columns?|fields?)\s+)*"
_ON = rf"(?:\s+tables?)?\s+(?:on|by|using|via|through|over)\s+{_WORDS}(?P<on>{_NAME}\s*=\s*{_NAME}|{_LIST})"


def _side(name: str) -> str:
    """Names, or columns `from` tables."""
    return rf"{_WORDS}(?P<{name}>{_LIST})(?:\s+(?:from|of|in)\s+{_WORDS}(?P<{name}_of>{_LIST}))?"


_ADVERB = r"(?:\s+(?:also|only|directly|always|usually|then))?"
_JOINED = rf"(?:(?:can|could|may|must|should){_ADVERB}\s+be|is|are){_ADVERB}\s+(?:joined|linked)"
_REFERS = (
    r"references|refers\s+to|points\s+to|links\s+to|joins(?:\s+(?:to|with))?"
    r"|is\s+(?:a|the)\s+foreign\s+key\s+(?:to|of|for|into|referencing)"
)
_SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_side('left')}\s+(?:{_JOINED}\s+(?:to|with)|{_REFERS})\s+{_side('right')}(?:{_ON})?",
        rf"(?<!not )(?<!never )\bjoin\s+{_side('left')}\s+(?:to|with)\s+{_side('right')}{_ON}",
        rf"(?P<left>{_NAME})\s+and\s+(?P<right>{_NAME})\s+{_JOINED}{_ON}",
        r"(?<![\w.])(?P<left>{0}\.{0})\s*==?\s*(?P<right>{0}\.{0})(?![\w.(])".format(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?"),
    )
)
_TELLS = re.compile(r"join|link|refer|points\s+to|foreign\s+key|=", re.IGNORECASE)
_QUOTES = str.maketrans("", "", "`\"'[]“”‘’")
_ENDS = re.compile(r"[.;!?](?:\s+|$)")
_CALLED = re.compile(rf"(\breferences\s+{_NAME})\s*\(\s*(\w+)\s*\)", re.IGNORECASE)  # REFERENCES customers(id)
_PARTS = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
_SENTENCE_CHARS = 400  # a longer one is a list or a query, not a sentence


class _Place(NamedTuple):
    """A table that a sentence names, or a column of it."""

    table: Table
    column: str = ""


def find_described_joins(schema: Schema, documents: Iterable[Document]) -> list[tuple[Table, ForeignKey]]:
    """The joins that rules tell of, each as a foreign key of the table; once each, in the order of the documents."""
    from rag.docs.names import Names

    names: Names | None = None
    found: dict[frozenset[tuple[str, str]], tuple[_Place, _Place]] = {}
    for document in documents:
        if document.kind == "rule" and _TELLS.search(document.text):
            for sentence in _sentences(document.text):
                for match in _matches(sentence):
                    names = names or Names(schema)
                    for pair in _find_pairs(match, names):
                        if pair[0].table is not pair[1].table:
                            found.setdefault(frozenset((place.table.name, place.column) for place in pair), pair)
    return [
        (left.table, ForeignKey(columns=(left.column,), table=right.table.name, referenced=(right.column,)))
        for left, right in found.values()
    ]


def _sentences(text: str) -> list[str]:
    plain = _CALLED.sub(r"\1.\2", text.translate(_QUOTES))
    return [sentence for sentence in _ENDS.split(plain) if len(sentence) <= _SENTENCE_CHARS]


def _matches(sentence: str) -> Iterator[dict[str, str]]:
    for pattern in _SENTENCES:
        for match in pattern.finditer(sentence):
            yield {name: text for name, text in match.groupdict().items() if text}


def _find_pairs(groups: dict[str, str], names: Names) -> list[tuple[_Place, _Place]]:
    """The pairs of columns that a sentence joins."""
    pairs: list[tuple[_Place, _Place]] = []
    for left, right in product(_places(groups, "left", names), _places(groups, "right", names)):
        if left.column and right.column:
            pairs.append((left, right))
        elif left.column:  # orders.customer_id references customers
            pairs += [(left, key) for key in _key(right.table)]
        elif not left.column and not right.column and "on" in groups:
            pairs += _on(groups["on"], left.table, right.table, names)
    return pairs


def _places(groups: dict[str, str], side: str, names: Names) -> list[_Place]:
    """What a side of a sentence names. A bare name is a table, else a column that just one table has."""
    parts = _PARTS.split(groups.get(side, ""))
    owners = [names.table(owner) for owner in _PARTS.split(groups.get(f"{side}_of", "")) if owner]
    places: list[_Place] = []
    for part in parts:
        if owners:
            places += [place for owner in owners if owner for place in _column(owner, part, names)]
        elif (column := names.find_qualified(part)) is not None:
            places.append(_Place(column[0], column[1].name))
        elif (table := names.table(part)) is not None:
            places.append(_Place(table))
        elif (only := names.only_column(part)) is not None:
            places.append(_Place(only[0], only[1].name))
    return places


def _on(text: str, left: Table, right: Table, names: Names) -> list[tuple[_Place, _Place]]:
    """The columns that are the same: of one name in both tables, or in one, and the key of the other; or `a = b`."""
    pairs: list[tuple[_Place, _Place]] = []
    for part in _PARTS.split(text):
        one, equal, other = (name.strip() for name in part.partition("="))
        if equal and names.find_qualified(one) and _column(right, one, names):
            one, other = other, one  # the other way round
        ours, theirs = _column(left, one, names), _column(right, other or one, names)
        if not equal:
            ours, theirs = ours or _key_as(one, left, theirs), theirs or _key_as(one, right, ours)
        pairs += product(ours, theirs)
    return pairs


def _key_as(name: str, table: Table, others: list[_Place]) -> list[_Place]:
    """The table's key, where the other table has a column of that name, which tells of this one: customer_id."""
    return _key(table) if others and words(name) & words(table.parts[-1]) else []


def _key(table: Table) -> list[_Place]:
    return [_Place(table, table.primary_key[0])] if len(table.primary_key) == 1 else []


def _column(table: Table, name: str, names: Names) -> list[_Place]:
    column = names.column(table, name)
    return [_Place(table, column.name)] if column is not None else []

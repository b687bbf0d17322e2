"""Which of several columns is meant by a value that all of them hold: a model that sees two filters by either.

What stands beside the value says it: the `F gender`, `customer Miller`; not "which city in New York". And a word in
small letters is more probably a kind of things, of which there are few, than the name of one of many: "heroes who are
aliens".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rag.linking.values import LinkedValue
from rag.words import stem_of, tokens, words

_LINKS = frozenset({"of", "is", "was", "named", "called", "von", "ist", "de", "du"})  # between a column and its value
_FEW = 5  # times as many distinct values has a column of names as one of kinds
_SAYS_NOTHING = words("id name title code key value type no number text description")  # columns of any table


def places_meant(
    values: Sequence[LinkedValue], question: str, distinct: Mapping[tuple[str, str], int]
) -> list[LinkedValue]:
    """The values without those whose column is surely not meant, in their order.

    Args:
        values: that the question spells out.
        question: as asked.
        distinct: how many values a column has, by table and column.
    """
    by_mention: dict[str, list[LinkedValue]] = defaultdict(list)
    for value in values:
        by_mention[value.mention.casefold()].append(value)
    chosen = {id(value) for ones in by_mention.values() for value in _meant(ones, question, distinct)}
    return [value for value in values if id(value) in chosen]


def _meant(
    ones: Sequence[LinkedValue], question: str, distinct: Mapping[tuple[str, str], int]
) -> Sequence[LinkedValue]:
    if len({(it.table, it.column) for it in ones}) < 2 or any(it.how == "date" for it in ones):
        return ones
    named = [_named(ones, near, before) for near, before in _beside(ones[0].mention, question)]
    if named and all(named):  # where it is said twice, what stands beside one says nothing of the other
        return [it for it in ones if any(it is one for found in named for one in found)]
    if not ones[0].mention.islower() or question.islower():  # who writes all in small letters, writes names so
        return ones
    sizes = {(it.table, it.column): distinct.get((it.table, it.column), 0) for it in ones}
    least = min(sizes.values())
    return [it for it in ones if sizes[it.table, it.column] < max(least, 1) * _FEW]


def _named(ones: Sequence[LinkedValue], near: frozenset[str], before: frozenset[str]) -> list[LinkedValue]:
    """The values whose column stands near, or else whose table before."""
    named = [it for it in ones if (words(it.column) - words(it.table) - _SAYS_NOTHING) & near]
    return named or [it for it in ones if words(it.table.rpartition(".")[2]) & before]


def _beside(mention: str, question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The stems of the words around each mention, and of the one before it.

    Only what comes before names a table: "alien heroes" are no names.
    """
    all_tokens, own = tokens(question), [token.folded for token in tokens(mention)]
    found: list[tuple[frozenset[str], frozenset[str]]] = []
    for at in range(len(all_tokens) - len(own) + 1):
        if own and [token.folded for token in all_tokens[at : at + len(own)]] == own:
            first, end = max(0, at - 1), at + len(own)
            before = all_tokens[first:at]
            linked = all_tokens[max(0, at - 2) : first] if all_tokens[first].folded in _LINKS else []
            near = frozenset(map(stem_of, (*linked, *before, *all_tokens[end : end + 1])))
            found.append((near, frozenset(map(stem_of, before))))
    return found

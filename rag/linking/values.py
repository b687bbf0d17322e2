"""Matches words of a question with stored values: `george lucas` is 'George Lucas' in publisher_name.

The index contains the distinct values of text columns as they were read. A question's words are looked up, not compared
with every value: first exactly, then by the words in a value. Values near only in meaning (California and 'CA') come
from the vectors of short values, see `column_index`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from executors.base import Frozen
from rag.linking.countries import LEAST_CODES, full_names, hold_country_codes, is_part_of_another
from rag.linking.dates import periods_in
from rag.words import Token, is_silent, join_folded, split_name, stem_of, tokens, words

How = Literal["exact", "case", "form", "country", "date", "near", "meaning"]

_SCORES: Mapping[How, float] = {"exact": 1.0, "case": 0.95, "form": 0.9, "country": 0.95, "date": 1.0}
_OFFERED: frozenset[How] = frozenset({"near", "meaning"})
_WITHIN = 0.9  # of a date's score, if the value is a time on that day or a day in that month
_LONGEST = 8  # most words of a value in a question
_NEAR = 84.0  # least similarity in percent of two spellings of a value: two letters in twelve differ
_MAX_WORDS = 4096  # words of questions whose similar spellings are cached
_NEAR_WORD_CHARS = 4  # shorter words are similar to too many others
_BEGINNING = 5  # least letters of a word that begins a longer one; it must also be two thirds of it
_IN_PART = 88.0  # similarity in percent if a name is a part of a value
_PLAIN = 0.9  # of the similarity, if the words do not look like a name
_COMMON = 50  # most values that share a word; a more frequent word identifies none
_NUMBER_DIGITS = 3  # shorter numbers are counts and rarely texts


class StoredValues(Frozen):
    """The distinct values of one text column, up to the limit for reading. is_whole: whether these are all of them."""

    table: str
    column: str
    values: tuple[str, ...]
    is_whole: bool = True


class Code(NamedTuple):
    """The key of the one row that holds a value: column and value, as in `param_cd` and 'NO3' for 'Nitrate'."""

    column: str
    value: str | int


class LinkedValue(NamedTuple):
    """A stored value that a question means or may mean.

    mention: the question's own words.
    how: `exact`; `case`, if case or punctuation differ; `form`, another form of the word, such as a plural; `country`,
        the code of the country; `date`, in another notation; `near`, with a similar spelling or only a part of it;
        `meaning`, by its vector, or a country's name in small letters.
    score: certainty, at most 1.
    among: the number of different values in the column; 0 if it is unknown.
    code: its code, in a table that others refer to by a key; None if there is none, or if it was not read.
    """

    table: str
    column: str
    value: str
    mention: str
    how: How
    score: float
    among: int = 0
    code: Code | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is the same value, in any notation. Otherwise it is an offer."""
        return self.how not in _OFFERED


class _Span(NamedTuple):
    """Adjacent words of a text."""

    start: int
    end: int
    mention: str
    weight: float  # 1 if it looks like a value (quoted, with a capital or a digit, several words), otherwise less


class ValueIndex:
    """Stored values, except private ones, by their spelling and their words. A lower-case word that occurs in a name of
    the schema more probably means the column."""

    def __init__(self, stored: Iterable[StoredValues], names: Collection[str] = ()) -> None:
        self._names = frozenset(names)
        self._values: list[tuple[str, str, str]] = []  # table, column, value
        spelling, singular, by_word, countries = (defaultdict[str, list[int]](list) for _ in range(4))
        dated: list[tuple[str, int]] = []
        stored = list(stored)
        self._among = {(it.table, it.column): len(it.values) * it.is_whole for it in stored}
        coded = {
            (it.table, it.column)
            for it in stored
            if hold_country_codes(split_name(it.column).split(), it.values, least=LEAST_CODES)
        }
        for column, value in ((it, value) for it in stored for value in it.values):
            parts = tokens(value)
            if not parts:
                continue
            at = len(self._values)
            self._values.append((column.table, column.column, value))
            if len(parts) <= _LONGEST:
                spelling[join_folded(parts)].append(at)
                singular[" ".join(part.singular for part in parts)].append(at)
            for word in {part.folded for part in parts}:
                by_word[word].append(at)
            if _ISO.match(value):
                dated.append((value, at))
            if (column.table, column.column) in coded:
                for name in full_names(value):
                    countries[join_folded(tokens(name))].append(at)
        dated.sort()
        self._by_spelling, self._by_singular, self._by_word = _freeze(spelling), _freeze(singular), _freeze(by_word)
        self._by_country = _freeze(countries)
        self._dates, self._dated = [day for day, _ in dated], [at for _, at in dated]
        self._words = [word for word in self._by_word if len(word) >= _NEAR_WORD_CHARS]
        self._alike: dict[str, tuple[str, ...]] = {}  # by word; questions repeat the same words

    def find(self, text: str) -> list[LinkedValue]:
        """All stored values that the text contains, and values similar to words that match none. Surest first."""
        words = tokens(text)
        found: list[LinkedValue] = []
        taken: set[int] = set()  # words explained by a sure value
        for span in _spans(text, words):
            hits = self._exact(span, words, inside=taken.issuperset(range(span.start, span.end)))
            if any(hit.is_sure for hit in hits):
                taken.update(range(span.start, span.end))
            found += hits
        found += self._on_dates(text)
        for span in _pieces(text, words):
            if not taken.issuperset(range(span.start, span.end)):
                found += self._near(span, words)
        return sorted(found, key=lambda it: (-it.score, it.table, it.column, it.value, it.mention))

    def _exact(self, span: _Span, words: Sequence[Token], *, inside: bool) -> list[LinkedValue]:
        part = words[span.start : span.end]
        weight = span.weight * (0.5 if inside else 1.0)  # `York` in `New York`, if both are stored
        if len(part) == 1 and self._is_name(part[0]):
            weight *= 0.5
        spelled = join_folded(part)
        spelling = self._by_spelling.get(spelled, ())
        hits = [self._link(at, span.mention, "exact" if self._values[at][2] == span.mention else "case", weight)
                for at in spelling]  # fmt: skip
        seen = set(spelling)
        forms = self._by_singular.get(" ".join(word.singular for word in part), ())
        hits += [self._link(at, span.mention, "form", weight) for at in forms if at not in seen]
        before = words[span.start - 1].folded if span.start else ""
        if is_part_of_another(before):
            return hits
        how: How = "meaning" if span.mention.islower() else "country"  # "turkey", "china" and "chili" are things, too
        return hits + [self._link(at, span.mention, how, weight) for at in self._by_country.get(spelled, ())]

    def _on_dates(self, text: str) -> list[LinkedValue]:
        """Values that are a day in the text, or the first or last day of its month, quarter or year, or within it."""
        found: list[LinkedValue] = []
        for period in periods_in(text):
            ends = [self._beginning_with(day.isoformat()) for day in dict.fromkeys((period.first, period.last))]
            for at in chain(*ends):
                is_day = not self._values[at][2][10:].strip("T 0:.Z")  # without a time, or at midnight
                found.append(self._link(at, period.mention, "date", 1.0 if is_day else _WITHIN))
            columns = {(it.table, it.column) for it in found if it.mention == period.mention}
            for at in self._beginning_with(period.prefix) if period.prefix else ():
                if self._values[at][:2] not in columns:  # one per column shows its notation
                    columns.add(self._values[at][:2])
                    found.append(self._link(at, period.mention, "date", _WITHIN))
        return found

    def _beginning_with(self, day: str) -> Iterator[int]:
        at = bisect_left(self._dates, day)
        while at < len(self._dates) and self._dates[at].startswith(day):
            yield self._dated[at]
            at += 1

    def _near(self, span: _Span, words: Sequence[Token]) -> list[LinkedValue]:
        """Values with a spelling similar to the span's, among those that share a word or a similar word with it."""
        part = words[span.start : span.end]
        if len(part) == 1 and self._is_name(part[0]):
            return []
        ids = {at for word in part for at in self._sharing(word)}
        mention = {join_folded(part), " ".join(word.singular for word in part)}
        hits: list[LinkedValue] = []
        for at in sorted(ids):
            value = join_folded(tokens(self._values[at][2]))
            likeness = max(_likeness(one, value, is_name=span.weight == 1.0) for one in mention)
            if likeness >= _NEAR:
                hits.append(self._link(at, span.mention, "near", span.weight * likeness / 100))
        return hits

    def _is_name(self, word: Token) -> bool:
        """Whether a lower-case word is in a name of the schema, which it more probably means than a value."""
        return word.text.islower() and stem_of(word) in self._names

    def _sharing(self, word: Token) -> Iterable[int]:
        """Values that contain this word or a similar one, unless they are too many to identify one."""
        if word.folded in self._by_word:
            alike = [word.folded]
        elif len(word.folded) < _NEAR_WORD_CHARS or word.folded.isdigit() or is_silent(word):
            return
        else:
            alike = [near for near in self._spell_like(word.singular) if near[0] == word.folded[0]]  # seldom mistyped
            alike += self._beginning(word.folded)
        for near in alike:
            if len(self._by_word[near]) <= _COMMON:
                yield from self._by_word[near]

    def _spell_like(self, word: str) -> tuple[str, ...]:
        """The three most similar words in values. Cached, because finding them compares all words."""
        found = self._alike.get(word)
        if found is None:
            from rapidfuzz import fuzz, process

            matches = process.extract(word, self._words, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=3)
            if len(self._alike) >= _MAX_WORDS:
                self._alike.clear()
            found = self._alike[word] = tuple(near for near, _, _ in matches)
        return found

    def _beginning(self, word: str) -> list[str]:
        """The longest word in values that begins this one: `success` for `successful`."""
        for length in range(len(word) - 1, _BEGINNING - 1, -1):
            if length * 3 >= len(word) * 2 and word[:length] in self._by_word:
                return [word[:length]]
        return []

    def _link(self, at: int, mention: str, how: How, weight: float) -> LinkedValue:
        table, column, value = self._values[at]
        score = round(_SCORES.get(how, 1.0) * weight, 4)
        return LinkedValue(table, column, value, mention, how, score, self._among[table, column])


_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_QUOTED = re.compile(r"""["“”«»„`]([^"“”«»„`]{1,80})["“”«»„`]|(?<!\w)['‘’]([^'‘’]{1,80})['‘’](?!\w)""")


def _freeze(postings: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """Convert to tuples, which the garbage collector need not track: there may be a hundred thousand."""
    return {mention: tuple(places) for mention, places in postings.items()}


def find_quoted(text: str) -> list[str]:
    """The texts in quotes of any kind."""
    return [match[1] or match[2] for match in _QUOTED.finditer(text)]


def _likeness(mention: str, value: str, *, is_name: bool) -> float:
    """Percent. A name may be partial and in another order. A plain word must be the value or begin with it."""
    from rapidfuzz import fuzz

    likeness = max(fuzz.ratio(mention, value), fuzz.token_sort_ratio(mention, value))
    in_part = f" {mention} " in f" {value} " and (
        value.startswith(mention) or value.count(" ") <= 2 * mention.count(" ") + 1
    )
    if is_name and in_part:
        return max(likeness, _IN_PART)
    if (
        len(value) >= _BEGINNING
        and mention.startswith(value)
        and " " not in mention
        and len(value) * 3 >= len(mention) * 2
    ):
        return max(likeness, _IN_PART)
    return likeness


def _spans(text: str, words: Sequence[Token]) -> list[_Span]:
    """All runs of words that may be a value, longest first."""
    quotes = [match.span() for match in _QUOTED.finditer(text)]
    spans: list[_Span] = []
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            begin, end = part[0].start, part[-1].end
            whole = any(left == begin - 1 and right == end + 1 for left, right in quotes)
            weight = _weight(part, quoted=whole)
            if weight:
                spans.append(_Span(start, start + length, text[begin:end], weight))
    return spans


def _weight(part: Sequence[Token], *, quoted: bool) -> float:
    """How much a run of words looks like a value. 0 if not at all."""
    if quoted:
        return 1.0
    if len(part) > 1:
        return 0.0 if all(is_silent(word) for word in part) else 1.0
    word = part[0]
    capital = not word.text.islower() and not word.leads
    if word.text.isdigit():
        return 0.7 if len(word.text) >= _NUMBER_DIGITS else 0.0
    if is_silent(word) or len(word.text) == 1:
        return 0.7 if capital and word.text.isupper() else 0.0
    return 1.0 if capital or not word.text.isalpha() else 0.8


def _pieces(text: str, words: Sequence[Token]) -> list[_Span]:
    """Spans that may be a value in another spelling: names (quoted or capitalized) first, then phrases and words."""
    spans: dict[tuple[int, int], _Span] = {}

    def add(start: int, end: int, weight: float) -> None:
        mention = text[words[start].start : words[end - 1].end]
        spans.setdefault((start, end), _Span(start, end, mention, weight))

    for match in _QUOTED.finditer(text):
        inside = [at for at, word in enumerate(words) if match.start() < word.start and word.end < match.end()]
        if inside:
            add(inside[0], inside[-1] + 1, 1.0)
    for start, end in _runs(words, lambda at: _capital(words, at)):
        add(start, end, 1.0)
    for start, end in _runs(words, lambda at: not is_silent(words[at])):
        if 1 < end - start <= _LONGEST:
            add(start, end, _PLAIN)
        for at in range(start, end):
            if _weight(words[at : at + 1], quoted=False):
                add(at, at + 1, _PLAIN)
    return list(spans.values())


def _runs(words: Sequence[Token], belongs: Callable[[int], bool]) -> list[tuple[int, int]]:
    """The runs of adjacent words that belong: first position, and the position after the last."""
    runs: list[tuple[int, int]] = []
    for at in range(len(words)):
        if belongs(at):
            runs[-1:] = [(runs[-1][0], at + 1)] if runs and runs[-1][1] == at else [*runs[-1:], (at, at + 1)]
    return runs


def _capital(words: Sequence[Token], at: int) -> bool:
    word = words[at]
    return word.text[:1].isupper() and not is_silent(word) and (not word.leads or word.text.isupper())


# Chooses a column if several contain the same value. A model that sees both filters by either.
#
# Words beside the value decide: the `F gender`, `customer Miller`; not "which city in New York". A lower-case word is
# more probably a kind of things, of which there are few, than the name of one of many: "heroes who are aliens".
_LINKS = frozenset({"of", "is", "was", "named", "called", "von", "ist", "de", "du"})  # between a column and its value
_FEW = 5  # a column of names has at least this many times the distinct values of a column of kinds
_SAYS_NOTHING = words("id name title code key value type no number text description")  # generic words in column names


def places_meant(values: Sequence[LinkedValue], question: str) -> list[LinkedValue]:
    """The values in the question, in order, without those whose column is certainly not meant."""
    chosen = {id(value) for ones in by_mention(values) for value in _select_meant(ones, question)}
    return [value for value in values if id(value) in chosen]


def by_mention(values: Iterable[LinkedValue]) -> Iterable[list[LinkedValue]]:
    """The values grouped by mention, ignoring case."""
    groups: dict[str, list[LinkedValue]] = defaultdict(list)
    for value in values:
        groups[value.mention.casefold()].append(value)
    return groups.values()


def _select_meant(ones: Sequence[LinkedValue], question: str) -> Sequence[LinkedValue]:
    if len({(it.table, it.column) for it in ones}) < 2 or any(it.how == "date" for it in ones):
        return ones
    named = [_select_named(ones, near, before) for near, before in _beside(ones[0].mention, question)]
    if named and all(named):  # if a value occurs twice, the words beside one do not decide for the other
        return [it for it in ones if any(it is one for found in named for one in found)]
    if not ones[0].mention.islower() or question.islower():  # in an all-lower-case question, names are lower-case too
        return ones
    least = min((it.among for it in ones if it.among), default=0)
    return [it for it in ones if not least or 0 < it.among < least * _FEW]


def _select_named(ones: Sequence[LinkedValue], near: frozenset[str], before: frozenset[str]) -> list[LinkedValue]:
    """The values whose column is named nearby, or else whose table is named before them."""
    named = [it for it in ones if (words(it.column) - words(it.table) - _SAYS_NOTHING) & near]
    return named or [it for it in ones if words(it.table.rpartition(".")[2]) & before]


def _beside(mention: str, question: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The stems of the words around each mention, and of the word before it. Only the word before can name a table: in
    "alien heroes", the value is no name."""
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

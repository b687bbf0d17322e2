"""Finds names and times from the rows in a sentence: values, their countries, and their meanings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cached_property

from agent.checks.grounding.evidence.facts import ColumnFacts, Facts
from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.checks.grounding.languages.words import is_same_word
from agent.checks.grounding.numbers.dates import MONTHS, DateInText, find_dates
from executors.base import JsonValue
from rag.linking.countries import country_names, hold_country_codes

Rows = frozenset[int]
Places = Mapping[int, Rows]  # column -> rows
Date = tuple[int | None, int | None, int | None, int | None]

TOKEN = re.compile(r"[\uac00-\ud7a3]+|[^\W_\uac00-\ud7a3]+")
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")
_WEEK = re.compile(r"(\d{4})-?[wW](\d\d)")
_WEEKS = 53  # most weeks of a year
_MONTH_COLUMN = re.compile(r"month|monat|mois|mes\b|mese", re.IGNORECASE)
_YEAR_COLUMN = re.compile(r"year|(?:^|_)yr(?:$|_)|jahr|ann[ée]e?|año|anno", re.IGNORECASE)
_HANGUL = re.compile("[\uac00-\ud7a3]")
_GENDER_WORDS = frozenset(["sex", "gender"])
_GENDERS = {"F": "female", "M": "male", "f": "female", "m": "male"}
# Words of a name that are no names by themselves: "The Long Field".
_ARTICLES = frozenset(
    {"the", "and", "der", "die", "das", "den", "dem", "les", "des", "los", "las", "del", "una", "une", "gli"}
)
_SHORT = 3  # most letters of a name that must match in case


class NameIndex:
    """The values that distinguish rows, by words and by dates."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._aliases: dict[str, dict[tuple[str, ...], dict[int, set[int]]]] = defaultdict(dict)
        self._exact: dict[str, set[str]] = defaultdict(set)
        self.dates: dict[Date, dict[int, set[int]]] = {}
        self.numbers: dict[int, dict[int, set[int]]] = {}
        self.dated: set[int] = set()
        self._times: dict[int, Date] = {}  # of each row, combined from all its columns
        self._weeks: dict[int, int] = {}
        for column in facts.columns:
            if column.kind == "dimension":
                self._add_column(column)

    def _add_column(self, column: ColumnFacts) -> None:
        cells: dict[JsonValue, list[int]] = defaultdict(list)
        for at, row in enumerate(self._facts.rows):
            cell = row[column.index]
            if cell is not None and not isinstance(cell, (list, dict)):
                cells[cell].append(at)
        codes = dict(column.codes)
        if self._facts.language == "en" and _GENDER_WORDS & column.words and {*map(str, cells)} <= _GENDERS.keys():
            codes = _GENDERS | codes
        texts = [cell for cell in cells if isinstance(cell, str)]
        countries = country_names() if hold_country_codes(column.words, texts) else {}
        for cell, rows in cells.items():
            text = str(cell)
            for alias in (text, codes.get(text), *countries.get(text, ())):
                if alias:
                    self._add(alias, column.index, rows)
            self._add_dates(cell, column, rows)
            if not isinstance(cell, (str, bool, float)):
                self.numbers.setdefault(cell, {}).setdefault(column.index, set()).update(rows)

    def _add(self, alias: str, column: int, rows: Iterable[int]) -> None:
        written = TOKEN.findall(alias)
        tokens = tuple(token.casefold() for token in written)
        if not tokens:
            return
        if len(alias) <= _SHORT and not _HANGUL.match(alias):
            self._exact[tokens[0]].add(written[0])
        self._aliases[tokens[0]].setdefault(tokens, {}).setdefault(column, set()).update(rows)

    def _add_dates(self, cell: JsonValue, column: ColumnFacts, rows: Iterable[int]) -> None:
        found: list[Date] = []
        if isinstance(cell, str):
            for said in find_dates(cell):
                found += said.readings
            if not found and cell.lower() in MONTHS:
                found.append((None, MONTHS[cell.lower()], None, None))
            if not found and _MONTH_COLUMN.search(column.name) and re.fullmatch(r"0?[1-9]|1[0-2]", cell):
                found.append((None, int(cell), None, None))
            if not found and _YEAR.fullmatch(cell):
                found.append((int(cell), None, None, None))
        elif isinstance(cell, int) and _MONTH_COLUMN.search(column.name) and 1 <= cell <= 12:
            found.append((None, cell, None, None))
        elif isinstance(cell, int) and _YEAR_COLUMN.search(column.name):
            found.append((cell, None, None, None))
        if isinstance(cell, str) and (week := _WEEK.fullmatch(cell)):
            self.dated.add(column.index)
            self._weeks |= dict.fromkeys(rows, _WEEKS * int(week[1]) + int(week[2]))
        for row in rows if found else ():
            known = self._times.get(row, found[0])
            year, month, day, quarter = (one or other for one, other in zip(known, found[0], strict=True))
            self._times[row] = (year, month, day, quarter)
        for reading in found:
            self.dated.add(column.index)
            for part in _parts(reading):
                self.dates.setdefault(part, {}).setdefault(column.index, set()).update(rows)

    def step_of(self, row: int) -> tuple[str, int] | None:
        """The time of a row as a step in a series, counted in years, quarters, months, weeks or days."""
        if row in self._weeks:
            return "week", self._weeks[row]
        year, month, day, quarter = self._times.get(row, (None, None, None, None))
        if day and month and year:
            return "day", date(year, month, day).toordinal()
        if month:
            return "month", 12 * (year or 0) + month
        if quarter:
            return "quarter", 4 * (year or 0) + quarter
        return ("year", year) if year else None

    def list_in_time(self, rows: Collection[int]) -> Sequence[int]:
        """Rows in chronological order. Empty if a row has no time, a time repeats, or the steps differ."""
        times = {row: time for row in rows if (time := self.step_of(row)) is not None}
        single = len(set(times.values())) == len(rows) and len({step for step, _ in times.values()}) == 1
        return sorted(rows, key=lambda row: times[row][1]) if single and len(times) == len(rows) else ()

    def is_only_name(self, digits: str) -> bool:
        """Whether digits occur as a text in the only column of such texts, and equal no number in the rows."""
        facts = self._facts
        texts = {(row[it.index], it.index) for row in facts.rows for it in facts.columns if it.kind == "dimension"}
        coded = {column for text, column in texts if isinstance(text, str) and text.isdigit()}
        values = {value for it in facts.measures for value in facts.values(it.index)}
        return len(coded) == 1 and (digits, *coded) in texts and int(digits) not in values | {len(facts.rows)}

    def are_all(self, rows: Rows) -> bool:
        """Whether these are all rows."""
        return len(rows) == len(self._facts.rows)

    def column_name(self, column: int) -> str:
        return self._facts.columns[column].name

    def find_name(self, tokens: list[tuple[str, int, int]], place: int) -> tuple[int, Places] | None:
        """The longest name that begins at a token of a sentence: its number of tokens and its places.

        Args:
            tokens: as written, with their start and end.
        """
        first = tokens[place][0].casefold()
        heads = {first, *_without_ending(first)}
        best: tuple[int, Places] | None = None
        for head in heads:
            for alias, places in self._aliases.get(head, {}).items():
                if (best is None or len(alias) > best[0]) and self._matches(alias, tokens, place):
                    best = (len(alias), {column: frozenset(rows) for column, rows in places.items()})
        return best

    def _matches(self, alias: tuple[str, ...], tokens: list[tuple[str, int, int]], place: int) -> bool:
        found = [token for token, _, _ in tokens[place : place + len(alias)]]
        if len(found) < len(alias):
            return False
        exact = self._exact.get(alias[0]) if len(alias) == 1 else None
        if exact is not None and exact.isdisjoint((found[0], found[0].removesuffix("s"), self._uncapitalize(found[0]))):
            return False
        folded = [token.casefold() for token in found]
        return folded[:-1] == list(alias[:-1]) and (
            folded[-1] == alias[-1] or alias[-1] in _without_ending(folded[-1])
        )  # fmt: skip

    def _uncapitalize(self, word: str) -> str:
        """A capitalized word in lower case, as it may be stored. A word of the language, such as "It", is unchanged."""
        language = self._facts.language
        listed = language in LANGUAGES and vocabulary(language).find_phrase([word.lower()], 0)
        return word if listed else word[:1].lower() + word[1:]

    @cached_property
    def parts(self) -> dict[str, dict[int, set[int]]]:
        """Single words of longer names, with their places."""
        found: dict[str, dict[int, set[int]]] = {}
        for aliases in self._aliases.values():
            for alias, places in aliases.items():
                for token in alias if len(alias) > 1 else ():
                    for column, rows in places.items():
                        if len(token) >= _SHORT and token.isalpha() and token not in _ARTICLES:
                            found.setdefault(token, {}).setdefault(column, set()).update(rows)
        return found

    def find_like(self, word: str) -> Places | None:
        """The places of the only single-word name of which `word` is a form: "urgentes" for "urgent"."""
        found = [
            aliases[head,] for head, aliases in self._aliases.items() if (head,) in aliases and is_same_word(word, head)
        ]
        return {column: frozenset(rows) for column, rows in found[0].items()} if len(found) == 1 else None

    def find_date(self, said: DateInText) -> Places | None:
        """The places of a date or of its stated part. None if the rows do not contain it."""
        for reading in said.readings:
            if found := self._find_parts(reading):
                return found
        return None

    def _find_parts(self, reading: Date) -> Places | None:
        whole = self.dates.get(reading)
        if whole is not None:
            return {column: frozenset(rows) for column, rows in whole.items()}
        year, month, day, quarter = reading
        if year is None or day is not None:
            return None
        parts = [self.dates.get((year, None, None, None)), self.dates.get((None, month, None, quarter))]
        asked = any(str(year) in it.values for it in self._facts.conditions)
        if parts[0] is None and asked and all(known is None for known, *_ in self.dates):
            parts = parts[1:]  # a month in the only year of the query
        if (month is None and quarter is None) or any(part is None for part in parts):
            return None
        return {column: frozenset(rows) for part in parts if part for column, rows in part.items()}


def _parts(reading: Date) -> set[Date]:
    """The parts of a date that a sentence may state: all of it, month and year, the month, the year."""
    year, month, day, quarter = reading
    found: set[Date] = {(year, month, day, None), (year, month, None, None), (year, None, None, None)}
    found |= {(None, month, day, None), (None, month, None, None)}
    of_quarter = quarter or (month and (month + 2) // 3)
    found |= {(year, None, None, of_quarter), (None, None, None, of_quarter)} if of_quarter else set()
    return {part for part in found if any(it is not None for it in part)}


def _without_ending(word: str) -> set[str]:
    """A name without a case ending, as in `Deutschlands`, or without a Korean particle."""
    found = {word[:-1]} if len(word) > _SHORT and word.endswith("s") else set()
    if re.match(r"[\uac00-\ud7a3]", word):
        found |= {word[:end] for end in range(len(word) - 1, max(1, len(word) - 4), -1)}
    return found

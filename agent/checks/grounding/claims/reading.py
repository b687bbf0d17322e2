"""Reads a sentence as a list of items: numbers, names, times, words of the closed vocabulary, and other words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile

from agent.checks.grounding.claims.compounds import read_korean, with_durations, with_fractions
from agent.checks.grounding.claims.item import Item, Kind
from agent.checks.grounding.claims.names import TOKEN, NameIndex, Places
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.particles import (
    ARTICLED,
    ARTICLES,
    BEFORE_YEARS,
    BOUNDS_OF_NUMBERS,
    BUT,
    DEFINITE,
    DURING,
    FISCAL,
    JOINED,
    NOT_ONE_AFTER,
    NOT_ONE_BEFORE,
    ONE,
    THAN,
    THAN_OF,
    UP_BY,
)
from agent.checks.grounding.languages.plain_words import list_doing_words, list_transfer_words
from agent.checks.grounding.languages.ratios import read_ratio
from agent.checks.grounding.languages.vocabulary import LANGUAGES, Class, Vocabulary, vocabulary
from agent.checks.grounding.languages.words import COMPOUND_UNITS, is_among, words_of
from agent.checks.grounding.numbers.dates import MONTHS, DateInText, find_dates
from agent.checks.grounding.numbers.number_words import read_number_words
from agent.checks.grounding.numbers.numerals import Numeral, is_european, read_numeral

_WORD = re.compile(r"[^\W\d_]+n['’]t\b|[^\W\d_]+")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th|er|re|ème|e|º|ª|°)(?![^\W_])")
_MARKER = re.compile(r"(?:^|\n)[ \t]*$")
_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d])")
_MARKS = re.compile(r"[,;:.!?()\n\[\]=]|[–—]|(?<=\s)-(?=\s)|/")
_BETWEEN_WORDS = re.compile(rf"{_MARKS.pattern}|\d")  # "kamen 2024 auf" is not a phrase
_CODE = re.compile(r"(?=[^\W_]*\d)(?=[^\W_]*[^\W\d_])[^\W_]+(?:[-_./][^\W_]+)*")
# A text with digits that is no number and no day: "Blade Runner 2049", "2022/23", "20-29".
_NAMED_BY_DIGITS = re.compile(r"(?=.*\d)(?:[^\W\d_]|\d+/\d+$|\d+-\d+$(?<!\d{4}-(?:0[1-9]|1[0-2])))")
_DEGREES = re.compile(r"°[CF]\b")

_TRANSLATED = 6  # least letters of a name that may be translated
_ABBREVIATIONS = re.compile(
    r"(?:i\. ?e|e\. ?g|d\. ?h|z\. ?B|p\. ?ej|bzw|vs|ca|approx|incl|inkl|nr|no)\.(?!\n)", re.IGNORECASE
)
_HALF_TIMES, _HALF_SHARE = Fraction(1, 20), Fraction(1, 2)  # tolerances of ratios in words: 0.05; 0.5 %
_COMPARES = {Class.OVER: Class.MORE, Class.UNDER: Class.LESS}
_BOUNDS = {Class.MORE: Class.OVER, Class.LESS: Class.UNDER}
KOREAN_THAN = re.compile(r"(?<=[^\W_])보다(?![^\W_])")  # follows the compared name
# Korean words that relate several numbers. Its other words are not analysed.
_KOREAN = re.compile(
    r"(?<![^\W\d])(?:(?P<sum>모두(?=\s*\d)|합계|합산|합쳐|합치|합하|합한|합해|총)|(?P<mean>평균))|(?<=\d)(?P<times>배)"
    rf"|(?P<difference>(?<![^\W\d])(?:차이|격차)|{KOREAN_THAN.pattern})"
    # Bounds follow their number: "20시간 미만".
    r"|(?<![^\W\d])(?:(?P<over>이상|넘|초과(?=[이입했하한였]))|(?P<under>미만|이하))"
)
_KOREAN_RANK = re.compile(r"(\d{1,3})위(?=$|[^\uac00-\ud7a3]|[는은가이를을로와과의인에입였])")
_NOT_COMPOUND = re.compile(r"(?:no|non|not)-[^\W\d_]+", re.IGNORECASE)
_ALL = {Class.ALL, Class.EACH, Class.NOT}
_VERBS = frozenset({Class.MOST, Class.LEAST, Class.RISE, Class.FALL, Class.RANGE, Class.MORE, Class.LESS})
_NOUNS = 2  # "l'interruzione media più lunga"
_BESIDE = 2  # most words between digits and their label


def items_of(text: str, facts: Facts, names: NameIndex) -> list[Item]:
    """All items of a text, in order. White space and quotes produce none."""
    found = list(with_fractions(text, list(_Reader(text, facts, names).items()), facts.language))
    found = list(with_durations(text, found))
    for place in range(len(found)):
        found[place] = _in_context(found, place, facts.language)
    return list(_with_than(text, found if text == facts.question else list(_with_years(facts.question, found, names))))


def _in_context(items: Sequence[Item], place: int, language: str | None) -> Item:
    """The item with the class that its neighbours give it. The first case that applies decides."""
    item, word = items[place], items[place].text.lower()
    after = items[place + 1] if place + 1 < len(items) else None
    if word in DURING and after is not None and after.kind == "phrase" and after.text.lower() in ARTICLES:
        return replace(item, cls=Class.FILLER)  # "over the four quarters"
    compares = item.cls in _BOUNDS or item.cls in _COMPARES
    before_number = (after is not None and after.kind == "number") or (compares and _article_leads(items, place))
    before_name = after is not None and after.kind == "name"
    if word in ARTICLED and _has_article(items, place):
        return replace(item, cls=ARTICLED[word])  # "la linea più lunga"
    if item.cls in _COMPARES and not before_number and language != "ko":
        return replace(item, cls=_COMPARES[item.cls])  # "more than Ada", not "more than 12"
    if item.cls is Class.BEFORE and before_name:
        return replace(item, cls=Class.MORE)  # "300 vor Ada"
    if item.cls is Class.SOME and before_number:
        return replace(item, cls=Class.ABOUT)  # "some 300"
    if word in UP_BY and before_number:
        return replace(item, kind="phrase", cls=UP_BY[word])  # "up 50 % from 2022"
    if word in BUT and before_name and _ALL & {it.cls for it in items[max(0, place - 4) : place]}:
        return replace(item, cls=Class.NOT)  # "all hotels but Ritz"
    if item.cls in _BOUNDS and word in BOUNDS_OF_NUMBERS and before_number:
        return replace(item, cls=_BOUNDS[item.cls])  # "above 12"
    return item


def _has_article(items: Sequence[Item], place: int) -> bool:
    """Whether an article and one or two nouns precede a position, and an adjective without "than" follows."""
    nouns = list(takewhile(lambda it: it.kind in ("word", "name"), reversed(items[:place])))
    start = place - len(nouns) - 1
    behind = [it.text.lower() for it in items[place + 1 : place + 3]]
    article = nouns and len(nouns) <= _NOUNS and start >= 0 and items[start].text.lower() in DEFINITE
    return bool(article) and bool(behind) and items[place + 1].kind == "word" and not THAN_OF & set(behind[1:])


def _with_years(question: str, items: Sequence[Item], names: NameIndex) -> Iterator[Item]:
    """Turn years of the question or the rows into times, judging by the preposition or verb beside them."""
    german = language_of(question) == "de"  # "2024 lag der Umsatz", "der Umsatz lag 2024 bei"
    for place, item in enumerate(items):
        before = items[place - 1].text.lower() if place else ""
        after = items[place + 1] if place + 1 < len(items) else None
        leads = (not place or items[place - 1].kind == "mark") and after is not None and after.kind == "phrase"
        timed = before in BEFORE_YEARS or before == "(" or leads or (before in JOINED and bool(names.dates))
        timed = timed or (german and after is not None and after.kind in ("phrase", "number") and before != "")
        if item.kind == "number" and timed and re.fullmatch(r"(?:1[89]|20)\d\d", item.text):
            date = DateInText(item.start, item.end, ((int(item.text), None, None, None),))
            places, asked = names.find_date(date) or {}, re.search(rf"(?<!\d){item.text}(?!\d)", question)
            fiscal = before in FISCAL or (before == "year" and items[place - 2].text.lower() in FISCAL)
            if asked and (fiscal or any(names.are_all(rows) for rows in places.values())):
                places = {}  # it does not distinguish rows
            if places or (asked and before not in JOINED):
                item = Item("date", item.start, item.end, item.text, date=date, places=places)
        yield item


def _with_than(text: str, items: Sequence[Item]) -> Iterator[Item]:
    """ "Longer than 30" is a bound like "more than 30", and so is "exceeded the 30"."""
    at = 0
    while at < len(items):
        item, two = items[at], items[at + 1 : at + 3]
        is_bound = item.cls in _BOUNDS and len(two) == 2 and two[0].text.lower() in THAN and two[1].kind == "number"
        leads = item.cls in _COMPARES and _article_leads(items, at)
        if (is_bound or leads) and item.cls is not None:
            cls = _BOUNDS.get(item.cls, item.cls)
            item = replace(item, cls=cls, end=two[0].end, text=item.text if leads else text[item.start : two[0].end])
        yield item
        at += 2 if is_bound or leads else 1


def _article_leads(items: Sequence[Item], place: int) -> bool:
    """Whether an article and a number follow."""
    two = items[place + 1 : place + 3]
    return (
        len(two) == 2
        and two[0].text.lower() in ARTICLES
        and two[1].kind == "number"
        and two[1].cls in (None, Class.SHARE)
    )


class _Reader:
    def __init__(self, text: str, facts: Facts, names: NameIndex) -> None:
        language = facts.language
        spaced = _GROUPS.sub(lambda it: it[0].replace(" ", "\u00a0"), text) if language != "en" else text
        self._text, self._names = spaced, names
        self._language = language
        self._vocabulary: Vocabulary | None = vocabulary(language) if language in LANGUAGES else None
        self._tokens = [(it[0], it.start(), it.end()) for it in TOKEN.finditer(spaced)]
        self._token_at = {start: place for place, (_, start, _) in enumerate(self._tokens)}
        words = list(_WORD.finditer(spaced))
        self._words = [it[0].lower().replace("’", "'") for it in words]
        self._ends = [it.end() for it in words]
        self._word_at = {it.start(): place for place, it in enumerate(words)}
        self._dates = {it.start: it for it in find_dates(spaced)}
        labels = {word for column in facts.columns for word in column.words}
        heads = [words_of(column.name)[-1:] for column in facts.columns if column.kind == "dimension"]
        self._asked = facts.question_words
        deeds = (
            list_doing_words(language) | list_transfer_words(language) if language in LANGUAGES else frozenset[str]()
        )
        self._deeds = {word for word in deeds if is_among(word, self._asked)}  # "used" of "Which are not used?"
        self._asked_digits = frozenset(re.findall(r"\d+", facts.question))
        self._heads: dict[str, set[int]] = {}  # columns by the last word of their name: "id" of `vehicle_id`
        for column in facts.columns:
            for word in words_of(column.name)[-1:]:
                self._heads.setdefault(word, set()).add(column.index)
        keys = [(words_of(it.name), it) for it in facts.columns]
        self._owners = {  # key columns by the word before "id": "vehicle" of `vehicle_id`
            f"{words[-2]}{ending}": it.index
            for words, it in keys
            if len(words) > 1 and words[-1] == "id"
            for ending in ("", "s")
        }
        # Columns that digits may belong to. Columns of texts are only names.
        self._numeric = {it.index for it in facts.measures}.union(*names.numbers.values())
        self._amounts = frozenset(word for it in facts.measures for word in it.words)
        self._nouns = {form for head in heads for word in head for form in (word, f"{word}s")}
        self._labels = labels | {word[:-1] for word in labels if word.endswith("s")} | {f"{word}s" for word in labels}

        # Stored values with digits in the query's conditions: "Blade Runner 2049" and "2022/23" count nothing.
        values = {value.lower() for it in facts.conditions if not it.denied for value in it.bounds}
        values = set() if text == facts.question else {it for it in values if _NAMED_BY_DIGITS.match(it)}
        self._values = [
            re.compile(re.sub(r"(?<=\d)(?:/|\\-)(?=\d)", "[-/]", re.escape(it)) + r"(?![^\W_])", re.IGNORECASE)
            for it in sorted(values, key=len, reverse=True)
        ]

    def items(self) -> Iterator[Item]:
        at = 0
        while at < len(self._text):
            found = (
                self._abbreviation(at)
                or self._name(at)
                or self._date(at)
                or self._number(at)
                or self._read_unit(at)
                or self._phrase(at)
                or self._other(at)
            )
            if found is None:
                at += 1
                continue
            yield found
            at = max(found.end, at + 1)

    def _item(self, kind: Kind, start: int, end: int, **more: object) -> Item:
        return Item(kind, start, end, self._text[start:end], **more)  # type: ignore[arg-type]

    def _abbreviation(self, at: int) -> Item | None:
        """ "i.e.", whose full stops do not end a sentence."""
        found = _ABBREVIATIONS.match(self._text, at) if at in self._word_at else None
        if found is None or self._vocabulary is None:
            return None
        known = self._vocabulary.find_phrase([found[0].rstrip(".").lower()], 0)
        return self._item("phrase", at, found.end(), cls=known.cls if known is not None else Class.FILLER)

    def _name(self, at: int) -> Item | None:
        place = self._token_at.get(at)
        if place is None:
            return None
        found = self._names.find_name(self._tokens, place)
        if found is not None and not self._is_amount(place, found[0], found[1]):
            end = self._tokens[place + found[0] - 1][2]
            than = KOREAN_THAN.search(self._text, at, end)
            return self._item("name", at, than.start() if than is not None else end, places=found[1])
        for value in self._values:
            if said := value.match(self._text, at):
                return self._item("word", at, said.end())
        token = self._tokens[place][0]
        part = self._names.parts.get(token.casefold())
        if part and token[0].isupper() and token.lower() not in self._labels:
            return self._item("name", at, at + len(token), places={c: frozenset(r) for c, r in part.items()})
        if self._language not in (None, "en", "ko") and len(token) >= _TRANSLATED and token.isalpha():
            word = token.lower()
            plain = (
                word not in self._labels
                and self._vocabulary is not None
                and not self._vocabulary.find_phrase([word], 0)
            )
            places = self._names.find_like(word) if plain and not is_among(word, self._asked) else None
            return self._item("name", at, at + len(token), places=places) if places else None
        return None

    def _is_amount(self, place: int, length: int, places: Places) -> bool:
        """Whether digits are an amount, not the key that they also match: "12 trips", unlike "vehicle 12"."""
        token, start, end = self._tokens[place]
        if length > 1 or not token.isdecimal():
            return False
        if len(token) == 4 and places.keys() & self._names.dated:
            return False
        around = [self._tokens[at][0].lower() for at in (place - 1, place + 1) if 0 <= at < len(self._tokens)]
        decimals = re.match(r"[.,]\d|\s?%", self._text[end:]) or re.search(r"\d[.,]$|[$€£¥]\s?$", self._text[:start])
        own = {word for column in places for word in words_of(self._names.column_name(column))}
        owner = self._owners.get(around[0]) if place else None
        if owner is not None and owner not in places:
            return True  # "vehicle 3" is not the row with the driver 3
        named = any(word in self._labels for word in around[:1]) or any(word in own for word in around[1:])
        counts = re.match(r"\s+(?!(?:and|und|et|y|e)\b)[^\W\d_]", self._text[end:])
        # "The longest is the 90, with 24.6 km"; "the id of the oldest vehicle is 12".
        alone = counts is None and (self._names.is_only_name(token) or self._is_of_key(place, places))
        return decimals is not None or not (named or alone)  # "hotels with 3 stars", if a column is called "stars"

    def _is_of_key(self, place: int, places: Places) -> bool:
        """Whether the words before digits name the only key that contains them, and no other numeric column."""
        found = False
        for distance, (token, _, _) in enumerate(reversed(self._tokens[:place])):
            word = token.lower()
            if token.isdigit() and word not in self._asked_digits:
                break
            named = self._heads.get(word) or self._heads.get(word.removesuffix("s")) or set()
            if named and named <= places.keys():
                found = True
                if distance < _BESIDE:
                    break  # "an id of 7"
            elif named & self._numeric or word in self._amounts:
                return False
        return found

    def _date(self, at: int) -> Item | None:
        date = self._dates.get(at)
        if date is None:
            return self._month(at)
        places = self._names.find_date(date)
        named = bool(date.readings) and date.readings[0][0] is None and date.readings[0][2] is not None
        if places is None and named and self._text[at : at + 1].isalpha():
            return self._month(at)  # "In March 12 orders came" contains no date
        return self._item("date", date.start, date.end, date=date, places=places or {})

    def _month(self, at: int) -> Item | None:
        place = self._word_at.get(at)
        month = MONTHS.get(self._words[place]) if place is not None else None
        if place is None or month is None or len(self._words[place]) < 3:
            return None
        if not self._names.dates and not self._is_month(place):
            return None
        places = self._names.dates.get((None, month, None, None))
        if places is None and not self._text[at].isupper():
            return None
        date = DateInText(at, self._ends[place], ((None, month, None, None),))
        found = {column: frozenset(rows) for column, rows in (places or {}).items()}
        return self._item("date", at, self._ends[place], date=date, places=found)

    def _is_month(self, place: int) -> bool:
        """Whether a possible month is one, if the rows have none: "in May", "April", but not "may" or "Jan"."""
        start = self._ends[place] - len(self._words[place])
        after_in = place > 0 and self._words[place - 1] in BEFORE_YEARS
        return after_in or (len(self._words[place]) > 3 and self._text[start].isupper())

    def _number(self, at: int) -> Item | None:
        before = self._text[at - 1 : at]
        if self._language == "ko" and (place := _KOREAN_RANK.match(self._text, at)) and not before.isalnum():
            return self._item("phrase", at, place.end(), cls=Class.RANK, rank=int(place[1]))
        if self._language == "ko" and not before.isdigit() and (korean := read_korean(self._text, at)):
            return self._item("number", at, korean.end, value=korean.value, half=korean.half)
        if before.isalnum():
            return None
        if ordinal := _ORDINAL.match(self._text, at):
            return self._item("phrase", at, ordinal.end(), cls=Class.RANK, rank=int(ordinal[1]))
        code = _CODE.match(self._text, at)
        numeral = read_numeral(self._text, at)
        if code is not None and (numeral is None or (numeral.end < code.end() and not self._unit_after(numeral, code))):
            return self._item("word", at, code.end())
        if numeral is None:
            return self._in_words(at)
        if (numeral.negative or self._text[at] == "-") and before in (")", "%"):
            return None
        if _MARKER.search(self._text[:at]) and re.match(r"[.)]\s", self._text[numeral.end :]):
            return self._item("mark", at, numeral.end + 1)
        european = is_european(self._language)
        reading = numeral.reading(european=european) or next(iter(numeral.readings), None)
        if reading is None:  # `1.2.3`
            return self._item("word", at, numeral.end)
        signed = numeral.negative or re.search(r"(?:^|[\s(])[-−]$", self._text[:at]) is not None
        sign = -numeral.scale if signed else numeral.scale
        half = Fraction(numeral.scale, 2 * 10**reading.decimals)
        return self._item("number", at, numeral.end, value=reading.value * sign, half=half, numeral=numeral)

    @staticmethod
    def _unit_after(numeral: Numeral, code: re.Match[str]) -> bool:
        """Whether a unit in letters follows, or a ratio or power of units: `99kg`, `36µg/m³`."""
        rest = code[0][len(numeral.raw) :]
        return numeral.start == code.start() and re.fullmatch(r"[^\W\d_]+(?:/[^\W\d_]+)?", rest) is not None

    def _in_words(self, at: int) -> Item | None:
        place = self._word_at.get(at)
        if place is None or self._language is None:
            return None
        if ratio := self._ratio(at, place, self._language):
            return ratio
        found = read_number_words(self._words, place, self._language)
        if found is None or (found[1] == 1 and self._words[place] == ONE.get(self._language) and self._no_one(place)):
            return None
        end = self._ends[place + found[1] - 1]
        return self._item("number", at, end, value=Fraction(found[0]), half=Fraction(1, 2))

    def _ratio(self, at: int, place: int, language: str) -> Item | None:
        """ "half of" is 50 %; "twice" is a number of times."""
        ratio = read_ratio(self._words, place, language)
        if ratio is None or self._words[place] in self._labels:
            return None
        end = self._ends[place + ratio.length - 1]
        if not ratio.share:
            cls = Class.MULTIPLIED if ratio.grows else Class.TIMES
            return self._item("number", at, end, value=ratio.value, half=_HALF_TIMES, cls=cls)
        percent = read_numeral("50 %", 0)
        return self._item(
            "number", at, end, value=ratio.value * 100, half=_HALF_SHARE, numeral=percent, cls=Class.SHARE
        )

    def _no_one(self, place: int) -> bool:
        after = self._words[place + 1] if place + 1 < len(self._words) else ""
        before = self._words[place - 1] if place else ""
        return after in NOT_ONE_AFTER or before in NOT_ONE_BEFORE

    def _read_unit(self, at: int) -> Item | None:
        """ "Megawatt-hours" is one word, unless the columns have it as two."""
        place = self._word_at.get(at)
        words = tuple(self._words[place : place + 2]) if place is not None else ()
        if place is None or words not in COMPOUND_UNITS or {*words} <= self._labels:
            return None
        between = self._text[self._ends[place] : self._ends[place + 1] - len(words[1])]
        return self._item("word", at, self._ends[place + 1]) if between in ("-", " ") else None

    def _phrase(self, at: int) -> Item | None:
        place = self._word_at.get(at)
        if self._language == "ko" and (korean := _KOREAN.match(self._text, at)):
            return self._item("phrase", at, korean.end(), cls=Class(korean.lastgroup or ""))
        if place is None or self._vocabulary is None:
            return None
        if compound := _NOT_COMPOUND.match(self._text, at):
            return self._item("word", at, compound.end())  # "no-shows" denies nothing
        if self._words[place].endswith("n't"):
            return self._item("phrase", at, self._ends[place], cls=Class.NOT)
        found = self._vocabulary.find_phrase(self._words, place)
        if found is not None and found.length == 1 and found.cls in _VERBS and self._words[place] in self._nouns:
            return None  # "three peaks", if a column is called "peak"
        if found is not None and found.length == 1 and self._words[place] in self._deeds:
            return None
        if found is None:
            return self._compound(at, place)
        end = self._ends[place + found.length - 1]
        if found.length > 1 and _BETWEEN_WORDS.search(self._text, at, end):
            found = self._vocabulary.find_phrase(self._words[: place + 1], place)
            if found is None:
                return None
            end = self._ends[place]
        return self._item("phrase", at, end, cls=found.cls, rank=found.rank)

    def _compound(self, at: int, place: int) -> Item | None:
        """The first half of `Gesamtumsatz`. The second half is read as a separate word."""
        if self._language == "de":
            for head, cls in (("gesamt", Class.SUM), ("durchschnitts", Class.MEAN)):
                if self._words[place].startswith(head) and len(self._words[place]) > len(head) + 2:
                    rest = self._words[place][len(head) :]
                    self._words[place], start = rest, at + len(head)
                    self._word_at[start] = place
                    return self._item("phrase", at, start, cls=cls)
        return None

    def _other(self, at: int) -> Item | None:
        if (place := self._word_at.get(at)) is not None:
            return self._item("word", at, self._ends[place])
        if degrees := _DEGREES.match(self._text, at):
            return self._item("word", at, degrees.end())  # "21 °C" does not refer to a row "C"
        if mark := _MARKS.match(self._text, at):
            return self._item("mark", at, mark.end())
        if self._text[at] == "+" and self._name(at + 1) is not None:
            return None  # a telephone number
        if self._text[at] in "$€£¥₹₽₩%+×÷*<>±":
            return self._item("word", at, at + 1)
        return None

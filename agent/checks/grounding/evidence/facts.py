"""The evidence for a sentence: the rows, what is known about their columns, the question and its query."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Literal

from agent.checks.grounding.evidence.kinds import words_of_kind
from agent.checks.grounding.evidence.query_facts import Condition, Projection, QueryFacts, query_facts
from agent.checks.grounding.languages.currencies import find_currency
from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.languages.vocabulary import LANGUAGES, vocabulary
from agent.checks.grounding.languages.words import is_among, words_of
from agent.checks.grounding.numbers.display import NAMING
from agent.checks.grounding.numbers.units import same_dimension, unit
from agent.core.texts.units import UNIT_IN_BRACKETS, UNIT_OF_NAME, units_in_name, without_unit
from executors.base import JsonValue, QueryResult
from rag.docs.documents import Document

Kind = Literal["measure", "dimension", "flag"]

_UNIT = re.compile(
    r"(?:\bin|\bof|,|\(|\[|^)\s*(?:metric |degrees? )?(celsius|km/h|km²|km2|square kilomet(?:er|re)s?"
    r"|km|kilomet(?:er|re)s?|m|met(?:er|re)s?|kg|kilograms?|tons?|tonnes?|lit(?:er|re)s?|l|m2|m²|sqm|ha|g|mg|cm|mm"
    r"|[kmg]?wh|(?:kilo|mega|giga)?watt[-\s]hours?|kw|mw|tb|gb|mb|kb|kcal|hours?|h|minutes?|min|seconds?|s|days?|miles?|percent|%|°[CF])(?=[\s,.;)\]]|$)",
    re.IGNORECASE,
)
_SCALES = {
    "thousand": Fraction(10**3),
    "million": Fraction(10**6),
    "billion": Fraction(10**9),
    "cent": Fraction(1, 100),
}
# As the last word of a name, or before its currency or unit: `investition_mio_eur`.
_SCALES_IN_NAMES = {"mio": Fraction(10**6), "mrd": Fraction(10**9), "bn": Fraction(10**9), "tsd": Fraction(10**3)}
_SCALES_IN_NAMES |= {"teur": Fraction(10**3), "keur": Fraction(10**3), **_SCALES}
_SCALE = re.compile(rf"(?:\bin (?:us |euro )?|_)(?:[a-z]{{3}}_)?({'|'.join(_SCALES)})s?\b", re.IGNORECASE)
_PER = re.compile(r"\bper (\w+)")
_PERCENT = re.compile(r"percent|(?:^|_)(?:pct|perc)(?:_|$)|prozent|pourcent|porcentaje|percentuale|%", re.IGNORECASE)
_IN_PERCENT = re.compile(r"\bin (?:percent\b|%)|\bin prozent\b", re.IGNORECASE)
_CODES = re.compile(r"\b(\w{1,4})\s*=\s*([^\W\d_][^,.;=()]*)|\b([A-Z]{2,3})\s+([A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)*)")
_MONEY = re.compile(
    r"amount|revenue|sales|price|cost|turnover|spend|paid|value|fee|tax|total|umsatz|betrag|preis", re.IGNORECASE
)
_SHORT_FORMS = {"avg": "average", "num": "number of", "cnt": "count", "qty": "quantity", "pct": "percent"}
_SHORT_FORMS |= {"tot": "total", "amt": "amount", "n": "number of"}
# `crp_mg_l` is in milligrams per litre.
_RATE = re.compile(r"_(mg|g|kg|t|km|m|l|kwh|mol|mmol)_(l|dl|ml|h|s|m2|km2|km|ha|day|kg)$", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_QUARTER = re.compile(r"(?<![^\W_])q([1-4])(?![^\W_])", re.IGNORECASE)
_IS = re.compile(r"(?:is|has)_|\w+_flag$", re.IGNORECASE)
_SET = re.compile(r"(?<!\w)1 (?:where|if|when|wenn|si|se)\b", re.IGNORECASE)
_LABEL_WORDS = 4
# Text after these words does not describe the column's content: "tickets closed by the agent".
_AFTER_HEAD = r"\b(?:in|by|for|from|per|on|at|to|durch|für|pro|je|par|pour|por|para|per)\b"
_ASIDE = re.compile(
    r"[;.:(]|\b(?:without|excluding|except|not|no|unless|empty|ohne|nicht|sans|sin|senza)\b", re.IGNORECASE
)
_HEAD_WORDS = 5
_ID = re.compile(r"[cgmpu]id", re.IGNORECASE)  # `uid`
_SHORT_WORD = 3
# Names of columns whose sign says whether something rose. Of `decrease` and `diff` it may say the opposite.
_SIGNED_CHANGE = re.compile(
    r"(?<![a-z])(?:change|growth|increase|delta|veränder|wachst|zuwachs|évol|croiss(?!ant)|variaci|crec|cresc)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ColumnFacts:
    """A column of the result.

    kind: `measure`: numbers to report; `dimension`: values that distinguish rows; `flag`: yes or no.
    words: of its name, its sources and its label, in lower case.
    label: its name for readers.
    currency: ISO code. Empty if it is unknown. units: of its numbers, according to the docs.
    percent: whether its numbers are percentages already.
    scale: the unit of counting, if name or docs state it: 1,000,000 for `gross_millions`, 1/100 for cents.
    rate: whether its numbers are a ratio of two units, so that one unit alone would be wrong.
    codes: the meanings of its values, according to the docs.
    mentioned: words of its docs outside asides and negations.
    told: texts that indicate its kind: its name, its sources, its docs. Empty for a count.
    """

    index: int
    name: str
    kind: Kind
    words: frozenset[str]
    label: str
    projection: Projection
    currency: str = ""
    units: tuple[str, ...] = ()
    percent: bool = False
    scale: Fraction = Fraction(1)
    rate: bool = False
    codes: tuple[tuple[str, str], ...] = ()
    mentioned: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()

    @property
    def names_scale(self) -> bool:
        """Whether its label states the scale: "gross millions", "price cents"."""
        return any(word.removesuffix("s") in _SCALES_IN_NAMES for word in words_of(self.label))

    @property
    def is_change(self) -> bool:
        """Whether its numbers are changes, so that their sign says whether something rose."""
        is_counted = self.projection.aggregate == "count"  # `change_requests`
        return not is_counted and _SIGNED_CHANGE.search(self.name) is not None

    @cached_property
    def period(self) -> tuple[int, int] | None:
        """The year and quarter in its name, 0 for none: `sales_2024`, `q1`."""
        years, quarters = _YEAR.findall(self.name), _QUARTER.findall(self.name)
        found = tuple(int(it[0]) if len(it) == 1 else 0 for it in (years, quarters))
        return (found[0], found[1]) if any(found) else None


@dataclass(frozen=True)
class Facts:
    """All evidence for a sentence.

    documents: docs of the database. Those of the columns read are used.
    earlier: questions that this one depends on.
    linked: pairs of words in the question and the stored value that they mean.
    raw: records behind the result.
    hundredths: stored columns, in lower case, whose type has two decimals.
    calculate: whether computing is allowed.
    key_names: names of keys in the rows, by column and by the key as a text.
    """

    question: str
    result: QueryResult
    sql: str = ""
    dialect: str = "sqlite"
    documents: Sequence[Document] = ()
    linked: Sequence[tuple[str, str]] = ()
    earlier: str = ""
    raw: QueryResult | None = None
    calculate: bool = True
    hundredths: frozenset[str] = frozenset()
    key_names: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def language(self) -> str | None:
        """The language of the question. None if it is unknown."""
        return language_of(self.question)

    @cached_property
    def query(self) -> QueryFacts:
        """The facts of the query. A LIMIT that the rows do not reach is ignored."""
        found = query_facts(self.sql, self.dialect) if self.sql else QueryFacts()
        return found if found.limit is None or len(self.rows) >= found.limit else found._replace(limit=None)

    @property
    def is_limited(self) -> bool:
        """Whether the query's LIMIT may leave out rows."""
        return self.query.limit is not None

    @property
    def is_whole(self) -> bool:
        """Whether no row is left out."""
        return not self.is_limited and not self.result.truncated

    @cached_property
    def columns(self) -> tuple[ColumnFacts, ...]:
        """Each column of the result, in order."""
        found = tuple(self._column(index, name) for index, name in enumerate(self.result.columns))
        keys = self._number_keys(found)
        return tuple(replace(it, kind="dimension") if it.index in keys else it for it in _with_tables(found))

    def _number_keys(self, columns: Sequence[ColumnFacts]) -> set[int]:
        """Whole numbers that only distinguish rows, such as floors if a building has several rows."""
        rows, measures = self.rows, [it for it in columns if it.kind == "measure"]
        others = [it.index for it in columns if it.kind == "dimension"]
        if len(rows) < 2 or self.query.grouped or not others:
            return set()
        for column in measures[:-1]:
            cells = [row[column.index] for row in rows]
            plain = not column.units and not column.currency and not column.percent and not column.projection.aggregate
            if plain and all(isinstance(cell, int) for cell in cells) and len(set(cells)) < len(rows):
                apart = {tuple(str(row[at]) for at in others) for row in rows}
                both = {tuple(str(row[at]) for at in (*others, column.index)) for row in rows}
                if len(apart) < len(rows) == len(both):
                    return {column.index}
        return set()

    @cached_property
    def records(self) -> Facts | None:
        """The records behind the result, as rows. None if there are none, or not all were fetched."""
        if self.raw is None or self.raw.truncated or not self.raw.rows:
            return None
        return Facts(question=self.question, result=self.raw, documents=self.documents, dialect=self.dialect)

    @cached_property
    def measures(self) -> tuple[ColumnFacts, ...]:
        """The columns with numbers to report."""
        return tuple(it for it in self.columns if it.kind == "measure")

    @cached_property
    def measured_names(self) -> frozenset[str]:
        """The names of the measures and of their stored source columns, in lower case."""
        return frozenset(name for it in self.measures for name in (it.name.lower(), *it.projection.sources))

    @cached_property
    def is_polar(self) -> bool:
        """Whether the question expects yes or no, if its language is known."""
        return self.language in LANGUAGES and vocabulary(self.language).is_polar(self.question)

    @property
    def rows(self) -> tuple[tuple[JsonValue, ...], ...]:
        return self.result.rows

    @cached_property
    def question_words(self) -> tuple[str, ...]:
        """The words of the question in lower case, in order."""
        return tuple(words_of(self.question))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.query.conditions

    def values(self, column: int, rows: Iterable[int] | None = None) -> list[Fraction]:
        """The numbers of a column, without NULL."""
        chosen = range(len(self.rows)) if rows is None else rows
        found = (number_of(self.rows[row][column]) for row in chosen)
        return [value for value in found if value is not None]

    def _column(self, index: int, name: str) -> ColumnFacts:
        projections = self.query.projections
        named = projections[index] if len(projections) == len(self.result.columns) else Projection(name)
        cells = [row[index] for row in self.rows if row[index] is not None]
        texts = list(self._docs_of((*named.sources, name.lower())))
        scale = _scale(named, name, texts)
        currency = self._currency(" ".join((name.replace("_", " "), *texts)), named.sources)
        sources = named.sources
        if named.product and (priced := [word for it in sources for word in words_of(it) if _MONEY.search(word)]):
            sources, texts = tuple(dict.fromkeys(priced)), []  # a quantity times a price is no quantity
        counts = named.aggregate == "count" or named.tested
        said = " ".join((name.replace("_", " "), *(() if counts else texts)))
        label = words_of(name)
        words = {
            *label,
            *(["id"] if _ID.fullmatch(name) else ()),
            *(word for source in sources for word in words_of(source) if not counts),
        }
        short = _short_label(texts[0], label) if len(texts) == 1 and not named.aggregate else ""
        kind_words = frozenset() if counts else words_of_kind((name, *sources, *texts))
        percent = bool(_PERCENT.search(name)) or named.hundredfold
        percent = percent or (not counts and any(_IN_PERCENT.search(it) for it in texts))
        plain = counts or percent
        return ColumnFacts(
            index=index,
            name=name,
            kind=_kind(name, cells, named, texts, grouped=self.query.grouped),
            words=frozenset(
                {
                    *words,
                    *(it for it in words_of(short) if len(it) > 2),
                    *(() if counts else _head_words(texts)),
                    *kind_words,
                }
            ),
            mentioned=frozenset(word for it in (() if counts else texts) for word in words_of(_ASIDE.split(it)[0])),
            told=() if counts else (name, *sources, *texts),
            label=short or spell_out(name) or name,
            projection=named,
            currency="" if plain else currency,
            units=() if counts else _units(texts, said, named, sources),
            scale=Fraction(1) if plain else scale,
            percent=percent,
            rate=named.quotient or _PER.search(said) is not None,
            codes=tuple(_codes(texts)),
        )

    def codes_of(self, columns: Sequence[str]) -> list[tuple[str, str]]:
        """The meanings of values in columns of the query's tables, according to the docs: ("nl", "Dutch")."""
        return list(_codes(self._docs_of(columns)))

    def docs_of_column(self, column: str) -> Iterator[str]:
        """The docs of a column of the query's tables."""
        return self._docs_of((column,))

    def _docs_of(self, columns: Sequence[str]) -> Iterator[str]:
        """The docs of columns of the query's tables."""
        tables = {it.lower() for it in self.query.tables}
        for document in self.documents:
            table = document.table.rpartition(".")[2].lower()
            if document.kind == "column" and document.column.lower() in columns and (not tables or table in tables):
                yield document.text

    def _currency(self, said: str, sources: Sequence[str]) -> str:
        found = find_currency(said) or find_currency(" ".join(sources).replace("_", " "))
        if not found and _MONEY.search(said):
            rules = " ".join(it.text for it in self.documents if it.kind in ("rule", "table"))
            found = find_currency(rules) or find_currency(self.question)
        return found


def _codes(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        yield from ((m[1] or m[3], (m[2] or m[4]).strip()) for m in _CODES.finditer(text))


def _with_tables(columns: Sequence[ColumnFacts]) -> Iterator[ColumnFacts]:
    """Distinguish columns of the same name by their tables: the balances of `checking` and of `savings`."""
    for column in columns:
        own = column.projection
        same = [it.projection.tables for it in columns if it.projection.name == own.name and it is not column]
        if not own.name or own.aggregate or len(own.tables) != 1 or not same or own.tables in same:
            yield column
            continue
        words = words_of(own.tables[0])
        named = spell_out(own.name) if column.label == spell_out(column.name) else column.label
        label = f"{' '.join(words)} {named}"
        yield replace(column, words=column.words | {*words}, label=label)


def _head_words(texts: Sequence[str]) -> Iterator[str]:
    """The words at the start of docs, if it is short: "Distance of the trip in km"."""
    for text in texts:
        head = re.split(rf"[,;.:(]|{_AFTER_HEAD}", text, maxsplit=1)[0].split()
        if len(head) <= _HEAD_WORDS:
            yield from (word for word in words_of(" ".join(head)) if len(word) > _SHORT_WORD)


def scales_in_name(name: str) -> frozenset[Fraction]:
    """The scales that a name states: in its last word, or before a currency or unit."""
    found = {_SCALES[it[1].lower()] for it in _SCALE.finditer(name)}
    *_, last = [it for it in words_of(without_unit(name)) if it in _SCALES_IN_NAMES or not find_currency(it)] or [""]
    found |= {_SCALES_IN_NAMES[it] for it in (last, last.removesuffix("s")) if it in _SCALES_IN_NAMES}
    return frozenset(found)


def _scale(named: Projection, name: str, docs: Sequence[str]) -> Fraction:
    """The scale that a column's name states, or its sources and docs if the query keeps their scale."""
    own, above = scales_in_name(name), [it for it in named.sources if it not in named.divisors] or named.sources
    inner = [scales_in_name(it) for it in above]
    under = frozenset[Fraction]().union(*map(scales_in_name, named.divisors))
    if named.rescaled or (named.quotient and sum(map(bool, inner)) > 1 and not under):  # cents / 100
        docs, inner = (), []
    elif under:  # millions / thousands
        over = frozenset[Fraction]().union(*inner) or {Fraction(1)}
        docs, inner = (), [frozenset(one / other for one in over for other in under)]
    found = own.union(*inner, (_SCALES[it[1].lower()] for text in docs for it in _SCALE.finditer(text)))
    found = own if own and named.name.lower() not in named.sources else found
    return min(found) if len(found) == 1 else Fraction(1)


def _units(docs: Sequence[str], said: str, named: Projection, sources: Sequence[str]) -> tuple[str, ...]:
    """The units in docs and names. If the unit in a column's name differs from its source's, only its own counts.

    A name that the query gives says nothing of a unit that its sources cannot be converted to.
    """
    own, inner = _find_named_units([named.name]), _find_named_units(sources)
    told = units_in_docs(" ".join(docs))
    told += own if UNIT_OF_NAME.fullmatch(f"_{named.name}") else ()
    if own and sources and named.name.lower() not in sources:
        from_dates = {it for it in own if named.spans and not inner and _converts(it, "day")}
        if not from_dates and not any(_converts(one, other) for one in own for other in (*inner, *told)):
            return ()
    converted = inner - own if own and not own & inner else frozenset[str]()
    found = [*told, *own, *inner]
    found += [rate.lower() for rate in _PER.findall(said) if found]  # "tonnes per hectare"
    return tuple(dict.fromkeys(unit for unit in found if unit not in converted))


def units_in_docs(text: str) -> list[str]:
    """The units that docs of a column state, in lower case: "Length of the outage, in hours"."""
    return [unit.lower() for unit in _UNIT.findall(text)]


def _converts(one: str, other: str) -> bool:
    """Whether one unit is the other, or measures the same."""
    units = unit(one), unit(other)
    return one == other or (units[0] is not None and units[1] is not None and same_dimension(units[0], units[1]))


def _find_named_units(names: Sequence[str]) -> frozenset[str]:
    """The units in these names, in lower case."""
    return frozenset(unit for name in names if not _RATE.search(name) for unit in units_in_name(name))


def is_fraction(facts: Facts, column: ColumnFacts) -> bool:
    """Whether a column's numbers are shares: percentages, or all between 0 and 1 and not all whole."""
    values = facts.values(column.index)
    between = bool(values) and all(0 <= it <= 1 for it in values) and any(it.denominator != 1 for it in values)
    return column.percent or between


def number_of(cell: JsonValue) -> Fraction | None:
    """The exact value of a cell. None if it is not a number. A text counts only if it is entirely a number."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int):
        return Fraction(cell)
    if isinstance(cell, float):
        return Fraction(repr(cell)) if isfinite(cell) else None
    if isinstance(cell, str) and re.fullmatch(r"-?\d+\.\d+", cell):
        return Fraction(cell)
    return None


def _kind(name: str, cells: Sequence[JsonValue], named: Projection, texts: Sequence[str], *, grouped: bool) -> Kind:
    coded = _IS.match(name) or {"0", "1"} <= {code for code, _ in _codes(texts)} or any(map(_SET.search, texts))
    if cells and all(isinstance(cell, bool) or (coded and cell in (0, 1)) for cell in cells) and not named.aggregate:
        return "flag"
    if named.aggregate == "rank":
        return "dimension"
    if named.aggregate and all(number_of(cell) is not None for cell in cells):
        return "measure"
    if not cells or any(number_of(cell) is None for cell in cells):
        return "dimension"
    return "dimension" if named.grouped or grouped or NAMING.search(name) or _is_key(name) else "measure"


def _is_key(name: str) -> bool:
    return _ID.fullmatch(name) is not None or (
        re.search(r"(?:^|_)(?:number|week|quarter|hour|mes|mois|monat|anno|año|annee|woche)$", name.lower()) is not None
    )


def spell_out(name: str) -> str:
    """A column's name in words, without abbreviations and without a unit that is written with the numbers."""
    if (unit := UNIT_IN_BRACKETS.search(name)) and name[: unit.start()].endswith(" "):  # `SUM(x)` is a call
        rest = spell_out(name[: unit.start()])
        return rest if units_in_name(name) or find_currency(unit[1]) else f"{rest} {unit[0].strip()}".strip()
    if rate := _RATE.search(name):
        return f"{spell_out(name[: rate.start()])} {rate[1]}/{rate[2]}".strip()
    # Digits stay, to distinguish `q1` and `sales_2023` from `q2` and `sales_2024`.
    parts = ([part] if re.search(r"\d", part) else words_of(part) for part in re.split(r"[\W_]+", without_unit(name)))
    return " ".join(_SHORT_FORMS.get(word, word) for words in parts for word in words)


def _short_label(text: str, name: Sequence[str]) -> str:
    """The name in the docs, if they begin with a longer form of the column's name: "Net revenue, in euros"."""
    head = re.split(r"[,;.:(]|\bin (?:euros?|dollars?|km|percent)\b", text, maxsplit=1)[0].strip()
    head = re.sub(r"^(?:the|a|an)\s+", "", head, flags=re.IGNORECASE)
    shares = any(is_among(word, words_of(head)) for word in name)
    return head if shares and len(head.split()) <= _LABEL_WORDS and not re.search(r"\d", head) else ""

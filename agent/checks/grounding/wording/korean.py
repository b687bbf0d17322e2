"""Checks claims of a Korean sentence beyond numbers and names. Endings are not analysed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from agent.checks.grounding.claims.claims import Segment
from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.claims.names import Rows
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.vocabulary import Class
from agent.checks.grounding.languages.words import is_same_word

_EXTREME = re.compile(r"(?:가장|제일)\s*(?P<by>\S+)|(?P<most>최대|최고|최다|(?<!\d)1위)|(?P<least>최소|최저|꼴찌)")
_HIGH = re.compile(r"많|높|크|큰|길|긴|깁|비싸|비싼|무거|오래|더 걸")
_LOW = re.compile(r"적|낮|작|짧|(?<!비)싸|(?<!비)싼|저렴|가벼|덜")
# Comparisons, changes and quantifiers are not analysed, so they are accepted only from the question.
_OTHERS = re.compile(
    r"보다|\d배|두\s?배|세\s?배|절반|증가|감소|상승|하락|늘어|늘었|줄어|줄었|모두|모든|전부|전체|유일|항상|매번|각각|초과|미만|상반기|하반기"
)
# "For each": 국가별, 국가마다, 각 국가.
_OF_EACH = re.compile(r"(?<=[\uac00-\ud7a3]{2})별(?:로)?(?=[\s,])|(?<=[\uac00-\ud7a3])마다(?=[\s,])|(?<![^\s])각(?=\s)")

# Words before a particle of place or possession, and words that name nothing.
_PARTICLE = re.compile(r"(?<![\uac00-\ud7a3])([\uac00-\ud7a3]{2,}?)(에서는|에는|에서|에게|에|의)(?![\uac00-\ud7a3])")
_ADNOMINAL = re.compile(r"(?:하|되|나|있|없|지|내|오|가|이|르|많|높|낮|적|같)$")
_NAMELESS_WORDS = """
    결과 답변 대답 합계 총합 총계 평균 전체 모두 데이터 기록 경우 금액 인원 사람 순위
    나머지 이들 그중 다음 최고 최대 최소 최저 현재 해당 기준 가운데 동안 사이 이후 이전
    당시 전부 우리 기간 수치 개수 숫자 총액 이곳 그곳 여기 조건 질문 질의 차이 합산
"""
_NAMELESS = frozenset(_NAMELESS_WORDS.split())
_NO_NOUN = re.compile(r"[는은한된인운을를이가로게히서고의에며면도들장든번째간달년월어아여해]$")
_MONEY = re.compile(r"(?:\d|[만억조천])\s?(달러|유로|엔화|위안|파운드|프랑)")
_CODES = {"달러": "USD", "유로": "EUR", "엔화": "JPY", "위안": "CNY", "파운드": "GBP", "프랑": "CHF"}

_DURATIONS = {
    "시간": frozenset({"h", "hour", "hours"}),
    "분": frozenset({"min", "minute", "minutes"}),
    "초": frozenset({"s", "sec", "second", "seconds"}),
    "일": frozenset({"day", "days"}),
}
_DURATION = re.compile(rf"\d\s*({'|'.join(_DURATIONS)})(?!기)")  # not "3분기", a quarter
# The unit after a number: 76.8kWh, 36 µg/m³, 12km입니다.
_UNIT = re.compile(r"\d[\d.,]*\s?(?P<unit>[A-Za-zµμ°]{1,4}[²³]?(?:/[A-Za-z]{1,3}[²³]?)?)(?![A-Za-z\d²³/-])")
_SCALES = frozenset("kKMB")
_UNIT_WORD = re.compile(r"[^\W\d_]+[²³]?(?:/[^\W\d_]+[²³]?)?|°[CF]?")


def korean_problems(
    text: str,
    segments: Sequence[Segment],
    facts: Facts,
    numbers: Mapping[int, int],
    computed: frozenset[Class] = frozenset(),
) -> Iterator[Problem]:
    """Superlatives that the rows contradict, and claims that are not checked and not in the question.

    Args:
        numbers: the columns of the reported cells, by their position in the text.
        computed: the aggregates of other numbers.
    """
    asked = _direction(facts.question)
    units = {unit for it in facts.measures for unit in it.units}
    for found in () if facts.query.of_each else _OF_EACH.finditer(text):
        yield Problem(found[0], "the rows have one value for all of them together")
    for found in _DURATION.finditer(text):
        own = _DURATIONS[found[1]]
        if units & frozenset().union(*_DURATIONS.values()) and not units & own:
            yield Problem(found[0], "its column is about something else")
    for found in _UNIT.finditer(text):
        if found["unit"] not in _SCALES and not _has_unit(found["unit"], facts):
            yield Problem(found[0], "its column is about something else")
    for found in _EXTREME.finditer(text):
        cls = _direction(found[0])
        if found[0] == "1위" and len(facts.rows) > 1:
            continue  # a rank, checked below
        if cls is None:
            yield Problem(found[0], "the rows do not order by it")
        elif not _holds(
            cls, _find_named_near(found.start(), segments), facts, _find_told_near(found.start(), numbers)
        ) and not (cls is asked and len(facts.rows) == 1):
            yield Problem(found[0], "another row has a value beyond it, or none is named")
    yield from _find_other_places(segments, facts, numbers)
    yield from _find_other_money(text, facts)
    yield from _find_unknown_names(text, facts)
    shared = {"전체"} if computed & {Class.SHARE} else set[str]()
    shared |= {"모두", "전체", "모든"} if computed & {Class.SUM} else set()
    held = {it.start for it in (*_list_comparisons(text, segments, facts, numbers), *_list_bounds(segments, numbers))}
    for found in _OTHERS.finditer(text):
        if found[0] not in facts.question and found[0] not in shared and found.start() not in held:
            yield Problem(found[0], "the rows do not say so")


def _list_bounds(segments: Sequence[Segment], numbers: Mapping[int, int]) -> Iterator[Item]:
    """Bounds after a number from a cell. They were checked with the cells."""
    for segment in segments:
        for at, item in enumerate(segment.items):
            near = segment.items[max(0, at - 2) : at]
            if item.cls in (Class.OVER, Class.UNDER) and any(it.start in numbers for it in near):
                yield item


def _list_comparisons(
    text: str, segments: Sequence[Segment], facts: Facts, numbers: Mapping[int, int]
) -> Iterator[Item]:
    """The "보다" that the rows support: of the two rows named before it, the first should have more, or less."""
    items = [it for segment in segments for it in segment.items]
    for at, item in enumerate(items):
        rows = [it.rows for it in items[max(0, at - 2) : at] if it.places]
        column = facts.measures[0].index if len(facts.measures) == 1 else _find_told_near(item.start, numbers)
        if item.text != "보다" or column is None or [len(it) for it in rows] != [1, 1]:
            continue
        values = [value for it in rows for value in facts.values(column, it)]
        said = text[item.end :].split(".\n")[0]
        more, less = (pattern.search(said) is not None for pattern in (_HIGH, _LOW))
        if len(values) == len(rows) and more is not less and (values[0] > values[1] if more else values[0] < values[1]):
            yield item


def _find_other_places(segments: Sequence[Segment], facts: Facts, numbers: Mapping[int, int]) -> Iterator[Problem]:
    """Ranks such as "2위" that the rows do not support."""
    asked = _direction(facts.question)
    for item in (it for segment in segments for it in segment.items if it.cls is Class.RANK):
        rows, column = _find_named_near(item.start, segments), _find_told_near(item.start, numbers)
        alone = item.rank == 1 and len(facts.rows) == 1  # checked as the most or the least
        if not alone and not _has_place(item.rank, rows, facts, column, asked):
            yield Problem(item.text, "another row has that place, or none is named")


def _find_other_money(text: str, facts: Facts) -> Iterator[Problem]:
    """Currencies that neither the question nor the texts about the measures name."""
    known = " ".join((facts.question, *(told for it in facts.measures for told in it.told)))
    for found in _MONEY.finditer(text):
        if found[1] not in known and _CODES[found[1]] not in {it.currency for it in facts.measures}:
            yield Problem(found[0], "its column is about something else")


def _find_unknown_names(text: str, facts: Facts) -> Iterator[Problem]:
    """Words for a place or an owner that are in neither the question nor the rows nor the columns."""
    cells = (cell for row in facts.rows for cell in row if isinstance(cell, str))
    columns = (it for column in facts.columns for it in (column.name, *column.told))
    asked = (*facts.query.tables, *(value for it in facts.conditions for value in it.values))
    known = "".join(" ".join((facts.question, *cells, *columns, *asked)).split())
    for found in _PARTICLE.finditer(text):
        word = found[1]
        if word not in known and word not in _NAMELESS and not _ADNOMINAL.search(word) and word[:2] not in known:
            yield Problem(found[0], "it stands neither in the question nor in the rows")
    words = re.findall(r"[\uac00-\ud7a3]+", text)
    asked_words = {it[:2] for it in re.findall(r"[\uac00-\ud7a3]{2,}", facts.question)}
    for word, following in pairwise(words):
        stands_before = f"{word} {following}" in text and following[:2] in asked_words and _is_noun(word)
        if stands_before and word not in known and word[:2] not in known and word not in _NAMELESS:
            yield Problem(word, "it stands neither in the question nor in the rows")


def _is_noun(word: str) -> bool:
    """Whether a word may be a name: at least two letters, and no form of a verb or adverb."""
    return len(word) > 1 and _NO_NOUN.search(word) is None


def _has_unit(unit: str, facts: Facts) -> bool:
    """Whether a measure has this unit, or the question, a row, or the texts about a measure without units name it."""
    texts = [facts.question, *(str(cell) for row in facts.rows for cell in row if isinstance(cell, str))]
    texts += [it for measure in facts.measures if not measure.units for it in (measure.currency, *measure.told)]
    words = {unit for it in facts.measures for unit in it.units}
    words |= {word.lower() for text in texts for word in _UNIT_WORD.findall(text)}
    return any(is_same_word(unit.lower(), word) for word in words)


def _direction(text: str) -> Class | None:
    found = _EXTREME.search(text)
    if found is None:
        return None
    if found["most"] or (found["by"] and _HIGH.match(found["by"])):
        return Class.MOST
    return Class.LEAST if found["least"] or (found["by"] and _LOW.match(found["by"])) else None


def _find_named_near(at: int, segments: Sequence[Segment]) -> Rows:
    """The rows named in the segment at a position, or else in the only segment with names."""
    for segment in segments:
        if segment.items and segment.items[0].start <= at <= segment.items[-1].end and segment.names:
            return _rows(segment)
    named = [segment for segment in segments if segment.names]
    return _rows(named[0]) if len(named) == 1 else frozenset()


def _rows(segment: Segment) -> Rows:
    return frozenset(row for it in segment.names for row in it.rows)


def _find_told_near(at: int, numbers: Mapping[int, int]) -> int | None:
    """The column of the last number before a position, or else of the first one after it."""
    before = [start for start in numbers if start < at]
    return numbers[max(before)] if before else numbers[min(numbers)] if numbers else None


def _has_place(rank: int, rows: Rows, facts: Facts, told: int | None, asked: Class | None) -> bool:
    """Whether the named rows have a rank, by the reported column or by a column of ranks."""
    if not rows or facts.result.truncated:
        return False
    ranks = [it.index for it in facts.columns if it.projection.aggregate == "rank"]
    if len(ranks) == 1:
        return all(facts.rows[row][ranks[0]] == rank for row in rows)
    column = facts.measures[0].index if len(facts.measures) == 1 else told
    own = facts.values(column, rows) if column is not None else []
    if column is None or len(own) < len(rows):
        return False
    least = asked is Class.LEAST
    return all(sum(it < one if least else it > one for it in facts.values(column)) + 1 == rank for one in own)


def _holds(cls: Class, rows: Rows, facts: Facts, told: int | None) -> bool:
    if not rows or len(facts.rows) < 2 or facts.result.truncated:
        return False
    if len(facts.measures) == 1:
        told = facts.measures[0].index
    if told is None:
        return False
    column = told
    inside, outside = facts.values(column, rows), facts.values(column, set(range(len(facts.rows))) - rows)
    if not inside or not outside:
        return False
    return min(inside) >= max(outside) if cls is Class.MOST else max(inside) <= min(outside)

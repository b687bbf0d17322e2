"""Does a query hold what the question says: its numbers, its names, and the measure that it asks for?

Nothing is refused for it: a number can be spelled out in SQL in many ways. But what cannot be found is not verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from agent.checks.unasked import unsaid_texts
from agent.models import Check
from rag.words import telling_words, words

if TYPE_CHECKING:
    from sqlglot import exp

    from rag.values import LinkedValue

VALUES, MEASURES = "said_values", "said_measures"

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_SWAPPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d\d?")  # 1.500 or 2,5, as half of the world writes it
_LARGE = re.compile(
    r"\s*(?:thousand|tausend|mille?|mil|million\w*|mill\w+|mio|mn|billion|bn|milliard\w*)\b", re.IGNORECASE
)
_TIME = re.compile(r"(?:19|20)\d\d|\d{1,2}|\d\d?\.\d\d?\.(?:\d\d)?\d\d")  # of a date, which SQL may write otherwise
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
# The TOTAL price is no abbreviation.
_WORD_IN_CAPITALS = re.compile(r"(?=.{4})(?:[^AEIOUY]{0,2}[AEIOUY]{1,2}[^AEIOUY]{1,2}){1,3}[AEIOUY]?")
_KNOWN_TO_ALL = """
    ad ai all am and any api are asc avg bc by cd ceo count csv desc dvd eu eur for from gb gbp gdp gmt group html
    http id ids in ip is it json kg km kpi ltd max min mom mph mtd new no not null of ok old on or order pc pdf per phd
    pin pm pos qoq qtd sms sql sum top tv two uk un url us usa usd utc vat vip who wow xml yoy ytd zip
    aud brl cad chf cny czk dkk hkd huf inr jpy krw mxn nok nzd pln sek sgd try zar
"""
_EVERYBODY_KNOWS = frozenset(_KNOWN_TO_ALL.split())
# Ends of a scale. Not the oldest and the youngest: a day of birth runs against an age.
_LOWEST = re.compile(
    r"(?<!\bat )\bleast\b|\b(?:lowest|smallest|fewest|minimum|worst|weakest|cheapest|shortest|lightest|earliest)\b",
    re.IGNORECASE,
)
_HIGHEST = re.compile(
    r"(?<!\bat )\bmost\b"
    r"|\b(?:highest|largest|biggest|greatest|maximum|longest|heaviest|strongest|tallest|latest|newest)\b",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:for|of|in|by) (?:each|every)\b", re.IGNORECASE)
_SORTED = re.compile(
    r"\bsorted (?:by|from|in|alphabetically)\b|(?:[,;]|\band) ordered (?:by|from)\b|\bordered alphabetically\b"
    r"|\bin (?:\w+ )?(?:ascending|descending|alphabetical|chronological|increasing|decreasing) order\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"\b(?:per\s?cent(?:age)?|proportion|share|ratio|fraction)\b|%", re.IGNORECASE)
_SURE = 0.9  # score from which a stored value is what the question names


def said_checks(
    question: str,
    tree: exp.Query,
    linked: Sequence[LinkedValue],
    told: Sequence[str] = (),
    documented: Callable[[], str] | None = None,
    unread: Sequence[str] = (),
) -> tuple[Check, Check]:
    """The two checks; passed is None where something that was said is not found, or was not said, never False.

    Args:
        question: as asked.
        tree: of the query.
        linked: the stored values that the question's words mean.
        told: what else is known of the question: rules, earlier exchanges.
        documented: all names, comments and docs of the database, asked for only where something is not explained.
        unread: tables and columns that the question speaks of, and the query does not read.
    """
    missing = [*_numbers_missing(question, tree), *_values_missing(tree, linked)]
    spelled = (it.value for it in linked if it.how != "meaning")  # a guess by vectors proves nothing
    unsaid = unsaid_texts(tree, (question, *told, *spelled))
    unmeasured = [*_measures_missing(question, tree), *unread]
    unknown = _unknown_acronyms(question, tree, (*told, *(it.value for it in linked)), documented)
    details = (
        _told("The query does not have", missing),
        f"Nobody spoke of {', '.join(unsaid)}." if unsaid else "",
        _told("One of several columns may be meant by", _asked_of_several(tree)),
        f"Nothing explains {', '.join(unknown)}: docs of the database can." if unknown else "",
    )
    detail = " ".join(filter(None, details))
    return (
        Check(name=VALUES, passed=None if detail else True, detail=detail),
        Check(name=MEASURES, passed=None if unmeasured else True, detail=_told("The query has no", unmeasured)),
    )


def _told(begin: str, missing: Sequence[str]) -> str:
    return f"{begin} {', '.join(missing)}, which the question speaks of." if missing else ""


def _numbers_missing(question: str, tree: exp.Query) -> list[str]:
    """Numbers of the question that stand nowhere in the query: as written, as a share, one more or less."""
    from sqlglot import exp

    texts = [str(literal.this) for literal in tree.find_all(exp.Literal)]
    held = {float(digits) for text in texts for digits in _DIGITS.findall(text)}
    shortened = {number / size for number in held for size in (1e3, 1e6, 1e9)}  # 2 million
    missing: list[str] = []
    for match in _NUMBER.finditer(question):
        said = match[0]
        read = _readings(said)
        near = {one for number in read for one in (number, number / 100, number - 1, number + 1)}
        large = _LARGE.match(question, match.end()) is not None and not shortened.isdisjoint(read)
        may_be_time = _TIME.fullmatch(said) is not None and any(len(_DIGITS.findall(text)) > 1 for text in texts)
        if held.isdisjoint(near) and not may_be_time and not large:
            missing.append(said)
    return missing


def _readings(said: str) -> set[float]:
    """What a number can be: `1.500` is one and a half, or one thousand and five hundred."""
    found = {float(said.replace(",", ""))} if said.count(".") < 2 else set()
    return found | ({float(said.replace(".", "").replace(",", "."))} if _SWAPPED.fullmatch(said) else set())


def _values_missing(tree: exp.Query, linked: Iterable[LinkedValue]) -> list[str]:
    """Names of the question, surely stored, of which no text of the query has any reading."""
    from sqlglot import exp

    texts = [str(literal.this).casefold().strip("%") for literal in tree.find_all(exp.Literal) if literal.is_string]
    said: dict[str, list[str]] = {}
    for value in linked:
        if value.is_sure and value.score >= _SURE and not value.said.islower():
            said.setdefault(value.said, []).append(value.value.casefold())
    inside = [one for one in said if any(one != other and one in other for other in said)]  # `York` in `New York`
    return [
        repr(named)
        for named, values in said.items()
        if named not in inside and not any(text and (text in it or it in text) for it in values for text in texts)
    ]


def _asked_of_several(tree: exp.Query) -> list[str]:
    """Texts that a condition takes from one column or else another: the question means one of them.

    Not columns of which the names share a word: who asks for the games of a team means home_team and away_team.
    """
    from sqlglot import exp

    columns: dict[str, set[str]] = {}
    for either in tree.find_all(exp.Or):
        for side in (either.left, either.right):
            pair = side.unnest()
            text = pair.expression if isinstance(pair, exp.EQ) else None
            if isinstance(text, exp.Literal) and text.is_string and isinstance(pair.this, exp.Column):
                columns.setdefault(str(text.this).casefold(), set()).add(pair.this.name.lower())
    return [
        repr(text)
        for text, found in columns.items()
        if len(found) > 1 and not frozenset.intersection(*map(words, found))
    ]


def _unknown_acronyms(
    question: str, tree: exp.Query, told: Sequence[str], documented: Callable[[], str] | None
) -> list[str]:
    """Abbreviations of the question that no name, value or text of the database has, nor everybody knows."""
    from sqlglot import exp

    if documented is None or question.isupper():
        return []
    found = [it for it in _ACRONYM.findall(question) if it.casefold() not in _EVERYBODY_KNOWS]
    found = [it for it in found if telling_words(it) and not _WORD_IN_CAPITALS.fullmatch(it)]
    if not found:
        return []
    known = (*told, *(str(it.this) for it in tree.find_all(exp.Literal) if it.is_string), documented())
    text = "\n".join(known).casefold()
    return [it for it in dict.fromkeys(found) if not _stands_in(it.casefold(), text) and not _shortens_a_name(it, text)]


def _stands_in(acronym: str, text: str) -> bool:
    """Whether a text has an abbreviation; one of two letters as a word, for they stand in many words."""
    if len(acronym) > 2:
        return acronym in text
    return re.search(rf"(?<![^\W_]){re.escape(acronym)}(?![^\W_])", text) is not None


def _shortens_a_name(acronym: str, text: str) -> bool:
    """Whether a line has so many words, and these letters first: `average_order_value`, 'New York'."""
    begun = r"[^\W_]*(?:_|[^\w\n])+".join(map(re.escape, acronym.casefold()))
    return re.search(rf"^{begun}[^\W_]*$", text, re.MULTILINE) is not None


def _measures_missing(question: str, tree: exp.Query) -> list[str]:
    """Measures that the question asks for in so many words, in English, and nothing of the query computes."""
    from sqlglot import exp

    computed: tuple[tuple[str, str, tuple[type[exp.Expr], ...]], ...] = (
        (r"\b(?:average|mean|avg)\b", "average", (exp.Avg, exp.Div)),
        (r"\b(?:percent|percentage|ratio|proportion)\b|%", "ratio", (exp.Div,)),
        (r"\bhow many\b|\bnumber of\b|\bcount of\b", "count", (exp.Count, exp.Sum)),
        (r"\bper\b|\b(?:for|of|by|in) each\b|\b(?:for|by|in) different\b", "groups", (exp.Group, exp.Window, exp.Div)),
        (
            r"\b(?:most|least|highest|lowest|largest|smallest|biggest|oldest|youngest|latest|earliest|longest|shortest"
            r"|maximum|minimum|tallest|heaviest|fastest|cheapest)\b",
            "order",
            (exp.Order, exp.Max, exp.Min, exp.Window),
        ),
    )
    names = {word for column in tree.find_all(exp.Column) for word in re.split(r"[_\W]+", column.name.lower())}
    found: list[str] = []
    for pattern, name, nodes in computed:
        match = re.search(pattern, question, re.IGNORECASE)
        if match and not tree.find(*nodes) and not names & set(match[0].lower().split()):
            found.append(name)
    if _EACH.search(question) and _takes_one(tree):
        found.append("row for each")
    if _SORTED.search(question) and tree.args.get("order") is None:  # within a part of a query it orders nothing
        found.append("order of all rows")
    return [*found, *_other_end(question, tree), *_whole_of_share(question, tree)]


def _takes_one(tree: exp.Query) -> bool:
    limit = tree.args.get("limit")
    if limit is None or limit.expressions:  # ClickHouse takes one for each with LIMIT 1 BY
        return False
    rows = limit.args.get("expression") or limit.args.get("count")
    return rows is not None and rows.unnest().sql() == "1"


def _whole_of_share(question: str, tree: exp.Query) -> list[str]:
    """A share of which the part has several conditions: one of them may be that of the whole, and nobody can tell."""
    from sqlglot import exp

    if not _SHARE.search(question):
        return []
    parts = [case.args["ifs"][0].this for case in tree.find_all(exp.Case) if case.find_ancestor(exp.Div)]
    return ["condition of the whole"] if any(part.find(exp.And) for part in parts) else []


def _other_end(question: str, tree: exp.Query) -> list[str]:
    """The end that is asked for, where only rows of the other end of an order are taken."""
    from sqlglot import exp

    if tree.find(exp.Max, exp.Min, exp.Window):
        return []
    said = [bool(end.search(question)) for end in (_LOWEST, _HIGHEST)]
    ends = [
        bool(select.args["order"].expressions[0].args.get("desc"))
        for select in tree.find_all(exp.Select)
        if select.args.get("limit") and select.args.get("order")
    ]
    if all(said) or not any(said) or not ends or said[1] in ends:
        return []
    return ["highest first" if said[1] else "lowest first"]

"""Splits an English comparison of two sides into a question for each, without a model.

"Did Ann sell more cars than Bo in 2024?" asks for two numbers: "How many cars did Ann sell in 2024?", and the same of
Bo. Small models write a query for the first or for both together, but answer each of the two. The sides are two stored
values of one column, or two times of one form; anything else may be a bound, or several words of one thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.linking.month_names import NAMES
from rag.linking.values import LinkedValue
from rag.words import join_folded, tokens

_AT = r"(?:in|on|during|since|from|until|for|at|by)"
_OF = r"(?:in|of|for|from)"
_REST = rf"(?P<rest>(?: (?:{_AT}|before|after|between|last|this)\b.*?)?)"
_VERSUS = r" (?:vs\.?|versus|compared (?:to|with)) "
_MONTH = "|".join(NAMES["en"].split())
_YEAR = r"(?:19|20)\d\d(?:/\d\d)?"
_WHEN = (
    rf"(?:(?:(?:the )?(?:season|year|fiscal year|fy) )?{_YEAR}|(?:{_MONTH})(?: {_YEAR})?|q[1-4] {_YEAR}"
    rf"|the (?:first|second|third|fourth|last) (?:half|quarter|month|week) of {_YEAR})"
)
_TIME = re.compile(_WHEN, re.IGNORECASE)
_DID = re.compile(
    r"(?P<did>did|do|does) (?P<one>.{1,60}?) (?P<verb>[^\W\d_]+) (?P<more>more|fewer|less)"
    rf"(?P<noun>(?: (?!than\b)\S+){{0,6}}) than (?P<other>.{{1,60}}?){_REST}",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"(?P<was>was|were|is|are) (?P<what>.{1,80}?) (?P<more>higher|lower|greater|larger|bigger|smaller|more|less)"
    rf" (?P<at>{_AT}) (?P<one>.{{1,60}}?) than (?:(?P=at) )?(?P<other>.{{1,60}}?){_REST}",
    re.IGNORECASE,
)
_KINDS = re.compile(
    rf"(?P<head>(?:how many|(?:the )?number of) )(?P<one>\w+)(?P<noun> \w+){_VERSUS}(?P<other>\w+)(?P=noun){_REST}",
    re.IGNORECASE,
)
_TIMES = re.compile(
    rf"(?P<head>.{{1,120}}? (?:{_OF} )?)(?P<one>{_WHEN}){_VERSUS}(?:{_OF} )?(?P<other>{_WHEN})", re.IGNORECASE
)
_LESS = frozenset({"less", "fewer", "lower", "smaller"})
# What one number for each side does not answer, and questions of another form.
_OTHERWISE = re.compile(
    r"\b(?:ratio|growth|grow|difference|change|increase|rise|correlation|match|there|that|which|who|whose|any|every|each"
    r"|it|they|this|these|those)\b"
    r"|(?<!\bvs)[.?!;:] ",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?:.*\w)?(?:[^\Ws]s|people|children|men|women)", re.IGNORECASE)


class Comparison(NamedTuple):
    """The questions for the two sides. asks_more: whether the first number must be the greater one for a yes, or the
    smaller one; None if the question expects neither yes nor no."""

    first: str
    second: str
    asks_more: bool | None = None


def split_comparison(question: str, values: Sequence[LinkedValue] = ()) -> Comparison | None:
    """The comparison of a question; None if it is none, or if a side is no time and no stored value.

    Args: values: the stored values that the question names.
    """
    text = " ".join(question.split()).rstrip(" ?!.")
    if _OTHERWISE.search(text):
        return None
    for pattern in (_DID, _WAS, _KINDS, _TIMES):
        if (found := pattern.fullmatch(text)) is not None:
            sides = _read_times(found) or _read_values(found, values)
            more = found.groupdict().get("more")
            asks_more = None if more is None else more.lower() not in _LESS
            return None if sides is None else Comparison(*_write(found, *sides), asks_more)
    return None


def _read_times(found: re.Match[str]) -> tuple[str, str] | None:
    """The two times of a comparison, of one form, if it compares times."""
    one, other = found["one"], found["other"]
    if found.re is _DID:  # "more cars in 2024 than in 2023"
        said = re.fullmatch(rf"(?P<noun>.*?) ?(?P<at>{_AT}) (?P<time>.+)", found["noun"].strip(), re.IGNORECASE)
        later = re.fullmatch(rf"(?:{_AT} )?(?P<time>.+)", f"{other}{found['rest']}", re.IGNORECASE)
        one, other = (said["time"], later["time"]) if said is not None and later is not None else ("", "")
    elif found.groupdict().get("rest"):
        return None
    is_one_form = re.sub(r"\d", "0", one).count("0") == re.sub(r"\d", "0", other).count("0")
    are_times = _TIME.fullmatch(one) is not None and _TIME.fullmatch(other) is not None
    return (one, other) if are_times and is_one_form and len(one.split()) == len(other.split()) else None


def _read_values(found: re.Match[str], values: Sequence[LinkedValue]) -> tuple[str, str] | None:
    """The two sides of a comparison, if they are different stored values of one column."""
    is_unclear = found.re is _DID and found["rest"] and re.search(rf"\b{_AT}\b", found["noun"], re.IGNORECASE)
    if found.re is _TIMES or is_unclear:  # "more cars in Rome than Bo in Turin"
        return None
    places = [
        {(it.table, it.column, it.value) for it in values if it.is_sure and _fold(it.mention) == side}
        for side in (_fold(found["one"]), _fold(found["other"]))
    ]
    columns = [{place[:2] for place in side} for side in places]
    return (found["one"], found["other"]) if columns[0] & columns[1] and not places[0] & places[1] else None


def _write(found: re.Match[str], one: str, other: str) -> tuple[str, str]:
    rest = found.groupdict().get("rest") or ""
    if found.re is _WAS:
        first, second = (
            f"What {found['was'].lower()} {found['what']} {found['at']} {it}{rest}?" for it in (one, other)
        )
    elif found.re is _DID:
        noun = found["noun"].strip()
        if one != found["one"]:  # times
            noun, at, _ = re.split(rf"(?:^| )({_AT}) ", noun, maxsplit=1, flags=re.IGNORECASE)
            ends = [f"{found['one']} {found['verb']} {at} {it}" for it in (one, other)]
        else:
            ends = [f"{it} {found['verb']}{rest}" for it in (one, other)]
        is_counted = _COUNTED.fullmatch(noun) is not None and found["more"].lower() != "less"
        many = f"How {'many' if is_counted else 'much'} {noun}".strip()
        first, second = (f"{many} {found['did'].lower()} {it}?" for it in ends)
    else:
        first, second = (f"{found['head']}{it}{found.groupdict().get('noun') or ''}{rest}" for it in (one, other))
    return first, second


def _fold(text: str) -> str:
    """The words of a side, without an article."""
    return join_folded(tokens(re.sub(r"^the ", "", text, flags=re.IGNORECASE)))

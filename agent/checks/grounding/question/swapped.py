"""What an English sentence takes from the question and puts in another place: "human" for "non-human".

Every word of such a sentence is known, so only its place tells that it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from agent.checks.grounding.claims.item import Item
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import Problem
from agent.checks.grounding.languages.near_words import is_near
from agent.checks.grounding.languages.vocabulary import Class, vocabulary
from agent.checks.grounding.languages.words import is_among, is_same_word
from agent.checks.grounding.support.columns import Columns

_NEAR = 2  # items after a denial or a superlative
_FAR = 5  # items after the question's denial
_OR = frozenset(["or", "either"])
_OR_MORE = frozenset({"more", "less", "fewer", "later", "earlier", "older", "younger", "higher", "lower", "longer"})
_OR_MORE |= {"shorter", "above", "below", "over", "under"}
_NON = re.compile(r"\bnon-([^\W\d_]+)", re.IGNORECASE)
_SHARES = frozenset(["share", "percentage", "percent", "proportion", "portion", "fraction"])
_AFTER_BASE = frozenset(["comes", "come", "came", "goes", "go", "went", "belongs", "belong", "among"])
_BASE = 2  # words of the question that tell what a share is of
_AMOUNTS = frozenset(["amount", "amounts", "value", "values"])  # they are claims only as a base
_OF_THESE = frozenset(["them", "these", "those", "which", "whom"])
_KINDS_OF = re.compile(r"\b(?:types?|kinds?|sorts?|categories) of\b|\bin a row\b|\bconsecutive(?:ly)?\b", re.IGNORECASE)


def find_swapped(text: str, items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """Words of the question in another place: after another denial, noun or superlative. Only for English."""
    if facts.language != "en" or text == facts.question:
        return
    question = facts.question
    if not _list_choices(asked):
        for choice in _list_choices(items):
            before = next((it for it in reversed(items) if it.end <= choice.start and it.kind != "mark"), None)
            of_rows = before is not None and bool(before.places)
            if of_rows or "both" in question.lower() or before is None or before.text.lower() not in question.lower():
                yield Problem(choice.text, "the question does not ask for one of several")
    for found in _NON.finditer(question):
        bare = re.search(rf"(?<!non-)(?<!not )\b{re.escape(found[1])}\b", text, re.IGNORECASE)
        if bare and not re.search(rf"(?<!non-)\b{re.escape(found[1])}\b", question, re.IGNORECASE):
            yield Problem(bare[0], f"the question says {found[0]}")
    for found in _KINDS_OF.finditer(text):
        if found[0].lower()[:4] not in question.lower():
            yield Problem(found[0], "the question does not ask for it")
    if facts.rows:
        yield from _find_other_denials(items, asked)
    yield from _find_other_nouns(items, asked)
    if len(facts.rows) == 1 and any(it.projection.aggregate == "count" for it in facts.measures):
        yield from _find_headless(items, asked)
    yield from _find_other_superlatives(items, asked, facts)
    yield from _find_other_base(items, asked)


def _list_choices(items: Sequence[Item]) -> list[Item]:
    """The words for "or", except in "or more", and before a number: "48 rides, or 16 on average"."""
    found = [at for at, it in enumerate(items) if it.text.lower() in _OR]
    return [
        items[at]
        for at in found
        if not any(it.kind == "number" or it.text.lower() in _OR_MORE for it in items[at + 1 : at + 1 + _NEAR])
    ]


def _words_behind(items: Sequence[Item], place: int, most: int = _NEAR, *, times: bool = False) -> list[str]:
    """The words right after a place in lower case, and years and dates if `times`."""
    return [
        it.text.lower() for it in items[place + 1 : place + 1 + most] if it.kind == "word" or (times and _is_time(it))
    ]


def _is_time(item: Item) -> bool:
    return item.is_year or item.kind == "date"


def _find_other_denials(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """ "With a lounge but no study room" for "with a study room but no lounge"."""
    wanted = [_words_behind(asked, at, _FAR, times=True) for at, it in enumerate(asked) if it.cls is Class.NOT]
    told = [_words_behind(items, at, times=True) for at, it in enumerate(items) if it.cls is Class.NOT]
    if len(told) != len(wanted):
        return
    content, said = ([it.text.lower() for it in one if it.kind == "word" or _is_time(it)] for one in (asked, items))
    denied = [word for words in wanted for word in words if is_among(word, said)]
    for words in (it for it in told if it and denied):
        if all(is_among(it, content) for it in words) and not any(is_among(it, denied) for it in words):
            yield Problem(" ".join(words), "the question denies something else")


def _pairs_of(items: Sequence[Item]) -> list[tuple[str, str]]:
    """Adjacent words, as modifier and noun, in lower case."""
    return [
        (one.text.lower(), other.text.lower())
        for one, other in pairwise(items)
        if one.kind in ("word", "name")
        and (other.kind == "word" or other.cls is Class.TIME)
        and one.end + 1 == other.start
    ]


def _find_other_nouns(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """ "Brown eyes and blue hair" for "blue eyes and brown hair": two modifiers that exchanged their nouns."""
    wanted, told = _pairs_of(asked), _pairs_of(items)
    for modifier, noun in told:
        own = [it for it, other in wanted if is_same_word(noun, other)]
        others = [other for it, other in wanted if it == modifier]
        if own and others and modifier not in own and not is_among(noun, others):
            crossed = [it for it, other in told if it in own and is_among(other, others)]
            if crossed:
                yield Problem(f"{modifier} {noun}", "the question has a different word there")


def _find_headless(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """What is counted by the first noun of a compound alone: "6 publications" for "publication dates"."""
    said = [it.text.lower() for it in items if it.kind == "word"]
    counted = [other.text.lower() for one, other in pairwise(items) if one.kind == "number" and other.kind == "word"]
    for modifier, head in _pairs_of(asked):
        if modifier.endswith("s") or not head.endswith("s") or is_among(head, said):
            continue
        for word in counted:
            if word.endswith("s") and is_same_word(word, modifier):
                yield Problem(word, f"the question asks for {modifier} {head}")


def _find_other_superlatives(items: Sequence[Item], asked: Sequence[Item], facts: Facts) -> Iterator[Problem]:
    """ "The highest balance" of a row that the question chooses by the highest score, and whose balance is shown."""
    ends = (Class.MOST, Class.LEAST)
    wanted = [word for at, it in enumerate(asked) if it.cls in ends for word in _words_behind(asked, at)]
    if len(facts.rows) != 1 or not wanted:
        return
    columns = Columns(facts)
    for at, item in enumerate(items):
        if item.cls not in ends:
            continue
        words = _words_behind(items, at)
        ordered = dict(facts.query.order)
        labels = [
            column
            for it in items[at + 1 : at + 1 + _NEAR]
            for column in (columns.list_labelled(it) if it.kind == "word" else ())
            if column.name.lower() not in ordered
        ]
        if labels and not any(is_among(it, wanted) for it in words):
            yield Problem(f"{item.text} {' '.join(words)}", "the question asks for another superlative")


def _find_other_base(items: Sequence[Item], asked: Sequence[Item]) -> Iterator[Problem]:
    """A share of something else: "10 % of the invoices", for a share of the invoiced amount."""
    of = [at + 1 for at, it in enumerate(asked[:-1]) if it.text.lower() in _SHARES and asked[at + 1].text == "of"]
    if len(of) != 1:
        return
    polar = vocabulary("en").polar
    ended = takewhile(
        lambda it: (
            it.kind != "mark" and it.cls not in (Class.EACH, Class.PER) and it.text.lower() not in polar | _AFTER_BASE
        ),
        asked[of[0] + 1 :],
    )
    wanted = _list_base(ended)[:_BASE]
    for at, item in enumerate(items):
        behind = list(takewhile(lambda it: it.kind != "mark" and it.cls is not Class.JOIN, items[at + 1 :]))
        said = _list_base(behind)[: _BASE + 1]
        if not item.percent or not behind or behind[0].text != "of":
            continue
        if any(it.text.lower() in _OF_THESE or it.kind == "number" for it in behind[1:2]) or (
            not said and any(it.cls is Class.SUM for it in behind)
        ):
            continue  # "of them", "of the total"
        if not said and any(it.kind == "name" for it in behind):
            continue  # "of Ann's"
        if any(not is_among(it, said) and not is_near(it, said) for it in wanted):
            yield Problem(" ".join((item.text, "of", *said[:1])), "the question asks for a share of something else")


def _list_base(items: Iterable[Item]) -> list[str]:
    return [it.text.lower() for it in items if it.kind == "word" or it.text.lower() in _AMOUNTS]

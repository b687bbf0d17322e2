"""Adjectives that the data cannot decide: of worth without a measure ("popular books"), of degree without a limit
("long stays").

The lists are English. Of other languages the multilingual model finds what is as near as a translation.
"""

from __future__ import annotations

import re

from agent.core.models import Choice, Clarification
from agent.understanding.clarification.inquiry import Inquiry, ask, own_words
from agent.understanding.clarification.languages import is_english
from agent.understanding.clarification.measures import SAYS, is_measure, is_settled, list_measures
from agent.understanding.clarification.missing import find_known_words
from agent.understanding.clarification.nearness import Terms, nearest
from agent.understanding.followups.words import words_of as word_set
from executors.base import Table
from rag.embedding.embedder import Embedder
from rag.linking.dates import periods_in
from rag.words import Token, is_silent, stem_of, tokens, words

_WORTH = """
    good bad great poor best worst important popular strong weak difficult problematic risky successful promising
    productive reliable loyal busy interesting conspicuous unusual critical valuable relevant active healthy
    suspicious underperforming struggling excellent terrible quiet fragile demanding efficient attractive notable
    outstanding impressive remarkable significant leading favourite famous experienced talented skilled dangerous
    safe serious severe urgent strange odd inactive disappointing mediocre decent nice beautiful profitable
    lucrative inefficient unreliable unprofitable engaged regular crowded overloaded overworked vulnerable
    competitive affordable reasonable complicated challenging trendy underrated overrated suitable worthwhile
    effective ineffective useful useless
"""
_HIGH = "big large long tall old expensive heavy fast wide deep rich frequent"
_LOW = "small short young new cheap light slow rare"
WORTH, DEGREES = tuple(_WORTH.split()), (*_HIGH.split(), *_LOW.split())
# Cosines of the multilingual model from which on a word is a translation: "fragiles" 0.98, "auffälligen" 0.83.
ALIKE, SAME = 0.82, 0.85
# Before it these ask for an amount or compare: "how old", "as long as", "the most popular".
_COMPARING = word_set(
    "how as so too more less most least wie zu am mehr weniger plus moins aussi si trop más menos tan più meno così"
    " 가장 제일 더 얼마나"
)
_RANKED = word_set("most least")  # before a word of worth but these, whose measure is a number of rows
_COUNTED = word_set("popular active busy")
_TIMED = re.compile(r"\b(?:day|week|month|quarter|year)s?\b", re.IGNORECASE)  # with one, "new" has a limit
_SUPERLATIVES = word_set("best worst")
_SETTLING = re.compile(
    r"\b(?:than|average|mean|median|above|below|over|under|between|als|durchschnitt\w*|moyenne|media|promedio)\b|평균|보다",
    re.IGNORECASE,
)
_BE = words("is are was were be been seem seems look looks considered")
_MANNER = words("well badly poorly")
_DEEDS = words("do does did doing perform performs performed performing go goes going went sell sells selling")
_MOST_CHOICES = 4
_WORTH_TERMS, _DEGREE_TERMS = Terms(), Terms()


async def vague_adjective(inquiry: Inquiry, meaning: Embedder | None = None) -> Clarification | None:
    """The first adjective that says neither by what nor from what on, where data, docs and question do not either."""
    said = tokens(inquiry.text)
    for number, word in enumerate(said):
        before = said[number - 1] if number else None
        if not _may_be_vague(word, before, inquiry):
            continue
        if await _is_of_worth(word, before, inquiry, meaning):
            return _ask_for_measure(inquiry, word)
        if await _is_of_degree(number, said, inquiry, meaning):
            return _ask_for_limit(inquiry, word)
    return None


def _may_be_vague(word: Token, before: Token | None, inquiry: Inquiry) -> bool:
    """Whether a word may be such an adjective: no name, and none that the data or the docs know."""
    plain = (
        word.text.isalpha()
        and len(word.text) > 1
        and not is_silent(word)
        and (word.leads or not word.text[:1].isupper())
    )
    ranked = before is not None and before.folded in _RANKED and word.folded in WORTH and word.folded not in _COUNTED
    compared = before is not None and before.folded in _COMPARING and not ranked
    known = find_known_words(inquiry)
    return plain and not compared and stem_of(word) not in known and word.folded not in known


async def _is_of_worth(word: Token, before: Token | None, inquiry: Inquiry, meaning: Embedder | None) -> bool:
    if stem_of(word) in _MANNER:
        return before is not None and stem_of(before) in _DEEDS
    if word.folded in WORTH or is_english(inquiry.text):
        return word.folded in WORTH
    return await _is_near(word, WORTH, ALIKE, inquiry, meaning, _WORTH_TERMS)


async def _is_of_degree(number: int, said: list[Token], inquiry: Inquiry, meaning: Embedder | None) -> bool:
    """Whether it is a positive adjective with what it describes: "long stays", "which stays were long"."""
    word = said[number]
    if _has_limit(inquiry):
        return False
    if not is_english(inquiry.text):
        return await _is_near(word, DEGREES, SAME, inquiry, meaning, _DEGREE_TERMS)
    if word.folded not in DEGREES or (
        word.folded == "new" and (_TIMED.search(inquiry.text) or periods_in(inquiry.text))
    ):
        return False
    before, after = said[:number], said[number + 1 : number + 3]
    ends = not after or inquiry.text[word.end :].strip(" ?.!") == ""
    predicative = ends and any(stem_of(it) in _BE for it in before[-2:])
    described = next((it for it in after if stem_of(it) not in words(" ".join(DEGREES))), None)
    named = described is not None and any(stem_of(described) in own_words(it) for it in inquiry.schema.tables)
    plural = described is not None and described.folded != described.singular and not is_silent(described)
    return predicative or named or plural


async def _is_near(
    word: Token, listed: tuple[str, ...], least: float, inquiry: Inquiry, meaning: Embedder | None, terms: Terms
) -> bool:
    near = await nearest([word.folded], listed, inquiry, meaning, terms) if meaning is not None else None
    return near is not None and near[0] >= least


def _has_limit(inquiry: Inquiry) -> bool:
    """Whether a number that is no time, or a comparison, says from what on."""
    text = inquiry.text
    for period in periods_in(text):
        text = text.replace(period.mention, " ")
    return bool(re.search(r"\d", text) or _SETTLING.search(text))


def _ask_for_measure(inquiry: Inquiry, word: Token) -> Clarification | None:
    """By what: the measures of the table that is named, if one is."""
    table, rest = _find_table(inquiry), inquiry.stems - {stem_of(word)}
    if rest & SAYS - _RANKED or _SETTLING.search(inquiry.text):
        return None
    about_one = any(it.is_sure for it in inquiry.context.linked.values)  # "the best shipment of North"
    if is_settled(inquiry, table, word.text, rest) or (about_one and word.folded in _SUPERLATIVES):
        return None
    names = list_measures(inquiry, table) if table is not None else []
    if table is not None and len(names) < 2 and word.folded in _SUPERLATIVES:
        return None
    labels = [inquiry.frames.by.format(name=name) for name in names]
    choices = [Choice(label=label, question=inquiry.with_ending(label)) for label in labels]
    text = inquiry.frames.vague_measure.format(mention=word.text)
    meant = inquiry.frames.assumed.format(mention=word.text, meant=labels[0]) if labels else text
    return ask("vague_measure", text, choices, meant)


def _ask_for_limit(inquiry: Inquiry, word: Token) -> Clarification:
    """From what on: more or less than the average of a number of the table that is named, if one is."""
    table = _find_table(inquiry)
    found = [it for it in table.columns if is_measure(table, it)] if table is not None else []
    frame = inquiry.frames.below_average if word.folded in _LOW.split() else inquiry.frames.above_average
    labels = [frame.format(name=it.name.replace("_", " ")) for it in found[:_MOST_CHOICES]]
    choices = [Choice(label=label, question=inquiry.with_ending(f"({label})")) for label in labels]
    text = inquiry.frames.vague_limit.format(mention=word.text)
    meant = inquiry.frames.assumed.format(mention=word.text, meant=labels[0]) if labels else text
    return ask("vague_limit", text, choices, meant)


def _find_table(inquiry: Inquiry) -> Table | None:
    """The only table that the question names; of two names of which one is a part of the other, the longer one."""
    named = [it for it in inquiry.named_tables if not any(own_words(it) < own_words(o) for o in inquiry.named_tables)]
    return named[0] if len(named) == 1 else None

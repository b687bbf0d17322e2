"""Adjectives that the data cannot decide: of worth without a measure ("popular books"), of degree without a limit
("long stays").

They must describe rows that the question is about. The lists are English. In other languages, the multilingual model
finds words that are similar enough to be translations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent.core.models import Choice, Clarification
from agent.understanding.clarification.inquiry import Inquiry, ask, ask_by_measure, own_words, words_of_names
from agent.understanding.clarification.measures import SAYS, is_measure, is_settled, list_measures
from agent.understanding.clarification.missing import UNLIKE_IN_ANY_LANGUAGE
from agent.understanding.clarification.nearness import Terms, similarities
from agent.understanding.clarification.words.languages import is_english
from agent.understanding.clarification.words.wanted import GENERIC
from agent.understanding.followups.words import words_of as word_set
from agent.understanding.shape import NUMBER_WORDS
from executors.base import Table
from rag.embedding.embedder import Embedder
from rag.linking.dates import periods_in
from rag.linking.fusion import term_of
from rag.words import Token, is_silent, split_name, stem_of, tokens, words

_WORTH = """
    good bad great poor best worst important popular strong weak difficult problematic risky successful promising
    productive reliable loyal busy interesting conspicuous unusual critical valuable relevant healthy
    suspicious underperforming struggling excellent terrible quiet fragile demanding efficient attractive notable
    outstanding impressive remarkable significant favourite famous experienced talented skilled dangerous
    safe serious severe urgent strange odd disappointing mediocre decent nice beautiful profitable
    lucrative inefficient unreliable unprofitable engaged regular crowded overloaded overworked vulnerable
    competitive affordable reasonable complicated challenging trendy underrated overrated suitable worthwhile
    effective ineffective useful useless
"""
WORTH = tuple(_WORTH.split())
_PRICE = words("price cost rate fee amount tariff charge fare salary preis kosten betrag prix montant precio importe")
_LENGTH = words("duration length minute hour second day night time height width depth distance km metre meter dauer")
_SIZE = words("amount total size quantity qty area capacity population volume weight seat turnover betrag menge")
_WEIGHT, _SPEED = words("weight kg gewicht poids peso"), words("speed duration time minute second velocity")
_INCOME = words("income salary balance revenue budget wealth worth")
# For each adjective of degree: words in the names of columns that measure it, and whether it means a high value.
_MEASURED: Mapping[str, tuple[frozenset[str], bool]] = {
    word: (names, is_high)
    for listed, names, is_high in (
        ("expensive", _PRICE, True),
        ("cheap", _PRICE, False),
        ("long tall wide deep", _LENGTH, True),
        ("short", _LENGTH, False),
        ("big large huge", _SIZE, True),
        ("small tiny", _SIZE, False),
        ("heavy", _WEIGHT, True),
        ("light", _WEIGHT, False),
        ("slow", _SPEED, False),
        ("fast", _SPEED, True),
        ("rich", _INCOME, True),
        ("old frequent", frozenset[str](), True),
        ("young rare", frozenset[str](), False),
    )
    for word in listed.split()
}
DEGREES = tuple(_MEASURED)
# Minimum cosines of the multilingual model for a translation: "fragiles" has 0.98, "auffälligen" 0.83.
ALIKE, SAME = 0.82, 0.85
# Before an adjective these ask for an amount or compare: "how old", "as long as", "the most popular".
_COMPARING = word_set(
    "how as so too more less most least wie zu am mehr weniger plus moins aussi si trop más menos tan più meno così"
    " 가장 제일 더 얼마나"
)
_RANKED = word_set("most least")  # before an adjective of worth, except these, which a number of rows measures
_COUNTED = word_set("popular busy")
_SUPERLATIVES = word_set("best worst")
_WOULD = word_set("would will could might")  # "that would be great"
_ANY_ONE = word_set("a an any every each no")  # before a singular noun that stands for all of its kind
_SETTLING = re.compile(
    r"\b(?:than|average|mean|median|als|durchschnitt\w*|moyenne|media|promedio)\b|평균|보다"
    r"|\b(?:before|until|prior\s+to|vor|bis|avant|antes\s+de|prima\s+del)\s+(?:\w+\s+)?\d{4}"
    r"|\b(?:above|below|over|under|between)\s+(?:the\s+|an?\s+)?(?:\d|average|half)",
    re.IGNORECASE,
)
_BE = words("is are was were be been seem seems look looks considered")
_BE_ELSEWHERE = word_set("ist sind war waren est sont était étaient es son fue fueron era eran è sono erano")
_MANNER = words("well badly poorly")
_DEEDS = words("do does did doing perform performs performed performing go goes going went")
_MOST_CHOICES = 4
_TABLES, _ADJECTIVES = Terms(), Terms()
_ANY = ""  # the database name of terms that belong to no database


class _Described(NamedTuple):
    """An adjective and the table whose rows it describes. None if only a plural noun indicates rows."""

    word: Token
    table: Table | None


async def vague_adjective(inquiry: Inquiry, meaning: Embedder | None = None) -> Clarification | None:
    """Ask about the first adjective whose measure or limit neither the question nor data and docs determine."""
    if is_english(inquiry.text):
        return _vague_in_english(inquiry)
    return await _vague_by_meaning(inquiry, meaning) if meaning is not None else None


def find_names(inquiry: Inquiry) -> frozenset[str]:
    """The stems of names, samples, linked values and glossary terms. The definitions of terms do not count."""
    tables = inquiry.schema.tables
    samples = (it for table in tables for column in table.columns if not column.private for it in column.samples)
    terms = (term_of(it.text) for it in inquiry.context.known if it.kind == "rule")
    linked = (it.value for it in inquiry.context.linked.values)
    return words_of_names(inquiry.schema) | words(" ".join((*samples, *terms, *linked)))


def _vague_in_english(inquiry: Inquiry) -> Clarification | None:
    said = tokens(inquiry.text)
    names = find_names(inquiry)
    for number, word in enumerate(said):
        listed = word.folded in WORTH or word.folded in DEGREES or stem_of(word) in _MANNER
        if not listed or not _may_be_vague(number, said, names):
            continue
        if stem_of(word) in _MANNER:
            table = _only_table(inquiry)
            does = number > 0 and stem_of(said[number - 1]) in _DEEDS
            found = _Described(word, table) if does and table is not None else None
        else:
            found = _find_described(number, said, inquiry)
        if found is not None and not _is_explained(inquiry, word):
            asked = _ask_for_limit(inquiry, found) if word.folded in DEGREES else _ask_for_measure(inquiry, found)
            if asked is not None:
                return asked
    return None


def _may_be_vague(number: int, said: Sequence[Token], names: frozenset[str]) -> bool:
    """Whether a word may be a vague adjective: it is neither a name nor compared."""
    word, before = said[number], said[number - 1].folded if number else ""
    compared = before in _COMPARING and not (before in _RANKED and word.folded in WORTH and word.folded not in _COUNTED)
    courteous = before == "be" and number > 1 and said[number - 2].folded in _WOULD
    return not courteous and not compared and stem_of(word) not in names and (word.leads or not word.text[:1].isupper())


def _find_described(number: int, said: Sequence[Token], inquiry: Inquiry) -> _Described | None:
    """The noun after an adjective, or the table before "are" if the adjective ends the sentence."""
    word, text = said[number], inquiry.text
    ends = not re.search(r"\w", text[word.end :])
    last = next((it for it in reversed(said[:number]) if stem_of(it) in _BE), None)
    if ends and last is not None and not re.search(r"[?.!:;(]", text[last.end : word.start]):
        table = _only_table(inquiry)
        rows = table is not None or any(_is_of_rows(it) for it in said[:number])
        return _Described(word, table) if rows else None
    after = [it for it in said[number + 1 :] if it.folded not in (*WORTH, *DEGREES) and it.folded not in NUMBER_WORDS]
    noun = after[0] if after else None
    if noun is None or re.search(r"[,:;.!?]", text[word.end : noun.start]):
        return None
    table = next((it for it in inquiry.schema.tables if stem_of(noun) in own_words(it)), None)
    if word.folded in DEGREES and noun.folded == noun.singular and not _is_any(number, said):
        return None  # "the old job of Neena"
    ranked = number > 0 and said[number - 1].folded in _RANKED and stem_of(noun) not in find_names(inquiry)
    return _Described(word, table) if table is not None or _is_of_rows(noun) or ranked else None


def _is_any(number: int, said: Sequence[Token]) -> bool:
    """Whether a singular noun after an adjective stands for any of its kind: "every long stay"."""
    return number > 0 and said[number - 1].folded in _ANY_ONE


def _is_of_rows(noun: Token) -> bool:
    """Whether a word is a plural that can denote rows, unlike "results" or "days"."""
    return noun.folded != noun.singular and not is_silent(noun) and stem_of(noun) not in GENERIC


async def _vague_by_meaning(inquiry: Inquiry, meaning: Embedder) -> Clarification | None:
    """Ask about a word of another language that is similar to an adjective and stands beside one similar to a table."""
    said = [it for it in tokens(inquiry.text) if it.text.isalpha()]
    tables = {split_name(it.parts[-1]): it for it in inquiry.schema.tables}
    mention, database = [it.text.lower() for it in said], inquiry.schema.database
    listed = await similarities(mention, (*WORTH, *DEGREES), _ANY, meaning, _ADJECTIVES) if said else None
    near = await similarities(mention, tuple(tables), database, meaning, _TABLES) if listed is not None else None
    if listed is None or near is None:
        return None
    worth, degree = listed[:, : len(WORTH)], listed[:, len(WORTH) :]
    names = find_names(inquiry)
    for number, word in enumerate(said):
        is_worth, is_degree = worth[number].max() >= ALIKE, degree[number].max() >= SAME
        if not (is_worth or is_degree) or not _may_be_vague(number, said, names) or _is_explained(inquiry, word):
            continue
        translated = (it for it, cosine in zip((*WORTH, *DEGREES), listed[number], strict=True) if cosine >= ALIKE)
        if words(" ".join(translated)) & names:
            continue
        beside = [it for it in (number + 1, number - 1) if 0 <= it < len(said)]
        ends = not re.search(r"\w", inquiry.text[word.end :]) and any(it.folded in _BE_ELSEWHERE for it in said)
        nouns = [it for it in (range(number) if ends else beside) if near[it].max() >= UNLIKE_IN_ANY_LANGUAGE]
        if not nouns:
            continue
        table = list(tables.values())[int(near[nouns[0]].argmax())]
        found = _Described(word, table)
        of_degree = is_degree and degree[number].max() >= worth[number].max()
        adjective = DEGREES[int(degree[number].argmax())]
        asked = _ask_for_limit(inquiry, found, adjective) if of_degree else _ask_for_measure(inquiry, found)
        if asked is not None:
            return asked
    return None


def _is_explained(inquiry: Inquiry, word: Token) -> bool:
    """Whether the message goes on to explain the word: "suspicious claims: settled before they were made"."""
    return re.search(r"[:=(]\s*\w", inquiry.text[word.end :]) is not None


def _ask_for_measure(inquiry: Inquiry, found: _Described) -> Clarification | None:
    """Ask for the measure. The choices are the measures of the described table."""
    word, table = found
    rest, frames = inquiry.stems - {stem_of(word)}, inquiry.frames
    says = (frames.by.format(name="").strip(), frames.number_of.format(name="").strip())
    if rest & SAYS - _RANKED or _SETTLING.search(inquiry.text) or any(f" {it} " in f"{inquiry.text} " for it in says):
        return None
    about_one = any(it.is_sure for it in inquiry.context.linked.values)  # "the best shipment of North"
    if is_settled(inquiry, table, word.text, rest) or (about_one and word.folded in _SUPERLATIVES):
        return None
    names = list_measures(inquiry, table) if table is not None else []
    if table is not None and len(names) < 2 and word.folded in _SUPERLATIVES:
        return None
    return ask_by_measure(inquiry, word.text, names)


def _ask_for_limit(inquiry: Inquiry, found: _Described, adjective: str = "") -> Clarification | None:
    """Ask for the limit. The choices are above or below the average of columns that measure the adjective, if any."""
    if _has_limit(inquiry):
        return None
    names, is_high = _MEASURED[adjective or found.word.folded]
    table = found.table
    columns = [it for it in table.columns if is_measure(table, it) and words(it.name) & names] if table else []
    frame = inquiry.frames.above_average if is_high else inquiry.frames.below_average
    labels = [frame.format(name=it.name.replace("_", " ")) for it in columns[:_MOST_CHOICES]]
    choices = [Choice(label=label, question=inquiry.with_ending(f"({label})")) for label in labels]
    text = inquiry.frames.vague_limit.format(mention=found.word.text)
    meant = inquiry.frames.assumed.format(mention=found.word.text, meant=labels[0]) if labels else ""
    return ask("vague_limit", text, choices, meant)


def _has_limit(inquiry: Inquiry) -> bool:
    """Whether a comparison, or a number that is not a time, sets a limit."""
    text = inquiry.text
    if _SETTLING.search(text):
        return True
    for period in periods_in(text):
        text = text.replace(period.mention, " ")
    numbers = rf"\d|\b(?:{'|'.join(NUMBER_WORDS)})\b"
    return re.search(numbers, text, re.IGNORECASE) is not None


def _only_table(inquiry: Inquiry) -> Table | None:
    """The only table that the question names. If one name is part of another, the longer one counts."""
    named = [it for it in inquiry.named_tables if not any(own_words(it) < own_words(o) for o in inquiry.named_tables)]
    return named[0] if len(named) == 1 else None

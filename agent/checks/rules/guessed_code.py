"""A code that nothing explains: `status = 'P'` for "open", without docs of the codes.

A model guesses what a letter stands for, and its drafts make the same guess. A code is explained by the docs, by the
question, or by a word of the question that it shortens (`P` of "paid"). In a column of countries, `DE` is Germany.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import FLAGS, text_filters
from rag.linking.countries import full_names, hold_country_codes
from rag.words import is_silent, split_name, tokens

_CODE = re.compile(r"[^\W\d_]{1,2}")  # three letters are mostly known: USA, ICU
_SHORT = 3  # most letters of the other values of a column of codes
# Columns whose codes everybody knows.
_KNOWN_CODES = """
    sex gender geschlecht sexe sexo genere country land pays país paese nationality state province language lang
    sprache langue idioma lingua locale size currency unit weekday month airport iata symbol ticker
"""
_KNOWN = frozenset(_KNOWN_CODES.split())


def apply(context: RuleContext) -> Finding | None:
    asked = [it.folded for it in tokens(context.question) if not is_silent(it)]
    linked = {it.value for it in context.values if it.is_sure}
    texts = (*context.known_texts, *(it.text for it in context.documents))
    told = {it.text for text in texts for it in tokens(text) if not is_silent(it)}
    for found in text_filters(context.query, context.schema):
        code, column = found.value, found.column
        commented = {it.text for it in tokens(column.comment) if not is_silent(it)}
        if not _CODE.fullmatch(code) or code in linked | told | commented:
            continue
        if not _are_codes(column.samples) or {it.casefold() for it in column.samples} <= FLAGS:
            continue
        called = split_name(column.name).split()
        if hold_country_codes(called, {*column.samples, code}) and _names_country(context.question, code):
            continue
        if _KNOWN.isdisjoint(called) and not _shortens(code.casefold(), asked):
            return Finding(f"Neither the question nor the docs say what {column.name} = {code!r} means.")
    return None


def _names_country(question: str, code: str) -> bool:
    return any(re.search(rf"\b{re.escape(it)}\b", question, re.IGNORECASE) for it in full_names(code))


def _are_codes(values: Sequence[str]) -> bool:
    """Whether values are short and written in one case, which names are not."""
    short = bool(values) and all(len(it) <= _SHORT for it in values)
    return short and (all(it == it.upper() for it in values) or all(it == it.lower() for it in values))


def _shortens(code: str, asked: list[str]) -> bool:
    """Whether a code is the initials of words, or the first letter of one and a later letter of it."""
    initials = "".join(word[0] for word in asked)
    return code in initials or any(word[0] == code[0] and code[-1] in word[1:] for word in asked)


RULE = Rule("guessed_code", "query", "data", "doubt", apply)

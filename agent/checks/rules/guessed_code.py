"""A code that nothing explains: `status = 'P'` for "open", without docs of the codes.

A model guesses what a letter stands for, and its drafts make the same guess. A code is explained by the docs, by the
question, by a word of the question that it shortens (`P` of "paid"), or by the table that it is a key of, if a text
there has a word of the question. In a column of countries, `DE` is Germany.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.sql.literals import FLAGS, TextFilter, is_text, text_filters
from executors.sql.names.tables import identifier, to_source
from rag.linking.countries import full_names, hold_country_codes
from rag.words import is_silent, split_name, telling_words, tokens, words

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
        if not _KNOWN.isdisjoint(called):
            continue
        is_short = _shortens(code.casefold(), asked)
        counts = _count_unexplained(found, context, is_short=is_short)
        if is_short and not counts:
            continue
        detail = f"Neither the question nor the docs say what {column.name} = {code!r} means."
        if is_short:
            detail = f"The table of the codes describes another code than {code!r} with words of the question."
        return Finding(detail, counts=counts)
    return None


def _count_unexplained(found: TextFilter, context: RuleContext, *, is_short: bool) -> tuple[str, ...]:
    """A query that gives 0 if the table of the codes explains the code (or, for a short form, explains none); else 1.

    A row explains its code if a word in one of its texts begins with a word of the question. Empty if there is no such
    table, or nothing to compare.
    """
    key = next((it for it in found.table.foreign_keys if it.columns == (found.column.name,)), None)
    codes = context.schema.table(key.table) if key is not None else None
    if key is None or codes is None or not key.referenced:
        return ()
    names = words(" ".join(map(split_name, (found.table.name, found.column.name, codes.name))))
    said = [it for it in telling_words(context.question) - names if len(it) >= _SHORT]
    texts = [it for it in codes.columns if is_text(it) and not it.private and it.name not in key.referenced]
    texts = [it for it in texts if "enum" not in it.type.lower()]  # PostgreSQL has no LOWER of one
    named = [exp.Lower(this=exp.column(identifier(it.name, context.schema))) for it in texts]
    likes = [f"{before}{word}%" for before in ("", "% ", "%-") for word in said]
    explains = [column.copy().like(like) for column in named for like in likes]
    if not explains:
        return ()
    is_code = exp.column(identifier(key.referenced[0], context.schema)).eq(found.value)
    own = exp.Count(this=exp.case().when(is_code, "1")) > 0
    fine = own.or_(exp.Count(this=exp.Star()).eq(0)) if is_short else own
    rows = exp.select(exp.case().when(fine, "0").else_("1")).from_(to_source(codes, context.schema))
    return (context.to_sql(rows.where(exp.or_(*explains))),)


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

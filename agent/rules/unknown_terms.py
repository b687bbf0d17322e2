"""Abbreviations of the question that no name, value, comment or document of the database has."""

from __future__ import annotations

import re

from sqlglot import exp

from agent.rules.base import Finding, Rule, RuleContext
from rag.words import telling_words

_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
# The TOTAL price is no abbreviation.
_WORD_IN_CAPITALS = re.compile(r"(?=.{4})(?:[^AEIOUY]{0,2}[AEIOUY]{1,2}[^AEIOUY]{1,2}){1,3}[AEIOUY]?")
_KNOWN_TO_ALL = """
    ad ai all am and any api are asc avg bc by cd ceo count csv desc dvd eu eur for from gb gbp gdp gmt group html
    http id ids in ip is it json kg km kpi ltd max min mom mph mtd new no not null of ok old on or order pc pdf per phd
    pin pm pos qoq qtd sms sql sum top tv two uk un url us usa usd utc vat vip who wow xml yoy ytd zip
"""
_EVERYBODY_KNOWS = frozenset(_KNOWN_TO_ALL.split())


def apply(context: RuleContext) -> Finding | None:
    found = [it for it in _ACRONYM.findall(context.question) if it.casefold() not in _EVERYBODY_KNOWS]
    found = [it for it in found if telling_words(it) and not _WORD_IN_CAPITALS.fullmatch(it)]
    if not found or context.question.isupper():
        return None
    tables = context.schema.tables
    texts = [str(it.this) for it in context.query.find_all(exp.Literal) if it.is_string]
    names = [name for table in tables for name in (table.name, *(it.name for it in table.columns))]
    known = "\n".join((*context.told, *texts, *(it.value for it in context.values), *names, context.said())).casefold()
    unknown = [it for it in dict.fromkeys(found) if not _stands_in(it.casefold(), known)]
    return Finding(f"Nothing explains {', '.join(unknown)}: docs of the database can.") if unknown else None


def _stands_in(acronym: str, text: str) -> bool:
    """Whether a text has an abbreviation, or a line of so many words with these letters: `average_order_value`."""
    begun = r"[^\W_]*(?:_|[^\w\n])+".join(map(re.escape, acronym))
    alone = rf"(?<![^\W_]){re.escape(acronym)}(?![^\W_])" if len(acronym) < 3 else re.escape(acronym)
    return re.search(rf"{alone}|^{begun}[^\W_]*$", text, re.MULTILINE) is not None


RULE = Rule("unknown_terms", "query", "language", "doubt", apply)

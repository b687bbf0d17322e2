"""A code that the docs explain, used instead of the code whose meaning the question names.

With "channel: T = telephone, M = mobile app" documented, a question about the telephone is not asked by 'M'.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Column, Table
from executors.sql.literals import text_filters
from rag.words import words

# `T = telephone`, `T: telephone`, `'T' means telephone`, `T (telephone)`
_MEANS = re.compile(
    r"(?<!\w)['\"`]?(\w{1,12})['\"`]?\s*(?:=|:|->|→|\bmeans\b|\bis\b|\bfor\b|\(|[-–—]\s)\s*(?=([^=,;.|)\n]{2,60}))"
)


def apply(context: RuleContext) -> Finding | None:
    mentioned, filters = words(context.question), text_filters(context.query, context.schema)
    for found in filters:
        codes = codes_of(found.table, found.column, context)
        own = codes.get(found.value.casefold())
        if own is None or words(own) & mentioned:
            continue
        used = {it.value.casefold() for it in filters if it.column is found.column}
        named = [code for code, meaning in codes.items() if words(meaning) and words(meaning) <= mentioned]
        if named and not used & set(named):
            meanings = ", ".join(f"{code.upper()} = {codes[code]}" for code in named)
            return Finding(f"{found.column.name} = {found.value!r} stands for {own}; the docs say {meanings}.")
    return None


def codes_of(table: Table, column: Column, context: RuleContext) -> Mapping[str, str]:
    """The documented codes of a column, in small letters, each with its meaning."""
    about = (it for it in context.documents if it.column == column.name and it.table in {"", table.name})
    stored = {it.casefold() for it in column.samples}
    found: dict[str, str] = {}
    for text in (column.comment, *(it.text for it in about)):
        for code, meaning in _MEANS.findall(text):
            if code.casefold() in stored or code.isupper() or code.isdigit():
                found.setdefault(code.casefold(), meaning.strip(" '\"`"))
    return found


RULE = Rule("contradicted_code", "query", "data", "doubt", apply)

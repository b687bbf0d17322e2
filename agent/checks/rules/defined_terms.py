"""A column by which the docs define a term of the question, and which the query does not read.

With "Overdue loan: not returned, and its due_on is in the past" documented, `due_on < today` alone is not overdue. An
entry that only says what a table holds defines no condition. Of columns joined by "or", one is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Table
from rag.words import telling_words, words

# What a definition says not to read: "use order_date, not ship_date", "net price without VAT"
_UNUSED = re.compile(
    r"(?:\b(?:instead of|rather than|(?:never|do not) use|without(?!\s+\w*_))|, not(?=\s+\w*_))\s+[\w.]+", re.IGNORECASE
)
_EITHER = re.compile(r"\b(?:or|oder|ou|oppure)\b", re.IGNORECASE)
# `Overdue loan: …`, `ADV (Average Daily Volume) = …`
_DEFINES = re.compile(r"(?P<term>[^=:.(\n]{2,60}?)\s*(?:\([^)\n]*\)[^=:.\n]{0,40})?[=:]\s+(?P<by>\S.*)", re.DOTALL)


def apply(context: RuleContext) -> Finding | None:
    read = {it.name.lower() for it in context.query.find_all(exp.Column)}
    tables = [table for select in context.selects for table in context.tables(select).values() if table is not None]
    for document in context.documents:
        found = _DEFINES.match(document.text) if document.kind == "rule" else None
        term = words(found["term"]) if found is not None else frozenset[str]()
        if found is None or any(term <= words(it.name) for it in context.schema.tables):
            continue
        if not _says(context.question, term):
            continue
        columns = list(_columns_in(_UNUSED.sub(" ", found["by"]), tables))
        missing = [name for name in columns if name.lower() not in read]
        if missing and not (_EITHER.search(found["by"]) and len(missing) < len(columns)):
            return Finding(f"The docs define “{found['term']}” by {missing[0]}, which the query does not read.")
    return None


def _says(question: str, term: frozenset[str]) -> bool:
    """Whether the words of a term stand together in the question, with at most one other word: "loans are overdue"."""
    asked = [words(word) for word in question.split()]
    width = len(term) + 1
    return bool(term) and any(term <= frozenset().union(*asked[at : at + width]) for at in range(len(asked)))


def _columns_in(definition: str, tables: list[Table]) -> Iterator[str]:
    """The columns that a definition names, as they are written or in words: `returned_on` is "returned"."""
    said, written = words(definition), {it.lower() for it in re.findall(r"\w+", definition)}
    for table in tables:
        keys = {*table.primary_key, *(it for key in table.foreign_keys for it in key.columns)}
        for column in table.columns:
            own = telling_words(column.name)
            if column.name not in keys and (column.name.lower() in written or (own and own <= said)):
                yield column.name


RULE = Rule("defined_terms", "query", "language", "doubt", apply)

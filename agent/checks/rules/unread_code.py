"""A documented kind that the question names, in a column that the query does not read.

With "medium: B = book, A = audiobook" documented, a count of all titles is no count of books. A word that also names a
table, a column that can be read or a text of the query may mean that. So may one of a period: "monthly revenue".
"""

from __future__ import annotations

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.contradicted_code import codes_of
from rag.words import telling_words, words

_PERIODS = words("hourly daily weekly monthly quarterly yearly annual annually")


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if any(it.is_star for it in query.selects):  # it shows the column
        return None
    tables = {it.name: it for select in context.selects for it in context.tables(select).values() if it is not None}
    columns = [(table, column) for table in tables.values() for column in table.columns]
    texts = [str(it.this) for it in query.find_all(exp.Literal) if it.is_string]
    names = (*texts, *(it.name for it in context.schema.tables), *(column.name for _, column in columns))
    said = telling_words(context.question) - words(" ".join(names)) - _PERIODS
    read = {it.name.lower() for it in query.find_all(exp.Column)}
    for table, column in columns:
        is_read = not column.samples or column.name.lower() in read
        codes = codes_of(table, column, context) if not is_read else {}
        if len(codes) < 2 or codes.keys().isdisjoint(it.casefold() for it in column.samples):
            continue
        named = [it for it, meaning in codes.items() if (telling := telling_words(meaning)) and telling <= said]
        if len(named) == 1:
            means = f"{table.name}.{column.name}: {named[0].upper()} = {codes[named[0]]}"
            return Finding(f"The docs say {means}, and the query does not read that column.")
    return None


RULE = Rule("unread_code", "query", "language", "doubt", apply)

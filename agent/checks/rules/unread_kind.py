"""A kind that the question names, in a column that the query does not read.

With "medium: B = book, A = audiobook" documented, or "nurse" stored in a column `role`, a count of all rows is no count
of books or nurses. A word that also names a table, a column that can be read or a text of the query may mean that. So
may one of a period: "monthly revenue".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from itertools import chain

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.contradicted_code import codes_of
from agent.understanding.clarification.words.wanted import GENERIC
from executors.base import Column, Table
from executors.sql.names.tables import column_of, identifier, to_source
from executors.sql.tree import selects_of
from rag.words import telling_words, words

_PERIODS = words(
    "hourly daily weekly monthly quarterly yearly annual annually hour day week month quarter year weekday"
)
_MOST_KINDS = 30
_SHORT = (3, 4)  # letters of a value that may shorten a word
_ENDING = 2
_OF_ANOTHER = frozenset({"r", "er", "or"})  # a lecturer is no lecture
_SPELLED = frozenset({"exact", "case", "form"})  # how a value is linked by its letters


def apply(context: RuleContext) -> Finding | None:
    query = context.query
    if any(it.is_star for it in query.selects):  # it shows the column
        return None
    tables = {it.name: it for select in context.selects for it in context.tables(select).values() if it is not None}
    columns = [(table, column) for table in tables.values() for column in table.columns if not column.private]
    texts = [str(it.this) for it in query.find_all(exp.Literal) if it.is_string]
    names = (*texts, *(it.name for it in context.schema.tables), *(column.name for _, column in columns))
    said = telling_words(context.question) - words(" ".join(names)) - _PERIODS
    read = {it.name.lower() for it in query.find_all(exp.Column)}
    unread = [(table, column) for table, column in columns if column.samples and column.name.lower() not in read]
    return next(chain(_find_documented(unread, said, context), _find_stored(unread, said, context)), None)


def _find_documented(
    unread: Collection[tuple[Table, Column]], said: frozenset[str], context: RuleContext
) -> Iterator[Finding]:
    for table, column in unread:
        codes = codes_of(table, column, context)
        if len(codes) < 2 or codes.keys().isdisjoint(it.casefold() for it in column.samples):
            continue
        named = [it for it, meaning in codes.items() if (telling := telling_words(meaning)) and telling <= said]
        if len(named) == 1:
            means = f"{table.name}.{column.name}: {named[0].upper()} = {codes[named[0]]}"
            yield Finding(f"The docs say {means}, and the query does not read that column.")


def _find_stored(
    unread: Collection[tuple[Table, Column]], said: frozenset[str], context: RuleContext
) -> Iterator[Finding]:
    places = {(table.name, column.name): (table, column) for table, column in unread}
    linked = [
        (places[it.table, it.column], it.value)
        for it in context.values
        if (it.table, it.column) in places and it.how in _SPELLED and set() < telling_words(it.mention) <= said
    ]
    begun = [(place, it) for place in unread for it in place[1].samples if any(_begins(it, word) for word in said)]
    for (table, column), value in (*linked, *begun):
        if value.isdigit():
            continue
        detail = (
            f"{table.name}.{column.name} holds {value!r}, which the question names, and the query does not read it."
        )
        found = context.change(partial(_keep_kind, table, column, value, context), detail)
        if found is not None and found.sql is not None:
            yield Finding(detail, probes=(context.sql, found.sql), counts=(_count_of_kinds(table, column, context),))


def _begins(value: str, word: str) -> bool:
    """Whether a word is an inflected value, or one that the value shortens: "Rechnungen" of 'Rechnung', `vib`."""
    rest = word.removeprefix(value.casefold())
    if rest == word or len(value) < min(_SHORT):
        return False
    if len(value) in _SHORT:
        return value.islower() and len(rest) > _ENDING and not words(word) <= GENERIC  # 'Mon' is no month
    return len(rest) <= _ENDING and rest not in _OF_ANOTHER


def _keep_kind(table: Table, column: Column, value: str, context: RuleContext, tree: exp.Query) -> Iterator[str]:
    """Leave only rows of the kind, in each SELECT that reads the table."""
    for select in selects_of(tree):
        for alias, source in context.tables(select).items():
            if source is table:
                select.where(column_of(alias, column.name, context.schema).eq(value), copy=False)
                yield alias


def _count_of_kinds(table: Table, column: Column, context: RuleContext) -> str:
    """The query for the number of different values; 0 if they are many, or no two rows share one: names, not kinds."""
    value = exp.column(identifier(column.name, context.schema))
    number = exp.Count(this=exp.Distinct(expressions=[value]))
    kinds = (number <= _MOST_KINDS).and_(exp.Count(this=value.copy()) > number.copy())
    counted = exp.select(exp.case().when(kinds, number.copy()).else_("0"))
    return context.to_sql(counted.from_(to_source(table, context.schema)))


RULE = Rule("unread_kind", "query", "language", "doubt", apply)

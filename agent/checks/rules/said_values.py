"""Stored values that the question names, without a matching text in the query.

A word in small letters means a value of a column of kinds, unless it is a name of the schema: "nitrate samples", with
'Nitrate' among eight parameters. It need not mean one of thousands of names. Any value is meant whose column the query
filters by another one, which the question does not have: `status = 'returned'` for "lost". "ABV" is no value if the
query reads the column "Target Abv", and a condition on a key may stand for any value of its table: `param_cd = 'NO3'`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from executors.base import Schema
from executors.sql.literals import is_text, text_filters
from rag.linking.values import LinkedValue
from rag.words import join_folded, telling_words, tokens, words

_SURE = 0.9  # score from which a stored value is what the question names
LIKELY = 0.7  # the same for a word in small letters that is no name of the schema
_MOST_KINDS = 50  # different values of a column of kinds
# Words of any question: an interval of billing may be called 'year', and a line of a report 'Total'.
_OF_ANY_QUESTION = words(
    "second minute hour day week month quarter year hourly daily weekly monthly quarterly yearly annual today"
    " total sum average mean median maximum minimum count number first last other most least all none yes no"
)


def apply(context: RuleContext) -> Finding | None:
    missing = [repr(it) for it in find_unread_values(context)]
    return Finding(f"The query does not use {', '.join(missing)}, which the question names.") if missing else None


def find_unread_values(context: RuleContext) -> dict[str, list[LinkedValue]]:
    """The stored values that the question names and the query uses neither as a text nor by their code, by the words of
    the question. A value whose code is unknown may be meant by any condition on the key."""
    texts, compared = set(_list_texts(context)), _list_compared(context)

    def is_chosen(value: LinkedValue) -> bool:
        codes = set().union(*(compared.get(it, ()) for it in _list_keys(value.table, context.schema)))
        if value.code is None:
            return bool(codes)
        code = str(value.code.value).casefold()
        return code in codes or (isinstance(value.code.value, str) and code in texts)

    return {name: ones for name, ones in find_unwritten_values(context).items() if not any(map(is_chosen, ones))}


def find_unwritten_values(context: RuleContext) -> dict[str, list[LinkedValue]]:
    """The stored values that the question names and the query has no text of, by the words of the question."""
    texts = _list_texts(context)
    question = f" {join_folded(tokens(context.question))} "
    filters = [it for it in text_filters(context.query, context.schema) if not is_in(it.value, question)]
    swapped = {(it.table.name, it.column.name) for it in filters}
    names = context.query.find_all(exp.Column, exp.Table)
    read = frozenset[str]().union(*(telling_words(it.name) for it in names))
    named: dict[str, list[LinkedValue]] = {}
    for value in context.values:
        if not is_in(value.mention, question) or not value.is_sure:  # a rule of the docs may have it
            continue
        said = telling_words(value.mention)
        is_certain = is_kind(value) if value.mention.islower() else value.score >= _SURE
        if (value.table, value.column) in swapped or (is_certain and not (said and said <= read)):
            named.setdefault(value.mention, []).append(value)
    inside = {one for one in named if any(one != other and one in other for other in named)}  # `York` in `New York`

    others = {it.value.casefold() for it in filters}  # `label = 'City driving'` does not use the kind 'City'

    def is_used(values: list[LinkedValue]) -> bool:
        pairs = ((it, it.value.casefold(), text) for it in values for text in texts)
        return any(a == b or ((a in b or b in a) and not (b in others and is_kind(it))) for it, a, b in pairs)

    return {name: values for name, values in named.items() if name not in inside and not is_used(values)}


def is_kind(value: LinkedValue) -> bool:
    """Whether a word of the question, in small letters, means a value of a column of kinds."""
    is_one = value.score >= LIKELY and 0 < value.among <= _MOST_KINDS
    return is_one and value.mention.islower() and not words(value.mention) <= _OF_ANY_QUESTION


def _list_texts(context: RuleContext) -> list[str]:
    """The texts of a query, in small letters, except those that no number of their column equals: `code = 'Lost'`."""
    unequal = {id(it.literal) for it in text_filters(context.query, context.schema) if not is_text(it.column)}
    literals = (it for it in context.query.find_all(exp.Literal) if it.is_string and id(it) not in unequal)
    return [text for it in literals if (text := str(it.this).casefold().strip("%"))]


def _list_compared(context: RuleContext) -> dict[str, set[str]]:
    """The constants that the query compares with columns, by name: through a CTE, the table is unknown."""
    found = dict[str, set[str]]()
    for condition in context.query.find_all(exp.EQ, exp.NEQ, exp.In):
        sides = [it.unnest() for it in (condition.this, condition.args.get("expression"), *condition.expressions) if it]
        names = [it.name.lower() for it in sides if isinstance(it, exp.Column)]
        constants = {it.sql().strip("'").casefold() for it in sides if isinstance(it, exp.Literal | exp.Neg)}
        for name in names if constants else ():
            found.setdefault(name, set()).update(constants)
    return found


def _list_keys(name: str, schema: Schema) -> Iterator[str]:
    """The columns that choose a row of a table: its key, the columns that others refer to, and theirs."""
    table = schema.table(name)
    yield from map(str.lower, table.primary_key if table is not None and len(table.primary_key) == 1 else ())
    for other in schema.tables:
        for key in other.foreign_keys:
            if key.table.lower() == name.lower() and len(key.columns) == 1:
                yield from map(str.lower, (*key.columns, *key.referenced))


def is_in(text: str, question: str) -> bool:
    """Whether a question, folded and between blanks, has a text word for word."""
    return f" {join_folded(tokens(text))} " in question


RULE = Rule("said_values", "query", "language", "doubt", apply)

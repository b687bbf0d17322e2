"""What the question names and a query does not use: stored values, with their codes, and times that it reads a day of.

A small model cannot know that 'Nitrate' is stored in a table of eight parameters. Told of all stored values, it joins
tables for their sake, so later drafts are told only if a query certainly left one out.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from agent.core.resilience.off_loop import off_loop
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError
from rag.linking.values import Code, LinkedValue
from rag.schema.joins import keyed_of

if TYPE_CHECKING:
    from agent.databases.knowledge.context import Context
    from agent.pipeline.rounds.run import Run

LOOKUP_S = 2.0  # seconds for one code
_MOST_CODES = 5  # values of one query whose code is looked up


async def find_unread(run: Run, sql: str) -> tuple[str, ...]:
    """The words of the question for what a query does not use. Each query is read once."""
    linked = run.context.linked
    if sql not in run.unread and (linked.values or linked.periods):
        run.unread[sql] = await _find(run, sql)
    return run.unread.get(sql, ())


def inform(run: Run) -> Context:
    """The context of a further draft: with the named stored values and times, if a query does not use one of them."""
    unread = set(chain.from_iterable(run.unread.values()))
    if not unread or run.parts.profile.values:
        return run.context
    from agent.checks.rules.said_values import LIKELY
    from agent.databases.knowledge.linking import period_lines, value_lines

    # The others, too: told of one value alone, a small model drops the rest.
    linked, schema = run.context.linked, run.context.db_schema
    named = [it for it in linked.values if it.is_sure and (it.mention in unread or it.score >= LIKELY)]
    lines = (*value_lines(named, schema), *period_lines(linked.periods, schema))
    return run.context.model_copy(update={"values": lines})


async def _find(run: Run, sql: str) -> tuple[str, ...]:
    from sqlglot.errors import SqlglotError

    from agent.checks.rules.base import RuleContext
    from agent.checks.rules.period_as_day import find_period
    from agent.checks.rules.said_values import find_unread_values, find_unwritten_values

    schema, off = keyed_of(run.context.db_schema, run.context.known), run.parts.profile.rules_off
    found = list[str]()
    try:
        context = await off_loop(
            partial(RuleContext.of, sql, schema, question=run.question.text, values=run.context.linked.values)
        )
        if context.tree is None:
            return ()
        if "said_values" not in off and (unwritten := await off_loop(partial(find_unwritten_values, context))):
            await _read_codes(run, schema, chain.from_iterable(unwritten.values()))
            context = replace(context, values=run.context.linked.values)
            found += await off_loop(partial(find_unread_values, context))
        period = await off_loop(partial(find_period, context)) if "period_as_day" not in off else None
    except (SqlglotError, RecursionError):  # nested too deeply, or it cannot be written as SQL again
        return ()
    return (*found, *([period[0]] if period is not None else []))


async def _read_codes(run: Run, schema: Schema, values: Iterable[LinkedValue]) -> None:
    """Read the codes of values into the context, each once: the keys of their rows, where other tables refer to them.

    A value that several rows hold has none. After one that cannot be read, no further one is.
    """
    codes: dict[LinkedValue, Code] = {}
    wanted = [it for it in values if it.code is None and it not in run.coded][:_MOST_CODES]
    with suppress(SqlError, DatabaseUnavailable):
        for value in wanted:
            run.coded.add(value)
            if not (column := _find_key(value, schema)):
                continue
            sql = await off_loop(partial(_write_query, value, column, schema))
            rows = (await run.database.run(await run.database.check(sql, 2), timeout_s=LOOKUP_S)).rows
            if len(rows) == 1 and isinstance(key := rows[0][0], str | int) and not isinstance(key, bool):
                codes[value] = Code(column, key)
    if codes:
        linked = run.context.linked
        coded = tuple(it._replace(code=codes.get(it, it.code)) for it in linked.values)
        run.context = run.context.model_copy(update={"linked": linked.model_copy(update={"values": coded})})


def _find_key(value: LinkedValue, schema: Schema) -> str:
    """The column by which other tables refer to the row that holds a value. Empty if there is none, if there are
    several, if it is private, or if it holds the value itself."""
    table = schema.table(value.table)
    keys = (key for it in schema.tables for key in it.foreign_keys if key.table.lower() == value.table.lower())
    referenced = {it.referenced for it in keys}
    names = referenced.pop() if len(referenced) == 1 else ()
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    return "" if column is None or column.private or column.name == value.column else column.name


def _write_query(value: LinkedValue, column: str, schema: Schema) -> str:
    """The query for the keys of the rows that hold a value."""
    from sqlglot import exp

    from executors.sql.grammar import write
    from executors.sql.names.tables import identifier, to_source

    table = schema.table(value.table)
    assert table is not None  # noqa: S101  it has the key
    own, text = (exp.column(identifier(it, schema)) for it in (column, value.column))
    query = exp.select(own).distinct().from_(to_source(table, schema)).where(text.eq(exp.Literal.string(value.value)))
    return write(query, DIALECTS[schema.dialect].sqlglot)

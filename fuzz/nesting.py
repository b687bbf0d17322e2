"""Nesting and repetition of every construct of every dialect: no text blocks the service.

The guard reads it in a separate process with a CPU limit. All other steps read a query on the event loop: the loop's
longest block and its memory are bounded.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from hypothesis import strategies as st
from sqlglot.dialects.dialect import Dialect as SqlglotDialect

from agent.checks.rules.repair import find_repair
from agent.core.models import Draft
from agent.pipeline.steps.plan import plan_of
from agent.present.explain.query import explain
from bench.loop_blocks import LoopBlocks
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind, SqlRefused
from executors.records.raw_records import derive
from executors.workers import checking
from fuzz.cases import Case, Check, Target
from fuzz.shop import shop_schema

MAX_BLOCK_S = 1.0  # of the loop's own computing; a nested form that doubles takes minutes
MAX_GROWTH = 400 * 1024 * 1024
_MOST = 4_000  # characters
_OPENED = (
    "(",
    "[",
    "{",
    "({'a': ",
    "(1, ",
    "(x -> ",
    "(DISTINCT ",
    "(SELECT ",
    " (",
    "<",
    "::",
    " -> (",
    " ",
    ".",
    " THEN ",
)
_BESIDE = ("", ", 1", " AS INT", ", 1, 'a'", " FROM a", " AS a", " END")
_PLACES = (
    *("SELECT {it} FROM orders", "SELECT id FROM orders WHERE {it} = 1", "SELECT * FROM {it}", "{it}"),
    *("SELECT 1 FROM orders GROUP BY {it}", "WITH c AS (SELECT {it} AS x) SELECT sum(x) FROM c"),
)
_CLOSES = {"(": ")", "[": "]", "{": "}", "<": ">"}


@lru_cache
def constructs(dialect: str) -> tuple[str, ...]:
    """Every word that the dialect's grammar knows: functions, types, keywords and signs."""
    spoken = SqlglotDialect.get_or_raise(DIALECTS[dialect].sqlglot)
    parser, tokenizer = spoken.parser_class, spoken.tokenizer_class
    return tuple(sorted({*parser.FUNCTIONS, *parser.FUNCTION_PARSERS, *tokenizer.KEYWORDS, "", "f", "a", "1", "'a'"}))


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    dialect = draw(st.sampled_from(sorted(DIALECTS)))
    pieces = draw(
        st.lists(st.tuples(st.sampled_from(constructs(dialect)), st.sampled_from(_OPENED)), min_size=1, max_size=2)
    )
    opening = "".join(f"{word}{sign}" for word, sign in pieces)
    closing = "".join(_CLOSES[sign] for sign in reversed(opening) if sign in _CLOSES)
    beside, times = draw(st.sampled_from(_BESIDE)), draw(st.sampled_from((8, 14, 25, 50, 400)))
    nested = opening * times + draw(st.sampled_from(("1", "id", "'a'", "*"))) + (beside + closing) * times
    if draw(st.booleans()):
        one = opening + "1" + beside + closing
        nested = draw(st.sampled_from((", ", " + ", " AND ", " UNION ALL SELECT ", " JOIN ", " "))).join([one] * times)
    return Case(dialect, draw(st.sampled_from(_PLACES)).format(it=nested)[:_MOST])


def check(case: Case) -> None:
    """Raises AssertionError where a query takes longer, or more, than any may."""
    schema = shop_schema(case.kind)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        checking.check(case.text, schema, row_limit=50)
    except checking.TakesTooLong as error:
        raise AssertionError("the guard's process had to be ended") from error
    except SqlRefused:
        pass
    with LoopBlocks() as blocks:
        asyncio.run(_look(case))
    assert blocks.longest < MAX_BLOCK_S, f"the loop was blocked for {blocks.longest:.1f} s by {blocks.longest_by}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MAX_GROWTH, f"{grown:,} bytes of memory"


async def _look(case: Case) -> None:
    """The steps of a question that read a query, each as one block of the loop."""
    name, schema = DIALECTS[case.kind].sqlglot, shop_schema(case.kind)
    steps: list[Callable[[], object]] = [
        lambda: plan_of(case.text, case.text, case.kind),
        lambda: explain(case.text, case.kind),
        lambda: derive(case.text, name),
    ]
    kinds = (ErrorKind.COLUMN_NOT_FOUND, ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.GROUPING)
    for step in steps:
        await asyncio.sleep(0)
        step()
    for kind in kinds:
        await asyncio.sleep(0)
        find_repair(Draft(sql=case.text), kind, schema)


@contextmanager
def _opened() -> Iterator[Check]:
    yield check


TARGET = Target("nesting", tuple(sorted(DIALECTS)), _cases(), _opened)

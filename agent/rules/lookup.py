"""Are the texts that a query filters on stored in their columns? Where not: what is stored there that is like them?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agent.core.models import Check
from agent.core.off_loop import off_loop
from executors.base import Column, Frozen, Schema, Table
from executors.errors import DatabaseUnavailable, SqlError

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.databases.database import Database

NAME = "filter_values"
MAX_LITERALS = 5
MAX_NEAREST = 3
VALUES_READ = 2000

Key = tuple[str, str, str]


class LookedUp(Frozen):
    """What became of looking up a query's texts.

    missing: by table, column and text, what is stored that is nearest to a text which is not; the best first.
    same: by those, the one stored value that differs in case, accents and punctuation alone.
    """

    check: Check
    missing: dict[Key, tuple[str, ...]] = {}
    same: dict[Key, str] = {}


async def look_up(tree: exp.Query, schema: Schema, database: Database) -> LookedUp:
    """Does every text that the query filters on exist in its column? The nearest stored values where it does not.

    Only `column = 'text'` and `column IN ('text', ...)` on real tables are looked up, five at most, each by one
    bounded query through the same guard as every other. Where such a query fails, the check could not be made.
    """
    from executors.sql.literals import text_filters

    filters = list({it.key: it for it in await off_loop(partial(text_filters, tree, schema))}.values())
    if not filters:
        return LookedUp(check=Check(name=NAME, passed=True, detail="No text is filtered on."))
    problems, unmade = list[str](), ""
    missing: dict[Key, tuple[str, ...]] = {}
    same: dict[Key, str] = {}
    for found in filters[:MAX_LITERALS]:
        try:
            stored = await _stored_like(found.table, found.column, found.value, schema, database)
        except (SqlError, DatabaseUnavailable) as error:  # one that is too slow is not followed by four more
            unmade = f"{found.table.name}.{found.column.name} could not be searched for {found.value!r}: {error}"
            break
        if stored is None:
            continue
        missing[found.key], alike = stored
        same |= {found.key: alike} if alike is not None else {}
        nearest = f"; nearest stored: {', '.join(map(repr, stored[0]))}" if stored[0] else ""
        problems.append(f"{found.table.name}.{found.column.name} holds no {found.value!r}{nearest}.")
    detail = " ".join(problems) or unmade or "Every text that is filtered on is stored in its column."
    passed = False if problems else None if unmade else True
    return LookedUp(check=Check(name=NAME, passed=passed, detail=detail), missing=missing, same=same)


async def _stored_like(
    table: Table, column: Column, value: str, schema: Schema, database: Database
) -> tuple[tuple[str, ...], str | None] | None:
    """None when the value is stored; else the nearest stored values, and the one that is the same but for its form."""
    if value in column.samples:
        return None
    from rapidfuzz import fuzz, process, utils
    from sqlglot import exp

    from executors.dialects.table import DIALECTS
    from executors.sql.literals import same_text

    name = exp.column(column.name, quoted=True)
    *namespace, last = table.parts
    from_ = exp.table_(last, db=namespace[0] if namespace else None, quoted=True)
    source = exp.select(name).distinct().from_(from_)
    dialect = DIALECTS[schema.dialect].sqlglot
    exact = await database.check(source.where(name.eq(value)).sql(dialect=dialect), 1)
    if (await database.run(exact)).rows:
        return None
    some = await database.run(await database.check(source.sql(dialect=dialect), VALUES_READ))
    texts = [row[0] for row in some.rows if isinstance(row[0], str)]
    found = process.extract(value, texts, scorer=fuzz.WRatio, processor=utils.default_process, limit=MAX_NEAREST)
    alike = [text for text in texts if same_text(text, value)]
    only = alike[0] if len(alike) == 1 and not some.truncated else None
    return tuple(text for text, score, _ in found if score >= 60), only

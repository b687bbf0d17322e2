"""Are the texts that a query filters on stored in their columns? Where not: which stored value is meant?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.models import Check
from executors.base import Column, Frozen, Schema, Table
from executors.errors import DatabaseUnavailable, SqlError

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.database import Database

NAME = "filter_values"
MAX_LITERALS = 5
MAX_NEAREST = 3
VALUES_READ = 2000

Key = tuple[str, str, str]


class LookedUp(Frozen):
    """What became of looking up a query's texts.

    meant: by table, column and text, the one stored value that a text which is not stored can mean.
    missing: texts that are not stored, those in `meant` included.
    """

    check: Check
    meant: dict[Key, str] = {}
    missing: tuple[Key, ...] = ()


async def look_up(tree: exp.Query, schema: Schema, database: Database) -> LookedUp:
    """Does every text that the query filters on exist in its column? The nearest stored values where it does not.

    Only `column = 'text'` and `column IN ('text', ...)` on real tables are looked up, five at most, each by one
    bounded query through the same guard as every other. Where such a query fails, the check could not be made.
    """
    from executors.sql.literals import text_filters

    filters = list({found.key: found for found in text_filters(tree, schema)}.values())
    if not filters:
        return LookedUp(check=Check(name=NAME, passed=True, detail="No text is filtered on."))
    told: list[str] = []
    meant: dict[Key, str] = {}
    missing: list[Key] = []
    unmade = ""
    for found in filters[:MAX_LITERALS]:
        try:
            stored = await _stored_like(found.table, found.column, found.value, schema, database)
        except (SqlError, DatabaseUnavailable) as error:  # one that is too slow is not followed by four more
            unmade = f"{found.table.name}.{found.column.name} could not be searched for {found.value!r}: {error}"
            break
        if stored is None:
            continue
        near, value = stored
        missing.append(found.key)
        meant |= {found.key: value} if value is not None else {}
        nearest = f"; nearest stored: {', '.join(map(repr, near))}" if near else ""
        told.append(f"{found.table.name}.{found.column.name} holds no {found.value!r}{nearest}.")
    if told:
        check = Check(name=NAME, passed=False, detail=" ".join(told))
    elif unmade:
        check = Check(name=NAME, passed=None, detail=unmade)
    else:
        check = Check(name=NAME, passed=True, detail="Every text that is filtered on is stored in its column.")
    return LookedUp(check=check, meant=meant, missing=tuple(missing))


async def _stored_like(
    table: Table, column: Column, value: str, schema: Schema, database: Database
) -> tuple[list[str], str | None] | None:
    """None when the value is stored; else the nearest stored values, best first, and the one that is meant."""
    if value in column.samples:
        return None
    from rapidfuzz import fuzz, process, utils
    from sqlglot import exp

    from executors.dialects import DIALECTS
    from executors.sql.literals import meant_value

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
    meant = None if some.truncated else meant_value(value, texts)  # of all values only one may fit
    return [text for text, score, _ in found if score >= 60], meant

"""Two tables joined on keys of different things: `hotels.hotel_id = reviews.booking_id`.

A table of details may share the key of another table without a declared foreign key. So if no key relates the two
tables, the join is doubted only if one side is a foreign key, and either foreign keys refer to the keys of both sides,
or the other table has a foreign key of the same name to the same table: `screenings.id = scores.film_id`, beside a
foreign key `screenings.film_id`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from agent.checks.rules.base import Finding, Rule, RuleContext
from agent.checks.rules.reading import Place, equal_columns, owner_alias
from executors.base import Table
from executors.sql.names.tables import edges

_ANY_KEY = frozenset({"id", "key", "code", "no"})  # keys of any table have these names, so equal names mean nothing


def apply(context: RuleContext) -> Finding | None:
    for select in context.selects:
        tables = context.tables(select)
        for one, other in sorted(equal_columns(select, tables)):
            mine, theirs = (_find_origin(select, side, tables, context) for side in (one, other))
            if mine is None or theirs is None or mine[0] is theirs[0]:
                continue
            if one[1] == other[1] and one[1] not in _ANY_KEY:
                continue  # with a distinctive name, both are the same key
            here, there = _list_meanings(*mine, context), _list_meanings(*theirs, context)
            refers = any(it - {(table.name.lower(), name)} for it, (table, name) in ((here, mine), (there, theirs)))
            known = refers and _is_referred_to(here, context) and _is_referred_to(there, context)
            joined = any(edge.to is theirs[0] for edge in edges(mine[0].name, context.schema))
            passed_by = refers and (
                _refers_to(mine[0], theirs, there, context) or _refers_to(theirs[0], mine, here, context)
            )
            if here and there and not here & there and (known or joined or passed_by):
                return Finding(f"No key relates {' = '.join('.'.join(side) for side in (one, other))}.")
    return None


def _find_origin(
    select: exp.Select, side: Place, tables: Mapping[str, Table | None], context: RuleContext
) -> tuple[Table, str] | None:
    """The table and the column that one side of a join reads, also through a subquery in FROM."""
    alias, column = side
    table = tables.get(alias)
    if table is not None:
        return table, column
    for source in [part.this for part in (select.args.get("from_"), *(select.args.get("joins") or ())) if part]:
        inner = source.this if isinstance(source, exp.Subquery) and source.alias.lower() == alias else None
        for item in inner.selects if isinstance(inner, exp.Select) else ():
            passed = item.unalias()
            if (
                item.alias_or_name.lower() == column
                and isinstance(passed, exp.Column)
                and isinstance(inner, exp.Select)
            ):
                read = context.tables(inner)
                owner = passed.table.lower() or owner_alias(passed, read)
                return _find_origin(inner, (owner, passed.name.lower()), read, context) if owner else None
    return None


def _list_meanings(table: Table, column: str, context: RuleContext) -> set[tuple[str, str]]:
    """The keys whose values a column holds, as (table, column) in lower case: its own, and those that it refers to."""
    found: set[tuple[str, str]] = set()
    own = (table.name.lower(), column)
    if column in {it.lower() for it in table.primary_key} or _is_referred_to({own}, context):
        found.add(own)
    open_places = [(table, column)]
    while open_places:
        at, name = open_places.pop()
        for key in at.foreign_keys:
            for here, there in zip(key.columns, key.referenced, strict=False):
                place = (key.table.lower(), there.lower())
                if here.lower() == name and place not in found:
                    found.add(place)
                    open_places += [(it, place[1]) for it in context.schema.tables_named(key.table)]
    return found


def _refers_to(table: Table, other: tuple[Table, str], meanings: set[tuple[str, str]], context: RuleContext) -> bool:
    """Whether the join passes by a foreign key of a table, called as the other side is, that holds the same keys."""
    columns = {column.lower() for key in table.foreign_keys for column in key.columns} & {other[1]}
    return any(_list_meanings(table, column, context) & meanings for column in columns)


def _is_referred_to(meanings: set[tuple[str, str]], context: RuleContext) -> bool:
    """Whether a foreign key of the schema refers to one of these keys."""
    keys = (key for table in context.schema.tables for key in table.foreign_keys)
    return any((key.table.lower(), there.lower()) in meanings for key in keys for there in key.referenced)


RULE = Rule("unrelated_keys", "query", "schema", "doubt", apply)

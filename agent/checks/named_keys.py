"""Keys where names are asked for: `eye_colour_id` for "the eye colours of the heroes".

A foreign key's number tells nobody anything. Where a question speaks of what it leads to, and not of an id, the name
that the other table has for it is selected in its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from agent.checks.asked_columns import ENGLISH, KEYED
from executors.base import Schema, Table
from rag.words import words

if TYPE_CHECKING:
    from sqlglot import exp

_KEY_NAME = re.compile(r"_?(?:id|key|fk)$|(?<=[a-z])I[dD]$", re.IGNORECASE)


class _Named(NamedTuple):
    """A selected key: the item, its column and table; the table that it leads to, the key there, and what names it."""

    item: exp.Expr
    column: exp.Column
    table: Table
    nullable: bool
    to: Table
    referenced: str
    label: str


def name_keys(tree: exp.Query, question: str, schema: Schema) -> list[str]:
    """Select names for bare keys in a tree's outermost SELECT; what was changed, one part of a sentence each.

    Args:
        tree: that is changed; left as it is where it is no plain SELECT.
        question: as asked; one that speaks of ids, codes or numbers wants them.
        schema: whose keys are known.
    """
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or not ENGLISH.search(question) or KEYED.search(question):
        return []
    said = words(question)
    named = [found for item in tree.expressions if (found := _named(item, said, schema)) is not None]
    return [change for it in named if (change := _select_name(tree, it, schema))]


def _named(item: exp.Expr, said: frozenset[str], schema: Schema) -> _Named | None:
    from sqlglot import exp

    from executors.sql.literals import is_text, owner_of

    column = item.unalias()
    owner = owner_of(column, schema) if isinstance(column, exp.Column) else None
    if owner is None or not isinstance(column, exp.Column) or not _KEY_NAME.search(column.name) or is_text(owner[1]):
        return None
    table, own = owner
    keys = [key for key in table.foreign_keys if key.columns == (own.name,)]
    to = schema.table(keys[0].table) if len(keys) == 1 else None
    if to is None or to is table:
        return None
    spoken = words(f"{_KEY_NAME.sub('', own.name)} {to.parts[-1]}")
    label = _label(to)
    if label is None or not spoken & said:
        return None
    return _Named(item, column, table, own.nullable, to, keys[0].referenced[0], label)


def _label(table: Table) -> str | None:
    """The one column that names a table's rows: its only text, or the one called name, title or as the table."""
    from executors.sql.literals import is_text

    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    texts = [it.name for it in table.columns if is_text(it) and it.name not in keys and not it.private]
    own = table.parts[-1].lower()
    called = {"name", "title", own, own.removesuffix("s"), *(f"{it}_name" for it in (own, own.removesuffix("s")))}
    fitting = [name for name in texts if name.lower() in called]
    return texts[0] if len(texts) == 1 else fitting[0] if len(fitting) == 1 else None


def _select_name(tree: exp.Select, it: _Named, schema: Schema) -> str | None:
    from sqlglot import exp

    from executors.sql.mend import tables_of

    tables = tables_of(tree, schema)
    source = it.column.table or next(alias for alias, table in tables.items() if table is it.table)
    key = exp.column(it.column.this.copy(), table=source)
    alias = next((name for name, table in tables.items() if table is it.to and _joined_by(tree, name, key, it)), None)
    if alias is None:
        alias = it.to.parts[-1]
        if alias.lower() in {name.lower() for name in tables}:
            return None
        *namespace, name = it.to.parts
        on = exp.EQ(this=key, expression=exp.column(it.referenced, table=alias))
        joined = exp.table_(name, db=namespace[0] if namespace else None)
        if any(column.table == "" for column in tree.find_all(exp.Column)) and len(tables) == 1:
            _qualify(tree, source)
        tree.join(joined, on=on, join_type="left" if it.nullable else "", copy=False)
    label = exp.column(it.label, table=alias)
    before = it.item.sql()
    group = tree.args.get("group")
    if group is not None and any(one == it.item.unalias() for one in group.expressions):
        group.append("expressions", label.copy())
    for ordered in tree.args["order"].expressions if tree.args.get("order") else ():
        if ordered.this == it.item.unalias():
            ordered.set("this", label.copy())
    it.item.unalias().replace(label)
    return f"{before} -> {label.sql()}"


def _joined_by(tree: exp.Select, alias: str, key: exp.Column, it: _Named) -> bool:
    """Whether a table is already read by the very key."""
    from sqlglot import exp

    wanted = {(key.table.lower(), key.name.lower()), (alias.lower(), it.referenced.lower())}
    for join in tree.args.get("joins") or []:
        on = join.args.get("on")
        pair = on.unnest() if on is not None else None
        if isinstance(pair, exp.EQ) and {_place(pair.this), _place(pair.expression)} == wanted:
            return True
    return False


def _place(node: exp.Expr) -> tuple[str, str]:
    return getattr(node, "table", "").lower(), node.name.lower()


def _qualify(tree: exp.Select, source: str) -> None:
    """Say of which table the columns are, now that a second one is read."""
    from sqlglot import exp

    aliases = {item.alias for item in tree.expressions if item.alias}
    for column in tree.find_all(exp.Column):
        if not column.table and column.find_ancestor(exp.Select) is tree and column.name not in aliases:
            column.set("table", exp.to_identifier(source))

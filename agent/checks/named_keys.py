"""Keys where names are asked for: `eye_colour_id` for "the eye colours of the heroes".

A foreign key's number tells nobody anything. Where a question speaks of what it leads to, and not of an id, the name
that the other table has for it is selected in its place. Keys may be guessed, or not enforced, so no row is lost for
want of a name; and rows that share a name stay apart where they were grouped by the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent.checks.asked_columns import KEYED
from agent.checks.key_names import KEY_NAME
from agent.clarify.languages import is_english
from executors.base import Schema, Table
from rag.words import words

if TYPE_CHECKING:
    from sqlglot import exp


class _Named(NamedTuple):
    """A selected key: the item, its column and table; the table that it leads to, the key there, and what names it."""

    item: exp.Expr
    column: exp.Column
    table: Table
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

    if not isinstance(tree, exp.Select) or not is_english(question) or KEYED.search(question):
        return []
    said = words(question)
    named = [found for item in tree.expressions if (found := _named(item, said, schema)) is not None]
    return [change for it in named if (change := _select_name(tree, it, schema))]


def _named(item: exp.Expr, said: frozenset[str], schema: Schema) -> _Named | None:
    from sqlglot import exp

    from executors.sql.literals import is_text, owner_of

    column = item.unalias()
    owner = owner_of(column, schema) if isinstance(column, exp.Column) else None
    if owner is None or not isinstance(column, exp.Column):
        return None
    table, own = owner
    if own.private or is_text(own):  # a name would tell more of whom a private key is than the key
        return None
    keys = [key for key in table.foreign_keys if key.columns == (own.name,)]
    to = schema.table(keys[0].table) if len(keys) == 1 else None
    if to is None or to is table or not _is_key(keys[0].referenced, to) or not _is_called_a_key(own.name, to):
        return None
    spoken = words(f"{KEY_NAME.sub('', own.name)} {to.parts[-1]}")
    label = _label(to)
    if label is None or not spoken & said:
        return None
    return _Named(item, column, table, to, keys[0].referenced[0], label)


def _is_called_a_key(name: str, to: Table) -> bool:
    """Whether a column is named as keys are, or as the table that it leads to: `country` for the number of one."""
    return KEY_NAME.search(name) is not None or name.lower() in _own_names(to)


def _own_names(table: Table) -> tuple[str, str]:
    own = table.parts[-1].lower()
    return own, own.removesuffix("s")


def _is_key(referenced: Sequence[str], table: Table) -> bool:
    """Whether one value of what a key leads to is one row: docs may tell of joins where it is not."""
    if table.primary_key:
        return [it.lower() for it in referenced] == [it.lower() for it in table.primary_key]
    return len(referenced) == 1 and referenced[0].lower() in {"id", *(f"{it}_id" for it in _own_names(table))}


def _label(table: Table) -> str | None:
    """The one column that names a table's rows: called name, title or as the table, or the only text that may be one.

    That is the text of a table which has nothing else beside its keys, or one called so-and-so's name: the only text of
    orders is no name of them where it is their status.
    """
    from executors.sql.literals import is_text

    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    others = [it for it in table.columns if it.name not in keys and not (it.name.lower() == "id" and not is_text(it))]
    texts = [it for it in others if is_text(it)]
    own = _own_names(table)
    called = {"name", "title", *own, *(f"{it}_name" for it in own)}
    fitting = [it for it in texts if it.name.lower() in called]
    if not fitting and len(texts) == 1 and (len(others) == 1 or texts[0].name.lower().endswith("name")):
        fitting = texts
    return fitting[0].name if len(fitting) == 1 and not fitting[0].private else None


def _select_name(tree: exp.Select, it: _Named, schema: Schema) -> str | None:
    from sqlglot import exp

    from executors.sql.mend import tables_of
    from executors.sql.tables import called, column_of, named

    tables = tables_of(tree, schema)
    source = it.column.table or next(alias for alias, table in tables.items() if table is it.table)
    key = it.column.copy()
    key.set("table", called(source, schema))
    alias = next((name for name, table in tables.items() if table is it.to and _joined_by(tree, name, key, it)), None)
    groups = _groups_by(tree, it.item)
    if groups is None:
        return None
    if alias is None:
        alias = it.to.parts[-1]
        if not _may_join(tree, alias, tables) or not _qualify(tree, it.to, schema):
            return None
        on = exp.EQ(this=key.copy(), expression=column_of(alias, it.referenced, schema))
        tree.join(named(it.to, schema), on=on, join_type="left", copy=False)
    label, before = column_of(alias, it.label, schema), it.item.sql()
    for group in groups:
        group.replace(key.copy())
    if groups:
        tree.args["group"].append("expressions", label.copy())
    for ordered in tree.args["order"].expressions if tree.args.get("order") else ():
        if _same(ordered.this, it.item.unalias()):
            ordered.set("this", label.copy())
    it.item.unalias().replace(label)
    return f"{before} -> {label.sql()}"


def _groups_by(tree: exp.Select, item: exp.Expr) -> list[exp.Expr] | None:
    """Where a SELECT groups by an item: by its column, alias or place; None where it groups, and not so."""
    from sqlglot import exp

    group = tree.args.get("group")
    if group is None:
        return []
    place = next(n for n, one in enumerate(tree.expressions, 1) if one is item)
    found = [
        one
        for one in group.expressions
        if _same(one, item.unalias())
        or (isinstance(one, exp.Column) and not one.table and one.name.lower() == item.alias.lower())
        or (isinstance(one, exp.Literal) and one.is_int and int(one.this) == place)
    ]
    return found or None


def _same(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether two columns are the same, one of which may not say of which table it is."""
    from sqlglot import exp

    if not isinstance(one, exp.Column) or not isinstance(other, exp.Column) or one.name.lower() != other.name.lower():
        return False
    return not one.table or not other.table or one.table.lower() == other.table.lower()


def _may_join(tree: exp.Select, alias: str, tables: Mapping[str, Table | None]) -> bool:
    """Whether a table can be joined by its own name: nothing else goes by it, and no comma keeps others from ON."""
    from sqlglot import exp

    ctes = {cte.alias_or_name.lower() for cte in tree.root().find_all(exp.CTE)}
    commas = any(
        not any(it.args.get(how) for how in ("on", "using", "kind", "method")) for it in tree.args.get("joins") or []
    )
    return not commas and alias.lower() not in {*ctes, *(name.lower() for name in tables)}


def _qualify(tree: exp.Select, added: Table, schema: Schema) -> bool:
    """Say of which table columns are, now that one more is read; False, and nothing changed, where none can tell."""
    from sqlglot import exp

    from executors.sql.literals import owner_of
    from executors.sql.mend import tables_of
    from executors.sql.tables import called

    aliases = {item.alias.lower() for item in tree.expressions if item.alias}
    by_name = {table.name: alias for alias, table in tables_of(tree, schema).items() if table is not None}
    tables: list[tuple[exp.Column, str]] = []
    for column in tree.find_all(exp.Column):
        if column.table or isinstance(column.this, exp.Star):
            continue
        if column.name.lower() in aliases and column.find_ancestor(exp.Order, exp.Group, exp.Having) is not None:
            continue
        owner = owner_of(column, schema)
        inside = column.find_ancestor(exp.Select) is not tree
        if inside and added.column(column.name) is None:
            continue
        if owner is None or (inside and owner[0].name in by_name):
            return False
        if not inside:
            tables.append((column, by_name[owner[0].name]))
    for column, alias in tables:
        column.set("table", called(alias, schema))
    return True


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

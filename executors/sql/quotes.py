"""Quotes all names, so that no engine can read one as a keyword."""

from __future__ import annotations

from sqlglot import exp

from executors.dialects.row import Dialect, NameCase
from executors.sql import grammar

# Where a name stands, by the node that holds it. Names elsewhere (of functions, types, collations, parameters of
# lambdas, windows, pivots) are words of the engine, or are read in one place alone.
_PLACES: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Column: ("this", "table", "db", "catalog"),
    exp.Table: ("this", "db", "catalog"),
    exp.Alias: ("alias",),
    exp.TableAlias: ("this", "columns"),
    exp.Join: ("using",),
    exp.Schema: ("expressions",),
}
_TITLE_CHARS = {NameCase.UPPER: 30, NameCase.ANY: 250, NameCase.EXACT: 250}  # the longest name that each version takes
_WORDS = frozenset({"all"})  # LIMIT ALL, ORDER BY ALL: the parser takes the word for a column


def with_quotes(tree: exp.Expr, dialect: Dialect, *, every: bool) -> exp.Expr:
    """A copy of a checked tree whose names are in quotes, each spelled as the engine looks it up without them.

    Args:
        every: quote all of them, for what runs. Else those that the engine demands, for what people read.
    """
    tree = tree.copy()
    if every and dialect.named_by_text:
        _keep_titles(tree, dialect)
    for node in tree.walk():
        for place in _PLACES.get(type(node), ()):
            found = node.args.get(place)
            for name in found if isinstance(found, list) else [found]:
                if isinstance(name, exp.Identifier) and not name.args.get("quoted"):
                    _quote(name, node, dialect, every=every)
    return tree


def _keep_titles(tree: exp.Expr, dialect: Dialect) -> None:
    """Give what has no name the one that the engine gives it: its text, in which no quotes are to turn up."""
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            if not item.output_name and not item.is_star and item.find(exp.Identifier):
                title = dialect.fold(grammar.write(item, dialect.sqlglot))
                if len(title) <= _TITLE_CHARS[dialect.case] and dialect.quote[1] not in title:
                    item.replace(exp.alias_(item.copy(), exp.to_identifier(title, quoted=True)))


def _quote(name: exp.Identifier, node: exp.Expr, dialect: Dialect, *, every: bool) -> None:
    if not every and not dialect.is_reserved(name.name):
        return
    lower = name.name.lower()
    if isinstance(node, exp.Column) and not node.table and lower in dialect.row_ids | _WORDS:
        return
    if isinstance(node, exp.Table) and lower == dialect.one_row_table:
        return
    name.set("this", dialect.fold(name.name))
    name.set("quoted", True)

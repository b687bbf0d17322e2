"""Parses SQL to a tree and generates it again, without changing it.

sqlglot translates between dialects: it parses `strftime`, `date_trunc` or `isnull` by meaning, and generates an
equivalent. Here both sides are the same dialect. So a function keeps its name and arguments as written, and the guard
can compare that name with the engine's documentation. A cast keeps its type as written, because SQLite derives integer
or real division from it. Each package of `executors.engines` has its own `grammar`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.tokenizer_core import Token

from executors.dialects.row import Dialect, NameCase
from executors.sql import bounded

ADDED: dict[str, SqlglotDialect] = {}  # grammars of extensions; see `executors.extend`


# sqlglot's name of a dialect -> the package of its engine, if they differ
ENGINES = {"postgres": "postgresql", "tsql": "sqlserver"}


@cache
def plain(dialect: str) -> SqlglotDialect:
    """The grammar that keeps a dialect as written, from its module. Args: dialect: `Dialect.sqlglot` of its row."""
    if dialect in ADDED:
        return ADDED[dialect]
    found: SqlglotDialect = import_module(f"executors.engines.{ENGINES.get(dialect, dialect)}.grammar").PLAIN
    return found


RUN_COMMENT = "A comment that the server would run is not allowed"

# Quotes that can only enclose a name, for engines whose usual quotes may also enclose a string.
_NEVER_TEXT = {"sqlite": "`"}


def tokenize(sql: str, dialect: str) -> list[Token]:
    """The tokens of `sql`. Args: dialect: sqlglot's name of the dialect.
    Raises TokenError: a string or comment does not end; TooMuchToRead."""
    try:
        return bounded.tokens_of(sql, plain(dialect))
    except bounded.STUMBLES as error:
        raise TokenError(f"Not SQL: {error}") from error


def parse(tokens: list[Token], sql: str, dialect: str) -> list[exp.Expr]:
    """The statements in `tokens`. None of them is parsed partially.

    Raises ParseError: it is not a query, or continues after its end; TooMuchToRead, RecursionError: it is nested too
    deeply.
    """
    parser = plain(dialect).parser(error_level=ErrorLevel.RAISE)
    return [tree for tree in parser.parse(tokens, sql) if tree and not isinstance(tree, exp.Semicolon)]


def write(tree: exp.Expr, dialect: str, *, spent: bool = False, exact: bool = False) -> str:
    """One line of SQL for `tree`, without comments.

    Args: spent: whether the tree may be changed; exact: whether to use quotes that only enclose names, for queries that
    run. SQLite reads `"gone"` as a string if no column has that name, but not a name in backticks.
    Raises UnsupportedError: the dialect cannot express it; RecursionError: it is nested too deeply.
    """
    generator = plain(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    if exact and dialect in _NEVER_TEXT:
        mark = _NEVER_TEXT[dialect]
        generator._identifier_start = generator._identifier_end = mark
        generator._escaped_identifier_end = mark * 2
    return str(generator.generate(tree, copy=not spent or tree.parent is not None))  # a generator reads the parent


def complaint(error: TokenError | ParseError) -> str:
    """One sentence on why a text cannot be parsed."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        if str(error) == RUN_COMMENT:
            return f"{RUN_COMMENT}: {first.get('start_context', '')}"
        near = f"{first.get('start_context', '')}{first.get('highlight', '')}"[-60:].replace("\n", " ")
        return f"Syntax error near the end of: {near}" if near else "Syntax error."
    return "Syntax error: a string, name or comment never ends."


# The arguments that contain names, by type of node. Names elsewhere (of functions, types, collations, parameters of
# lambdas, windows, pivots) are words of the engine, or are used in one place only.
_PLACES: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Column: ("this", "table", "db", "catalog"),
    exp.Table: ("this", "db", "catalog"),
    exp.Alias: ("alias",),
    exp.TableAlias: ("this", "columns"),
    exp.Join: ("using",),
    exp.Schema: ("expressions",),
}
_TITLE_CHARS = {NameCase.UPPER: 30, NameCase.ANY: 250, NameCase.EXACT: 250}  # the longest name in every version
_WORDS = frozenset({"all"})  # LIMIT ALL, ORDER BY ALL: the parser reads the word as a column


def with_quotes(tree: exp.Expr, dialect: Dialect, *, every: bool) -> exp.Expr:
    """A copy of a checked tree with its names in quotes, each spelled as the engine looks it up without quotes.

    Args: every: whether to quote all names, for a query that runs; else only those that the engine requires in quotes.
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
    """Give an item without a name the engine's name for it: its text, before quotes are added to that text."""
    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            named = isinstance(item.unnest(), exp.Alias | exp.Aliases | exp.Column)
            if not named and not item.is_star and item.find(exp.Identifier):
                title = dialect.fold(write(item, dialect.sqlglot))
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

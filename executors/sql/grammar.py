"""Parses SQL to a tree and generates it again, without changing it.

sqlglot translates between dialects: it reads `strftime`, `date_trunc` or `isnull` as what they mean and writes what it
takes for the same. Here both sides are one dialect, so a function keeps the name and the arguments it was written with
(and the guard can hold that name against the engine's own documentation), and a cast keeps the type it was written with
(SQLite derives integer or real division from it). Each package of `executors.engines` has its `grammar`.
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


# sqlglot's name of a dialect -> the package of its engine, where they differ
ENGINES = {"postgres": "postgresql", "tsql": "sqlserver"}


@cache
def plain(dialect: str) -> SqlglotDialect:
    """The dialect as it is written, from its module. Args: dialect: sqlglot's name of it, as a dialect's row has it."""
    if dialect in ADDED:
        return ADDED[dialect]
    found: SqlglotDialect = import_module(f"executors.engines.{ENGINES.get(dialect, dialect)}.grammar").PLAIN
    return found


RUN_COMMENT = "A comment that the server would run is not allowed"

# Quotes that hold a name and nothing else, where the engine's first ones may hold a text, too.
_NEVER_TEXT = {"sqlite": "`"}


def tokenize(sql: str, dialect: str) -> list[Token]:
    """The words of `sql`, in sqlglot's dialect.
    Raises TokenError: a string or comment that never ends; TooMuchToRead."""
    try:
        return bounded.tokens_of(sql, plain(dialect))
    except bounded.STUMBLES as error:
        raise TokenError(f"Not SQL: {error}") from error


def parse(tokens: list[Token], sql: str, dialect: str) -> list[exp.Expr]:
    """The statements in `tokens`, whole or not at all.

    Raises ParseError: what is no query, or goes on after its end; TooMuchToRead, RecursionError: it is nested too
    deeply.
    """
    parser = plain(dialect).parser(error_level=ErrorLevel.RAISE)
    return [tree for tree in parser.parse(tokens, sql) if tree and not isinstance(tree, exp.Semicolon)]


def write(tree: exp.Expr, dialect: str, *, spent: bool = False, exact: bool = False) -> str:
    """One line of SQL for `tree`, without comments; the tree stays as it is, unless it is `spent`.

    Args: exact: names in quotes are to be names and nothing else, for what runs: SQLite takes `"gone"` for a text where
    no column is called so, but never what stands in backticks.
    Raises UnsupportedError: the dialect has no words for it; RecursionError: nested too deeply.
    """
    generator = plain(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
    if exact and dialect in _NEVER_TEXT:
        mark = _NEVER_TEXT[dialect]
        generator._identifier_start = generator._identifier_end = mark
        generator._escaped_identifier_end = mark * 2
    return str(generator.generate(tree, copy=not spent or tree.parent is not None))  # which a generator looks at


def complaint(error: TokenError | ParseError) -> str:
    """What is wrong with a text that cannot be parsed, in a sentence."""
    if isinstance(error, ParseError) and error.errors:
        first = error.errors[0]
        if str(error) == RUN_COMMENT:
            return f"{RUN_COMMENT}: {first.get('start_context', '')}"
        near = f"{first.get('start_context', '')}{first.get('highlight', '')}"[-60:].replace("\n", " ")
        return f"Syntax error near the end of: {near}" if near else "Syntax error."
    return "Syntax error: a string, name or comment never ends."


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
    """A copy of a checked tree whose names are in quotes, each spelled as the engine looks it up without them: every
    one of them, for what runs, or those that the engine demands, for what people read."""
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

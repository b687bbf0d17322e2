"""Checks whether SQL is allowed.

Every query passes through this module before a database sees it. The check fails closed: it refuses a query that does
not parse completely, has a node or a function that is on no list, or reads a table outside the schema. The query that
runs is generated from the checked tree, so the database never sees a character that was not understood here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from executors.base import CheckedSql, Parameters, Schema, dialect_row
from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.names import check_row_ids
from executors.guard.nodes import NodeCheck, check_no_files
from executors.guard.refusals import (
    build_function_refusal,
    build_paste_refusal,
    form,
    harm_of,
    not_read_only,
    sets_variable,
    too_big,
)
from executors.sql import grammar
from executors.sql.bounded import TooMuchToRead
from executors.sql.grammar import with_quotes
from executors.sql.names.existence import NameCheck
from executors.sql.parameters import bind
from executors.sql.row_limit import apply_limit

if TYPE_CHECKING:
    from executors.guard.held_columns import Hidden
    from executors.guard.row_security.held_rows import HeldRows


MAX_CHARS = 20_000
_WORD = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(e[+-]?\d+)?", re.IGNORECASE)
_RUNS_ON = re.compile(r"[_\d]+|e\d+|o\d+|[df]", re.IGNORECASE)  # how a number goes on, and an alias hardly ever begins
_BITS = frozenset({TokenType.HEX_STRING, TokenType.BIT_STRING})

_QUERY_WORDS = words("select with from values (")
WRITE_WORDS = words(
    "insert update delete merge replace upsert truncate create drop alter rename comment grant revoke deny copy export",
    "import unload bulk backup restore vacuum reindex analyze cluster refresh",
)
_OTHER_WORDS = words(
    "explain describe desc show summarize pragma set reset use attach detach load install force checkpoint call exec",
    "execute do declare begin start commit end rollback savepoint release prepare deallocate listen notify lock kill",
    "dbcc waitfor print if while go pivot unpivot table handler flush purge change optimize signal resignal help",
    "system exchange undrop watch exists",
)


def check(
    sql: str,
    schema: Schema,
    *,
    row_limit: int,
    check_names: bool = True,
    parameters: Parameters | None = None,
    open_parameters: bool = False,
    rows: HeldRows | None = None,
    functions: frozenset[str] = frozenset(),
    catalogue: frozenset[str] = frozenset(),
    hidden: Hidden | None = None,
    leave_out: bool = False,
) -> CheckedSql:
    """Accept a query and cap its rows, or refuse it.

    Args:
        sql: One SELECT, as a model or a person wrote it. It may contain comments and end with a semicolon.
        schema: The tables that may be read, and the dialect of the query.
        check_names: Whether tables and columns are checked. Everything else is checked in any case.
        parameters: Values of the placeholders, which become literals of the tree. None if there are none.
        open_parameters: Whether placeholders for values may stay in the query. The result is then not ready to run; it
            only shows what would be accepted.
        rows: The rows that the caller may see. If given, names are checked in any case, against the visible part of
            the schema.
        functions: The database's own functions that may be called, in lower case, such as `my_func` or
            `dbo.getreports`. Ignored if `rows` is given, because a function can read any row.
        catalogue: Tables that describe the database itself and may be read nevertheless, in lower case, such as
            `information_schema.tables`. Ignored if `rows` is given.
        hidden: Private columns that the question does not name, in lower case, by table. A query may only compare or
            count them. See `executors.guard.held_columns`.
        leave_out: Whether a hidden column that the query selects by name is left out instead of refused.

    Returns:
        The regenerated query: one text for display, and one that runs, with every name in quotes. See `CheckedSql`.

    Raises:
        SqlRefused: with the kind of error, one sentence, and a way to repair it.
    """
    dialect = dialect_row(schema)
    root = _parse_query(sql, dialect)
    if parameters is not None:
        bind(root, parameters)
    own = functions if rows is None else frozenset[str]()
    seen = schema if rows is None else rows.visible
    new_check = partial(
        NodeCheck,
        dialect,
        own,
        columns=seen.column_names,
        types=seen.type_names if check_names else frozenset(),
        open_parameters=open_parameters,
    )
    new_check().run(root)
    names = NameCheck(schema, sql, catalogue) if rows is None else NameCheck(rows.visible, sql)
    held = left_out = tuple[str, ...]()
    try:
        if check_names or hidden or rows is not None:
            names.run(root)
        else:
            check_no_files(root, dialect)
        shown, run = apply_limit(root, row_limit, dialect)
        text = grammar.write(with_quotes(shown, dialect, every=False), dialect.sqlglot, spent=True)
        _check_reads_back(text, dialect, new_check)
        if _stars(sql, dialect) > _stars(text, dialect):
            raise _unclear(dialect)
        replaced = {it for it in names.tables if it in (hidden or ()) or (rows is not None and rows.filters(it))}
        check_row_ids(root, replaced, names.row_ids, dialect)
        if hidden:
            from executors.guard.held_columns import HeldColumns

            left_out = HeldColumns(hidden, seen, names).hold(root, leave_out=leave_out)
        if rows is not None:
            held = rows.hold(root, names)
        if hidden or rows is not None:
            run = apply_limit(root, row_limit, dialect)[1]
        executable = grammar.write(with_quotes(run, dialect, every=True), dialect.sqlglot, spent=True, exact=True)
    except UnsupportedError as error:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, f"{dialect.title} cannot say this: {error}", form(dialect)) from error
    except RecursionError as error:
        raise too_big("It is nested too deeply.") from error
    return CheckedSql(
        sql=text, executable=executable, row_limit=row_limit, tables=names.tables, held=held, left_out=left_out
    )


def _parse_query(sql: str, dialect: Dialect) -> exp.Query:
    """The tree of the single query in `sql`."""
    root = read(sql, dialect, _check_words, form(dialect))
    while isinstance(root, exp.Subquery) and not any(value for key, value in root.args.items() if key != "this"):
        root = root.this
    if isinstance(root, exp.Values):
        root = _select(root)
    if not isinstance(root, exp.Query):
        NodeCheck(dialect).run(root)
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "This is not a query.", form(dialect))
    return root


def _check_reads_back(text: str, dialect: Dialect, new_check: Callable[[], NodeCheck]) -> None:
    """Check that the generated text means what was checked: parsed again, it is allowed and generates the same words.

    If the parser built a tree that the generator cannot express, the text is not the query that was checked.
    """
    try:
        root = _parse_query(text, dialect)
        new_check().run(root)
        again = grammar.write(root, dialect.sqlglot, spent=True)
    except SqlRefused as error:
        raise _unclear(dialect) from error
    if _words_of(again) != _words_of(text):
        raise _unclear(dialect)


def _words_of(text: str) -> list[str]:
    """The words and signs of a text, sorted, because some joins can be generated in two orders."""
    return sorted(_WORD.findall(text.casefold()))


def _stars(sql: str, dialect: Dialect) -> int:
    """The number of stars outside of strings and names. A query that loses one selects other columns."""
    if "*" not in sql:
        return 0
    return sum(token.token_type is TokenType.STAR for token in grammar.tokenize(sql, dialect.sqlglot))


def _unclear(dialect: Dialect) -> SqlRefused:
    return SqlRefused(ErrorKind.SYNTAX_ERROR, "The query can be read in more than one way.", form(dialect))


def _select(values: exp.Values) -> exp.Select:
    """A SELECT of the rows of `VALUES (1), (2) LIMIT 1`, which is then checked like any other query."""
    query = exp.select("*")
    for part in ("with_", "order", "limit", "offset"):
        query.set(part, values.args.get(part))
        values.set(part, None)
    if not values.args.get("alias"):
        values.set("alias", exp.TableAlias(this=exp.to_identifier("listed")))
    return query.from_(values, copy=False)


def read(sql: str, dialect: Dialect, check_words: Callable[[list[Token], Dialect], None], form: str) -> exp.Expr:
    """The tree of the single statement in `sql`. Only its size is checked, and its words by `check_words`.

    Args: check_words: checks the words before they are parsed; form: what to write instead if `sql` cannot be parsed.
    Raises SqlRefused: it is too big, or cannot be parsed completely.
    """
    if len(sql) > MAX_CHARS:
        raise too_big(f"It has {len(sql)} characters, and {MAX_CHARS} are allowed.")
    if "\x00" in sql:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "The query holds a NUL character.")
    tokens: list[Token] = []
    try:
        tokens = grammar.tokenize(sql, dialect.sqlglot)
        _check_numbers(tokens, sql, dialect)
        check_words(tokens, dialect)
        trees = grammar.parse(tokens, sql, dialect.sqlglot)
    except TooMuchToRead as error:
        raise too_big(str(error)) from error
    except TokenError as error:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, grammar.complaint(error), form) from error
    except ParseError as error:
        if harmful := _harmful_call(tokens, dialect):
            raise build_function_refusal(harmful, dialect) from error
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, grammar.complaint(error), form) from error
    except RecursionError as error:
        raise too_big("It is nested too deeply.") from error
    return trees[0] if len(trees) == 1 else exp.Null()


def _check_numbers(tokens: list[Token], sql: str, dialect: Dialect) -> None:
    """Refuse numbers that sqlglot reads differently: `1_000` as `1 AS _000`, `1e3-2e3` as the number `1e3-2` AS e3, and
    PostgreSQL's `0x1F` as a string of bits. Raises SqlRefused."""
    for token, following in zip_longest(tokens, tokens[1:]):
        at, end = token.start, token.end + 1
        bad = token.token_type in _BITS and dialect.kin == "postgresql" and sql[at] == "0"
        if token.token_type is TokenType.NUMBER:
            bad = not _NUMBER.fullmatch(token.text)
            if following is not None and following.token_type is TokenType.VAR and following.start == end:
                bad, end = bad or _RUNS_ON.fullmatch(following.text) is not None, following.end + 1
        if bad:
            message = f"The number {sql[at:end][:80]} can be read in more than one way."
            hint = "Write a number as decimal digits, with spaces around signs: 1000, 1e3 - 2."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, hint)


def _check_words(tokens: list[Token], dialect: Dialect) -> None:
    """Check that there is one statement and that it starts like a query. Raises SqlRefused: names the kind it is."""
    firsts = first_tokens(tokens)
    _check_signs(tokens, dialect)
    if not firsts:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "There is no query.", form(dialect))
    for token in firsts:
        word = token.text.lower().partition(" ")[0]
        if word in WRITE_WORDS:
            raise not_read_only(word.upper())
        if word in _OTHER_WORDS:
            raise SqlRefused(
                ErrorKind.PERMISSION, f"Only a SELECT may be run; {word.upper()} was refused.", form(dialect)
            )
        if word not in _QUERY_WORDS:
            message = f"A query starts with SELECT or WITH, not with {token.text[:40]!r}."
            raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, form(dialect))
    if len(firsts) > 1:
        message = f"One statement is allowed, and there are {len(firsts)}."
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, message, "Write one SELECT; use WITH for steps.")


def first_tokens(tokens: list[Token]) -> list[Token]:
    """The first token of every statement."""
    starts = [0, *(index + 1 for index, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON)]
    firsts = [tokens[start] for start in starts if start < len(tokens)]
    return [token for token in firsts if token.token_type is not TokenType.SEMICOLON]


_COMPOUND = frozenset(
    {TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.MOD, TokenType.AMP, TokenType.PIPE}
    | {TokenType.CARET}
)
_QUOTED = frozenset(
    {TokenType.STRING, TokenType.IDENTIFIER, TokenType.NATIONAL_STRING, TokenType.RAW_STRING, TokenType.BYTE_STRING}
    | {TokenType.HEX_STRING, TokenType.BIT_STRING, TokenType.UNICODE_STRING, TokenType.HEREDOC_STRING}
)

# Reserved words of T-SQL that begin a statement. No semicolon is needed before them.
_STATEMENTS = words(
    "alter backup begin break bulk checkpoint commit continue create dbcc deallocate declare delete deny drop dump",
    "exec execute goto grant insert kill load merge print raiserror readtext reconfigure restore return revert",
    "revoke rollback save setuser shutdown throw truncate update updatetext use waitfor while writetext",
)
_ENDS = frozenset({TokenType.VAR, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET}) | _QUOTED

_DRAWN = frozenset({"NEXTVAL", "CURRVAL"})
_PSEUDO_COLUMNS = frozenset({"oracle", "hana"})  # here a sequence's next number looks like a column of the sequence


def _check_signs(tokens: list[Token], dialect: Dialect) -> None:
    """Refuse a statement because of certain words and signs.

    - `NEXT VALUE FOR s`, and `s.NEXTVAL` in engines that know it: the sequence does not take a drawn number back.
    - MySQL's `INTO OUTFILE` writes a file on the server.
    - T-SQL's `@name += 1` sets a variable, its `WAITFOR` waits, and `SELECT 1 DELETE FROM t` is two statements.
    - Oracle's `table@link` is in another database. SQL*Plus's `&name` and `@file`, and psql's `\\set`, are commands of
      a client.
    - Spark's `TRANSFORM (...) USING 'program'` runs a program. `${env:NAME}` is replaced even inside strings and names.

    Raises:
        SqlRefused: with what it would do.
    """
    words = ["" if token.token_type in _QUOTED else token.text.upper() for token in tokens]
    kinds = [token.token_type for token in tokens]
    for index, (token, kind, word) in enumerate(zip(tokens, kinds, words, strict=True)):
        following = words[index + 1 : index + 4]
        if dialect.kin in _PSEUDO_COLUMNS and token.text.upper() in _DRAWN and words[index - 1 : index] == ["."]:
            raise build_function_refusal(token.text.upper(), dialect)  # even in quotes
        if word in ("NEXT", "PREVIOUS") and following[:2] == ["VALUE", "FOR"]:
            raise build_function_refusal(f"{word} VALUE FOR", dialect)
        if word == "INTO" and following[:1] in (["OUTFILE"], ["DUMPFILE"]):
            raise not_read_only(f"INTO {following[0]}")
        if dialect.kin == "oracle":
            _check_oracle(kind, dialect, is_first=index == 0)
        elif dialect.kin == "sqlserver":
            _check_tsql(tokens, words, index, dialect)
        elif dialect.kin == "postgresql" and word == "\\":
            raise build_paste_refusal("A command of psql")
        elif dialect.kin == "databricks" and "${" in token.text:
            raise build_paste_refusal("${...}")
        elif dialect.kin == "databricks" and word == "USING" and kinds[index + 1 : index + 2] == [TokenType.STRING]:
            raise build_function_refusal("TRANSFORM USING", dialect)


def _check_tsql(tokens: list[Token], words: list[str], index: int, dialect: Dialect) -> None:
    word, following = words[index], words[index + 1 : index + 2]
    if tokens[index].token_type is TokenType.PARAMETER and _is_compound(tokens[index + 2 : index + 4]):
        raise sets_variable(f"@{tokens[index + 1].text}")
    if index and word == "WAITFOR" and following in (["DELAY"], ["TIME"]):
        raise build_function_refusal("WAITFOR", dialect)
    if word.lower() in _STATEMENTS and _ends(tokens[max(index - 2, 0) : index], words[max(index - 2, 0) : index]):
        message = f"One statement is allowed, and {word} begins another."
        hint = f"A name that is such a word is written in brackets: [{tokens[index].text}]."
        raise SqlRefused(ErrorKind.PERMISSION, message, hint, because=Because.WRITES)


def _check_oracle(kind: TokenType, dialect: Dialect, *, is_first: bool) -> None:
    if kind in (TokenType.AMP, TokenType.DAMP):  # Oracle has no such operator
        raise build_paste_refusal("&name")
    if kind is TokenType.PARAMETER and is_first:
        raise build_paste_refusal("@file")
    if kind is TokenType.PARAMETER:
        message = "What has an @ behind its name is in another database."
        raise SqlRefused(ErrorKind.PERMISSION, message, form(dialect), because=Because.DANGEROUS)


def _is_compound(tokens: list[Token]) -> bool:
    """Whether the tokens are a compound assignment such as `+=`, which is two tokens."""
    kinds = [token.token_type for token in tokens]
    return len(kinds) == 2 and kinds[0] in _COMPOUND and kinds[1] is TokenType.EQ


def _ends(tokens: list[Token], words: list[str]) -> bool:
    """Whether a value or a name may end here, so that the next word is an alias or a statement."""
    if not tokens or tokens[-1].token_type not in _ENDS or words[-1] == "AS":
        return False
    return words[0] != "TOP"  # after TOP 5 comes the first column


def _harmful_call(tokens: list[Token], dialect: Dialect) -> str:
    """The first call in a statement that is known to do harm. It is a better reason than a syntax error."""
    for token, following in pairwise(tokens):
        name = token.text.lower()
        called = following.token_type is TokenType.L_PAREN and token.token_type not in _QUOTED
        if called and harm_of(name) and not any(dialect.may_call(name, in_from=there) for there in (True, False)):
            return token.text
    return ""

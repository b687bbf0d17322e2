"""Checks whether SQL is allowed.

Every query goes through this one place before a database sees it. It fails closed: it refuses a query that does not
parse completely, has a node or a function that is on no list, or reads a table outside the schema. The query that runs
is generated from the checked tree, so the database never sees a character that was not understood here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError, UnsupportedError
from sqlglot.tokenizer_core import Token, TokenType

from executors.base import CheckedSql, Parameters, Schema, dialect_row
from executors.dialects.row import Dialect, words
from executors.errors import Because, ErrorKind, SqlRefused
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
    """Let a query through, capped, or refuse it.

    Args:
        sql: one SELECT, as a model or a person wrote it; a semicolon at its end and comments do no harm.
        schema: what may be read; its dialect is the one that is spoken.
        check_names: False leaves tables and columns unchecked; everything else still holds.
        parameters: what the placeholders stand for; they become literals of the tree. None: there are none.
        open_parameters: whether placeholders may stay as they are, where a value is only read. What comes back is then
            not ready to run; it is for those who ask what would be let through.
        rows: what the caller may see; then `schema` is what is visible of it, and names are checked in any case.
        functions: of the database's own that may be called, in lower case, such as `my_func` or `dbo.getreports`. Not
            where `rows` are held back, for a function reads what it likes.
        catalogue: what describes the database itself and may be read all the same, in lower case, such as
            `information_schema.tables`. Not where `rows` are held back, either.
        hidden: private columns that nobody asked for, in lower case, by the names of their tables; they are not there
            for the query, but for what only compares or counts them. See `executors.guard.held_columns`.
        leave_out: whether one of them that the query selects by its name is left out, instead of refused.

    Returns:
        The query written anew: for people, and as it runs, every name in quotes (see `CheckedSql`).

    Raises:
        SqlRefused: with the kind of error, a sentence, and what would mend it.
    """
    dialect = dialect_row(schema)
    root = _parse_query(sql, dialect)
    if parameters is not None:
        bind(root, parameters)
    own = functions if rows is None else frozenset[str]()
    seen = schema if rows is None else rows.visible
    known = {"columns": seen.column_names, "types": seen.type_names if check_names else frozenset()}
    new_check = partial(NodeCheck, dialect, own, open_parameters=open_parameters, **known)
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
    columns_held = {"held": held, "left_out": left_out}
    return CheckedSql(sql=text, executable=executable, row_limit=row_limit, tables=names.tables, **columns_held)


def _parse_query(sql: str, dialect: Dialect) -> exp.Query:
    """The tree of the one query in `sql`."""
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
    """What was written anew says what was checked: read again, it is allowed again, and comes out in the same words.

    Where the parser took a text for what the generator has no words for, it is no query that was checked.
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
    """Words and signs, in any order: of some joins there are two."""
    return sorted(_WORD.findall(text.casefold()))


def _stars(sql: str, dialect: Dialect) -> int:
    """How many stand outside of texts and names: none may be lost, for without it other columns are asked for."""
    if "*" not in sql:
        return 0
    return sum(token.token_type is TokenType.STAR for token in grammar.tokenize(sql, dialect.sqlglot))


def _unclear(dialect: Dialect) -> SqlRefused:
    return SqlRefused(ErrorKind.SYNTAX_ERROR, "The query can be read in more than one way.", form(dialect))


def _select(values: exp.Values) -> exp.Select:
    """`VALUES (1), (2) LIMIT 1` is a query too: the rows of it are selected, and it is as any other."""
    query = exp.select("*")
    for part in ("with_", "order", "limit", "offset"):
        query.set(part, values.args.get(part))
        values.set(part, None)
    if not values.args.get("alias"):
        values.set("alias", exp.TableAlias(this=exp.to_identifier("listed")))
    return query.from_(values, copy=False)


def read(sql: str, dialect: Dialect, check_words: Callable[[list[Token], Dialect], None], form: str) -> exp.Expr:
    """The tree of the one statement in `sql`; nothing of it is checked but its size, and what `check_words` does.

    Args: check_words: sees the words before they are parsed; form: what to write instead, where `sql` cannot be read.
    Raises SqlRefused: it is too big, or cannot be parsed whole.
    """
    if len(sql) > MAX_CHARS:
        raise too_big(f"It has {len(sql)} characters, and {MAX_CHARS} are allowed.")
    if "\x00" in sql:
        raise SqlRefused(ErrorKind.SYNTAX_ERROR, "The query holds a NUL character.")
    tokens: list[Token] = []
    try:
        tokens = grammar.tokenize(sql, dialect.sqlglot)
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


def _check_words(tokens: list[Token], dialect: Dialect) -> None:
    """One statement, that starts as a query does. Says what it is where it is something else."""
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
    """The first word of every statement."""
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

# Words that T-SQL keeps for itself and that begin a statement: no semicolon is needed before them.
_STATEMENTS = words(
    "alter backup begin break bulk checkpoint commit continue create dbcc deallocate declare delete deny drop dump",
    "exec execute goto grant insert kill load merge print raiserror readtext reconfigure restore return revert",
    "revoke rollback save setuser shutdown throw truncate update updatetext use waitfor while writetext",
)
_ENDS = frozenset({TokenType.VAR, TokenType.NUMBER, TokenType.R_PAREN, TokenType.R_BRACKET}) | _QUOTED

_DRAWN = frozenset({"NEXTVAL", "CURRVAL"})
_PSEUDO_COLUMNS = frozenset({"oracle", "hana"})  # where a sequence's next number looks like a column of it


def _check_signs(tokens: list[Token], dialect: Dialect) -> None:
    """Refuse a statement for its signs.

    - `NEXT VALUE FOR s`, and where that is a word of the engine, `s.NEXTVAL`: a number that was drawn from a sequence
      stays drawn;
    - MySQL's `INTO OUTFILE`: writes a file of the server's;
    - T-SQL's `@name += 1` sets a variable, its `WAITFOR` waits, and `SELECT 1 DELETE FROM t` is two statements;
    - Oracle's `table@link`: another database; SQL*Plus's `&name` and `@file`, psql's `\\set`: a client's own;
    - Spark's `TRANSFORM (...) USING 'program'`: runs a program; `${env:NAME}` is read inside of texts and names too.

    Raises:
        SqlRefused: with what it would do.
    """
    words = ["" if token.token_type in _QUOTED else token.text.upper() for token in tokens]
    kinds = [token.token_type for token in tokens]
    for index, (token, kind, word) in enumerate(zip(tokens, kinds, words, strict=True)):
        following = words[index + 1 : index + 4]
        if dialect.kin in _PSEUDO_COLUMNS and token.text.upper() in _DRAWN and words[index - 1 : index] == ["."]:
            raise build_function_refusal(token.text.upper(), dialect)  # in quotes as well
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
    if kind in (TokenType.AMP, TokenType.DAMP):  # there is no such operator
        raise build_paste_refusal("&name")
    if kind is TokenType.PARAMETER and is_first:
        raise build_paste_refusal("@file")
    if kind is TokenType.PARAMETER:
        message = "What has an @ behind its name is in another database."
        raise SqlRefused(ErrorKind.PERMISSION, message, form(dialect), because=Because.DANGEROUS)


def _is_compound(tokens: list[Token]) -> bool:
    """`+=`, in two words."""
    kinds = [token.token_type for token in tokens]
    return len(kinds) == 2 and kinds[0] in _COMPOUND and kinds[1] is TokenType.EQ


def _ends(tokens: list[Token], words: list[str]) -> bool:
    """Whether a value or a name may end there, so that what follows is an alias, or a statement."""
    if not tokens or tokens[-1].token_type not in _ENDS or words[-1] == "AS":
        return False
    return words[0] != "TOP"  # TOP 5 and the first column


def _harmful_call(tokens: list[Token], dialect: Dialect) -> str:
    """The first function in a statement that is known to do harm: a better reason than that it cannot be parsed."""
    for token, following in pairwise(tokens):
        name = token.text.lower()
        called = following.token_type is TokenType.L_PAREN and token.token_type not in _QUOTED
        if called and harm_of(name) and not any(dialect.may_call(name, in_from=there) for there in (True, False)):
            return token.text
    return ""

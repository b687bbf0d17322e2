"""The fields of a row in the dialect table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from executors.errors import ErrorKind


class Frozen(BaseModel):
    """An immutable value that crosses a module's border."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's; but what was worked out of the original's fields is worked out anew of the copy's."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(copied).model_fields.keys():
            del copied.__dict__[name]
        return copied


def words(*lines: str) -> frozenset[str]:
    """The words of some lines, as a set."""
    return frozenset(name for line in lines for name in line.split())


def read_words(module: str, name: str = "words.txt") -> dict[str, frozenset[str]]:
    """The words of a text beside a module, by section. Args: module: its `__file__`; name: of the text."""
    sections: dict[str, list[str]] = {}
    found: list[str] = []
    for line in Path(module).with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            found = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            found += line.split()
    return {section: frozenset(listed) for section, listed in sections.items()}


def map_codes(kinds: Mapping[ErrorKind, str]) -> dict[str, ErrorKind]:
    """The kind of each code, from the codes of each kind."""
    return {code: kind for kind, codes in kinds.items() for code in codes.split()}


# Words that no engine, or not every one, takes for a name without quotes; `reserved` has each engine's own.
RESERVED = words(
    "all alter and any as asc between both by case cast check column constraint create cross current_date",
    "current_time current_timestamp default delete desc distinct drop else end except exists false fetch for foreign",
    "from full grant group having in index inner insert intersect into is join key leading left like limit natural",
    "not null offset on or order outer over primary references right rows select set some table then to top trailing",
    "transaction trigger true union unique update user using values view when where window with",
)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


ASK_AGAIN = "Another transaction was in its way; ask again in a moment, nothing need be changed."


class Limit(StrEnum):
    """The words that cap the rows of a query."""

    LIMIT = "LIMIT"
    TOP = "TOP"
    FETCH = "FETCH FIRST"


class NameCase(StrEnum):
    """What a name without quotes means to the engine, where tables are looked up."""

    ANY = "any"  # upper and lower case are the same, quoted or not
    LOWER = "lower"  # becomes lower case; only quotes keep it
    UPPER = "upper"
    EXACT = "exact"  # is looked up as it stands


class Lexis(StrEnum):
    """How quotes and comments are read."""

    STANDARD = "standard"
    TSQL = "tsql"  # no text has escapes: e'\\' is a name and a whole text
    MYSQL = "mysql"  # a backslash escapes, # begins a comment, -- only before a space, and /*! ... */ is run


class SessionSetup(Frozen):
    """How a connection is made safe, timed and stopped. Empty: the driver or the executor does it its own way.

    setup: statements for every new connection, whether it reads or writes.
    read_only: more of them, for those that only read.
    wishes: more of them, for those that only read, that a server may refuse: nothing rests on them.
    begin: statements that open every transaction of a read-only connection, where the session itself cannot be that.
    timeout: one for every query, with the hole `{ms}` or `{s}`.
    connection_id: a query whose one value says which connection this is.
    cancel: what another connection says to stop the query of `{id}`, and nothing but the query.
    statement_words: reserved words that no query has; one outside of quotes means another statement. For servers that
        take several statements at once. Words with spaces between them are a phrase.
    first_words: those that a query begins with; empty: any. For servers whose read-only session lets others through.
    lexis: how the server reads quotes and comments.
    transactions: whether what was written can be undone; without, there is no writing.
    """

    setup: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    begin: tuple[str, ...] = ()
    timeout: str = ""
    connection_id: str = ""
    cancel: str = ""
    statement_words: frozenset[str] = frozenset()
    first_words: frozenset[str] = frozenset()
    lexis: Lexis = Lexis.STANDARD
    transactions: bool = True


READERS_LOGIN = "reader's login"  # the one layer that a database which may be written to cannot have


class Probe(Frozen):
    """A query that finds out whether a layer under the guard holds on an open connection.

    layer: its name.
    sql: gives one value, 1 where the layer holds and 0 where it does not.
    refused: instead, whether the layer holds where the database refuses `sql`.
    pattern: instead, of a text; the layer holds where the first value of every row matches it.
    advice: what to do where it does not hold.
    """

    layer: str
    sql: str
    refused: bool = False
    pattern: str = ""
    advice: str


class SchemaQueries(Frozen):
    """One round of catalogue queries. Each gives the columns named here, in that order; empty: the server has no such.

    version: one row of numbers, of which more is newer; see `Dialect.needs`.
    default_schema: the one value is the schema whose tables need no qualifier.
    tables: schema, table, is view (0 or 1), comment, estimate of rows (NULL: unknown).
    columns: schema, table, column, type, nullable (0 or 1), comment; in the order of the table. A seventh, where the
        name of a type does not tell: whether it is text (0 or 1).
    plain_tables, plain_columns: the same without comments and counts, asked where the first is refused.
    primary_keys: schema, table, column; in the order of the key.
    foreign_keys: schema, table, constraint, column, its schema, table and column referred to; in the order of the key.
    samples: schema, table, column, the `{n}` most frequent values, an array or a JSON array, most frequent first, in
        one row or in several; from the server's statistics, so that no table is read.
    samples_by_column: whether columns have statistics of their own; then `samples` gives a row for each that has one,
        with NULL where no value is frequent. Else a table has statistics of all its columns, or none.
    types: names of the database's own types that nothing but a value is made by: see `Schema.types`.
    first_rows: the first `{n}` rows of `{columns}` of `{table}`, for tables that have no statistics.
    head: the first `{n}` characters of `{column}`.
    """

    default_schema: str
    version: str = ""
    tables: str
    columns: str
    plain_tables: str = ""
    plain_columns: str = ""
    primary_keys: str = ""
    foreign_keys: str = ""
    types: str = ""
    samples: str = ""
    samples_by_column: bool = False
    first_rows: str = "SELECT {columns} FROM {table} LIMIT {n}"
    head: str = "SUBSTRING({column}, 1, {n})"


class Dialect(Frozen):
    """One dialect.

    sqlglot: the parser's name of it.
    like: another dialect, whose particular checks hold for this one too; empty: none.
    quote: what stands before and after a name that needs quoting.
    reserved: words, in lower case, that are no names without quotes here, beyond those of `RESERVED`. Every name in a
        query that runs is quoted, so no query depends on them: they decide where people and models see quotes. Sources:
        the vendors' lists, as in SQLAlchemy's dialects; for DuckDB `duckdb_keywords()`, for SQLite what its parser
        refuses.
    case: what a name without quotes means.
    truncate_month: a template with the hole `{column}`.
    hints: what a model must know, one example each, most important first.
    instead: function of another dialect -> what to write here.
    codes: the driver's code (SQLSTATE, number, error class) -> its kind; the most certain of both.
    deadlocks: codes of what was chosen to end a deadlock; a query is run once more then.
    lock_waits: codes of statements that gave up waiting for rows locked by another transaction.
    advice: how to repair an error, by its code, where the kind alone does not say it.
    errors: pattern of the driver's message -> its kind, first match counts; `(?P<name>...)` is the name it is about.
    schemas: qualifiers that mean "here"; for a server, the schema it says is its default counts too.
    catalogue: pattern of names, or schemas, that describe the database itself.
    row_ids: columns that every table has, unlisted.
    one_row_table: what every database has to select values from, unlisted.
    integer_division: whether `/` of whole numbers gives a whole number.
    made_tables, made_columns: pattern of the names of tables that the server makes of them, and what is in those.
    named_by_text: whether an expression without an alias goes by its text, quotes and all.
    has_fields: `a.b` may be field `b` of column `a`, and a table's name may stand for its row.
    recursive_word: whether WITH needs RECURSIVE for a CTE to see itself.
    aggregates, functions: what a query may call, pure ones, as the engine's documentation names them; anything else
        is refused, so that what reads a file, sleeps, changes a setting or runs text as SQL needs no list of its own.
    table_functions: those that stand in FROM: they make rows out of their arguments alone.
    units: those whose arguments may hold a unit of time as a bare word: DATEADD(month, 1, col).
    needs: of functions that not every server has, the version that does, number by number as `SchemaQueries.version`
        gives them; a server below one of them lacks the function.
    oldest: the oldest version that is known here; of one below nothing is taken away.
    without: function -> how a server that lacks it says the same, in `{column}`; it stands in for the function in
        `truncate_month` and `hints`, and in `instead`.
    formatters: those whose first argument is a pattern, which can ask for text of any length.
    variables: of the server (`@@name`), that a query may read: how values are compared, written and distinguished.
    file_names: pattern of a table's name that the engine would take for a file, or an address; empty: it never does.
    session, reads: of a server.
    probes: queries that check the layers under the guard on a connection; empty where nothing can be checked.
    """

    name: str
    title: str
    sqlglot: str
    like: str = ""
    quote: tuple[str, str] = ('"', '"')
    reserved: frozenset[str] = frozenset()
    case: NameCase = NameCase.ANY
    limit: Limit = Limit.LIMIT
    truncate_month: str
    hints: tuple[str, ...]
    instead: dict[str, str] = {}
    codes: dict[str, ErrorKind] = {}
    deadlocks: frozenset[str] = frozenset()
    lock_waits: frozenset[str] = frozenset()
    advice: dict[str, str] = {}
    errors: tuple[tuple[str, ErrorKind], ...]
    schemas: frozenset[str]
    catalogue: str
    row_ids: frozenset[str] = frozenset()
    one_row_table: str = ""
    made_tables: str = ""
    made_columns: tuple[str, ...] = ()
    named_by_text: bool = False
    has_fields: bool = False
    integer_division: bool = False
    recursive_word: bool = True
    aggregates: frozenset[str]
    functions: frozenset[str]
    table_functions: frozenset[str]
    units: frozenset[str] = frozenset()
    needs: dict[str, tuple[int, ...]] = {}
    oldest: int = 0
    without: dict[str, str] = {}
    formatters: frozenset[str] = words("printf format")
    variables: frozenset[str] = frozenset()
    file_names: str = ""
    session: SessionSetup = SessionSetup()
    reads: SchemaQueries | None = None
    probes: tuple[Probe, ...] = ()

    @property
    def kin(self) -> str:
        """The dialect whose particular checks hold: its own name, or that of the one it is like."""
        return self.like or self.name

    def of_version(self, version: Sequence[int]) -> Dialect:
        """The dialect as a server of that version speaks it. Args: version: see `Schema.version`; empty: not known."""
        lacking = {
            name
            for name, needed in self.needs.items()
            if any(there < wanted for there, wanted in zip(version, needed, strict=False))
        }
        if not lacking:
            return self
        without = {name: text for name, text in self.without.items() if name in lacking}
        missing = {name: text.format(column="col") for name, text in without.items()}
        functions = self.functions, self.aggregates, self.table_functions
        if version[0] >= self.oldest:
            functions = tuple(names - lacking for names in functions)  # type: ignore[assignment]
        return self.model_copy(
            update={
                "truncate_month": _stand_in(self.truncate_month, without),
                "hints": tuple(_stand_in(hint, missing) for hint in self.hints),
                "instead": {name: _stand_in(text, missing) for name, text in self.instead.items()} | missing,
                **dict(zip(("functions", "aggregates", "table_functions"), functions, strict=True)),
            }
        )

    def fold(self, name: str) -> str:
        """What the engine looks up for `name` written without quotes."""
        return {NameCase.LOWER: name.lower, NameCase.UPPER: name.upper}.get(self.case, name.__str__)()

    def quote_name(self, name: str) -> str:
        """`name` as it can stand in a query: quoted only where it must be."""
        if _PLAIN.fullmatch(name) and not self.is_reserved(name) and self.fold(name) == name:
            return name
        return self.always_quote(name)

    def is_reserved(self, name: str) -> bool:
        """Whether a word is no name without quotes, in whatever case."""
        return name.lower() in RESERVED or name.lower() in self.reserved

    def qualify(self, parts: Sequence[str]) -> str:
        """A name of several parts, `Table.parts`, as it can stand in a query."""
        return ".".join(map(self.quote_name, parts))

    def always_quote(self, name: str) -> str:
        """`name` in quotes, whatever it holds."""
        before, after = self.quote
        return before + name.replace(after, after * 2) + after

    def may_call(self, name: str, *, in_from: bool) -> bool:
        """Whether a query may call the function of that (lower case) name, there."""
        return name in self.table_functions if in_from else name in self.functions or name in self.aggregates


def _stand_in(text: str, without: Mapping[str, str]) -> str:
    """A text in which calls of some functions give way to what `Dialect.without` has for them."""
    for name, stands_in in without.items():
        text = re.sub(rf"(?i)\b{name}\([^()]*\)", stands_in.replace("\\", r"\\"), text)
    return text


COMMON = words(
    "abs acos asin atan atan2 ceil ceiling cos degrees exp floor log log10 pi power radians round sign sin sqrt tan",
    "coalesce concat concat_ws lower ltrim nullif replace rtrim substring trim upper",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value",
)

COMMON_AGGREGATES = words("avg count max min sum")

# Functions that turn one row into several when they stand in a select list.
ROW_MAKERS = words(
    "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple",
    "arrayjoin generate_series generate_subscripts json_array_elements json_array_elements_text json_each",
    "json_each_text",
    "json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys",
    "jsonb_path_query regexp_matches regexp_split_to_table string_to_table unnest",
)

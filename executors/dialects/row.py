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
    """An immutable value that is passed between modules."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy as pydantic makes it, without the cached properties, which are computed again."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(copied).model_fields.keys():
            del copied.__dict__[name]
        return copied


def words(*lines: str) -> frozenset[str]:
    """The set of all words in the lines."""
    return frozenset(name for line in lines for name in line.split())


def read_words(module: str, name: str = "words.txt") -> dict[str, frozenset[str]]:
    """The words of a text file beside a module, by section. Args: module: its `__file__`; name: the file's name."""
    sections: dict[str, list[str]] = {}
    found: list[str] = []
    for line in Path(module).with_name(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            found = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            found += line.split()
    return {section: frozenset(listed) for section, listed in sections.items()}


def map_codes(kinds: Mapping[ErrorKind, str]) -> dict[str, ErrorKind]:
    """Invert a mapping of kinds to codes: the kind of each code."""
    return {code: kind for kind, codes in kinds.items() for code in codes.split()}


# Words that some or all engines do not accept as names without quotes. `Dialect.reserved` has those of one engine.
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
    """The keyword that limits the rows of a query."""

    LIMIT = "LIMIT"
    TOP = "TOP"
    FETCH = "FETCH FIRST"


class NameCase(StrEnum):
    """How the engine looks up a table's name that has no quotes."""

    ANY = "any"  # case does not matter, quoted or not
    LOWER = "lower"  # converted to lower case; quotes preserve case
    UPPER = "upper"  # converted to upper case; quotes preserve case
    EXACT = "exact"  # looked up unchanged


class Lexis(StrEnum):
    """How quotes and comments are read."""

    STANDARD = "standard"
    TSQL = "tsql"  # strings have no escapes: e'\\' is a name and a complete string
    MYSQL = "mysql"  # a backslash escapes, # begins a comment, -- does so only before a space, and /*! ... */ is run


class SessionSetup(Frozen):
    """How a connection is made safe, timed and stopped. If a field is empty, the driver or the executor does it itself.

    setup: Statements for every new connection, for reading or writing.
    read_only: Further statements for read-only connections.
    wishes: Further statements for read-only connections that a server may refuse. Nothing depends on them.
    begin: Statements that begin every transaction of a read-only connection, if the session itself cannot be read-only.
    timeout: A statement that sets the timeout of a query, with the placeholder `{ms}` or `{s}`.
    connection_id: A query that returns the id of its connection.
    cancel: A statement for another connection. It stops the query of connection `{id}`, but not the connection.
    statement_words: Reserved words that no query contains. One of them outside of quotes means another statement. For
        servers that accept several statements at once. Words with spaces between them are a phrase.
    first_words: The words that a query may begin with. Empty: any. For servers whose read-only session lets other
        statements through.
    lexis: How the server reads quotes and comments.
    transactions: Whether changes can be rolled back. If not, writes are not allowed.
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


READERS_LOGIN = "reader's login"  # the one layer that a writable database cannot have


class Probe(Frozen):
    """A query that checks whether a layer under the guard holds on an open connection.

    layer: Name of the layer.
    sql: Returns one value: 1 if the layer holds, and 0 if not.
    refused: If set, the layer holds if the database refuses `sql`.
    pattern: If set, the layer holds if the first value of every row is text that matches this pattern.
    advice: What to do if the layer does not hold.
    """

    layer: str
    sql: str
    refused: bool = False
    pattern: str = ""
    advice: str


class SchemaQueries(Frozen):
    """The catalogue queries of a dialect. Each returns the columns named here, in that order. Empty: there is no query.

    version: One row of numbers, where a higher number is newer; see `Dialect.needs`.
    default_schema: One value: the schema whose tables need no qualifier.
    tables: schema, table, is view (0 or 1), comment, estimated number of rows (NULL: unknown).
    columns: schema, table, column, type, nullable (0 or 1), comment; in the table's order. If the name of a type does
        not show whether it is text, a seventh column does (0 or 1).
    plain_tables, plain_columns: The same without comments and counts, used if the first query is refused.
    primary_keys: schema, table, column; in the order of the key.
    foreign_keys: schema, table, constraint, column, referenced schema, table and column; in the order of the key.
    samples: schema, table, column, and `{n}` values, the most frequent ones first, as an array or a JSON array, in one
        row or in several. They come from the server's statistics, so that no table is read.
    samples_by_column: Whether each column has its own statistics. If so, `samples` returns a row for each column that
        has statistics, with NULL if no value is frequent. Else a table has statistics of all its columns, or none.
    types: Names of the database's own types, a cast to which does nothing but convert a value; see `Schema.types`.
    first_rows: The first `{n}` rows of `{columns}` of `{table}`, for tables without statistics.
    head: The first `{n}` characters of `{column}`.
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

    sqlglot: sqlglot's name of the dialect.
    like: Another dialect whose special checks apply to this one too. Empty if there is none.
    quote: The opening and closing quotes of a name.
    reserved: Words in lower case, beyond those of `RESERVED`, that cannot be names without quotes here. Every name in
        a query that runs is quoted, so no query depends on them. They decide where people and models see quotes.
        Sources: the vendors' lists, as in SQLAlchemy's dialects; for DuckDB, `duckdb_keywords()`; for SQLite, the words
        that its parser refuses.
    case: How a name without quotes is looked up.
    truncate_month: A template with the placeholder `{column}`.
    hints: Facts that a model must know, with one example each, most important first.
    instead: Function of another dialect -> what to write here.
    codes: The driver's code (SQLSTATE, number, error class) -> its kind. More reliable than `errors`.
    deadlocks: Codes of queries that were chosen to end a deadlock. Such a query is run once more.
    lock_waits: Codes of statements that gave up waiting for rows locked by another transaction.
    advice: How to repair an error, by its code, if the kind alone does not explain it.
    errors: Pattern of the driver's message -> its kind. The first match counts; `(?P<name>...)` is the affected name.
    schemas: Qualifiers that mean the default schema. For a server, the schema that it reports as its default counts
        too.
    catalogue: Pattern of names, or schemas, that describe the database itself.
    row_ids: Columns that every table has, although no catalogue lists them.
    one_row_table: The table from which values are selected. Every database has it, although no catalogue lists it.
    integer_division: Whether `/` of integers gives an integer.
    ignores_case: Whether the usual collations compare texts without regard to case, accents and spaces at the end.
    made_tables, made_columns: Pattern of names from which the server generates a table, and the columns of that table.
    named_by_text: Whether an expression without an alias is named by its text, including quotes.
    has_fields: Whether `a.b` may be field `b` of column `a`, and a table's name may mean its row.
    recursive_word: Whether WITH needs RECURSIVE for a CTE to refer to itself.
    aggregates, functions: Pure functions that a query may call, named as in the engine's documentation. Anything else
        is refused, so functions that read a file, sleep, change a setting or run text as SQL need no list.
    table_functions: Functions that may be called in FROM. They generate rows from their arguments alone.
    units: Functions whose arguments may contain a unit of time as a bare word: DATEADD(month, 1, col).
    needs: The version that a function needs, if not every server has it, with as many numbers as in
        `SchemaQueries.version`. A server lacks the function if any of its numbers is lower.
    oldest: The oldest version that is known here. No function is removed for an older server.
    without: Function -> what a server without it uses instead, with the placeholder `{column}`. It replaces the
        function in `truncate_month`, `hints` and `instead`.
    formatters: Functions whose first argument is a pattern, which can request text of any length.
    variables: Variables of the server (`@@name`) that a query may read: how values are compared, written and
        distinguished.
    file_names: Pattern of a table's name that the engine would read as a file or an address. Empty if it never does.
    session, reads: Of a server.
    probes: Queries that check the layers under the guard on a connection. Empty if no layer can be checked.
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
    ignores_case: bool = False
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
        """The dialect whose special checks apply: `like`, or the dialect's own name."""
        return self.like or self.name

    def of_version(self, version: Sequence[int]) -> Dialect:
        """The dialect of a server of that version. Args: version: see `Schema.version`; empty: unknown."""
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
        """The name that the engine looks up if `name` is written without quotes."""
        return {NameCase.LOWER: name.lower, NameCase.UPPER: name.upper}.get(self.case, name.__str__)()

    def quote_name(self, name: str) -> str:
        """`name` as it is written in a query, quoted only if it must be."""
        if _PLAIN.fullmatch(name) and not self.is_reserved(name) and self.fold(name) == name:
            return name
        return self.always_quote(name)

    def is_reserved(self, name: str) -> bool:
        """Whether a word, in any case, cannot be a name without quotes."""
        return name.lower() in RESERVED or name.lower() in self.reserved

    def qualify(self, parts: Sequence[str]) -> str:
        """A name of several parts, `Table.parts`, as it is written in a query."""
        return ".".join(map(self.quote_name, parts))

    def always_quote(self, name: str) -> str:
        """`name` in quotes."""
        before, after = self.quote
        return before + name.replace(after, after * 2) + after

    def may_call(self, name: str, *, in_from: bool) -> bool:
        """Whether a query may call a function. Args: name: in lower case; in_from: whether the call is in FROM."""
        return name in self.table_functions if in_from else name in self.functions or name in self.aggregates


def _stand_in(text: str, without: Mapping[str, str]) -> str:
    """The text with calls of some functions replaced by those of `without` (see `Dialect.without`)."""
    for name, stands_in in without.items():
        text = re.sub(rf"(?i)\b{name}\([^()]*\)", stands_in.replace("\\", r"\\"), text)
    return text


COMMON = words(
    "abs acos asin atan atan2 ceil ceiling cos degrees exp floor log log10 pi power radians round sign sin sqrt tan",
    "coalesce concat concat_ws lower ltrim nullif replace rtrim substring trim upper",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value",
)

COMMON_AGGREGATES = words("avg count max min sum")

# Functions that turn one row into several when they are called in a select list.
ROW_MAKERS = words(
    "explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple",
    "arrayjoin generate_series generate_subscripts json_array_elements json_array_elements_text json_each",
    "json_each_text",
    "json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys",
    "jsonb_path_query regexp_matches regexp_split_to_table string_to_table unnest",
)

"""What a row of the dialect table holds."""

from __future__ import annotations

import re
from enum import StrEnum

from executors.base import Frozen
from executors.errors import ErrorKind


def words(*lines: str) -> frozenset[str]:
    """The words of some lines, as a set."""
    return frozenset(name for line in lines for name in line.split())


class Limit(StrEnum):
    """The words that cap the rows of a query."""

    LIMIT = "LIMIT"
    TOP = "TOP"
    FETCH = "FETCH FIRST"


class Case(StrEnum):
    """What a name without quotes means to the engine, where tables are looked up."""

    ANY = "any"  # upper and lower case are the same, quoted or not
    LOWER = "lower"  # becomes lower case; only quotes keep it
    UPPER = "upper"
    EXACT = "exact"  # is looked up as it stands


class Session(Frozen):
    """How a connection is made safe, timed and stopped. Empty: the driver, or the executor, has a way of its own.

    read_only: statements for every new connection.
    timeout: one for every query, with the hole `{ms}` or `{s}`.
    connection_id: a query whose one value says which connection this is.
    cancel: what another connection says to stop the query of `{id}`, and nothing but the query.
    statement_words: reserved words that no query has; one outside of quotes means another statement. For servers that
        take several statements at once.
    transactions: whether what was written can be undone; without, there is no writing.
    """

    read_only: tuple[str, ...] = ()
    timeout: str = ""
    connection_id: str = ""
    cancel: str = ""
    statement_words: frozenset[str] = frozenset()
    transactions: bool = True


class SchemaQueries(Frozen):
    """One round of catalogue queries. Each gives the columns named here, in that order; empty: the server has no such.

    default_schema: the one value is the schema whose tables need no qualifier.
    tables: schema, table, is view (0 or 1), comment, estimate of rows (NULL: unknown).
    columns: schema, table, column, type, nullable (0 or 1), comment; in the order of the table.
    primary_keys: schema, table, column; in the order of the key.
    foreign_keys: schema, table, constraint, column, its schema, table and column referred to; in the order of the key.
    samples: schema, table, column, the `{n}` most frequent values, an array or a JSON array, most frequent first; from
        the server's statistics, so that no table is read.
    first_rows: the first `{n}` rows of `{columns}` of `{table}`, for tables that have no statistics.
    head: the first `{n}` characters of `{column}`.
    """

    default_schema: str
    tables: str
    columns: str
    primary_keys: str = ""
    foreign_keys: str = ""
    samples: str = ""
    first_rows: str = "SELECT {columns} FROM {table} LIMIT {n}"
    head: str = "SUBSTRING({column}, 1, {n})"


class Dialect(Frozen):
    """One dialect.

    sqlglot: the parser's name of it.
    quote: what stands before and after a name that needs quoting.
    case: what a name without quotes means.
    months_ago, truncate_month: templates with the holes `{n}` and `{column}`.
    hints: what a model must be told, one example each, most important first.
    instead: function of another dialect -> what to write here.
    codes: the driver's code (SQLSTATE, number, error class) -> its kind; the most certain of both.
    errors: pattern of the driver's message -> its kind, first match counts; `(?P<name>...)` is the name it is about.
    schemas: qualifiers that mean "here"; for a server, the schema it says is its default counts too.
    catalogue: pattern of names, or schemas, that describe the database itself.
    row_ids: columns that every table has, unlisted.
    has_fields: `a.b` may be field `b` of column `a`, and a table's name may stand for its row.
    recursive_word: whether WITH needs RECURSIVE for a CTE to see itself.
    aggregates, functions: what a query may call, pure ones, as the engine's documentation names them; anything else
        is refused, so that what reads a file, sleeps, changes a setting or runs text as SQL needs no list of its own.
    table_functions: those that stand in FROM: they make rows out of their arguments alone.
    session, reads: of a server.
    """

    name: str
    title: str
    sqlglot: str
    quote: tuple[str, str] = ('"', '"')
    case: Case = Case.ANY
    limit: Limit = Limit.LIMIT
    months_ago: str
    truncate_month: str
    hints: tuple[str, ...]
    instead: dict[str, str] = {}
    codes: dict[str, ErrorKind] = {}
    errors: tuple[tuple[str, ErrorKind], ...]
    schemas: frozenset[str]
    catalogue: str
    row_ids: frozenset[str] = frozenset()
    has_fields: bool = False
    recursive_word: bool = True
    aggregates: frozenset[str]
    functions: frozenset[str]
    table_functions: frozenset[str]
    session: Session = Session()
    reads: SchemaQueries | None = None

    def quoted(self, name: str) -> str:
        """`name` as it can stand in a query: quoted only where it must be."""
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            return name
        return self.always_quoted(name)

    def always_quoted(self, name: str) -> str:
        """`name` in quotes, whatever it holds."""
        before, after = self.quote
        return before + name.replace(after, after * 2) + after

    def may_call(self, name: str, *, in_from: bool) -> bool:
        """Whether a query may call the function of that (lower case) name, there."""
        return name in self.table_functions if in_from else name in self.functions or name in self.aggregates


COMMON = words(
    "abs acos asin atan atan2 ceil ceiling cos degrees exp floor log log10 pi power radians round sign sin sqrt tan",
    "coalesce concat concat_ws lower ltrim nullif replace rtrim substring trim upper",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value",
)

COMMON_AGGREGATES = words("avg count max min sum")

# Functions that turn one row into several when they stand in a select list.
ROW_MAKERS = words(
    "generate_series generate_subscripts json_array_elements json_array_elements_text json_each json_each_text",
    "json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_object_keys",
    "jsonb_path_query regexp_matches regexp_split_to_table string_to_table unnest",
)

"""Load the sample shop into a database server.

    python -m samples.load_shop ADDRESS [--replace]

ADDRESS is a URL, or an ODBC string in quotes, as databases.yaml has it: postgresql://, mysql://, mariadb://,
clickhouse:// or mssql://. Types are the server's own; keys where it has them, comments on tables and columns too.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.dialects.row import Dialect
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import failures, pool
from executors.errors import DatabaseUnavailable, RegistryInvalid
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from executors.registry.openers import OPENERS
from samples.make_shop import HERE, make_shop
from samples.shop_tables import Column, ShopTable, shop_rows, shop_tables

if TYPE_CHECKING:
    from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor

_BATCH = 1000  # rows of one INSERT; SQL Server takes no more
_NUMBERS = ("INT", "DECIMAL")


class Words(NamedTuple):
    """How a server is told to make the shop's tables and to fill them.

    types: the definition's type -> the server's.
    nullable, required: a column that may be NULL, and one that may not, with the hole `{type}`.
    keys: whether it has foreign keys and unique columns.
    tail: what follows the list of columns, with the holes `{key}` and `{comment}`.
    column_comment: what follows a column.
    comments: makes the statement that comments a table's column, or the table where the column is empty; its third
        argument is the comment as a literal.
    after: a statement for each table when it is filled, with the hole `{table}`: fresh statistics.
    backslash: whether a backslash in a text escapes.
    prefix: of a text.
    """

    types: dict[str, str]
    nullable: str = "{type}"
    required: str = "{type} NOT NULL"
    keys: bool = True
    tail: str = ""
    column_comment: str = ""
    comments: Callable[[str, str, str], str] | None = None
    after: str = ""
    backslash: bool = False
    prefix: str = ""


def load_shop(
    address: str, *, folder: Path = HERE / "shop", replace: bool = False, done: Callable[[str, int], None] | None = None
) -> dict[str, int]:
    """Make the shop's tables on a server, and fill them.

    Args:
        address: of an empty database, with a user who may create tables there.
        folder: of the CSV files.
        replace: whether tables of these names are dropped first.
        done: told of each table when it is full, and how many rows it has.

    Returns:
        The tables, and how many rows went in.

    Raises:
        RegistryInvalid: the address cannot be read, or is of a server that the shop has no types for.
        DatabaseUnavailable: the server cannot be reached, or refuses: such tables are there, or the user may make none.
    """
    where = Address.parse(address)
    if where.dialect not in WORDS:
        raise RegistryInvalid(f"the shop can be loaded into {', '.join(WORDS)}, and not into {where.dialect}")
    words, dialect = WORDS[where.dialect], DIALECTS[where.dialect]
    tables = shop_tables()
    counts = dict.fromkeys((table.name for table in tables), 0)
    with _statements(where) as run:
        for table in reversed(tables) if replace else ():
            run(f"DROP TABLE IF EXISTS {dialect.always_quote(table.name)}")
        for table in tables:
            for statement in definition(table, dialect, words):
                run(statement)
            rows = shop_rows(table, folder)
            while batch := list(islice(rows, _BATCH)):
                run(insertion(table, batch, dialect, words))
                counts[table.name] += len(batch)
            if words.after:
                run(words.after.format(table=dialect.always_quote(table.name)))
            if done is not None:
                done(table.name, counts[table.name])
    return counts


def definition(table: ShopTable, dialect: Dialect, words: Words) -> Iterator[str]:
    """The statements that make a table: CREATE TABLE, and its comments where they are no part of that."""
    quote = dialect.always_quote

    def listed(names: Sequence[str]) -> str:
        return ", ".join(map(quote, names))

    parts = [f"{quote(column.name)} {_declared(column, words)}" for column in table.columns]
    if words.keys:
        parts.append(f"PRIMARY KEY ({listed(table.primary_key)})")
        parts += [
            f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {quote(key.table)} ({listed(key.referenced)})"
            for key in table.foreign_keys
        ]
    tail = words.tail.format(key=listed(table.primary_key), comment=_text(table.comment, words))
    yield f"CREATE TABLE {quote(table.name)} ({', '.join(parts)}){tail}"
    if words.comments is not None:
        yield words.comments(table.name, "", _text(table.comment, words))
        for column in table.columns:
            if column.comment:
                yield words.comments(table.name, column.name, _text(column.comment, words))


def insertion(table: ShopTable, rows: Sequence[Sequence[str | None]], dialect: Dialect, words: Words) -> str:
    """One INSERT of some rows."""
    numbers = [column.type in _NUMBERS for column in table.columns]
    values = ", ".join(
        "(" + ", ".join(_literal(value, number, words) for value, number in zip(row, numbers, strict=True)) + ")"
        for row in rows
    )
    columns = ", ".join(dialect.always_quote(column.name) for column in table.columns)
    return f"INSERT INTO {dialect.always_quote(table.name)} ({columns}) VALUES {values}"


def _declared(column: Column, words: Words) -> str:
    kind = words.types[column.type].format(arguments=column.arguments)
    kind = (words.nullable if column.nullable else words.required).format(type=kind)
    if column.unique and words.keys:
        kind += " UNIQUE"
    return kind + (words.column_comment.format(comment=_text(column.comment, words)) if column.comment else "")


def _literal(value: str | None, number: bool, words: Words) -> str:
    if value is None:
        return "NULL"
    return value if number else _text(value, words)


def _text(value: str, words: Words) -> str:
    escaped = value.replace("\\", "\\\\") if words.backslash else value
    return words.prefix + "'" + escaped.replace("'", "''") + "'"


@contextlib.contextmanager
def _statements(address: Address) -> Iterator[Callable[[str], Any]]:
    """Runs statements, with the connection that the executor of that server makes; committed when all is well."""
    opener = OPENERS[address.dialect]
    try:
        kind: type[SqlAlchemyExecutor] = getattr(import_module(opener.module), opener.executor)
        executor = kind("the server", address, options=ServerOptions(writable=True))
        server = pool.load(executor.url())
    except ImportError as error:
        raise failures.no_driver("The server", DIALECTS[address.dialect]) from error
    try:
        connection = server.connect(executor.connect_options())
    except (server.error, OSError) as error:
        raise failures.unreachable("The server", error) from error
    with contextlib.closing(connection):
        try:
            cursor = connection.cursor()
            for statement in DIALECTS[address.dialect].session.setup:
                cursor.execute(statement)
            yield cursor.execute
            cursor.close()
            connection.commit()
        except server.error as error:
            said = str(error).strip().partition("\n")[0][:300]
            raise DatabaseUnavailable(f"The server refuses the shop: {said}") from error


def _postgresql_comment(table: str, column: str, text: str) -> str:
    place = f'COLUMN "{table}"."{column}"' if column else f'TABLE "{table}"'
    return f"COMMENT ON {place} IS {text}"


def _sqlserver_comment(table: str, column: str, text: str) -> str:
    place = f", N'COLUMN', N'{column}'" if column else ""
    return (
        "DECLARE @here sysname = SCHEMA_NAME(); "
        f"EXEC sp_addextendedproperty N'MS_Description', {text}, N'SCHEMA', @here, N'TABLE', N'{table}'{place}"
    )


_MYSQL = Words(
    types={"INT": "INT", "VARCHAR": "VARCHAR(255)", "DECIMAL": "DECIMAL({arguments})", "DATE": "DATE",
           "TIMESTAMP": "DATETIME"},
    tail=" ENGINE = InnoDB, DEFAULT CHARACTER SET utf8mb4, COMMENT = {comment}",
    column_comment=" COMMENT {comment}",
    after="ANALYZE TABLE {table}",
    backslash=True,
)  # fmt: skip

# Dialect -> its words.
WORDS: dict[str, Words] = {
    "postgresql": Words(
        types={"INT": "integer", "VARCHAR": "text", "DECIMAL": "numeric({arguments})", "DATE": "date",
               "TIMESTAMP": "timestamp"},
        comments=_postgresql_comment,
        after="ANALYZE {table}",
    ),
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
    "clickhouse": Words(
        types={"INT": "Int32", "VARCHAR": "String", "DECIMAL": "Decimal({arguments})", "DATE": "Date",
               "TIMESTAMP": "DateTime"},
        nullable="Nullable({type})",
        required="{type}",
        keys=False,
        tail=" ENGINE = MergeTree PRIMARY KEY ({key}) COMMENT {comment}",
        column_comment=" COMMENT {comment}",
        backslash=True,
    ),
    "sqlserver": Words(
        types={"INT": "INT", "VARCHAR": "NVARCHAR(255)", "DECIMAL": "DECIMAL({arguments})", "DATE": "DATE",
               "TIMESTAMP": "DATETIME2(0)"},
        comments=_sqlserver_comment,
        prefix="N",
    ),
}  # fmt: skip


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m samples.load_shop", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("address", help="of an empty database, as databases.yaml has it")
    parser.add_argument("--replace", action="store_true", help="drop tables of the same names first")
    options = parser.parse_args()
    make_shop()
    try:
        load_shop(options.address, replace=options.replace, done=lambda table, rows: print(f"{table}: {rows:,} rows"))
    except (RegistryInvalid, DatabaseUnavailable) as error:
        raise SystemExit(f"The shop was not loaded. {error}") from None


if __name__ == "__main__":
    main()

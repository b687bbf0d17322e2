"""Reads the schema of a DuckDB database: types, keys, comments, row counts, samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.base import Column, ForeignKey, Schema, Table
from executors.engines.common.local.files import Samples, quote_name, sample_values
from executors.engines.common.stopping import Watch

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# A view, or a table over a file, may be slow to count or sample. After these times, the schema omits the result.
COUNTING_S = 2.0
SAMPLING_S = 5.0

_HERE = "database_name = current_database() AND NOT internal"
_TABLES = f"""
    SELECT schema_name, table_name, comment, false, table_oid AS oid FROM duckdb_tables() WHERE {_HERE}
    UNION ALL
    SELECT schema_name, view_name, comment, true, view_oid FROM duckdb_views() WHERE {_HERE}
    ORDER BY oid
"""
_COLUMNS = f"""
    SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
    FROM duckdb_columns() WHERE {_HERE} ORDER BY table_oid, column_index
"""
_KEYS = """
    SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
    ORDER BY table_oid, constraint_index
"""

Name = tuple[str, str]


class DuckdbCatalogue(NamedTuple):
    """A schema; the DuckDB schemas of its tables, in the order of lookup; and one sentence per omitted part."""

    schema: Schema
    search_path: tuple[str, ...]
    warnings: tuple[str, ...]


def read(cursor: DuckDBPyConnection, database: str, samples: int) -> DuckdbCatalogue:
    """Read all tables and views, in the order of their creation, first those of `main`, then other schemas by name.

    Tables have bare names. If two schemas have a table of the same name, only the first one is included.
    """
    tables = cursor.execute(_TABLES).fetchall()
    columns: dict[Name, list[tuple[Any, ...]]] = defaultdict(list)
    for schema_name, table_name, *column in cursor.execute(_COLUMNS).fetchall():
        columns[schema_name, table_name].append(tuple(column))
    keys: dict[Name, list[tuple[Any, ...]]] = defaultdict(list)
    for schema_name, table_name, *key in cursor.execute(_KEYS).fetchall():
        keys[schema_name, table_name].append(tuple(key))

    path = tuple(sorted({row[0] for row in tables}, key=lambda name: (name != "main", name)))
    taken: set[str] = set()
    warnings, found = list[str](), list[Table]()
    for schema_name, name, comment, is_view, _ in sorted(tables, key=lambda row: path.index(row[0])):
        if name.lower() in taken:
            warnings.append(f"The table {schema_name}.{name} is left out: another schema has one of the same name.")
            continue
        taken.add(name.lower())
        where, described = f"{quote_name(schema_name)}.{quote_name(name)}", columns[schema_name, name]
        values = text_samples(cursor, where, [(row[0], row[1]) for row in described], samples)
        found.append(
            Table(
                name=name,
                columns=tuple(
                    Column(name=of, type=kind, nullable=nullable, comment=note or "", samples=values.get(of, ()))
                    for of, kind, nullable, note in described
                ),
                primary_key=next((tuple(k[1]) for k in keys[schema_name, name] if k[0] == "PRIMARY KEY"), ()),
                foreign_keys=tuple(
                    ForeignKey(columns=tuple(columns), table=table, referenced=tuple(referenced))
                    for kind, columns, table, referenced in keys[schema_name, name]
                    if kind == "FOREIGN KEY"
                ),
                comment=comment or "",
                row_count=count_rows(cursor, where),
                is_view=is_view,
            )
        )
    return DuckdbCatalogue(Schema(database=database, dialect="duckdb", tables=tuple(found)), path, tuple(warnings))


def count_rows(cursor: DuckDBPyConnection, table: str) -> int | None:
    """The number of rows of a table. None if counting takes too long or fails. Args: table: as in a FROM clause."""
    import duckdb

    try:
        with Watch(cursor.interrupt, COUNTING_S):
            row = cursor.execute(f"SELECT count(*) FROM {table}").fetchone()
    except duckdb.Error:  # a view's query may fail
        return None
    return int(row[0]) if row else None


def is_key(cursor: DuckDBPyConnection, table: str, column: str) -> bool:
    """Whether a column has no NULL and no repeated value. False if the check takes too long."""
    import duckdb

    try:
        with Watch(cursor.interrupt, COUNTING_S):
            row = cursor.execute(f"SELECT count(*) > 0 AND count(*) = count(DISTINCT {column}) FROM {table}").fetchone()
    except duckdb.Error:
        return False
    return bool(row and row[0])


def text_samples(cursor: DuckDBPyConnection, table: str, columns: Sequence[tuple[str, str]], count: int) -> Samples:
    """The `count` most frequent values of each text column (name and type). Empty if it takes too long or fails."""
    import duckdb

    texts = [name for name, kind in columns if kind == "VARCHAR" or kind.startswith("ENUM")]
    try:
        with Watch(cursor.interrupt, SAMPLING_S):
            return sample_values(lambda sql: cursor.execute(sql).fetchall(), table, texts, count, "CAST({} AS VARCHAR)")
    except duckdb.Error:
        return {}

"""Hides the declared foreign keys of databases, and counts how many are found again from names and values.

    python -m bench.implied_keys FOLDER... [--show]

FOLDER: a folder of SQLite files, such as `database` of a set in Spider's form. Only keys of one column whose values all
occur in their target count. "without primary keys" hides these, too: so are the tables of DuckDB files and folders of
CSV files. Keys that are found and not declared are not necessarily wrong: many schemas declare some of theirs only.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import NamedTuple

from agent.databases.database import Database
from agent.databases.knowledge.implied_keys import add_keys
from executors.base import ForeignKey, Schema
from executors.registry.registry import Registry
from executors.router import Router


class Key(NamedTuple):
    """A foreign key of one column, in lower case."""

    table: str
    column: str
    owner: str
    referenced: str


class Found(NamedTuple):
    """The keys of one database: those that its schema declares and its rows keep, and those that were found."""

    declared: set[Key]
    found: set[Key]


async def find(path: Path, *, primary: bool) -> Found:
    """The declared and the found keys of a SQLite file. `primary`: whether the search sees primary keys."""
    router = Router(Registry(), sample_values=3, duckdb_memory="200MB", duckdb_threads=1)
    database = Database(router.open_path(path), limit=2, timeout_s=60)
    try:
        schema = await database.schema()
        declared = {it for it in keys_of(schema) if await is_kept(it, database)}
        hidden = {"foreign_keys": ()} if primary else {"foreign_keys": (), "primary_key": ()}
        bare = schema.model_copy(update={"tables": tuple(it.model_copy(update=hidden) for it in schema.tables)})
        return Found(declared, set(keys_of(await add_keys(database, bare))))
    finally:
        await database.close()


def keys_of(schema: Schema) -> list[Key]:
    """The foreign keys of one column, with the columns that they refer to."""

    def referenced(key: ForeignKey) -> str:
        owner = schema.table(key.table)
        return (key.referenced or (owner.primary_key if owner is not None else ()) or ("",))[0]

    single = [(it, key) for it in schema.tables for key in it.foreign_keys if len(key.columns) == 1]
    found = [(it.name, key.columns[0], key.table, referenced(key)) for it, key in single]
    return [Key(*map(str.lower, names)) for names in found if names[3]]


async def is_kept(key: Key, database: Database) -> bool:
    """Whether the column has values, and all of them occur in the key."""
    sql = (
        f'SELECT COUNT(DISTINCT a."{key.column}"), COUNT(DISTINCT b."{key.referenced}") FROM "{key.table}" AS a '
        f'LEFT JOIN "{key.owner}" AS b ON a."{key.column}" = b."{key.referenced}"'
    )
    values, occur = (await database.run(await database.check(sql, 1))).rows[0]
    return bool(values and values == occur)


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each way to look; with `--show`, the keys that are missed and those that are not declared."""
    parser = argparse.ArgumentParser(prog="python -m bench.implied_keys", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--show", action="store_true", help="print the missed and the undeclared keys")
    options = parser.parse_args(arguments)
    files = [it for folder in options.folders for it in sorted(folder.glob("*.sqlite"))]
    for primary in (True, False):
        each = {it: asyncio.run(find(it, primary=primary)) for it in files}
        declared, found = (sum(len(it[at]) for it in each.values()) for at in (0, 1))
        again = sum(len(it.declared & it.found) for it in each.values())
        print(
            f"{'with' if primary else 'without'} primary keys: {again} of {declared} declared keys found, "
            f"and {found - again} that are not declared, in {len(files)} databases"
        )
        for name, keys in each.items() if options.show else ():
            for mark, several in (("missed", keys.declared - keys.found), ("undeclared", keys.found - keys.declared)):
                for it in sorted(several):
                    print(f"  {mark}: {name.stem}: {' '.join(it)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""The sample shop behind SQL Server's protocol: its stand-in serves the CSV files as they are."""

from __future__ import annotations

from pathlib import Path

from samples.make_shop import HERE
from samples.shop_tables import shop_tables
from testbed.sqlserver import Described, SqlServerStandIn, serve


def sqlserver_shop(folder: Path = HERE / "shop") -> SqlServerStandIn:
    """A server of the shop's CSV files, with its keys and comments; a context manager. Args: folder: of the files."""
    tables = shop_tables()
    about = Described(
        primary_keys={table.name: table.primary_key for table in tables},
        foreign_keys=[
            (table.name, key.columns, key.table, key.referenced) for table in tables for key in table.foreign_keys
        ],
        required=[(table.name, column.name) for table in tables for column in table.columns if not column.nullable],
        comments=[
            *((table.name, "", table.comment) for table in tables),
            *((table.name, one.name, one.comment) for table in tables for one in table.columns if one.comment),
        ],
    )
    return serve(folder, about)

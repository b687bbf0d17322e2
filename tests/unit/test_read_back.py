"""The comparison after a write."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from executors.base import Column, Schema, Table
from executors.engines.common.local.read_back import holds
from executors.guard.write import check_write


def column(name: str, kind: str) -> Column:
    return Column(name=name, type=kind, nullable=True)


COLUMNS = (
    column("id", "int"),
    column("Na]me", "varchar(9)"),
    column("price", "decimal(10,2)"),
    column("at", "datetime"),
)


def shop(dialect: str) -> Schema:
    goods = Table(name="goods", columns=COLUMNS, primary_key=("id",))
    bare = Table(name="bare", columns=COLUMNS)
    return Schema(database="shop", dialect=dialect, tables=(goods, bare))


@pytest.mark.parametrize("wanted, there, kind, same", [
    (10, 10, "int", True),
    (10, 11, "int", False),
    (1.9, 1, "int", True),  # cut, or rounded
    (1.9, 2, "int", True),
    (1.9, 3, "int", False),
    ("7", 7, "int", True),
    ("x", 7, "int", None),
    (Decimal("10.005"), Decimal("10.01"), "decimal(10,2)", True),
    (Decimal("10.00"), Decimal("10.01"), "decimal(10,2)", False),
    (0.1, 0.10000000149011612, "real", True),
    (0.1, 0.2, "real", False),
    ("a", "a   ", "char(4)", True),
    ("a", "A", "varchar(4)", False),
    ("", None, "varchar2(4)", True),  # Oracle
    (None, None, "int", True),
    (None, 0, "int", False),
    (5, None, "int", False),
    ("2024-02-29", dt.date(2024, 2, 29), "date", True),
    ("2024-02-29 10:00", dt.date(2024, 2, 29), "date", True),
    ("2024-02-28", dt.date(2024, 2, 29), "date", False),
    ("2024-02-29 10:00:00.1239", "2024-02-29T10:00:00.123", "datetime", True),
    ("2024-02-29 10:00", "2024-02-29T11:00:00", "datetime", False),
    ("29/02/2024", dt.date(2024, 2, 29), "date", None),
    (1, True, "bit", True),
    (0, True, "bit", False),
    ('{"a": 1}', {"a": 1}, "json", True),
    (b"a", b"b", "blob", False),
    (b"a", b"a\0\0", "binary(3)", True),
    ("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "uuid", None),
    ("24 hours", "24:00:00", "interval", None),
    ("a", "A", "enum('A')", None),
])  # fmt: skip
def test_a_value_is_compared_as_its_column_stores_it(wanted: Any, there: Any, kind: str, same: bool | None) -> None:
    assert holds(wanted, there, kind) is same


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql", "sqlserver", "mysql", "duckdb"])
@pytest.mark.parametrize("sql, compared", [
    ("UPDATE goods SET price = price * 2 WHERE id = 1", ("id", "price")),
    ("UPDATE goods SET id = id + 1 WHERE id = 1", ("id",)),
    ("DELETE FROM goods WHERE price > 2", ("id",)),
    ("INSERT INTO goods (price, id) VALUES (1, 2), (3, 4)", ("price", "id")),
    ("INSERT INTO goods (id, price) SELECT id + 100, price FROM goods WHERE id < 9", ("id", "price")),
])  # fmt: skip
def test_rows_are_found_by_their_key(dialect: str, sql: str, compared: tuple[str, ...]) -> None:
    plan = check_write(sql, shop(dialect), row_limit=10).read_back

    assert plan is not None
    assert (plan.compared_columns, plan.key) == (compared, ("id",))


@pytest.mark.parametrize("sql, why", [
    ("UPDATE bare SET price = 1 WHERE id = 1", "no primary key"),
    ("INSERT INTO goods (price) VALUES (1)", "the keys of the new rows"),
    ("INSERT INTO goods (id, price) SELECT id + 9, price FROM goods LIMIT 1", "the keys of the new rows"),
    ("DELETE FROM goods WHERE id > random()", "depends on when it runs"),
])  # fmt: skip
def test_what_cannot_be_found_again_says_why(sql: str, why: str) -> None:
    checked = check_write(sql, shop("sqlite"), row_limit=10)

    assert checked.read_back is None
    assert why in checked.unread


def test_what_a_clock_says_is_not_compared() -> None:
    plan = check_write("UPDATE goods SET at = CURRENT_TIMESTAMP, price = 1 WHERE id = 1", shop("sqlite"), row_limit=9)

    assert plan.read_back is not None
    assert plan.read_back.compared_columns == ("id", "price")


def test_mysql_sets_one_column_after_the_other() -> None:
    sql = "UPDATE goods SET price = price + 1, at = price WHERE id = 1"

    found = {dialect: check_write(sql, shop(dialect), row_limit=9).read_back for dialect in ("mysql", "sqlite")}

    assert {name: plan and plan.compared_columns for name, plan in found.items()} == {
        "mysql": ("id", "price"), "sqlite": ("id", "price", "at"),
    }  # fmt: skip


@pytest.mark.parametrize("dialect, sql, executable", [
    ("sqlserver", "INSERT INTO GOODS (ID, [NA]]ME]) VALUES (1, 'x')",
     "INSERT INTO [goods] ([id], [Na]]me]) VALUES (1, 'x')"),
    ("sqlserver", "UPDATE GOODS SET ID = ID + 1 WHERE ID > 2", "UPDATE [goods] SET [id] = [id] + 1 WHERE [id] > 2"),
    ("sqlserver", "DELETE FROM Goods WHERE ID = 1", "DELETE FROM [goods] WHERE [id] = 1"),
    ("postgresql", 'INSERT INTO goods (id, "NA]ME") VALUES (1, \'x\')',
     'INSERT INTO "goods" ("id", "Na]me") VALUES (1, \'x\')'),
    ("mysql", "UPDATE GOODS SET Price = 1 WHERE id = 1", "UPDATE `goods` SET `price` = 1 WHERE `id` = 1"),
])  # fmt: skip
def test_a_write_has_names_as_the_schema_spells_them(dialect: str, sql: str, executable: str) -> None:
    """Where case counts: in a Turkish collation `ID` is no `id`."""
    assert check_write(sql, shop(dialect), row_limit=10).executable == executable

"""The shop as servers that are not here spell it."""

from __future__ import annotations

from typing import Any

from executors.base import Column, ForeignKey, Schema, Table

NAMES = ("oracle", "hana", "databricks")


def shop(dialect: str) -> Schema:
    """The shop as that server's catalogue spells it."""
    spelled = str.lower if dialect == "databricks" else str.upper
    return Schema(
        database="shop",
        dialect=dialect,
        tables=(
            _table(spelled, "customers", "id name email country"),
            _table(spelled, "orders", "id customer_id total status created_at tags", customer_id="customers"),
            _table(spelled, "order_items", "order_id product_id quantity unit_price", order_id="orders"),
        ),
    )


def _table(spelled: Any, name: str, columns: str, **references: str) -> Table:
    names = [spelled(column) for column in columns.split()]
    keys = (
        ForeignKey(columns=(spelled(column),), table=spelled(table), referenced=(spelled("id"),))
        for column, table in references.items()
    )
    return Table(
        name=spelled(name),
        columns=tuple(Column(name=column, type="TEXT") for column in names),
        primary_key=(names[0],),
        foreign_keys=tuple(keys),
    )

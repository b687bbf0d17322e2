"""The shop for fuzzing: the statements that create it in any engine, and its schema."""

from __future__ import annotations

from pathlib import Path

from agent.platform.config.settings import Settings
from executors.base import Column, Schema, Table

TABLES = {
    "customers": "id name email country",
    "orders": "id customer_id total_amount status created_at",
    "order_items": "order_id product_id quantity unit_price",
    "products": "id name category details",
}
SHOP = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(40), email VARCHAR(40), country VARCHAR(2))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total_amount DOUBLE PRECISION, "
    "status VARCHAR(20), created_at DATE)",
    "CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER, unit_price DOUBLE PRECISION)",
    "CREATE TABLE products (id INTEGER PRIMARY KEY, name VARCHAR(40), category VARCHAR(20), details VARCHAR(99))",
    "INSERT INTO customers VALUES (1, 'Ann', 'a@x.org', 'DE'), (2, 'Bob', NULL, 'FR'), (3, 'bob''s', 'b@x.org', 'DE')",
    "INSERT INTO orders VALUES (1, 1, 10.5, 'paid', '2024-01-05'), (2, 1, 20, 'open', '2024-02-10'), "
    "(3, 2, 7.25, 'paid', '2024-02-11'), (4, NULL, 99, 'paid', '2023-12-31'), (5, 2, NULL, 'drop table', '2024-03-01')",
    "INSERT INTO order_items VALUES (1, 1, 3, 2.5), (1, 2, 1, 3), (2, 1, 8, 2.5), (3, 2, 2, 3.625), (4, 3, 1, 99)",
    "INSERT INTO products VALUES (1, 'Pen', 'office', '{\"a\": 1, \"tags\": [\"x\"]}'), (2, 'Tea', 'food', '{}'), "
    "(3, 'Car', NULL, NULL)",
    "CREATE VIEW paid AS SELECT * FROM orders WHERE status = 'paid'",
)


def shop_schema(dialect: str) -> Schema:
    """The shop as a caller may see it, in any dialect."""
    tables = tuple(
        Table(name=name, columns=tuple(Column(name=column, type="TEXT") for column in columns.split()))
        for name, columns in TABLES.items()
    )
    return Schema(database="shop", dialect=dialect, tables=tables)


def settings_in(folder: Path, **changes: object) -> Settings:
    """Settings of a service whose registry, state and cache are in a folder, with the fewest calls of the model."""
    places = {"registry": folder / "databases.yaml", "state_dir": folder / "state", "cache_dir": folder / "cache"}
    return Settings(profile="embedded", second_draft=False, enable_retrieval=False, **places, **changes)  # type: ignore[arg-type]

"""Make the sample shop: a folder of CSV files, an SQLite database and a DuckDB database with the same rows.

    python -m samples.make_shop [--folder DIR] [--force]

Seeded: the CSV files are the same to the byte every time. Made once: files that fit this program are left alone.
What the columns mean, and what counts as revenue, is in `docs/shop.md`, and on purpose nowhere in the databases.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from samples import catalogue, story

if TYPE_CHECKING:
    from rich.progress import Progress

HERE = Path(__file__).parent

# One definition for both databases: SQLite reads the types by affinity. Comments say what a thing is, not its codes.
TABLES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "categories": (
        "Groups of products",
        "category_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL",
        ("category_id", "name"),
    ),
    "products": (
        "What the shop sells",
        "product_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, "
        "category_id INTEGER NOT NULL REFERENCES categories (category_id), "
        "unit_price DECIMAL(10, 2) NOT NULL, launched_on DATE NOT NULL",
        ("product_id", "name", "category_id", "unit_price", "launched_on"),
    ),
    "customers": (
        "People with an account",
        "customer_id INTEGER PRIMARY KEY, first_name VARCHAR NOT NULL, last_name VARCHAR NOT NULL, "
        "email VARCHAR NOT NULL UNIQUE, country VARCHAR NOT NULL, city VARCHAR NOT NULL, signed_up_on DATE NOT NULL",
        ("customer_id", "first_name", "last_name", "email", "country", "city", "signed_up_on"),
    ),
    "orders": (
        "One row per order",
        "order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (customer_id), "
        "ordered_at TIMESTAMP NOT NULL, status VARCHAR NOT NULL, channel VARCHAR NOT NULL, "
        "amount DECIMAL(10, 2) NOT NULL, tax DECIMAL(10, 2) NOT NULL, shipping DECIMAL(10, 2) NOT NULL",
        ("order_id", "customer_id", "ordered_at", "status", "channel", "amount", "tax", "shipping"),
    ),
    "order_items": (
        "The lines of the orders",
        "order_id INTEGER NOT NULL REFERENCES orders (order_id), line_number INTEGER NOT NULL, "
        "product_id INTEGER NOT NULL REFERENCES products (product_id), quantity INTEGER NOT NULL, "
        "unit_price DECIMAL(10, 2) NOT NULL, PRIMARY KEY (order_id, line_number)",
        ("order_id", "line_number", "product_id", "quantity", "unit_price"),
    ),
    "payments": (
        "Money received",
        "payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (order_id), "
        "paid_at TIMESTAMP NOT NULL, method VARCHAR NOT NULL, amount DECIMAL(10, 2) NOT NULL",
        ("payment_id", "order_id", "paid_at", "method", "amount"),
    ),
    "returns": (
        "Goods sent back",
        "return_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, line_number INTEGER NOT NULL, "
        "returned_on DATE NOT NULL, quantity INTEGER NOT NULL, reason INTEGER NOT NULL, "
        "refund DECIMAL(10, 2) NOT NULL, "
        "FOREIGN KEY (order_id, line_number) REFERENCES order_items (order_id, line_number)",
        ("return_id", "order_id", "line_number", "returned_on", "quantity", "reason", "refund"),
    ),
}
COLUMN_COMMENTS = {
    "products.launched_on": "First day on sale",
    "customers.country": "Two-letter country code (ISO 3166-1)",
    "orders.ordered_at": "When the order was placed",
    "order_items.unit_price": "Price of one unit on the day of the order",
    "payments.paid_at": "When the money arrived",
    "returns.returned_on": "When the goods came back",
}


class _Bar:
    """A progress bar that shows itself only when the work takes longer than two seconds."""

    _PATIENCE_S = 2.0

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total, self._done = title, total, 0
        self._began = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.stop()

    def step(self) -> None:
        """One of `total` steps is done."""
        self._done += 1
        if self._progress is None and time.monotonic() - self._began > self._PATIENCE_S:
            from rich.progress import Progress

            self._progress = Progress()
            self._progress.start()
            self._progress.add_task(self._title, total=self._total)
        if self._progress is not None:
            self._progress.update(self._progress.task_ids[0], completed=self._done)


def make_shop(folder: Path = HERE, *, force: bool = False) -> bool:
    """Make `shop/` (CSV), `shop.sqlite` and `shop.duckdb` in `folder`.

    Args:
        folder: where they go; made if need be.
        force: make them even when they are there and fit this program.

    Returns:
        False where there was nothing to do.
    """
    csv_folder, sqlite_file, duckdb_file = folder / "shop", folder / "shop.sqlite", folder / "shop.duckdb"
    stamp = csv_folder / ".stamp"
    version = _version()
    whole = all(path.exists() for path in (stamp, sqlite_file, duckdb_file, *(_csv(csv_folder, t) for t in TABLES)))
    if whole and not force and stamp.read_text() == version:
        return False
    # The stamp goes first and comes back last, so that files of a run that was cut short are never taken for whole.
    stamp.unlink(missing_ok=True)
    csv_folder.mkdir(parents=True, exist_ok=True)
    days = (story.LAST_DAY - story.FIRST_DAY).days + 1
    with _Bar("Making the sample shop", total=days + 3 * len(TABLES)) as bar:
        shop = story.Story()
        for _ in shop.tell():
            bar.step()
        for table, rows in shop.tables.items():
            _write_csv(_csv(csv_folder, table), table, rows)
            bar.step()
        _in_place_of(sqlite_file, lambda path: _write_sqlite(path, csv_folder, bar.step))
        _in_place_of(duckdb_file, lambda path: _write_duckdb(path, csv_folder, bar.step))
    stamp.write_text(version)
    return True


def _csv(folder: Path, table: str) -> Path:
    return folder / f"{table}.csv"


def _version() -> str:
    """What the files depend on: the text of the three modules that make them."""
    digest = hashlib.sha256()
    for source in (__file__, catalogue.__file__, story.__file__):
        digest.update(Path(source).read_bytes())
    return digest.hexdigest()


def _in_place_of(target: Path, write: Callable[[Path], None]) -> None:
    """Write beside the target and move it there when it is whole; a reader of the old file is not disturbed."""
    draft = target.with_name(f".{target.name}.new")
    draft.unlink(missing_ok=True)
    write(draft)
    draft.replace(target)


def _write_csv(path: Path, table: str, rows: story.Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(TABLES[table][2])
        writer.writerows(rows)


def _write_sqlite(path: Path, csv_folder: Path, step: Callable[[], None]) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        for table, (_, columns, names) in TABLES.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
            with _csv(csv_folder, table).open(encoding="utf-8", newline="") as file:
                reader = csv.reader(file)
                next(reader)
                holes = ", ".join("?" * len(names))
                rows = ([value or None for value in row] for row in reader)
                connection.executemany(f"INSERT INTO {table} VALUES ({holes})", rows)
            step()
        connection.commit()
    finally:
        connection.close()


def _write_duckdb(path: Path, csv_folder: Path, step: Callable[[], None]) -> None:
    import duckdb

    with duckdb.connect(str(path)) as connection:
        for table, (comment, columns, _) in TABLES.items():
            connection.execute(f"CREATE TABLE {table} ({columns})")
            connection.execute(f"COPY {table} FROM '{_quoted(_csv(csv_folder, table))}' (HEADER, NULLSTR '')")
            connection.execute(f"COMMENT ON TABLE {table} IS '{comment}'")
            step()
        for column, comment in COLUMN_COMMENTS.items():
            connection.execute(f"COMMENT ON COLUMN {column} IS '{comment}'")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m samples.make_shop", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=HERE, help="where the files go (default: beside this program)")
    parser.add_argument("--force", action="store_true", help="make them again")
    options = parser.parse_args()
    made = make_shop(options.folder, force=options.force)
    print("The sample shop is made." if made else "The sample shop is there already.")


if __name__ == "__main__":
    main()

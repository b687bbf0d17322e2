"""`row_filter` in the registry: its syntax and its errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from executors.base import Column, ForeignKey, Schema, Table
from executors.errors import DatabaseUnavailable, RegistryInvalid
from executors.guard.row_security.held_rows import RowRules
from executors.guard.row_security.row_filter import RowFilter
from executors.registry.registry import Entry, load_registry


def load(tmp_path: Path, lines: str, url: str = "shop.sqlite") -> Entry:
    path = tmp_path / "databases.yaml"
    path.write_text(f"shop:\n  url: {url}\n" + "".join(f"  {line}\n" for line in lines.splitlines()), encoding="utf-8")
    return load_registry(path, {"REGION": "EU"}).entries[0]


def filter_of(entry: Entry) -> RowFilter:
    assert entry.row_filter is not None
    return entry.row_filter


PEOPLE = "principals: {anna@example.org: {region: EU}, lead@example.org: all}"


def test_who_is_in_no_row_sees_nothing(tmp_path: Path) -> None:
    entry = load(tmp_path, f"row_filter: 'region = :region'\n{PEOPLE}")

    assert entry.admits("Anna@Example.org"), "upper and lower case are the same"
    assert entry.admits("lead@example.org")
    assert entry.admits(None), "this machine's own user"
    assert not entry.admits("ben@example.org")
    assert not entry.admits("anonymous")
    assert filter_of(entry).values_of("anna@example.org") == {"region": "EU"}
    assert filter_of(entry).values_of("lead@example.org") is None


def test_a_star_is_everybody_else(tmp_path: Path) -> None:
    entry = load(tmp_path, "row_filter: 'region = :region'\nprincipals: {'*': {region: UK}, anna: {region: EU}}")

    assert entry.admits("anonymous")
    assert filter_of(entry).values_of("anna") == {"region": "EU"}
    assert filter_of(entry).values_of("ben") == {"region": "UK"}


def test_a_filter_without_names_holds_for_everybody(tmp_path: Path) -> None:
    entry = load(tmp_path, "row_filter: 'is_public = 1'")

    assert entry.admits("anybody")
    assert filter_of(entry).values_of("anybody") == {}


def test_allowed_and_the_filter_have_to_admit(tmp_path: Path) -> None:
    entry = load(tmp_path, "row_filter: 'x = 1'\nallowed: [anna]")

    assert entry.admits("anna")
    assert not entry.admits("ben")


def test_values_keep_their_types_and_take_variables(tmp_path: Path) -> None:
    entry = load(
        tmp_path, "row_filter: 'a = :a and b = :b and c = :c and d IN :d'\n"
        "principals: {anna: {a: '${REGION}', b: 7, c: true, d: [1, 'x']}}"
    )  # fmt: skip

    assert filter_of(entry).values_of("anna") == {"a": "EU", "b": 7, "c": True, "d": (1, "x")}
    assert repr(filter_of(entry).values_of("anna")) == "{'a': 'EU', 'b': 7, 'c': True, 'd': (1, 'x')}"


@pytest.mark.parametrize(("lines", "told"), [
    ("row_filter: 'region = '", "this is not SQL of SQLite"),
    ("row_filter: 'a = 1; DROP TABLE orders'", "write a condition"),
    ("row_filter: 'SELECT 1'", "write a condition"),
    ("row_filter: 'DELETE FROM orders'", "cannot be used"),
    ("row_filter: 'id IN (SELECT 1) UNION SELECT 2'", "cannot be used"),
    ("row_filter: 'load_extension(1)'", "load_extension is not available"),
    ("row_filter: 'region = ?'", "a value is written `:name`"),
    ("row_filter: 'region = :region'\nprincipals: {anna: {regoin: EU}}", "'anna' has no value for :region"),
    ("row_filter: 'region = :region'", "'*' has no value for :region"),
    ("row_filter: 'region = :region'\nprincipals: {anna: {region: [EU, UK]}}", ":region is a list for 'anna'"),
    ("row_filter: 'day > :day'\nprincipals: {anna: {day: 2024-01-01}}", "a date is a text in quotes"),
    ("row_filter: 'a = :a'\nprincipals: {anna: {a: null}}", "anna.a wants a text"),
    ("row_filter: 'a = :a'\nprincipals: {anna: 7}", "'anna' wants `name: value`"),
    ("row_filter: 'a = :a'\nprincipals: [anna]", "`principals` wants by principal"),
    ("row_filter: 'a = :a'\nprincipals: {anna: all, Anna: all}", "'anna' is there twice"),
    ("row_filter: [a]", "`row_filter` wants a condition"),
    ("row_filter: {}", "`row_filter` wants a condition"),
    ("row_filter: {orders: true}", "`row_filter` wants a condition"),
    ("row_filter: {orders: all}\nunfiltered: [countries]", "write `table: all` here"),
    ("row_filter: 'a = 1'\nunfiltered: countries", "`unfiltered` wants a list"),
    ("unfiltered: [countries]", "`unfiltered` goes with `row_filter`"),
    (PEOPLE, "`principals` goes with `row_filter`"),
    ("row_filter: {orders: 'a = :a', items: 'b = :b'}\nprincipals: {anna: {a: 1}}", "'anna' has no value for :b"),
])  # fmt: skip
def test_what_is_wrong_is_told_with_its_entry(tmp_path: Path, lines: str, told: str) -> None:
    with pytest.raises(RegistryInvalid) as invalid:
        load(tmp_path, lines)
    assert told in str(invalid.value)
    assert "shop: " in str(invalid.value)


def test_a_server_is_read_in_its_own_dialect(tmp_path: Path) -> None:
    filtered = "row_filter: '`region` = :region'\nprincipals: {'*': {region: EU}}"

    assert load(tmp_path, filtered, "mysql://u:p@host/shop").row_filter is not None
    with pytest.raises(RegistryInvalid, match="not SQL of PostgreSQL"):
        load(tmp_path, filtered, "postgresql://u:p@host/shop")


# -- against the tables ------------------------------------------------------------------------------------


def table(name: str, *columns: str, **more: object) -> Table:
    return Table(name=name, columns=tuple(Column(name=it, type="TEXT", samples=("EU", "US")) for it in columns), **more)


SHOP = Schema(database="shop", dialect="sqlite", tables=(
    table("orders", "id", "region", "customer_id", row_count=9, foreign_keys=(
        ForeignKey(columns=("customer_id",), table="customers", referenced=("id",)),
        ForeignKey(columns=("region",), table="countries", referenced=("code",)),
    )),
    table("customers", "id", "name"),
    table("countries", "code"),
))  # fmt: skip
EU = {"*": {"region": "EU"}}


def visible(row_filter: RowFilter) -> Schema:
    SHOP.table("customers")  # what the whole schema has looked up must not be known to the other
    return RowRules(row_filter, SHOP).visible


def names(schema: Schema) -> list[str]:
    return [it.name for it in schema.tables]


def test_one_condition_hides_the_tables_without_its_columns() -> None:
    assert names(visible(RowFilter(every="region = :region", principals=EU))) == ["orders"]
    shown = visible(RowFilter(every="REGION = :region", unfiltered=("countries",), principals=EU))
    assert names(shown) == ["orders", "countries"]
    assert shown.table("customers") is None


def test_table_by_table_hides_those_that_are_not_named() -> None:
    row_filter = RowFilter(tables={"orders": "region = :region", "customers": "all"}, principals=EU)
    assert names(visible(row_filter)) == ["orders", "customers"]


def test_nothing_is_told_of_rows_or_tables_that_are_not_seen() -> None:
    (orders,) = visible(RowFilter(tables={"orders": "region = :region"}, principals=EU)).tables

    assert orders.row_count is None
    assert orders.foreign_keys == ()
    assert not any(column.samples for column in orders.columns)


def test_keys_to_tables_that_are_seen_stay() -> None:
    shown = visible(RowFilter(tables={"orders": "region = :region", "countries": "all"}, principals=EU))
    assert [key.table for key in shown.tables[0].foreign_keys] == ["countries"]


@pytest.mark.parametrize(("row_filter", "told"), [
    (RowFilter(every="regoin = 'EU'"), "no table has regoin"),
    (RowFilter(every="region = 'EU'", unfiltered=("contries",)), "there is no table 'contries'"),
    (RowFilter(tables={"order": "id = 1"}), "there is no table 'order'"),
    (RowFilter(tables={"orders": "regoin = 'EU'"}), "There is no column regoin"),
    (RowFilter(tables={"orders": "id IN (SELECT id FROM invoices)"}), "There is no table invoices"),
    (RowFilter(tables={"orders": "region = "}), "this is not SQL"),
    (RowFilter(tables={"orders": "region = :region"}, principals={"anna": {}}), "'anna' has no value for :region"),
])  # fmt: skip
def test_what_does_not_fit_the_tables_shows_nothing_at_all(row_filter: RowFilter, told: str) -> None:
    with pytest.raises(DatabaseUnavailable) as unavailable:
        RowRules(row_filter, SHOP)
    assert told in str(unavailable.value)
    assert "'shop' in databases.yaml" in str(unavailable.value)

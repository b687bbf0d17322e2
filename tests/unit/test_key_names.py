"""Which columns are named after a key, and that keys are looked up, not compared one by one."""

from __future__ import annotations

from collections import Counter

import pytest

from agent.databases.knowledge import implied_keys
from executors.base import Column, Schema, Table


def table(name: str, *columns: str, key: str = "") -> Table:
    return Table(
        name=name,
        columns=tuple(Column(name=column, type="integer") for column in columns),
        primary_key=(key,) if key else (),
    )


def schema(*tables: Table) -> Schema:
    return Schema(database="d", dialect="sqlite", tables=tables)


@pytest.mark.parametrize(
    "column, owner, key, letters",
    [
        ("customer_id", "customers", "id", 10),
        ("customer_id", "clients", "customer_id", 10),
        ("CustomerID", "customers", "id", 10),
        ("category_id", "categories", "id", 10),
        ("billing_customer_id", "clients", "customer_id", 10),
        ("Customer No", "Kunden", "customer-no", 10),
        ("id", "customers", "id", 0),
        ("customer", "customers", "id", 0),
        ("paid", "customers", "id", 0),
    ],
)
def test_a_column_is_named_after_a_key(column: str, owner: str, key: str, letters: int) -> None:
    found = implied_keys.candidates(schema(table("visits", column, "note"), table(owner, key, key=key)), 10)
    found = [it for it in found if it.matched_letters]
    assert [(it.table.name, it.column.name, it.owner.name, it.matched_letters) for it in found] == (
        [("visits", column, owner, letters)] if letters else []
    )


@pytest.mark.parametrize(
    "columns, asking, owner",
    [
        (("Room No", "floor"), "Room No", "Rooms"),
        (("room_number", "floor"), "room_number", "rooms"),
        (("country code", "name"), "country code", "countries"),
        (("Zimmernummer",), "zimmer_nummer", "Zimmer"),
        (("roo_cd", "floor"), "roo_cd", "Rooms"),
        (("oom_cd", "floor"), "oom_cd", "Rooms"),
        (("om_cd", "floor"), "om_cd", ""),
        (("id", "Room No"), "Room No", ""),
        (("Room No", "Room Code"), "Room No", ""),
        (("no", "floor"), "no", ""),
    ],
    ids=lambda it: str(it),
)
def test_a_key_that_is_not_declared_is_an_id_or_the_tables_number(
    columns: tuple[str, ...], asking: str, owner: str
) -> None:
    owners = {"Room": "Rooms", "room": "rooms", "country": "countries", "Zimmernummer": "Zimmer"}
    name = next((it for start, it in owners.items() if columns[0].startswith(start)), "Rooms")

    found = implied_keys.candidates(schema(table("bookings", asking, "note"), table(name, *columns)), 10)

    assert [it.owner.name for it in found if it.matched_letters] == ([owner] if owner else [])


def test_letters_that_all_tables_begin_with_say_nothing() -> None:
    tables = table("sbCust", "sbCustId", key="sbCustId"), table("sbTx", "sbTxCustId"), table("sbOther", "x")
    (found,) = implied_keys.candidates(schema(*tables), 10)
    assert (found.column.name, found.owner.name) == ("sbTxCustId", "sbCust")


def test_the_names_with_most_in_common_come_first_and_only_so_many() -> None:
    owners = [table(name, "id", key="id") for name in ("ships", "captains", "harbours")]
    asking = table("voyages", "ship_id", "captain_id", "harbour_id")
    found = implied_keys.candidates(schema(asking, *owners), 2)
    assert [it.column.name for it in found] == ["captain_id", "harbour_id"]


def test_columns_are_not_compared_with_keys_that_they_are_not_named_after(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    singulars = implied_keys._singulars

    def counted(name: str) -> set[str]:
        read.append(name)
        return singulars(name)

    monkeypatch.setattr(implied_keys, "_singulars", counted)
    many = [table(f"thing{n}x", f"thing{n}x_id", f"thing{n - 1}x_id", key=f"thing{n}x_id") for n in range(1, 101)]
    assert len(implied_keys.candidates(schema(*many), 1000)) == 99
    assert len(read) < 10 * len(many), "the names of each table, a few times, and not once for each other table"


def test_a_key_may_be_named_after_another_table() -> None:
    details = table("customer_details", "customer_id", "note", key="customer_id")
    (found,) = implied_keys.candidates(schema(table("customers", "customer_id", key="customer_id"), details), 10)
    assert (found.table.name, found.owner.name) == ("customer_details", "customers")


@pytest.mark.parametrize(
    ("column", "owners"),
    [
        ("home_team_id", ["teams"]),
        ("homeTeamId", ["teams"]),
        ("steam_id", []),
        ("passport_id", []),
        ("warehouse_id", []),
        ("teams", []),
        ("ports", []),
    ],
)
def test_a_role_ends_with_whole_words_for_the_table(column: str, owners: list[str]) -> None:
    others = [table(name, "id", "name", key="id") for name in ("teams", "ports", "houses")]
    found = implied_keys.candidates(schema(table("voyages", "no", column), *others), 10)
    assert [it.owner.name for it in found if it.column.name == column] == owners


def test_a_key_that_many_tables_are_named_after_is_that_of_its_own_table() -> None:
    events = [table(f"events_{n}", "event_id", key="event_id") for n in range(20)]
    found = implied_keys.candidates(schema(table("events", "event_id", key="event_id"), *events), 1000)
    assert {it.owner.name for it in found} <= {"events"}


@pytest.mark.parametrize(("dialect", "pairs"), [("sqlite", 1), ("duckdb", 1), ("postgresql", 0), ("mysql", 0)])
def test_texts_are_compared_with_numbers_in_files_only(dialect: str, pairs: int) -> None:
    visits = Table(name="visits", columns=(Column(name="customer_id", type="TEXT"),))
    tables = (visits, table("customers", "id", key="id"))
    found = implied_keys.candidates(Schema(database="d", dialect=dialect, tables=tables), 10)
    assert len(found) == pairs


@pytest.mark.parametrize("most, columns", [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)])
def test_a_column_is_compared_with_every_key_or_with_none(most: int, columns: int) -> None:
    texts = [Table(name=name, columns=(Column(name=f"{name}_", type="TEXT"),)) for name in ("alpha", "beta")]
    kinds = Table(name="v", columns=tuple(Column(name=it, type="TEXT") for it in ("n", "x", "y")), primary_key=("y",))
    empty = Table(name="without_columns", columns=())
    found = implied_keys.candidates(schema(kinds, *texts, empty), most)
    assert Counter(it.column.name for it in found if it.table is kinds) == dict.fromkeys(["n", "x"][:columns], 2)


@pytest.mark.parametrize("namesakes, pairs", [(1, 1), (7, 7), (8, 0), (3000, 0)])
def test_a_first_column_of_many_tables_is_a_key_of_none(namesakes: int, pairs: int) -> None:
    many = [table(f"blatt{n}", "zeile", "wert") for n in range(namesakes)]
    found = implied_keys.candidates(schema(table("notizen", "text", "zeile"), *many, table("bild", "zeile")), 20_000)
    assert len([it for it in found if it.table.name == "notizen"]) == (pairs + 1 if pairs else 0)

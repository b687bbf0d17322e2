"""From the rows of catalogue queries to a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from executors.base import Schema
from executors.dialects.row import Dialect, SchemaQueries
from executors.dialects.table import DIALECTS
from executors.engines.common.servers import catalogue

ROW = DIALECTS["postgresql"].model_copy(
    update={
        "reads": SchemaQueries(
            default_schema="default",
            tables="tables",
            columns="columns",
            primary_keys="primary",
            foreign_keys="foreign",
            samples="samples {n}",
            first_rows="first {n} {columns} {table}",
            head="head({column}, {n})",
        )
    }
)
Rows = Sequence[Sequence[Any]]


class Server:
    """Answers queries with given rows and records them."""

    def __init__(self, **answers: Rows) -> None:
        self.answers: dict[str, Rows] = {
            "default": [("main",)],
            "tables": [("main", "people", 0, "Who\n  visits us", 3), ("main", "locals", 1, None, None)],
            "columns": [
                ("main", "people", "id", "INTEGER", 0, None),
                ("main", "people", "city", "VARCHAR(20)", 1, " where they live "),
                ("main", "locals", "id", "INTEGER", 1, None),
            ],
            **answers,
        }
        self.asked: list[str] = []

    def fetch(self, sql: str, plain: str = "") -> Rows:
        self.asked.append(sql)
        return self.answers.get(sql.split()[0], ())


def read(server: Server, row: Dialect = ROW, **more: Any) -> Schema:
    return catalogue.read(server.fetch, "shop", row, **{"samples": 2, **more})


def test_tables_have_columns_comments_and_estimates() -> None:
    schema = read(Server(), samples=0)
    people, locals_ = schema.tables

    assert (schema.database, schema.dialect, schema.namespace) == ("shop", "postgresql", "main")
    assert (people.name, people.comment, people.row_count, people.is_view) == ("people", "Who visits us", 3, False)
    assert [(c.name, c.type, c.nullable, c.comment) for c in people.columns] == [
        ("id", "INTEGER", False, ""),
        ("city", "VARCHAR(20)", True, "where they live"),
    ]
    assert (locals_.row_count, locals_.is_view) == (None, True)


def test_the_number_of_queries_does_not_depend_on_the_number_of_tables() -> None:
    small, large = Server(), Server(
        tables=[("main", f"t{i}", 0, None, 9) for i in range(300)],
        columns=[("main", f"t{i}", "city", "TEXT", 0, None) for i in range(300)],
        samples=[("main", f"t{i}", "city", ["x"]) for i in range(300)],
    )  # fmt: skip
    small.answers["samples"] = [("main", "people", "city", ["Köln"])]

    assert len(read(large).tables) == 300
    read(small)

    assert len(large.asked) == len(small.asked) == 6


def test_keys_keep_their_order() -> None:
    server = Server(
        primary=[("main", "people", "b"), ("main", "people", "a")],
        foreign=[
            ("main", "people", "f2", "x", "main", "locals", "p"),
            ("main", "people", "f1", "z", "main", "people", "id"),
            ("main", "people", "f2", "y", "main", "locals", "q"),
            ("main", "people", "f3", "z", "main", "unseen", "id"),
        ],
    )

    people = read(server).tables[0]

    assert people.primary_key == ("b", "a")
    assert [(key.columns, key.table, key.referenced) for key in people.foreign_keys] == [
        (("x", "y"), "locals", ("p", "q")),
        (("z",), "people", ("id",)),
    ]


def test_tables_of_other_schemas_carry_its_name() -> None:
    server = Server(
        tables=[("main", "people", 0, None, 1), ("sales", "people", 0, None, 1)],
        columns=[("main", "people", "id", "INTEGER", 0, None), ("sales", "people", "boss", "INTEGER", 0, None)],
        foreign=[("sales", "people", "f", "boss", "main", "people", "id")],
    )

    here, there = read(server).tables

    assert (here.parts, there.parts) == (("people",), ("sales", "people"))
    assert there.foreign_keys[0].table == "people"
    assert [table.name for table in read(server, schemas=["SALES"]).tables] == ["sales.people"]


@pytest.mark.parametrize("values, shown", [
    (["Köln", "Łódź", "Bonn"], ("Köln", "Łódź")),
    ('["say \\"hi\\"", "a,b"]', ('say "hi"', "a,b")),
    ([None, "", "  ", "x  "], ("x",)),
    (["a" * 50], ("a" * 40 + "…",)),
    ([7, 8], ("7", "8")),
    (["x", "x ", "y"], ("x", "y")),
    (None, ()),
])  # fmt: skip
def test_stored_values_come_from_statistics(values: Any, shown: tuple[str, ...]) -> None:
    server = Server(samples=[("main", "people", "city", values), ("main", "people", "id", ["1"])])

    people = read(server).tables[0]

    assert [column.samples for column in people.columns] == [(), shown]
    assert not any(sql.startswith("first") for sql in server.asked)


def test_without_statistics_the_most_frequent_values_of_the_first_rows_are_taken() -> None:
    server = Server(first=[("b",), ("a",), (None,), ("b",), ("",), ("a",), ("c",)])

    people = read(server).tables[0]

    assert people.columns[1].samples == ("a", "b")
    assert [sql for sql in server.asked if sql.startswith("first")] == [
        'first 1000 head("city", 41) "main"."people"'
    ], "a view is not read, nor a column that holds no text"


def test_of_many_tables_without_statistics_the_first_are_read() -> None:
    many = range(catalogue.SAMPLED_TABLES + 1)
    server = Server(
        tables=[("main", f"t{i}", 0, None, 9) for i in many],
        columns=[("main", f"t{i}", "city", "TEXT", 0, None) for i in many],
    )
    read(server)

    assert sum(sql.startswith("first") for sql in server.asked) == catalogue.SAMPLED_TABLES


def test_a_server_may_say_itself_what_is_text() -> None:
    server = Server(
        columns=[("main", "people", "mood", "mood", 0, None, 1), ("main", "people", "body", "text", 0, None, 0)],
        samples=[("main", "people", "mood", ["happy"]), ("main", "people", "body", ["long"])],
    )

    assert [column.samples for column in read(server).tables[0].columns] == [("happy",), ()]


def test_what_is_refused_beside_tables_and_columns_is_a_warning() -> None:
    warnings: list[str] = []
    server = Server()

    schema = read(server, attempt=lambda _: None, warn=warnings.append)

    assert [table.name for table in schema.tables] == ["people", "locals"]
    assert schema.tables[0].primary_key == ()
    assert warnings == [
        "Primary keys could not be read; see the service's log.",
        "Foreign keys could not be read; see the service's log.",
        "The server's statistics could not be read; see the service's log.",
        "No values of people could be read; see the service's log.",
    ]


def test_no_values_are_asked_for_where_none_are_wanted() -> None:
    server = Server()
    read(server, samples=0)

    assert not any(sql.startswith(("samples", "first")) for sql in server.asked)


def test_a_dialect_without_catalogue_queries_is_no_server() -> None:
    with pytest.raises(ValueError, match="no server"):
        read(Server(), DIALECTS["sqlite"])

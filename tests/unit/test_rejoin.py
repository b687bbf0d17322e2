"""A query that lacks a join to a column is rejoined along the foreign keys, if there is only one path."""

from __future__ import annotations

import pytest
from repairs import rejoin

from executors.base import Column, ForeignKey, Schema, Table
from executors.guard.guard import check


def _table(name: str, columns: str, key: str = "id", **references: str) -> Table:
    """Args: references: column=table of single-column foreign keys, which lead to `id`."""
    return Table(
        name=name,
        columns=tuple(Column(name=one, type="TEXT") for one in columns.split()),
        primary_key=(key,) if key else (),
        foreign_keys=tuple(
            ForeignKey(columns=(column,), table=table, referenced=("id",)) for column, table in references.items()
        ),
    )


LIBRARY = Schema(
    database="library",
    dialect="sqlite",
    tables=(
        _table("genre", "id genre"),
        _table("author", "id author_name born"),
        _table("book", "id title author_id genre_id pages", author_id="author", genre_id="genre"),
        _table("branch", "id branch_name short_name city"),
        _table("copy", "id book_id branch_id shelf", book_id="book", branch_id="branch"),
        _table("member", "id full_name home_branch_id work_branch_id", home_branch_id="branch",
               work_branch_id="branch"),
        _table("loan", "member_id copy_id lent_on", "", member_id="member", copy_id="copy"),
        _table("poster", "id colour"),
    ),
)  # fmt: skip

REPAIRED = [
    # (why, what the model wrote, what was meant)
    ("a column of a table that one key leads to",
     "SELECT title FROM book WHERE author_name = 'Woolf'",
     "SELECT title FROM book JOIN author ON book.author_id = author.id WHERE author_name = 'Woolf'"),
    ("a letter too many in a long name",
     "SELECT m.full_name FROM member AS m WHERE m.work_brranch_id = 3",
     "SELECT m.full_name FROM member AS m WHERE m.work_branch_id = 3"),
    ("a key that leads here is walked as well",
     "SELECT T1.title FROM book AS T1 WHERE T1.shelf = 'A3'",
     "SELECT T1.title FROM book AS T1 JOIN copy ON T1.id = copy.book_id WHERE copy.shelf = 'A3'"),
    ("over a table in between",
     "SELECT shelf FROM copy WHERE author_name = 'Woolf'",
     "SELECT shelf FROM copy JOIN book ON copy.book_id = book.id JOIN author ON book.author_id = author.id "
     "WHERE author_name = 'Woolf'"),
    ("a join through a column that is not there; its alias is kept",
     "SELECT m.full_name FROM member AS m JOIN loan AS l ON m.id = l.member_id JOIN book AS b ON l.book_id = b.id "
     "WHERE b.title = 'Emma'",
     "SELECT m.full_name FROM member AS m JOIN loan AS l ON m.id = l.member_id JOIN copy ON l.copy_id = copy.id "
     "JOIN book AS b ON copy.book_id = b.id WHERE b.title = 'Emma'"),
    ("the key of a table by the name that others refer to it with",
     "SELECT author_id FROM author WHERE author_name = 'Woolf'",
     "SELECT author.id FROM author WHERE author_name = 'Woolf'"),
    ("the name of a row in a table that has nothing but names",
     "SELECT g.name FROM book AS b JOIN genre AS g ON b.genre_id = g.id",
     "SELECT g.genre FROM book AS b JOIN genre AS g ON b.genre_id = g.id"),
    ("fewer words than the column has",
     "SELECT author.name FROM author",
     "SELECT author.author_name FROM author"),
    ("the end of a name that begins with its table",
     "SELECT name_of.branchname FROM branch AS name_of",
     "SELECT name_of.branch_name FROM branch AS name_of"),
    ("an alias that is misspelt",
     "SELECT athor.author_name FROM author JOIN book ON book.author_id = author.id WHERE book.pages > 100",
     "SELECT author.author_name FROM author JOIN book ON book.author_id = author.id WHERE book.pages > 100"),
    ("a bare name that the added table has as well is told apart",
     "SELECT id, author_name FROM book",
     "SELECT book.id, author_name FROM book JOIN author ON book.author_id = author.id"),
    ("inside a subquery",
     "SELECT title FROM book WHERE id IN (SELECT book_id FROM copy WHERE city = 'Bath')",
     "SELECT title FROM book WHERE id IN (SELECT book_id FROM copy JOIN branch ON copy.branch_id = branch.id "
     "WHERE city = 'Bath')"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wrote", "real", "found"),
    [
        ("descripton", "description", True),
        ("wieghted", "weighted", True),
        ("quantitty", "quantity", True),
        ("payments", "payment", True),
        ("prices2023", "prices2024", False),
        ("line1text", "line2text", False),
        ("netmaximum", "nettaximum", False),
        ("importdate", "exportdate", False),
        ("createdby", "created", False),
        ("created_by", "created", False),
        ("closed", "close", False),
    ],
)
def test_a_slip_is_no_other_name(wrote: str, real: str, found: bool) -> None:
    schema = Schema(database="s", dialect="sqlite", tables=(_table("t", f"id {real}"),))

    repair = rejoin(f"SELECT t.{wrote} FROM t", schema)

    assert (repair is not None and repair.sql == f"SELECT t.{real} FROM t") is found


@pytest.mark.parametrize(("wrote", "meant"), [case[1:] for case in REPAIRED], ids=[case[0] for case in REPAIRED])
def test_joins_are_laid_along_the_keys(wrote: str, meant: str) -> None:
    repair = rejoin(wrote, LIBRARY)

    assert repair is not None
    assert repair.sql == meant
    assert repair.detail
    check(repair.sql, LIBRARY, row_limit=10)  # the guard knows every name


LEFT_ALONE = [
    ("nothing is wrong", "SELECT title FROM book"),
    ("two keys lead there, and nothing says which", "SELECT full_name FROM member WHERE city = 'Bath'"),
    ("no key leads there", "SELECT title FROM book WHERE colour = 'red'"),
    ("too little of a name", "SELECT member.lname FROM member"),
    ("nobody has such a column", "SELECT isbn FROM book"),
    ("a subquery is read", "SELECT author_name FROM (SELECT * FROM book) AS b"),
    ("a table is read twice", "SELECT a.author_name FROM book AS a JOIN book AS b ON a.id = b.id"),
    ("a join by USING", "SELECT born FROM book JOIN copy USING (id)"),
    ("a table that does not exist, whose column does",
     "SELECT b.title FROM book AS b JOIN writer ON b.author_id = writer.id WHERE writer.author_name = 'Woolf'"),
    ("the first table does not exist", "SELECT author_name FROM writer WHERE born = '1882'"),
    ("a table that is not there, and one column that another has", "SELECT SUM(pages) FROM magazine"),
    ("a column of the query around", "SELECT title FROM book WHERE EXISTS (SELECT 1 FROM copy WHERE pages > 9)"),
    ("it does not parse", "SELECT FROM WHERE"),
    ("it is no query", "DELETE FROM book WHERE author_name = 'Woolf'"),
]  # fmt: skip


@pytest.mark.parametrize("sql", [case[1] for case in LEFT_ALONE], ids=[case[0] for case in LEFT_ALONE])
def test_what_can_be_meant_in_several_ways_is_left_alone(sql: str) -> None:
    assert rejoin(sql, LIBRARY) is None


def test_what_both_refer_to_relates_no_two_tables() -> None:
    """A reservation is of the loan's member, but not of the loan: each loan would be repeated for each of them."""
    tables = (
        _table("member", "id name"),
        _table("loan", "id member_id lent_on", member_id="member"),
        _table("reservation", "id member_id state", member_id="member"),
    )
    schema = Schema(database="library", dialect="sqlite", tables=tables)

    assert rejoin("SELECT COUNT(*) FROM loan WHERE state = 'late'", schema) is None
    detail = _table("detail", "member_id passport_no", "member_id", member_id="member")  # one row for each member
    one = rejoin("SELECT passport_no FROM loan", schema.model_copy(update={"tables": (*tables[:2], detail)}))
    assert one is not None
    assert "JOIN detail ON member.id = detail.member_id" in one.sql
    joined = rejoin("SELECT COUNT(*) FROM member WHERE state = 'late'", schema)
    assert joined is not None
    assert "JOIN reservation ON member.id = reservation.member_id" in joined.sql


@pytest.mark.parametrize("dialect", ["postgresql", "sqlserver", "mysql", "duckdb", "oracle", "clickhouse"])
def test_every_dialect_gets_its_own_quotes(dialect: str) -> None:
    schema = LIBRARY.model_copy(update={"dialect": dialect})

    repair = rejoin("SELECT title FROM book WHERE author_name = 'Woolf'", schema)

    assert repair is not None
    check(repair.sql, schema, row_limit=10)


@pytest.mark.parametrize("dialect", ["postgresql", "sqlserver", "oracle", "mysql", "sqlite"])
def test_a_table_that_is_called_by_a_reserved_word_is_joined_in_quotes(dialect: str) -> None:
    tables = (_table("item", "id order_id", order_id="order"), _table("order", "id state"))
    schema = Schema(database="s", dialect=dialect, tables=tables)
    repaired = rejoin("SELECT i.id FROM item AS i WHERE i.state = 'open'", schema)
    assert repaired is not None
    assert check(repaired.sql, schema, row_limit=5).tables == ("item", "order")


MEASURED = ("Sorte", "Menge (kg)", "Wassergehalt %", "Umsatz €", "Umsatz %", "Not-Order No", "☂")


@pytest.mark.parametrize(
    ("wrote", "meant"),
    [
        ("Wassergehalt", "Wassergehalt %"),
        ("menge", "Menge (kg)"),
        ("menge_kg", "Menge (kg)"),
        ("Umsatz", None),
        ('"Umsatz $"', None),
        ("order_no", None),
        ("kg_menge_netto", "Menge (kg)"),
        ('"☀"', None),
        ("weather", None),
    ],
)
def test_a_column_of_a_file_is_known_without_its_unit(wrote: str, meant: str | None) -> None:
    columns = tuple(Column(name=name, type="DOUBLE") for name in MEASURED)
    schema = Schema(database="d", dialect="duckdb", tables=(Table(name="ernte", columns=columns),))

    repair = rejoin(f"SELECT Sorte, AVG({wrote}) FROM ernte GROUP BY Sorte", schema)

    assert (repair and repair.sql) == (meant and f'SELECT Sorte, AVG(ernte."{meant}") FROM ernte GROUP BY Sorte')


def _turbines(*others: Table) -> Schema:
    def column(name: str) -> Column:
        return Column(name=name, type="TEXT")

    key = ForeignKey(columns=("turbine_no",), table="anlagen", referenced=("anlagen_nr",))
    made = Table(name="production", columns=(column("turbine_no"), column("mwh")), foreign_keys=(key,))
    return Schema(
        database="wind",
        dialect="duckdb",
        tables=(Table(name="anlagen", columns=(column("anlagen_nr"), column("built"))), made, *others),
    )


def test_a_key_is_meant_by_the_name_that_other_tables_use_for_it() -> None:
    found = rejoin("SELECT turbine_no FROM anlagen ORDER BY built LIMIT 1", _turbines())
    assert found is not None
    assert found.sql == "SELECT anlagen.anlagen_nr FROM anlagen ORDER BY built LIMIT 1"


def test_two_names_for_a_key_have_two_meanings() -> None:
    key = ForeignKey(columns=("main_turbine",), table="anlagen", referenced=("anlagen_nr",))
    park = Table(name="parks", columns=(Column(name="main_turbine", type="TEXT"),), foreign_keys=(key,))
    found = rejoin("SELECT main_turbine FROM anlagen ORDER BY built LIMIT 1", _turbines(park))
    assert found is None or "anlagen_nr" not in found.sql.split(" FROM ")[0]

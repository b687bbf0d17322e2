"""The words of a schema as an index: positions and weights of a question's words."""

from __future__ import annotations

import pytest

from executors.base import Column, Schema, Table
from rag.docs.documents import make_document
from rag.linking.linking import TABLE, LexicalIndex, column_scores, lexical_table_scores

TABLES = (
    Table(name="sbcustomer", columns=(Column(name="sbcustid", type="TEXT"), Column(name="sbcuststate", type="TEXT"))),
    Table(name="orderItems", columns=(Column(name="unitPrice", type="REAL"), Column(name="qty", type="INTEGER"))),
    Table(
        name="staff",
        comment="Everybody on the payroll",
        columns=(
            Column(name="dept", type="TEXT", samples=("Kitchen", "Bar")),
            Column(name="email", type="TEXT", samples=("ann@example.org",), private=True),
        ),
    ),
)
SCHEMA = Schema(database="d", dialect="sqlite", tables=TABLES)
DOCS = (make_document("column", "price before rebates", table="orderItems", column="unitPrice"),)


@pytest.fixture(scope="module")
def index() -> LexicalIndex:
    return LexicalIndex(SCHEMA, DOCS)


@pytest.mark.parametrize(
    "question, place, why",
    [
        ("Which order items are there?", (1, TABLE), "camel case is split"),
        ("What is the unit price?", (1, 0), "a column's name"),
        ("How large are the rebates?", (1, 0), "its docs"),
        ("Who is on the payroll?", (2, TABLE), "a table's comment"),
        ("Who works in the kitchen?", (2, 0), "a sample"),
        ("How many customers?", (0, TABLE), "a piece of a name that is written in one"),
        ("What quantity was sold?", (1, 1), "a name shortens the word"),
        ("Which department is largest?", (2, 0), "a name shortens the word, vowels and all"),
    ],
)
def test_finds_where_a_word_stands(index: LexicalIndex, question: str, place: tuple[int, int], why: str) -> None:
    assert any(place in places for places in index.search(question).values()), why


def test_a_name_says_more_than_its_docs_and_a_piece_of_a_name_least(index: LexicalIndex) -> None:
    scores = column_scores(index.search("price"))
    assert scores[1, 0] > column_scores(index.search("rebates"))[1, 0] > 0
    assert lexical_table_scores(index.search("state"))[0] < scores[1, 0]


def test_samples_of_private_columns_are_not_read(index: LexicalIndex) -> None:
    assert index.search("ann example org") == {}


def test_words_that_say_nothing_find_nothing(index: LexicalIndex) -> None:
    assert index.search("How many of them are there in each?") == {}


def test_a_word_counts_once_for_a_table_however_many_columns_have_it() -> None:
    wide = Table(name="a", columns=tuple(Column(name=f"price_{n}", type="REAL") for n in range(20)))
    exact = Table(name="b", columns=(Column(name="price", type="REAL"), Column(name="city", type="TEXT")))
    found = LexicalIndex(Schema(database="d", dialect="sqlite", tables=(wide, exact))).search("price by city")
    scores = lexical_table_scores(found)
    assert scores[1] > scores[0]


def test_a_rare_word_says_more_than_one_that_all_tables_have() -> None:
    tables = [Table(name=f"t{n}", columns=(Column(name="status", type="TEXT"),)) for n in range(9)]
    tables.append(Table(name="t9", columns=(Column(name="voltage", type="REAL"),)))
    found = LexicalIndex(Schema(database="d", dialect="sqlite", tables=tuple(tables))).search("status and voltage")
    scores = lexical_table_scores(found)
    assert max(scores, key=lambda table: scores[table]) == 9


def test_of_many_words_only_so_many_places_are_read_the_rarest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.linking.linking._POSTINGS", 1)
    tables = [Table(name=f"t{n}", columns=(Column(name="status", type="TEXT"),)) for n in range(9)]
    tables.append(Table(name="t9", columns=(Column(name="voltage", type="REAL"),)))
    found = LexicalIndex(Schema(database="d", dialect="sqlite", tables=tuple(tables))).search("status and voltage")
    assert list(found) == ["voltage"]

"""The schema as the model reads it: complete if it fits, otherwise the relevant part."""

from __future__ import annotations

import pytest

from executors.base import Column, ForeignKey, Schema, Table
from rag.docs.documents import Document, Retrieved, make_document
from rag.linking.linking import SchemaLinker
from rag.schema.text import SchemaText, Style, estimate_tokens, render
from rag.words import telling_words, words

CUSTOMERS = Table(
    name="customers",
    columns=(
        Column(name="customer_id", type="INTEGER", nullable=False),
        Column(name="city", type="TEXT", samples=("Berlin", "Paris", "Rome", "O'Fallon")),
    ),
    primary_key=("customer_id",),
)
ORDERS = Table(
    name="orders",
    comment="One row for each order.",
    columns=(
        Column(name="order_id", type="INTEGER", nullable=False),
        Column(name="customer_id", type="INTEGER", comment="NULL is a guest"),
        Column(name="total", type="DECIMAL(10,2)", nullable=False, comment="in euros", samples=("9.99", "5")),
    ),
    primary_key=("order_id",),
    foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",)),),
)
LINES = Table(
    name="order_lines",
    columns=(
        Column(name="order_id", type="INTEGER", nullable=False),
        Column(name="line", type="INTEGER", nullable=False),
        Column(name="sku", type="TEXT"),
    ),
    primary_key=("order_id", "line"),
    foreign_keys=(ForeignKey(columns=("order_id",), table="orders", referenced=("order_id",)),),
)
SHOP = Schema(database="shop", dialect="sqlite", tables=(CUSTOMERS, ORDERS, LINES))
NET = make_document("column", "without tax", table="orders", column="total")


def text_of(
    schema: Schema,
    *documents: Document,
    style: Style = "ddl",
    budget: int = 5000,
    samples: int = 3,
    relevant: tuple[Retrieved, ...] = (),
    question: str = "",
) -> SchemaText:
    ranking = SchemaLinker(schema, documents).link(question, relevant=relevant).ranking if relevant else None
    return render(
        schema,
        documents,
        style=style,
        budget_tokens=budget,
        max_sample_values=samples,
        question=question,
        ranking=ranking,
    )


def filler(count: int) -> tuple[Table, ...]:
    """Tables that no question here is about."""
    columns = tuple(Column(name=f"reading_{number}", type="REAL") for number in range(8))
    return tuple(Table(name=f"sensor_{number}", columns=columns) for number in range(count))


def large(*tables: Table) -> Schema:
    return Schema(database="large", dialect="sqlite", tables=(*filler(40), *tables, *filler(80)[40:]))


# ---------------------------------------------------------------------------------------------- everything


def test_ddl_is_what_a_database_would_print_with_what_is_known_as_comments() -> None:
    assert text_of(SHOP, NET).text == (
        "CREATE TABLE customers (\n"
        "  customer_id INTEGER PRIMARY KEY,\n"
        "  city TEXT -- e.g. 'Berlin', 'Paris', 'Rome'\n"
        ");\n"
        "\n"
        "-- One row for each order.\n"
        "CREATE TABLE orders (\n"
        "  order_id INTEGER PRIMARY KEY,\n"
        "  customer_id INTEGER REFERENCES customers(customer_id), -- NULL is a guest\n"
        "  total DECIMAL(10,2) NOT NULL -- without tax; e.g. 9.99, 5\n"
        ");\n"
        "\n"
        "CREATE TABLE order_lines (\n"
        "  order_id INTEGER NOT NULL REFERENCES orders(order_id),\n"
        "  line INTEGER NOT NULL,\n"
        "  sku TEXT,\n"
        "  PRIMARY KEY (order_id, line)\n"
        ");"
    )


def test_compact_is_a_line_for_each_table_with_what_is_known_below() -> None:
    assert text_of(SHOP, NET, style="compact").text == (
        "customers(customer_id INTEGER PK, city TEXT)\n"
        "  -- city: e.g. 'Berlin', 'Paris', 'Rome'\n"
        "orders(order_id INTEGER PK, customer_id INTEGER -> customers.customer_id, total DECIMAL(10,2))\n"
        "  -- One row for each order.\n"
        "  -- customer_id: NULL is a guest\n"
        "  -- total: without tax; e.g. 9.99, 5\n"
        "order_lines(order_id INTEGER PK -> orders.order_id, line INTEGER PK, sku TEXT)"
    )


def test_the_same_schema_and_docs_give_the_same_text_whatever_the_question() -> None:
    one = text_of(SHOP, NET, question="How many orders?")
    other = text_of(SHOP, NET, question="Which city?", relevant=(Retrieved(document=NET, score=0.9),))
    assert one == other
    assert not one.pruned
    assert one.tables == ("customers", "orders", "order_lines")
    assert one.tokens == estimate_tokens(one.text)


def test_a_doc_of_a_table_takes_the_place_of_its_comment() -> None:
    text = text_of(SHOP, make_document("table", "Web orders only.", table="orders")).text
    assert "-- Web orders only.\nCREATE TABLE orders" in text
    assert "One row for each order." not in text


def test_rules_and_queries_are_not_part_of_the_schema() -> None:
    rule = make_document("rule", "times are UTC", table="orders")
    query = make_document("query", "How many?", sql="SELECT 1")
    assert text_of(SHOP, rule, query) == text_of(SHOP)


@pytest.mark.parametrize(
    "dialect, name, written, why",
    [
        ("sqlite", "orders", "orders", "a plain name"),
        ("sqlite", "Orders", "Orders", "capitals are no reason"),
        ("sqlite", "order", '"order"', "a word of SQL"),
        ("sqlite", "Unit Price", '"Unit Price"', "a space"),
        ("sqlite", "2024", '"2024"', "begins with a digit"),
        ("sqlite", 'say "x"', '"say ""x"""', "quotes are doubled"),
        ("sqlite", "sales.2024", '"sales.2024"', "a dot is part of the name"),
        ("postgresql", "Orders", '"Orders"', "would be folded to small letters"),
        ("sqlserver", "order", "[order]", "quotes of the dialect"),
        ("mysql", "order", "`order`", "quotes of the dialect"),
    ],
)
def test_names_are_quoted_only_where_they_must_be(dialect: str, name: str, written: str, why: str) -> None:
    table = Table(name=name, columns=(Column(name="x", type="INTEGER"),))
    text = text_of(Schema(database="d", dialect=dialect, tables=(table,))).text
    assert text.startswith(f"CREATE TABLE {written} (\n"), why


def test_a_table_of_another_schema_has_its_name_in_front() -> None:
    table = Table(name="crm.Order.s", namespace="crm", columns=(Column(name="x", type="INTEGER"),))
    text = text_of(Schema(database="d", dialect="postgresql", tables=(table,))).text
    assert text.startswith('CREATE TABLE crm."Order.s" (\n')


@pytest.mark.parametrize(
    "comment, sample, line, why",
    [
        ("a\n); DROP TABLE t; --", "x", "-- a ); DROP TABLE t; --; e.g. 'x'", "a comment stays on its line"),
        ("", "a\nb", "-- e.g. 'a b'", "so does a sample"),
        ("", "on  hold", "-- e.g. 'on  hold'", "a value as a query has to spell it"),
        ("", "O'Fallon", "-- e.g. 'O''Fallon'", "quotes as SQL has them"),
        ("", "12", "-- e.g. '12'", "digits in a text column are text"),
    ],
)
def test_what_the_data_says_stays_a_comment(comment: str, sample: str, line: str, why: str) -> None:
    table = Table(name="t", columns=(Column(name="c", type="TEXT", comment=comment, samples=(sample,)),))
    text = text_of(Schema(database="d", dialect="sqlite", tables=(table,))).text
    assert text == f"CREATE TABLE t (\n  c TEXT {line}\n);", why


def test_long_docs_are_cut_at_a_word() -> None:
    table = Table(name="t", columns=(Column(name="c", type="TEXT", comment="word " * 200),))
    comment = text_of(Schema(database="d", dialect="sqlite", tables=(table,))).text.splitlines()[1].split("-- ")[1]
    assert comment.endswith("word…")
    assert len(comment) <= 240


def test_keys_of_several_columns_have_lines_of_their_own() -> None:
    key = ForeignKey(columns=("order_id", "line"), table="order_lines", referenced=("order_id", "line"))
    columns = (Column(name="order_id", type="INTEGER"), Column(name="line", type="INTEGER"))
    schema = Schema(
        database="d", dialect="sqlite", tables=(LINES, Table(name="returns", columns=columns, foreign_keys=(key,)))
    )
    assert "  FOREIGN KEY (order_id, line) REFERENCES order_lines(order_id, line)\n" in text_of(schema).text
    assert "(order_id, line) -> order_lines(order_id, line))" in text_of(schema, style="compact").text


# ------------------------------------------------------------------------------------------------- pruning


def test_samples_are_the_first_to_go() -> None:
    whole = text_of(SHOP, NET)
    less = text_of(SHOP, NET, budget=whole.tokens - 1)
    assert "e.g." not in less.text
    assert less.tables == whole.tables
    assert not less.pruned


@pytest.mark.parametrize(
    "question, expected",
    [
        ("How many orders are there?", {"orders"}),
        ("What is the total of each customer?", {"customers", "orders"}),
        ("Which SKU sells best?", {"order_lines"}),
        ("In which cities do they live?", {"customers"}),
        ("orderLines by customer", {"customers", "orders", "order_lines"}),
    ],
)
def test_the_questions_words_choose_the_tables(question: str, expected: set[str]) -> None:
    chosen = text_of(large(CUSTOMERS, ORDERS, LINES), budget=400, question=question)
    assert expected <= set(chosen.tables)
    assert not any(name.startswith("sensor") for name in chosen.tables)
    assert chosen.pruned
    assert chosen.tokens <= 400


@pytest.mark.parametrize(
    "document",
    [
        NET,
        make_document("table", "what was sold", table="orders"),
        make_document("rule", "Revenue is the sum of orders.total"),
        make_document("query", "What did we earn?", sql="SELECT sum(total) FROM orders"),
    ],
)
def test_retrieved_documents_choose_tables_that_no_word_names(document: Document) -> None:
    found = (Retrieved(document=document, score=0.6),)
    chosen = text_of(large(CUSTOMERS, ORDERS, LINES), budget=400, question="Wie hoch war der Umsatz?", relevant=found)
    assert "orders" in chosen.tables
    assert "sensor_0" not in chosen.tables


def test_tables_between_the_chosen_ones_come_with_them() -> None:
    chosen = text_of(large(CUSTOMERS, ORDERS, LINES), budget=400, question="sku by city")
    assert set(chosen.tables) == {"customers", "orders", "order_lines"}


def test_keys_that_lead_to_tables_left_out_are_not_shown() -> None:
    chosen = text_of(large(CUSTOMERS, ORDERS), budget=75, question="orders total")
    assert chosen.tables == ("orders",)
    assert "REFERENCES" not in chosen.text
    assert chosen.text.endswith("-- 81 more tables are not shown.")


def test_a_wide_table_keeps_its_keys_and_what_is_asked_for() -> None:
    columns = tuple(Column(name=f"measure_{number}", type="REAL") for number in range(500))
    wide = Table(
        name="facts",
        columns=(*columns, Column(name="discount", type="REAL"), Column(name="customer_id", type="INTEGER")),
        primary_key=("measure_499",),
        foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",)),),
    )
    schema = Schema(database="d", dialect="sqlite", tables=(CUSTOMERS, wide))
    chosen = text_of(schema, budget=300, question="the average discount of facts by city")
    assert chosen.tables == ("customers", "facts")
    assert chosen.pruned
    for column in ("measure_499 REAL PRIMARY KEY", "discount REAL", "customer_id INTEGER REFERENCES", "city TEXT"):
        assert column in chosen.text
    assert "more columns are not shown." in chosen.text
    assert chosen.tokens <= 300


def test_a_question_that_names_nothing_gets_the_tables_with_most_keys() -> None:
    chosen = text_of(large(CUSTOMERS, ORDERS, LINES), budget=400, question="?")
    assert {"orders", "order_lines"} <= set(chosen.tables)


def test_one_table_is_shown_even_if_it_is_too_much() -> None:
    assert text_of(SHOP, budget=1, question="city").tables == ("customers",)


def test_a_schema_that_exceeds_its_budget_has_another_one() -> None:
    whole = text_of(SHOP)
    for budget, pruned in ((whole.tokens, False), (100, True)):
        chosen = render(
            SHOP, (), style="ddl", budget_tokens=budget, max_sample_values=3, pruned_tokens=60, question="city"
        )
        assert chosen.pruned is pruned
        assert chosen.tokens <= (60 if pruned else whole.tokens)


def test_a_database_without_tables_is_an_empty_text() -> None:
    empty = text_of(Schema(database="d", dialect="sqlite", tables=()))
    assert (empty.text, empty.tables, empty.tokens) == ("", (), 0)


@pytest.mark.parametrize("style", ["ddl", "compact"])
def test_a_pruned_schema_of_ten_thousand_tables_fits_its_budget(style: Style) -> None:
    schema = Schema(database="d", dialect="sqlite", tables=(*filler(10_000), ORDERS, CUSTOMERS))
    chosen = text_of(schema, style=style, budget=1000, question="total of orders by city and sensor reading")
    assert {"orders", "customers"} <= set(chosen.tables)
    assert chosen.tokens <= 1000
    assert chosen == text_of(schema, style=style, budget=1000, question="total of orders by city and sensor reading")


# --------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    "one, other, why",
    [
        ("orders", "order", "plural"),
        ("categories", "category", "plural"),
        ("boxes", "box", "plural"),
        ("orderItems", "order_items", "camel case"),
        ("HTTPStatus", "http status", "an acronym in camel case"),
        ("Größe", "größe", "letters beyond ASCII"),
    ],
)
def test_names_and_questions_share_words(one: str, other: str, why: str) -> None:
    assert words(one) == words(other), why


def test_words_that_say_nothing_are_not_asked_for() -> None:
    assert telling_words("How many of the orders are there in each city?") == words("order city")


@pytest.mark.parametrize(
    "text, tokens", [("", 0), ("SELECT 1", 3), ("a" * 35, 10), ("名前", 2)], ids=["none", "sql", "long", "not ascii"]
)
def test_tokens_are_estimated_from_characters(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_a_comment_and_the_docs_both_say_is_shown_once() -> None:
    docs = (
        make_document("table", "one row for each order", table="orders"),
        make_document("table", "One row for each order. Guests have no account.", table="orders"),
        make_document("column", "In  euros.", table="orders", column="total"),
        make_document("column", "in euros", table="orders", column="total"),
        make_document("column", "with tax", table="orders", column="total"),
    )
    text = text_of(SHOP, *docs).text
    assert text.casefold().count("row for each order") == 1
    assert "-- In euros.; with tax" in text

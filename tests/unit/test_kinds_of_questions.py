# ruff: noqa: E501
"""The kind of a question, from its words, the schema and the docs, in six languages."""

from __future__ import annotations

import pytest

from agent.platform.access.intent import orders_change, wants_more_than_rows, wishes_change
from agent.understanding.messages.kinds import Talk, Topic
from agent.understanding.messages.reading import about_data, may_be_about_data, small_talk
from executors.base import Column, ForeignKey, Schema, Table
from rag.docs.documents import make_document

SHOP = Schema(
    database="shop",
    dialect="sqlite",
    tables=(
        Table(
            name="customers",
            columns=tuple(Column(name=it, type="TEXT") for it in ("customer_id", "name", "country", "email")),
            primary_key=("customer_id",),
        ),
        Table(
            name="orders",
            columns=tuple(Column(name=it, type="TEXT") for it in ("order_id", "customer_id", "ordered_at", "status", "amount")),
            foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",)),),
        ),
        Table(name="order_items", columns=(Column(name="order_id", type="INTEGER"), Column(name="quantity", type="INTEGER"))),
    ),
)  # fmt: skip
DOCS = (
    make_document("rule", "Revenue: `SUM(orders.amount)` of the orders that are not cancelled.", source="shop.md"),
    make_document("rule", "Active customer: ordered in the last 90 days.", source="shop.md"),
    make_document("rule", "Average order value: `AVG(orders.amount)`.", source="shop.md"),
    make_document("column", "O = open, X = cancelled.", table="orders", column="status", source="shop.md"),
)
RESTAURANT = Schema(
    database="restaurant",
    dialect="sqlite",
    tables=(Table(name="tables", columns=(Column(name="table_id", type="INTEGER"), Column(name="size", type="INTEGER"))),),
)  # fmt: skip

TALK = [
    ("hello", Talk.GREETING, "en"),
    ("howdy, anyone there?", Talk.GREETING, "en"),
    ("cheers, that was quick", Talk.THANKS, "en"),
    ("¿Para qué sirves?", Talk.HELP, "es"),
    ("A cosa servi?", Talk.HELP, "it"),
    ("Dankeschön, hat geholfen", Talk.THANKS, "de"),
    ("Good morning!", Talk.GREETING, "en"),
    ("thanks", Talk.THANKS, "en"),
    ("Ok great, thanks a lot!", Talk.THANKS, "en"),
    ("Hi! How are you doing today?", Talk.WELLBEING, "en"),
    ("Thanks! What can you do?", Talk.HELP, "en"),
    ("Who are you and what can you do?", Talk.HELP, "en"),
    ("Wer bist du und was kannst du?", Talk.HELP, "de"),
    ("who are you?", Talk.WHO, "en"),
    ("What can I ask?", Talk.HELP, "en"),
    ("show me some examples", Talk.HELP, "en"),
    ("Tell me a joke", Talk.CHATTER, "en"),
    ("Write an email to our supplier, please", Talk.CHATTER, "en"),
    ("Translate this into German.", Talk.CHATTER, "en"),
    ("What's the weather like today?", Talk.CHATTER, "en"),
    ("I see, that makes sense.", None, "a sentence with words of its own"),
    ("See you tomorrow", Talk.FAREWELL, "en"),
    ("That's all for now", Talk.AGREEMENT, "en"),
    ("Hallo zusammen", Talk.GREETING, "de"),
    ("Vielen Dank!", Talk.THANKS, "de"),
    ("Wie geht es dir?", Talk.WELLBEING, "de"),
    ("Wer bist du?", Talk.WHO, "de"),
    ("Was kann ich fragen?", Talk.HELP, "de"),
    ("Bis morgen", Talk.FAREWELL, "de"),
    ("Erzähl mir einen Witz", Talk.CHATTER, "de"),
    ("Bonjour !", Talk.GREETING, "fr"),
    ("Merci beaucoup", Talk.THANKS, "fr"),
    ("Comment ça va ?", Talk.WELLBEING, "fr"),
    ("Qui es-tu ?", Talk.WHO, "fr"),
    ("Que peux-tu faire ?", Talk.HELP, "fr"),
    ("À bientôt", Talk.FAREWELL, "fr"),
    ("Raconte-moi une blague", Talk.CHATTER, "fr"),
    ("Hola, ¿qué tal?", Talk.WELLBEING, "es"),
    ("Muchas gracias", Talk.THANKS, "es"),
    ("¿Quién eres?", Talk.WHO, "es"),
    ("¿Qué puedo preguntar?", Talk.HELP, "es"),
    ("Hasta luego", Talk.FAREWELL, "es"),
    ("Cuéntame un chiste", Talk.CHATTER, "es"),
    ("Buongiorno", Talk.GREETING, "it"),
    ("Grazie mille", Talk.THANKS, "it"),
    ("Come stai?", Talk.WELLBEING, "it"),
    ("Chi sei?", Talk.WHO, "it"),
    ("Cosa posso chiedere?", Talk.HELP, "it"),
    ("Raccontami una barzelletta", Talk.CHATTER, "it"),
    ("안녕하세요", Talk.GREETING, "ko"),
    ("감사합니다!", Talk.THANKS, "ko"),
    ("잘 지내세요?", Talk.WELLBEING, "ko"),
    ("누구세요?", Talk.WHO, "ko"),
    ("무엇을 물어볼 수 있나요?", Talk.HELP, "ko"),
    ("농담 하나 해줘", Talk.CHATTER, "ko"),
    ("Hello, how many orders are there?", None, "a question after a greeting"),
    ("Thanks. Now by country", None, "goes on with the data"),
    ("Show the greeting cards", None, "a thing of the data"),
    ("How are sales?", None, "not how are you"),
    ("Who are our best customers?", None, "not who are you"),
    ("What can customers order?", None, "not what can you do"),
    ("test results by month", None, "a question in short"),
    ("good orders", None, "a question in short"),
]  # fmt: skip

ABOUT = [
    ("what tables are there about wells?", Topic.TABLES, (), "en"),
    ("Which tables do you have on customers?", Topic.TABLES, (), "en"),
    ("what tables are there?", Topic.TABLES, (), "en"),
    ("Was steht in customers?", Topic.DESCRIBE, ("customers",), "de"),
    ("데이터는 언제까지 있나요?", Topic.FRESHNESS, (), "ko"),
    ("Which tables can I query?", Topic.TABLES, (), "en"),
    ("list all tables", Topic.TABLES, (), "en"),
    ("how many tables are there?", Topic.TABLES, (), "en"),
    ("what data do you have?", Topic.OVERVIEW, (), "en"),
    ("What is this database about?", Topic.OVERVIEW, (), "en"),
    ("what columns does orders have?", Topic.COLUMNS, ("orders",), "en"),
    ("show me the columns of the order items table", Topic.COLUMNS, ("order_items",), "en"),
    ("How many columns does custmers have?", Topic.COLUMNS, ("customers",), "en"),
    ("describe the orders table", Topic.DESCRIBE, ("orders",), "en"),
    ("What is in the customers table?", Topic.DESCRIBE, ("customers",), "en"),
    ("what is the primary key of customers?", Topic.KEYS, ("customers",), "en"),
    ("How are customers and orders related?", Topic.KEYS, ("customers", "orders"), "en"),
    ("What does status mean?", Topic.MEANING, (), "en"),
    ("what does orders.status mean", Topic.MEANING, (), "en"),
    ("How is revenue calculated?", Topic.MEANING, (), "en"),
    ("What is an active customer?", Topic.MEANING, (), "en"),
    ("define average order value", Topic.MEANING, (), "en"),
    ("Where is revenue defined?", Topic.DEFINED, (), "en"),
    ("In which table is the email stored?", Topic.WHERE, (), "en"),
    ("Which columns have an id?", Topic.WHERE, (), "en"),
    ("how big is the database?", Topic.SIZES, (), "en"),
    ("How many rows does each table have?", Topic.SIZES, (), "en"),
    ("how fresh is the data?", Topic.FRESHNESS, (), "en"),
    ("When was the data last updated?", Topic.FRESHNESS, (), "en"),
    ("What period does the data cover?", Topic.FRESHNESS, (), "en"),
    ("Welche Tabellen gibt es?", Topic.TABLES, (), "de"),
    ("Welche Daten hast du?", Topic.OVERVIEW, (), "de"),
    ("Welche Spalten hat orders?", Topic.COLUMNS, ("orders",), "de"),
    ("Beschreibe die Tabelle orders", Topic.DESCRIBE, ("orders",), "de"),
    ("Wie hängen orders und customers zusammen?", Topic.KEYS, ("customers", "orders"), "de"),
    ("Was bedeutet status?", Topic.MEANING, (), "de"),
    ("Wo ist revenue definiert?", Topic.DEFINED, (), "de"),
    ("Wie groß ist die Datenbank?", Topic.SIZES, (), "de"),
    ("Welchen Zeitraum decken die Daten ab?", Topic.FRESHNESS, (), "de"),
    ("Quelles tables y a-t-il ?", Topic.TABLES, (), "fr"),
    ("Quelles données as-tu ?", Topic.OVERVIEW, (), "fr"),
    ("Quelles colonnes contient la table orders ?", Topic.COLUMNS, ("orders",), "fr"),
    ("Décris la table orders", Topic.DESCRIBE, ("orders",), "fr"),
    ("Que signifie status ?", Topic.MEANING, (), "fr"),
    ("Quelle période couvrent les données ?", Topic.FRESHNESS, (), "fr"),
    ("¿Qué tablas hay?", Topic.TABLES, (), "es"),
    ("¿Qué datos tienes?", Topic.OVERVIEW, (), "es"),
    ("¿Qué columnas tiene orders?", Topic.COLUMNS, ("orders",), "es"),
    ("Describe la tabla orders", Topic.DESCRIBE, ("orders",), "es"),
    ("¿Qué significa status?", Topic.MEANING, (), "es"),
    ("¿Qué período cubren los datos?", Topic.FRESHNESS, (), "es"),
    ("Quali tabelle ci sono?", Topic.TABLES, (), "it"),
    ("Che dati hai?", Topic.OVERVIEW, (), "it"),
    ("Quali colonne ha orders?", Topic.COLUMNS, ("orders",), "it"),
    ("Descrivi la tabella orders", Topic.DESCRIBE, ("orders",), "it"),
    ("Cosa significa status?", Topic.MEANING, (), "it"),
    ("Che periodo coprono i dati?", Topic.FRESHNESS, (), "it"),
    ("어떤 테이블이 있나요?", Topic.TABLES, (), "ko"),
    ("어떤 데이터가 있나요?", Topic.OVERVIEW, (), "ko"),
    ("orders 테이블에는 어떤 컬럼이 있나요?", Topic.COLUMNS, ("orders",), "ko"),
    ("orders 테이블을 설명해줘", Topic.DESCRIBE, ("orders",), "ko"),
    ("status는 무슨 뜻인가요?", Topic.MEANING, (), "ko"),
    ("데이터는 얼마나 최신인가요?", Topic.FRESHNESS, (), "ko"),
]  # fmt: skip

QUERIES = [
    ("Which columns hold the most ids?", "more is asked than where they are"),
    ("Which tables are free on Friday?", "tables of a restaurant"),
    ("How many orders are there?", "a count"),
    ("How many rows are in orders?", "a count, which SQL answers best"),
    ("Show me the orders table", "its rows are wanted"),
    ("Show a table of revenue by month", "the form of the answer"),
    ("Show a table with the columns name and country", "the form of the answer"),
    ("What is the mean amount?", "an average"),
    ("What is our revenue?", "a value, no definition"),
    ("Describe the customers who ordered most", "rows"),
    ("Which customers have no orders?", "rows"),
    ("What period had the most orders?", "a result"),
    ("When was order 17 last updated?", "a row"),
    ("Which columns of 2024 are empty?", "a number is in it"),
    ("What are the statuses of the orders in Germany?", "values"),
    ("Welche Bestellungen sind offen?", "German rows"),
    ("Wie viele Kunden gibt es in Italien?", "a German count"),
    ("Combien de commandes y a-t-il ?", "a French count"),
    ("¿Cuántos clientes hay?", "a Spanish count"),
    ("Quanti ordini ci sono?", "an Italian count"),
    ("주문은 몇 건인가요?", "a Korean count"),
]


@pytest.mark.parametrize("text, talk, language", TALK)
def test_small_talk_is_known_by_its_words(text: str, talk: Talk | None, language: str) -> None:
    found = small_talk(text)
    assert (found and found.talk) == talk, language
    assert found is None or found.language == language


@pytest.mark.parametrize("text, topic, tables, language", ABOUT)
def test_a_question_about_the_data_is_known_by_its_words_and_names(
    text: str, topic: Topic, tables: tuple[str, ...], language: str
) -> None:
    found = about_data(text, SHOP, DOCS)
    assert found is not None
    assert found.about.topic is topic
    assert found.about.tables == tables
    assert found.language == language
    assert may_be_about_data(text), "it is looked at at all"
    assert small_talk(text) is None


@pytest.mark.parametrize("text, columns", [
    ("What does Nabenhöhe mean?", [("anlagen", "Nabenhöhe_m")]),
    ("Was bedeutet Nabenhöhe?", [("anlagen", "Nabenhöhe_m")]),
    ("What does fee mean?", [("anlagen", "monthly_fee"), ("faults", "fee_code")]),
    ("What does the fee of faults mean?", [("faults", "fee_code")]),
    ("What does tariff mean?", []),
])  # fmt: skip
def test_a_part_of_a_columns_name_has_its_meaning(text: str, columns: list[tuple[str, str]]) -> None:
    own = {"anlagen": ("Nabenhöhe_m", "monthly_fee"), "faults": ("fee_code",)}
    tables = [Table(name=it, columns=tuple(Column(name=n, type="TEXT") for n in names)) for it, names in own.items()]
    found = about_data(text, Schema(database="wind", dialect="sqlite", tables=tuple(tables)), ())
    assert found is not None
    assert found.about.topic is Topic.MEANING
    assert [*found.about.columns] == columns
    assert bool(found.about.unknown) is not bool(columns)


def test_a_description_that_is_a_column_is_asked_of_the_database() -> None:
    columns = tuple(Column(name=it, type="TEXT") for it in ("order_code", "order_description"))
    types = SHOP.model_copy(update={"tables": (*SHOP.tables, Table(name="order_types", columns=columns))})
    question = "List the description of all orders"
    assert about_data(question, SHOP, DOCS) is not None
    assert about_data(question, types, DOCS) is None
    assert about_data("describe the orders table", types, DOCS) is not None


@pytest.mark.parametrize("text, why", QUERIES)
def test_a_question_for_sql_is_left_alone(text: str, why: str) -> None:
    assert about_data(text, SHOP, DOCS) is None, why
    assert small_talk(text) is None, why


@pytest.mark.parametrize("text", ["How many tables are there?", "List all tables", "Which tables are there?"])
def test_the_tables_of_a_restaurant_are_its_data(text: str) -> None:
    assert about_data(text, RESTAURANT, ()) is None


@pytest.mark.parametrize(
    "text, columns, term",
    [
        ("What does status mean?", (("orders", "status"),), ""),
        ("What is the meaning of status in orders?", (("orders", "status"),), ""),
        ("How is revenue defined?", (), "Revenue"),
        ("Where is the country stored?", (("customers", "country"),), ""),
    ],
)
def test_the_names_that_are_asked_about_are_found(text: str, columns: tuple[tuple[str, str], ...], term: str) -> None:
    found = about_data(text, SHOP, DOCS)
    assert found is not None
    assert (found.about.columns, found.about.term) == (columns, term)


def test_what_nobody_has_defined_is_said_to_be_unknown() -> None:
    found = about_data("What does GMV mean?", SHOP, DOCS)
    assert found is not None
    assert found.about.unknown == "GMV"


@pytest.mark.parametrize(
    "text, wish, never",
    [
        ("Lösche alle Bestellungen von 2023", True, False),
        ("Bitte lösche die Tabelle orders", True, True),
        ("Supprime toutes les commandes", True, False),
        ("Supprime la table orders", True, True),
        ("Borra todos los pedidos", True, False),
        ("Elimina la tabla orders", True, True),
        ("Cancella tutti gli ordini", True, False),
        ("Elimina la tabella orders", True, True),
        ("모든 주문을 삭제해 줘", True, False),
        ("orders 테이블을 삭제해 줘", True, True),
        ("Welche Bestellungen wurden gelöscht?", False, False),
        ("Quelles commandes ont été supprimées ?", False, False),
        ("¿Qué pedidos fueron eliminados?", False, False),
        ("Quali ordini sono stati cancellati?", False, False),
        ("삭제된 주문을 보여줘", False, False),
    ],
)
def test_an_order_is_known_in_every_language(text: str, wish: bool, never: bool) -> None:
    assert wishes_change(text) is wish
    assert wants_more_than_rows(text) is never


@pytest.mark.parametrize(
    "text, order",
    [
        ("Setze den Status von Bestellung 17 auf versandt", True),
        ("Change le statut de la commande 17", True),
        ("Cambia el estado del pedido 17", True),
        ("Aggiorna lo stato dell'ordine 17", True),
        ("주문 17의 상태를 변경해 줘", True),
        ("Zeige den Status von Bestellung 17", False),
        ("Quel est le statut de la commande 17 ?", False),
    ],
)
def test_an_order_to_change_rows_is_known_by_its_verb(text: str, order: bool) -> None:
    assert orders_change(text) is order

"""Measures which messages are recognised without a query, in six languages: `python -m bench.kinds [FOLDER ...]`.

A hundred messages that need no query: small talk, and questions about the data of a shop. Each folder has a
`questions.json` with questions that a query answers and, beside it, their SQLite files, as `python -m agent eval` takes
them: of those none should be taken for something else. No model is asked.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path

from agent.understanding.messages.reading import about_data, may_be_about_data, small_talk
from executors.base import Column, ForeignKey, Schema, Table

TALK = """
hi there
good morning!
hey, how are you?
thank you so much
thanks a lot, that helped
who are you?
what can you do?
help
what can I ask you?
can you help me?
bye
see you later
ok great
nice work
sorry, my mistake
are you a robot?
tell me a joke
show me some examples
what is your name?
good night
Hallo!
Guten Tag
Danke schön
vielen Dank für die Hilfe
Wer bist du?
Was kannst du?
Was kann ich dich fragen?
Hilfe
Tschüss
Wie geht es dir?
Alles klar
Guten Morgen zusammen
bonjour
salut !
merci beaucoup
qui es-tu ?
que peux-tu faire ?
aide-moi
au revoir
comment ça va ?
bonsoir
c'est parfait, merci
hola
buenos días
muchas gracias
¿quién eres?
¿qué puedes hacer?
ayuda
adiós
¿cómo estás?
buenas tardes
de acuerdo
ciao
buongiorno
grazie mille
chi sei?
cosa sai fare?
aiuto
arrivederci
come stai?
buonasera
va bene grazie
안녕하세요
감사합니다
고마워요
누구세요?
무엇을 할 수 있나요?
도와주세요
안녕히 계세요
잘 지내세요?
뭘 물어볼 수 있어?
반가워요
"""
ABOUT = """
what tables do you have?
which tables are there?
list the tables
what columns does orders have?
describe the customers table
what is in the orders table?
how are orders and customers connected?
what does status mean?
how big is this database?
what data is in here?
show me the schema
Welche Tabellen gibt es?
Welche Spalten hat orders?
Beschreibe die Tabelle customers
Was bedeutet status?
quelles tables y a-t-il ?
quelles colonnes a orders ?
décris la table customers
¿qué tablas hay?
¿qué columnas tiene orders?
describe la tabla customers
quali tabelle ci sono?
quali colonne ha orders?
descrivi la tabella customers
어떤 테이블이 있나요?
orders 테이블에는 어떤 컬럼이 있나요?
customers 테이블을 설명해 주세요
status는 무슨 뜻인가요?
"""


def _table(name: str, columns: str, **more: object) -> Table:
    return Table.model_validate(
        {"name": name, "columns": [Column(name=column, type="TEXT") for column in columns.split()], **more}
    )


SHOP = Schema(
    database="shop",
    dialect="sqlite",
    tables=(
        _table("customers", "customer_id name country"),
        _table(
            "orders",
            "order_id customer_id status amount",
            foreign_keys=[ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",))],
        ),
    ),
)


def kind(text: str, schema: Schema) -> str:
    """`small_talk`, `about_data` or `query`, as the first step of the loop decides."""
    if small_talk(text):
        return "small_talk"
    return "about_data" if may_be_about_data(text) and about_data(text, schema, ()) else "query"


@cache
def schema_of(path: Path) -> Schema:
    """The tables of a SQLite file, with the names of their columns."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = {name: connection.execute("SELECT name FROM pragma_table_info(?)", (name,)) for name in names}
        found = {name: [Column(name=column, type="TEXT") for (column,) in rows] for name, rows in columns.items()}
    tables = tuple(Table(name=name, columns=tuple(listed)) for name, listed in found.items())
    return Schema(database=path.stem, dialect="sqlite", tables=tables)


def summary(wanted: str, texts: str) -> str:
    """How many of some lines are what they should be, and which are not."""
    lines = texts.split("\n")[1:-1]
    missed = [line for line in lines if kind(line, SHOP) != wanted]
    return f"{wanted}: {len(lines) - len(missed)} of {len(lines)}" + "".join(f"\n  missed: {one}" for one in missed)


def answerable(folder: Path) -> str:
    """How many of a folder's questions are taken for something that needs no query, and which."""
    listed = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    taken = [one["question"] for one in listed if kind(one["question"], schema_of(folder / one["database"])) != "query"]
    lines = "".join(f"\n  {question}" for question in taken)
    return f"{folder.name}: {len(taken)} of {len(listed)} answerable questions taken for no query{lines}"


def main(folders: Iterable[str]) -> None:
    """Print all of it."""
    print(summary("small_talk", TALK))
    print(summary("about_data", ABOUT))
    for folder in folders:
        print(answerable(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])

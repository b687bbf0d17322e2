# ruff: noqa: E501  a row is read best in one piece
"""Compares the multilingual embedding model with MiniLM: `python -m bench.multilingual [FOLDER ...]`.

Over the sample shop's schema: how many of the columns that German, Korean and French questions need are among the nearest
ten; how many words of six languages are near a name where the data is there, and far where it is not; how many messages
are small talk by their words, and by their meaning; and how many questions of each folder's `questions.json` would be
taken for small talk by their meaning. No language model is asked.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from agent.understanding.clarification.missing import UNLIKE_IN_ANY_LANGUAGE
from agent.understanding.clarification.words.mentions import ANYTHING
from agent.understanding.messages.by_meaning import about_data_by_meaning, nearness
from agent.understanding.messages.reading import small_talk
from agent.understanding.messages.small_talk import NEARER
from bench.kinds import ABOUT, TALK, schema_of
from bench.kinds import SHOP as KINDS_SHOP
from executors.base import Schema
from executors.engines.duckdb.executor import DuckdbExecutor
from rag.embedding.embedder import Embedder, LocalEmbedder
from rag.embedding.multilingual import MultilingualEmbedder
from rag.words import split_name

SHOP = Path(__file__).parents[1] / "samples" / "shop.duckdb"
NEAREST = 10
# What a question needs, and the question in German, Korean and French.
QUESTIONS = (
    ("customers.country", "Aus welchem Land kommen die Kunden?", "고객은 어느 나라에서 왔나요?", "De quel pays viennent les clients ?"),
    ("customers.signed_up_on", "Wann haben sich die Kunden registriert?", "고객은 언제 가입했나요?", "Quand les clients se sont-ils inscrits ?"),
    ("customers.city", "In welcher Stadt wohnen die Käufer?", "구매자는 어느 도시에 사나요?", "Dans quelle ville habitent les acheteurs ?"),
    ("orders.ordered_at", "Wann wurde zuletzt bestellt?", "마지막 주문은 언제였나요?", "Quand a-t-on commandé pour la dernière fois ?"),
    ("orders.status", "Welchen Zustand haben die Bestellungen?", "주문 상태는 어떤가요?", "Quel est le statut des commandes ?"),
    ("orders.shipping", "Wie hoch waren die Versandkosten?", "배송비는 얼마였나요?", "Combien ont coûté les frais de port ?"),
    ("order_items.quantity", "Wie viel Stück wurden verkauft?", "판매 수량은 얼마인가요?", "Quelle quantité a été vendue ?"),
    ("order_items.unit_price", "Was kostet ein Stück?", "개당 가격은 얼마인가요?", "Quel est le prix à l'unité ?"),
    ("products.launched_on", "Wann kam das Produkt auf den Markt?", "제품은 언제 출시되었나요?", "Quand le produit a-t-il été lancé ?"),
    ("categories.name", "Welche Warengruppen gibt es?", "어떤 카테고리가 있나요?", "Quelles catégories y a-t-il ?"),
    ("payments.method", "Womit wird am häufigsten bezahlt?", "가장 많이 쓰는 결제 수단은?", "Quel moyen de paiement est le plus utilisé ?"),
    ("returns.reason", "Aus welchem Grund wird zurückgeschickt?", "반품 이유는 무엇인가요?", "Pour quelle raison renvoie-t-on un article ?"),
    ("returns.refund", "Wie viel Geld wurde erstattet?", "환불 금액은 얼마인가요?", "Quel montant a été remboursé ?"),
)  # fmt: skip
LANGUAGES = ("German", "Korean", "French")
THERE = """
Kunden Bestellungen Produkte Rücksendungen Zahlungen Kategorie Land Stadt clients commandes produits retours paiements
catégorie pays ville clientes pedidos productos devoluciones pagos categoría país ciudad clienti ordini prodotti resi
pagamenti categoria paese città 고객 주문 제품 반품 결제 카테고리 국가 도시
"""
LACKING = """
Mitarbeiter Lager Lieferwagen Köche Temperatur Regale employés entrepôt camions cuisiniers température étagères empleados
almacén camiones cocineros temperatura estantes dipendenti magazzino camion cuochi temperatura scaffali 직원 창고 트럭
요리사 온도 선반
"""


def names_of(schema: Schema) -> dict[str, str]:
    """Each column as it is embedded: table name and column name."""
    return {
        f"{table.name}.{column.name}": f"{split_name(table.name)} {split_name(column.name)}"
        for table in schema.tables
        for column in table.columns
    }


def found(names: dict[str, str], questions: Sequence[tuple[str, str]], embedder: Embedder) -> int:
    """How many questions have the column that they need among the nearest."""
    columns = np.asarray(embedder.embed(list(names.values())))
    cosines = np.asarray(embedder.embed([question for _, question in questions])) @ columns.T
    keys = list(names)
    return sum(
        wanted in [keys[int(at)] for at in np.argsort(-row)[:NEAREST]]
        for (wanted, _), row in zip(questions, cosines, strict=True)
    )


def far(words: Sequence[str], terms: Sequence[str], embedder: Embedder) -> int:
    """How many words are near to no term."""
    cosines = np.asarray(embedder.embed(words)) @ np.asarray(embedder.embed(terms)).T
    return int((cosines.max(axis=1) < UNLIKE_IN_ANY_LANGUAGE).sum())


async def talk_by_meaning(messages: Sequence[str], embedder: Embedder) -> int:
    """How many messages are nearer to small talk than to questions."""
    near = [await nearness(it, embedder) for it in messages]
    return sum(it is not None and it.to_talk >= NEARER for it in near)


async def data_by_meaning(messages: Iterable[tuple[str, Schema]], embedder: Embedder) -> int:
    """How many messages are about the data of their database."""
    found = [await about_data_by_meaning(text, schema, (), embedder) for text, schema in messages]
    return sum(it is not None for it in found)


def main(folders: Iterable[str]) -> None:
    """Print three tables, and a line for each folder."""
    executor = DuckdbExecutor("shop", SHOP, memory="500MB", threads=1, sample_values=5)
    schema = executor.schema()
    executor.close()
    names, minilm, multilingual = names_of(schema), LocalEmbedder(), MultilingualEmbedder()
    print(
        f"| column that is needed, among the nearest {NEAREST} of {len(names)} | MiniLM | {multilingual.name} |\n|---|---|---|"
    )
    for at, language in enumerate(LANGUAGES, 1):
        questions = [(it[0], it[at]) for it in QUESTIONS]
        counts = [found(names, questions, it) for it in (minilm, multilingual)]
        print(f"| {language} | {counts[0]} of {len(questions)} | {counts[1]} of {len(questions)} |")
    terms = sorted({split_name(it) for table in schema.tables for it in (table.name, *(c.name for c in table.columns))})
    print("\n| words in five languages | called lacking |\n|---|---|")
    for label, words in (("of data that is there", THERE.split()), ("of data that is not", LACKING.split())):
        print(f"| {label} | {far(words, [*terms, *ANYTHING], multilingual)} of {len(words)} |")
    print(
        "\n| messages | small talk by words | by meaning alone | about the data by meaning alone |\n|---|---|---|---|"
    )
    for label, text in (("small talk", TALK), ("about the data", ABOUT)):
        messages = text.strip().splitlines()
        by_words = sum(small_talk(it) is not None for it in messages)
        by_meaning = asyncio.run(talk_by_meaning(messages, multilingual))
        about = asyncio.run(data_by_meaning(((it, KINDS_SHOP) for it in messages), multilingual))
        print(f"| {len(messages)} of {label} | {by_words} | {by_meaning} | {about} |")
    for folder in folders:
        gold = json.loads((Path(folder) / "questions.json").read_text(encoding="utf-8"))
        texts = [str(it["question"]) for it in gold]
        taken = asyncio.run(talk_by_meaning(texts, multilingual))
        schemas = (schema_of(Path(folder) / it["database"]) for it in gold)
        about = asyncio.run(data_by_meaning(zip(texts, schemas, strict=True), multilingual))
        print(
            f"\n{Path(folder).name}: of {len(texts)} questions {taken} are taken for small talk, {about} for one about the data."
        )


if __name__ == "__main__":
    main(sys.argv[1:])

# ruff: noqa: E501
"""Times without a number: twenty cases for each of seven languages. True: it leaves open how recent is meant."""

from __future__ import annotations

import pytest

from agent.understanding.clarification.words.languages import EN, frames_of
from agent.understanding.clarification.words.vague_words import vague_words

CASES = {
    "en": [
        ("recent sales by country", True), ("Show me recent orders.", True), ("How many orders were there lately?", True),
        ("revenue in the last few months", True), ("orders over the past couple of weeks", True), ("Which clients joined recently?", True),
        ("sales these days", True), ("What sold well of late?", True), ("orders in recent weeks", True), ("revenue of the latest period", True),
        ("What were the most recent 5 orders?", False), ("Which customer signed up most recently?", False), ("the 5 recent orders", False),
        ("orders of the last 30 days", False), ("How recent is the data?", False), ("recent orders of 2024", False),
        ("the last order of each customer", False), ("How many orders are there?", False), ("orders sorted by date, recent first", False), ("the two recent returns", False),
    ],
    "de": [
        ("Welche Bestellungen gab es kürzlich?", True), ("Umsatz in letzter Zeit", True), ("Wie viele Kunden kamen neulich dazu?", True),
        ("Umsatz in den letzten Monaten", True), ("Bestellungen der letzten Wochen", True), ("Was wurde neuerdings verkauft?", True), ("Verkäufe in jüngster Zeit", True),
        ("Umsatz in den vergangenen Jahren", True), ("kürzliche Bestellungen je Land", True), ("Wie lief es in den letzten paar Tagen?", True),
        ("Umsatz der letzten 30 Tage", False), ("Bestellungen der letzten 3 Monate", False), ("Was ist die neueste Bestellung?", False), ("Wann hat Ada zuletzt bestellt?", False),
        ("Umsatz im Jahr 2024", False), ("die letzte Bestellung je Kunde", False), ("Wie viele Bestellungen gibt es?", False), ("Welche Kunden haben zuletzt bestellt?", False),
        ("der jüngste Kunde", False), ("Umsatz seit 2023 in den letzten Quartalen", False),
    ],
    "fr": [
        ("chiffre d'affaires récemment", True), ("Quelles sont les commandes récentes ?", True), ("les ventes récentes par pays", True), ("Combien de clients dernièrement ?", True),
        ("les commandes des derniers mois", True), ("les ventes de ces dernières semaines", True), ("les retours ces derniers temps", True), ("un achat récent ?", True),
        ("les clients récents", True), ("les ventes au cours des dernières années", True),
        ("la commande la plus récente", False), ("les 5 commandes récentes", False), ("les 10 clients les plus récents", False), ("les ventes des 30 derniers jours", False),
        ("les commandes récentes de 2024", False), ("les 3 derniers mois", False), ("la dernière commande", False), ("Combien de commandes ?", False), ("la moins récente des commandes", False), ("Quel est le total en 2023 ?", False),
    ],
    "es": [
        ("¿Cuáles son los pedidos recientes?", True), ("ventas recientes por país", True), ("¿Cuántos pedidos hay recientemente?", True), ("¿Qué se vendió últimamente?", True),
        ("pedidos de los últimos meses", True), ("ventas en las últimas semanas", True), ("clientes recientes", True), ("¿Qué se devolvió hace poco?", True), ("ventas durante los últimos años", True), ("un pedido reciente", True),
        ("el pedido más reciente", False), ("los 5 pedidos más recientes", False), ("los 5 pedidos recientes", False), ("ventas de los últimos 30 días", False), ("pedidos recientes de 2024", False),
        ("ventas de los últimos 3 meses", False), ("el último pedido", False), ("¿Cuántos pedidos hay?", False), ("el menos reciente", False), ("¿Cuál fue el total en 2023?", False),
    ],
    "it": [
        ("Quali sono gli ordini recenti?", True), ("vendite recenti per paese", True), ("Quanti ordini recentemente?", True), ("Che cosa si è venduto ultimamente?", True), ("ordini degli ultimi mesi", True),
        ("vendite nelle ultime settimane", True), ("clienti recenti", True), ("resi di recente", True), ("vendite negli ultimi anni", True), ("un ordine recente", True),
        ("l'ordine più recente", False), ("i 5 ordini più recenti", False), ("i 5 ordini recenti", False), ("vendite degli ultimi 30 giorni", False), ("ordini recenti del 2024", False), ("vendite negli ultimi 3 mesi", False),
        ("l'ultimo ordine", False), ("Quanti ordini ci sono?", False), ("il meno recente", False), ("Qual è il totale nel 2023?", False),
    ],
    "ko": [
        ("최근 매출은?", True), ("최근 주문을 보여줘", True), ("최근에 가입한 고객은?", True), ("요즘 잘 팔리는 제품은?", True), ("요새 매출이 어때?", True), ("근래 반품 수", True), ("최근 국가별 매출", True),
        ("최근 orders 수는 얼마인가요?", True), ("최근의 결제 내역", True), ("최근 고객 수", True),
        ("최근 주문 10건을 보여줘", False), ("10건의 최근 주문", False), ("가장 최근 주문은?", False), ("최근 30일 매출", False), ("최근 3개월 주문", False), ("주문을 최근 순으로", False), ("2024년 매출은?", False),
        ("주문은 몇 건인가요?", False), ("최근 한 달 매출", False), ("지난 7일 주문", False),
    ],
    "zh": [
        ("最近的订单有哪些？", True), ("最近销售额是多少？", True), ("近期的销售额", True), ("近来退货多吗？", True), ("近日的订单", True), ("这段时间的收入", True), ("前段时间卖得怎么样？", True), ("最近各国的销售额", True), ("最近注册的客户", True), ("显示最近的付款", True),
        ("最近的10个订单", False), ("最近一次订单", False), ("最近30天的销售额", False), ("最近三个月的订单", False), ("2024年的销售额", False), ("有多少订单？", False), ("最近的5笔付款", False), ("按最近日期排序", False), ("最近一年的订单", False), ("客户总数", False),
    ],
}  # fmt: skip


@pytest.mark.parametrize("language", CASES)
def test_each_language_has_twenty_cases(language: str) -> None:
    assert len(CASES[language]) == 20


@pytest.mark.parametrize("language, text, vague", [(it, *case) for it, cases in CASES.items() for case in cases])
def test_a_time_without_a_number_is_known_by_its_words(language: str, text: str, vague: bool) -> None:
    assert (vague_words(text) is not None) is vague


@pytest.mark.parametrize(
    "text, language",
    [
        ("chiffre d'affaires récemment", "fr"),
        ("Welche Bestellungen gab es kürzlich?", "de"),
        ("ventas recientes", "es"),
        ("vendite recenti", "it"),
        ("최근 매출은?", "ko"),
        ("最近的订单有哪些？", "zh"),
        ("recent sales by country", "en"),
    ],
)
def test_what_is_asked_back_is_in_one_language(text: str, language: str) -> None:
    frames = frames_of(text)
    assert frames.language == language
    if language != "en":  # no sentence of one language was left in another
        own, english = frames.model_dump(), EN.model_dump()
        assert [name for name in own if own[name] == english[name] and name != "total"] == []

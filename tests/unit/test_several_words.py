"""Which questions a model is asked for a plan of: those whose words say that one query may not answer them."""

from __future__ import annotations

import pytest

from agent.pipeline.decomposition.planner import may_need_several


@pytest.mark.parametrize(
    "question",
    [
        "Why did revenue fall in March?",
        "Compare Germany and France and say what drives the difference",
        "Is that more than last year, and in which category?",
        "What drives the returns?",
        "How many orders were there in May, and which customers placed them?",
        "What are the reasons for the drop in sales?",
        "How much did we sell? How much did we buy?",
        "Warum ist der Umsatz im März gefallen?",
        "Vergleiche Berlin und Hamburg",
        "Ist das mehr als im letzten Jahr, und in welcher Kategorie?",
        "Was treibt die Retouren?",
        "Pourquoi les ventes ont-elles baissé en mars ?",
        "Combien de commandes en mai et quels clients les ont passées ?",
        "¿Por qué cayeron las ventas en marzo?",
        "¿Cuántos pedidos hubo en mayo y qué clientes los hicieron?",
        "Perché sono calate le vendite a marzo?",
        "Confronta Roma e Milano",
        "3월 매출이 왜 떨어졌나요?",
        "서울과 부산의 매출을 비교해 줘",
        "为什么三月的销售额下降了？",
        "比较北京和上海的销售额",
    ],
)
def test_words_that_may_need_several(question: str) -> None:
    assert may_need_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the total of all orders?",
        "How many customers are there in Germany and France?",
        "Which customers bought more than 5 products?",
        "List the names and countries of all customers",
        "Which product is more expensive than the average?",
        "Show orders with a total higher than 100 by month",
        "Wie viele Kunden gibt es in Berlin und Hamburg?",
        "Zeige alle Bestellungen über 100 Euro",
        "Combien de clients y a-t-il à Paris et à Lyon ?",
        "¿Cuántos clientes hay en Madrid y en Sevilla?",
        "Quanti clienti ci sono a Roma e a Milano?",
        "고객은 몇 명입니까?",
        "北京有多少客户？",
    ],
)
def test_words_that_one_query_answers(question: str) -> None:
    assert not may_need_several(question)

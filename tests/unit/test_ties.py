"""Rows that tie with the last row of an answer and that its LIMIT cut off: found, counted, and said."""

from __future__ import annotations

import pytest
from shop_questions import Ask

from agent.checks.grounding.compose import write_ties
from agent.checks.grounding.evidence.facts import Facts
from executors.base import QueryResult
from executors.dialects.table import DIALECTS
from executors.sql import grammar
from executors.sql.ties import find_tie_query
from executors.sql.tree import tree_to_change
from testbed.scripted_model import ScriptedModel

RAREST = "SELECT status FROM orders WHERE status <> 'C' GROUP BY status ORDER BY COUNT(*) LIMIT 1"
QUERIES = [
    ("sqlite", "SELECT a FROM t ORDER BY b LIMIT 1", 1, "SELECT a, b AS tie_key_1 FROM t ORDER BY b LIMIT 51", (1,)),
    ("sqlite", "SELECT a, b FROM t ORDER BY b LIMIT 2", 2, "SELECT a, b FROM t ORDER BY b LIMIT 52", (1,)),
    ("sqlite", "SELECT a, SUM(x) AS s FROM t GROUP BY a ORDER BY s LIMIT 1", 1,
     "SELECT a, SUM(x) AS s FROM t GROUP BY a ORDER BY s LIMIT 51", (1,)),
    ("sqlite", "SELECT a FROM t GROUP BY a ORDER BY SUM(x), 1 LIMIT 1", 1,
     "SELECT a, SUM(x) AS tie_key_1 FROM t GROUP BY a ORDER BY SUM(x), 1 LIMIT 51", (1, 0)),
    ("sqlite", "SELECT * FROM t ORDER BY b LIMIT 1", 1, "SELECT *, b AS tie_key_1 FROM t ORDER BY b LIMIT 51", (2,)),
    ("sqlite", "SELECT DISTINCT a, b FROM t ORDER BY b LIMIT 1", 1,
     "SELECT DISTINCT a, b FROM t ORDER BY b LIMIT 51", (1,)),
    ("sqlite", "SELECT a, SUM(x) AS s FROM t GROUP BY a ORDER BY s / 2 LIMIT 1", 1,
     "SELECT a, SUM(x) AS s, (SUM(x)) / 2 AS tie_key_1 FROM t GROUP BY a ORDER BY s / 2 LIMIT 51", (2,)),
    ("mariadb", "SELECT a, -s AS s FROM t ORDER BY s + 0 LIMIT 1", 1,  # the column's, not the alias's
     "SELECT a, -s AS s, s + 0 AS tie_key_1 FROM t ORDER BY s + 0 LIMIT 51", (2,)),
    ("postgresql", "SELECT a, x AS s FROM t ORDER BY s / 2 LIMIT 1", 1,
     "SELECT a, x AS s, s / 2 AS tie_key_1 FROM t ORDER BY s / 2 LIMIT 51", (2,)),
    ("sqlserver", "SELECT TOP 1 a FROM t ORDER BY b DESC", 1,
     "SELECT TOP 51 a, b AS tie_key_1 FROM t ORDER BY b DESC", (1,)),
    ("oracle", "SELECT a FROM t ORDER BY b FETCH FIRST 1 ROWS ONLY", 1,
     "SELECT a, b AS tie_key_1 FROM t ORDER BY b FETCH FIRST 51 ROWS ONLY", (1,)),
]  # fmt: skip


@pytest.mark.parametrize("dialect, sql, rows, beyond, keys", QUERIES, ids=[it[1] for it in QUERIES])
def test_the_query_goes_on_beyond_its_limit(
    dialect: str, sql: str, rows: int, beyond: str, keys: tuple[int, ...]
) -> None:
    row = DIALECTS[dialect]
    tree = tree_to_change(sql, row.sqlglot)
    assert tree is not None

    found = find_tie_query(tree, 2 if "*" in sql or ", b FROM" in sql or " s FROM" in sql else 1, rows, 50, row)

    assert found is not None
    assert grammar.write(found.query, row.sqlglot) == beyond
    assert found.keys == keys
    assert grammar.write(tree, row.sqlglot) == grammar.write(tree_to_change(sql, row.sqlglot) or tree, row.sqlglot)


@pytest.mark.parametrize(
    "sql, rows, why",
    [
        ("SELECT a FROM t ORDER BY b LIMIT 5", 3, "the limit cut nothing"),
        ("SELECT a FROM t LIMIT 1", 1, "nothing is ordered"),
        ("SELECT a FROM t ORDER BY b", 1, "there is no limit"),
        ("SELECT DISTINCT a FROM t ORDER BY b LIMIT 1", 1, "another column would make other rows distinct"),
        ("SELECT a FROM t UNION SELECT b FROM t ORDER BY 1 LIMIT 1", 1, "several SELECTs"),
        ("SELECT a FROM t WHERE 1 = 0 ORDER BY b LIMIT 1", 0, "there is no last row"),
    ],
)
def test_nothing_ties(sql: str, rows: int, why: str) -> None:
    tree = tree_to_change(sql, "sqlite")
    assert tree is not None
    assert find_tie_query(tree, 1, rows, 50, DIALECTS["sqlite"]) is None, why


def test_rows_that_look_like_a_shown_one_or_tie_on_nothing_do_not_count() -> None:
    tree = tree_to_change("SELECT a FROM t ORDER BY b DESC LIMIT 1", "sqlite")
    assert tree is not None
    tie = find_tie_query(tree, 1, 1, 50, DIALECTS["sqlite"])
    assert tie is not None

    assert tie.count_ties([["x"]], [["x", 5], ["y", 5], ["z", 4]]) == 1
    assert tie.count_ties([["y"]], [["x", 5], ["y", 5], ["z", 4]]) == 1, "the database may choose another one"
    assert tie.count_ties([["x"]], [["x", 5], ["x", 5]]) == 0
    assert tie.count_ties([["x"]], [["x", None], ["y", None]]) == 0
    assert tie.count_ties([["x"]], [["x", 5]]) == 0


def test_a_shown_row_ties_with_itself_however_its_number_is_written() -> None:
    row = DIALECTS["duckdb"]
    tree = tree_to_change("SELECT a, SUM(x) AS s FROM t GROUP BY a ORDER BY s LIMIT 1", row.sqlglot)
    assert tree is not None
    tie = find_tie_query(tree, 2, 1, 50, row)
    assert tie is not None

    assert tie.count_ties([["x", 62805]], [["x", 62805.0], ["y", 56811.5]]) == 0, "another row makes the column floats"
    assert tie.count_ties([["x", 0.3]], [["x", 0.30000000000000004], ["y", 0.2]]) == 0, "summed in another order"
    assert tie.count_ties([["x", 5]], [["x", 5.0], ["y", 5.0], ["z", 4.5]]) == 1


async def test_an_answer_says_how_many_more_tie(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=RAREST)
    model.replies(correct=True, reason="one of them")
    model.replies(text="It is S.")

    answer = await ask("Which status is the rarest?")

    assert answer.answer == "It is S. Tied with it: 1 more."
    assert "Rows that tie with the last one and are not shown: 1." in answer.warnings
    [number] = answer.numbers
    assert (answer.answer[number.start : number.end], number.source) == ("1", "row count")


async def test_an_answer_without_a_sentence_says_it_too(ask: Ask, model: ScriptedModel) -> None:
    model.replies(sql=RAREST)
    model.replies(correct=True, reason="one of them")

    answer = await ask("Which status is the rarest?", enable_answer=False)

    assert answer.answer == "Status: S. Tied with it: 1 more."


@pytest.mark.parametrize(
    "question, rows, says",
    [
        ("Who has the most orders?", 1, " Tied with it: 2 more."),
        ("Who has the most orders?", 3, " Tied with the last row: 2 more."),
        ("Wer hat die meisten Bestellungen?", 1, " Gleichauf: 2 weitere."),
        ("Quel client a passé le plus de commandes ?", 1, " À égalité : 2 de plus."),
        ("¿Qué cliente tiene más pedidos?", 3, " Empatados con la última fila: 2 más."),
        ("Quale cliente ha più ordini?", 1, " A pari merito: 2 in più."),
        ("주문이 가장 많은 고객은 누구입니까?", 1, " 동률: 2개 더."),
    ],
)
def test_it_is_said_in_the_language_of_the_question(question: str, rows: int, says: str) -> None:
    result = QueryResult(columns=("name",), rows=tuple((f"n{i}",) for i in range(rows)))
    facts = Facts(question=question, result=result, sql="SELECT name FROM t", dialect="sqlite", documents=())

    assert write_ties(facts, 2) == says
    assert write_ties(facts, 0) == ""
    assert write_ties(facts, 50) == says.replace("2", "50+")

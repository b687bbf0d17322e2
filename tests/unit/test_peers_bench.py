"""The comparison with peers: scripted replies, scoring and drawing."""

from __future__ import annotations

import json
import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench.drawing import draw_curves, short
from bench.peers.__main__ import is_right, python_of, rows_of, spaced
from bench.peers.proxy import Scripted
from bench.peers.report import Result, draw, figures, report

QUESTION, SQL = "How many orders?", "SELECT COUNT(*) FROM orders"


STEPS = {"sql_generator": {"model_calls": 1, "prompt_tokens": 2000, "cached_tokens": 1500, "completion_tokens": 30}}
OWN = Result("Plumbline", 20.0, 3, 4000, 2500, 80, 9, 10, 200, 1.0, 2.0, steps=STEPS)
OTHER = Result("Other <1>", 10.0, 2, 1000, 0, 40, 5, 10, 100, 0.5, 1.0, failures=("ValueError: no",))


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (1), (2)")
    connection.close()
    return str(path)


@pytest.mark.parametrize(
    "asked, said",
    [
        (f"Question: {QUESTION}\nSQLQuery: ", SQL),
        (f"You are a SQLite expert.\n{QUESTION}", f"```sql\n{SQL}\n```"),
        (f"Question: {QUESTION}\nSQL Query: {SQL}\nSQL Result: [(2,)]\nAnswer: ", "These are the rows"),
        (f"Action Input: the input\nBegin!\nQuestion: {QUESTION}\nThought:", "Action: sql_db_list_tables"),
        (f"Action Input:\nBegin!\nQuestion: {QUESTION}\nObservation: a\nObservation: b\n", f"Action Input: {SQL}"),
        (f"Action Input:\nBegin!\nQuestion: {QUESTION}\n{3 * 'Observation: a'}", "Final Answer:"),
    ],
)
async def test_each_kind_of_prompt_gets_what_its_sender_expects(asked: str, said: str) -> None:
    reply = await Scripted({QUESTION: SQL}).reply([{"role": "user", "content": asked}], {})
    assert said in reply.text
    assert reply.usage.model_calls == 1
    assert reply.usage.prompt_tokens == len(asked) // 4


async def test_plumbline_gets_a_draft(database: str) -> None:
    body = {"response_format": {"json_schema": {"name": "draft"}}}
    reply = await Scripted({QUESTION: SQL}).reply([{"role": "user", "content": f"Question: {QUESTION}\n\nx"}], body)
    assert json.loads(reply.text)["sql"] == SQL


def test_rows_decide_what_is_right(database: str) -> None:
    gold = rows_of(database, SQL), False
    assert is_right(database, "SELECT SUM(1) FROM orders", gold)
    assert not is_right(database, "SELECT id FROM orders", gold)
    assert not is_right(database, "SELECT nothing", gold)
    assert not is_right(database, None, gold)


def test_nobody_can_write(database: str) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        rows_of(database, "DELETE FROM orders")


def test_each_peer_has_its_environment() -> None:
    assert python_of("langchain_agent", Path("all")) == python_of("langchain_chain", Path("all"))
    assert python_of("vanna", Path("all")) != python_of("llamaindex", Path("all"))


def test_the_table_and_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own, other = OWN, OTHER
    report([own, other], "scripted")
    told = capsys.readouterr().out
    assert "10.0 (0.5)" in told
    assert "sql_generator: 1.0 calls; 2000 tokens (1500 cached), 30 replied" in told
    assert "Other <1> could not answer: ValueError: no" in told
    draw([own, other], "scripted", tmp_path / "images" / "peers.svg")
    picture = ET.parse(tmp_path / "images" / "peers.svg")
    assert "Other <1>" in {node.text for node in picture.iterfind(".//{*}text")}


@pytest.mark.parametrize(
    "value, said", [(0.45, "0.45"), (12, "12"), (193.2, "193"), (1000, "1k"), (45_000, "45k"), (1e8, "100M")]
)
def test_numbers_are_short(value: float, said: str) -> None:
    assert short(value) == said


def test_curves_have_a_line_for_each_name() -> None:
    lines = {"one": [(10, 1.0), (1000, 2.0)], "two": [(10, 5.0), (1000, 5.0)]}
    picture = ET.fromstring(draw_curves("All", {"tables": lines, "rows": {"one": lines["one"]}}))
    words = [node.text for node in picture.iterfind(".//{*}text")]
    assert {"All", "tables", "rows", "one", "two"} <= {*words}
    assert words.count("one") == 1, "a line alone needs no name"


def test_the_first_is_compared_with_the_best_of_the_others() -> None:
    found = {it.name: it for it in figures([OWN, OTHER, OTHER._replace(own_ms=40.0, right=8)])}
    own_time = found["own time of a question: ratio of Plumbline to the least of the others"]
    assert own_time.value == pytest.approx(2.0)
    assert not own_time.met
    right = found["right answers, beyond the best of the others"]
    assert right.value == pytest.approx(10.0)
    assert right.met
    assert found["model calls of a question, Plumbline"].met


def test_alone_there_is_nobody_to_compare_with() -> None:
    calls, cached = figures([OWN])
    assert (calls.value, cached.value) == (3, 62.5)


@pytest.mark.parametrize("most, chosen", [(100, [*range(10)]), (5, [0, 2, 4, 6, 8]), (3, [0, 3, 6]), (1, [0])])
def test_questions_are_taken_evenly(most: int, chosen: list[int]) -> None:
    assert spaced(range(10), most) == chosen

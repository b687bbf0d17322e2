"""The bench of answer times: its databases, its paced endpoint, the order of turns, and the report."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from bench.answer import _known, environment_of, main, measure
from bench.answer_databases import DATABASES, EACH, QuestionSet, make_databases, read
from bench.answer_endpoint import CHARS, Paced
from bench.answer_report import NOW, PLAIN, Line, figures_of, report
from bench.answer_sides import Failed, PlainCall, Timed
from bench.endpoint import sentence_of

QUESTION, SQL = "How many books?", "SELECT COUNT(*) FROM books"


def test_eight_databases_get_forty_questions_that_have_answers(tmp_path: Path) -> None:
    databases = make_databases(tmp_path)
    assert len(databases) == 8
    assert sum(len(it.questions) for it in databases) == 40
    for it in databases[1:]:
        with closing(sqlite3.connect(it.path)) as connection:
            for question in it.questions:
                rows = connection.execute(question.gold[0]).fetchall()
                assert rows, question
                assert rows[0][0] not in {None, 0}, question


def test_the_rows_are_the_same_each_time(tmp_path: Path) -> None:
    totals = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        make_databases(tmp_path / name)
        with closing(sqlite3.connect(tmp_path / name / "library.sqlite")) as connection:
            totals.append(connection.execute("SELECT SUM(fine), SUM(days) FROM loans").fetchone())
    assert totals[0] == totals[1]


def test_a_folder_gives_the_databases_with_enough_questions(tmp_path: Path) -> None:
    (tmp_path / "few.sqlite").touch()
    (tmp_path / "enough.sqlite").touch()
    entries = [{"database": "few.sqlite", "question": QUESTION, "gold": [SQL]}]
    entries += [{"database": "enough.sqlite", "question": f"{QUESTION} {n}", "gold": [SQL]} for n in range(EACH + 1)]
    (tmp_path / "questions.json").write_text(json.dumps(entries), encoding="utf-8")
    found = read(tmp_path, 8)
    assert [(it.name, len(it.questions)) for it in found] == [("enough", EACH)]


def test_a_folder_of_few_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few.sqlite").touch()
    entries = [{"database": "few.sqlite", "question": QUESTION, "gold": [SQL]}]
    (tmp_path / "questions.json").write_text(json.dumps(entries), encoding="utf-8")
    with pytest.raises(ValueError, match="has 5 questions or more"):
        read(tmp_path, 8)


@pytest.mark.parametrize(
    "wrong, said",
    [(["--against", "no-such-folder"], "no working tree"), (["--questions", "0"], "at least 1"), (["none"], "none")],
)
def test_wrong_arguments_say_what_to_do(wrong: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(wrong)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


# -- the endpoint ----------------------------------------------------------------------------------------------


def asking(*, stream: bool = False, shape: str = "draft", prefix: str = "") -> dict[str, object]:
    asked = f"{prefix}\nQuestion: {QUESTION}\n"
    form = {"json_schema": {"name": shape}} if shape else {}
    body: dict[str, object] = {"model": "m", "messages": [{"role": "user", "content": asked}], "stream": stream}
    return body | ({"response_format": form} if form else {})


def client() -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(Paced({QUESTION: SQL}, first_s=0.0, rate=1e6).app())
    return httpx2.AsyncClient(transport=transport, base_url="http://endpoint")


async def test_a_streamed_reply_is_the_same_in_pieces() -> None:
    async with client() as http:
        whole = (await http.post("/v1/chat/completions", json=asking())).json()
        streamed = (await http.post("/v1/chat/completions", json=asking(stream=True))).text
    events = [line.removeprefix("data: ") for line in streamed.splitlines() if line.startswith("data: {")]
    chunks = [json.loads(event) for event in events]
    pieces = [choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"]]
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= CHARS
    assert "".join(pieces) == whole["choices"][0]["message"]["content"]
    assert json.loads("".join(pieces))["sql"] == SQL
    assert chunks[-1]["usage"]["completion_tokens"] == whole["usage"]["completion_tokens"] == len(pieces) - 1


async def test_the_plain_call_gets_a_query_alone() -> None:
    body = asking(shape="", prefix="Reply with the query alone, in a ```sql block.")
    async with client() as http:
        said = (await http.post("/v1/chat/completions", json=body)).json()
    assert said["choices"][0]["message"]["content"] == f"```sql\n{SQL}\n```"


async def test_what_a_long_prompt_shares_with_an_earlier_one_counts_as_cached() -> None:
    long, short = "word " * 1000, "word " * 100
    async with client() as http:
        told = [
            (await http.post("/v1/chat/completions", json=asking(prefix=prefix))).json()["usage"]
            for prefix in (long, long, short, short)
        ]
        other = await http.post("/v1/chat/completions", json=asking(prefix=long), headers={"authorization": "other"})
    assert [it["prompt_tokens_details"]["cached_tokens"] for it in told] == [0, 1152, 0, 0]
    assert other.json()["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


# -- whose turn it is, and what is printed ---------------------------------------------------------------------


class Recorded(PlainCall):
    """A side that answers at once, and writes down how it was asked."""

    def __init__(self, name: str, log: list[tuple[str, str, str]], *, fails: bool = False) -> None:
        self._name, self._asked_log, self._fails = name, log, fails

    def _said(self, way: str, question: str) -> Timed:
        self._asked_log.append((self._name, way, question))
        if self._fails:
            raise Failed("it has gone")
        usage = {"model_calls": 1, "prompt_tokens": 30, "cached_tokens": 10, "completion_tokens": 5}
        return Timed(None, 0.1, 0.2, 0.2, usage, DATABASES["farm"].questions[0][1], "success")

    def cold(self, question: str, database: str) -> Timed:
        return self._said("cold", question)

    def by_command(self, question: str, database: str) -> Timed:
        return self._said("command", question)

    def warm(self, question: str, database: str) -> Timed:
        return self._said("warm", question)


def lines_of(farm: QuestionSet, log: list[tuple[str, str, str]], *, until: float = float("inf")) -> list[Line]:
    from bench.answer import _scorer

    sides = {NOW: Recorded(NOW, log), "before": Recorded("before", log), PLAIN: Recorded(PLAIN, log, fails=True)}
    scorer = _scorer([farm])
    try:
        return list(measure([farm], sides, scorer, until=until))
    finally:
        scorer.close()


@pytest.fixture
def farm(tmp_path: Path) -> QuestionSet:
    return next(it for it in make_databases(tmp_path) if it.name == "farm")


def test_all_sides_get_each_question_in_turns(farm: QuestionSet) -> None:
    log: list[tuple[str, str, str]] = []
    lines_of(farm, log)
    by_question = [[it for it in log if it[2] == question.question] for question in farm.questions]
    assert [[way for _, way, _ in asked] for asked in by_question] == [
        ["command"] * 3, ["cold"] * 3, ["warm"] * 3, ["warm"] * 3, ["warm"] * 3,
    ]  # fmt: skip
    assert [asked[0][0] for asked in by_question[:3]] == [NOW, "before", PLAIN]
    assert all({name for name, _, _ in asked} == {NOW, "before", PLAIN} for asked in by_question)


def test_rows_say_what_is_right_and_a_side_that_fails_is_told(farm: QuestionSet) -> None:
    lines = lines_of(farm, [])
    assert [it.right for it in lines if it.side == NOW] == [True, False, False, False, False]
    assert {(it.read, it.cached, it.written) for it in lines if it.side == NOW} == {(20, 10, 5)}
    assert {it.error for it in lines if it.side == PLAIN} == {"it has gone"}


def test_no_question_is_begun_when_the_time_is_over(farm: QuestionSet) -> None:
    assert lines_of(farm, [], until=time.monotonic()) == []


def test_results_are_gone_on_with(tmp_path: Path) -> None:
    line = Line(NOW, "warm process", "farm", QUESTION, answer=1.5)
    path = tmp_path / "results.jsonl"
    assert _known(path) == []
    path.write_text(json.dumps(line._asdict()) + "\n", encoding="utf-8")
    assert _known(path) == [line]


def test_the_table_has_medians_and_their_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        Line(NOW, "warm database", "farm", f"q{n}", 0.05, 1.0, 2.0, seconds) for n, seconds in enumerate((2, 4, 9))
    ]
    lines += [Line("before", "warm database", "farm", f"q{n}", 0.1, 4.0, 8.0, 16.0) for n in range(3)]
    lines += [
        Line(PLAIN, "warm database", "farm", "q0", answer=2.0),
        Line(PLAIN, "warm database", "farm", "q1", error="no"),
    ]
    figures = {it.name: it for it in figures_of(lines)}
    assert figures["answer, warm: ratio to before"].value == 0.25
    assert figures["answer, warm: ratio to one plain call"].value == 2.0
    assert figures["first event, warm: median"].met
    assert figures["answer, cold process: ratio to before"].value is None
    report(lines, "scripted")
    printed = capsys.readouterr().out
    assert "no response, one plain call, farm, 'q1': no" in printed
    ratio = next(line for line in printed.splitlines() if "ratio: before" in line)
    assert ratio.split()[-4:] == ["0.50", "0.25", "0.25", "0.25"]


def test_the_embedded_model_gets_no_endpoint() -> None:
    registry = Path("databases.yaml")
    assert "OPENAI_BASE_URL" not in environment_of("embedded", "", registry)
    assert environment_of("endpoint", "http://127.0.0.1:1/v1", registry)["OPENAI_BASE_URL"] == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    "table, sentence",
    [
        ("total\n460.5", "It is 460.5."),
        ("percentage\n16.9", "It is 16.9 %."),
        ("month | sum\n2024-01 | 5\n2024-02 | 7", "2024-01: 5; 2024-02: 7."),
        ("name | pieces | revenue\nTea | 5 | 10.5", "Tea: 5, 10.5."),
        ("name", "There is none."),
    ],
)
def test_the_scripted_models_write_what_the_rows_say(table: str, sentence: str) -> None:
    assert sentence_of(f"How much?\n<data>\n{table}\n</data>\nAnswer the question from these rows.") == sentence

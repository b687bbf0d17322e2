"""The evaluation: each question asked once, scored by its rows, and counted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from agent.core.answers import Answer, AttemptRecord
from agent.core.errors import ModelBusy, ModelUnavailable, OutOfTime, PlumblineError
from agent.core.models import Verdict
from agent.core.usage import Usage
from agent.evaluation.harness import EvaluationInvalid, GoldQuestion, evaluate, load_questions
from agent.evaluation.report import Confusion, Report, ResultLine, Tokens, report_of, summary_rows, wilson
from executors.base import Cancel, CheckedSql, Executor, QueryResult, Schema
from executors.errors import ErrorKind, SqlFailed

RIGHT, WRONG = "SELECT COUNT(*) FROM people", "SELECT 7"


class PlainSqlite(Executor):
    """The least that is needed to run a query on an SQLite file; remembers whether it was closed."""

    name, dialect = "people", "sqlite"

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self.closed = False

    def schema(self) -> Schema:
        return Schema(database=self.name, dialect=self.dialect, tables=())

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        try:
            cursor = self._connection.execute(query.executable)
        except sqlite3.Error as error:
            raise SqlFailed(ErrorKind.OTHER, str(error)) from error
        rows = cursor.fetchmany(query.row_limit + 1)
        columns = tuple(column[0] for column in cursor.description)
        kept = tuple(rows[: query.row_limit])
        return QueryResult(columns=columns, rows=kept, truncated=len(rows) > query.row_limit)

    def close(self) -> None:
        self._connection.close()
        self.closed = True


class Oracle:
    """Answers from a list and records questions; an unlisted question fails."""

    def __init__(self, **answers: Answer | Exception) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str, str]] = []

    async def __call__(self, database: Path, question: str, evidence: str) -> Answer:
        self.asked.append((database.name, question, evidence))
        answer = self.answers[question]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def opened() -> list[PlainSqlite]:
    return []


@pytest.fixture
def open_database(opened: list[PlainSqlite]) -> Callable[[Path], Executor]:
    def open_one(path: Path) -> Executor:
        opened.append(PlainSqlite(path))
        return opened[-1]

    return open_one


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A database of 600 people."""
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (number INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?)", [(n,) for n in range(600)])
    connection.close()
    return path


def asks(path: Path, *names: str, gold: tuple[str, ...] = (RIGHT,), evidence: str = "") -> list[GoldQuestion]:
    return [GoldQuestion(database=path.name, path=path, question=n, gold=gold, evidence=evidence) for n in names]


def said(sql: str | None, **more: Any) -> Answer:
    return Answer(**{"status": "success", "answer": "So many.", "sql": sql, "dialect": "sqlite", "attempts": 1, **more})


def attempt(sql: str, correct: bool | None, source: Literal["judge", "checks"] = "judge") -> AttemptRecord:
    verdict = None if correct is None else Verdict(reason="because", correct=correct, source=source)
    return AttemptRecord(sql=sql, verdict=verdict, error="no such column" if correct is None else None)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# -- the file of questions --------------------------------------------------------------------------------


def test_a_database_is_found_beside_the_file_of_questions(people: Path) -> None:
    file = people.parent / "questions.json"
    file.write_text(
        json.dumps(
            [
                {"database": people.name, "question": "How many?", "gold": [RIGHT], "hardness": "simple"},
                {"database": people.name, "question": "Who?", "gold": [RIGHT, WRONG], "instructions": "all of them"},
                {"database": people.name, "question": "Why?", "gold": [RIGHT], "needs_docs": True, "note": "a rule"},
            ]
        )
    )

    first, second, _ = load_questions(file)

    assert first.path == people
    assert first.key == ("people.sqlite", "How many?")
    assert (second.evidence, second.gold) == ("all of them", (RIGHT, WRONG))


def test_a_database_may_be_a_name_of_the_registry(people: Path) -> None:
    file = people.parent / "questions.json"
    entries = [{"database": name, "question": "How many?", "gold": [RIGHT]} for name in ("warehouse", people.name)]
    file.write_text(json.dumps(entries))

    named, beside = load_questions(file, ("warehouse", people.name))

    assert (named.path, named.in_registry) == (Path("warehouse"), True)
    assert (beside.path, beside.in_registry) == (people, False), "a file that is there comes first"
    with pytest.raises(EvaluationInvalid, match="warehouse"):
        load_questions(file)


@pytest.mark.parametrize(
    "content, said_so",
    [
        ("{", "not a list of questions"),
        ('{"question": "How many?"}', "not a list of questions"),
        ('[{"database": "people.sqlite", "question": "How many?"}]', "at 0.gold"),
        ('[{"database": "people.sqlite", "question": "How many?", "gold": []}]', "at 0.gold"),
        ('[{"database": "gone.sqlite", "question": "How many?", "gold": ["SELECT 1"]}]', "gone.sqlite"),
    ],
)
def test_says_what_is_wrong_with_a_file_of_questions(content: str, said_so: str, people: Path) -> None:
    file = people.parent / "questions.json"
    file.write_text(content)

    with pytest.raises(EvaluationInvalid, match=said_so):
        load_questions(file)


def test_says_that_there_is_no_file_of_questions(tmp_path: Path) -> None:
    with pytest.raises(EvaluationInvalid, match="cannot be read"):
        load_questions(tmp_path / "none.json")


# -- asking and scoring -----------------------------------------------------------------------------------


async def test_a_prediction_is_right_when_its_rows_are_those_of_any_gold_query(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    oracle = Oracle(one=said("SELECT 600"), two=said(WRONG), three=said("SELECT COUNT(number) * 100.0 / 6 FROM people"))
    questions = asks(people, "one", "two", "three", gold=("SELECT 10000", RIGHT), evidence="all count")
    seen: list[ResultLine] = []

    report = await evaluate(questions, oracle, open_database=open_database, on_result=seen.append)

    assert [line.correct for line in seen] == [True, False, True]
    assert (report.n, report.correct) == (3, 2)
    assert report.share == pytest.approx(2 / 3)
    assert oracle.asked[0] == ("people.sqlite", "one", "all count")


async def test_a_limit_of_the_service_does_not_make_an_answer_wrong(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    cut = "SELECT number FROM people LIMIT 500"
    history = [attempt(cut, True)]
    oracle = Oracle(
        cut=said(cut, truncated=True, attempt_history=history),
        asked_for=said("SELECT number FROM people LIMIT 5"),
    )
    questions = asks(people, "cut", "asked_for", gold=("SELECT number FROM people",))
    seen: list[ResultLine] = []

    report = await evaluate(questions, oracle, open_database=open_database, on_result=seen.append)

    assert [line.correct for line in seen] == [True, False]
    assert report.judge == Confusion(true_accepts=1)


async def test_what_went_wrong_is_written_down_and_the_next_question_asked(
    people: Path, open_database: Callable[[Path], Executor], opened: list[PlainSqlite]
) -> None:
    oracle = Oracle(
        late=OutOfTime("220 s are over."),
        broken=said("SELECT shoes FROM people"),
        refused=said(RIGHT, status="error", attempt_history=[attempt(RIGHT, None)]),
        unclear=said(None, status="clarification_needed"),
        right=said(RIGHT),
    )
    seen: list[ResultLine] = []

    report = await evaluate(asks(people, *oracle.answers), oracle, open_database=open_database, on_result=seen.append)

    assert [line.error for line in seen] == [
        "OutOfTime: 220 s are over.",
        "OTHER: no such column: shoes",
        "no such column",
        "It asked for clarification.",
        None,
    ]
    assert [line.correct for line in seen] == [False, False, False, False, True]
    assert report.failed == 4
    assert [database.closed for database in opened] == [True]


async def test_a_gold_query_that_fails_is_reported_and_the_question_not_scored(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    oracle = Oracle(bad=said(RIGHT), half=said(RIGHT))
    questions = asks(people, "bad", gold=("SELECT x",)) + asks(people, "half", gold=("SELECT x", RIGHT))

    report = await evaluate(questions, oracle, open_database=open_database)

    assert (report.n, report.correct) == (1, 1)
    assert report.gold_errors == ("bad: no such column: x (SELECT x)", "half: no such column: x (SELECT x)")


async def test_a_result_too_long_to_compare_is_no_match(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    oracle = Oracle(long=said("SELECT a.number FROM people a, people b"))
    seen: list[ResultLine] = []

    await evaluate(asks(people, "long"), oracle, open_database=open_database, on_result=seen.append)

    assert seen[0].error == "RESOURCE: It has more than 10,000 rows, too many to compare."


# -- the file of results ----------------------------------------------------------------------------------


async def test_one_line_per_question_says_all_there_is_to_know(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    answer = said(
        RIGHT,
        verified=True,
        attempts=2,
        attempt_history=[attempt(WRONG, False), attempt(RIGHT, True)],
        usage=Usage(model_calls=5, prompt_tokens=900, cached_tokens=700, completion_tokens=80),
        timings_ms={"sql_generator": 120.0},
    )
    out = people.parent / "results.jsonl"

    await evaluate(asks(people, "one"), Oracle(one=answer), open_database=open_database, out=out)

    (line,) = lines_of(out)
    assert line["elapsed_ms"] >= 0
    assert {key: line[key] for key in ("predicted", "correct", "verified", "attempts", "model_calls", "tokens")} == {
        "predicted": RIGHT,
        "correct": True,
        "verified": True,
        "attempts": 2,
        "model_calls": 5,
        "tokens": {"prompt": 900, "cached": 700, "completion": 80},
    }
    assert (line["database"], line["question"], line["gold"]) == ("people.sqlite", "one", [RIGHT])
    assert (line["answer"], line["error"], line["timings_ms"]) == ("So many.", None, {"sql_generator": 120.0})
    assert [record["sql"] for record in line["attempt_history"]] == [WRONG, RIGHT]


@pytest.mark.parametrize("ends", [ModelUnavailable("Nobody answers."), ModelBusy("Try again in 400 s.", 400)])
async def test_what_is_in_the_file_is_not_asked_again(
    people: Path, open_database: Callable[[Path], Executor], ends: PlumblineError
) -> None:
    out = people.parent / "results.jsonl"
    ended = Oracle(one=said(RIGHT, answer="a\u2028b"), two=ends)
    with pytest.raises(type(ends)):
        await evaluate(asks(people, "one", "two"), ended, open_database=open_database, out=out)
    with out.open("a", encoding="utf-8") as file:
        file.write('{"question":"two","datab')  # ended while it wrote

    oracle = Oracle(two=said(WRONG))
    report = await evaluate(asks(people, "one", "two"), oracle, open_database=open_database, out=out)
    again = await evaluate(asks(people, "one", "two"), Oracle(), open_database=open_database, out=out)

    assert [question for _, question, _ in oracle.asked] == ["two"]
    assert report == again
    assert (again.n, again.correct) == (2, 1)
    assert out.read_text(encoding="utf-8").count("\n") == 2


async def test_with_other_gold_queries_a_line_is_scored_again_but_not_asked(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    out = people.parent / "results.jsonl"
    await evaluate(asks(people, "one"), Oracle(one=said(WRONG)), open_database=open_database, out=out)

    report = await evaluate(asks(people, "one", gold=(WRONG,)), Oracle(), open_database=open_database, out=out)

    assert report.correct == 1
    assert [(line["correct"], line["gold"]) for line in lines_of(out)] == [(True, [WRONG])]


@pytest.mark.parametrize("content", ['[{"database": "people.sqlite"}]', '{"question": 1}\n', "some notes\nof mine\n"])
async def test_a_file_that_holds_something_else_is_left_as_it_is(
    content: str, people: Path, open_database: Callable[[Path], Executor]
) -> None:
    out = people.parent / "notes.txt"
    out.write_text(content)

    with pytest.raises(EvaluationInvalid, match="line 1 is no result"):
        await evaluate(asks(people, "one"), Oracle(), open_database=open_database, out=out)
    assert out.read_text() == content


async def test_says_that_the_results_cannot_be_written(people: Path, open_database: Callable[[Path], Executor]) -> None:
    out = people.parent / "no folder" / "results.jsonl"

    with pytest.raises(EvaluationInvalid, match="cannot be written"):
        await evaluate(asks(people, "one"), Oracle(one=said(RIGHT)), open_database=open_database, out=out)


# -- the figures ------------------------------------------------------------------------------------------


async def test_the_judge_is_held_to_the_truth_attempt_by_attempt(
    people: Path, open_database: Callable[[Path], Executor]
) -> None:
    histories = {
        "repaired": [attempt("SELECT x", None), attempt(WRONG, False), attempt(RIGHT, True)],
        "fooled": [attempt(RIGHT, False), attempt(WRONG, True)],
        "checked": [attempt(WRONG, False, "checks"), attempt(RIGHT, True)],
    }
    oracle = Oracle(**{name: said(history[-1].sql, attempt_history=history) for name, history in histories.items()})

    report = await evaluate(asks(people, *histories), oracle, open_database=open_database)

    assert report.judge == Confusion(true_accepts=2, false_accepts=1, true_rejects=1, false_rejects=1)
    assert report.checks == Confusion(true_rejects=1)


def line(correct: bool, verified: bool, **more: Any) -> ResultLine:
    return ResultLine(question="q", database="d", gold=(RIGHT,), correct=correct, verified=verified, **more)


def test_precision_and_recall_of_verified() -> None:
    report = report_of([line(True, True), line(True, True), line(True, False), line(False, True), line(False, False)])

    assert (report.n, report.correct, report.verified) == (5, 3, 3)
    assert report.precision == pytest.approx(2 / 3)
    assert report.recall == pytest.approx(2 / 3)


def test_means_sums_and_medians() -> None:
    report = report_of(
        [
            line(
                True, True, attempts=1, model_calls=2, tokens=Tokens(prompt=10, cached=4, completion=1), elapsed_ms=10
            ),
            line(True, True, attempts=1, model_calls=2, timings_ms={"evaluator": 3.0}, elapsed_ms=20),
            line(True, True, attempts=4, model_calls=8, timings_ms={"evaluator": 5.0}, elapsed_ms=90),
        ]
    )

    assert (report.attempts, report.model_calls) == (2, 4)
    assert report.tokens == Tokens(prompt=10, cached=4, completion=1)
    assert report.median_ms == {"evaluator": 4.0, "total": 20}
    assert list(report.median_ms)[-1] == "total"


@pytest.mark.parametrize(
    "successes, n, low, high",
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)],
)
def test_wilson_interval(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=1e-4)


def test_without_questions_there_is_nothing_to_divide_by() -> None:
    report = report_of([])

    assert (report.share, report.interval, report.precision, report.recall, report.attempts) == (None,) * 5
    assert ("correct", "0 of 0, -") in summary_rows(report)


def test_the_summary_names_what_was_found() -> None:
    found: Report = report_of([line(True, True, elapsed_ms=1500.0, gold_errors=("no such table",)), line(False, True)])
    rows = dict(summary_rows(found))

    assert rows["correct"] == "1 of 2, 50.0% (95 %: 9.5% to 90.5%)"
    assert rows["verified that are correct (precision)"] == "50.0%"
    assert rows["median total"] == "0.75 s"
    assert rows["gold query that does not run"] == "q: no such table"

"""Curves and their fit, their summary, and the generated databases."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bench import scale, summary, thread_time
from bench.callers import Measured, own_questions
from bench.curves import Curve, draw, exponent, report
from bench.own_time import make_folder
from bench.processes import revenue_questions
from bench.scale_out import figures
from bench.scale_points import POINTS, write_csv, write_many_docs
from bench.targets import Figure, keep, read_figures
from executors.base import Schema
from rag.docs.reading import read_documents


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_a_power(power: float) -> None:
    assert exponent([(x, 3.0 * x**power) for x in (10, 100, 1000)]) == pytest.approx(power)


def test_worse_than_linear_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    fine, bad = report(
        [Curve("own", "tables", [(10, 5.0), (100, 6.0)]), Curve("own", "docs", [(10, 5.0), (100, 5000.0)])]
    )
    assert fine.met
    assert not bad.met
    assert "exponent 3.00 (MISSED: at most 1)" in capsys.readouterr().out


def test_what_was_not_reached_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    (figure,) = report([Curve("own", "rows", [(10, 5.0)], missing=(100, 1000))])
    assert "10: 5.0, 100: not reached, 1k: not reached" in capsys.readouterr().out
    assert figure.value is None
    assert not figure.met


def test_what_grows_by_the_same_is_in_one_chart() -> None:
    points = [(10, 1.0), (100, 2.0)]
    curves = [Curve("own", "rows", points), Curve("DuckDB", "rows", points), Curve("own", "docs", points)]
    texts = [node.text for node in ET.fromstring(draw(curves)).iter() if node.tag.endswith("text")]
    assert texts.count("DuckDB") == 1
    assert texts.count("own") == 1


def test_the_summary_tells_what_was_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert summary.main(tmp_path / "none") == 1
    keep("One, first", [Figure("time", 3.0, "ms", 2.0)], tmp_path)
    keep("Two", [Figure("ratio", 1.8, "", 1.7, at_least=True), Figure("size", None, "MB", 5.0)], tmp_path)
    keep("One, first", [Figure("time", 1.0, "ms", 2.0)], tmp_path)
    assert read_figures(tmp_path)["One, first"] == [Figure("time", 1.0, "ms", 2.0)]
    assert summary.main(tmp_path) == 0
    told = capsys.readouterr().out
    assert "1.00 ms   met: at most 2 ms" in told
    assert "met: at least 1.7" in told
    assert "not reached    MISSED: at most 5 MB" in told
    assert "2 of 3 targets met; missed:\n  Two: size\n" in told


def test_more_processes_are_compared_with_one() -> None:
    *_, ratio = figures(Measured(1, 100, 10.0, 5.0), Measured(2, 180, 10.0, 9.0))
    assert ratio.value == pytest.approx(1.8)
    assert ratio.met


def test_no_question_has_two_callers() -> None:
    questions = revenue_questions()
    own = own_questions(questions, 7)
    asked = [" ".join(question.casefold().split()) for mine in own for question in mine]
    assert len(set(asked)) == len(asked) == len(questions)
    with pytest.raises(ValueError, match="3 callers need as many questions; there are 2"):
        own_questions(questions[:2], 3)


def test_a_point_comes_from_a_process_of_its_own() -> None:
    own, duckdb = scale.measure("rows", [500, 1000], 300)
    assert [x for x, _ in own.points] == [500, 1000]
    assert all(y > 0 for curve in (own, duckdb) for _, y in curve.points)
    assert duckdb.target is None


def test_what_there_is_no_time_for_is_missing() -> None:
    (curve,) = scale.measure("docs", [10, 100], 0)
    assert curve.missing == (10, 100)
    (curve,) = scale.measure("docs", [10], 0.05)  # too short for a process to begin
    assert curve.missing == (10,)


def test_rows_need_room() -> None:
    assert scale.has_room("rows", 1000, Path())
    assert not scale.has_room("rows", 10**18, Path())


@pytest.mark.parametrize("name, size", [("tables", 3), ("at once", 2), ("turns", 6), ("docs", 20)])
def test_every_curve_has_points(name: str, size: int, tmp_path: Path) -> None:
    found = POINTS[name](size, tmp_path)
    assert set(found) == set(scale.GROUPS[name].curves)
    assert all(milliseconds > 0 for _, milliseconds in found.values())


@pytest.mark.parametrize("size", [1, 10, 100, 1000])
def test_there_are_as_many_docs_as_were_wanted(size: int, tmp_path: Path) -> None:
    catalogue = make_folder(tmp_path, 25, rows=1)
    write_many_docs(catalogue, tmp_path / "docs", size)
    schema = Schema(database="d", dialect="sqlite", tables=catalogue.db_schema.tables)
    read = read_documents([tmp_path / "docs"], schema)
    assert not read.problems
    assert len(read.documents) == size


def test_the_file_has_its_rows(tmp_path: Path) -> None:
    write_csv(tmp_path / "sales.csv", 3)
    assert (tmp_path / "sales.csv").read_text(encoding="utf-8").splitlines() == [
        "sale_id,day,channel,amount",
        "0,2020-01-01,online,0.0",
        "1,2020-01-02,phone,79.19",
        "2,2020-01-03,partner,158.38",
    ]


def test_time_inside_a_function_is_counted() -> None:
    class Module:
        @staticmethod
        def work(number: int) -> int:
            return sum(range(number))

    inside = thread_time.Inside()
    before = thread_time.of_python()
    with inside.counted(Module, "work"):
        assert Module.work(200_000) == 19_999_900_000
    assert 0 < inside.seconds <= thread_time.of_python() - before
    assert Module.work(2) == 1

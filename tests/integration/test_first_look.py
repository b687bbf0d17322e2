"""The overview of data, the report of how it was read, and descriptions of columns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem

from agent.api.app import create_app
from agent.core.callers import LOCAL
from agent.pipeline.service import Service
from agent.understanding.first_look.questions import is_readable
from executors.base import CheckedSql, QueryResult
from executors.engines.duckdb import engine as duckdb_engine
from executors.engines.files.executor import MOST_LOOKS, FilesExecutor
from executors.engines.files.prepared import MOST_CELLS, prepare_file
from executors.errors import DatabaseUnavailable
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient

TOWNS = ("Köln", "Bonn", "Ulm")
SALES = "sale_id;Stadt;Umsatz;Menge;Tag\n" + "".join(
    f"{n};{TOWNS[n % 3]};{n},50 €;{'viele' if n == 7 else n % 9};2024-{n % 9 + 1:02}-03\n" for n in range(1, 61)
)
CODES = "diag_id,icd,main,x7\n" + "".join(f"{n},A{n % 4:02},{n % 2},{n % 5}\n" for n in range(1, 41))


pytestmark = pytest.mark.usefixtures("service_embedder", "patient")


@pytest.fixture
def own(tmp_path: Path, registry: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "sales.csv").write_bytes(SALES.encode("cp1252"))
    (folder / "diag.csv").write_text(CODES, encoding="utf-8")
    registry.write_text(f"own: {folder.name}\nshop: shop.sqlite\n", encoding="utf-8")
    return folder


@pytest.fixture
async def client(own: Path, make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(create_app(make_service)) as client:
        yield client


async def test_the_questions_are_of_measures_dates_and_categories_and_give_rows(client: Client) -> None:
    look = (await client.get("/databases/own/look")).json()
    tables = {table["name"]: table for table in look["tables"]}
    assert (tables["sales"]["rows"], tables["sales"]["columns"], tables["sales"]["primary_key"]) == (60, 5, ["sale_id"])
    assert len(look["questions"]) == 5, look
    text = " ".join(look["questions"])
    assert "for each stadt" in text
    assert "2024" in text
    assert "total umsatz" in text
    assert "main" not in text, "a flag is no measure"
    assert "x7" not in text
    assert (await client.get("/databases/own")).json()["questions"] == look["questions"]

    shop = (await client.get("/databases/shop/look")).json()
    keys = next(table["foreign_keys"] for table in shop["tables"] if table["name"] == "orders")
    assert [key["table"] for key in keys] == ["customers"]
    assert "What was the total amount of orders in each month of 2025?" in shop["questions"]
    assert "How many orders were there in 2025?" in shop["questions"]


async def test_large_tables_with_dates_come_first_and_lookup_tables_last(client: Client, own: Path) -> None:
    classes = "class,min_age\n" + "".join(f"c{n},{17 + n % 3}\n" for n in range(6))
    (own / "classes.csv").write_text(classes, encoding="utf-8")
    exams = "exam_no,class,day,errors\n" + "".join(f"{n},c{n % 6},2024-{n % 9 + 1:02}-03,{n % 7}\n" for n in range(300))
    (own / "exams.csv").write_text(exams, encoding="utf-8")

    questions = (await client.get("/databases/own/look")).json()["questions"]

    assert "exams" in questions[0], questions
    assert "sales" in questions[1], questions
    assert not any("classes" in it or "exam no" in it for it in questions), questions


async def test_examples_are_in_a_language_and_first_about_the_tables_that_are_named(
    own: Path, make_service: Callable[..., Service]
) -> None:
    service = make_service()
    try:
        database = await service.databases.get("own", LOCAL)
        looked = (await service.looks.of(database)).questions
        first = {name: (await service.looks.examples(database, tables=(name,)))[0] for name in ("sales", "diag")}
        german = await service.looks.examples(database, "de")
    finally:
        await service.close()

    assert "sales" in first["sales"]
    assert "diag" in first["diag"]
    assert set(first.values()) <= set(looked)
    assert "Wie viele sales gab es im Jahr 2024?" in german
    assert len(german) == len(looked)


async def test_examples_that_take_too_long_are_waited_for_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = await service.databases.get("shop", LOCAL)
    queries: list[str] = []

    async def never(sql: str, limit: int) -> CheckedSql:
        queries.append(sql)
        await asyncio.Event().wait()
        raise AssertionError

    with monkeypatch.context() as slow:
        slow.setattr("agent.understanding.first_look.look.PATIENCE_S", 0.05)
        slow.setattr(shop, "check", never)
        assert await service.looks.examples(shop) == ()
        assert await service.looks.examples(shop) == ()
    assert len(queries) == 1
    looked = (await service.looks.of(shop)).questions
    assert looked, "who asks for the look itself waits"
    assert set(await service.looks.examples(shop)) == set(looked)


async def test_where_nothing_is_sensible_there_is_no_question(client: Client, own: Path) -> None:
    (own / "sales.csv").unlink()
    (own / "diag.csv").write_text("k1,x7\n1,2\n3,4\n", encoding="utf-8")
    assert (await client.get("/databases/own/look")).json()["questions"] == []


@pytest.mark.parametrize("name, readable", [("amount", True), ("Straße", True), ("매출액", True), ("x7", False),
                                            ("cd_10", False), ("grsbtr", False)])  # fmt: skip
def test_a_question_names_what_a_person_could_say(name: str, readable: bool) -> None:
    assert is_readable(name) is readable


async def test_the_report_tells_of_each_column_what_was_read(client: Client, own: Path) -> None:
    (own / "bad.csv").write_bytes(b"\x89PNG\x00\x00")
    report = (await client.get("/databases/own/report")).json()
    assert any("bad.csv" in problem for problem in report["problems"])
    sales = next(table for table in report["tables"] if table["table"] == "sales")
    shown = {key: sales[key] for key in ("files", "encoding", "delimiter", "decimal", "rows")}
    assert shown == {"files": ["sales.csv"], "encoding": "cp1252", "delimiter": ";", "decimal": "", "rows": 60}
    columns = {column["name"]: column for column in sales["columns"]}
    assert columns["Umsatz"]["type"].startswith("DECIMAL")
    assert "€" in columns["Umsatz"]["note"]
    assert (columns["Menge"]["type"], columns["Menge"]["unlike"], columns["Menge"]["like"]) == ("VARCHAR", 1, "numbers")
    assert (columns["Stadt"]["values"], columns["Stadt"]["empty"], columns["Stadt"]["unlike"]) == (60, 0, 0)
    assert (await client.get("/databases/shop/report")).json()["tables"] == []


async def test_the_report_names_what_is_not_certain_and_no_answer_does(client: Client, own: Path) -> None:
    text = "Bericht 2024\n\nid;ort;preis\n1;Şişli;5 EUR\n2;İstanbul;7 USD\n3;Şişli;8 USD\n"
    (own / "towns.csv").write_bytes(text.encode("cp1254"))
    report = (await client.get("/databases/own/report")).json()

    lines = "towns.csv: 2 lines before the header were not read as rows: “Bericht 2024”."
    assert lines in report["problems"]
    assert any("cp1254, and cp1252 is as likely" in it for it in report["problems"])
    towns = next(table for table in report["tables"] if table["table"] == "towns")
    assert (towns["rows"], towns["encoding"]) == (3, "cp1254")
    assert "in 2 units, such as EUR and USD" in towns["columns"][2]["note"]
    answer = (await client.post("/query", json={"question": "How many sales are there?", "database": "own"})).json()
    assert not any("before the header" in it or "as likely" in it for it in answer.get("warnings", []))


async def test_what_is_said_of_a_column_is_in_the_next_prompt(client: Client, model: ScriptedModel) -> None:
    said = {"table": "sales", "column": "stadt", "text": "The town of the branch, not of the customer."}
    done = await client.put("/databases/own/columns", json=said)
    assert done.status_code == 200, done.text
    assert (done.json()["document"]["table"], done.json()["document"]["column"]) == ("sales", "Stadt")
    enriched = (await client.get("/databases/own/schema")).json()["enriched"]
    assert "not of the customer" in enriched

    await client.put("/databases/own/columns", json=said | {"text": "Where the branch is."})
    enriched = (await client.get("/databases/own/schema")).json()["enriched"]
    assert "Where the branch is." in enriched
    assert "not of the customer" not in enriched
    found = await client.post("/rag/search", json={"database": "own", "query": "Where is the branch?"})
    assert "Where the branch is." in found.text

    gone = await client.put("/databases/own/columns", json=said | {"text": " "})
    assert gone.json()["document"] is None
    assert "Where the branch is." not in (await client.get("/databases/own/schema")).json()["enriched"]
    problem(await client.put("/databases/own/columns", json=said | {"column": "town"}), 422, "documents-invalid")


# -- files that cannot be read as they are -------------------------------------------------------------------


def _executor(path: Path) -> FilesExecutor:
    return FilesExecutor("own", path, memory="500MB", threads=1, sample_values=3)


@pytest.fixture
def changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A file with a row of 1; the first so many queries less one find it with one row more at their end."""
    path, run = tmp_path / "growing" / "sales.csv", duckdb_engine.run
    path.parent.mkdir()
    path.write_text("n\n1\n", encoding="utf-8")

    def grow(changes: int) -> Path:
        looks = 0

        def changed(cursor: Any, query: CheckedSql, **options: Any) -> QueryResult:
            nonlocal looks
            looks += 1
            result = run(cursor, query, **options)
            if looks < changes:
                with path.open("a", encoding="utf-8") as out:
                    out.write(f"{looks + 1}\n")
            return result

        monkeypatch.setattr(duckdb_engine, "run", changed)
        return path

    return grow


def test_a_file_that_changes_while_it_is_read_gives_no_rows_of_both(changing: Callable[[int], Path]) -> None:
    path = changing(3)
    executor = _executor(path)
    query = CheckedSql(sql="SELECT n FROM sales", executable="SELECT n FROM sales", row_limit=100, tables=("sales",))
    assert [row[0] for row in executor.run(query, timeout_s=30).rows] == [1, 2, 3], "as it is in the end"
    changing(1000)
    lines = len(path.read_text(encoding="utf-8").splitlines())
    with pytest.raises(DatabaseUnavailable, match="changes while it is read: try again"):
        executor.run(query, timeout_s=30)
    assert len(path.read_text(encoding="utf-8").splitlines()) - lines == MOST_LOOKS
    executor.close()


@pytest.mark.parametrize("changes", [3, 1000])
async def test_a_request_for_a_file_that_changes_gets_one_state_of_it_or_a_problem(
    changing: Callable[[int], Path],
    registry: Path,
    make_service: Callable[..., Service],
    monkeypatch: pytest.MonkeyPatch,
    changes: int,
) -> None:
    path = changing(changes)
    registry.write_text(f"own: {path}\n", encoding="utf-8")
    monkeypatch.setattr("executors.router.open_isolated", lambda name, kind, path, pool, **_: _executor(path))
    async with api_client(create_app(make_service)) as client:
        answer = await client.post("/execute", json={"database": "own", "sql": "SELECT n FROM sales ORDER BY n"})

    if changes == 3:
        assert answer.json()["rows"] == [[1], [2], [3]], "as it is in the end"
    else:
        refused = problem(answer, 503, "database-unavailable")
        assert "changes while it is read: try again" in refused["detail"]
        assert int(answer.headers["retry-after"]) > 0


def test_cells_far_outside_of_a_sheets_data_are_told(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.active.append([1, 2])
    book.active.cell(row=1000, column=3, value="far")
    book.save(tmp_path / "far.xlsx")
    (tmp_path / "out").mkdir()
    (sheet,) = prepare_file(tmp_path / "far.xlsx", tmp_path / "out")
    assert sheet.path.read_text(encoding="utf-8").splitlines() == ["a,b,", "1,2,", ",,far"]
    book.active.cell(row=2, column=MOST_CELLS, value="too far")
    book.save(tmp_path / "wide.xlsx")
    (wide,) = prepare_file(tmp_path / "wide.xlsx", tmp_path / "out")
    with pytest.raises(DatabaseUnavailable, match="16,384 columns, and a table may have 2,000"):
        _executor(tmp_path / "wide.xlsx").schema()
    assert wide.path.is_file()

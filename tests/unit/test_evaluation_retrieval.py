"""The evaluation of retrieval: recall of what gold queries need, on single databases and on all in one."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from agent.evaluation.gold import GoldNames
from agent.evaluation.harness import EvaluationInvalid
from agent.evaluation.retrieval.cases import docs_beside, docs_for, find_stored_texts, read_cases, read_folders
from agent.evaluation.retrieval.measure import (
    MODES,
    PRODUCT,
    WHOLE,
    FoundPlaces,
    Measure,
    RetrievalBudget,
    RetrievalCase,
    RetrievalLine,
    Shown,
    StoredText,
    is_linked,
)
from agent.evaluation.retrieval.merged import MergedCatalogue, merge
from agent.evaluation.retrieval.report import p95, recall_table, recalls, target_table, value_linking, value_table
from executors.base import Column, ForeignKey, Schema, Table
from executors.engines.sqlite.executor import SqliteExecutor
from rag.docs.documents import make_document
from rag.linking.linking import Near, SchemaLinker
from rag.linking.values import LinkedValue, StoredValues


def table(name: str, *columns: str, refers: tuple[str, str, str] | None = None) -> Table:
    """A table. Args: refers: its column, the other table, and the column there."""
    keys = (ForeignKey(columns=(refers[0],), table=refers[1], referenced=(refers[2],)),) if refers else ()
    return Table(
        name=name,
        columns=tuple(Column(name=column, type="TEXT") for column in columns),
        primary_key=(columns[0],),
        foreign_keys=keys,
    )


def catalogue(database: str, *tables: Table, stored: tuple[StoredValues, ...] = ()) -> MergedCatalogue:
    return MergedCatalogue(db_schema=Schema(database=database, dialect="sqlite", tables=tables), stored=stored)


AIRPORTS = catalogue(
    "flights",
    table("airports", "code", "city"),
    table("planes", "number", "airport", refers=("airport", "airports", "code")),
    stored=(StoredValues(table="airports", column="city", values=("Lima", "Oslo")),),
)


# -- one catalogue out of many ----------------------------------------------------------------------------


def test_merged_tables_go_by_their_databases_names_and_keys_still_hold() -> None:
    merged = merge({"a": AIRPORTS, "b": catalogue("trains", table("airports", "code"))})
    schema = merged.catalogue.db_schema
    assert [one.name for one in schema.tables] == ["flights.airports", "flights.planes", "trains.airports"]
    planes = schema.table("flights.planes")
    assert planes is not None
    assert planes.parts == ("flights", "planes")
    assert planes.foreign_keys[0].table == "flights.airports"
    assert merged.tables["b"] == {"airports": "trains.airports"}


def test_two_databases_of_one_name_stay_apart() -> None:
    merged = merge({"a": AIRPORTS, "b": AIRPORTS})
    names = [one.name for one in merged.catalogue.db_schema.tables]
    assert names == ["flights.airports", "flights.planes", "flights_2.airports", "flights_2.planes"]
    assert merged.catalogue.db_schema.tables[3].foreign_keys[0].table == "flights_2.airports"
    assert [one.table for one in merged.catalogue.stored] == ["flights.airports", "flights_2.airports"]


def test_docs_move_with_their_tables_terms_stay_and_past_queries_do_not_come_along() -> None:
    documents = (
        make_document("column", "IATA's", table="airports", column="code"),
        make_document("rule", "A hub: more than ten planes"),
        make_document("query", "How many?", sql="SELECT COUNT(*) FROM airports"),
    )
    merged = merge({"a": AIRPORTS.model_copy(update={"documents": documents})})
    found = [(one.kind, one.table, one.column) for one in merged.catalogue.documents]
    assert found == [("column", "flights.airports", "code"), ("rule", "", "")]


def test_a_key_to_a_table_that_is_not_there_is_left_out() -> None:
    merged = merge({"a": catalogue("x", table("planes", "number", "airport", refers=("airport", "airports", "code")))})
    assert merged.catalogue.db_schema.tables[0].foreign_keys == ()


# -- the folders ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two databases, a question for each, and docs of one of them."""
    place = tmp_path / "travel"
    place.mkdir()
    for name, ddl in {
        "air": "CREATE TABLE airports (code TEXT, city VARCHAR(20), gates INTEGER, opened DATE)",
        "rail": "CREATE TABLE stations (city TEXT)",
    }.items():
        with sqlite3.connect(place / f"{name}.sqlite") as connection:
            connection.execute(ddl)
        connection.close()
    with sqlite3.connect(place / "air.sqlite") as connection:
        connection.execute("INSERT INTO airports VALUES ('LIM', 'Lima', 12, '1960-10-30')")
    connection.close()
    (place / "air.glossary.md").write_text("# Terms\n\n- A hub: an airport with more than ten gates\n")
    (place / "README.md").write_text("# Not a doc\n")
    (place / "questions.json").write_text(
        json.dumps(
            [
                {
                    "database": "air.sqlite",
                    "question": "Which airports are in lima?",
                    "gold": ["SELECT code FROM airports WHERE city = 'LIMA' AND code <> 'nowhere'"],
                },
                {
                    "database": "rail.sqlite",
                    "question": "All cities",
                    "evidence": "of stations",
                    "gold": ["SELECT FROM", "SELECT city FROM stations"],
                },
                {"database": "rail.sqlite", "question": "Nonsense", "gold": ["SELECT FROM"]},
            ]
        )
    )
    return place


def opened(place: Path) -> dict[Path, SqliteExecutor]:
    return {file: SqliteExecutor(file.stem, file, sample_values=3) for file in sorted(place.glob("*.sqlite"))}


@pytest.mark.parametrize("inside", [True, False], ids=["the folder", "the folder around it"])
def test_a_folder_with_questions_is_found_as_it_is_or_in_another(folder: Path, inside: bool) -> None:
    (found,) = read_folders([folder if inside else folder.parent])
    assert found.name == "travel"
    assert [path.name for path in found.databases] == ["air.sqlite", "rail.sqlite"]


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationInvalid, match=r"There is no questions\.json in"):
        read_folders([tmp_path])


def test_docs_are_found_beside_the_questions_by_the_databases_name(folder: Path) -> None:
    (found,) = read_folders([folder])
    assert {path.name: [doc.name for doc in docs] for path, docs in found.docs.items()} == {
        "air.sqlite": ["air.glossary.md"],
        "rail.sqlite": [],
    }


def test_docs_in_a_folder_named_after_the_database_are_its_docs(folder: Path) -> None:
    for name in ("rail_description", "else"):
        (folder / name).mkdir()
        (folder / name / "stations.csv").write_text("column_name,column_description\ncity,where it is\n")
    databases = sorted(folder.glob("*.sqlite"))
    files = docs_beside(folder / "questions.json", databases)
    found = docs_for(folder / "rail.sqlite", databases, files)
    assert [file.relative_to(folder).as_posix() for file in found] == ["rail_description/stations.csv"]


def test_a_gold_query_that_cannot_be_read_is_told_and_a_question_without_any_is_left_out(folder: Path) -> None:
    (found,) = read_folders([folder])
    cases, left_out = read_cases(found, dict(opened(folder)))
    assert [(case.question, len(case.golds)) for _, case in cases] == [
        ("Which airports are in lima?", 1),
        ("All cities", 1),
    ]
    assert len(left_out) == 2
    assert left_out[1].startswith("Nonsense: ")


@pytest.mark.parametrize(
    "show_evidence, asked", [(False, "All cities"), (True, "All cities\n(of stations)")], ids=["without", "with"]
)
def test_a_question_is_asked_with_its_evidence_where_that_is_wanted(
    folder: Path, show_evidence: bool, asked: str
) -> None:
    (found,) = read_folders([folder])
    cases, _ = read_cases(found, dict(opened(folder)), show_evidence=show_evidence)
    assert cases[1][1].query == asked


def test_texts_that_the_database_stores_are_known_with_their_columns(folder: Path) -> None:
    executor = opened(folder)[folder / "air.sqlite"]
    assert find_stored_texts(executor, ["LIMA", "it's nowhere", "12", "1960-10-30"]) == (
        StoredText(text="LIMA", columns=(("airports", "city"),)),
        StoredText(text="1960-10-30", columns=(("airports", "opened"),), is_date=True),
    )


# -- what is shown ----------------------------------------------------------------------------------------

LIBRARY = catalogue(
    "library",
    table("books", "isbn", "title", "shelf", refers=("shelf", "shelves", "id")),
    table("shelves", "id", "floor"),
    *(table(f"audit_{number}", "id", *(f"entry_{number}_{at}" for at in range(12))) for number in range(8)),
    stored=(StoredValues(table="books", column="title", values=("Dune", "Emma")),),
)


def case(*golds: GoldNames, question: str = "Which books have the title Dune?", text: str = "dune") -> RetrievalCase:
    stored = (StoredText(text=text, columns=(("books", "title"),)),)
    return RetrievalCase(folder="f", database="library.sqlite", question=question, golds=golds, texts=stored)


def needs(*columns: tuple[str, str], tables: tuple[str, ...] = ()) -> GoldNames:
    return GoldNames(tables=frozenset(tables or (name for name, _ in columns)), columns=frozenset(columns))


async def measured(one: RetrievalCase, tokens: int) -> RetrievalLine:
    async def nothing(question: str) -> FoundPlaces:
        return FoundPlaces(Near())

    linker = SchemaLinker(LIBRARY.db_schema, LIBRARY.documents, LIBRARY.stored)
    measure = Measure("library", LIBRARY, nothing, linker, [RetrievalBudget("few", tokens)])
    (line,) = [line async for line in measure.lines([one])]
    return line


def of_mode(line: RetrievalLine, mode: str) -> Shown:
    (shown,) = [one for one in line.shown if one.mode == mode]
    return shown


async def test_every_mode_is_measured_and_the_whole_schema_shows_all() -> None:
    line = await measured(case(needs(("books", "title"))), 150)
    assert [shown.mode for shown in line.shown] == [WHOLE, *(mode.name for mode in MODES)]
    whole = of_mode(line, WHOLE)
    assert (whole.table_recall, whole.column_recall, whole.share) == (1, 1, 1)


async def test_what_a_budget_leaves_out_is_missing_by_name() -> None:
    line = await measured(case(needs(("books", "title"), ("audit_7", "entry_7_9"))), 150)
    shown = of_mode(line, PRODUCT.name)
    assert (shown.table_recall, shown.column_recall) == (0.5, 0.5)
    assert shown.missing == ("audit_7", "audit_7.entry_7_9")
    assert shown.tokens <= 150
    assert shown.share < 0.5


async def test_the_gold_query_counts_of_which_the_most_is_shown() -> None:
    line = await measured(case(needs(("audit_7", "entry_7_9")), needs(("books", "title"))), 150)
    assert of_mode(line, PRODUCT.name).missing == ()


async def test_a_query_that_names_no_column_needs_its_table_all_the_same() -> None:
    line = await measured(case(needs(tables=("audit_7",))), 150)
    shown = of_mode(line, PRODUCT.name)
    assert (shown.table_recall, shown.column_recall) == (0, 1)


async def test_texts_of_the_gold_query_are_looked_for_among_the_linked_values() -> None:
    line = await measured(case(needs(("books", "title"))), 150)
    assert (line.stored, line.unlinked) == (("dune",), ())
    assert "Dune" in {value.value for value in line.values}
    line = await measured(case(needs(("books", "title")), question="Which book is about sand?", text="Emma"), 150)
    assert (line.stored, line.unlinked) == (("Emma",), ("Emma",))


@pytest.mark.parametrize(
    "value, column, linked, why",
    [
        ("Dune", "title", True, "the value"),
        ("DUNE", "title", True, "in another case"),
        ("Dune", "isbn", False, "in a column that does not hold it"),
        ("Dunes", "title", False, "another value"),
    ],
)
def test_a_text_is_linked_where_the_value_and_its_column_are(value: str, column: str, linked: bool, why: str) -> None:
    found = LinkedValue(table="books", column=column, value=value, mention="Dune", how="exact", score=1)
    assert is_linked(StoredText(text="dune", columns=(("books", "title"),)), [found]) is linked, why


def test_a_case_can_move_to_a_catalogue_with_other_names() -> None:
    moved = case(needs(("books", "title"))).rename_tables({"books": "library.books"})
    assert moved.golds[0].tables == {"library.books"}
    assert moved.golds[0].columns == {("library.books", "title")}
    assert moved.texts[0].columns == (("library.books", "title"),)


# -- the figures ------------------------------------------------------------------------------------------


def line(question: str, table_recall: float, column_recall: float, **more: object) -> RetrievalLine:
    shown = Shown(
        mode=PRODUCT.name,
        budget="a third",
        tokens=100,
        share=0.3,
        table_recall=table_recall,
        column_recall=column_recall,
    )
    fields = {"catalogue": "merged", "folder": "f", "database": "d", "question": question, "shown": (shown,), **more}
    return RetrievalLine.model_validate(fields)


def test_strict_recall_counts_questions_and_mean_recall_names() -> None:
    (figures,) = recalls([line("a", 1, 0.5), line("b", 0.5, 0), line("c", 1, 1), line("d", 1, 1)])
    assert (figures.n, figures.tokens, figures.share) == (4, 100, 0.3)
    assert (figures.strict_tables, figures.mean_tables) == (0.75, 0.875)
    assert (figures.strict_columns, figures.mean_columns) == (0.5, 0.625)


def test_value_linking_is_the_share_of_the_stored_texts() -> None:
    (figures,) = value_linking([line("a", 1, 1, stored=("x", "y"), unlinked=("y",), dates=("2024",)), line("b", 1, 1)])
    assert (figures.stored, figures.linked, figures.share) == (2, 1, 0.5)
    assert (figures.dates, figures.linked_dates) == (1, 1)
    (nothing,) = value_linking([line("b", 1, 1)])
    assert nothing.share is None


def printed(*tables: object) -> str:
    shown = Console(file=io.StringIO(), width=80)
    for one in tables:
        shown.print(one)
    assert isinstance(shown.file, io.StringIO)
    return shown.file.getvalue()


def test_figures_stand_next_to_their_targets() -> None:
    lines = [line("a", 1, 0.5, stored=("x",), unlinked=("x",)), line("b", 0.5, 1)]
    rows = [" ".join(row.split()) for row in printed(target_table("merged", lines)).splitlines()]
    assert "questions with all tables 0.500 ≥ 0.97" in rows
    assert "questions with all columns 0.500 ≥ 0.94" in rows
    assert "stored values that are linked 0.000 ≥ 0.9" in rows


def test_a_terminal_of_80_columns_has_room_for_every_figure() -> None:
    text = printed(recall_table("merged", recalls([line("a", 1, 0.5)])), value_table([line("a", 1, 1, elapsed_ms=12)]))
    assert "…" not in text
    assert "30% 1.000 1.000 0.000 0.500" in " ".join(text.split())


def test_a_budget_that_is_enough_for_everything_has_no_row() -> None:
    shown = line("a", 1, 1).shown[0]
    whole = [shown.model_copy(update={"mode": WHOLE, "share": 1.0}), shown.model_copy(update={"share": 1.0})]
    text = printed(recall_table("merged", recalls([line("a", 1, 1).model_copy(update={"shown": tuple(whole)})])))
    assert WHOLE in text
    assert PRODUCT.name not in text
    assert "enough for all that there is" in text


@pytest.mark.parametrize(
    "figures, expected, why",
    [([5], 5, "one is all there is"), (list(range(101)), 95, "all but the five highest of a hundred")],
)
def test_the_95th_percentile(figures: list[float], expected: float, why: str) -> None:
    assert p95(figures) == pytest.approx(expected), why

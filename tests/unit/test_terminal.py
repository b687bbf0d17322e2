"""The terminal's output: unchanged data, aligned steps, no control sequences."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.padding import Padding

from agent.cli.asking import compare
from agent.core.answers import Answer, Correction
from agent.core.events import (
    Done,
    Evaluated,
    NodeComplete,
    Planned,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlProgress,
    SqlValidated,
    Started,
)
from agent.core.models import Check, Doubt, Plan, Verdict
from agent.core.usage import Usage
from agent.evaluation.commands.answers import miss_text
from agent.evaluation.report import ResultLine, report_of, summary_rows
from agent.present.terminal import (
    FIRST_READING,
    NOT_CHECKED,
    StepPrinter,
    byte_progress,
    cell_text,
    checks_text,
    pairs_table,
    rows_table,
    sql_text,
)

MARKUP = "[/x] [red]a[/] \\"
STARTED = Started(trace_id="0", answer_id="0-1", question=f"Why {MARKUP}?", database="a[b]")


def console(*, terminal: bool = False, width: int = 60) -> Console:
    return Console(
        file=io.StringIO(), width=width, force_terminal=terminal, force_interactive=terminal, _environ={"TERM": "xterm"}
    )


def text_of(shown: Console) -> str:
    assert isinstance(shown.file, io.StringIO)
    return shown.file.getvalue()


def printed(*events: NodeComplete | Started | SqlProgress | Done, verbose: bool = False, width: int = 60) -> str:
    shown = console(width=width)
    printer = StepPrinter(shown, verbose=verbose)
    with printer.watching():
        for event in events:
            printer.show(event)
    return text_of(shown)


@pytest.mark.parametrize("event, why", [
    (STARTED, "a question is no markup"),
    (SqlGenerated(sql=f"SELECT '{MARKUP}'"), "a query"),
    (SqlValidated(sql="", passed=False, error=MARKUP), "what the guard says quotes the query"),
    (SqlExecuted(error=MARKUP), "what the database says quotes it too"),
    (SqlExecuted(columns=("n",), rows=((MARKUP,),), row_count=1), "a value"),
    (SqlExecuted(columns=(MARKUP,), rows=((1,),), row_count=1), "a column's name"),
    (SqlExecuted(columns=(*"abcdefgh", MARKUP), rows=((1,) * 9,), row_count=1), "the name of a column left out"),
    (Evaluated(verdict=Verdict(reason=MARKUP, correct=False), checks=()), "the judge's reason"),
    (Repairing(error_type="X", error="", hint=MARKUP), "a hint"),
    (SchemaSelected(tables=(), documents=(MARKUP,), tokens=1, pruned=False), "a document's title"),
    (Done(answer=Answer(status="success", answer=MARKUP)), "the answer"),
    (Done(answer=Answer(status="error", answer="", warnings=[MARKUP])), "a warning"),
    (Done(answer=Answer(status="error", answer="", checks=[Check(name="c", passed=None, detail=MARKUP)])), "a check"),
    (Done(answer=Answer(status="error", answer="", corrections=[
        Correction(expression=MARKUP, stated="1", computed="2")])), "an expression"),
])  # fmt: skip
def test_what_looks_like_markup_is_shown_to_the_letter(event: NodeComplete | Started | Done, why: str) -> None:
    assert MARKUP in printed(event, verbose=True), why


@pytest.mark.parametrize("total, shown", [(1000, "1000 rows behind it"), (None, "200+ rows behind it")])
def test_the_records_are_counted_where_their_number_is_known(total: int | None, shown: str) -> None:
    assert shown in printed(RawRecordsFetched(sql="SELECT 1", row_count=200, truncated=True, total=total))


def test_a_warning_that_a_check_or_a_doubt_tells_is_shown_once() -> None:
    checks = [Check(name="docs", passed=None, detail="No docs were read.")]
    doubts = [Doubt(rule="missing_data", evidence="schema", detail="No column is like it.")]
    warnings = ["No docs were read.", "No column is like it.", "There are more rows."]
    answer = Answer(status="success", answer="Yes.", checks=checks, doubts=doubts, warnings=warnings)
    text = printed(Done(answer=answer))
    assert all(text.count(warning) == 1 for warning in warnings)


def test_data_cannot_steer_the_terminal() -> None:
    text = printed(SqlExecuted(columns=("n",), rows=(("\x1b[2Jgone\r\x07\x9b",),), row_count=1))
    assert "␛[2Jgone␍␇�" in text


def test_a_long_reason_goes_on_where_it_began() -> None:
    reason = "The query adds up every order of the year and leaves out those that were cancelled."
    lines = printed(Evaluated(verdict=Verdict(reason=reason, correct=True), checks=(), elapsed_ms=2100)).splitlines()
    assert lines[0].startswith("  judge   ✓ The query")
    assert len(lines) > 1
    assert all(line.startswith(" " * 10) and line[10] != " " and len(line) <= 60 for line in lines[1:])
    assert " ".join(line.strip() for line in lines).endswith(f"{reason}  2.1 s")


DRAFTS = Check(name="second_draft", passed=True, detail="2 of 2 drafts give these rows.")
NO_JUDGE = Check(name="judge", passed=None, detail="The judge could not be asked.")


@pytest.mark.parametrize("verdict, checks, labels, why", [
    (Verdict(reason="Alike.", correct=True, source="drafts"), (DRAFTS,), ["drafts"], "drafts decide, and say it once"),
    (Verdict(reason="It adds up.", correct=True), (), ["judge"], "a judge spoke"),
    (Verdict(reason="It adds up.", correct=True), (DRAFTS,), ["judge", "drafts"], "drafts vote besides"),
    (Verdict(reason="No rows.", correct=False, source="checks"), (), ["checks"], "no model was asked"),
    (Verdict(reason="More drafts agree on other rows.", correct=False, source="checks"), (DRAFTS,), ["checks"],
     "the drafts agree on the rows of another query"),
    (None, (DRAFTS.model_copy(update={"passed": False}),), ["drafts"], "they disagree, and nobody decides"),
    (None, (NO_JUDGE,), ["judge"], "why nobody decides"),
    (None, (Check(name="has_rows", passed=True, detail="1 row."),), [], "nobody was asked"),
])  # fmt: skip
def test_who_decides_is_named(verdict: Verdict | None, checks: tuple[Check, ...], labels: list[str], why: str) -> None:
    lines = printed(Evaluated(verdict=verdict, checks=checks, elapsed_ms=2100)).splitlines()
    assert [line.split()[0] for line in lines] == labels, why
    assert sum("2.1 s" in line for line in lines) == bool(lines), why


def test_each_check_stands_once_by_the_name_it_has_on_the_page() -> None:
    checks = [
        Check(name="guard", passed=True, detail="One read-only statement."),
        Check(name="executed", passed=False, detail="No query could be run."),
        Check(name="own_rule", passed=None),
    ]
    text = printed(Done(answer=Answer(status="error", answer="None.", checks=checks)))
    assert "✓ Read-only  – Own rule" in text
    assert "✗ Executed: No query could be run." in text
    assert text.count("✗") == 1


def test_a_question_that_stands_above_is_not_printed_again() -> None:
    shown = console()
    printer = StepPrinter(shown, echo=False)
    printer.show(STARTED)
    assert text_of(shown) == ""


def test_a_check_stays_beside_its_mark() -> None:
    checks = [Check(name=name * 8, passed=passed) for name, passed in (("a", True), ("b", False), ("c", None))]
    assert checks_text(checks, 22).plain == "✓ Aaaaaaaa  ✗ Bbbbbbbb\n– Cccccccc"


def test_a_query_keeps_its_lines() -> None:
    text = printed(SqlGenerated(sql="SELECT a\nFROM t\n"))
    assert text == f"  sql\n{' ' * 10}SELECT a\n{' ' * 10}FROM t\n"


@pytest.mark.parametrize("value, shown, why", [
    (None, "NULL", "not an empty text"),
    (0.1 + 0.2, "0.3", "the noise of the last digits"),
    (12_345_678_901.5, "12,345,678,901.5", "no exponent where digits do"),
    (0.00001234, "0.000012", "and not nothing at all"),
    (2024, "2024", "a year or a key is no amount"),
    ("a\nb", "a b", "one line a row"),
    ("x" * 61, "x" * 59 + "…", "cut"),
])  # fmt: skip
def test_values(value: object, shown: str, why: str) -> None:
    assert cell_text(value).plain == shown, why


def test_many_rows_and_columns_are_counted_instead_of_shown() -> None:
    columns = tuple(f"c{i}" for i in range(10))
    rows = tuple((i,) * 10 for i in range(20))
    text = printed(SqlExecuted(columns=columns, rows=rows, row_count=500, truncated=True), width=100)
    assert "500+ rows" in text
    assert "488 more rows; further columns: c8, c9" in " ".join(text.split())


def test_the_status_line_says_what_is_done_and_goes_without_a_trace() -> None:
    shown = console(terminal=True)
    printer = StepPrinter(shown, first_reading=True)
    with printer.watching() as watched:
        watched.show(SchemaSelected(tables=("a",), documents=(), tokens=9, pruned=False))
        shown.file.flush()
    text = text_of(shown)
    assert FIRST_READING in text
    assert text.endswith("\x1b[1A\x1b[2K"), "the last line is erased, and the cursor stands where it was"
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1, "the cursor is hidden, and shown again"


def test_the_query_is_shown_while_it_is_written_and_that_nothing_has_checked_it() -> None:
    shown = console(terminal=True)
    with StepPrinter(shown).watching() as printer:
        printer.show(SqlProgress(attempt=1, sql="SELECT [bold]city"))
        while_written = text_of(shown)
        printer.show(SqlGenerated(sql="SELECT 1", attempt=1))
        printer.show(SqlProgress(attempt=2, sql=""))
    assert NOT_CHECKED in while_written
    assert "[bold]" in while_written
    assert NOT_CHECKED not in text_of(shown).removeprefix(while_written)


def test_a_pipe_is_not_shown_a_query_that_is_being_written() -> None:
    assert printed(SqlProgress(attempt=1, sql="SELECT city")) == ""


def test_a_plan_read_from_the_query_does_not_turn_the_status_back() -> None:
    shown = console(terminal=True)
    with StepPrinter(shown).watching() as printer:
        printer.show(SqlValidated(sql="SELECT 1", passed=True))
        printer.show(Planned(plan=Plan(tables=("t",)), source="sql"))
    text = text_of(shown)
    assert "running the query" in text
    assert "writing SQL" not in text


def test_a_pipe_gets_no_control_characters() -> None:
    usage = Usage(model_calls=1, prompt_tokens=10, cached_tokens=4, completion_tokens=5)
    answer = Answer(status="success", answer="Five.", verified=True, usage=usage)
    text = printed(STARTED, SqlGenerated(sql="SELECT 1", elapsed_ms=2000), Done(answer=answer))
    assert not [sign for sign in text if ord(sign) < 32 and sign != "\n"]
    assert "answer, verified" in text
    assert "1 model call · 10 prompt tokens (4 cached) · 5 reply tokens" in " ".join(text.split())


def test_the_bars_name_what_they_count() -> None:
    shown = console(width=100)
    with byte_progress(shown) as moves:
        moves("verifying a[b]", 1_000_000, 2_000_000)
    text = text_of(shown)
    assert "verifying a[b]" in text
    assert "1.0/2.0 MB" in text


def test_the_demo_compares_values_as_they_are() -> None:
    shown = console()
    compare(
        shown, Answer(status="error", answer=""), Answer(status="success", answer="", results=[{"k": 1, "v": "[/x]"}])
    )
    assert "Without the docs: nothing. With them: [/x]." in text_of(shown)


def test_an_evaluation_shows_questions_and_errors_to_the_letter() -> None:
    line = ResultLine(question=MARKUP, database="d", gold=("SELECT",), scored=False, gold_errors=(f"no {MARKUP}",))
    shown = console(width=160)
    shown.print(miss_text(line))
    shown.print(pairs_table("evaluation", summary_rows(report_of([line]))))
    assert f"✗ {MARKUP}" in text_of(shown)
    assert f"no {MARKUP}" in text_of(shown)


def test_a_long_query_is_wrapped_and_never_cut() -> None:
    condition = "WHERE ordered_at >= '2024-07-01' AND ordered_at < '2025-07-01' AND status <> 'X'"
    console = Console(width=50, file=io.StringIO(), record=True)

    console.print(Padding(sql_text(f"SELECT 1\nFROM orders\n{condition}"), (0, 0, 0, 6)))

    assert "".join(condition.split()) in "".join(console.export_text().split())


def test_a_table_has_its_numbers_in_the_marks_of_the_questions_language() -> None:
    def shown(language: str) -> str:
        console = Console(width=100, record=True, file=io.StringIO())
        console.print(rows_table(["year", "revenue"], [[2024, 1087206.3], [2025, 66.25]], language, width=100))
        return console.export_text()

    assert [line.split() for line in shown("en").splitlines()[-2:]] == [["2024", "1,087,206.30"], ["2025", "66.25"]]
    assert [line.split() for line in shown("de").splitlines()[-2:]] == [["2024", "1.087.206,30"], ["2025", "66,25"]]


def test_the_table_of_a_question_speaks_its_language() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    printer = StepPrinter(console)
    printer.show(
        Started(trace_id="t", answer_id="t-1", question="Wie hoch ist der Umsatz in dem Jahr?", database="shop")
    )
    printer.show(SqlExecuted(columns=("umsatz",), rows=((1087206.3,),), row_count=1))

    assert "1.087.206,3" in console.export_text()


def test_numbers_stay_whole_where_columns_have_no_room() -> None:
    columns = tuple(f"reading_{number:02}_celsius" for number in range(9))
    shown = printed(SqlExecuted(columns=columns, rows=((-1234.56,) * 9,), row_count=1), width=80)

    assert shown.count("-1,234.56") == 6
    assert "further columns: reading_06_celsius, reading_07_celsius," in shown


def test_a_single_column_is_shown_however_narrow_the_terminal_is() -> None:
    shown = printed(SqlExecuted(columns=("name",), rows=(("Ada Lovelace",),), row_count=1), width=12)

    assert "na" in shown
    assert "further columns" not in shown

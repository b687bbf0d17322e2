"""`eval` with and without its parts: the same questions without retrieval measure its value."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.cli import console, evaluating
from agent.cli import main as cli
from agent.core.usage import Usage
from agent.databases.knowledge import build
from agent.pipeline.confidence.calibration import load
from agent.pipeline.service import Service
from agent.platform.config.profiles import EMBEDDED, PROFILES
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import Reply, ReplySchema
from testbed.embedder import HashingEmbedder
from testbed.scripted_model import ScriptedModel

QUESTION = "How many orders were cancelled?"
SQL = "SELECT COUNT(*) FROM orders WHERE status = 'X'"
RULE = "the status X is a cancelled order"

Run = Callable[..., Result]


@pytest.fixture
def questions(shop_file: Path) -> Path:
    """A question about a database beside it, whose docs are beside it, too."""
    file = shop_file.parent / "questions.json"
    file.write_text(json.dumps([{"database": shop_file.name, "question": QUESTION, "gold": [SQL]}]))
    (shop_file.parent / "shop.columns.csv").write_text(f"table,column,description\norders,status,{RULE}\n")
    (shop_file.parent / "other.columns.csv").write_text("table,column,description\norders,status,nobody's doc\n")
    return file


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, settings: Settings, make_service: Callable[..., Service]) -> Run:
    def made(_: Settings, *, registry_required: bool, sources: object) -> Service:
        assert not registry_required
        return make_service()

    for place in (console, evaluating):
        monkeypatch.setattr(place, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", made)
    monkeypatch.setattr(build, "build_embedder", lambda _: HashingEmbedder())
    return lambda *arguments: CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def test_the_docs_beside_the_questions_are_read(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the cancelled ones")
    model.replies(text="1 order was cancelled.")
    result = run("eval", questions)
    assert result.exit_code == 0, result.output
    assert "1 of 1" in result.output
    assert RULE in model.asked[0].text
    assert "nobody's doc" not in model.asked[0].text


def test_all_efforts_are_asked_and_compared_in_one_table(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = iter(["SELECT COUNT(*) FROM orders"])  # the first one, of `quick`, is wrong

    async def complete(*_: object, schema: ReplySchema | None = None, **__: object) -> Reply:
        replies = {"verdict": '{"reason": "the cancelled ones", "correct": true}', None: "1 order was cancelled."}
        text = replies.get(schema.name if schema else None) or f"```sql\n{next(drafts, SQL)}\n```"
        return Reply(text=text, usage=Usage(model_calls=1, prompt_tokens=90, completion_tokens=10))

    monkeypatch.setattr(model, "complete", complete)
    kept = tmp_path / "kept.jsonl"
    result = run("eval", questions, "--effort", "all", "--json", kept)
    assert result.exit_code == 0, result.output
    rows = {line.split()[0]: line for line in result.output.splitlines() if "/1, " in line}
    assert {effort: "1/1, 100.0%" in row for effort, row in rows.items()} == {
        "quick": False,
        "balanced": True,
        "thorough": True,
    }
    calls = []
    for effort, row in rows.items():
        spent = json.loads((tmp_path / f"kept.{effort}.jsonl").read_text())["model_calls"]
        assert f"{spent:.2f}" in row
        assert f" {100 * spent} " in row, "tokens"
        calls.append(spent)
    assert calls[0] <= calls[1] <= calls[2], calls
    assert calls[0] < calls[2], calls


def test_without_retrieval_the_model_sees_the_raw_schema(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the cancelled ones")
    model.replies(text="1 order was cancelled.")
    result = run("eval", questions, "--without", "retrieval")
    assert result.exit_code == 0, result.output
    assert "1 of 1" in result.output
    assert RULE not in model.asked[0].text


def test_without_evaluation_nobody_judges(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(sql=SQL)
    model.replies(text="1 order was cancelled.")
    result = run("eval", questions, "--without", "evaluation", "--without", "calculator")
    assert result.exit_code == 0, result.output


def test_one_query_is_scored_and_so_none_is_planned_unless_a_plan_is_to_be_measured(
    run: Run, model: ScriptedModel, questions: Path
) -> None:
    gold = {"database": "shop.sqlite", "question": "Why are orders cancelled?", "gold": [SQL]}
    questions.write_text(json.dumps([gold]))
    for reply in ("", json.dumps({"questions": [], "calculations": []})):
        if reply:
            model.replies(text=reply)
        model.replies(sql=SQL)
        model.replies(correct=True, reason="the cancelled ones")
        model.replies(text="1 order was cancelled.")

    usual, planned = run("eval", questions), run("eval", questions, "--plan")

    assert (usual.exit_code, planned.exit_code) == (0, 0), planned.output
    assert [asked.schema_name for asked in model.asked].index("question_plan") == 3


def test_without_values_and_examples_the_model_is_shown_neither(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROFILES, "embedded", EMBEDDED.model_copy(update={"values": True}))
    pair = {"question": "How many orders were sent?", "sql": "SELECT COUNT(*) FROM orders WHERE status = 'S'"}
    (questions.parent / "shop.pairs.yaml").write_text(json.dumps({"queries": [pair]}))
    named = {"database": "shop.sqlite", "question": "How many orders has Ada placed?", "gold": ["SELECT 2"]}
    questions.write_text(json.dumps([*json.loads(questions.read_text()), named]))
    for _ in range(4):
        model.replies(sql="SELECT 2")
        model.replies(correct=True, reason="yes")
        model.replies(text="2 orders.")

    whole = run("eval", questions)
    fewer = run("eval", questions, "--without", "values", "--without", "examples", "--without", "plan")

    assert (whole.exit_code, fewer.exit_code) == (0, 0), fewer.output
    drafts = ["\n".join(message.content for message in asked.messages) for asked in model.asked[::3]]
    assert [pair["sql"] in draft for draft in drafts] == [True, True, False, False]
    assert ["What words of the question are in the data" in draft for draft in drafts] == [False, True, False, False]


def test_without_repairs_the_model_is_asked_again(run: Run, model: ScriptedModel, questions: Path) -> None:
    misspelt = "SELECT COUNT(*) AS n FROM orders WHERE Statuss = 'X'"
    for replies in ((misspelt,), (misspelt, SQL)):  # put right on its tree, or by the model
        for sql in replies:
            model.replies(sql=sql)
        model.replies(correct=True, reason="the cancelled ones")
        model.replies(text="1 order was cancelled.")

    whole = run("eval", questions)
    fewer = run("eval", questions, "--without", "repairs", "--without", "second_draft")

    assert (whole.exit_code, fewer.exit_code) == (0, 0), fewer.output
    assert "1 of 1" in whole.output
    assert "1 of 1" in fewer.output
    assert len(model.asked) == 7


def test_without_one_rule_the_others_are_asked(run: Run, model: ScriptedModel, questions: Path) -> None:
    misspelt = "SELECT COUNT(*) AS n FROM orders WHERE Statuss = 'X'"
    for sql in (misspelt, SQL):
        model.replies(sql=sql)
    model.replies(correct=True, reason="the cancelled ones")
    model.replies(text="1 order was cancelled.")

    fewer = run("eval", questions, "--without", "lost_joins")

    assert fewer.exit_code == 0, fewer.output
    assert "1 of 1" in fewer.output


def test_a_part_that_does_not_exist_is_refused_with_those_that_do(run: Run, questions: Path) -> None:
    refused = run("eval", questions, "--without", "fixes")
    assert refused.exit_code == 2
    for part in ("repairs", "second_draft", "fan_out", "day_ends"):
        assert part in refused.output


def test_a_folder_stands_for_its_questions(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(text=f"```sql\n{SQL}\n```")
    result = run("eval", questions.parent, "--baseline")
    assert result.exit_code == 0, result.output
    assert "1 of 1" in result.output


def test_each_figure_stands_next_to_its_target(run: Run, model: ScriptedModel, questions: Path, tmp_path: Path) -> None:
    model.replies(text="```sql\nSELECT nothing FROM nowhere\n```")  # the baseline
    model.replies(sql=SQL)  # once for both: without evaluation the first draft is the same
    model.replies(correct=True, reason="the cancelled ones")
    model.replies(text="1 order was cancelled.")
    kept = tmp_path / "kept"

    result = run("eval-targets", questions.parent, "--out", kept)
    again = run("eval-targets", questions.parent, "--out", kept)  # nobody is asked twice

    assert (result.exit_code, again.exit_code) == (0, 0), result.output
    lines = {line.split("│")[1].strip(): line for line in result.output.splitlines() if line.count("│") > 2}
    assert "0 of 1" in lines["right, baseline"]
    assert "1 of 1" in lines["right, with evaluation"]
    assert ("+100.0" in lines["over the baseline"], "met" in lines["over the baseline"]) == (True, True)
    assert "at least +12" in lines["over the baseline"]  # there are docs
    assert "met" in lines["model calls in the plain case"]
    assert sorted(file.name.split(".", 1)[1] for file in kept.iterdir()) == [
        "baseline.jsonl",
        "with_evaluation.jsonl",
        "without_evaluation.jsonl",
    ]


def test_a_part_that_is_none_is_refused(run: Run, questions: Path) -> None:
    result = run("eval", questions, "--without", "luck")
    assert result.exit_code == 2
    assert "luck" in result.output


def test_retrieval_is_measured_on_each_database_and_on_all_of_them(
    run: Run, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluating, "read_settings", lambda: Settings(state_dir=tmp_path / "state"))
    results = tmp_path / "results.jsonl"
    result = run("eval-retrieval", questions.parent, "--out", results)
    assert result.exit_code == 0, result.output
    assert "questions with all columns" in result.output
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    assert [(line["catalogue"], line["question"]) for line in lines] == [
        (questions.parent.name, QUESTION),
        ("merged", QUESTION),
    ]
    assert lines[1]["stored"] == ["X"]
    whole = lines[1]["shown"][0]
    assert (whole["mode"], whole["share"], whole["column_recall"]) == ("whole schema", 1.0, 1.0)


def test_questions_none_of_which_can_be_measured_end_with_a_sentence(run: Run, questions: Path) -> None:
    questions.write_text(json.dumps([{"database": "shop.sqlite", "question": "Why?", "gold": ["SELECT FROM"]}]))
    result = run("eval-retrieval", questions.parent)
    assert result.exit_code == 1
    assert "no question with a gold query that can be read" in result.output


def test_a_folder_without_questions_ends_with_a_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = run("eval-retrieval", tmp_path / "empty")
    assert result.exit_code == 1
    assert "There is no questions.json" in result.output


def test_the_baseline_is_one_plain_call(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(text=f"```sql\n{SQL}\n```")
    result = run("eval", questions, "--baseline")
    assert result.exit_code == 0, result.output
    assert "1 of 1" in result.output
    assert QUESTION in model.asked[0].text
    assert "CREATE TABLE orders" in model.asked[0].text
    assert RULE not in model.asked[0].text


def test_a_query_of_the_baseline_that_does_not_run_is_a_miss(run: Run, model: ScriptedModel, questions: Path) -> None:
    model.replies(text="```sql\nSELECT nothing FROM nowhere\n```")
    result = run("eval", questions, "--baseline")
    assert result.exit_code == 0, result.output
    assert "0 of 1" in result.output


def test_accuracy_with_retrieval_is_held_against_accuracy_without(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path
) -> None:
    model.replies(sql="SELECT COUNT(*) FROM orders WHERE status = 'cancelled'")  # without the rule nobody knows the X
    model.replies(sql=SQL)
    kept = tmp_path / "kept"
    result = run("eval-retrieval", questions.parent, "--accuracy", kept)
    assert result.exit_code == 0, result.output
    assert RULE not in model.asked[0].text
    assert RULE in model.asked[1].text
    assert "+100.0" in result.output
    again = run("eval-retrieval", questions.parent, "--accuracy", kept)  # nobody is asked twice
    assert again.exit_code == 0, again.output
    assert len(model.asked) == 2


def test_prompts_are_compared_by_their_first_drafts(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path
) -> None:
    wording = tmp_path / "terse"
    wording.mkdir()
    (wording / "system.txt").write_text("{{ schema }}")
    kept = tmp_path / "kept"
    arguments = ("eval-prompts", questions.parent, "--out", kept, "--prompts", wording, "--only", "samples")
    model.replies(sql="SELECT 7")
    model.replies(sql=SQL)
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert "+100.0" in result.output
    assert [asked.temperature for asked in model.asked] == [0.0, 0.0]
    assert "all folders" in result.output

    model.replies(sql="SELECT 8")
    again = run(*arguments, "--only", "terse")
    assert again.exit_code == 0, again.output
    assert len(model.asked) == 3, "only the new variant is asked"
    assert model.asked[2].messages[0].content.startswith("CREATE TABLE")

    model.replies(text=f"```sql\n{SQL}\n```")
    plain = run(*arguments[:4], "--each", "1", "--only", "plain")
    assert plain.exit_code == 0, plain.output
    assert "one plain" in plain.output
    assert len(model.asked) == 4, "the prompt as it is was asked before, and so are the questions of each database"
    assert [message.role for message in model.asked[3].messages] == ["user"]

    missing = run(*arguments[:6], "--only", "nonsense")
    assert missing.exit_code == 1
    assert "No variant has such a name" in missing.output


def test_the_lines_of_an_evaluation_say_how_sure_each_answer_was(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path
) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the cancelled ones")
    model.replies(text="1 order was cancelled.")
    assert run("eval", questions, "--json", tmp_path / "lines.jsonl").exit_code == 0
    line = json.loads((tmp_path / "lines.jsonl").read_text())
    assert line["verified"] is True
    assert 0.6 < line["confidence"] < 1


def test_a_calibration_of_too_few_questions_says_how_many_are_needed(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path
) -> None:
    model.replies(sql=SQL)
    model.replies(correct=True, reason="the cancelled ones")
    arguments = ("calibrate", questions.parent, "--replies", tmp_path / "kept", "--out", tmp_path / "own.json")
    result = run(*arguments)
    assert result.exit_code == 1
    told = " ".join(result.output.split())
    assert "60 answered questions are needed, and there are 1; 5 databases are needed, and there are 1" in told
    assert not (tmp_path / "own.json").exists()

    again = run(*arguments)
    assert again.exit_code == 1
    assert len(model.asked) == 2, "what was asked is kept"
    model.assert_done()


def test_a_calibration_is_fitted_to_what_was_right(
    run: Run, model: ScriptedModel, questions: Path, tmp_path: Path
) -> None:
    """Six databases, ten questions each: the judge says no to what is wrong, so its word is what tells."""
    asked = []
    for n in range(6):
        (questions.parent / f"shop{n}.sqlite").write_bytes((questions.parent / "shop.sqlite").read_bytes())
        for at in range(10):
            text = f"How many orders of kind {at} are there in shop {n}?"
            gold = "SELECT COUNT(*) FROM orders"
            asked.append({"database": f"shop{n}.sqlite", "question": text, "gold": [gold]})
            right = at % 3 != 0
            sql = gold if right else "SELECT COUNT(*) + 7 AS n FROM orders"
            model.replies(sql=sql)
            model.replies(correct=right, reason="as it is")
            for _ in range(0 if right else 2):  # the judge's word on a query holds for the same one again
                model.replies(sql=sql)
    questions.write_text(json.dumps(asked))
    file, picture = tmp_path / "own.json", tmp_path / "images" / "own.svg"
    arguments = ("--replies", tmp_path / "kept", "--out", file, "--precision", "0.9", "--diagram", picture)
    result = run("calibrate", questions.parent, "--each", "10", *arguments)
    assert result.exit_code == 0, result.output
    found = load(file)
    assert (found.questions, found.databases, found.profile) == (60, 6, "embedded")
    assert found.fits[0].coefficients["agreement"] > 0
    assert found.fits[0].threshold is not None
    assert "60 over 6 databases" in result.output
    assert "<svg" in picture.read_text()

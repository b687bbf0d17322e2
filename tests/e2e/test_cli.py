"""The command line as its user meets it: `python -m agent …` in a process of its own.

Everything is real but the model, which is a local server that speaks the OpenAI protocol.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from openai_server import OpenAIServer

from agent import __version__
from agent.core.answers import Answer

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds until a test that waits in vain fails
QUESTION = "What is the total of all orders?"
SQL = "SELECT SUM(amount) AS total FROM orders"
REASON = "The sum over all [orders]."
SENTENCE = "All orders together come to 460.5."
UNSUPPORTED = "All orders together come to 999.5."
# Where the tests run in the background the shell has them ignore Ctrl-C, and so would the process.
HEEDING_CTRL_C = (
    "import runpy, signal; signal.signal(2, signal.default_int_handler); runpy.run_module('agent', {}, '__main__')"
)


@dataclass(frozen=True)
class Ended:
    """A process that has ended."""

    code: int
    out: str
    err: str


Cli = Callable[..., Awaitable[Ended]]


@pytest.fixture
def environment(hosted_environment: dict[str, str]) -> dict[str, str]:
    """This process's, with a hosted model and one small database instead of whatever it sets."""
    own = ("PLUMBLINE_", "OPENAI_", "AZURE_", "TEXT2SQL_", "FORCE_COLOR", "TTY_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return inherited | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "HF_HUB_OFFLINE": "1"} | hosted_environment


@pytest.fixture
def cli(environment: dict[str, str], tmp_path: Path) -> Cli:
    """Runs one command to its end, in a folder without a registry of its own."""

    async def cli(*arguments: str, stdin: str = "", **variables: str) -> Ended:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "agent", *arguments,
            env=environment | variables, cwd=tmp_path,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin.encode()), PATIENCE)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Ended(process.returncode or 0, out.decode(), err.decode())

    return cli


def script(openai: OpenAIServer, *, sql: str = SQL, sentence: str = SENTENCE) -> None:
    """One question's replies: the query, the judge's word, the answer."""
    openai.replies({"sql": sql, "explanation": "Adds up every order.", "clarification": None})
    openai.replies({"reason": REASON, "correct": True})
    openai.replies(sentence)


# -- ask ---------------------------------------------------------------------------------------------------


async def test_ask_shows_sql_rows_checks_and_the_answer(cli: Cli, openai: OpenAIServer) -> None:
    script(openai)
    ended = await cli("ask", QUESTION, PLUMBLINE_REQUEST_DEADLINE_S="0.001")  # a deadline for a front end, not for here
    assert ended.code == 0, ended.err
    for shown in (QUESTION, SQL, "460.5", REASON, SENTENCE, "answer, verified", "✓ Judge", "✓ Numbers traced"):
        assert shown in ended.out
    assert "\x1b" not in ended.out, "a pipe gets no control characters"


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["shown", "json"])
async def test_ask_never_shows_a_sentence_that_the_rows_do_not_support(
    cli: Cli, openai: OpenAIServer, options: tuple[str, ...]
) -> None:
    script(openai, sentence=UNSUPPORTED)
    openai.replies(UNSUPPORTED)
    ended = await cli("ask", QUESTION, *options)
    assert ended.code == 0, ended.err
    assert "Total: 460.5." in ended.out
    assert UNSUPPORTED not in ended.out + ended.err
    if options:
        assert json.loads(ended.out)["answer_source"] == "composed"


async def test_chat_never_shows_a_sentence_that_the_rows_do_not_support(cli: Cli, openai: OpenAIServer) -> None:
    script(openai, sentence=UNSUPPORTED)
    openai.replies(UNSUPPORTED)
    ended = await cli("chat", "--database", "shop", stdin=f"{QUESTION}\n")
    assert ended.code == 0, ended.err
    assert "Total: 460.5." in ended.out
    assert UNSUPPORTED not in ended.out + ended.err


async def test_ask_names_a_file_before_the_question(cli: Cli, openai: OpenAIServer, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("order_id,amount\n1,2.5\n2,3.5\n", encoding="utf-8")
    script(openai, sql="SELECT SUM(amount) AS total FROM orders", sentence="All orders together come to 6.0.")
    ended = await cli("ask", "orders.csv", QUESTION, "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["results"] == [{"total": 6.0}]


async def test_ask_wants_the_question_in_quotes(cli: Cli) -> None:
    ended = await cli("ask", "How", "many", "orders")
    assert ended.code == 1
    assert "Put the question in quotes" in ended.err


async def test_ask_ends_with_2_where_it_asks_back(cli: Cli, openai: OpenAIServer) -> None:
    openai.replies({"sql": None, "explanation": "", "clarification": "Orders of which year?"})
    ended = await cli("ask", "Show me the frobnicated orders.", "--json")
    assert ended.code == 2, ended.err
    assert json.loads(ended.out)["status"] == "clarification_needed"


async def test_version(cli: Cli) -> None:
    assert (await cli("--version")).out == f"plumbline {__version__}\n"
    assert "Usage" in (await cli("-h")).out


async def test_serve_says_that_its_port_is_in_use(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = await cli("serve", "--port", str(port))
    assert ended.code == 1
    assert f"Port {port} is in use. Name another one with --port" in ended.err
    assert "Traceback" not in ended.err


async def test_serve_says_that_a_source_is_not_there(cli: Cli) -> None:
    ended = await cli("serve", "none.csv")
    assert ended.code == 1
    assert "There is no none.csv: check the path." in ended.err


async def test_ask_with_json_prints_the_http_response_and_nothing_else(cli: Cli, openai: OpenAIServer) -> None:
    script(openai)
    ended = await cli("ask", QUESTION, "--json")
    assert ended.code == 0, ended.err
    assert set(json.loads(ended.out)) == set(Answer.model_fields)
    answer = Answer.model_validate_json(ended.out)
    assert (answer.results, answer.answer, answer.verified) == ([{"total": 460.5}], SENTENCE, True)


@pytest.mark.parametrize("data", ["other.sqlite", "orders.csv", "folder"])
async def test_ask_takes_a_file_or_a_folder(
    cli: Cli, openai: OpenAIServer, data: str, tmp_path: Path, shop_file: Path
) -> None:
    shutil.copy(shop_file, tmp_path / "other.sqlite")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "orders.csv", tmp_path / "folder" / "orders.csv"):
        path.write_text("order_id,amount\n1,400.5\n2,60\n", encoding="utf-8")
    (tmp_path / "folder" / "customers.csv").write_text("customer_id,name\n1,Ada\n", encoding="utf-8")
    script(openai)
    nowhere = {"PLUMBLINE_REGISTRY": ""}  # and no registry is needed for that
    ended = await cli("ask", "--database", data, QUESTION, "--json", **nowhere)
    assert ended.code == 0, ended.err
    assert Answer.model_validate_json(ended.out).results == [{"total": 460.5}]


@pytest.mark.parametrize("database, said", [
    ("sohp", "There is no database named 'sohp'. Known: shop."),
    ("/tmp/[/x]", "There is no file or folder /tmp/[/x]: check the path. Known names: shop."),
    ("x" * 300, "There is no database named 'xxx"),
])  # fmt: skip
async def test_an_unknown_database_is_told_with_the_names_there_are(cli: Cli, database: str, said: str) -> None:
    ended = await cli("ask", "--database", database, QUESTION)
    assert ended.code == 1
    assert said in ended.err
    assert "shop" in ended.err
    assert "Traceback" not in ended.err


async def test_an_error_with_json_is_a_problem_document(cli: Cli) -> None:
    ended = await cli("ask", "--database", "sohp", QUESTION, "--json")
    assert ended.code == 1
    problem = json.loads(ended.out)
    assert (problem["type"], problem["status"]) == ("urn:plumbline:problem:unknown-database", 404)


# -- chat --------------------------------------------------------------------------------------------------


async def test_chat_answers_piped_questions_the_second_with_the_first_in_view(cli: Cli, openai: OpenAIServer) -> None:
    script(openai)
    openai.replies("How many orders are there?")
    script(openai, sql="SELECT COUNT(*) AS orders FROM orders", sentence="There are 5 orders.")
    ended = await cli("chat", stdin=f"{QUESTION}\nAnd how many are they?\n")
    assert ended.code == 0, ended.err
    assert ended.out.index(SENTENCE) < ended.out.index("There are 5 orders.")
    assert QUESTION in json.dumps(openai.asked[3]["messages"])  # the rewriter's, who alone sees the first question
    assert QUESTION not in json.dumps(openai.asked[4]["messages"])


async def test_a_script_shows_each_question_once(cli: Cli, openai: OpenAIServer, tmp_path: Path) -> None:
    script(openai)
    (tmp_path / "questions.txt").write_text(f"{QUESTION}\n", encoding="utf-8")
    ended = await cli("chat", "--script", "questions.txt")
    assert ended.code == 0, ended.err
    assert [line for line in ended.out.splitlines() if QUESTION in line] == [f"> {QUESTION}"]


async def test_ctrl_c_at_the_prompt_of_chat_ends_it_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HEEDING_CTRL_C, "chat", env=environment, cwd=tmp_path,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    greeting = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    assert b"Ask about shop" in greeting
    ended = asyncio.create_task(process.wait())  # its input stays open: the end of that would end it as well
    for _ in range(5):  # Python may miss one that comes in the very moment in which it begins to read
        process.send_signal(signal.SIGINT)
        if (await asyncio.wait([ended], timeout=PATIENCE / 4))[0]:
            break
    else:
        process.kill()
    assert await ended == 130
    assert process.stderr is not None
    assert b"Traceback" not in await process.stderr.read()


# -- index, eval, recompute, model -------------------------------------------------------------------------


async def test_what_was_indexed_once_is_not_indexed_again(cli: Cli, registry: Path, shop_file: Path) -> None:
    docs = registry.with_name("shop.md")
    docs.write_text("# shop\n\n## orders\n\n- amount: in euro\n- status: C is completed, X is cancelled\n", "utf-8")
    registry.write_text(f"shop:\n  url: {shop_file.name}\n  docs: [{docs.name}]\n", encoding="utf-8")
    first = await cli("index", PLUMBLINE_EMBEDDING="local")
    second = await cli("index", "shop", PLUMBLINE_EMBEDDING="local")
    assert (first.code, second.code) == (0, 0), first.err + second.err
    added = int(first.out.split()[1])
    assert added >= 2
    assert first.out.splitlines()[0] == f"shop: {added} documents added, 0 removed, 0 unchanged."
    assert second.out.splitlines()[0] == f"shop: 0 documents added, 0 removed, {added} unchanged."
    assert "shop: 10 columns and tables added, 0 removed, 0 unchanged." in first.out
    assert "shop: 0 columns and tables added, 0 removed, 10 unchanged." in second.out


async def test_eval_keeps_a_line_per_question_and_goes_on_where_it_ended(
    cli: Cli, openai: OpenAIServer, tmp_path: Path
) -> None:
    asked = [
        {"database": "shop.sqlite", "question": QUESTION, "gold": [SQL]},
        {"database": "shop.sqlite", "question": "How many [orders]?", "gold": ["SELECT COUNT(*) FROM orders"]},
    ]
    (tmp_path / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    script(openai)
    first = await cli("eval", "questions.json", "--json", "results.jsonl", "--limit", "1")
    assert first.code == 0, first.err
    script(openai, sql="SELECT COUNT(*) AS [n] FROM customers", sentence="There are 3.")
    second = await cli("eval", "questions.json", "--json", "results.jsonl")
    assert second.code == 0, second.err
    assert len(openai.asked) == 6, "the first question is not asked again"
    assert "1 of 2" in second.out
    assert "How many [orders]?" in second.err, "what was wrong is shown to the letter"

    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text("utf-8").splitlines()]
    assert [(line["predicted"], line["correct"], line["verified"]) for line in lines] == [
        (lines[0]["predicted"], True, True),
        (lines[1]["predicted"], False, True),
    ]
    assert "SUM(amount)" in lines[0]["predicted"]
    assert [(line["attempts"], line["model_calls"], line["tokens"]["prompt"]) for line in lines] == [(1, 3, 30)] * 2
    assert all(line["timings_ms"]["sql_generator"] > 0 for line in lines)


async def test_recompute_puts_arithmetic_right_line_by_line(cli: Cli) -> None:
    ended = await cli("recompute", stdin="So 45.6 + 12.3 + 78.9 = 136.7.\nNothing here.\nIt is [[6 * 7]].\n")
    assert (ended.code, ended.out) == (0, "So 45.6 + 12.3 + 78.9 = 136.8.\nNothing here.\nIt is 42.\n")


async def test_a_wrong_file_is_not_taken_for_the_model(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "wrong.gguf").write_bytes(b"GGUF, but another one")
    ended = await cli("model", "--path", "wrong.gguf")
    assert ended.code == 1
    assert "wrong.gguf is not Qwen2.5-Coder-1.5B-Instruct" in ended.err
    assert "Traceback" not in ended.err
    assert not list((tmp_path / "cache").glob("*.gguf"))


# -- help and settings -------------------------------------------------------------------------------------


async def test_help_names_every_command(cli: Cli) -> None:
    ended = await cli("--help")
    assert ended.code == 0
    for command in ("ask", "chat", "demo", "index", "model", "serve", "mcp", "eval", "recompute"):
        assert f" {command} " in ended.out


async def test_a_setting_that_cannot_be_used_is_named(cli: Cli) -> None:
    ended = await cli("ask", QUESTION, PLUMBLINE_ROW_LIMIT="0")
    assert ended.code == 1
    assert ended.out == ""
    assert len(ended.err.splitlines()) == 2
    assert "greater than or equal to 1" in ended.err
    assert "row_limit" in ended.err.lower()

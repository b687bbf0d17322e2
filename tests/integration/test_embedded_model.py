"""The embedded model, for real: llama.cpp in a child process, with the figures that it gives itself."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from until import until

from agent.core.errors import ModelFailed, ModelUnavailable
from agent.pipeline.steps.generate import SQL_ALONE
from agent.platform.config.settings import Settings
from agent.platform.llm.build import build_model, build_second_model
from agent.platform.llm.chat import Message, Reply, ReplyGrammar, ReplySchema
from agent.platform.llm.embedded import EmbeddedModel
from agent.platform.llm.files.model_files import find
from agent.platform.llm.files.model_specs import MODELS
from agent.platform.llm.replies import extract_sql, parse_structured
from executors.base import Frozen

pytestmark = pytest.mark.model

SETTINGS = Settings(embedded_context=4096, prefix_cache_mb=0)
ENDLESS = ReplyGrammar(name="endless", words="", gbnf='root ::= "word " root')
TAIL = 40  # tokens of a short question, with what the chat format puts around it


class Judged(Frozen):
    reason: str
    correct: bool


@pytest.fixture(scope="module")
def model_file() -> Path:
    """The verified file; the tests marked `model` cannot run without it."""
    found = find(MODELS[SETTINGS.embedded_model], SETTINGS.cache_dir)
    if found is None:
        pytest.fail("The embedded model's file is missing: run `python -m agent model`.")
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(model_file: Path) -> AsyncIterator[EmbeddedModel]:
    embedded = EmbeddedModel(SETTINGS)
    await embedded.ready()
    yield embedded
    await embedded.close()


def system(letter: str) -> Message:
    """A system message of some two hundred tokens, different from its first table on."""
    tables = " ".join(f"CREATE TABLE {letter}{n} (id INTEGER, name TEXT, amount REAL);" for n in range(1, 13))
    return Message(role="system", content=f"{tables}\nReply with one SQL query and nothing else.")


async def ask(model: EmbeddedModel, letter: str, question: str, **options: Any) -> Reply:
    return await model.complete([system(letter), Message(role="user", content=question)], **options)


def read(reply: Reply) -> int:
    """Prompt tokens that were really evaluated."""
    return reply.usage.prompt_tokens - reply.usage.cached_tokens


async def test_a_shared_beginning_is_read_once(model: EmbeddedModel) -> None:
    first = await ask(model, "a", "How many rows has a1?")
    second = await ask(model, "a", "What is the sum of amount in a2?")
    third = await ask(model, "a", "Which names are there in a3?")
    assert read(first) > 150
    assert read(second) <= TAIL
    assert read(third) <= TAIL
    assert second.usage.cached_tokens > 150
    assert extract_sql(first.text) is not None


async def test_a_query_is_written_alone_however_much_the_model_would_say(model: EmbeddedModel) -> None:
    asked = "Explain step by step how you would find the name with the highest amount in g1, then write the query."
    free = await ask(model, "g", asked, max_tokens=60)
    alone = await ask(model, "g", asked, max_tokens=120, schema=SQL_ALONE)
    assert not free.text.startswith("```sql")
    assert alone.text.startswith("```sql\n")
    assert not alone.truncated
    assert extract_sql(alone.text) == alone.text.removeprefix("```sql\n").removesuffix("```").strip().removesuffix(";")


async def test_a_reply_ends_with_its_first_statement(model: EmbeddedModel) -> None:
    asked = "Write two statements: first select ';' and all of a1, then delete all rows of a1."
    reply = await ask(model, "a", asked, max_tokens=120, schema=SQL_ALONE)
    sql = extract_sql(reply.text)
    assert sql is not None
    assert not reply.truncated
    assert "DELETE" not in sql.upper()


async def test_a_query_takes_no_more_tokens_than_it_has(model: EmbeddedModel) -> None:
    reply = await ask(model, "a", "How many rows has a1?", max_tokens=60, schema=SQL_ALONE)
    assert reply.usage.completion_tokens <= len(reply.tokens) + 1, "its end, and nothing before or behind it"
    assert reply.tokens[0].text.strip().upper() == "SELECT"


async def test_what_is_kept_of_a_prefix_holds_no_word_of_a_question(model_file: Path, tmp_path: Path) -> None:
    settings = SETTINGS.model_copy(update={"prefix_cache_mb": 100, "state_dir": tmp_path})
    kept = []
    for question in ("How many rows has q1?", "Which names in q2 have an amount of more than 1000, and which ids?"):
        embedded = EmbeddedModel(settings)
        try:
            reply = await ask(embedded, "q", question, max_tokens=2)
        finally:
            await embedded.close()
        (file,) = settings.state_path.glob("prefixes/*")
        kept.append(file.stat().st_size)
        assert reply.usage.model_calls == 1
        file.unlink()
    assert kept[0] == kept[1], "the question makes no difference to it"


async def test_another_database_in_between_does_not_cost_the_first_its_beginning(model: EmbeddedModel) -> None:
    await ask(model, "b", "How many rows has b1?", max_tokens=4)
    other = await ask(model, "c", "How many rows has c1?", max_tokens=4)
    again = await ask(model, "b", "What is the sum of amount in b2?", max_tokens=4)
    assert read(other) > 100
    assert read(again) <= TAIL


async def test_the_same_question_gets_the_same_reply(model: EmbeddedModel) -> None:
    replies = [await ask(model, "a", "Which five names in a1 have the highest amount?") for _ in range(2)]
    assert replies[0].text == replies[1].text


async def test_a_reply_is_held_to_a_schema(model: EmbeddedModel) -> None:
    schema = ReplySchema(name="judged", schema_=Judged.model_json_schema())
    reply = await ask(model, "a", "Is 7 a prime number? Reply in JSON.", schema=schema, max_tokens=120)
    assert list(json.loads(reply.text)) == ["reason", "correct"]
    assert parse_structured(reply.text, Judged).reason


async def test_a_reply_is_held_to_a_grammar(model: EmbeddedModel) -> None:
    reply = await ask(
        model, "a", "How many rows has a1?", schema=ReplyGrammar(name="yes", words="", gbnf='root ::= "yes" | "no"')
    )
    assert reply.text in {"yes", "no"}


async def test_a_reply_that_runs_out_of_tokens_is_marked(model: EmbeddedModel) -> None:
    reply = await ask(model, "a", "Which five names in a1 have the highest amount?", max_tokens=3)
    assert reply.truncated
    assert reply.usage.completion_tokens == 3


async def test_callers_wait_for_their_turn(model: EmbeddedModel) -> None:
    replies = await asyncio.gather(*(ask(model, "a", f"How many rows has a{n}?", max_tokens=2) for n in range(1, 9)))
    assert all(reply.usage.completion_tokens == 2 for reply in replies)


async def test_a_prompt_beyond_the_context_says_so(model: EmbeddedModel) -> None:
    with pytest.raises(ModelFailed, match="longer than the context"):
        await ask(model, "a", "word " * 5000)


async def test_a_beginning_that_another_process_has_read_is_not_read_again(model_file: Path, tmp_path: Path) -> None:
    settings = SETTINGS.model_copy(update={"prefix_cache_mb": 100, "state_dir": tmp_path})
    assert settings.state_path == tmp_path
    texts = []
    for reads_it_all in (True, False, True, False):
        embedded = EmbeddedModel(settings)  # as a new process would
        try:
            reply = await ask(embedded, "p", "What is the sum of amount in p2?", max_tokens=20)
            other = await ask(embedded, "p", "How many rows has p1?", max_tokens=2)
        finally:
            await embedded.close()
        texts.append(reply.text)
        assert (read(reply) > 150) is reads_it_all
        assert read(other) <= TAIL
        (state,) = (tmp_path / "prefixes").iterdir()
        assert state.stat().st_mode & 0o777 == 0o600
        if len(texts) == 2:
            os.truncate(state, state.stat().st_size // 2)  # half a file is read as if there were none
    assert len(set(texts)) == 1


async def test_two_models_in_one_process_keep_their_own_states(model_file: Path, tmp_path: Path) -> None:
    settings = SETTINGS.model_copy(update={"prefix_cache_mb": 100, "state_dir": tmp_path})
    texts: list[tuple[str, ...]] = []
    for has_read in (False, True):
        second = build_second_model(settings)
        assert isinstance(second, EmbeddedModel)
        first = EmbeddedModel(settings)
        try:
            replies = [await ask(it, "t", "What is the sum of amount in t2?", max_tokens=20) for it in (first, second)]
        finally:
            await first.close()
            await second.close()
        texts.append(tuple(reply.text for reply in replies))
        assert [read(reply) <= TAIL for reply in replies] == [has_read, has_read]
        assert len(list((tmp_path / "prefixes").iterdir())) == 2
    assert texts[0] == texts[1]


async def slots(model: EmbeddedModel) -> list[dict[str, Any]]:
    """What llama.cpp says of its slots."""
    server = (await model._ensure_loaded()).client
    async with server.connect(60.0) as client:
        found: list[dict[str, Any]] = (await client.get("/slots")).json()
    return found


@pytest.mark.parametrize("question, why", [("Write.", "while it writes"), ("word " * 1500, "while it reads")])
async def test_a_cancelled_call_stops_the_server(model: EmbeddedModel, question: str, why: str) -> None:
    call = asyncio.ensure_future(ask(model, "d", question, max_tokens=2000, schema=ENDLESS))
    while not (await slots(model))[0]["is_processing"]:
        continue
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    while (slot := (await slots(model))[0])["is_processing"]:
        continue
    assert slot["n_prompt_tokens"] < 1500, why  # read and written together; the whole would be more


async def test_nobody_gets_in_without_the_key(model: EmbeddedModel) -> None:
    import httpx2

    address = (await model._ensure_loaded()).client.address
    async with httpx2.AsyncClient(trust_env=False) as stranger:
        answer = await stranger.post(f"{address}/v1/chat/completions", json={"messages": []})
    assert answer.status_code == 401
    assert address.startswith("http://127.0.0.1:")


async def test_a_closed_model_is_loaded_again_when_it_is_needed(model_file: Path) -> None:
    model = EmbeddedModel(SETTINGS)
    await asyncio.gather(model.ready(), model.ready())
    assert len(model._servers) == 1
    for _ in range(3):  # a server that ends as soon as it has begun is where a lost signal would show
        await model.close()
        assert model._servers == []
        await model.ready()
    await model.close()


async def test_a_load_that_nobody_waits_for_ends_quietly(model_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    gc.collect()  # what other tests left is not heard of here
    caplog.clear()
    model = EmbeddedModel(SETTINGS)
    waiting = asyncio.ensure_future(model.ready())
    await asyncio.to_thread(until, lambda: model._servers)
    waiting.cancel()  # as a question that is asked back does
    await model.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gc.collect()  # a task logs the error that nobody heard of when it goes
    await asyncio.sleep(0)

    assert [it for it in caplog.records if it.name == "asyncio"] == []


async def test_a_server_that_has_crashed_is_started_again(model_file: Path) -> None:
    model = EmbeddedModel(SETTINGS)
    await model.ready()
    (crashed,) = model._servers
    writing = asyncio.ensure_future(ask(model, "a", "Write.", max_tokens=2000, schema=ENDLESS))
    while not (await slots(model))[0]["is_processing"]:
        continue
    waiting = [asyncio.ensure_future(ask(model, "a", "How many rows has a1?", max_tokens=2)) for _ in range(2)]
    await slots(model)  # meanwhile they queue
    crashed._process.kill()
    crashed._process.wait()
    with pytest.raises(ModelUnavailable):
        await writing
    assert [reply.usage.completion_tokens for reply in await asyncio.gather(*waiting)] == [2, 2]
    assert [it.is_running for it in model._servers] == [True]
    await model.close()


async def test_a_reply_that_takes_too_long_is_given_up(model_file: Path) -> None:
    model = EmbeddedModel(Settings(embedded_context=2048, model_timeout_s=0.5))
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0\.5 s"):
        await ask(model, "a", "Write.", max_tokens=1000, schema=ENDLESS)
    await model.close()


async def test_a_missing_file_says_how_to_get_it(tmp_path: Path) -> None:
    model = build_model(Settings(cache_dir=tmp_path))
    with pytest.raises(ModelUnavailable, match="python -m agent model"):
        await model.ready()
    await model.close()


async def test_a_given_file_that_is_another_one_is_not_loaded(tmp_path: Path) -> None:
    given = tmp_path / "other.gguf"
    given.write_bytes(b"GGUF")
    model = build_model(Settings(cache_dir=tmp_path, embedded_model_path=given))
    with pytest.raises(ModelUnavailable, match=r"other\.gguf is not Qwen"):
        await model.ready()
    assert given.exists()


ASKS = """
import asyncio, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background hands it down ignored
from agent.platform.llm.embedded import EmbeddedModel
from agent.platform.llm.chat import Message
from agent.platform.config.settings import Settings

async def main(how):
    model = EmbeddedModel(Settings(embedded_context=2048))
    if how == "loading":
        loading = asyncio.ensure_future(model.ready())
        await asyncio.sleep(0)
        print("ready", flush=True)
        await loading
        await asyncio.Event().wait()
    await model.ready()
    story = model.complete([Message(role="user", content="Write a long story.")], max_tokens=1500)
    if how == "generating":
        call = asyncio.ensure_future(story)
        print("ready", flush=True)
        await call
    if how == "unclosed":
        await asyncio.wait({asyncio.ensure_future(story)}, timeout=0.5)
    if how == "closed":
        story.close()
        await model.close()
    print("ready", flush=True)

asyncio.run(main(sys.argv[1]))
"""


def run(how: str, stop: signal.Signals | None) -> tuple[int, str, str]:
    """Exit status, output and error output of a process that uses the model, stopped as soon as it says `ready`."""
    command = [sys.executable, "-X", "faulthandler", "-c", ASKS, how]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        if stop is not None:
            process.send_signal(stop)
        out, err = process.communicate(timeout=120)
    return process.returncode, first + out, err


@pytest.mark.parametrize("how", ["closed", "unclosed"])
def test_a_process_that_used_the_model_ends_cleanly_and_silently(model_file: Path, how: str) -> None:
    assert run(how, None) == (0, "ready\n", "")


@pytest.mark.parametrize("how", ["loading", "generating"])
def test_ctrl_c_ends_the_process(model_file: Path, how: str) -> None:
    status, _, err = run(how, signal.SIGINT)
    assert status in {130, -signal.SIGINT}
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "Fatal Python error" not in err


@pytest.mark.parametrize("how", ["loading", "generating"])
def test_sigterm_ends_the_process(model_file: Path, how: str) -> None:
    status, _, err = run(how, signal.SIGTERM)
    assert status == -signal.SIGTERM
    assert err == ""

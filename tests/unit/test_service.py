"""The service around the loop: sessions, deadlines, invalid files, and file locations."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NoReturn

import pytest
from shop_questions import Make

from agent.core.answers import Answer
from agent.core.callers import ANONYMOUS, LOCAL
from agent.core.errors import OutOfTime, QuestionInvalid, SessionBusy, StateUnavailable, UnknownSession
from agent.core.events import Done, Event, Started
from agent.core.models import Exchange, Question
from agent.people.sessions.sessions import SessionMessage
from agent.pipeline import loop
from agent.pipeline.service import Service, build_service
from agent.platform.config.profiles import EMBEDDED, LARGE_HOSTED, SMALL_HOSTED
from agent.platform.config.settings import ROOT, Settings
from agent.platform.llm.build import build_model
from agent.platform.llm.embedded import EmbeddedModel
from agent.platform.llm.llama_server import LlamaServer
from executors.errors import DatabaseUnavailable, RegistryInvalid, UnknownDatabase
from testbed.scripted_model import ScriptedModel


def answers(model: ScriptedModel, sql: str = "SELECT COUNT(*) AS n FROM customers", text: str = "There are 3.") -> None:
    """Script the replies of one question that goes well."""
    model.replies(sql=sql)
    model.replies(correct=True, reason="yes")
    model.replies(text=text)


# -- sessions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error, why",
    [
        (StateUnavailable("the disk is full"), "the store fails"),
        (UnknownSession("it has expired"), "the session went away while the question was answered"),
    ],
)
async def test_an_answer_is_not_lost_where_its_session_is(
    service: Service,
    model: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    why: str,
) -> None:
    session = await service.start_session("shop")

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(service.sessions, "append", fail)
    answers(model)
    with caplog.at_level(logging.WARNING, logger="agent.pipeline.service"):
        answer = await service.query("How many customers are there?", "shop", session_id=session.id)

    assert answer.results == [{"n": 3}], why
    assert str(error) in answer.warnings[-1]
    assert str(error) in caplog.text
    assert "How many customers" not in caplog.text


async def test_what_is_remembered_is_what_was_answered(service: Service, model: ScriptedModel) -> None:
    session = await service.start_session("shop")
    answers(model)
    answer = await service.query("How many customers are there?", "shop", session_id=session.id)

    assert service.sessions.get(session.id, ANONYMOUS).exchanges == (
        Exchange(question="How many customers are there?", answer=answer.answer, sql=answer.sql),
    )


@pytest.mark.parametrize("length, shown", [(0, []), (1, ["Answer 3."]), (2, ["Answer 2.", "Answer 3."])])
async def test_history_is_cut_to_what_the_settings_say(
    make_service: Make, model: ScriptedModel, length: int, shown: list[str]
) -> None:
    service = make_service(max_conversation_history=length)
    session = await service.start_session("shop")
    for number in (1, 2, 3):
        said = (
            SessionMessage(role="user", content=f"Question {number}?"),
            SessionMessage(role="assistant", content=f"Answer {number}."),
        )
        service.sessions.append(session.id, ANONYMOUS, said)
    if length:
        model.replies(text="How many customers are in Germany?")  # the follow-up, made whole
    answers(model)

    message = "And both in Germany?" if length else "How many customers are in Germany?"
    await service.query(message, "shop", session_id=session.id)

    assert [text for text in ("Answer 1.", "Answer 2.", "Answer 3.") if text in model.asked[0].text] == shown
    await service.close()


async def test_a_session_of_another_database_is_refused(service: Service, shop_file: Path) -> None:
    other = service.router.add(shop_file, name="other")
    session = await service.start_session(other)

    with pytest.raises(QuestionInvalid, match="'other'"):
        await service.query("How many customers are there?", "shop", session_id=session.id)


async def test_an_unknown_session_is_refused(service: Service) -> None:
    with pytest.raises(UnknownSession):
        await service.query("How many customers are there?", "shop", session_id="none")


# -- the way of one question -------------------------------------------------------------------------------


async def test_the_first_event_comes_before_a_turn_a_database_and_the_modules(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long in a new process is not begun before somebody who watches has heard something."""
    begun: list[str] = []

    async def opens(*_: object) -> NoReturn:
        begun.append("database")
        raise DatabaseUnavailable("It is being opened.")

    def takes_turns(*_: object) -> NoReturn:
        begun.append("turn")
        raise SessionBusy("Another one is being answered.")

    session = await service.start_session("shop")
    monkeypatch.setattr(service.databases, "get", opens)
    monkeypatch.setattr(service.sessions, "turn", takes_turns)
    monkeypatch.setattr("agent.pipeline.asking.load_first_steps", lambda: begun.append("modules"))
    for session_id, error in ((None, DatabaseUnavailable), (session.id, SessionBusy)):
        begun.clear()
        events = service.events(" How many customers? ", "shop", session_id=session_id, trace_id="t" * 32)
        first = await anext(events)
        assert isinstance(first, Started)
        assert (first.trace_id, first.question, first.database) == ("t" * 32, "How many customers?", "shop")
        assert begun == []
        with pytest.raises(error):
            await anext(events)


@pytest.mark.parametrize("text, database, session_id", [(" ", "shop", None), ("How many?", "nowhere", None),
                                                        ("How many?", "shop", "none")])  # fmt: skip
async def test_what_cannot_be_asked_is_refused_before_the_first_event(
    service: Service, text: str, database: str, session_id: str | None
) -> None:
    with pytest.raises((QuestionInvalid, UnknownDatabase, UnknownSession)):
        await anext(service.events(text, database, session_id=session_id))


async def test_a_question_has_one_first_event(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends(question: Question, *_: object) -> AsyncIterator[Event]:
        yield Started(trace_id=question.trace_id, answer_id=question.answer_id, question=question.text, database="shop")
        yield Done(answer=Answer(status="success", answer="3"))

    monkeypatch.setattr(loop, "answer", ends)
    events = [type(event) async for event in service.events("How many customers are there?", "shop")]
    assert events == [Started, Done]


async def test_a_timeout_of_something_else_is_not_the_deadline(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def times_out(*_: object) -> AsyncIterator[Event]:
        yield Started(trace_id="t", answer_id="t-1", question="q", database="shop")
        raise TimeoutError("a socket")

    monkeypatch.setattr(loop, "answer", times_out)
    with pytest.raises(TimeoutError, match="a socket") as caught:
        await service.query("How many customers are there?", "shop")
    assert not isinstance(caught.value, OutOfTime)


async def test_a_question_that_is_cancelled_ends_its_loop(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, ended = asyncio.Event(), asyncio.Event()

    async def waits(*_: object) -> AsyncIterator[Event]:
        try:
            yield Started(trace_id="t", answer_id="t-1", question="q", database="shop")
            entered.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    monkeypatch.setattr(loop, "answer", waits)
    asked = asyncio.create_task(service.query("How many customers are there?", "shop"))
    await entered.wait()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked

    assert ended.is_set()


async def test_query_has_closed_its_events_when_it_returns(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = False

    async def events(*_: object, **__: object) -> AsyncIterator[Event]:
        nonlocal closed
        try:
            yield Done(answer=Answer(status="success", answer="Yes."))
        finally:
            closed = True

    monkeypatch.setattr(service.asking, "events", events)

    assert (await service.query("Is it?", "shop")).answer == "Yes."
    assert closed


async def test_a_closed_service_opens_again_what_a_question_needs(service: Service, model: ScriptedModel) -> None:
    await service.list_databases(LOCAL)
    await service.close()
    answers(model)

    assert (await service.query("How many customers are there?", "shop")).results == [{"n": 3}]


# -- files that cannot be read -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "private_folder"
    folder.mkdir()
    return folder


def garbage(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


async def test_a_file_of_a_folder_that_cannot_be_read_is_told_with_the_answer_and_in_the_listing(
    service: Service, model: ScriptedModel, folder: Path
) -> None:
    (folder / "people.csv").write_text("id,name\n1,Ada\n2,Bo\n", encoding="utf-8")
    garbage(folder / "orders.csv")
    name = service.router.add(folder)
    answers(model, sql="SELECT COUNT(*) AS n FROM people", text="There are 2.")

    answer = await service.query("How many people are there?", name)
    listed = {info.name: info for info in await service.list_databases(LOCAL)}

    assert answer.results == [{"n": 2}]
    assert len([warning for warning in answer.warnings if "orders.csv" in warning]) == 1
    assert listed[name].available
    assert "orders.csv" in listed[name].detail
    assert listed["shop"].detail == ""
    assert str(folder.parent) not in f"{answer.warnings} {listed[name].detail}"


async def test_the_warning_of_a_file_stands_under_the_answers_that_read_its_table(
    service: Service, model: ScriptedModel, folder: Path
) -> None:
    (folder / "people.csv").write_text("id,name\n1,Ada\n2,Bo\n", encoding="utf-8")
    (folder / "visits.csv").write_text("person,day\n1,03/04/2024\n2,05/06/2024\n", encoding="utf-8")
    name = service.router.add(folder)
    answers(model, sql="SELECT COUNT(*) AS n FROM people", text="There are 2.")
    answers(model, sql="SELECT COUNT(*) AS n FROM visits", text="There are 2.")

    people = await service.query("How many people are there?", name)
    visits = await service.query("How many visits are there?", name)
    listed = {info.name: info for info in await service.list_databases(LOCAL)}

    assert people.warnings == []
    assert [warning.partition(" Every")[0] for warning in visits.warnings] == ["visits.csv: day:"]
    assert (people.tables_used, visits.tables_used) == (["people"], ["visits"])
    assert "visits.csv" in listed[name].detail


@pytest.mark.parametrize("content, says", [(b"", "is empty"), (bytes(range(256)) * 64, "orders.csv")])
async def test_a_file_that_cannot_be_read_is_named_without_its_folder(
    service: Service, folder: Path, content: bytes, says: str
) -> None:
    path = folder / "orders.csv"
    path.write_bytes(content)
    name = service.router.add(path)

    with pytest.raises(DatabaseUnavailable, match=says) as caught:
        await service.query("How many orders are there?", name)

    message = str(caught.value)
    assert "orders.csv" in message
    assert message.endswith(".")
    assert folder.name not in message
    (info,) = [info for info in await service.list_databases(LOCAL) if info.name == name]
    assert (info.available, info.detail) == (False, message)


# -- where things are --------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no setting in the environment."""
    working = tmp_path / "working"
    working.mkdir()
    monkeypatch.chdir(working)
    for name in ("PLUMBLINE_REGISTRY", "PLUMBLINE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return working


def test_from_another_folder_the_projects_own_registry_is_found(elsewhere: Path) -> None:
    assert Settings().registry_path == ROOT / "databases.yaml"
    assert Settings().state_path == ROOT / ".plumbline"
    assert (ROOT / "agent").is_dir()


def test_the_working_folders_own_come_first(elsewhere: Path) -> None:
    (elsewhere / "databases.yaml").write_text("", encoding="utf-8")
    (elsewhere / ".plumbline").mkdir()

    assert Settings().registry_path.absolute() == elsewhere / "databases.yaml"
    assert Settings().state_path.absolute() == elsewhere / ".plumbline"


def test_what_was_named_is_taken_as_it_is(elsewhere: Path) -> None:
    settings = Settings(registry=Path("databases.yaml"), state_dir=Path("state"))

    assert settings.registry_path.absolute() == elsewhere / "databases.yaml"
    assert settings.state_path.absolute() == elsewhere / "state"


@pytest.fixture
def no_project(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does the project have a registry."""
    monkeypatch.setattr("agent.platform.config.settings.ROOT", elsewhere)


@pytest.mark.usefixtures("no_project")
async def test_files_can_be_asked_without_any_registry(model: ScriptedModel, shop_file: Path) -> None:
    service = build_service(Settings(profile="embedded", second_draft=False), model=model, registry_required=False)
    answers(model)

    answer = await service.query("How many customers are there?", service.router.add(shop_file))

    assert answer.results == [{"n": 3}]
    with pytest.raises(UnknownDatabase, match="sales"):
        await service.query("How many customers are there?", "sales")
    await service.close()


@pytest.mark.usefixtures("no_project")
@pytest.mark.parametrize(
    "settings, required, why",
    [
        (Settings(), True, "a server has nothing else to answer from"),
        (Settings(registry=Path("mine.yaml")), False, "somebody named it, and expects it to be there"),
    ],
)
def test_a_registry_that_must_be_there(model: ScriptedModel, settings: Settings, required: bool, why: str) -> None:
    with pytest.raises(RegistryInvalid, match="PLUMBLINE_REGISTRY"):
        build_service(settings, model=model, registry_required=required)


# -- the model's patience ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings, timeout_s",
    [
        (Settings(openai_api_key="k", chat_model="gpt-4o-mini"), SMALL_HOSTED.timeout_s),
        (Settings(openai_api_key="k", chat_model="gpt-4o"), LARGE_HOSTED.timeout_s),
        (Settings(azure_openai_endpoint="https://x.example"), SMALL_HOSTED.timeout_s),
        (Settings(openai_api_key="k", profile="embedded"), EMBEDDED.timeout_s),  # a slow machine of one's own
        (Settings(openai_api_key="k", model_timeout_s=7), 7),
    ],
)
def test_a_hosted_model_waits_as_long_as_its_profile_says(
    settings: Settings, timeout_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    for kind in ("OpenAIModel", "AzureOpenAIModel"):
        monkeypatch.setattr(
            f"agent.platform.llm.openai.model.{kind}", lambda *_, timeout_s, **__: given.append(timeout_s)
        )
    build_model(settings)

    assert given == [timeout_s]


@pytest.mark.parametrize("settings, timeout_s", [(Settings(), EMBEDDED.timeout_s), (Settings(model_timeout_s=7), 7)])
def test_the_embedded_model_waits_as_long_as_its_profile_says(
    settings: Settings, timeout_s: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[float] = []

    class Client(LlamaServer):
        def __init__(self, name: str, address: str, key: str, *, timeout_s: float) -> None:
            super().__init__(name, address, key, timeout_s=timeout_s)
            given.append(timeout_s)

    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(EmbeddedModel, "_find_verified_file", lambda _: tmp_path / "model.gguf")
    monkeypatch.setattr(EmbeddedModel, "_start", lambda *_: (None, "http://127.0.0.1:1"))
    monkeypatch.setattr("agent.platform.llm.llama_server.LlamaServer", Client)
    EmbeddedModel(settings)._load()

    assert given == [timeout_s]

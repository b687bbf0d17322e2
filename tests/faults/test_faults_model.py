"""Every step that calls a model, with every failure of a model: the caller's response.

An optional step that fails costs the answer what it would have added, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import httpx2
import pytest
from faulty_model import Fault, FaultyModel
from faulty_service import QUESTION, ask, make_shop, serving, settings_for

from agent.platform.config.settings import Settings

# `ok`      answered and verified, as if nothing had been; a draft that cannot be read is repaired by the next one
# `warned`  answered and verified; a warning says what is missing
# `doubt`   answered from the rows, not verified; a warning says why
# `quiet`   answered from the rows, not verified; a check says why
# `review`  no query came of it: what was tried, for a person
# `502` `503`  a problem document: model-failed, model-unavailable
# `-`       half of a sentence is a sentence
MATRIX = """
fault         followup  parts   planner  generator  repair  judge  writer  embedding
unreachable   doubt     warned  warned   503        503     doubt  warned  doubt
overloaded    doubt     warned  warned   503        503     doubt  warned  doubt
trouble_once  ok        ok      ok       ok         ok      ok     ok      ok
silence       doubt     warned  warned   503        503     doubt  warned  doubt
half_body     doubt     warned  warned   502        502     doubt  warned  doubt
half_json     -         ok      ok       ok         review  doubt  -       doubt
wrong_json    doubt     warned  warned   502        502     doubt  warned  doubt
empty         quiet     warned  warned   ok         review  doubt  warned  doubt
refusal       doubt     warned  warned   502        502     doubt  warned  doubt
endless       doubt     warned  warned   502        502     doubt  warned  doubt
drip          doubt     warned  warned   503        503     doubt  warned  doubt
cut           doubt     warned  warned   503        503     doubt  warned  doubt
"""
WARNINGS = {
    "followup": "The message was not merged with the conversation",
    "parts": "The question is answered by one query",
    "planner": "The query was written without a plan",
    "judge": "The result was not judged",
    "writer": "so the answer is composed from the rows",
    "embedding": "Answered without the docs of this database",
}
QUESTIONS = {"repair": "How many repaired orders are there?", "parts": "Why are there so many orders?"}
ASKED_BY = {
    **dict.fromkeys(("trouble_once", "overloaded"), "patient"),
    **dict.fromkeys(("silence", "endless", "drip"), "hasty"),
}
PROBLEMS = {"502": "model-failed", "503": "model-unavailable"}

_HEAD, *_ROWS = (line.split() for line in MATRIX.strip().splitlines())
CELLS = [
    pytest.param(step, row[0], outcome, id=f"{step}-{row[0]}")
    for row in _ROWS
    for step, outcome in zip(_HEAD[1:], row[1:], strict=True)
    if outcome != "-"
]


@pytest.fixture(scope="module")
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def patient(model: FaultyModel, registry: Path) -> Iterator[httpx2.Client]:
    """A service that asks a second time."""
    yield from client_of(settings_for(model, registry, registry.with_name("patient"), model_retries=1), model)


@pytest.fixture(scope="module")
def plain(model: FaultyModel, registry: Path) -> Iterator[httpx2.Client]:
    """A service that asks once, and waits as long as any would."""
    yield from client_of(settings_for(model, registry, registry.with_name("plain")), model)


@pytest.fixture(scope="module")
def hasty(model: FaultyModel, registry: Path) -> Iterator[httpx2.Client]:
    """A service that asks once, and waits a moment, in which what has no fault must answer."""
    waits = {"model_timeout_s": 3, "retrieval_timeout_s": 10}
    yield from client_of(settings_for(model, registry, registry.with_name("hasty"), **waits), model)


def client_of(settings: Settings, model: FaultyModel) -> Iterator[httpx2.Client]:
    with serving(settings) as client:
        model.faults = {}
        ask(client, "How many orders are there at first?")  # the docs are indexed with it
        yield client


def conversation(client: httpx2.Client) -> str:
    """A session in which something was asked already."""
    begun = client.post("/agents/text-to-sql/start-session", json={"database": "shop"}).raise_for_status().json()
    session: str = begun["session_id"]
    ask(client, "How many orders were there in 2023?", session_id=session).raise_for_status()
    return session


def test_every_fault_is_in_the_matrix() -> None:
    assert [row[0] for row in _ROWS] == list(get_args(Fault))


@pytest.mark.parametrize("step, fault, outcome", CELLS)
def test_cell(step: str, fault: Fault, outcome: str, model: FaultyModel, request: pytest.FixtureRequest) -> None:
    client: httpx2.Client = request.getfixturevalue(ASKED_BY.get(fault, "plain"))
    model.faults = {}
    session = conversation(client) if step == "followup" else None
    question = "and only in 2024?" if session else QUESTIONS.get(step, QUESTION)
    model.fails(step, fault)

    asked = f"{question} ({fault})" if step == "embedding" else question  # vectors of questions are kept
    response = ask(client, asked, **({"session_id": session} if session else {}))

    assert step in model.asked
    body = response.json()
    if outcome in PROBLEMS:
        assert (response.status_code, body["type"]) == (int(outcome), f"urn:plumbline:problem:{PROBLEMS[outcome]}")
        return
    assert response.status_code == 200
    if outcome == "review":
        assert (body["status"], body["needs_human_review"], body["attempts"]) == ("error", True, 3)
        return
    assert (body["status"], body["row_count"]) == ("success", 1)
    said = next(iter(body["results"][0].values()))
    assert re.search(rf"\b{said}\b", body["answer"]), "the answer is what the rows say"
    assert body["verified"] is (outcome in ("ok", "warned")), body["checks"]
    warned = [warning for warning in body["warnings"] if WARNINGS.get(step, "") in warning]
    if outcome in ("warned", "doubt"):
        assert warned, body["warnings"]
    else:
        assert not body["warnings"]
    if outcome in ("quiet", "doubt"):
        assert any(check["passed"] is not True for check in body["checks"])

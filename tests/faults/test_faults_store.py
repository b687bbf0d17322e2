"""The index fails: the question is answered from the schema alone, with a warning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from chroma_process import Running
from faulty_model import FaultyModel
from faulty_service import ask, make_shop, serving, settings_for
from until import until

from agent.databases.knowledge import indexing

GONE = "Answered without the docs of this database"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(indexing, "RETRY_AFTER_S", 0.5)


@pytest.fixture(scope="module")
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


def asked(client: httpx2.Client, about: str) -> tuple[bool, list[str]]:
    """Whether a question was verified, and its warnings. Args: about: makes it one that was not asked before."""
    body = ask(client, f"How many orders are there? ({about})").json()
    assert (body["status"], body["results"]) == ("success", [{"orders": 5}])
    return body["verified"], body["warnings"]


def files(index: Path) -> list[Path]:
    """Of the revisions that are whole; others may be in the making."""
    return [path for path in index.glob("*/r-*/**/*") if path.is_file()]


def garbled(index: Path) -> None:
    for path in files(index):
        path.write_bytes(b"\xff" * max(1, path.stat().st_size))


def cut_short(index: Path) -> None:
    for path in files(index):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def deleted(index: Path) -> None:
    index.rename(index.with_name("taken away"))


@pytest.mark.parametrize(
    "fault, meanwhile, is_made_anew",
    [
        (garbled, GONE, True),
        (cut_short, GONE, True),
        (deleted, "", False),  # made anew without a word: nothing was lost that is not in the docs
    ],
)
def test_a_folder(
    fault: Callable[[Path], None], meanwhile: str, is_made_anew: bool, model: FaultyModel, tmp_path: Path
) -> None:
    settings = settings_for(model, make_shop(tmp_path), tmp_path / "state")
    with serving(settings) as client:
        assert asked(client, "at first") == (True, [])
        fault(tmp_path / "state" / "index")
        verified, warnings = asked(client, "now")
        assert [warning.split(":")[0] for warning in warnings] == ([meanwhile] if meanwhile else [])
        assert verified is not bool(meanwhile), "an answer without the docs is not verified"
    with serving(settings) as client:
        verified, warnings = asked(client, "once more")
        assert (verified, len(warnings)) == (True, int(is_made_anew))
        assert not is_made_anew or ("kept aside" in warnings[0] and "a new one is built" in warnings[0])
        assert str(tmp_path) not in " ".join(warnings)
        assert asked(client, "yet again") == (True, [])


def test_a_server_that_is_down_hangs_and_comes_back(model: FaultyModel, tmp_path: Path) -> None:
    server = Running(tmp_path / "chroma")
    server.start()
    settings = settings_for(
        model, make_shop(tmp_path), tmp_path / "state", chroma_url=server.url, retrieval_timeout_s=4
    )
    try:
        with serving(settings) as client:
            until(lambda: asked(client, "at first") == (True, []))  # indexing may take longer than a question waits
            server.hang()
            verified, warnings = asked(client, "and now")
            assert (verified, len([warning for warning in warnings if GONE in warning])) == (False, 1)
            server.go_on()
            until(lambda: asked(client, "yet again") == (True, []))

            server.stop()
            verified, warnings = asked(client, "now")
            assert (verified, len([warning for warning in warnings if GONE in warning])) == (False, 1)
            assert not client.get("/health/ready").json()["ready"]
            server.start()
            until(lambda: asked(client, "once more") == (True, []))
    finally:
        if server.runs:
            server.go_on()
        server.stop()

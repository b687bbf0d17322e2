"""The first question fetches the embedded model, and messages name the command that was installed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from agent.cli.console import bring_model, in_own_words
from agent.core.errors import ModelUnavailable
from agent.platform.config.settings import Settings
from agent.platform.llm.files import model_files
from agent.platform.llm.files.model_specs import MODELS, ModelSpec
from rag.errors import RetrievalError


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[ModelSpec, Path]]:
    calls: list[tuple[ModelSpec, Path]] = []
    monkeypatch.setattr(model_files, "fetch", lambda spec, folder, **_: calls.append((spec, folder)))
    return calls


def made(tmp_path: Path, **named: Any) -> Settings:
    none = {"openai_api_key": None, "azure_openai_endpoint": None, "openai_base_url": None}
    return Settings(**none | {"cache_dir": tmp_path} | named)


def test_the_first_question_fetches_the_model_and_says_so(
    fetched: list[tuple[ModelSpec, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bring_model(made(tmp_path, embedded_model="0.5b"))
    assert fetched == [(MODELS["0.5b"], tmp_path)]
    assert f"Fetching the embedded model {MODELS['0.5b'].title}, 0.5 GB, once." in capsys.readouterr().err


def test_the_model_of_the_second_draft_comes_first_so_that_an_interrupted_download_continues_with_both(
    fetched: list[tuple[ModelSpec, Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bring_model(made(tmp_path))
    assert [spec.key for spec, _ in fetched] == ["0.5b", "1.5b"]
    assert "0.5 GB and Qwen2.5-Coder-1.5B" in capsys.readouterr().err
    fetched.clear()
    (tmp_path / MODELS["0.5b"].file).touch()
    bring_model(made(tmp_path))
    assert [spec.key for spec, _ in fetched] == ["1.5b"]
    fetched.clear()
    bring_model(made(tmp_path, embedded_second_model="none"))
    assert [spec.key for spec, _ in fetched] == ["1.5b"]


def test_a_second_model_that_cannot_be_had_does_not_keep_the_first_one_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    got: list[str] = []

    def fetch(spec: ModelSpec, *_: object, **__: object) -> None:
        if spec.key == "0.5b":
            raise ModelUnavailable("No source has it.")
        got.append(spec.key)

    monkeypatch.setattr(model_files, "fetch", fetch)
    bring_model(made(tmp_path))
    assert got == ["1.5b"]
    assert "will not confirm any query: No source has it." in caplog.text


def test_what_is_there_or_not_wanted_is_not_fetched(fetched: list[tuple[ModelSpec, Path]], tmp_path: Path) -> None:
    (tmp_path / MODELS["1.5b"].file).touch()
    bring_model(made(tmp_path, embedded_model="1.5b"))
    bring_model(made(tmp_path, embedded_model="0.5b", openai_api_key="a key"))
    bring_model(made(tmp_path, embedded_model="0.5b", embedded_model_path=tmp_path / "own.gguf"))
    assert fetched == []


def test_what_is_done_meanwhile_is_done_while_the_file_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = threading.Event()

    def fetch(*_: object, **__: object) -> None:
        assert done.wait(60), "it is waited for, and only then begun"

    monkeypatch.setattr(model_files, "fetch", fetch)
    bring_model(made(tmp_path), meanwhile=done.set)


def test_what_is_done_meanwhile_is_done_also_where_nothing_is_fetched(
    fetched: list[tuple[ModelSpec, Path]], tmp_path: Path
) -> None:
    done: list[str] = []
    bring_model(made(tmp_path, openai_api_key="a key"), meanwhile=lambda: done.append("indexed"))
    assert (done, fetched) == (["indexed"], [])


def test_a_model_that_cannot_be_had_is_an_error_after_what_is_done_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ModelUnavailable("The disk is full.")

    monkeypatch.setattr(model_files, "fetch", fail)
    done: list[str] = []
    with pytest.raises(ModelUnavailable, match="The disk is full"):
        bring_model(made(tmp_path), meanwhile=lambda: done.append("indexed"))
    assert done == ["indexed"]


def test_what_fails_meanwhile_does_not_wait_for_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ends = threading.Event()
    monkeypatch.setattr(model_files, "fetch", lambda *_, **__: ends.wait())

    def fail() -> None:
        raise RetrievalError("It cannot be indexed.")

    with pytest.raises(RetrievalError):
        bring_model(made(tmp_path), meanwhile=fail)
    assert not ends.is_set()
    ends.set()


@pytest.mark.parametrize(
    "started, shown",
    [
        ("/home/ann/.local/bin/plumbline", "run `plumbline model`"),
        ("C:\\bin\\plumbline.exe".replace("\\", "/"), "run `plumbline model`"),
        ("/src/agent/__main__.py", "run `python -m agent model`"),
    ],
)
def test_messages_name_the_command_that_is_there(started: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [started, "ask"])
    assert in_own_words("run `python -m agent model`") == shown

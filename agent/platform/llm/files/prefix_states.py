"""llama.cpp's state after a prompt's prefix, stored on disk: a machine reads a schema once, not each process.

All prompts about one database begin with the same system message. The embedded model takes half a minute on two cores
to read it, and some milliseconds to load the saved state. llama.cpp compares the loaded tokens with each new prompt and
reads on from the first difference, so a state saves time and never changes a reply.

A file's name has what the state depends on and the file's own SHA-256. llama.cpp ends the process when it gets an
incomplete file, so the hash is checked first.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agent.platform.llm.files.model_specs import sha256_of

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger(__name__)

SUFFIX = ".state"
_TIMEOUT_S = 600.0  # a request waits for the slot, and so for the reply before it
_DIGITS = 32  # of a hash, in a file's name


class PrefixStates:
    """The states of one server with one slot. Use it from one task at a time, around each completion.

    Args:
        connect: makes a client of llama.cpp's server, which was started with `folder` as its `slot_save_path`.
        folder: where the files are; its owner alone may read it, since they hold the schema and its samples.
        made_for: what a state depends on beside the text: the model, the library's version, the context's size.
        most_bytes: of all files together; those that were used longest ago go first.
    """

    def __init__(
        self, connect: Callable[[float], httpx2.AsyncClient], folder: Path, *, made_for: str, most_bytes: int
    ) -> None:
        self._connect = connect
        self._folder, self._made_for, self._most_bytes = folder, made_for, most_bytes
        self._read: set[str] = set()  # by key: what this process holds in memory
        self._in_slot = ""

    async def restore(self, prefix: str) -> bool:
        """Load the state of a prefix, where this process has not read it and there is one.

        A file that cannot be used is removed, with a warning; the prefix is then read as if there had been none.

        Returns whether this process has it now.
        """
        key = self._key(prefix)
        if key not in self._read and (path := await asyncio.to_thread(self._usable, key)) is not None:
            if await self._ask("restore", path.name) is not None:
                self._read.discard(self._in_slot)  # what the slot held is gone
                self._read.add(key)
            else:
                log.warning("The stored state of a schema could not be loaded; the model reads the schema again.")
                path.unlink(missing_ok=True)
        self._in_slot = key
        return key in self._read

    async def save(self, prefix: str) -> None:
        """Keep what the slot holds after a completion that began with the prefix. Failures are in the log."""
        key = self._key(prefix)
        self._read.add(key)
        if not prefix or await asyncio.to_thread(lambda: next(self._files(key), None)) is not None:
            return
        draft = self._folder / f"{secrets.token_hex(8)}.new"
        written = await self._ask("save", draft.name)
        try:
            await asyncio.to_thread(self._keep, key, draft, written)
        except OSError as error:
            log.warning("The model's state after a schema was not stored: %s", error.strerror)
        finally:
            draft.unlink(missing_ok=True)

    # -- files --------------------------------------------------------------------------------------------

    def _key(self, prefix: str) -> str:
        return hashlib.sha256(f"{self._made_for}\n{prefix}".encode()).hexdigest()[:_DIGITS]

    def _files(self, key: str = "") -> Iterator[Path]:
        return self._folder.glob(f"{key}*{SUFFIX}")

    def _usable(self, key: str) -> Path | None:
        """The whole file of a key, marked as used; one that is damaged is removed."""
        for path in self._files(key):
            try:
                if sha256_of(path).startswith(path.stem.partition("-")[2]):
                    os.utime(path)
                    return path
                log.warning("The stored state of a schema is damaged; the model reads the schema again.")
                path.unlink(missing_ok=True)
            except OSError as error:
                log.warning("The stored state of a schema cannot be loaded: %s", error.strerror)
        return None

    def _keep(self, key: str, draft: Path, written: int | None) -> None:
        """Give a whole file its name, and make room. Raises OSError."""
        if written is None or draft.stat().st_size != written:
            log.warning("The model's state after a schema was not stored; the disk may be full.")
            return
        draft.chmod(0o600)
        draft.replace(self._folder / f"{key}-{sha256_of(draft)[:_DIGITS]}{SUFFIX}")
        self._make_room()

    def _make_room(self) -> None:
        total = 0
        for path in sorted(self._files(), key=lambda it: it.stat().st_mtime, reverse=True):
            total += path.stat().st_size
            if total > self._most_bytes:
                path.unlink(missing_ok=True)

    # -- the server ---------------------------------------------------------------------------------------

    async def _ask(self, action: str, name: str) -> int | None:
        """Have the slot saved to a file, or restored from one; its bytes, or None where that failed."""
        import httpx2

        try:
            async with self._connect(_TIMEOUT_S) as client:
                reply = await client.post("/slots/0", params={"action": action}, json={"filename": name})
            if reply.is_success:
                body = reply.json()
                return int(body.get("n_written") or body.get("n_read") or 0)
        except (httpx2.HTTPError, ValueError) as error:
            log.debug("llama.cpp did not %s a slot: %s", action, error)
        return None


def prepare(folder: Path) -> Path:
    """The folder, made for its owner alone. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for left in folder.glob("*.new"):  # of a process that was killed
        left.unlink(missing_ok=True)
    return folder

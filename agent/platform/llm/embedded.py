"""The default model: llama.cpp's own server on this machine, in a child process behind a loopback port and a key.

It keeps the state of earlier prompts. A prompt with a common prefix is read only from the first difference.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from agent.core.errors import ModelUnavailable
from agent.core.queueing import Turns
from agent.core.usage import Usage
from agent.platform.config.profiles import choose
from agent.platform.config.settings import Settings
from agent.platform.llm.chat import ChatRequest, Message, Reply, ReplyGrammar
from agent.platform.llm.files.model_specs import MODELS, command_line, sha256_of
from agent.platform.llm.llama_process import LlamaFailed, LlamaProcess, PackageMissing
from agent.platform.llm.replies import ON_TEXT

if TYPE_CHECKING:
    import httpx2

    from agent.platform.llm.llama_server import LlamaServer


SUFFIX = ".state"
_TIMEOUT_S = 600.0  # a request waits for the slot, and thus for the previous reply
_DIGITS = 32  # digits of a hash in a file name


class PrefixStates:
    """llama.cpp's states after prompts' prefixes, stored on disk: a machine reads a schema once, not once per process.

    All prompts about one database begin with the same system message. The embedded model takes half a minute on two
    cores to read it, and some milliseconds to load the saved state. llama.cpp compares the loaded tokens with each new
    prompt and reads on from the first difference, so a state saves time and never changes a reply.

    A file's name contains a hash of the state's inputs (`made_for`: model, library version, context size) and
    the file's own SHA-256. llama.cpp ends the process when it reads an incomplete file, so the hash is checked first.
    `folder` is the server's `slot_save_path`. Only its owner may read it, since the files contain the schema and its
    samples. If they exceed `most_bytes`, the least recently used are deleted first.

    For a server with one slot. Use it from one task at a time, around each completion.
    """

    def __init__(
        self, connect: Callable[[float], httpx2.AsyncClient], folder: Path, *, made_for: str, most_bytes: int
    ) -> None:
        self._connect = connect
        self._folder, self._made_for, self._most_bytes = folder, made_for, most_bytes
        self._read: set[str] = set()  # keys of the states in this process's memory
        self._in_slot = ""

    async def restore(self, prefix: str) -> bool:
        """Load the state of a prefix, if a usable one exists. Returns whether this process has it now."""
        key = self._key(prefix)
        if key not in self._read and (path := await asyncio.to_thread(self._usable, key)) is not None:
            if await self._ask("restore", path.name) is not None:
                self._read.discard(self._in_slot)  # the slot's previous state is gone
                self._read.add(key)
            else:
                log.warning("The stored state of a schema could not be loaded; the model reads the schema again.")
                path.unlink(missing_ok=True)
        self._in_slot = key
        return key in self._read

    async def save(self, prefix: str) -> None:
        """Store the slot's state after a completion that began with the prefix. Failures are logged."""
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

    def _key(self, prefix: str) -> str:
        return hashlib.sha256(f"{self._made_for}\n{prefix}".encode()).hexdigest()[:_DIGITS]

    def _files(self, key: str = "") -> Iterator[Path]:
        return self._folder.glob(f"{key}*{SUFFIX}")

    def _usable(self, key: str) -> Path | None:
        """The intact file of a key, marked as used. A damaged file is deleted."""
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
        """Move a complete file into place, and delete old ones. Raises OSError."""
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

    async def _ask(self, action: str, name: str) -> int | None:
        """Save the slot to a file or restore it from one. Returns its bytes, or None on failure."""
        import httpx2

        try:
            async with self._connect(_TIMEOUT_S) as client:
                reply = await client.post("/slots/0", params={"action": action}, json={"filename": name})
            if reply.is_success:
                body = reply.json()
                return int(body.get("n_written") or body.get("n_read") or 0)
        except httpx2.ConnectError:
            return 0  # the file is fine; the following call reports the error
        except (httpx2.HTTPError, ValueError) as error:
            log.debug("llama.cpp did not %s a slot: %s", action, error)
        return None


def prepare(folder: Path) -> Path:
    """Create the folder, readable by its owner only. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    for left in folder.glob("*.new"):  # left by a killed process, not by one that is writing
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _TIMEOUT_S:
                left.unlink()
    return folder


CACHED_TOKENS = 37_000  # of earlier prompts, kept in memory: 1 GB for the larger model
BATCH = 256  # prompt tokens read at once, a few seconds: cancelled calls are noticed in between
# The progress is not used. By sending it, the server notices that the caller has disconnected.
EXTRA: Mapping[str, object] = {"cache_prompt": True, "return_progress": True}


log = logging.getLogger(__name__)


class _Loaded(NamedTuple):
    """The server, its client, and its stored prompt states; None if none are stored."""

    process: LlamaProcess
    client: LlamaServer
    states: PrefixStates | None


class EmbeddedModel:
    """Qwen2.5-Coder in llama.cpp, loaded on first use and restarted if it has ended.

    It has one slot: on a few cores, two concurrent replies take longer than two in sequence. Calls wait their turn.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._spec = MODELS[settings.embedded_model]
        self.name = self._spec.file.removesuffix(".gguf")
        self._loading: asyncio.Future[_Loaded] | None = None
        self.queue = Turns()
        self._servers: list[LlamaProcess] = []  # at most one; the finalizer must not hold the model itself
        self._finalizer = weakref.finalize(self, _close_all, self._servers)

    async def complete(self, messages: list[Message], **request: Unpack[ChatRequest]) -> Reply:
        """The model's next message, by `schema` if given. Raises ModelUnavailable; ModelFailed: too long."""
        await self._ensure_loaded()
        extra = dict(EXTRA)
        schema = request.get("schema")
        if isinstance(schema, ReplyGrammar):
            extra["grammar"] = schema.gbnf
        if schema is not None and schema.logprobs:
            extra["top_logprobs"] = 1  # else llama.cpp lists the twenty most likely tokens at each position
        prefix = messages[0].content if messages[0].role == "system" else ""
        async with self.queue.turn():  # the server has one slot, which belongs to this call from here on
            loaded = await self._ensure_loaded()  # the server may have ended in an earlier turn
            read = await _read_alone(prefix, loaded)
            reply = await loaded.client.complete(messages, **request, extra=extra)
        if read is None:
            return reply
        counts = ("prompt_tokens", "cached_tokens", "completion_tokens")
        together = {name: getattr(read, name) + getattr(reply.usage, name) for name in counts}
        return reply.model_copy(update={"usage": reply.usage.model_copy(update=together)})

    async def ready(self) -> None:
        """Load the model, once for all callers. Raises ModelUnavailable."""
        await self._ensure_loaded()

    async def close(self) -> None:
        """Stop the server and free its memory. A later call loads it again."""
        loading, self._loading = self._loading, None
        await asyncio.to_thread(_close_all, self._servers)
        if loading is not None:
            await asyncio.gather(loading, return_exceptions=True)  # the errors of an aborted load are ignored
            await asyncio.to_thread(_close_all, self._servers)

    async def _ensure_loaded(self) -> _Loaded:
        if self._loading is None or (self._loading.done() and not _is_usable(self._loading)):
            self._loading = asyncio.ensure_future(asyncio.to_thread(self._load))
        return await asyncio.shield(self._loading)  # a cancelled caller does not stop the load for others

    def _load(self) -> _Loaded:
        """Start the server, in a worker thread."""
        path, key, folder = self._find_verified_file(), secrets.token_urlsafe(32), None
        if self._settings.prefix_cache_mb:
            try:
                folder = prepare(self._settings.state_path / "prefixes")
            except OSError as error:
                log.warning("The model's state after a schema will not be stored: %s", error.strerror)
        try:
            path.open("rb").close()
        except OSError as error:
            raise ModelUnavailable(f"The model's file {path.name} cannot be read: {error.strerror}.") from error
        _close_all(self._servers)  # a crashed server, if any
        process, address = self._start(path, key, folder)
        from agent.platform.llm.llama_server import LlamaServer

        client = LlamaServer(self.name, address, key, timeout_s=choose(self._settings, self.name).timeout_s)
        return _Loaded(process, client, self._states(folder, client))

    def _start(self, path: Path, key: str, states: Path | None) -> tuple[LlamaProcess, str]:
        """Start the server; return it and its address. `states`: folder for its saved slot. Raises ModelUnavailable."""
        options = {
            "path": str(path),
            "key": key,
            "context": self._settings.embedded_context,
            "batch": BATCH,
            "cache_mib": CACHED_TOKENS * self._spec.token_kib // 1024,  # of memory, for earlier prompts
            "states": f"{states.absolute()}{os.sep}" if states else "",
            "threads": self._settings.embedded_threads,
            "verbose": self._settings.log_level == "DEBUG",
        }
        try:
            process = LlamaProcess(options)
            self._servers.append(process)  # so that `close` can end it while it loads
            import httpx2  # noqa: F401  slow to import: not in the event loop, and while the server loads the model

            import agent.platform.llm.llama_server  # noqa: F401

            return process, process.wait_for_address()
        except PackageMissing as error:
            raise ModelUnavailable(
                f"The embedded model needs the package xllamacpp, which cannot be imported here ({error}): "
                "`pip install xllamacpp` (and libgomp1 on a slim Linux), or set OPENAI_API_KEY to use a hosted model."
            ) from error
        except LlamaFailed as error:
            raise ModelUnavailable(
                f"llama.cpp cannot load {path.name} ({error}): it may need more memory than there is. "
                "Try PLUMBLINE_EMBEDDED_MODEL=0.5b, a smaller PLUMBLINE_EMBEDDED_CONTEXT, or PLUMBLINE_LOG_LEVEL=DEBUG."
            ) from error

    def _states(self, folder: Path | None, client: LlamaServer) -> PrefixStates | None:
        if folder is None:
            return None
        parts = (self._spec.sha256, version("xllamacpp"), str(self._settings.embedded_context))
        most_bytes = self._settings.prefix_cache_mb * 1_000_000
        return PrefixStates(client.connect, folder, made_for=" ".join(parts), most_bytes=most_bytes)

    def _find_verified_file(self) -> Path:
        from agent.platform.llm.files.model_files import find, verify

        if given := self._settings.embedded_model_path:
            verify(self._spec, given.expanduser(), self._settings.cache_dir)
            return given.expanduser()
        if path := find(self._spec, self._settings.cache_dir):
            return path
        raise ModelUnavailable(
            f"The embedded model ({self._spec.title}) has not been downloaded: run `{command_line()} model`, "
            "or set OPENAI_API_KEY or AZURE_OPENAI_ENDPOINT to use a hosted one."
        )


async def _read_alone(prefix: str, loaded: _Loaded) -> Usage | None:
    """Read a prefix and store its state, unless it is stored. Returns the usage, or None if nothing was read."""
    if loaded.states is None or await loaded.states.restore(prefix) or not prefix:
        return None
    messages = [Message(role="system", content=prefix), Message(role="user", content="")]
    token = ON_TEXT.set(None)
    try:
        reply = await loaded.client.complete(messages, max_tokens=1, extra=EXTRA)
    finally:
        ON_TEXT.reset(token)
    await loaded.states.save(prefix)
    return reply.usage


def _is_usable(loading: asyncio.Future[_Loaded]) -> bool:
    return not loading.cancelled() and loading.exception() is None and loading.result().process.is_running


def _close_all(servers: list[LlamaProcess]) -> None:
    while servers:
        servers.pop().close()

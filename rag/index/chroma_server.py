"""A Chroma server: each revision is a collection, and another collection, the head, names the current one.

Collections of one index: `…-head`, empty, whose metadata are the switch; `…-r000007`, a revision; and `…-draft`, the
next one. The server allows one draft at a time, so machines that share it take turns. A machine that stops writing
loses its turn after a while.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import quote, urlsplit

from pydantic import SecretStr

from executors.base import Frozen
from rag.docs.documents import Document
from rag.errors import IndexDamaged, StoreUnavailable
from rag.index import chroma
from rag.index.chroma import import_chroma
from rag.index.revision import IndexContent, OpenRevision, RevisionDraft, T, Turn, file_lock, slug_of

if TYPE_CHECKING:
    import httpx
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection as ChromaCollection

_CONNECT_S = 5.0


class ChromaServer(Frozen):
    """The address of a Chroma server.

    url: http(s)://host:port.
    token: sent as `Authorization: Bearer` and as `X-Chroma-Token`, if set.
    """

    url: str
    token: SecretStr | None = None
    tenant: str = "default_tenant"
    database: str = "default_database"


def connect(server: ChromaServer, timeout_s: float) -> Client:
    """A client that waits up to `timeout_s` for an answer.

    Raises httpx.HTTPError, ChromaError, ValueError: no answer, or not from a Chroma server; StoreUnavailable: Chroma's
    client is not installed.
    """
    import_chroma()
    import chromadb
    import httpx
    from chromadb.config import Settings

    address = urlsplit(server.url)
    headers = _headers(server.token)
    timeout = httpx.Timeout(timeout_s, connect=_CONNECT_S)
    # Chroma's client waits forever, and leaks connections if it cannot be created. So check the server first.
    with httpx.Client(base_url=f"{server.url.rstrip('/')}/api/v2", headers=headers, timeout=timeout) as probe:
        int(probe.get("/heartbeat").raise_for_status().json()["nanosecond heartbeat"])
        probe.get(f"/tenants/{quote(server.tenant)}/databases/{quote(server.database)}").raise_for_status()
    client = chromadb.HttpClient(
        host=address.hostname or "",
        port=address.port or (443 if address.scheme == "https" else 80),
        ssl=address.scheme == "https",
        headers=dict(headers),
        settings=Settings(anonymized_telemetry=False),
        tenant=server.tenant,
        database=server.database,
    )
    for session in _sessions(client):
        session.timeout = timeout
        session.event_hooks = {"response": [_refuse_others]}
    return cast("Client", client)


def disconnect(client: Client) -> None:
    """Close a client's connections. `client.close()` alone does not."""
    for session in _sessions(client):
        session.close()
    client.close()


def _sessions(client: Any) -> tuple[httpx.Client, httpx.Client]:
    """The sessions of Chroma's two clients: one for collections, one for the tenant."""
    return client._server._session, client._admin_client._server._session


def _headers(token: SecretStr | None) -> Mapping[str, str]:
    if token is None:
        return {}
    secret = token.get_secret_value()
    return {"Authorization": f"Bearer {secret}", "X-Chroma-Token": secret}


def _refuse_others(response: Any) -> None:
    """Raise HTTPStatusError for errors that are not Chroma's, such as a proxy's. Chroma's client has none for it."""
    from chromadb.errors import error_types

    if response.status_code < 400:
        return
    response.read()
    if not any(f'"{name}"' in response.text for name in error_types):
        response.raise_for_status()


READ_S, _WRITE_S = 10.0, 120.0
TRUSTED_S = 1.0  # seconds for which another machine's new revision may go unnoticed
_REST_S = 5.0  # seconds after a timeout before the next attempt
_ABANDONED_S = 300.0  # seconds since the last write to a draft
_ADVICE = (
    "Check that the Chroma server is running, and that CHROMA_URL, CHROMA_TOKEN, CHROMA_TENANT and CHROMA_DATABASE are "
    "right."
)


class _Head(NamedTuple):
    """The switch: the current collection and its contents."""

    number: int
    content: IndexContent


class ServerRevisions:
    """Revisions on a Chroma server. See `rag.index.revision.Revisions`. Lock files and the owner's name are local."""

    def __init__(self, server: ChromaServer, path: Path) -> None:
        self._server, self._path = server, path
        self._lock = threading.Lock()
        self._made: Client | None = None
        self._collections: dict[str, OpenRevision] = {}
        self._heads: dict[str, tuple[_Head | None, float]] = {}
        self._writers: dict[str, Client] = {}
        self._rests_until = 0.0

    def content(self, name: str) -> IndexContent | None:
        with self._errors():
            head = self._head(name)
            return head.content if head else None

    def needs_chroma(self, name: str) -> bool:  # noqa: ARG002  its client is always needed
        return True

    def read(self, name: str, use: Callable[[OpenRevision], T]) -> T | None:
        chroma.import_chroma()
        from chromadb.errors import NotFoundError

        with self._errors():
            head = self._head(name)
            while head is not None:
                try:
                    return use(self._reading(name, head))
                except NotFoundError as error:
                    self._forget(name)
                    replaced, head = head, self._head(name)
                    if head == replaced:
                        raise _build_damage_error(name) from error
            return None

    @contextmanager
    def writing(self, name: str, turn: Turn) -> Iterator[tuple[str, ...]]:
        chroma.import_chroma()
        from chromadb.errors import NotFoundError

        with self._errors(), file_lock(self._path / f"{slug_of(name)}.lock", turn), self._writer(name) as client:
            for _ in turn.attempts():
                if self._begin(client, name):
                    break
            try:
                yield self._delete_leftovers(client, name)
            finally:
                self._forget(name)
                with suppress(NotFoundError):  # if it was published
                    client.delete_collection(_collection(name, "draft"))

    @contextmanager
    def draft(self, name: str, changes: int, *, copied: bool) -> Iterator[RevisionDraft]:  # noqa: ARG002  never a copy
        yield _ServerDraft(self._writers[name], name, self._owner())

    def close(self) -> None:
        with self._lock:
            if self._made is not None:
                disconnect(self._made)
            self._made = None
            self._collections.clear()
            self._heads.clear()

    def _head(self, name: str) -> _Head | None:
        """The switch, at most `TRUSTED_S` old. A question makes many searches, and one request is enough for them."""
        seen = self._heads.get(name)
        if seen is None or time.monotonic() - seen[1] >= TRUSTED_S:
            seen = self._heads[name] = (_head(self._client(), name), time.monotonic())
        return seen[0]

    def _forget(self, name: str) -> None:
        self._heads.pop(name, None)
        self._collections.pop(name, None)

    def _reading(self, name: str, head: _Head) -> OpenRevision:
        current = _revision(name, head.number)
        reading = self._collections.get(name)
        if reading is None or (reading.revision, reading.content) != (current, head.content):
            collection = self._client().get_collection(current, embedding_function=None)
            if collection.count() != head.content.count:
                raise _build_damage_error(name)
            reading = self._collections[name] = OpenRevision(current, head.content, chroma.ChromaVectors(collection))
        return reading

    def _begin(self, client: Client, name: str) -> bool:
        """Take the server's lock by creating the draft. False if another process holds it."""
        from chromadb.errors import ChromaError

        place = _collection(name, "draft")
        draft = _find(client, place)
        if draft is not None:
            state = draft.metadata or {}
            mine = state.get("owner") == self._owner()  # left by a killed process: the lock file was free
            if not mine and time.time() - float(state.get("touched", 0.0)) < _ABANDONED_S:
                return False
            client.delete_collection(place)
        try:
            client.create_collection(
                place,
                metadata=_make_lease(self._owner()),
                configuration=chroma.configuration(0),
                embedding_function=None,
            )
        except ChromaError:
            if _find(client, place) is None:
                raise
            return False  # another machine created it
        return True

    def _delete_leftovers(self, client: Client, name: str) -> tuple[str, ...]:
        """Delete what killed processes left between two steps, and return notes about damage."""
        from chromadb.errors import NotFoundError

        try:
            head = _head(client, name)
        except IndexDamaged:
            client.delete_collection(_collection(name, "head"))
            head = None
        number = head.number if head else 0
        for other in (_revision(name, number - 1), _revision(name, number + 1)):
            try:
                client.delete_collection(other)
            except NotFoundError:
                continue
        if head is None:
            return ()
        current = _find(client, _revision(name, number))
        if current is not None and current.count() == head.content.count:
            return ()
        client.delete_collection(_collection(name, "head"))
        return (f"The index of {name!r} on the Chroma server is incomplete and is rebuilt.",)

    def _owner(self) -> str:
        """A random name for this machine's folder, created once."""
        path = self._path / "owner"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(uuid.uuid4().hex, encoding="ascii")
        return path.read_text(encoding="ascii")

    def _client(self) -> Client:
        with self._lock:
            if self._made is None:
                self._made = connect(self._server, READ_S)
            return self._made

    @contextmanager
    def _writer(self, name: str) -> Iterator[Client]:
        client = self._writers[name] = connect(self._server, _WRITE_S)
        try:
            yield client
        finally:
            del self._writers[name]
            disconnect(client)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        import httpx

        if time.monotonic() < self._rests_until:
            raise StoreUnavailable(f"The Chroma server does not answer. {_ADVICE}")
        try:
            # ValueError: an answer that is not JSON, and the error of Chroma's client if no server answers
            with chroma.translate_errors(
                "The index on the Chroma server", _ADVICE, httpx.HTTPError, ValueError, KeyError
            ):
                yield
        except StoreUnavailable as error:
            if isinstance(error.__cause__, httpx.TimeoutException):
                self._rests_until = time.monotonic() + _REST_S
            if error.__cause__ is not None:
                self.close()  # the next use connects again
            raise


class _ServerDraft:
    """A revision that is being written, in a collection that no reader knows."""

    batch = 250  # a request of some megabytes
    copied = False

    def __init__(self, client: Client, name: str, owner: str) -> None:
        self._client, self._name, self._owner = client, name, owner
        self._collection = client.get_collection(_collection(name, "draft"), embedding_function=None)

    def write(self, documents: Sequence[Document], vectors: Sequence[Sequence[float]]) -> None:
        chroma.write(self._collection, documents, vectors)
        self._collection.modify(metadata=_make_lease(self._owner))

    def delete(self, ids: Sequence[str]) -> None:
        chroma.delete(self._collection, ids)

    def publish(self, content: IndexContent) -> None:
        if self._collection.count() != content.count:
            raise StoreUnavailable(f"The new index does not match what was written; the old one is kept. {_ADVICE}")
        head = _head(self._client, self._name)
        number = head.number + 1 if head else 1
        self._collection.modify(name=_revision(self._name, number))
        state: Any = {**content.model_dump(), "number": number}
        if head is None:
            self._client.get_or_create_collection(
                _collection(self._name, "head"), metadata=state, embedding_function=None
            )
            return
        self._client.get_collection(_collection(self._name, "head"), embedding_function=None).modify(metadata=state)
        self._client.delete_collection(_revision(self._name, head.number))


def _find(client: Client, collection: str) -> ChromaCollection | None:
    from chromadb.errors import NotFoundError

    try:
        return client.get_collection(collection, embedding_function=None)
    except NotFoundError:
        return None


def _head(client: Client, name: str) -> _Head | None:
    head = _find(client, _collection(name, "head"))
    if head is None:
        return None
    state = dict(head.metadata or {})
    try:
        number = int(cast(Any, state.pop("number")))
        return _Head(number, IndexContent.model_validate(state))
    except (KeyError, ValueError) as error:  # pydantic's error is a ValueError
        raise _build_damage_error(name) from error


def _collection(name: str, what: str) -> str:
    return f"{slug_of(name)}-{what}"


def _revision(name: str, number: int) -> str:
    return _collection(name, f"r{number:06d}")


def _make_lease(owner: str) -> dict[str, Any]:
    return {"owner": owner, "touched": time.time()}


def _build_damage_error(name: str) -> IndexDamaged:
    return IndexDamaged(
        f"The index of {name!r} on the Chroma server is not complete. Index again: python -m agent index."
    )

"""The record of each upload in the state store, which every process reads.

A name belongs to its first user, even after its data is deleted: nothing stored under that name, such as docs and
verified queries, ever becomes another caller's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from agent.core.errors import NameTaken
from agent.platform.storage.store import Insert, Place, Remove, Replace, StateConflict, StateStore
from executors.base import Frozen

PLACE = Place(kind="upload", partition="databases")
_DATA, _NAME = "data/", "name/"  # before the keys of what is there, and of whose a name is


class Upload(Frozen):
    """One uploaded database.

    place: the folder of its data, below that of all uploads.
    file: what was sent, by its name; size: its bytes.
    created_at, expires_at: seconds since the epoch.
    """

    name: str
    owner: str
    place: str
    file: str
    size: int
    description: str = ""
    created_at: float
    expires_at: float

    @property
    def created_time(self) -> datetime:
        """When it came."""
        return datetime.fromtimestamp(self.created_at, UTC)

    @property
    def expires(self) -> datetime:
        """When it goes."""
        return datetime.fromtimestamp(self.expires_at, UTC)


class UploadShelf:
    """The records. Methods block briefly, and raise StateUnavailable."""

    def __init__(self, state: StateStore, clock: Callable[[], float] = time.time) -> None:
        self._state, self.clock = state, clock

    def every(self) -> list[Upload]:
        """All of them, by name."""
        return [Upload.model_validate(record.value) for record in self._state.records(PLACE, prefix=_DATA)]

    def is_free(self, name: str, owner: str) -> bool:
        """Whether a principal may use this name."""
        if self._state.get(PLACE, _DATA + name.casefold()) is not None:
            return False
        record = self._state.get(PLACE, _NAME + name.casefold())
        return record is None or record.value["owner"] == owner.casefold()

    def add(self, upload: Upload) -> None:
        """Keep a record. Raises NameTaken: another one was first."""
        key, owner = upload.name.casefold(), upload.owner.casefold()
        known = self._state.get(PLACE, _NAME + key)
        if known is not None and known.value["owner"] != owner:
            raise build_name_taken(upload.name)
        mine = {"owner": owner}
        whose = (
            Insert(key=_NAME + key, value=mine)
            if known is None
            else Replace(key=_NAME + key, value=mine, version=known.version)
        )
        data = Insert(key=_DATA + key, value=upload.model_dump(mode="json"), expires_at=upload.expires_at)
        try:
            self._state.commit(PLACE, [whose, data])
        except StateConflict as error:
            raise build_name_taken(upload.name) from error

    def remove(self, name: str) -> None:
        """Forget what is there; the name stays with its owner."""
        self._state.commit(PLACE, [Remove(key=_DATA + name.casefold())])


def build_name_taken(name: str) -> NameTaken:
    """The error of a name that is not free. It does not say whose it is."""
    return NameTaken(f"The name {name!r} is taken. Choose another one with `name`.")

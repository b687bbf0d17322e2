"""Uploads: received as a stream, read once to check them, then stored as a database."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import AsyncIterable
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from agent.core.errors import NameTaken, NotPermitted, StateUnavailable, StorageFull, UploadInvalid
from agent.core.resilience.deadline import utc_at
from agent.core.resilience.off_loop import run_to_its_end
from agent.databases.uploads.folder import (
    DATA,
    LEFT_AFTER_S,
    NO_ROOM,
    Incoming,
    UploadFolder,
    disk_watched,
    safe_name,
    too_large,
    unpack,
)
from agent.platform.config.settings import MB, types_of
from agent.platform.storage.store import Insert, Place, Remove, Replace, StateConflict, StateStore
from executors.base import Frozen, list_problems
from executors.errors import DatabaseUnavailable, DiskFull
from executors.registry.entry import NAME, DateOrder, Entry
from executors.registry.kinds import is_file_of_data

if TYPE_CHECKING:
    from agent.databases.uploads.blobs import AzureBlobs
    from agent.platform.config.settings import Settings
    from executors.router import Router

PLACE = Place(kind="upload", partition="databases")
_DATA, _NAME = "data/", "name/"  # key prefixes: of uploads, and of the owners of names


class Upload(Frozen):
    """One uploaded database.

    place: the folder of its data, below the root of all uploads.
    file: name of the uploaded file; size: its size in bytes.
    dates: how dates are read that fit both ways. created_at, expires_at: seconds since the epoch.
    problems: what could not be read when it arrived, one sentence each. Not stored.
    """

    name: str
    owner: str
    place: str
    file: str
    size: int
    description: str = ""
    dates: DateOrder | None = None
    created_at: float
    expires_at: float
    problems: tuple[str, ...] = Field((), exclude=True)

    @property
    def created_time(self) -> datetime:
        return utc_at(self.created_at)

    @property
    def expires(self) -> datetime:
        return utc_at(self.expires_at)


class UploadShelf:
    """The record of each upload in the state store, which every process reads.

    A name belongs to its first owner, even after its data is deleted. Nothing stored under that name, such as docs and
    verified queries, ever becomes another caller's. Methods block briefly and raise StateUnavailable.
    """

    def __init__(self, state: StateStore) -> None:
        self._state = state

    def every(self) -> list[Upload]:
        return [Upload.model_validate(record.value) for record in self._state.records(PLACE, prefix=_DATA)]

    def is_free(self, name: str, owner: str) -> bool:
        if self._state.get(PLACE, _DATA + name.casefold()) is not None:
            return False
        record = self._state.get(PLACE, _NAME + name.casefold())
        return record is None or record.value["owner"] == owner.casefold()

    def add(self, upload: Upload) -> None:
        """Store a record. Raises NameTaken if another caller took the name first."""
        key, owner = upload.name.casefold(), upload.owner.casefold()
        known = self._state.get(PLACE, _NAME + key)
        if known is not None and known.value["owner"] != owner:
            raise build_name_taken(upload.name)
        whose: Insert | Replace = Insert(key=_NAME + key, value={"owner": owner})
        if known is not None:
            whose = Replace(key=_NAME + key, value={"owner": owner}, version=known.version)
        data = Insert(key=_DATA + key, value=upload.model_dump(mode="json"), expires_at=upload.expires_at)
        try:
            self._state.commit(PLACE, [whose, data])
        except StateConflict as error:
            raise build_name_taken(upload.name) from error

    def remove(self, name: str) -> None:
        """Delete the record. The name stays with its owner."""
        self._state.commit(PLACE, [Remove(key=_DATA + name.casefold())])


def build_name_taken(name: str) -> NameTaken:
    """The error for a name that is taken. It does not reveal the owner."""
    return NameTaken(f"The name {name!r} is taken. Choose another one with `name`.")


ARCHIVE = ".zip"
FOLDER = "uploads"  # in the state folder
UNPACKED = 10  # unpacked size of an archive, as a multiple of the upload limit
_WRITE_BYTES = 1024 * 1024  # collected before a thread writes them
_DAY_S = 86_400.0
_NAMES = 20  # derived names that are tried

log = logging.getLogger(__name__)


class UploadRules(Frozen):
    """Limits of uploads.

    max_bytes: Largest upload, in bytes.
    types: File extensions that are accepted.
    days: Days that data is kept.
    most: Databases that a caller may upload.
    """

    max_bytes: int
    types: tuple[str, ...]
    days: float
    most: int


class Arriving(Frozen):
    """The caller's description of an upload. size: bytes, if stated; name: empty: derived from the file name;
    dates: see `Entry`."""

    owner: str
    file: str
    name: str = ""
    description: str = ""
    dates: DateOrder | None = None
    size: int | None = None


class Uploads:
    """The uploads of every caller.

    `shared` stores the data for instances that share no disk. Without it, they share the state folder.
    """

    def __init__(self, settings: Settings, state: StateStore, router: Router, shared: AzureBlobs | None = None) -> None:
        self._settings, self._router, self._shared = settings, router, shared
        self._shelf, self._folder = UploadShelf(state), UploadFolder(settings.state_path.absolute() / FOLDER)

    @property
    def rules(self) -> UploadRules | None:
        """The limits of uploads; None: uploads are off."""
        settings = self._settings
        if not settings.upload_mb:
            return None
        return UploadRules(
            max_bytes=settings.upload_mb * MB,
            types=tuple(sorted(types_of(settings.upload_types))),
            days=settings.upload_days,
            most=settings.max_uploads,
        )

    def every(self) -> list[Upload]:
        """All uploads. Blocks; raises StateUnavailable."""
        return self._shelf.every()

    def entry(self, upload: Upload) -> Entry:
        """The registry entry of an upload. Only its owner may query it and change its docs."""
        return _entry(upload, self._folder.path(upload.place))

    async def take(self, arriving: Arriving, body: AsyncIterable[bytes]) -> Upload:
        """Receive an upload. On any error, none of it is kept.

        Raises NotPermitted: uploads are off; UploadInvalid: the data cannot be read, or the caller has too many;
        UploadTooLarge, StorageFull: it does not fit; NameTaken: another database has the name; StateUnavailable: the
        record cannot be stored.
        """
        rules = self.rules
        if rules is None:
            raise NotPermitted("Uploads are off. The operator of this service can allow them (PLUMBLINE_UPLOAD_MB).")
        file = _check_file(arriving.file, rules)
        if arriving.size is not None and arriving.size > rules.max_bytes:
            raise too_large(rules.max_bytes)
        name = await asyncio.to_thread(self._name, arriving, file)
        place = uuid.uuid4().hex
        try:
            folder = await asyncio.to_thread(self._folder.begin, place, arriving.size or 0)
            # an archive is stored beside its unpacked data
            path = folder / file if file.lower().endswith(ARCHIVE) else folder / DATA / file
            received = Incoming(path, rules.max_bytes)
            with disk_watched():
                await _receive(received, body)
                return await run_to_its_end(partial(self._keep, arriving, name, place, received))
        finally:
            await asyncio.to_thread(self._folder.end, place)

    def bring(self, upload: Upload) -> None:
        """Fetch an upload's data to this machine, if it is missing. Blocks; raises StateUnavailable if that fails."""
        if self._shared is None or self._folder.path(upload.place).is_dir():
            return
        place = f"{upload.place}.{uuid.uuid4().hex}"  # other tasks may fetch it at the same time
        try:
            self._folder.begin(place, upload.size)
            self._shared.fetch(upload.place, self._folder.incoming(place))
            self._folder.keep(place, upload.place)
        finally:
            self._folder.end(place)

    def let_go(self, upload: Upload) -> None:
        """Delete this machine's copy of removed data."""
        self._folder.remove(upload.place)

    async def remove(self, name: str) -> None:
        """Delete an upload and its data. Permission was checked before. Raises StateUnavailable."""
        await asyncio.to_thread(self._remove, name)

    def sweep(self) -> int:
        """Delete the data of expired and incomplete uploads. Blocks; raises StateUnavailable.

        If shared data cannot be reached, only its deletion is postponed to the next time.
        """
        known = {upload.place for upload in self._shelf.every()}
        if self._shared is not None:
            try:
                self._shared.sweep(known, time.time() - LEFT_AFTER_S)
            except StateUnavailable as error:
                log.warning("Uploads that have expired are not deleted now: %s", error)
        return self._folder.sweep(known)

    def _name(self, arriving: Arriving, file: str) -> str:
        """The name for the database. Raises UploadInvalid, NameTaken."""
        mine = [it for it in self._shelf.every() if it.owner.casefold() == arriving.owner.casefold()]
        if len(mine) >= self._settings.max_uploads:
            raise UploadInvalid(f"You have {len(mine)} uploads, which is the maximum. Delete one first.")
        if arriving.name:
            if not NAME.fullmatch(arriving.name):
                raise UploadInvalid("A name has at most 64 characters of a-z, digits, '_', '-' and '.'.")
            if not self._is_free(arriving.name, arriving.owner):
                raise build_name_taken(arriving.name)
            return arriving.name
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", file.partition(".")[0]).strip("-_")[:50] or "data"
        number = 1
        while not self._is_free(name := stem if number == 1 else f"{stem}-{number}", arriving.owner):
            number += 1
        return name

    def _is_free(self, name: str, owner: str) -> bool:
        others = {it.casefold() for it in self._router.names()}
        return name.casefold() not in others and self._shelf.is_free(name, owner)

    def _keep(self, arriving: Arriving, name: str, place: str, received: Incoming) -> Upload:
        path = received.path
        if not received.size:
            raise UploadInvalid(f"{path.name} is empty. Send a file that holds data.")
        if path.suffix.lower() == ARCHIVE:
            unpack(path, path.parent / DATA, most_bytes=self._settings.upload_mb * MB * UNPACKED)
        now = time.time()
        upload = Upload(
            name=name,
            owner=arriving.owner,
            place=place,
            file=path.name,
            size=received.size,
            description=arriving.description,
            dates=arriving.dates,
            created_at=now,
            expires_at=now + self._settings.upload_days * _DAY_S,
        )
        problems = self._read(_entry(upload, self._folder.incoming(place)))
        upload = upload.model_copy(update={"problems": problems})
        self._folder.keep(place)
        try:
            if self._shared is not None:
                self._shared.put(place, self._folder.path(place))
            return self._add(upload, arriving)
        except BaseException:
            self._delete(place)
            raise

    def _add(self, upload: Upload, arriving: Arriving) -> Upload:
        """Store the record. A derived name that was taken in the meantime is derived again. Raises NameTaken."""
        for _ in range(_NAMES):
            try:
                self._shelf.add(upload)
            except NameTaken:
                if arriving.name:
                    raise
                upload = upload.model_copy(update={"name": self._name(arriving, upload.file)})
            else:
                return upload
        raise build_name_taken(upload.name)

    def _read(self, entry: Entry) -> tuple[str, ...]:
        """Read the schema once, as questions do. Returns what could not be read. Raises UploadInvalid, StorageFull."""
        try:
            with closing(self._router.look(entry)) as executor:
                if not executor.schema().tables:
                    raise UploadInvalid("The data has no table. Send data with at least one.")
                return list_problems(executor.warnings, executor.reports)
        except DiskFull as error:
            raise StorageFull(NO_ROOM) from error
        except DatabaseUnavailable as error:
            raise UploadInvalid(str(error)) from error

    def _remove(self, name: str) -> None:
        upload = next((it for it in self._shelf.every() if it.name == name), None)
        if upload is not None:
            self._shelf.remove(name)
            self._delete(upload.place)

    def _delete(self, place: str) -> None:
        self._folder.remove(place)
        if self._shared is None:
            return
        try:
            self._shared.remove(place)
        except StateUnavailable as error:  # unreachable data only takes up space
            log.warning("The data of an upload that is gone was not deleted: %s", error)


def _entry(upload: Upload, folder: Path) -> Entry:
    """The entry for data in a folder: a database file, or all the data files in it."""
    is_database = not is_file_of_data(Path(upload.file)) and not upload.file.lower().endswith(ARCHIVE)
    return Entry(
        name=upload.name,
        url=str(folder / upload.file if is_database else folder),
        dialect="sqlite" if upload.file.lower().endswith(".db") else None,  # DuckDB files must be allowed by their name
        description=upload.description,
        dates=upload.dates,
        allowed=(upload.owner,),
        owners=(upload.owner,),
        is_upload=True,
    )


def _check_file(message: str, rules: UploadRules) -> str:
    """The file's name, made safe. Raises UploadInvalid."""
    file = safe_name(re.split(r"[/\\]", message)[-1])[-120:]
    if not any(file.lower().endswith(f".{kind}") for kind in rules.types):
        raise UploadInvalid(f"{file} cannot be uploaded. These files can: {', '.join(rules.types)}.")
    return file


async def _receive(received: Incoming, body: AsyncIterable[bytes]) -> None:
    """Write a body as it arrives. Raises UploadTooLarge, OSError."""
    pieces: list[bytes] = []
    held = 0
    async for piece in body:
        pieces.append(piece)
        held += len(piece)
        if held >= _WRITE_BYTES or received.size + held > received.most_bytes:
            await asyncio.to_thread(received.write, pieces)
            pieces, held = [], 0
    if pieces:
        await asyncio.to_thread(received.write, pieces)

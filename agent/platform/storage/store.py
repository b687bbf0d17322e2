"""The interface to the service's state: JSON records in partitions, with versions.

`StateStore.commit` makes all changes of one partition or none, and only if the records are unchanged since they were
read. SQLite, Azure Table Storage and memory all support this.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from agent.core.errors import StateUnavailable
from executors.base import Frozen, JsonValue

MAX_CHANGES = 100  # per commit; the limit of Azure Table Storage
MAX_COMMIT_BYTES = 2_500_000  # of all values of a commit; Azure accepts 4 MiB as Base64
MAX_NAME_CHARS = 450  # of a partition or key encoded by `encode_name`; Azure accepts 512
MAX_VALUE_BYTES = 900_000  # per record, as JSON in UTF-8; an Azure entity holds 1 MiB


class Place(Frozen):
    """A partition of records. Args: kind: kind of records; partition: their owner, e.g. a session id or principal."""

    kind: str
    partition: str


class Record(Frozen):
    """A stored record.

    version: changes with every write (an ETag); empty for a record that was never stored.
    expires_at: seconds since the epoch after which the record is gone; None: never.
    """

    place: Place
    key: str
    value: dict[str, JsonValue]
    version: str = ""
    expires_at: float | None = None


class Insert(Frozen):
    """Insert a record that must not exist. An expired record does not count as existing."""

    key: str
    value: dict[str, JsonValue]
    expires_at: float | None = None


class Replace(Frozen):
    """Replace the value of a record with `version`, or of any if empty. Expired records count until purged."""

    key: str
    value: dict[str, JsonValue]
    version: str = ""
    expires_at: float | None = None


class Remove(Frozen):
    """Remove a record with `version`, or any if empty. Expired records count until purged."""

    key: str
    version: str = ""


Change = Insert | Replace | Remove


class StateConflict(Exception):
    """A record was changed since it was read, and nothing was written. Read it again and retry."""


class StateStore(Protocol):
    """A store of records, safe for threads and processes. Methods block and raise StateUnavailable."""

    def get(self, place: Place, key: str) -> Record | None:
        """The record; None if it does not exist or has expired."""

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        """At most `limit` records of a partition, from `start`, in the order of their keys' code points."""

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        """The records of a kind in all partitions, by partition and key; with `key`, only those with this key."""

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        """Make all changes, at most `MAX_CHANGES` and one per key, or none. Returns new versions, "" for removals.

        Raises StateConflict; ValueError if a rule above is broken, or a name or value is too long or not JSON.
        """

    def purge(self) -> int:
        """Remove expired records in all places. Returns the number removed."""

    def close(self) -> None:
        """Release open resources. A later call opens them again."""


def key_of(principal: str) -> str:
    """A principal as a key for any store: names may be long, and their case is ignored."""
    return hashlib.sha256(principal.casefold().encode()).hexdigest()


def put_after(
    record: Record | None, key: str, value: dict[str, JsonValue], expires_at: float | None = None
) -> Insert | Replace:
    """The change that sets a record that was read, or was missing (None). It conflicts if the record has changed."""
    if record is None:
        return Insert(key=key, value=value, expires_at=expires_at)
    return Replace(key=key, value=value, version=record.version, expires_at=expires_at)


AT_ONCE = 20  # records per commit; this many bulk records always fit


def insert_missing(store: StateStore, place: Place, inserts: Sequence[Insert]) -> None:
    """Insert the records that do not exist yet. Raises StateUnavailable; then some may be inserted."""
    for first in range(0, len(inserts), AT_ONCE):
        _insert(store, place, inserts[first : first + AT_ONCE])


def _insert(store: StateStore, place: Place, inserts: Sequence[Insert]) -> None:
    try:
        store.commit(place, inserts)
    except StateConflict:
        if len(inserts) > 1:
            for insert in inserts:
                _insert(store, place, [insert])


def remove_all(store: StateStore, place: Place, keys: Sequence[str]) -> None:
    """Remove these records, even if changed. Raises StateUnavailable; then some may be removed."""
    for first in range(0, len(keys), MAX_CHANGES):
        store.commit(place, [Remove(key=key) for key in keys[first : first + MAX_CHANGES]])


PATIENCE_S = 5.0  # how long a conflicting change is retried

Result = TypeVar("Result")


def until_no_conflict(change: Callable[[], Result], what: str) -> Result:
    """The result of `change`, retried while it conflicts. Blocks. Raises StateUnavailable after `PATIENCE_S`."""
    tries = Retrying(
        retry=retry_if_exception_type(StateConflict),
        wait=wait_random_exponential(multiplier=0.01, max=0.5),
        stop=stop_after_delay(PATIENCE_S),
        reraise=True,
    )
    try:
        return tries(change)
    except StateConflict as error:
        raise StateUnavailable(f"Too many callers change this {what} at once. Try again in a moment.") from error


PAST_ALL = "~~"  # sorts after everything that `encode_name` writes
_ENCODED = re.compile(r"[-:_]([0-9a-f]{2})|~([0-9a-f]{6})")


def encode_name(name: str) -> str:
    """Encode a name in letters, digits and four marks, which every store accepts. The order is preserved.

    Any other character becomes the mark at its place in the order, and its code point in hexadecimal digits.
    """
    if name.isascii() and name.isalnum():
        return name
    return "".join(character if character.isascii() and character.isalnum() else _mark(character) for character in name)


def _mark(character: str) -> str:
    for next_plain, mark in (("0", "-"), ("A", ":"), ("a", "_")):
        if character < next_plain:
            return f"{mark}{ord(character):02x}"
    return f"~{ord(character):06x}"


def decode_name(name: str) -> str:
    """Decode a name from `encode_name`."""
    return _ENCODED.sub(lambda found: chr(int(found[1] or found[2], 16)), name)


def value_of(text: str | bytes) -> dict[str, JsonValue]:
    """Decode a value from `payloads`."""
    value: dict[str, JsonValue] = json.loads(text)
    return value


def payloads(place: Place, changes: Sequence[Change]) -> list[bytes]:
    """The value of each change as JSON in UTF-8, empty for removals. Raises ValueError as `StateStore.commit` does."""
    if len(changes) > MAX_CHANGES:
        raise ValueError(f"{len(changes)} changes in one commit; at most {MAX_CHANGES} can be made at once.")
    if len({change.key for change in changes}) < len(changes):
        raise ValueError("A commit may change a key once.")
    for name in (place.kind, place.partition, *(change.key for change in changes)):
        if not name or len(encode_name(name)) > MAX_NAME_CHARS:
            raise ValueError("The kind, the partition or a key of a record is empty or too long.")
    written = [b"" if isinstance(change, Remove) else _json(change.value) for change in changes]
    if max(map(len, written), default=0) > MAX_VALUE_BYTES:
        raise ValueError(f"A record has more than {MAX_VALUE_BYTES} bytes.")
    if sum(map(len, written)) > MAX_COMMIT_BYTES:
        raise ValueError(f"The records of one commit have more than {MAX_COMMIT_BYTES} bytes.")
    return written


def _json(value: dict[str, JsonValue]) -> bytes:
    # A lone surrogate has no UTF-8 encoding. `backslashreplace` writes it as a JSON escape.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")

"""What all stores share: check a commit, encode values as JSON and names as safe characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from agent.platform.storage.store import (
    MAX_CHANGES,
    MAX_COMMIT_BYTES,
    MAX_NAME_CHARS,
    MAX_VALUE_BYTES,
    Change,
    Insert,
    Place,
    Record,
    Remove,
)
from executors.base import JsonValue

PAST_ALL = "~~"  # comes after all that `encode_name` writes
_ENCODED = re.compile(r"[-:_]([0-9a-f]{2})|~([0-9a-f]{6})")


def encode_name(name: str) -> str:
    """A kind, a partition or a key in letters, digits and four marks, which every store takes; the order stays.

    A character that is no letter and no digit of ASCII becomes the mark that lies where it lies among these, and the
    hexadecimal digits of its code point.
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
    """The name that `encode_name` wrote."""
    return _ENCODED.sub(lambda found: chr(int(found[1] or found[2], 16)), name)


def value_of(text: str | bytes) -> dict[str, JsonValue]:
    """The value that `payloads` wrote."""
    value: dict[str, JsonValue] = json.loads(text)
    return value


def payloads(place: Place, changes: Sequence[Change]) -> list[bytes]:
    """The value of each change as JSON in UTF-8, empty for a removal. Raises ValueError as `StateStore.commit`."""
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
    # Half a surrogate pair has no UTF-8; as `backslashreplace` writes it, it is JSON's own escape.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def conflicts(change: Change, version: str | None, *, is_over: bool) -> bool:
    """Whether a change cannot be made on a record of this version (None: there is none), which may have expired."""
    if isinstance(change, Insert):
        return version is not None and not is_over
    return bool(change.version) and change.version != version


def is_over(expires_at: float | None, now: float) -> bool:
    """Whether a record has expired."""
    return expires_at is not None and expires_at < now


def take_records(records: list[Record], *, limit: int | None, newest_first: bool = False) -> list[Record]:
    """The first `limit` of records that are in the order of their keys, or the last ones, the last first."""
    return (records[::-1] if newest_first else records)[:limit]

"""Data that may be larger than a record: compressed, and split into records with numbered keys.

The parts are written before the head that counts them, so that a reader of the head finds all of them.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import Place, Replace, StateStore

PART_CHARS = 600_000  # Base64 characters per record; below `MAX_VALUE_BYTES`


def split_into_parts(data: bytes) -> list[str]:
    """Compress data and split it into parts, each of which fits a record."""
    text = base64.b64encode(zlib.compress(data)).decode()
    return [text[first : first + PART_CHARS] for first in range(0, len(text), PART_CHARS)]


def put_parts(state: StateStore, place: Place, prefix: str, parts: Sequence[str], expires_at: float) -> None:
    """Store the parts under `prefix`. Raises StateUnavailable."""
    for number, part in enumerate(parts):
        change = Replace(key=_key(prefix, number), value={"part": part}, expires_at=expires_at)
        state.commit(place, [change])


def join_parts(state: StateStore, place: Place, prefix: str, count: int, missing: str) -> bytes:
    """The data of `count` stored parts. Raises StateUnavailable; `missing` is its message if a part is gone."""
    text = ""
    for number in range(count):
        record = state.get(place, _key(prefix, number))
        if record is None:
            raise StateUnavailable(missing)
        text += str(record.value["part"])
    return zlib.decompress(base64.b64decode(text))


def _key(prefix: str, number: int) -> str:
    return f"{prefix}/{number:04}"

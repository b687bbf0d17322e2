"""The protocol between this process and its workers.

A request is a pickle, because it comes from this process. A worker's reply is JSON and is never unpickled, because the
worker has read untrusted data. `Kept` is the exception: a worker's pickle that only other workers open.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from executors.errors import (
    Because,
    DatabaseUnavailable,
    DiskFull,
    ErrorKind,
    ExecutorError,
    SqlFailed,
    SqlRefused,
)

VALUE, ERROR = b"V", b"E"
CANCEL = b"C"
REQUEST = b"R"


class WorkerReply(NamedTuple):
    """What a worker says.

    body: a value as JSON, where it is no error.
    spent: whether the worker is to be replaced: it has been refused memory, or its engine broke.
    changed: whether the schema is another one since it was last given.
    """

    body: bytes
    error: ExecutorError | None = None
    spent: bool = False
    changed: bool = False


def pack(reply: WorkerReply) -> bytes:
    """A reply as bytes."""
    flags = bytes([reply.spent | reply.changed << 1])
    if reply.error is None:
        return VALUE + flags + reply.body
    return ERROR + flags + json.dumps(_fields_of(reply.error)).encode()


def unpack(frame: bytes) -> WorkerReply:
    """Bytes as a reply. Raises ValueError where they are none."""
    tag, flags, body = frame[:1], frame[1], frame[2:]
    spent, changed = bool(flags & 1), bool(flags & 2)
    if tag == VALUE:
        return WorkerReply(body, None, spent, changed)
    return WorkerReply(b"", _error(json.loads(body)), spent, changed)


def _fields_of(error: ExecutorError) -> dict[str, str | int | None]:
    match error:
        case SqlRefused():
            named = {"kind": error.kind.value, "hint": error.hint, "because": error.because.value}
            return {"type": "refused", "message": error.message, **named}
        case SqlFailed():
            return {"type": "failed", "message": error.message, "kind": error.kind.value, "hint": error.hint}
        case DatabaseUnavailable():
            kind = "full" if isinstance(error, DiskFull) else "unavailable"
            return {"type": kind, "message": str(error), "retry_after_s": error.retry_after_s}
    raise TypeError(f"{type(error).__name__} is no error of a worker")


def _error(fields: dict[str, str]) -> ExecutorError:
    message = str(fields["message"])
    if unavailable := {"unavailable": DatabaseUnavailable, "full": DiskFull}.get(fields["type"]):
        retry = fields["retry_after_s"]
        return unavailable(message, None if retry is None else int(retry))
    kind, hint = ErrorKind(fields["kind"]), str(fields["hint"])
    if fields["type"] == "refused":
        return SqlRefused(kind, message, hint, because=Because(fields["because"]))
    return SqlFailed(kind, message, hint)

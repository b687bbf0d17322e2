"""Idempotency: the stored responses of requests with an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).

The same key with another request is refused. So is the same request while the first one is being answered.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from typing import NamedTuple

from agent.core.errors import KeyReused, RequestInProgress, ResponseNotKept
from agent.platform.storage.parts import join_parts, put_parts, split_into_parts
from agent.platform.storage.store import (
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    StateStore,
    key_of,
    remove_all,
    until_no_conflict,
)
from executors.base import Frozen

KIND = "idempotency"
MAX_PARTS = 20
LEASE_S = 45.0  # after the process of a request has ended, until another may answer it
LOOK_AGAIN_S = 2
TRIES = 5

REUSED = (
    "This Idempotency-Key was sent with another request before. Send a new key with a new request; the same key is for "
    "the same request."
)
IN_PROGRESS = "The request with this Idempotency-Key is still being answered. Send it again in {seconds} s."
NOT_STORED = (
    "The request with this Idempotency-Key was done, but its response was too large to be kept. Look at what it did, "
    "or send it with a new key."
)
PART_MISSING = "A part of the response is gone. Send the request with a new Idempotency-Key."


class StoredResponse(NamedTuple):
    """A response. digest: of the request's body, if it was not known at the start of the request."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes
    digest: str = ""


class Claim(NamedTuple):
    """The exclusive right to answer a request. It lapses unless it is renewed."""

    place: Place
    key: str
    fingerprint: str
    run: str


class _Head(Frozen):
    """The record of a request and, when it is done, of its response. parts: of the response; None: too many."""

    fingerprint: str
    run: str
    done: bool = False
    status: int = 0
    headers: list[tuple[str, str]] = []
    parts: int | None = 0
    digest: str = ""


class Idempotency:
    """Stores responses for `ttl_s` seconds. A claim lapses after LEASE_S. Methods block and raise StateUnavailable."""

    def __init__(self, state: StateStore, *, ttl_s: float, clock: Callable[[], float] = time.time) -> None:
        self._state, self._ttl_s, self._clock = state, ttl_s, clock

    def begin(self, principal: str, key: str, fingerprint: str) -> Claim | StoredResponse:
        """A claim to answer a request, or its earlier response.

        Raises KeyReused if another request used the key; RequestInProgress; ResponseNotKept if it was too large.
        """
        place, name = Place(kind=KIND, partition=key_of(principal)), hashlib.sha256(key.encode()).hexdigest()
        head = _Head(fingerprint=fingerprint, run=secrets.token_hex(8))
        insert = Insert(key=name, value=head.model_dump(mode="json"), expires_at=self._clock() + LEASE_S)
        for _ in range(TRIES):
            try:
                self._state.commit(place, [insert])
            except StateConflict:
                record = self._state.get(place, name)
            else:
                return Claim(place, name, fingerprint, head.run)
            if record is not None:
                return self._earlier(record, fingerprint)
        raise RequestInProgress(IN_PROGRESS.format(seconds=LOOK_AGAIN_S), LOOK_AGAIN_S)

    def finish(self, claim: Claim, reply: StoredResponse) -> bool:
        """Store the response. Returns whether it is stored: not if the claim lapsed and another request took it."""
        parts, end = split_into_parts(reply.body), self._clock() + self._ttl_s
        fits = len(parts) <= MAX_PARTS
        put_parts(self._state, claim.place, f"{claim.key}/{claim.run}", parts if fits else [], end)
        head = _Head(
            fingerprint=claim.fingerprint,
            run=claim.run,
            done=True,
            status=reply.status,
            headers=reply.headers,
            parts=len(parts) if fits else None,
            digest=reply.digest,
        )
        is_stored = until_no_conflict(lambda: self._close(claim, head, end), "request")
        if not is_stored:
            self._remove_parts(claim)
        return is_stored

    def _close(self, claim: Claim, head: _Head, end: float) -> bool:
        """Put the record of the response in place of the claim's own. Returns whether it is there."""
        record, value = self._state.get(claim.place, claim.key), head.model_dump(mode="json")
        if record is None:  # the claim lapsed, and nobody took it
            self._state.commit(claim.place, [Insert(key=claim.key, value=value, expires_at=end)])
        elif (now := _Head.model_validate(record.value)).done or now.run != claim.run:
            return now.run == claim.run  # the store repeated a commit that had succeeded
        else:
            kept = Replace(key=claim.key, value=value, version=record.version, expires_at=end)
            self._state.commit(claim.place, [kept])
        return True

    def renew(self, claim: Claim) -> bool:
        """Keep a claim for another LEASE_S. Returns whether it still holds."""
        record = self._own(claim)
        if record is None:
            return False
        until = self._clock() + LEASE_S
        kept = Replace(key=claim.key, value=record.value, version=record.version, expires_at=until)
        try:
            self._state.commit(claim.place, [kept])
        except StateConflict:  # it is done, or the store repeated a commit that had succeeded
            return self._own(claim) is not None
        return True

    def forget(self, claim: Claim) -> None:
        """Release a claim whose request was not carried out, so that it may be sent again."""
        record = self._own(claim)
        if record is None:
            return
        try:
            self._state.commit(claim.place, [Remove(key=claim.key, version=record.version)])
        except StateConflict:
            return  # the claim lapsed, and another request took it
        self._remove_parts(claim)

    def _remove_parts(self, claim: Claim) -> None:
        found = self._state.records(claim.place, prefix=f"{claim.key}/{claim.run}/")
        remove_all(self._state, claim.place, [record.key for record in found])

    def _own(self, claim: Claim) -> Record | None:
        """The record of a claim; None if it has lapsed or is done."""
        record = self._state.get(claim.place, claim.key)
        if record is None:
            return None
        head = _Head.model_validate(record.value)
        return None if head.done or head.run != claim.run else record

    def _earlier(self, record: Record, fingerprint: str) -> StoredResponse:
        head = _Head.model_validate(record.value)
        if head.fingerprint != fingerprint:
            raise KeyReused(REUSED)
        if not head.done:
            raise RequestInProgress(IN_PROGRESS.format(seconds=LOOK_AGAIN_S), LOOK_AGAIN_S)
        if head.parts is None:
            raise ResponseNotKept(NOT_STORED)
        body = join_parts(self._state, record.place, f"{record.key}/{head.run}", head.parts, PART_MISSING)
        return StoredResponse(head.status, head.headers, body, head.digest)

"""State in a table of Azure Table Storage, which all instances of the service share.

Values are JSON in one or more binary properties, because text properties count twice their length.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from agent.core.errors import StateUnavailable
from agent.platform.storage.store import (
    MAX_CHANGES,
    MAX_NAME_CHARS,
    PAST_ALL,
    Change,
    Insert,
    Place,
    Record,
    Remove,
    Replace,
    StateConflict,
    decode_name,
    encode_name,
    payloads,
    value_of,
)

if TYPE_CHECKING:
    from azure.core.exceptions import AzureError
    from azure.data.tables import TableClient

_PART_BYTES = 65_536  # limit of a binary property
_PAGE = 1000  # maximum entities per response
_CONFLICTS = (404, 409, 412)
_ROLE = (
    "give this identity the role Storage Table Data Contributor, or check the key in PLUMBLINE_AZURE_TABLES_CONNECTION"
)
_CLIENT_OPTIONS: dict[str, Any] = {
    "connection_timeout": 5,  # seconds
    "read_timeout": 10,
    "retry_total": 3,
    "retry_connect": 1,
    "retry_read": 1,  # the server closes idle connections
    "retry_backoff_factor": 0.4,
    "retry_backoff_max": 4,
}
_SLOW_S = 5.0  # a call that fails after that long waited for a server that does not answer
_PAUSE_S = 15.0  # after one, calls fail at once for that long: a question makes more than ten

Operation = tuple[str, Mapping[str, Any], Mapping[str, Any]]


class AzureTablesStore:
    """A `StateStore` in one table, by a connection string, or by an endpoint with managed identity.

    The SDK repeats a commit after a 500, 503 or 504. If the first one succeeded, this raises StateConflict.
    """

    def __init__(
        self, *, connection: str = "", endpoint: str = "", table: str, clock: Callable[[], float] = time.time
    ) -> None:
        self.table = table
        self._connection, self._endpoint, self._clock = connection, endpoint, clock
        self._lock = threading.Lock()
        self._open: TableClient | None = None
        self._pause: tuple[float, str] = (0.0, "")  # its end, and the error that began it

    def get(self, place: Place, key: str) -> Record | None:
        found = self._entity(place, key)
        return None if found is None or _is_over(found.expires_at, self._clock()) else found

    def _entity(self, place: Place, key: str) -> Record | None:
        """The record, even if it has expired."""
        from azure.core.exceptions import ResourceNotFoundError

        if not _fits(place.partition, key):
            return None
        with self._talking() as client:
            try:
                return _record(client.get_entity(_partition_key(place), encode_name(key)))
            except ResourceNotFoundError:
                return None

    def records(self, place: Place, *, prefix: str = "", start: str = "", limit: int | None = None) -> list[Record]:
        if not _fits(place.partition, prefix, start):
            return []
        return self._find(
            "PartitionKey eq @partition and RowKey ge @first and RowKey lt @past",
            {
                "partition": _partition_key(place),
                "first": max(encode_name(prefix), encode_name(start)),
                "past": encode_name(prefix) + PAST_ALL,
            },
            limit,
        )

    def everywhere(self, kind: str, *, key: str | None = None, limit: int | None = None) -> list[Record]:
        return self._find(*_of_kind(kind, key), limit) if key is None or _fits(key) else []

    def commit(self, place: Place, changes: Sequence[Change]) -> list[str]:
        texts = payloads(place, changes)
        # A transaction fails if it removes a missing record, or inserts one that exists, even if expired.
        met = self._read_versions(place, [change for change in changes if isinstance(change, Remove)])
        while True:
            made = {
                change.key: _operation(place, change, text, met.get(change.key))
                for change, text in zip(changes, texts, strict=True)
                # Skip removals of missing records.
                if not isinstance(change, Remove) or change.version or change.key in met
            }
            try:
                answers = self._transact(list(made.values()))
            except StateConflict:
                now_met = self._read_versions(place, changes)
                if now_met == met:
                    raise
                met = now_met
            else:
                etags = dict(zip(made, (str(answer.get("etag", "")) for answer in answers), strict=True))
                return ["" if isinstance(change, Remove) else etags[change.key] for change in changes]

    def _read_versions(self, place: Place, changes: Sequence[Change]) -> dict[str, str]:
        """The versions that must be read first: of records removed without a version, and of expired ones to insert."""
        met = {}
        for change in changes:
            if isinstance(change, Insert) or (isinstance(change, Remove) and not change.version):
                found = self._entity(place, change.key)
                if found and (isinstance(change, Remove) or _is_over(found.expires_at, self._clock())):
                    met[change.key] = found.version
        return met

    def purge(self) -> int:
        expired_records = self._find("expires lt @now", {"now": float(self._clock())}, None, values=False, expired=True)
        removed = 0
        for place, records in groupby(expired_records, key=lambda record: record.place):
            while batch := list(islice(records, MAX_CHANGES)):
                removed += self._remove(place, [Remove(key=one.key, version=one.version) for one in batch])
        return removed

    def _remove(self, place: Place, removals: Sequence[Remove]) -> int:
        """Remove records that were not changed meanwhile. Returns the number removed."""
        try:
            self._transact([_operation(place, removal, b"", None) for removal in removals])
        except StateConflict:
            if len(removals) == 1:
                return 0
            return sum(self._remove(place, [removal]) for removal in removals)
        return len(removals)

    def close(self) -> None:
        with self._lock:
            client, self._open = self._open, None
        if client is not None:
            client.close()

    def _transact(self, operations: list[Operation]) -> list[Mapping[str, Any]]:
        """Send one transaction; the table is created if it is missing. Raises StateConflict, StateUnavailable."""
        from azure.core.exceptions import HttpResponseError, ResourceExistsError

        if not operations:
            return []
        with self._talking() as client:
            try:
                try:
                    return client.submit_transaction(operations)
                except HttpResponseError as error:
                    if _code(error) != "TableNotFound":
                        raise
                with suppress(ResourceExistsError):  # another process created it
                    client.create_table()
                return client.submit_transaction(operations)
            except HttpResponseError as error:
                if error.status_code in _CONFLICTS and not _code(error).startswith("Table"):
                    raise StateConflict(_code(error)) from error
                raise

    def _find(
        self, where: str, parameters: dict[str, Any], limit: int | None, *, values: bool = True, expired: bool = False
    ) -> list[Record]:
        """The records that match a filter, by partition and key; without their values if not `values`."""
        from azure.core.exceptions import ResourceNotFoundError

        if limit == 0:
            return []
        now = self._clock()
        with self._talking() as client:
            found = client.query_entities(
                where,
                parameters=parameters,
                results_per_page=min(limit or _PAGE, _PAGE),
                select=None if values else ["PartitionKey", "RowKey", "expires"],
            )
            records = (_record(entity) for entity in found)
            try:
                return list(islice((one for one in records if _is_over(one.expires_at, now) == expired), limit))
            except ResourceNotFoundError:
                return []  # the first commit creates the table

    @contextmanager
    def _talking(self) -> Iterator[TableClient]:
        """The client. Its errors are raised as StateUnavailable, without secrets."""
        from azure.core.exceptions import AzureError

        began, (pause_end, detail) = time.monotonic(), self._pause
        if began < pause_end:
            raise StateUnavailable(detail)
        try:
            with self._lock:
                client = self._open = self._open or self._make_client()
            yield client
        except AzureError as error:
            detail = _detail(error)
            if time.monotonic() - began >= _SLOW_S:
                self._pause = (time.monotonic() + _PAUSE_S, detail)
            raise StateUnavailable(detail) from error

    def _make_client(self) -> TableClient:
        from azure.data.tables import TableClient

        try:
            if self._connection:
                return TableClient.from_connection_string(self._connection, self.table, **_CLIENT_OPTIONS)
            from azure.identity import DefaultAzureCredential

            return TableClient(self._endpoint, self.table, credential=DefaultAzureCredential(), **_CLIENT_OPTIONS)
        except ValueError as error:
            raise StateUnavailable(
                "Azure Table Storage cannot be reached: PLUMBLINE_AZURE_TABLES_CONNECTION is no connection string as "
                "the portal shows it, or PLUMBLINE_AZURE_TABLES_ENDPOINT no address that begins with https."
            ) from error


def _detail(error: AzureError) -> str:
    """A sentence about the error, with its code."""
    from azure.core.exceptions import ClientAuthenticationError, HttpResponseError

    if not isinstance(error, HttpResponseError):
        return (
            "Azure Table Storage does not answer: check the address in "
            "PLUMBLINE_AZURE_TABLES_CONNECTION or PLUMBLINE_AZURE_TABLES_ENDPOINT, and the account's firewall."
        )
    if isinstance(error, ClientAuthenticationError) or error.status_code in (401, 403):
        return f"Azure Table Storage refuses us ({_code(error)}): {_ROLE}."
    return f"Azure Table Storage failed ({_code(error)}, status {error.status_code}). Try again."


def _code(error: AzureError) -> str:
    """The service's error code, such as `TableNotFound`."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code or "no code"))


def _is_over(expires_at: float | None, now: float) -> bool:
    return expires_at is not None and expires_at < now


def _fits(*names: str) -> bool:
    """Whether the names are short enough. The service rejects longer ones even in queries."""
    return all(len(encode_name(name)) <= MAX_NAME_CHARS for name in names)


def _partition_key(place: Place) -> str:
    return f"{encode_name(place.kind)}.{encode_name(place.partition)}"  # `encode_name` never writes a full stop


def _of_kind(kind: str, key: str | None) -> tuple[str, dict[str, Any]]:
    """The filter of a kind in all partitions, and its parameters."""
    first = f"{encode_name(kind)}."
    where, parameters = "PartitionKey ge @first and PartitionKey lt @past", {"first": first, "past": first + PAST_ALL}
    if key is None:
        return where, parameters
    return f"{where} and RowKey eq @key", {**parameters, "key": encode_name(key)}


def _operation(place: Place, change: Change, text: bytes, met: str | None) -> Operation:
    """A change in the SDK's form. `met`: the version of an existing record that has expired or is to be removed."""
    from azure.core import MatchConditions
    from azure.data.tables import UpdateMode

    entity: dict[str, Any] = {"PartitionKey": _partition_key(place), "RowKey": encode_name(change.key)}
    version = ("" if isinstance(change, Insert) else change.version) or met
    only_if = {"etag": version, "match_condition": MatchConditions.IfNotModified}
    if isinstance(change, Remove):
        return "delete", entity, only_if
    parts = range(0, len(text), _PART_BYTES)
    entity |= {f"part{number:02}": text[first : first + _PART_BYTES] for number, first in enumerate(parts)}
    if change.expires_at is not None:
        entity["expires"] = float(change.expires_at)
    if version:
        return "update", entity, {"mode": UpdateMode.REPLACE, **only_if}
    return ("upsert", entity, {"mode": UpdateMode.REPLACE}) if isinstance(change, Replace) else ("create", entity, {})


def _record(entity: Any) -> Record:
    kind, _, partition = str(entity["PartitionKey"]).partition(".")
    text = b"".join(entity[name] for name in sorted(entity) if name.startswith("part"))
    return Record(
        place=Place(kind=decode_name(kind), partition=decode_name(partition)),
        key=decode_name(str(entity["RowKey"])),
        value=value_of(text) if text else {},
        version=str(entity.metadata["etag"]),
        expires_at=entity.get("expires"),
    )

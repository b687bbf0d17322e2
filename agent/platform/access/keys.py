"""API keys: generates keys and finds the principal of a key.

Only hashes are stored. A key is 256 random bits and cannot be guessed, so a plain SHA-256 is enough.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

from agent.core.callers import is_reserved
from agent.core.errors import AccessInvalid
from executors.base import Frozen

PREFIX = "plk_"  # identifies keys to secret scanners and people
KEY_BYTES = 32
MAX_KEY_CHARS = 200  # longer texts are not hashed

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+-]{0,127}")
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})(?:;(\d{4}-\d{2}-\d{2}))?")
_FORM = "NAME=sha256:HASH, as `python -m agent key NAME` prints it"

log = logging.getLogger(__name__)


class ApiKey(Frozen):
    """A key's hash. Args: name: the principal; expires: last valid day (UTC); None: never expires."""

    name: str
    digest: str
    expires: date | None = None

    def line(self) -> str:
        """The key as an entry of the settings."""
        return f"{self.name}=sha256:{self.digest}" + (f";{self.expires.isoformat()}" if self.expires else "")


def new_key(name: str, expires: date | None = None) -> tuple[str, ApiKey]:
    """A new key, which is not stored, and its stored form. Raises AccessInvalid if the name is not valid."""
    key = PREFIX + secrets.token_urlsafe(KEY_BYTES)
    return key, ApiKey(name=_check_name(name, "the name"), digest=digest_of(key), expires=expires)


def digest_of(key: str) -> str:
    """SHA-256 of a key in UTF-8, hexadecimal."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def parse_keys(text: str, source: str) -> tuple[ApiKey, ...]:
    """The keys of a setting or a file.

    Raises AccessInvalid, which names the invalid entry of `source` but not its value. The text is a list of `name=hash`
    entries, separated by commas or lines, with `#` before comments; or a JSON object from names to a hash or a list of
    hashes. After a hash, `;YYYY-MM-DD` is the last day of the key.
    """
    pairs = _of_json(text, source) if text.lstrip().startswith("{") else _of_lines(text, source)
    return tuple(_key(name, value, f"{source}, {place}") for place, name, value in pairs)


def _of_lines(text: str, source: str) -> Iterable[tuple[str, str, str]]:
    lines = [line.split("#", 1)[0] for line in text.splitlines()]
    entries = [entry.strip() for line in lines for entry in line.split(",") if entry.strip()]
    for number, entry in enumerate(entries, start=1):
        name, equals, value = entry.partition("=")
        if not equals:
            raise AccessInvalid(f"{source}, entry {number}: it has no `=`; write {_FORM}.")
        yield f"entry {number}", name.strip(), value.strip()


def _of_json(text: str, source: str) -> Iterable[tuple[str, str, str]]:
    try:
        found = json.loads(text)
    except ValueError:
        raise AccessInvalid(f"{source} begins like JSON, but is not valid. Correct it, or write {_FORM}.") from None
    for number, (name, values) in enumerate(found.items(), start=1):
        for value in values if isinstance(values, list) else [values]:
            yield f"entry {number}", name, value if isinstance(value, str) else ""


def _key(name: str, value: str, place: str) -> ApiKey:
    found = _HASH.fullmatch(value)
    if found is None:
        raise AccessInvalid(f"{place}: this is not the hash of a key; write {_FORM}.")
    try:
        expires = date.fromisoformat(found[2]) if found[2] else None
    except ValueError:
        raise AccessInvalid(f"{place}: its last day is not a date; write it as 2027-01-31.") from None
    return ApiKey(name=_check_name(name, place), digest=found[1], expires=expires)


def _check_name(name: str, place: str) -> str:
    if not _NAME.fullmatch(name) or is_reserved(name):
        raise AccessInvalid(f"{place}: {name!r} is not a valid principal; use letters, digits and `_.@+-`.")
    return name


class KeyRing:
    """The valid keys. A file is read again when it changes. Raises AccessInvalid."""

    def __init__(
        self, listed: str, file: Path | None, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._listed = parse_keys(listed, "PLUMBLINE_API_KEYS")
        self._file, self._clock = file, clock
        self._seen: tuple[int, int, int] | None = None
        self._of_file: tuple[ApiKey, ...] = ()
        if not self._keys():
            raise AccessInvalid(
                "There is no API key, so every caller would be refused. Create one with `python -m agent key NAME`, "
                "and put the line that it prints into PLUMBLINE_API_KEYS or the file of PLUMBLINE_API_KEYS_FILE."
            )

    def owner(self, key: str) -> str | None:
        """The principal of a key; None for an unknown or expired key. Raises AccessInvalid if the file is invalid."""
        digest = digest_of(key) if len(key) <= MAX_KEY_CHARS else ""
        # Every hash is compared completely, so that the time reveals nothing about them.
        matching = [one for one in self._keys() if hmac.compare_digest(one.digest, digest)]
        today = self._clock().date()
        good = [one for one in matching if one.expires is None or today <= one.expires]
        if matching and not good:
            log.warning("A key of %s was sent that expired on %s.", matching[0].name, matching[0].expires)
        return good[0].name if good else None

    def _keys(self) -> tuple[ApiKey, ...]:
        if self._file is None:
            return self._listed
        try:
            stat = self._file.stat()
            seen = stat.st_mtime_ns, stat.st_size, stat.st_ino
            if seen != self._seen:
                self._of_file = parse_keys(self._file.read_text(encoding="utf-8-sig"), "PLUMBLINE_API_KEYS_FILE")
                self._seen = seen
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise AccessInvalid(f"The file of PLUMBLINE_API_KEYS_FILE cannot be read ({why}).") from None
        return self._listed + self._of_file

"""Reads one entry of the registry, and reports all its problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr, ValidationError

from executors.errors import RegistryInvalid
from executors.guard.row_security import row_filter
from executors.registry.address import Address
from executors.registry.entry import NAME, DateOrder, Entry, EntryLimits
from executors.registry.kinds import Kind, is_encoding, is_glob, local_path
from executors.registry.openers import OPENERS

KEYS = (
    *("url", "dialect", "docs", "description", "schemas", "limits", "owners", "writable", "writers", "allowed"),
    *row_filter.KEYS,
    *("reviewers", "questions", "via", "key", "identity", "database", "private", "functions", "catalogue"),
    *("encoding", "dates"),
)
LISTS = ("owners", "writers", "allowed", "reviewers", "schemas", "questions")
_OF_VIA = ("key", "identity", "database")  # keys that require `via`
_OF_TEXTS = ("encoding", "dates")  # keys of files of text
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_SAME_SCHEME = frozenset({"mysql", "mariadb"})  # dialects that one scheme may mean
_FUNCTION = re.compile(r"[^\W\d][\w$#]*(\.[^\W\d][\w$#]*){0,2}")
_COLUMN = "a column; write table.column, or *.column for every table"
_CALLED = "write my_func, or dbo.my_func as it is called"
_DESCRIBING = "write sqlite_master, or information_schema.tables"
_VARIABLE = re.compile(r"\$\{(\w*)\}")


class EntryProblem(NamedTuple):
    """A problem of an entry. keys: its place in the entry. Empty if it concerns the whole entry."""

    text: str
    keys: tuple[str, ...] = ()


class EntryReader:
    """Reads one entry, whose paths are relative to `folder`, and collects its problems. No problem repeats an address
    or a key."""

    def __init__(self, name: str, folder: Path, variables: Mapping[str, str]) -> None:
        self._name, self._folder, self._variables = name, folder, variables
        self.problems: list[EntryProblem] = []

    def read(self, given: object) -> Entry | None:
        """The entry, or None if there are `problems`."""
        fields = {"url": given} if isinstance(given, str) else given
        if not isinstance(fields, dict):
            self._wrong("wants a path, or a mapping with `url`")
            return None
        self._check_keys(fields)
        common = self._common(fields)
        place = self._via(fields) if "via" in fields else self._url(fields)
        rows = row_filter.read_row_filter(fields, partial(self._expand, key="row_filter"))
        self._wrong_rows(rows.problems)
        if self.problems:
            return None
        entry = Entry(name=self._name, row_filter=rows.filter, **common, **place)
        if rows.filter is not None and (dialect := entry.sql_dialect):
            from executors.guard.row_security.row_conditions import (
                value_problems,  # the guard, and with it all of sqlglot
            )

            self._wrong_rows(value_problems(rows.filter, dialect))
        return None if self.problems else entry

    def _wrong(self, text: str, *keys: str) -> None:
        self.problems.append(EntryProblem(text, keys))

    def _wrong_rows(self, problems: tuple[str, ...]) -> None:
        """Add problems of a row filter. Each begins with the key that it concerns."""
        for text in problems:
            self._wrong(text, text.lstrip("`").partition(" ")[0].rstrip("`:"))

    def _common(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "description": self._text(fields, "description"),
            "docs": tuple(self._docs(fields.get("docs"))),
            "limits": self._limits(fields.get("limits")),
            "private": self._names(fields, "private", lambda it: all(it.rpartition(".")[::2]), _COLUMN),
            "functions": self._names(fields, "functions", _FUNCTION.fullmatch, f"the name of a function; {_CALLED}"),
            "catalogue": self._names(fields, "catalogue", _FUNCTION.fullmatch, f"the name of a table; {_DESCRIBING}"),
            "writable": self._is_writable(fields),
            **{key: self._texts(fields, key) for key in LISTS},
        }

    def _check_keys(self, fields: Mapping[Any, Any]) -> None:
        from rapidfuzz import process

        for key in fields:
            if key not in KEYS:
                nearest = process.extractOne(str(key), KEYS)
                shown = repr(key) if re.fullmatch(r"[\w -]{1,40}", str(key)) else "like that"  # it may be an address
                self._wrong(f"there is no key {shown}; did you mean `{nearest[0]}`?", str(key))

    def _limits(self, given: object) -> EntryLimits:
        if given is None:
            return EntryLimits()
        if not isinstance(given, dict):
            self._wrong(f"`limits` wants a mapping of {', '.join(EntryLimits.model_fields)}", "limits")
            return EntryLimits()
        try:
            return EntryLimits.model_validate(given, strict=True)
        except ValidationError as error:
            for one in error.errors():
                name, message = str(one["loc"][0]), one["msg"]
                if one["type"] == "extra_forbidden":
                    from rapidfuzz import process

                    nearest = process.extractOne(name, list(EntryLimits.model_fields))[0]
                    message = f"there is no such limit; did you mean `{nearest}`?"
                self._wrong(f"limits.{name}: {message}", "limits", name)
            return EntryLimits()

    def _names(self, fields: Mapping[str, Any], key: str, fits: Callable[[str], object], what: str) -> tuple[str, ...]:
        """A list of names. Args: fits: whether a name is valid; what: what a valid name is, for the problem's text."""
        names = self._texts(fields, key)
        for name in names:
            if not fits(name):
                self._wrong(f"{key}: {name!r} is not {what}", key)
        return names

    def _url(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a file or a server."""
        for key in _OF_VIA:
            if key in fields:
                self._wrong(f"`{key}` goes with `via`, which is not there", key)
        url, dialect = self._text(fields, "url", needed="url" in fields), self._text(fields, "dialect")
        if not url:
            if "url" not in fields:
                self._wrong("has no `url`")
            return {}
        place = local_path(url)
        if place is None:
            self._check_server(url, dialect)
            for key in _OF_TEXTS:
                if key in fields:
                    self._wrong(f"`{key}` is of files of text; a server knows its own", key)
            return {"url": url.strip(), "dialect": dialect or None}
        kinds = get_args(Kind)
        if dialect and dialect not in kinds:
            self._wrong(f"dialect {dialect!r} is none of {', '.join(kinds)}", "dialect")
        if fields.get("schemas"):
            self._wrong("`schemas` are a server's; a file has none", "schemas")
        texts = {"encoding": self._encoding(fields), "dates": self._dates(fields)}
        sample = not place.is_absolute() and place.parts[:1] == ("samples",)
        url = str(self._folder / place.expanduser())
        return {"url": url, "dialect": dialect or None, "is_sample": sample, **texts}

    def _encoding(self, fields: Mapping[str, Any]) -> str:
        encoding = self._text(fields, "encoding", needed="encoding" in fields)
        if encoding and not is_encoding(encoding):
            self._wrong(f"encoding {encoding!r} is unknown; write cp1252, or iso8859-2", "encoding")
        return encoding

    def _dates(self, fields: Mapping[str, Any]) -> str | None:
        given, orders = self._text(fields, "dates", needed="dates" in fields), get_args(DateOrder)
        if given and given not in orders:
            self._wrong(f"`dates` wants {' or '.join(orders)}", "dates")
        return given or None

    def _check_server(self, url: str, dialect: str) -> None:
        if dialect and dialect not in OPENERS:
            self._wrong(f"dialect {dialect!r} is none of {', '.join(OPENERS)}", "dialect")
            return
        try:
            meant = Address.parse(url).dialect
        except RegistryInvalid as error:
            self._wrong(str(error), "url")
            return
        if dialect and dialect != meant and {dialect, meant} != _SAME_SCHEME:
            self._wrong(f"dialect {dialect!r} does not match its address, which is of {meant}", "dialect")

    def _via(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a database of a deployed app."""
        from executors.dialects.table import DIALECTS

        for key in ("url", "schemas", *_OF_TEXTS):
            if key in fields:
                self._wrong(f"has both `{key}` and `via`; the app over there knows its own", key)
        via, key = self._text(fields, "via", needed=True), self._text(fields, "key", needed="key" in fields)
        identity, dialect = self._text(fields, "identity"), self._text(fields, "dialect")
        if via and (problem := _via_problem(via)):
            self._wrong(problem, "via")
        if key and identity:
            self._wrong("has both `key` and `identity`; one of them is enough", "identity")
        if dialect and dialect not in DIALECTS:
            self._wrong(f"dialect {dialect!r} is none of {', '.join(DIALECTS)}", "dialect")
        database = self._text(fields, "database") or self._name
        if not NAME.fullmatch(database):
            self._wrong("`database` is not the name of a database", "database")
        return {
            "via": via.rstrip("/"),
            "key": SecretStr(key) if key else None,
            "identity": identity,
            "database": database,
            "dialect": dialect or None,
        }

    def _text(self, fields: Mapping[str, Any], key: str, *, needed: bool = False) -> str:
        """A text with its variables replaced. Empty if there is none, which is a problem if `needed`."""
        value = fields.get(key, "")
        if not isinstance(value, str) or (needed and not value.strip()):
            self._wrong(f"`{key}` wants a text", key)
            return ""
        known = len(self.problems)
        text = self._expand(value, key)
        if needed and not text.strip() and len(self.problems) == known:
            self._wrong(f"`{key}` is empty: the variable in it has no value", key)
        return text

    def _texts(self, fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
        given = fields.get(key)
        listed = [given] if isinstance(given, str) else given or []
        if not isinstance(listed, list) or not all(isinstance(item, str) and item.strip() for item in listed):
            self._wrong(f"`{key}` wants a list of texts", key)
            return ()
        return tuple(self._expand(item, key) for item in listed)

    def _is_writable(self, fields: Mapping[str, Any]) -> bool:
        value = fields.get("writable", False)
        if not isinstance(value, bool):
            self._wrong("`writable` wants true or false", "writable")
            return False
        return value

    def _docs(self, given: object) -> Iterator[Path]:
        listed = [given] if isinstance(given, str) else given or []
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            self._wrong("`docs` wants a list of files, folders or globs", "docs")
            return
        for number, item in enumerate(listed):
            place = self._folder / Path(self._expand(item, "docs")).expanduser()
            found = sorted(Path(place.anchor).glob(str(place.relative_to(place.anchor)))) if is_glob(place) else [place]
            if not found or not all(path.exists() for path in found):
                self._wrong(f"docs: there is no {item}", "docs", str(number))
            yield from found

    def _expand(self, text: str, key: str) -> str:
        for name in _VARIABLE.findall(text):
            if name not in self._variables:
                self._wrong(f"the environment has no variable {name!r}", key)
        return _VARIABLE.sub(lambda match: self._variables.get(match[1], ""), text)


def _via_problem(via: str) -> str:
    """Why an address cannot be that of a deployed app. Empty if it can. The text does not repeat the address."""
    try:
        parts = urlsplit(via)
        is_plain = not (parts.username or parts.password or parts.query or parts.fragment)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "`via` is not an address; write https://host"
    if not host or not is_plain:
        return "`via` wants https://host, and no user, password or query; the key belongs into `key`"
    if parts.scheme == "https" or (parts.scheme == "http" and host in _THIS_MACHINE):
        return ""
    return "`via` wants https://, but for localhost: the key and the rows would travel in the open"

"""One entry of the registry: where a database is, and what is allowed on it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import ConfigDict, Field, SecretStr

from executors.base import Frozen
from executors.errors import DatabaseUnavailable
from executors.guard.row_security.row_filter import RowFilter
from executors.registry.address import Address
from executors.registry.kinds import kind_of, local_path


class ServerOptions(Frozen):
    """Settings and registry together, for one server database.

    sample_values: stored values per text column of the schema.
    pool_size: connections at most; further queries wait for one.
    connect_timeout_s: seconds to reach the server and log in.
    schema_ttl_s: seconds after which the schema is read again.
    recycle_s: seconds after which a connection is replaced before its next use.
    schemas: the server's schemas that are read; empty: all that the user may see.
    writable: whether `write` works at all.
    """

    sample_values: Annotated[int, Field(ge=0)] = 3
    pool_size: Annotated[int, Field(ge=1)] = 4
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10
    schema_ttl_s: Annotated[float, Field(gt=0)] = 600
    recycle_s: Annotated[float, Field(gt=0)] = 1800
    schemas: tuple[str, ...] = ()
    writable: bool = False


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")  # of a database


class EntryLimits(Frozen):
    """Limits of one database that are stricter than the settings'. None: the setting applies.

    row_limit: rows of one query.
    query_timeout_s: seconds of one query.
    queries: at once.
    schema_ttl_s: seconds after which the schema is read again.
    """

    row_limit: Annotated[int, Field(ge=1, le=10_000)] | None = None
    query_timeout_s: Annotated[float, Field(gt=0)] | None = None
    queries: Annotated[int, Field(ge=1)] | None = None
    schema_ttl_s: Annotated[float, Field(gt=0)] | None = None


class Entry(Frozen):
    """One database of the registry: a file, a server, or a database of a deployed app (`via`).

    url: an absolute path, or a server's address; empty with `via`. It may hold a password, so it is shown nowhere.
    dialect: where the file's name or the address does not tell.
    encoding: of files of text that are not UTF-8; empty: it is detected.
    docs: absolute files and folders.
    questions: examples to begin with, shown to callers who may query it.
    schemas: of the server, that are read; empty: all that its user may see.
    limits: that narrow the settings.
    private: columns whose values are kept to the database, as `customers.email` or `*.ssn`.
    functions: user-defined ones that queries may call, as `my_func` or `dbo.my_func`, since nothing is changed by them.
    catalogue: system tables that queries may read, as `information_schema.tables`; empty: none.
    row_filter: which rows a principal may see; None: all of them.
    owners: contacts, shown to everyone. Principals among them may change its documents; empty: everyone may.
    writable: whether it may be written to at all; `writers` are the principals who may.
    allowed: the principals who may query it; empty: everyone. An unknown caller is `anonymous`.
    reviewers: the principals who settle the reviews of its answers, beside those of the settings.
    via: the deployed app that has the database, with either its `key`, or the `identity` (an Entra ID scope) it wants.
    database: its name over there.
    is_sample: whether it is one that `make data` builds.
    is_upload: whether a caller uploaded it: no other caller sees it, and no shared list names it.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    name: str
    url: str = Field("", repr=False)
    dialect: str | None = None
    encoding: str = ""
    docs: tuple[Path, ...] = ()
    description: str = ""
    questions: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    limits: EntryLimits = EntryLimits()
    private: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    catalogue: tuple[str, ...] = ()
    row_filter: RowFilter | None = None
    owners: tuple[str, ...] = ()
    writable: bool = False
    writers: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()
    via: str = ""
    key: SecretStr | None = None
    identity: str = ""
    database: str = ""
    is_sample: bool = False
    is_upload: bool = False

    @property
    def is_file(self) -> bool:
        """Whether it is read from files by this process."""
        return not self.via and local_path(self.url) is not None

    @property
    def path(self) -> Path:
        """The file, folder or glob. Raises DatabaseUnavailable where it is none."""
        path = None if self.via else local_path(self.url)
        if path is None:
            raise DatabaseUnavailable(f"The database {self.name!r} is on a server, not in a file.")
        return path

    def secrets(self) -> tuple[str, ...]:
        """What must appear nowhere: the app's key, and the password as the address spells it and decoded."""
        found = [self.key.get_secret_value()] if self.key is not None else []
        if self.url and not self.is_file and (password := self.address.password) is not None:
            found += [password.get_secret_value(), quote(password.get_secret_value(), safe="")]
        return tuple(found)

    @property
    def address(self) -> Address:
        """The server. Raises RegistryInvalid, which the registry has ruled out for what is neither file nor `via`."""
        return Address.parse(self.url, self.dialect or "")

    @property
    def sql_dialect(self) -> str:
        """What it speaks, a key of `dialects.DIALECTS`; empty where only the database itself can tell."""
        if self.via:
            return self.dialect or ""
        path = local_path(self.url)
        if path is None:
            return self.dialect or self.address.dialect
        try:
            kind = self.dialect or kind_of(path)
        except DatabaseUnavailable:
            return ""
        return "duckdb" if kind == "files" else kind

    def admits(self, principal: str | None) -> bool:
        """Whether a principal may query it. Args: principal: None: this machine's own user, who always may."""
        if principal is None:
            return True
        allowed = {name.casefold() for name in self.allowed}
        listed = not allowed or "*" in allowed or principal.casefold() in allowed
        return listed and (self.row_filter is None or self.row_filter.admits(principal))

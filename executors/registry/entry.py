"""One entry of the registry: where a database is, and what may be done with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import ConfigDict, Field, SecretStr

from executors.base import Frozen
from executors.errors import DatabaseUnavailable
from executors.guard.row_security.row_filter import RowFilter
from executors.registry.address import Address
from executors.registry.kinds import kind_of, local_path


class ServerOptions(Frozen):
    """The options of one server database, combined from the settings and the registry.

    sample_values: Number of stored values per text column of the schema.
    pool_size: Maximum number of connections. Further queries wait for one.
    connect_timeout_s: Seconds to reach the server and log in.
    schema_ttl_s: Seconds after which the schema is read again.
    recycle_s: Seconds after which a connection is replaced before its next use.
    schemas: The server's schemas that are read. Empty: all that the user may see.
    writable: Whether `write` is allowed.
    """

    sample_values: Annotated[int, Field(ge=0)] = 3
    pool_size: Annotated[int, Field(ge=1)] = 4
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10
    schema_ttl_s: Annotated[float, Field(gt=0)] = 600
    recycle_s: Annotated[float, Field(gt=0)] = 1800
    schemas: tuple[str, ...] = ()
    writable: bool = False


DateOrder = Literal["day_first", "month_first"]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")  # a database's name


class EntryLimits(Frozen):
    """Limits of one database that narrow the settings. None: the setting applies.

    row_limit: Maximum number of rows of one query.
    query_timeout_s: Seconds until a query is stopped.
    queries: Maximum number of queries at the same time.
    schema_ttl_s: Seconds after which the schema is read again.
    """

    row_limit: Annotated[int, Field(ge=1, le=10_000)] | None = None
    query_timeout_s: Annotated[float, Field(gt=0)] | None = None
    queries: Annotated[int, Field(ge=1)] | None = None
    schema_ttl_s: Annotated[float, Field(gt=0)] | None = None


class Entry(Frozen):
    """One database of the registry: a file, a server, or a database of a deployed app (`via`).

    url: An absolute path, or a server's address. Empty with `via`. It may contain a password, so it is never shown.
    dialect: The dialect, if the file's name or the address does not determine it.
    encoding: Encoding of text files that are not UTF-8. Empty: it is detected.
    dates: How dates of text files are read that fit both ways, such as `03/04/2024`. None: the order is guessed.
    docs: Absolute paths of files and folders.
    questions: Example questions, shown to callers who may query the database.
    schemas: The server's schemas that are read. Empty: all that its user may see.
    limits: Limits that narrow the settings.
    private: Columns whose values stay in the database, such as `customers.email` or `*.ssn`.
    functions: User-defined functions that queries may call, such as `my_func` or `dbo.my_func`. They must not change
        anything.
    catalogue: System tables that queries may read, such as `information_schema.tables`. Empty: none.
    row_filter: Which rows a principal may see. None: all rows.
    owners: Contacts, shown to everyone. Principals among them may change the database's documents. Empty: everyone may.
    writable: Whether the database may be written to by the principals in `writers`.
    allowed: Principals who may query the database. Empty: everyone. An unknown caller is `anonymous`.
    reviewers: Principals who decide reviews of the database's answers, in addition to those of the settings.
    via: The deployed app that has the database, with either its `key`, or the `identity` (an Entra ID scope) that it
        requires.
    database: The database's name in that app.
    is_sample: Whether `make data` builds the database.
    is_upload: Whether a caller uploaded the database. Other callers do not see it, and shared lists do not name it.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    name: str
    url: str = Field("", repr=False)
    dialect: str | None = None
    encoding: str = ""
    dates: DateOrder | None = None
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
        """Whether this process reads the database from files."""
        return not self.via and local_path(self.url) is not None

    @property
    def path(self) -> Path:
        """The file, folder or glob. Raises DatabaseUnavailable if the database is on a server."""
        path = None if self.via else local_path(self.url)
        if path is None:
            raise DatabaseUnavailable(f"The database {self.name!r} is on a server, not in a file.")
        return path

    def secrets(self) -> tuple[str, ...]:
        """Secrets that must never be shown: the app's key, and the password, both decoded and percent-encoded."""
        found = [self.key.get_secret_value()] if self.key is not None else []
        if self.url and not self.is_file and (password := self.address.password) is not None:
            found += [password.get_secret_value(), quote(password.get_secret_value(), safe="")]
        return tuple(found)

    @property
    def address(self) -> Address:
        """The server's address. Raises RegistryInvalid: the entry is a file or has `via`."""
        return Address.parse(self.url, self.dialect or "")

    @property
    def sql_dialect(self) -> str:
        """The SQL dialect, a key of `dialects.DIALECTS`. Empty if only the database itself can determine it."""
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
        """Whether a principal may query the database. Args: principal: None: this machine's user, who always may."""
        if principal is None:
            return True
        allowed = {name.casefold() for name in self.allowed}
        listed = not allowed or "*" in allowed or principal.casefold() in allowed
        return listed and (self.row_filter is None or self.row_filter.admits(principal))

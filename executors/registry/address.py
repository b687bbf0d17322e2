"""Parses a database server's address from one line of the registry: a URL, or an ODBC connection string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field, SecretStr

from executors.base import Frozen
from executors.errors import RegistryInvalid
from executors.registry.openers import OPENERS, dialect_of

if TYPE_CHECKING:
    from sqlalchemy import URL

_ODBC = re.compile(r"\s*(driver|server|dsn|data source|addr|address)\s*=", re.IGNORECASE)
# One `key=value`. A value in braces may contain any characters; a closing brace is doubled.
_ODBC_PART = re.compile(r"\s*([A-Za-z][\w -]*?)\s*=\s*(?:\{((?:[^}]|\}\})*)\}|([^;{]*))\s*(?:;|\Z)")
_ODBC_HOST = ("server", "data source", "addr", "address")
_ODBC_DATABASE = ("database", "initial catalog")
_ODBC_USER, _ODBC_PASSWORD = ("uid", "user id", "user"), ("pwd", "password")

_ADVICE = "Write it as scheme://user:password@host:port/database, each part percent-encoded, or as an ODBC string."


class Address(Frozen):
    """A server, a database on it, and a login, which its representation does not show.

    dialect: A key of `dialects.DIALECTS`.
    host, port, database, user, password: None or empty if the address does not contain them.
    query: Further options of the address, such as `sslmode` or `driver`. For SQL Server, the keys are in lower case,
        because ODBC ignores case.
    """

    model_config = ConfigDict(hide_input_in_errors=True)

    dialect: str
    host: str | None = None
    port: int | None = None
    database: str | None = None
    user: str | None = Field(None, repr=False)
    password: SecretStr | None = Field(None, repr=False)
    query: Mapping[str, str] = Field({}, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine."""
        return (self.host or "") in ("", "localhost", "127.0.0.1", "::1")

    def url(self, driver: str) -> URL:
        """The address as a URL of SQLAlchemy. Args: driver: SQLAlchemy's name of dialect and driver."""
        from sqlalchemy import URL

        password = self.password.get_secret_value() if self.password is not None else None
        return URL.create(driver, self.user, password, self.host, self.port, self.database, dict(self.query))

    @classmethod
    def parse(cls, text: str, dialect: str = "") -> Address:
        """Parse a URL or an ODBC connection string.

        Args: dialect: overrides the dialect of the scheme (MariaDB behind `mysql://`).
        Raises RegistryInvalid: the text cannot be parsed. The message does not repeat it, because it may contain a
        password.
        """
        address = _from_odbc(text) if is_odbc(text) else _from_url(text)
        return address.model_copy(update={"dialect": dialect}) if dialect else address


def is_odbc(text: str) -> bool:
    """Whether a text is an ODBC connection string: `Driver={...};Server=...`."""
    return _ODBC.match(text) is not None


def _from_url(text: str) -> Address:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    scheme = text.partition("://")[0].strip().lower()
    dialect = dialect_of(scheme)
    if dialect is None:
        raise RegistryInvalid(f"its address begins with none of {', '.join(f'{one}://' for one in OPENERS)}")
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise RegistryInvalid(f"its address cannot be read. {_ADVICE}") from None  # it quotes the address
    query = {key: value if isinstance(value, str) else ",".join(value) for key, value in url.query.items()}
    if dialect == "sqlserver":
        query = {key.lower(): value for key, value in query.items()}
        if "odbc_connect" in query:
            return _from_odbc(query["odbc_connect"])
    if scheme == "clickhouse+https":
        query.setdefault("secure", "true")
    # A user or password with an unencoded `@` ends up in the host; with `/` or `:`, in the port or the database.
    if "@" in (url.host or "") or "@" in (url.database or ""):
        raise RegistryInvalid("a user or password in its address holds an `@`; write it as %40")
    return Address(
        dialect=dialect,
        host=url.host or None,
        port=url.port,
        database=url.database or None,
        user=url.username or None,
        password=SecretStr(str(url.password)) if url.password else None,
        query=query,
    )


def _from_odbc(text: str) -> Address:
    """Parse an ODBC connection string. The dialect is SQL Server. Raises RegistryInvalid."""
    parts: dict[str, str] = {}
    end = 0
    while end < len(text.rstrip(" ;\r\n\t")):
        found = _ODBC_PART.match(text, end)
        if found is None:
            raise RegistryInvalid("its ODBC connection string cannot be read; write key=value;key={value};...")
        key, braced, plain = found.groups()
        parts.setdefault(key.lower(), braced.replace("}}", "}") if braced is not None else plain.strip())
        end = found.end()
    host, port = _host_and_port(_take(parts, _ODBC_HOST))
    password = _take(parts, _ODBC_PASSWORD)
    return Address(
        dialect="sqlserver",
        host=host or None,
        port=port,
        database=_take(parts, _ODBC_DATABASE) or None,
        user=_take(parts, _ODBC_USER) or None,
        password=SecretStr(password) if password else None,
        query=parts,
    )


def _take(parts: dict[str, str], names: tuple[str, ...]) -> str:
    """The value of the first of these keys that exists, or an empty string. Remove all of them from `parts`."""
    values = [parts.pop(name) for name in names if name in parts]
    return values[0] if values else ""


def _host_and_port(server: str) -> tuple[str, int | None]:
    """Split `tcp:host,1433`. An instance stays with its host: `host\\name`. Raises RegistryInvalid."""
    host, _, port = server.removeprefix("tcp:").partition(",")
    if port and not (port.strip().isascii() and port.strip().isdigit()):
        raise RegistryInvalid("the port in its ODBC connection string is not a number; write Server=host,1433")
    return host.strip(), int(port) if port else None

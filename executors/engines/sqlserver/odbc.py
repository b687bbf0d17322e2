"""Connection strings for SQL Server, for Microsoft's ODBC driver and FreeTDS."""

from __future__ import annotations

import re
from collections.abc import Sequence

from executors.registry.address import Address

_MICROSOFT = re.compile(r"ODBC Driver (\d+) for SQL Server")
_FREETDS = re.compile(r"freetds|tdsodbc", re.IGNORECASE)
_ENCRYPTED = ("yes", "true", "mandatory", "strict")
_KEY = re.compile(r"[A-Za-z][\w -]*")
_PLAIN = re.compile(r"[^\[\]{}(),;?*=!@\s]+")
# What identifies somebody by other means than a token.
_IDENTITY = frozenset({"authentication", "trusted_connection", "uid", "pwd"})
_PORT = 1433
_STRICT_SINCE = (1, 5)  # the FreeTDS that speaks TDS 8
_NO_STRICT = (
    "encrypt=strict means TDS 8, which FreeTDS speaks from version 1.5 on, where the address says tds_version=8.0; say "
    "so, name Microsoft's driver in its entry in databases.yaml, or write encrypt=yes"
)


class UnusableAddress(Exception):
    """The driver cannot be given what the address says. The message says what to do, and repeats no value."""


def newest_driver(installed: Sequence[str]) -> str:
    """The title of Microsoft's newest driver; empty where there is none. Args: installed: titles of all."""
    versions = [(int(found.group(1)), title) for title in installed if (found := _MICROSOFT.fullmatch(title))]
    return max(versions, default=(0, ""))[1]


def is_freetds(driver: str) -> bool:
    """Whether a driver is FreeTDS. Args: driver: its title or file."""
    return _FREETDS.search(driver) is not None


def connection_string(address: Address, driver: str, *, token: bool, writable: bool) -> str:
    """An address as ODBC takes it.
    Args: driver: title or file; token: whether one is sent, so that user and password are not; writable: then reading
    goes to the same replica.
    Raises UnusableAddress: the driver cannot be given a value of it."""
    freetds = is_freetds(driver)
    quoted = _freetds_value if freetds else _value
    query = {key: value for key, value in address.query.items() if key not in {"driver", "auth"}}
    parts: dict[str, str] = {} if "dsn" in query else {"Driver": "{" + driver.replace("}", "}}") + "}"}
    parts |= _server(address, freetds=freetds)
    if address.database:
        parts["Database"] = quoted(address.database)
    if not token and address.user:
        parts["UID"] = quoted(address.user)
    if not token and address.password is not None:
        parts["PWD"] = quoted(address.password.get_secret_value())
    preset = {
        "encrypt": "yes",
        "trustservercertificate": "no",
        "applicationintent": "ReadWrite" if writable else "ReadOnly",
        "app": "plumbline",
    }
    encrypt = query.get("encrypt", "yes").lower()
    if freetds and encrypt == "strict":
        if query.get("tds_version") != "8.0":
            raise UnusableAddress(_NO_STRICT)
        preset["encryption"] = "strict"
    elif freetds and encrypt in _ENCRYPTED:  # its word for it
        preset["encryption"] = "require"
    for key, value in {**preset, **query}.items():
        if _KEY.fullmatch(key) and not (token and key in _IDENTITY):
            parts[key] = quoted(value)
    return ";".join(f"{key}={value}" for key, value in parts.items())


def check_strict(address: Address, driver: str, version: str) -> None:
    """Raise UnusableAddress where an address asks for TDS 8, and the driver that has connected, by its own name and
    version (`libtdsodbc.so`, `01.03.0017`), does not speak it. Older versions of FreeTDS take "8.0" for another name of
    TDS 7.1."""
    if address.query.get("encrypt", "").lower() != "strict" or not is_freetds(driver):
        return
    known = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if known < _STRICT_SINCE:
        raise UnusableAddress(_NO_STRICT)


def _server(address: Address, *, freetds: bool) -> dict[str, str]:
    """Host and port. FreeTDS reads `host,port` as a host's name, and sends the rest of it to the server."""
    if not address.host:
        return {}
    if not freetds:
        return {"Server": _value(address.host) + (f",{address.port}" if address.port is not None else "")}
    server = {"Server": _freetds_value(address.host)}
    if address.port is not None or "\\" not in address.host:  # a named instance has a port that the server tells
        server["Port"] = str(address.port or _PORT)
    return server


def _value(value: str) -> str:
    """A value of a connection string, in braces where it needs them."""
    return value if _PLAIN.fullmatch(value) else "{" + value.replace("}", "}}") + "}"


def _freetds_value(value: str) -> str:
    """The same for FreeTDS, whose braces end at the first `}`, doubled or not; without braces, at a semicolon."""
    if "}" not in value:
        return _value(value)
    if ";" in value or value.startswith("{") or value != value.strip():
        raise UnusableAddress(
            "FreeTDS cannot be given a password, or another value, that holds both `}` and `;`, or begins with `{`; "
            "change it, or name Microsoft's driver in its entry in databases.yaml"
        )
    return value

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
# Options that identify the user by other means than a token.
_IDENTITY = frozenset({"authentication", "trusted_connection", "uid", "pwd"})
_PORT = 1433
_STRICT_SINCE = (1, 5)  # the first version of FreeTDS that supports TDS 8
_NO_STRICT = (
    "encrypt=strict means TDS 8, which FreeTDS speaks from version 1.5 on, where the address says tds_version=8.0; say "
    "so, name Microsoft's driver in its entry in databases.yaml, or write encrypt=yes"
)


class UnusableAddress(Exception):
    """The driver does not support a value of the address. The message explains what to do, and repeats no value."""


def newest_driver(installed: Sequence[str]) -> str:
    """The title of Microsoft's newest driver. Empty if there is none. Args: installed: titles of all drivers."""
    versions = [(int(found.group(1)), title) for title in installed if (found := _MICROSOFT.fullmatch(title))]
    return max(versions, default=(0, ""))[1]


def is_freetds(driver: str) -> bool:
    """Whether a driver is FreeTDS. Args: driver: its title or file."""
    return _FREETDS.search(driver) is not None


def connection_string(address: Address, driver: str, *, token: bool, writable: bool) -> str:
    """An address as an ODBC connection string.
    Args: driver: title or file; token: whether a token is sent instead of user and password; writable: whether reads
    use the replica that accepts writes.
    Raises UnusableAddress: the driver does not support a value of the address."""
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
    elif freetds and encrypt in _ENCRYPTED:  # FreeTDS's word for it
        preset["encryption"] = "require"
    for key, value in {**preset, **query}.items():
        if _KEY.fullmatch(key) and not (token and key in _IDENTITY):
            parts[key] = quoted(value)
    return ";".join(f"{key}={value}" for key, value in parts.items())


def check_strict(address: Address, driver: str, version: str) -> None:
    """Raise UnusableAddress if an address requires TDS 8 and the driver does not support it. Older versions of FreeTDS
    read "8.0" as another name of TDS 7.1.
    Args: driver, version: of the connected driver, as it reports them (`libtdsodbc.so`, `01.03.0017`)."""
    if address.query.get("encrypt", "").lower() != "strict" or not is_freetds(driver):
        return
    known = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if known < _STRICT_SINCE:
        raise UnusableAddress(_NO_STRICT)


def _server(address: Address, *, freetds: bool) -> dict[str, str]:
    """The options for host and port. FreeTDS reads `host,port` as a host's name and sends the rest to the server."""
    if not address.host:
        return {}
    if not freetds:
        return {"Server": _value(address.host) + (f",{address.port}" if address.port is not None else "")}
    server = {"Server": _freetds_value(address.host)}
    if address.port is not None or "\\" not in address.host:  # the server returns the port of a named instance
        server["Port"] = str(address.port or _PORT)
    return server


def _value(value: str) -> str:
    """A value of a connection string, in braces if it needs them."""
    return value if _PLAIN.fullmatch(value) else "{" + value.replace("}", "}}") + "}"


def _freetds_value(value: str) -> str:
    """A value for FreeTDS. There, braces end at the first `}`, even if it is doubled; without braces, a value ends at
    a semicolon. Raises UnusableAddress."""
    if "}" not in value:
        return _value(value)
    if ";" in value or value.startswith("{") or value != value.strip():
        raise UnusableAddress(
            "FreeTDS cannot be given a password, or another value, that holds both `}` and `;`, or begins with `{`; "
            "change it, or name Microsoft's driver in its entry in databases.yaml"
        )
    return value

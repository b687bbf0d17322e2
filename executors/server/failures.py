"""A driver's errors as the loop and the user want them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from executors.base import Schema
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.rows.row import Dialect
from executors.server.codes import error_code
from executors.sql import diagnose

log = logging.getLogger(__name__)


class CredentialError(Exception):
    """No token could be had for a server that wants one."""


_LOGIN = re.compile(
    r"password|authentication|login failed|access denied|ORA-01017|28000|28P01|not permitted to log|invalid username",
    re.IGNORECASE,
)
_TLS = re.compile(r"\bSSL\b|\bTLS\b|certificate", re.IGNORECASE)
_NO_DATABASE = re.compile(r"database .*(?:does not exist|doesn't exist)|unknown database|cannot open database|12514",
                          re.IGNORECASE)  # fmt: skip


def unreachable(name: str, error: BaseException) -> DatabaseUnavailable:
    """Why no connection could be made. The driver's words go to the log alone: they may hold hosts and users.

    Args:
        name: of the database.
        error: of the driver, or of the token's source.
    """
    text = f"{error} {error.__cause__ or ''}"
    log.warning("No connection to %s: %s", name, text)
    if isinstance(error, CredentialError):
        why = "no Entra ID token could be had; check the identity that this process runs under"
    elif _LOGIN.search(text):
        why = "the server did not accept the user or the password; check its entry in databases.yaml"
    elif _NO_DATABASE.search(text):
        why = "the server has no such database; check its entry in databases.yaml"
    elif _TLS.search(text):
        why = "no encrypted connection could be made; check the server's certificate and the TLS options of its entry"
    else:
        why = "the server does not answer; check that it runs, and its entry in databases.yaml"
    return DatabaseUnavailable(f"{name} cannot be opened: {why}.")


def told(error: Exception, row: Dialect, sql: str, schema: Callable[[], Schema]) -> SqlFailed:
    """The error of a query: its kind by the driver's code, else by its message, and what would mend it.

    Args:
        sql: what ran.
        schema: for the names that a hint may offer.
    """
    message = _plain(str(error))
    kind = row.codes.get(error_code(error))
    failed = diagnose.sql_failed(message, sql, schema())
    if kind is None or kind is failed.kind:
        return failed
    return SqlFailed(kind, failed.message, diagnose.hint_for(kind, message, sql, schema()))


def no_driver(name: str, row: Dialect) -> DatabaseUnavailable:
    """The driver is not installed."""
    file = f"requirements-{row.name}.txt"
    return DatabaseUnavailable(
        f"{name} cannot be opened: the driver for {row.title} is missing; install it: pip install -r {file}."
    )


def _plain(message: str) -> str:
    """Without what the drivers put before the server's own words."""
    text = re.sub(r"^\('[0-9A-Z]{5}', [\"']", "", message.strip())
    text = re.sub(r"^(?:\[[^\]]+\])+ *", "", text)
    return text.strip()


__all__ = ["CredentialError", "ErrorKind", "no_driver", "told", "unreachable"]

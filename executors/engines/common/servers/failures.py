"""Classifies a driver's errors, and translates them for the caller and the user."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from executors.base import Schema
from executors.dialects.row import Dialect, words
from executors.engines.common.servers.tokens import CredentialError
from executors.engines.common.stopping import no_room
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed
from executors.registry.openers import OPENERS
from executors.sql.names import diagnose

log = logging.getLogger(__name__)


_LOGIN = re.compile(
    r"password|authentication|login failed|access denied|ORA-01017|28000|28P01|not permitted to log|invalid username",
    re.IGNORECASE,
)
_FIREWALL = re.compile(r"not allowed to access the server", re.IGNORECASE)
_TLS = re.compile(r"\bSSL\b|\bTLS\b|certificate", re.IGNORECASE)
_FULL = re.compile(r"too many (?:clients|connections)|connection slots|connection limit", re.IGNORECASE)
_NO_ROOM = re.compile(
    r"no space left|disk (?:is )?full|file too large|could not (?:write|extend) (?:to )?file|error writing file",
    re.IGNORECASE,
)
_OPTION = re.compile(r"invalid (?:connection option|\w+ value)|missing \"=\" after", re.IGNORECASE)
_NO_DATABASE = re.compile(r"database .*(?:does not exist|doesn't exist)|unknown database|12514", re.IGNORECASE)
# SQL Server's messages about a database that exists but cannot be used.
_CLOSED = {
    r"only have one user at a time": "it is in single-user mode and in use; ask again when its administrator is done",
    r"in the middle of a restore": "it is being restored; ask again when that has ended",
    r"because it is offline": "it is offline; have its administrator bring it online",
    r"marked suspect|in recovery": "it is in recovery, or damaged; ask its administrator",
    r"availability group": "it is a replica that takes no queries; name its group's listener, or a readable one",
    # The message that most logins get in each of these cases. Only the server's log has the reason.
    r"cannot open database": "the server has no such database, the user has no right to it, or it is closed: being "
    "restored, offline, in single-user mode; check its entry in databases.yaml, and its state in sys.databases",
}
_STRANGE = "the driver cannot use the options in its address, those after the `?`; check its entry in databases.yaml"


def unreachable(name: str, error: BaseException) -> DatabaseUnavailable:
    """The error of a failed connection. The text of the driver, or of the token source, goes only to the log, because
    it may contain hosts and users."""
    text = f"{error} {error.__cause__ or ''}"
    log.warning("No connection to %s: %s", name, text)
    if isinstance(error, CredentialError):
        why = "no Entra ID token could be obtained; check the identity that this process runs under"
    elif _OPTION.search(text):
        why = _STRANGE
    elif closed := next((reason for pattern, reason in _CLOSED.items() if re.search(pattern, text, re.IGNORECASE)), ""):
        why = closed
    elif _NO_DATABASE.search(text):
        why = "the server has no such database, or the user has no right to it; check its entry in databases.yaml"
    elif _FIREWALL.search(text):
        why = "its firewall does not let this machine in; have its address added"
    elif _LOGIN.search(text):
        why = "the server did not accept the user or the password; check its entry in databases.yaml"
    elif _FULL.search(text):
        why = "the server takes no more connections now; ask again in a moment, or lower `limits.queries` of its entry"
    elif _TLS.search(text):
        why = "no encrypted connection could be made; check the server's certificate and the TLS options of its entry"
    else:
        why = "the server does not answer; check that it runs, and its entry in databases.yaml"
    return DatabaseUnavailable(f"{name} cannot be opened: {why}.")


def strange_options(name: str, error: Exception) -> DatabaseUnavailable:
    """The error of an address with an option that the driver does not support. The driver's text is hidden, because it
    may repeat the address."""
    log.warning("The driver of %s refuses its options: %s", name, type(error).__name__)
    return DatabaseUnavailable(f"{name} cannot be opened: {_STRANGE}.")


def connection_lost(name: str) -> DatabaseUnavailable:
    """The error of a connection that was lost during a query."""
    return DatabaseUnavailable(f"The connection to {name} was lost while the query ran; ask again.")


def unreadable_value(error: Exception) -> SqlFailed:
    """The error of a stored value that the driver cannot read: a date before the year 1, invalid text, or JSON of very
    many levels."""
    log.warning("The driver could not read a value: %s", type(error).__name__)  # its text may contain the value
    message = "A value of the result cannot be read by the driver."
    return SqlFailed(ErrorKind.TYPE_MISMATCH, message, "CAST the column that holds it to text.")


def rows_locked(timeout_s: float) -> SqlFailed:
    """The error of a correct statement whose rows another transaction has locked."""
    message = f"Another transaction has locked rows that it needs, and kept them for {timeout_s:g} seconds."
    return SqlFailed(ErrorKind.TIMEOUT, message, "Ask again in a moment; nothing need be changed.")


def unreadable(name: str, row: Dialect, error: BaseException) -> DatabaseUnavailable:
    """The error of a schema that the server refused to return."""
    log.warning("The schema of %s could not be read: %s", name, error)
    if row.codes.get(error_code(error)) is ErrorKind.PERMISSION:
        return DatabaseUnavailable(
            f"The schema of {name} could not be read: its user may not read the catalogue; grant what "
            "docs/databases.md says."
        )
    return DatabaseUnavailable(f"The schema of {name} could not be read; see the service's log.")


def translate(error: Exception, row: Dialect, sql: str, schema: Callable[[], Schema]) -> SqlFailed:
    """The error of a query. Its kind comes from the driver's code, or else from the message; its hint uses the schema's
    names."""
    message = _plain(_words(error))
    if _NO_ROOM.search(message):
        return no_room()  # the server's message names its files
    code = error_code(error)
    try:
        known = schema()
    except DatabaseUnavailable:
        known = Schema(database="", dialect=row.name, tables=())
    failed = diagnose.sql_failed(message, sql, known, row.codes.get(code))
    return SqlFailed(failed.kind, failed.message, row.advice.get(code) or failed.hint)


def no_driver(name: str, row: Dialect) -> DatabaseUnavailable:
    """The error of a driver that is not installed."""
    file = OPENERS[row.name].requirements
    return DatabaseUnavailable(
        f"{name} cannot be opened: the driver for {row.title} is missing; install it: pip install -r {file}."
    )


def _words(error: Exception) -> str:
    """The driver's message. If the arguments are a number and a text, the text; if several texts, the longest one."""
    match error.args:
        case (int(), str(text)):
            return text
        case (str(), str(), *_):
            return max((part for part in error.args if isinstance(part, str)), key=len)
    return str(error)


def _plain(message: str) -> str:
    """The server's message, without the drivers' prefixes and without excerpts of the query."""
    text = re.sub(r"^\('[0-9A-Z]{5}', [\"']", "", message.strip())
    text = re.sub(r"^(?:\[[^\]]+\] *)+", "", text)
    text = re.sub(r" \(\d+\) \(SQL\w+\)[\"']?\)?$", "", text)  # the number, and the call that returned it
    text = re.sub(r"\nLINE \d+:.*\n *\^", "", text)  # an excerpt of the query as sent
    return text.strip()


# pyodbc gives the server's number only in the text, before the name of the ODBC call. 0 is the driver's own.
_ODBC_NUMBER = re.compile(r"\((\d+)\)(?= \(SQL\w+\))")
_SQLSTATE = re.compile(r"[0-9A-Z]{5}")
_CLICKHOUSE_CODE = re.compile(r"\bCode: (\d+)\b|error code (\d+)")
_SPARK_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]*)(?:\.[A-Z0-9_]+)*\]")
_ORACLE_CODE = re.compile(r"\b(?:ORA|DPY|DPI)-\d{4,5}\b")
_DRIVERS = words("psycopg2 pyodbc pymysql oracledb hdbcli clickhouse_connect clickhouse_driver databricks pyspark")


def error_code(error: BaseException) -> str:
    """The code of an error in a dialect's row. Empty if the driver gives none.

    It is the SQLSTATE for psycopg2; the server's number, or the SQLSTATE of the driver's own errors, for pyodbc; the
    number for pymysql, hdbcli and clickhouse_connect; `ORA-00942`, or `DPY-4024` for the driver's own errors, for
    oracledb; and the error class without its subclass, such as `UNRESOLVED_COLUMN`, for Databricks and Spark.

    Args:
        error: An error of a driver, or SQLAlchemy's wrapper of one. Its class determines the driver.
    """
    error = getattr(error, "orig", None) or error
    packages = [kind.__module__.partition(".")[0] for kind in type(error).__mro__]
    match next((name for name in packages if name in _DRIVERS), ""):
        case "psycopg2":
            code = getattr(error, "pgcode", None)
        case "pyodbc":
            numbers = [number for number in _ODBC_NUMBER.findall(str(error)) if number != "0"]
            # The SQLSTATE comes first in errors of the ODBC driver, and last in those of pyodbc itself.
            states = [part for part in error.args if isinstance(part, str) and _SQLSTATE.fullmatch(part)]
            code = next(iter((*numbers, *states)), "")
        case "pymysql":
            code = error.args[0] if error.args and isinstance(error.args[0], int) else ""
        case "oracledb":
            code = getattr(error.args[0], "full_code", "") if error.args else ""
            code = code or _find(_ORACLE_CODE, error)
        case "hdbcli":
            code = getattr(error, "errorcode", None)
            code = "" if code is None else str(code)
        case "clickhouse_connect" | "clickhouse_driver":
            code = getattr(error, "code", None)
            code = _find(_CLICKHOUSE_CODE, error) if code is None else code
        case "databricks" | "pyspark":
            condition = getattr(error, "getCondition", None)
            name = condition() if condition is not None else None
            code = str(name).partition(".")[0] if name else _find(_SPARK_CLASS, error)
        case _:
            code = ""
    return str(code or "")


def _find(pattern: re.Pattern[str], error: BaseException) -> str:
    """The code in an error's text."""
    found = pattern.search(str(error))
    return next(filter(None, found.groups()), found.group()) if found else ""

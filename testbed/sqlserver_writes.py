"""Writes of the stand-in for SQL Server: tables in SQLite, transactions, locks, and triggers with their results.
Statements that SQLite and T-SQL have in common are run as they are.

A trigger is `CREATE TRIGGER name ON table AFTER | INSTEAD OF event AS statement; statement; ...`, where a statement
is a write, a SELECT of values, RAISERROR, ROLLBACK TRANSACTION, or SET NOCOUNT.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysqlbridge.source import Table
from pysqlbridge.tds.result import Column, Integer, NVarChar, QueryError, _rows, col_metadata
from pysqlbridge.tds.token import DoneStatus, done, error

_BATCH = re.compile(
    r"\s*(?P<nocount>SET NOCOUNT ON\s*;)?\s*(?P<statement>.*?)\s*;?\s*"
    r"(?:;\s*SELECT @@ROWCOUNT AS (?P<rows>\w+), @@TRANCOUNT AS (?P<transactions>\w+)\s*)?",
    re.DOTALL | re.IGNORECASE,
)
_WRITE = re.compile(r"(insert|update|delete)\s+(?:into\s+|from\s+)?(?:\[dbo\]\.)?[\[\"]?(\w+)", re.IGNORECASE)
_DEFINITION = re.compile(r"(?:create|drop)\s+(?:table|view)\b", re.IGNORECASE)
_TRIGGER = re.compile(
    r"create\s+trigger\s+(\w+)\s+on\s+(\w+)\s+(after|instead\s+of)\s+(\w+)\s+as\s+(.*)", re.DOTALL | re.IGNORECASE
)
_NO_TRIGGER = re.compile(r"drop\s+trigger\s+(\w+)", re.IGNORECASE)
_RAISED = re.compile(r"raiserror\s*\(\s*N?'([^']*)'", re.IGNORECASE)
_ENDED = 3609, "The transaction ended in the trigger. The batch has been aborted."
_LOCKED = 1222, "Lock request time out period exceeded."
_UPDATE = 0xC5  # the command that a DONE names


@dataclass
class Answers:
    """The results of a batch, in order: counts, rows and errors."""

    parts: list[tuple[Any, ...]] = field(default_factory=list)

    def encode(self, version: int, server: str = "") -> bytes:
        """Its tokens; every DONE but the last announces more."""
        parts = self.parts or [("none",)]
        return b"".join(self._token(part, version, server, last=part is parts[-1]) for part in parts)

    @staticmethod
    def _token(part: tuple[Any, ...], version: int, server: str, *, last: bool) -> bytes:
        more = DoneStatus.FINAL if last else DoneStatus.MORE
        match part:
            case ("count", int(rows)):
                return bytes(
                    done(status=DoneStatus.COUNT | more, current_command=_UPDATE, row_count=rows, tds_version=version)
                )
            case ("rows", columns, rows):
                written = col_metadata(columns, version) + _rows(columns, rows)
                return bytes(written + done(status=DoneStatus.COUNT | more, row_count=len(rows), tds_version=version))
            case ("error", number, text):
                written = error(number, text, server=server, tds_version=version)
                return bytes(written + done(status=DoneStatus.ERROR | more, tds_version=version))
        return bytes(done(status=more, tds_version=version))


@dataclass(frozen=True)
class Trigger:
    """A trigger of a table."""

    name: str
    table: str
    instead: bool
    event: str
    statements: tuple[str, ...]


class Aborted(Exception):
    """The batch ends here."""


class Session:
    """The uncommitted writes of one connection.

    nocount: whether counts are left unsaid.
    open_: whether the client has begun a transaction, or has every statement begin one.
    """

    def __init__(self, path: Path, *, nocount: bool) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = ON")
        self.nocount = nocount
        self.implicit = self.begun = False

    def observe(self, sql: str) -> None:
        """Record the transaction statements of a batch."""
        if found := re.search(r"set\s+implicit_transactions\s+(on|off)", sql, re.IGNORECASE):
            self.implicit = found.group(1).lower() == "on"
        if found := re.search(r"set\s+lock_timeout\s+(\d+)", sql, re.IGNORECASE):
            self.connection.execute(f"PRAGMA busy_timeout = {int(found.group(1))}")
        if re.search(r"\bbegin\s+tran", sql, re.IGNORECASE):
            self.begun = True
        if found := re.search(r"\b(commit|rollback)\b", sql, re.IGNORECASE):
            self.end(found.group(1))

    def end(self, how: str) -> None:
        """COMMIT or ROLLBACK."""
        self.begun = False
        if self.connection.in_transaction:
            self.connection.execute(how)


class Writes:
    """The tables that were made by statements.

    Args:
        folder: for the file.
        nocount: as the server's `user options` may have it.
    """

    def __init__(self, folder: Path, *, nocount: bool) -> None:
        self._path, self._nocount = folder / "writes.sqlite", nocount
        self._here = threading.local()
        self._mirrored: set[str] = set()
        self.triggers: list[Trigger] = []
        with sqlite3.connect(self._path) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.close()

    @property
    def session(self) -> Session:
        """Of the connection that this thread serves."""
        if not hasattr(self._here, "session"):
            self._here.session = Session(self._path, nocount=self._nocount)
        session: Session = self._here.session
        return session

    def leave(self) -> None:
        """The connection of this thread has ended."""
        if hasattr(self._here, "session"):
            self._here.session.connection.close()
            del self._here.session

    def mirror(self, table: Table) -> None:
        """Have a table of a file there, so that foreign keys can refer to its first column."""
        names, name = [_quoted(column.name) for column in table.columns], _quoted(table.name)
        self._mirrored.add(table.name)
        with sqlite3.connect(self._path) as connection:
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {name} ({', '.join([f'{names[0]} PRIMARY KEY', *names[1:]])})"
            )
            rows = ([str(v) if not isinstance(v, int | float | str | None) else v for v in row] for row in table.rows)
            connection.executemany(f"INSERT OR IGNORE INTO {name} VALUES ({', '.join('?' * len(names))})", rows)
        connection.close()

    def tables(self) -> list[Table]:
        """Those that were made by statements, with their rows."""
        query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        names = [name for (name,) in self.session.connection.execute(query) if name not in self._mirrored]
        return [self._table(name) for name in names]

    def keys(self) -> dict[str, list[str]]:
        """The columns of the primary keys of those that have one."""
        found = {}
        for table in self.tables():
            table_info = self.session.connection.execute(f'PRAGMA table_info("{table.name}")').fetchall()
            found[table.name] = [row[1] for row in sorted(table_info, key=lambda row: row[5]) if row[5]]
        return {table: columns for table, columns in found.items() if columns}

    def answer(self, sql: str) -> Answers | None:
        """The results of a batch that writes; None for any other batch."""
        found = _BATCH.fullmatch(sql)
        assert found is not None
        statement = found["statement"]
        self.session.observe(sql)
        if trigger := _TRIGGER.fullmatch(statement):
            name, table, when, event, body = trigger.groups()
            statements = tuple(part.strip() for part in body.split(";") if part.strip())
            self.triggers.append(Trigger(name, table, when.lower() != "after", event.lower(), statements))
            return Answers()
        if gone := _NO_TRIGGER.fullmatch(statement):
            self.triggers = [trigger for trigger in self.triggers if trigger.name != gone.group(1)]
            return Answers()
        if _DEFINITION.match(statement):
            self.session.connection.execute(statement)
            return Answers()
        if not (write := _WRITE.match(statement)):
            return None
        self.session.nocount |= bool(found["nocount"])
        kind, table = write.groups()
        return self._written(statement, kind, table, (found["rows"], found["transactions"]))

    def _written(self, statement: str, kind: str, table: str, names: tuple[str | None, str | None]) -> Answers:
        answers, session = Answers(), self.session
        try:
            affected = self._write(statement, kind.lower(), table, answers)
        except Aborted:
            return answers
        if names[0]:
            columns = [Column(name, Integer(4)) for name in names]
            answers.parts.append(("rows", columns, [[affected, int(session.connection.in_transaction)]]))
        if not (session.implicit or session.begun):
            session.end("COMMIT")
        return answers

    def _write(self, statement: str, kind: str, table: str, answers: Answers) -> int:
        """Run it and its triggers; the rows that it affects itself."""
        session = self.session
        connection = session.connection
        triggers = [one for one in self.triggers if (one.table.lower(), one.event) == (table.lower(), kind)]
        try:
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            if any(one.instead for one in triggers):
                connection.execute("SAVEPOINT instead")
            affected = connection.execute(re.sub(r"\bN'", "'", statement)).rowcount
            if any(one.instead for one in triggers):
                connection.execute("ROLLBACK TO instead")
        except sqlite3.IntegrityError as broken:
            answers.parts.append(("error", *_rule(str(broken), kind, table)))
            return 0  # the statement ends, and the batch goes on
        except sqlite3.OperationalError as failed:
            if "locked" not in str(failed):
                raise QueryError(str(failed), number=102) from failed
            raise QueryError(_LOCKED[1], number=_LOCKED[0]) from failed
        for trigger in triggers if affected else ():
            self._fire(trigger, answers)
        if not session.nocount:
            answers.parts.append(("count", affected))
        return affected

    def _fire(self, trigger: Trigger, answers: Answers) -> None:
        """Run a trigger; its SET NOCOUNT holds until its end."""
        connection, nocount, ended = self.session.connection, self.session.nocount, False
        for statement in trigger.statements:
            if found := re.fullmatch(r"set nocount (on|off)", statement, re.IGNORECASE):
                nocount = found.group(1).lower() == "on"
            elif found := _RAISED.match(statement):
                answers.parts.append(("error", 50000, found.group(1)))
            elif statement.lower().startswith("rollback"):
                connection.execute("ROLLBACK")
                ended = True
            elif statement.lower().startswith("select"):
                rows = connection.execute(statement).fetchall()
                columns = [Column(f"c{at}", NVarChar(50)) for at in range(len(rows[0]))]
                answers.parts.append(("rows", columns, [[str(value) for value in row] for row in rows]))
            else:
                count = connection.execute(statement).rowcount
                if not nocount:
                    answers.parts.append(("count", count))
        if ended:
            answers.parts.append(("error", *_ENDED))
            raise Aborted

    def _table(self, name: str) -> Table:
        connection = self.session.connection
        kinds = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
        columns = [Column(kind[1], Integer(4) if "INT" in kind[2].upper() else NVarChar(100)) for kind in kinds]
        rows: Sequence[Any] = connection.execute(f'SELECT * FROM "{name}"').fetchall()
        return Table(name=name, columns=columns, rows=[list(row) for row in rows])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _rule(said: str, kind: str, table: str) -> tuple[int, str]:
    """The server's number and words for what SQLite calls a failed constraint."""
    if said.startswith("UNIQUE"):
        key = f"'PK_{table}'. Cannot insert duplicate key in object 'dbo.{table}'. The duplicate key value is (1)."
        return 2627, f"Violation of PRIMARY KEY constraint {key}"
    if said.startswith("NOT NULL"):
        column = said.rpartition(".")[2]
        return 515, (
            f"Cannot insert the value NULL into column '{column}', table 'master.dbo.{table}'; column does not allow "
            f"nulls. {kind.upper()} fails."
        )
    return 547, (
        f'The {kind.upper()} statement conflicted with the FOREIGN KEY constraint "FK_{table}". The conflict occurred '
        'in database "master", table "dbo.people", column \'id\'.'
    )

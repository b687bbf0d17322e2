"""The process behind `testbed.sqlserver`: pySQLbridge over CSV files, with what it lacks of SQL Server's catalogue and
wire. `python -m testbed.sqlserver_stand_in config.json`; prints a line once it listens.

The configuration: `folder` of CSV files, `host`, `port`, `user`, `password`, `certificate` and `key` (PEM files), and
`about`, a `Described` as JSON.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
import select
import socket
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pysqlbridge import information_schema as catalogue
from pysqlbridge import server as bridge
from pysqlbridge.catalog import Catalog
from pysqlbridge.certificate import load as load_certificate
from pysqlbridge.logins import Login, LoginStore
from pysqlbridge.server import BridgeServer, _Handler
from pysqlbridge.source import Table, infer_column
from pysqlbridge.tds.batch import skip_all_headers
from pysqlbridge.tds.connection import DEFAULT_DATABASE, Connection, ConnectionState
from pysqlbridge.tds.result import (
    Bit,
    Column,
    DateTime,
    Float,
    Integer,
    NVarChar,
    Query,
    QueryError,
    QueryResult,
    UniqueIdentifier,
)
from pysqlbridge.tds.token import error_response
from pysqlbridge.tds.transaction import TransactionRequest, TransactionRequestType, parse_transaction_request

from testbed import tds_types as wire
from testbed.sqlserver_messages import CLOSED, MESSAGES
from testbed.sqlserver_writes import Writes

HERE = threading.local()  # of the one connection that a thread serves
ENDLESS = "endless"  # a table that has no last row
DEAF = "deaf"  # another, on which a cancel is not heard
VICTIM = "victim"  # a table whose readers are chosen as a deadlock's victims, each second time
KINDS = "kinds"  # one row, with a column of every type
_CANCELLED, _NO_DATABASE = 3617, 4060
# Functions, and the major version that has them first.
_AZURE = (5, 6, 8, 11, 12)
_SINCE = {"STRING_AGG": 14, "DATETRUNC": 16, "GREATEST": 16, "LEAST": 16, "GENERATE_SERIES": 16}
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_ENDS = (TransactionRequestType.COMMIT_XACT, TransactionRequestType.ROLLBACK_XACT)
_INT, _SMALL, _TEXT = Integer(4), Integer(1), NVarChar(128)


class StandIn(Catalog):  # type: ignore[misc]  # untyped package
    """pySQLbridge's catalogue with keys, comments, views and row counts in it, and with a query that never ends."""

    def __init__(self, about: dict[str, Any], folder: Path) -> None:
        super().__init__()
        self.about = about
        self.writes = Writes(folder, nocount=about["nocount"])
        self._deadlocked = False
        self.running: dict[int, str] = {}
        self.threads: set[int] = set()  # one for each connection

    def get(self, name: str, schema: str | None = None, parameters: dict[str, Any] | None = None) -> Table:
        """A table or view by its name; see `Catalog.get`."""
        if (schema or "dbo").lower() == "dbo":
            if name.lower() == ENDLESS:
                return self._endless()
            if name.lower() == DEAF:
                return self._deaf()
            if name.lower() == VICTIM:
                return self._victim()
            if name.lower().startswith("msg_"):
                number = int(name[4:])
                raise QueryError(MESSAGES[number], number=number)
            made = next((one for one in self.writes.tables() if one.name.lower() == name.lower()), None)
            if made is not None:
                return made
            if name.lower() == KINDS:
                return kinds()
            if (view := self._view(name)) is not None:
                return view
        if (schema or "dbo").lower() in (one.lower() for one in self._schemas()[1:]):
            return super().get(f"{schema}.{name}", None, parameters)
        if (schema or "").lower() == "sys" and (read := self._completed().get(name.lower())) is not None:
            return read()
        return super().get(name, schema, parameters)

    def run(self, request: Any) -> Any:
        """Answer a batch; texts get the width that they have in UTF-16."""
        thread = threading.get_ident()
        sql = self.running[thread] = str(getattr(request, "sql", request))
        try:
            if (made := self._made(sql)) is not None:
                return made
            answer = self.answer(request)
        except QueryError as error:
            raise _as_the_server_says(error) from error
        finally:
            del self.running[thread]
        columns = [
            replace(column, type=_wide(column.type, (row[at] for row in answer.rows)))
            for at, column in enumerate(answer.columns)
        ]
        return replace(answer, columns=columns)

    def views(self) -> dict[str, Table]:
        """INFORMATION_SCHEMA, with views and schemas in it."""
        made: dict[str, Table] = catalogue.build(self._all())
        for view in (made["tables"], made["columns"]):
            schema, name = (view.index_of(one) for one in ("TABLE_SCHEMA", "TABLE_NAME"))
            for row in view.rows:
                if row[name] in self.about["views"] and view.name == "TABLES":
                    row[view.index_of("TABLE_TYPE")] = "VIEW"
                row[schema], row[name] = _parts(row[name])
        return made

    def load_all(self) -> list[Table]:
        """The tables of files, and those that statements have made."""
        return [*super().load_all(), *self.writes.tables()]

    # -- queries

    def _made(self, sql: str) -> Any:
        """Statements that pySQLbridge does not support: writes, statistics, versions and refused ones."""
        if any(part in sql for part in self.about["denied"]):
            raise QueryError("The user does not have permission to perform this action.", number=297, severity=14)
        if any(part in sql for part in self.about["broken"]):
            HERE.socket.shutdown(socket.SHUT_RDWR)
        if "dm_db_stats_histogram" in sql:
            return _answer(self._statistics(int(re.findall(r"TOP \((\d+)\)", sql)[-1])))
        version = self.about["version"]
        if version and "compatibility_level" in sql:
            product = 999 if version[1] in _AZURE else version[0] * 10
            return _answer(_table("version", [[product, version[2]]], product=_INT, level=_INT))
        for name, since in _SINCE.items():
            lacks = version and version[1] not in _AZURE and version[0] < since
            if lacks and re.search(rf"\b{name}\(", sql, re.IGNORECASE):
                raise QueryError(f"'{name}' is not a recognized built-in function name.", number=195, severity=15)
        return self.writes.answer(sql)

    def _statistics(self, count: int) -> Table:
        """The most frequent values of the columns that have a statistic; a row without one, where none is frequent."""
        found: list[list[Any]] = []
        for table, column in self.about["statistics"]:
            made = self.get(table)
            counted = Counter(row[made.index_of(column)] for row in made.rows).most_common()
            values = [value for value, times in counted if value is not None and times > 1][:count]
            found += [["dbo", table, column, value and json.dumps([value])] for value in values or [None]]
        return _table("statistics", found, schema=_TEXT, table=_TEXT, column=_TEXT, value=NVarChar(400))

    def _deaf(self) -> Table:
        """Waits until the client disconnects."""
        poll = select.poll()
        poll.register(HERE.socket, select.POLLRDHUP)
        poll.poll()
        raise QueryError("The request was cancelled by the client.", number=_CANCELLED)

    def _victim(self) -> Table:
        self._deadlocked = not self._deadlocked
        if self._deadlocked:
            raise QueryError(MESSAGES[1205], number=1205, severity=13)
        return _table(VICTIM, [[7]], n=_INT)

    def _endless(self) -> Table:
        """Waits until the client sends its cancel or disconnects."""
        select.select([HERE.socket], [], [])
        raise QueryError("The request was cancelled by the client.", number=_CANCELLED)

    def _view(self, name: str) -> Table | None:
        for view, sql in self.about["views"].items():
            if view.lower() == name.lower():
                answer = self.answer(sql)
                return Table(name=view, columns=answer.columns, rows=answer.rows)
        return None

    # -- the catalogue

    def _all(self) -> list[Table]:
        """Tables, then views, each with its columns."""
        return [*self.load_all(), *(self._view(name) for name in self.about["views"])]

    def _schemas(self) -> list[str]:
        """Their names, `dbo` first."""
        return list(dict.fromkeys(["dbo", *sorted(_parts(table.name)[0] for table in super().load_all())]))

    def _completed(self) -> dict[str, Callable[[], Table]]:
        return {
            "schemas": lambda: _table(
                "schemas", [[name, at] for at, name in enumerate(self._schemas(), start=1)], name=_TEXT, schema_id=_INT
            ),
            "objects": self._objects,
            "columns": self._columns,
            "key_constraints": self._key_constraints,
            "index_columns": self._index_columns,
            "foreign_keys": self._foreign_keys,
            "foreign_key_columns": self._foreign_key_columns,
            "extended_properties": self._extended_properties,
            "partitions": self._partitions,
            "triggers": self._triggers,
            "trigger_events": self._trigger_events,
            "dm_exec_requests": self._requests,
            "dm_exec_connections": self._connections,
            "dm_exec_sessions": self._sessions,
        }

    def _objects(self) -> Table:
        made = catalogue.sys_objects(self.load_all())
        views = [{"name": name, "object_id": catalogue.object_id(name), "type": "V", "type_desc": "VIEW"}
                 for name in self.about["views"]]  # fmt: skip
        more = catalogue._built("objects", catalogue.SYS_OBJECTS, views)
        rows, schemas = [*made.rows, *more.rows], self._schemas()
        kind, name, schema = (made.index_of(one) for one in ("type", "name", "schema_id"))
        for row in rows:
            owner, row[name] = _parts(row[name])
            row[kind], row[schema] = str(row[kind]).ljust(2), schemas.index(owner) + 1
        return Table(name="objects", columns=made.columns, rows=rows)

    def _columns(self) -> Table:
        made = catalogue.sys_columns(self._all())
        required = {(catalogue.object_id(table), column) for table, column in self.about["required"]}
        owner, name, nullable = (made.index_of(one) for one in ("object_id", "name", "is_nullable"))
        for row in made.rows:
            row[nullable] = (row[owner], row[name]) not in required
        return made

    def _keys(self) -> dict[str, list[str]]:
        """The columns of primary keys, by table."""
        return {**self.about["primary_keys"], **self.writes.keys()}

    def _key_constraints(self) -> Table:
        rows = [[f"PK_{table}", _number(f"PK_{table}"), 1, catalogue.object_id(table), "PK", 1]
                for table in self._keys()]  # fmt: skip
        return _table("key_constraints", rows, name=_TEXT, object_id=_INT, schema_id=_INT, parent_object_id=_INT,
                      type=NVarChar(2), unique_index_id=_INT)  # fmt: skip

    def _index_columns(self) -> Table:
        rows = [
            [catalogue.object_id(table), 1, place, self._place(table, column), place]
            for table, columns in self._keys().items()
            for place, column in enumerate(columns, start=1)
        ]
        return _table("index_columns", rows, object_id=_INT, index_id=_INT, index_column_id=_INT, column_id=_INT,
                      key_ordinal=_SMALL)  # fmt: skip

    def _foreign_keys(self) -> Table:
        rows = [[_key(key), _number(_key(key)), 1, catalogue.object_id(key[0]), catalogue.object_id(key[2])]
                for key in self.about["foreign_keys"]]  # fmt: skip
        return _table("foreign_keys", rows, name=_TEXT, object_id=_INT, schema_id=_INT, parent_object_id=_INT,
                      referenced_object_id=_INT)  # fmt: skip

    def _foreign_key_columns(self) -> Table:
        rows = [
            [_number(_key(key)), place, catalogue.object_id(key[0]), self._place(key[0], column),
             catalogue.object_id(key[2]), self._place(key[2], referred)]
            for key in self.about["foreign_keys"]
            for place, (column, referred) in enumerate(zip(key[1], key[3], strict=True), start=1)
        ]  # fmt: skip
        return _table("foreign_key_columns", rows, constraint_object_id=_INT, constraint_column_id=_INT,
                      parent_object_id=_INT, parent_column_id=_INT, referenced_object_id=_INT,
                      referenced_column_id=_INT)  # fmt: skip

    def _extended_properties(self) -> Table:
        rows = [
            [1, "OBJECT_OR_COLUMN", catalogue.object_id(table), self._place(table, column) if column else 0,
             "MS_Description", comment]
            for table, column, comment in self.about["comments"]
        ]  # fmt: skip
        names = {"class": _SMALL, "class_desc": NVarChar(60), "major_id": _INT, "minor_id": _INT, "name": _TEXT}
        return _table("extended_properties", rows, **names, value=NVarChar(4000))

    def _partitions(self) -> Table:
        rows = [[catalogue.object_id(table.name), 0, 1, len(table.rows)] for table in self.load_all()]
        return _table("partitions", rows, object_id=_INT, index_id=_INT, partition_number=_INT, rows=Integer(8))

    def _triggers(self) -> Table:
        rows = [[one.name, _number(one.name), int(catalogue.object_id(one.table)), int(one.instead), 0]
                for one in self.writes.triggers]  # fmt: skip
        return _table("triggers", rows, name=_TEXT, object_id=_INT, parent_id=_INT, is_instead_of_trigger=_INT,
                      is_disabled=_INT)  # fmt: skip

    def _trigger_events(self) -> Table:
        rows = [[_number(one.name), one.event.upper()] for one in self.writes.triggers]
        return _table("trigger_events", rows, object_id=_INT, type_desc=_TEXT)

    def _requests(self) -> Table:
        others = [sql for thread, sql in list(self.running.items()) if thread != threading.get_ident()]
        rows = [[place, "running", sql] for place, sql in enumerate(others)]
        return _table("dm_exec_requests", rows, session_id=_INT, status=_TEXT, command=NVarChar(4000))

    def _connections(self) -> Table:
        """The one that asks: others are no concern of a user without rights."""
        rows = [[HERE.session, str(HERE.encrypted).upper()]]
        return _table("dm_exec_connections", rows, session_id=_INT, encrypt_option=NVarChar(40))

    def _sessions(self) -> Table:
        """All but the one that asks."""
        rows = [[place] for place, thread in enumerate(list(self.threads)) if thread != threading.get_ident()]
        return _table("dm_exec_sessions", rows, session_id=_INT)

    def _place(self, table: str, column: str) -> int:
        found = next(one for one in self._all() if one.name.lower() == table.lower()).index_of(column)
        assert found is not None, f"{table} has no column {column}"
        return int(found) + 1


class Completed(Connection):  # type: ignore[misc]
    """A connection that refuses an unknown database. A commit or rollback begins the next transaction if the client
    asks for it, as FreeTDS does.
    """

    _begins_another = False

    def _answer_transaction(self, payload: bytes, responses: list[bytes]) -> None:
        kind = parse_transaction_request(payload, self._tds_version).kind
        at = skip_all_headers(payload, self._tds_version) + 2
        # The flag after the name, [MS-TDS] 2.2.7.17.
        self._begins_another = kind in _ENDS and bool(payload[at + 1 + payload[at]] & 1)
        super()._answer_transaction(payload, responses)

    def _transaction_envchange(self, request: TransactionRequest) -> bytes:
        tokens = bytes(super()._transaction_envchange(request))
        if self._begins_another:
            self._begins_another = False
            self._query_handler(Query(sql="BEGIN TRANSACTION", session=self._about()))
            tokens += super()._transaction_envchange(TransactionRequest(TransactionRequestType.BEGIN_XACT))
        return tokens

    def _finish_login(self, responses: list[bytes]) -> None:
        name = self.login.database
        if name in {"", DEFAULT_DATABASE}:
            super()._finish_login(responses)
            return
        if name in CLOSED:
            number, message = CLOSED[name]
            self._send(responses, error_response(number, message, tds_version=self._tds_version))
            self._state = ConnectionState.FAILED
            return
        message = f'Cannot open database "{name}" requested by the login. The login failed.'
        self._send(responses, error_response(_NO_DATABASE, message, tds_version=self._tds_version))
        self._state = ConnectionState.FAILED

    def _step_query(self, responses: list[bytes]) -> bool:
        HERE.encrypted, HERE.session = self.session_encrypted, self._spid
        return bool(super()._step_query(responses))


def _as_the_server_says(error: QueryError) -> QueryError:
    """An error of pySQLbridge with the server's text and number."""
    if "a subquery compared against one value returned" in str(error):
        return QueryError(MESSAGES[512], number=512)
    found = re.search(r"'(\w+)' is not a function this server knows", str(error))
    if found is None:
        return error
    return QueryError(f"'{found.group(1).lower()}' is not a recognized built-in function name.", number=195)


def _parts(name: str) -> tuple[str, str]:
    """Schema and table, of the name of a file."""
    schema, _, table = name.rpartition(".")
    return schema or "dbo", table


def _key(key: list[Any]) -> str:
    return f"FK_{key[0]}_{'_'.join(key[1])}"


def _number(name: str) -> int:
    return int(catalogue.object_id(name))


def _table(called: str, found: list[list[Any]], /, **columns: Any) -> Table:
    return Table(name=called, columns=[Column(one, kind) for one, kind in columns.items()], rows=found)


def _answer(table: Table) -> QueryResult:
    return QueryResult(columns=table.columns, rows=table.rows)


def _wide(kind: Any, values: Any) -> Any:
    """A text's type with room for its surrogate pairs."""
    if not isinstance(kind, NVarChar) or kind.is_max:
        return kind
    longest = max((len(str(value).encode("utf-16-le")) // 2 for value in values if value is not None), default=0)
    return kind if longest <= kind.max_chars else NVarChar(longest if longest <= 4000 else None)


def kinds() -> Table:
    """One row with a value of every type that a query can return."""
    moment = dt.datetime(2024, 2, 29, 10, 20, 30, 123456)
    offset, behind = (dt.timezone(dt.timedelta(minutes=minutes)) for minutes in (330, -210))
    guid = uuid.UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
    made: dict[str, tuple[Any, Any]] = {
        "tinyint": (Integer(1), 200),
        "smallint": (Integer(2), -5),
        "bigint": (Integer(8), 9007199254740993),
        "bit": (Bit(), True),
        "float": (Float(8), 0.1),
        "decimal": (wire.DecimalN(10, 2), Decimal("12.50")),
        "numeric": (wire.DecimalN(38, 9), Decimal("123456789012345678.123456789")),
        "money": (wire.Money(), Decimal("-1234.5678")),
        "date": (wire.Date(), moment.date()),
        "time": (wire.Time(), dt.time(10, 20, 30, 500000)),
        "datetime": (DateTime(), moment.replace(microsecond=0)),
        "datetime2": (wire.DateTime2(), moment),
        "datetimeoffset": (wire.DateTimeOffset(), moment.replace(tzinfo=offset)),
        "before_utc": (wire.DateTimeOffset(), moment.replace(microsecond=0, tzinfo=behind)),
        "nvarchar": (NVarChar(20), "😀 ünï"),
        "varchar": (wire.VarCharMax(), "Köln €"),
        "varbinary": (wire.VarBinaryMax(), b"\xde\xad\xbe\xef"),
        "rowversion": (wire.RowVersion(), b"\x00\x00\x00\x00\x00\x00\x07\xd1"),
        "uniqueidentifier": (UniqueIdentifier(), guid),
        "xml": (wire.Xml(), "<a>ü</a>"),
        "geography": (wire.Udt("geography"), b"\x01\x02"),
        "variant_int": (wire.SqlVariant(), 7),
        "variant_text": (wire.SqlVariant(), "ü"),
        "nothing": (wire.DateTimeOffset(), None),
    }  # fmt: skip
    columns = [Column(name, kind) for name, (kind, _) in made.items()]
    return Table(name=KINDS, columns=columns, rows=[[value for _, value in made.values()]])


def _read(path: Path) -> Table:
    """A CSV file; a column of nothing but ISO dates becomes datetime."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    columns, values = [], []
    for at, name in enumerate(head):
        cells: list[Any] = [row[at] if row[at] != "" else None for row in rows]
        if any(cells) and all(cell is None or _ISO.fullmatch(cell) for cell in cells):
            columns.append(Column(name, DateTime()))
            values.append([cell and dt.datetime.fromisoformat(cell) for cell in cells])
        else:
            column, read = infer_column(name, cells)
            columns.append(column)
            values.append(read)
    return Table(name=path.stem, columns=columns, rows=[list(row) for row in zip(*values, strict=True)])


def main() -> None:
    """Serve until the process is ended."""
    config = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    stand_in = StandIn(config["about"], Path(sys.argv[1]).parent)
    for path in sorted(Path(config["folder"]).glob("*.csv")):
        table = _read(path)
        stand_in.add(table)
        stand_in.writes.mirror(table)
    logins = [
        Login(user=user, secret=password, hashed=False, source="the configuration")
        for user, password in {config["user"]: config["password"], **config["passwords"]}.items()
    ]
    certificate = load_certificate(config["certificate"], config["key"])

    class Handler(_Handler):  # type: ignore[misc]
        def handle(self) -> None:
            HERE.socket = self.request
            stand_in.threads.add(threading.get_ident())
            try:
                super().handle()
            finally:
                stand_in.threads.discard(threading.get_ident())
                stand_in.writes.leave()

    bridge.Connection = Completed
    server = BridgeServer(config["host"], config["port"], certificate, stand_in.run, logins=LoginStore(logins))
    server.RequestHandlerClass = Handler
    print("listening", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()

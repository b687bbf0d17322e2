"""SQL Server: the layers under the guard, against a stand-in (pySQLbridge), over a real ODBC driver.

What the stand-in cannot show: it writes nothing, so nothing is rolled back in truth; it has no locks, so no timeout of
one runs out; and of a login's rights it knows nothing. Shown are the statements and requests that a real server gets,
and that none is held back by another layer.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import pytest
from alone import attempt, lone_statements
from unguarded import unguarded

from executors.engines.sqlserver.executor import SqlServerExecutor
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.sqlserver import SqlServerStandIn, drivers, serve

WRITES = (
    "INSERT INTO orders VALUES (9, 9)",
    "UPDATE orders SET amount = 0",
    "DELETE FROM orders",
    "DROP TABLE orders",
    "TRUNCATE TABLE orders",
    "SELECT * INTO loot FROM orders",
    "CREATE TABLE loot (a int)",
    "EXEC sp_executesql N'DELETE FROM orders'",
    "SELECT id FROM orders; COMMIT; DELETE FROM orders",
)


class Recorded:
    """A connection that remembers, in order, what is sent over it."""

    def __init__(self, connection: Any, sent: list[str]) -> None:
        self._connection, self._sent = connection, sent

    def cursor(self) -> Any:
        return Recorded(self._connection.cursor(), self._sent)

    def execute(self, sql: str) -> Any:
        self._sent.append(sql)
        return self._connection.execute(sql)

    def commit(self) -> None:
        self._sent.append("COMMIT")
        self._connection.commit()

    def rollback(self) -> None:
        self._sent.append("ROLLBACK")
        self._connection.rollback()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class Recording(SqlServerExecutor):
    """The executor, whose connections remember."""

    sent: list[str]

    def _connect(self) -> Any:
        return Recorded(super()._connect(), self.sent)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlServerStandIn]:
    folder = tmp_path_factory.mktemp("csv")
    with (folder / "orders.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "amount"), (1, 10), (2, 20), (3, 30)])
    with serve(folder) as server:
        yield server


@pytest.fixture(params=["microsoft", "freetds"])
def executor(server: SqlServerStandIn, request: pytest.FixtureRequest) -> Iterator[Recording]:
    if request.param not in drivers():
        pytest.skip(f"there is no ODBC driver named {request.param} on this machine")
    options = {"driver": drivers()[request.param], "trustservercertificate": "yes"}
    executor = Recording("shop", Address.parse(server.url(**options)), options=ServerOptions())
    executor.sent = []
    yield executor
    executor.close()


def test_the_words_alone_hold_every_write_back_before_it_is_sent(executor: Recording) -> None:
    assert attempt(executor, WRITES) == []
    assert executor.sent == []


def test_the_readers_login_alone_is_refused_every_write(executor: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    lone_statements(monkeypatch)

    assert attempt(executor, WRITES) == []
    assert set(WRITES) <= set(executor.sent), "they were sent, and it was the server that said no"
    assert executor.run(unguarded("SELECT count(*) FROM orders"), timeout_s=10).rows == ((3,),)


def test_what_ran_is_always_rolled_back_and_never_committed(executor: Recording) -> None:
    for sql in ("SELECT id FROM orders", "SELECT count(*) FROM orders", "SELECT nothing FROM orders"):
        attempt(executor, [sql])

        ran = executor.sent.index(sql)
        assert executor.sent[ran : ran + 2] == [sql, "ROLLBACK"]


def test_the_server_is_told_how_long_to_wait_for_a_lock(executor: Recording) -> None:
    executor.run(unguarded("SELECT id FROM orders"), timeout_s=7)

    assert "SET LOCK_TIMEOUT 7000" in executor.sent
    assert executor.sent.index("SET LOCK_TIMEOUT 7000") < executor.sent.index("SELECT id FROM orders")


def test_what_a_server_cannot_be_asked_is_told_as_unknown(executor: Recording) -> None:
    found = {layer.name: layer.holds for layer in executor.layers()}

    assert found["never committed"] is True
    assert found["reader's login"] is None

"""The contract of server executors, for engines whose server can be stopped, filled and inspected.

A class takes what its server can do: `class TestX(Outages, Pooling, Writing, ServerContract)`.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any, ClassVar

import pytest
from contract_suite import ROWS, Run, ServerContract
from unguarded import unguarded
from until import until
from write_suite import Writing

from executors.base import Cancel, Executor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed
from testbed.ports import free_port

__all__ = ["ByAdmin", "Outages", "Pooling", "Writing", "ask", "running"]


def ask(executor: Executor, sql: str, timeout_s: float = 30) -> Any:
    """The first value of a query."""
    return executor.run(unguarded(sql), timeout_s=timeout_s).rows[0][0]


def running(executor: Executor, sql: str, cancel: Cancel) -> tuple[threading.Thread, list[Exception]]:
    """A query in a new thread, with its error."""
    errors: list[Exception] = []

    def work() -> None:
        try:
            executor.run(unguarded(sql), timeout_s=60, cancel=cancel)
        except (SqlError, DatabaseUnavailable) as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, errors


class ByAdmin(ServerContract):
    """Statements that a test runs on a server, besides the executor. `server` has `admin()`, a connection that may do
    everything.
    """

    def manage(self, server: Any, sql: str) -> None:
        with server.admin() as admin:
            admin(sql)

    @contextmanager
    def locked(self, server: Any, table: str) -> Iterator[None]:
        with server.admin() as admin:
            admin("BEGIN")
            admin(f"UPDATE {table} SET id = id")
            yield
            admin("ROLLBACK")


class Outages(ServerContract):
    """The message if there is no connection. `server` has `stop()` and `start()`.

    secrets: what no message may hold: addresses, users, passwords.
    """

    secrets: ClassVar[tuple[str, ...]]

    def unavailable(self, executor: Executor) -> str:
        """The message for a database that cannot be opened."""
        with closing(executor), pytest.raises(DatabaseUnavailable) as raised:
            executor.run(unguarded(self.one), timeout_s=20)
        self.tells_nothing(str(raised.value))
        with pytest.raises(DatabaseUnavailable):
            executor.schema()
        return str(raised.value)

    def tells_nothing(self, message: str) -> None:
        assert [secret for secret in self.secrets if secret in message] == []

    def test_a_restart_between_two_queries_goes_unnoticed(self, executor: Executor, run: Run, server: Any) -> None:
        with ThreadPoolExecutor(4) as pool:  # several connections, all of which will be dead
            list(pool.map(lambda _: run("SELECT count(*) FROM people"), range(8)))
        server.stop()
        server.start()

        with ThreadPoolExecutor(4) as pool:
            counted = list(pool.map(lambda _: run("SELECT count(*) FROM people").rows, range(8)))
        assert counted == [((ROWS,),)] * 8

    def test_a_server_that_is_down_is_reported_until_it_is_back(self, server: Any) -> None:
        with closing(self.connect(server)) as executor:
            ask(executor, self.one)
            server.stop()
            try:
                for _ in range(2):
                    with pytest.raises(DatabaseUnavailable, match="check that it runs") as raised:
                        ask(executor, self.one)
                    self.tells_nothing(str(raised.value))
                    with pytest.raises(DatabaseUnavailable, match="check that it runs"):
                        executor.schema()
            finally:
                server.start()

            assert ask(executor, "SELECT count(*) FROM people") == ROWS
            assert executor.schema().table("people")

    def test_a_server_that_stops_under_a_query_is_reported(self, server: Any) -> None:
        with closing(self.connect(server)) as executor:
            cancel = Cancel()
            thread, errors = running(executor, self.endless, cancel)
            try:
                until(lambda: self.running(server))
                server.stop()
                thread.join(60)
            finally:
                cancel.cancel()
                server.start()
                thread.join()

            assert [type(error) for error in errors] == [DatabaseUnavailable]
            assert "ask again" in str(errors[0])
            self.tells_nothing(str(errors[0]))
            assert ask(executor, "SELECT count(*) FROM people") == ROWS

    def test_a_wrong_password_is_reported(self, server: Any) -> None:
        said = self.unavailable(self.connect(server, password="no such password"))

        assert "the user or the password" in said
        assert "databases.yaml" in said

    def test_an_unknown_database_is_reported(self, server: Any) -> None:
        assert "no such database" in self.unavailable(self.connect(server, database="nowhere"))

    def test_a_closed_port_is_reported(self, server: Any) -> None:
        assert "does not answer" in self.unavailable(self.connect(server, port=free_port()))


class Pooling(ServerContract):
    """How connections and schemas are kept.

    connection: a query that returns the id of its connection.
    """

    connection: ClassVar[str]

    @abstractmethod
    def connections(self, server: Any) -> int:
        """How many connections of the project the server has."""

    @abstractmethod
    def manage(self, server: Any, sql: str) -> None:
        """Run a statement as the server's administrator."""

    @pytest.fixture
    def alone(self, server: Any, executor: Executor) -> Iterator[None]:
        """No other connection is open."""
        executor.close()
        until(lambda: self.connections(server) == 0)
        yield
        until(lambda: self.connections(server) == 0)

    @pytest.mark.usefixtures("alone")
    def test_no_failure_leaves_a_connection_behind(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=2)) as executor:
            for _ in range(3):
                with pytest.raises(SqlFailed):
                    ask(executor, "SELECT nothing FROM nowhere")
                with pytest.raises(SqlFailed, match=r"within 0\.2 seconds"):
                    ask(executor, self.endless, timeout_s=0.2)
                cancel = Cancel()
                cancel.cancel()
                with pytest.raises(SqlFailed, match="no longer wanted"):
                    executor.run(unguarded(self.endless), timeout_s=20, cancel=cancel)

            until(lambda: self.connections(server) <= 2)
            assert ask(executor, "SELECT count(*) FROM people") == ROWS

    @pytest.mark.usefixtures("alone")
    def test_there_are_never_more_connections_than_the_pool_has(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=3)) as executor, ThreadPoolExecutor(20) as pool:
            work = [pool.submit(ask, executor, "SELECT count(*) FROM people") for _ in range(60)]
            seen = [self.connections(server)]
            while not all(one.done() for one in work):
                seen.append(self.connections(server))

            assert {one.result() for one in work} == {ROWS}
            assert 1 <= max(seen) <= 3

    def test_a_connection_is_used_again(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=1)) as executor:
            assert len({ask(executor, self.connection) for _ in range(5)}) == 1

    def test_a_connection_on_which_something_was_stopped_is_not_used_again(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=1)) as executor:
            before = ask(executor, self.connection)
            stop = Cancel()  # by us: where the server's own timeout comes first, nothing can come late
            thread, errors = running(executor, self.endless, stop)
            until(lambda: self.running(server))
            stop.cancel()
            thread.join()

            assert [type(error) for error in errors] == [SqlFailed]
            assert ask(executor, self.connection) != before

    def test_a_wait_for_a_connection_ends_with_the_timeout(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=1)) as executor:
            stop = Cancel()
            thread, _ = running(executor, self.endless, stop)
            until(lambda: self.running(server))

            with pytest.raises(SqlFailed, match="busy") as raised:
                ask(executor, self.one, timeout_s=0.2)
            assert raised.value.kind is ErrorKind.RESOURCE
            unwanted = Cancel()
            threading.Timer(0.1, unwanted.cancel).start()
            with pytest.raises(SqlFailed, match="no longer wanted"):
                executor.run(unguarded(self.one), timeout_s=60, cancel=unwanted)
            stop.cancel()
            thread.join()
            assert ask(executor, self.one) == 1

    def test_a_hint_needs_no_second_connection(self, server: Any) -> None:
        with closing(self.connect(server, pool_size=1)) as executor, pytest.raises(SqlFailed) as raised:
            ask(executor, "SELECT nmae FROM people", timeout_s=5)

        assert "name" in raised.value.hint

    @pytest.mark.usefixtures("alone")
    def test_close_closes_what_is_in_use_as_well(self, server: Any) -> None:
        executor = self.connect(server)
        ask(executor, self.one)
        stop = Cancel()
        thread, _ = running(executor, self.endless, stop)
        until(lambda: self.running(server))
        executor.close()
        stop.cancel()
        thread.join()

        until(lambda: self.connections(server) == 0)

    def test_threads_that_ask_for_the_schema_at_once_get_the_same(self, server: Any) -> None:
        start = threading.Barrier(8)

        def read(_: int) -> object:
            start.wait()
            return executor.schema()

        with closing(self.connect(server)) as executor, ThreadPoolExecutor(8) as pool:
            assert len({id(schema) for schema in pool.map(read, range(8))}) == 1

    def test_a_schema_is_read_again_after_refresh(self, server: Any) -> None:
        with closing(self.connect(server)) as executor:
            before = executor.schema()
            self.manage(server, "CREATE TABLE newcomers (id INTEGER)")
            try:
                assert executor.schema() is before
                executor.refresh()
                assert executor.schema().table("newcomers") or executor.schema() is not before
            finally:
                self.manage(server, "DROP TABLE newcomers")

    def test_a_schema_is_read_again_when_its_time_is_over(self, server: Any) -> None:
        with closing(self.connect(server, schema_ttl_s=0.05)) as executor:
            before = executor.schema()

            until(lambda: executor.schema() is not before)

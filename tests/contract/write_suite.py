"""The contract of server executors for writes, if writing is allowed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from typing import Any, ClassVar, Literal

import pytest
from contract_suite import ServerContract
from unguarded import unguarded

from executors.base import CheckedWrite, Executor, WriteResult
from executors.errors import ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.guard.write import check_write


class Writing(ServerContract):
    """`Executor.write`, where it was allowed.

    watched: statements that have two rows written to a table `audit` for each UPDATE of the ledger, at least.
    unwatched: what undoes them.
    rewriting: statements that have a trigger make 77 of every amount that is updated.
    unrewriting: what undoes them.
    raising: statements that have a trigger refuse every update with an error of its own.
    """

    watched: ClassVar[tuple[str, ...]]
    unwatched: ClassVar[tuple[str, ...]] = ("DROP TABLE audit",)
    rewriting: ClassVar[tuple[str, ...]]
    unrewriting: ClassVar[tuple[str, ...]] = ()
    raising: ClassVar[tuple[str, ...]]

    @abstractmethod
    def manage(self, server: Any, sql: str) -> None:
        """Run a statement as the server's administrator."""

    @abstractmethod
    def locked(self, server: Any, table: str) -> AbstractContextManager[None]:
        """Inside the block, another transaction has written every row of the table and not committed."""

    @pytest.fixture
    def ledger(self, server: Any) -> Iterator[None]:
        """Three entries, the ids of which are 1, 2 and 3, of the person 1."""
        self.manage(server, "CREATE TABLE ledger (id INTEGER NOT NULL PRIMARY KEY, amount INTEGER NOT NULL, "
                            "people_id INTEGER, FOREIGN KEY (people_id) REFERENCES people (id))")  # fmt: skip
        self.manage(server, "INSERT INTO ledger VALUES (1, 10, 1), (2, 20, 1), (3, 30, 1)")
        yield
        self.manage(server, "DROP TABLE ledger")

    @pytest.fixture
    def writer(self, server: Any, ledger: None) -> Iterator[Executor]:
        with closing(self.connect_writer(server)) as executor:
            yield executor

    @abstractmethod
    def connect_writer(self, server: Any) -> Executor:
        """An executor that may write, with a user who may."""

    @staticmethod
    def write(
        executor: Executor, sql: str, *, commit: bool = True, max_rows: int = 10, exactly: int | None = None,
        timeout_s: float = 30,
    ) -> WriteResult:  # fmt: skip
        kinds: dict[str, Literal["insert", "update", "delete"]] = {
            "INSERT": "insert",
            "UPDATE": "update",
            "DELETE": "delete",
        }
        statement = CheckedWrite(sql=sql, kind=kinds.get(sql.split()[0], "update"), table="ledger")
        return executor.write(statement, timeout_s=timeout_s, commit=commit, max_rows=max_rows, exactly=exactly)

    @staticmethod
    def amounts(executor: Executor) -> list[int]:
        rows = executor.run(unguarded("SELECT amount FROM ledger ORDER BY id"), timeout_s=30).rows
        return [row[0] for row in rows]

    @pytest.mark.parametrize("sql, rows, after", [
        ("INSERT INTO ledger VALUES (4, 40, 2)", 1, [10, 20, 30, 40]),
        ("UPDATE ledger SET amount = amount + 1 WHERE id < 3", 2, [11, 21, 30]),
        ("DELETE FROM ledger WHERE id = 1", 1, [20, 30]),
        ("DELETE FROM ledger WHERE id = 99", 0, [10, 20, 30]),
    ])  # fmt: skip
    def test_a_dry_run_says_what_the_write_then_does(
        self, writer: Executor, sql: str, rows: int, after: list[int]
    ) -> None:
        tried = self.write(writer, sql, commit=False)
        assert (tried.rows_affected, tried.committed) == (rows, False)
        assert self.amounts(writer) == [10, 20, 30]

        done = self.write(writer, sql, exactly=rows)
        assert (done.rows_affected, done.committed) == (rows, True)
        assert self.amounts(writer) == after

    def test_a_write_counts_its_own_rows_and_not_its_triggers(self, writer: Executor, server: Any) -> None:
        for statement in self.watched:
            self.manage(server, statement)
        try:
            with pytest.raises(SqlFailed, match="3 rows, and 2 are allowed"):
                self.write(writer, "UPDATE ledger SET amount = 0 WHERE id > 0", max_rows=2)
            done = self.write(writer, "UPDATE ledger SET amount = amount + 1 WHERE id < 3", exactly=2)

            assert (done.rows_affected, done.committed) == (2, True)
            assert self.amounts(writer) == [11, 21, 30]
        finally:
            for statement in self.unwatched:
                self.manage(server, statement)

    # -- read again before the commit

    @staticmethod
    def checked(executor: Executor, sql: str) -> CheckedWrite:
        executor.refresh()
        return check_write(sql, executor.schema(), row_limit=10)

    def again(self, executor: Executor, sql: str, *, commit: bool = True) -> WriteResult:
        return executor.write(self.checked(executor, sql), timeout_s=30, commit=commit, max_rows=10)

    @pytest.mark.parametrize("sql, found, after", [
        ("UPDATE ledger SET amount = amount * 2 + 1, people_id = NULL WHERE id < 3", 2, [21, 41, 30]),
        ("UPDATE ledger SET id = id + 10 WHERE id > 1", 2, [10, 20, 30]),
        ("DELETE FROM ledger WHERE amount IN (10, 30)", 2, [20]),
        ("INSERT INTO ledger (amount, id) VALUES (1 + 4, 5), (6, 6)", 2, [10, 20, 30, 5, 6]),
        ("INSERT INTO ledger SELECT id + 20, amount, people_id FROM ledger WHERE id = 3", 1, [10, 20, 30, 30]),
        ("DELETE FROM ledger WHERE id = 99", 0, [10, 20, 30]),
    ])  # fmt: skip
    def test_what_was_written_is_read_again_by_its_key(
        self, writer: Executor, sql: str, found: int, after: list[int]
    ) -> None:
        tried = self.again(writer, sql, commit=False)
        assert (tried.rows_affected, tried.read_back, tried.unread, tried.committed) == (found, found, "", False)

        done = self.again(writer, sql)
        assert (done.rows_affected, done.read_back, done.committed) == (found, found, True)
        assert self.amounts(writer) == after

    @pytest.mark.parametrize("commit", [False, True])
    def test_what_a_trigger_makes_of_the_rows_is_found_and_undone(
        self, writer: Executor, server: Any, commit: bool
    ) -> None:
        for statement in self.rewriting:
            self.manage(server, statement)
        try:
            with pytest.raises(SqlFailed, match="2 of 2 rows would hold something else than was set in amount") as told:
                self.again(writer, "UPDATE ledger SET amount = 5 WHERE id < 3", commit=commit)
            assert told.value.kind is ErrorKind.CONSTRAINT
            assert self.amounts(writer) == [10, 20, 30]

            agreed = self.again(writer, "UPDATE ledger SET amount = 77 WHERE id = 1", commit=commit)
            assert (agreed.read_back, agreed.committed) == (1, commit), "what the trigger makes of it anyway"
        finally:
            for statement in self.unrewriting:
                self.manage(server, statement)

    def test_what_a_trigger_refuses_changes_nothing(self, writer: Executor, server: Any) -> None:
        for statement in self.raising:
            self.manage(server, statement)
        try:
            with pytest.raises(SqlFailed) as told:
                self.again(writer, "UPDATE ledger SET amount = 5 WHERE id < 3")
            assert told.value.kind is ErrorKind.CONSTRAINT
            assert self.amounts(writer) == [10, 20, 30]
            assert self.again(writer, "DELETE FROM ledger WHERE id = 1").committed
        finally:
            for statement in self.unrewriting:
                self.manage(server, statement)

    def test_a_write_of_too_many_rows_changes_nothing(self, writer: Executor) -> None:
        with pytest.raises(SqlFailed, match="3 rows, and 2 are allowed") as raised:
            self.write(writer, "UPDATE ledger SET amount = 0 WHERE id > 0", max_rows=2)

        assert raised.value.kind is ErrorKind.RESOURCE
        assert self.amounts(writer) == [10, 20, 30]

    def test_a_write_of_other_rows_than_were_agreed_is_undone(self, writer: Executor) -> None:
        result = self.write(writer, "DELETE FROM ledger WHERE id > 1", exactly=1)

        assert (result.rows_affected, result.committed) == (2, False)
        assert self.amounts(writer) == [10, 20, 30]

    @pytest.mark.parametrize("sql", [
        "INSERT INTO ledger VALUES (4, 40, 1), (1, 10, 1)",  # the key is there already
        "INSERT INTO ledger VALUES (4, NULL, 1)",
        "UPDATE ledger SET people_id = 99999 WHERE id > 0",  # there is no such person
    ])  # fmt: skip
    @pytest.mark.parametrize("commit", [False, True])
    def test_what_breaks_a_rule_of_the_database_changes_nothing(self, writer: Executor, sql: str, commit: bool) -> None:
        with pytest.raises(SqlFailed):
            self.write(writer, sql, commit=commit)

        assert self.amounts(writer) == [10, 20, 30]

    @pytest.mark.parametrize("sql", [
        "DROP TABLE ledger",
        "TRUNCATE TABLE ledger",
        "UPDATE ledger SET amount = 0; DELETE FROM ledger",
        "SELECT 1",
        "COMMIT",
    ])  # fmt: skip
    def test_only_a_write_can_be_written_with_the_guard_switched_off(self, writer: Executor, sql: str) -> None:
        with pytest.raises(SqlFailed) as raised:
            self.write(writer, sql)

        assert raised.value.kind is ErrorKind.NOT_READ_ONLY
        assert self.amounts(writer) == [10, 20, 30]

    @pytest.mark.usefixtures("ledger")
    def test_nothing_is_written_where_it_was_not_allowed(self, server: Any, executor: Executor) -> None:
        with pytest.raises(SqlRefused, match="reading only"):
            self.write(executor, "DELETE FROM ledger WHERE id = 1", commit=False)

    def test_a_writer_reads_in_a_read_only_session(self, writer: Executor) -> None:
        self.write(writer, "DELETE FROM ledger WHERE id = 1")

        with pytest.raises(SqlError):
            writer.run(unguarded("DELETE FROM ledger WHERE id = 2"), timeout_s=30)
        assert self.amounts(writer) == [20, 30]

    def test_a_write_that_waits_for_another_one_ends_with_its_time(self, writer: Executor, server: Any) -> None:
        with (
            self.locked(server, "ledger"),
            pytest.raises(SqlFailed, match=r"(within|for) 1 seconds") as raised,
        ):
            self.write(writer, "UPDATE ledger SET amount = 0 WHERE id = 1", timeout_s=1)

        assert raised.value.kind is ErrorKind.TIMEOUT
        assert self.amounts(writer) == [10, 20, 30]
        assert self.write(writer, "UPDATE ledger SET amount = 0 WHERE id = 1").committed

"""A stand-in of SQL Server with a few tables and a partial catalogue."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest
from server_suite import Writing, ask

from executors.base import dialect_row
from executors.engines.sqlserver.executor import SqlServerExecutor
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused
from executors.guard import guard
from executors.registry.address import Address
from executors.registry.entry import ServerOptions
from testbed.sqlserver import Described, SqlServerStandIn, drivers, serve


def write(folder: Path, table: str, columns: tuple[str, ...], *rows: tuple[Any, ...]) -> None:
    with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def connect(server: SqlServerStandIn, driver: str, **changes: Any) -> SqlServerExecutor:
    options = {"driver": drivers()[driver], "trustservercertificate": "yes", **changes.pop("query", {})}
    login = {key: changes.pop(key) for key in ("database", "user", "password") if key in changes}
    address = Address.parse(server.url(**login, **options))
    address = address.model_copy(update={key: changes.pop(key) for key in ("host", "port") if key in changes})
    # Microsoft's driver waits so long for a server, even where nothing listens.
    return SqlServerExecutor("people", address, options=ServerOptions(**{"connect_timeout_s": 2, **changes}))


class PartialCatalogue(Writing):
    """The schema, from less than everything."""

    driver: ClassVar[str]

    def test_a_schema_survives_a_connection_that_breaks_on_what_it_can_do_without(self, tmp_path: Path) -> None:
        write(tmp_path, "people", ("id", "name"), (1, "a"))
        with serve(tmp_path, Described(broken=["sys.foreign_keys", "dm_db_stats_histogram"])) as server:
            for pool_size in (1, 4):
                executor = connect(server, self.driver, pool_size=pool_size)

                assert [table.name for table in executor.schema().tables] == ["people"]
                assert "Foreign keys could not be read; see the service's log." in executor.warnings
                assert ask(executor, "SELECT count(*) FROM people") == 1
                executor.close()

    def test_a_schema_is_read_without_rights_on_parts_of_the_catalogue(self, tmp_path: Path) -> None:
        write(tmp_path, "people", ("id", "name"), (1, "a"), (2, "b"))
        denied = ["sys.foreign_keys", "sys.key_constraints", "dm_db_stats_histogram", "compatibility_level"]
        with serve(tmp_path, Described(denied=denied)) as server:
            executor = connect(server, self.driver)

            people = self.table(executor, "people")
            assert people.columns[1].samples == ("a", "b")
            assert len(executor.warnings) == 3
            executor.close()

    @pytest.mark.parametrize("part", ["sys.extended_properties", "sys.partitions", "sys.objects", "is_hidden"])
    def test_what_a_server_lacks_of_its_catalogue_costs_no_more_than_that(self, tmp_path: Path, part: str) -> None:
        """As on servers that are like SQL Server, and on logins that see a part."""
        write(tmp_path, "people", ("id", "na]me"), (1, "a"), (2, "b"))
        write(tmp_path, "we]ird", ("a b",), (1,))
        about = Described(denied=[part], views={"both": "SELECT id FROM people"})
        with serve(tmp_path, about) as server, closing(connect(server, self.driver)) as executor:
            people = self.table(executor, "people")

            assert [(it.name, it.type) for it in people.columns] == [("id", "int"), ("na]me", "nvarchar(1)")]
            assert people.columns[1].samples == ("a", "b")
            assert {it.name: it.is_view for it in executor.schema().tables} == {
                "people": False, "we]ird": False, "both": True,
            }  # fmt: skip
            assert "Comments and numbers of rows could not be read; see the service's log." in executor.warnings

    @pytest.mark.parametrize("refused", ["SET DEADLOCK_PRIORITY", "SET ARITHABORT", "SET LOCK_TIMEOUT"])
    def test_a_session_goes_without_what_the_server_refuses_to_set(self, tmp_path: Path, refused: str) -> None:
        write(tmp_path, "people", ("id", "name"), (1, "a"))
        with (
            serve(tmp_path, Described(denied=[refused])) as server,
            closing(connect(server, self.driver, writable=True)) as executor,
        ):
            assert ask(executor, "SELECT count(*) FROM people") == 1
            assert [table.name for table in executor.schema().tables] == ["people"]
            server.execute("CREATE TABLE ledger (id INTEGER PRIMARY KEY)")
            assert self.write(executor, "INSERT INTO ledger VALUES (1)").committed

    def test_a_login_that_may_not_read_the_catalogue_is_reported(self, tmp_path: Path) -> None:
        write(tmp_path, "people", ("id", "name"), (1, "a"))
        with (
            serve(tmp_path, Described(denied=["sys.columns", "INFORMATION_SCHEMA.COLUMNS"])) as server,
            closing(connect(server, self.driver)) as executor,
            pytest.raises(DatabaseUnavailable, match="may not read the catalogue"),
        ):
            executor.schema()

    @pytest.mark.parametrize(("version", "known", "lacks"), [
        ((13, 3, 130), (130, 130), {"datetrunc", "greatest", "string_agg", "generate_series"}),  # 2016
        ((15, 3, 150), (150, 150), {"datetrunc", "greatest", "generate_series"}),  # 2019
        ((16, 3, 150), (160, 150), {"generate_series"}),  # 2022, with a database of before
        ((16, 3, 160), (160, 160), set()),
        ((12, 5, 150), (999, 150), {"generate_series"}),  # Azure SQL says 12 of itself
        ((99, 3, 255), (990, 255), set()),  # not known here: as the newest
        ((12, 3, 120), (120, 120), set()),  # nor this: nothing is taken away, the server has the last word
    ])  # fmt: skip
    def test_a_query_uses_what_the_servers_version_has(
        self, tmp_path: Path, version: tuple[int, ...], known: tuple[int, ...], lacks: set[str]
    ) -> None:
        write(tmp_path, "people", ("id", "born"), (1, "2024-02-29"))
        with serve(tmp_path, Described(version=version)) as server, closing(connect(server, self.driver)) as executor:
            schema = executor.schema()
            row = dialect_row(schema)
            assert schema.version == known
            assert ("DATETRUNC" in row.truncate_month) is (known[0] >= 160)
            calls = {"datetrunc": "DATETRUNC(month, born)", "greatest": "GREATEST(id, 2)",
                     "string_agg": "STRING_AGG(born, ',')"}  # fmt: skip
            for name, call in calls.items():
                if name in lacks:
                    with pytest.raises(SqlRefused) as refused:
                        guard.check(f"SELECT {call} FROM people", schema, row_limit=5)
                    assert row.instead[name] in refused.value.hint
                    with pytest.raises(SqlFailed) as failed:
                        ask(executor, f"SELECT {call} FROM people")
                    assert failed.value.kind is ErrorKind.FUNCTION_NOT_FOUND
                    assert row.instead[name] in failed.value.hint
                else:
                    guard.check(f"SELECT {call} FROM people", schema, row_limit=5)
            assert ("generate_series" not in row.table_functions) is ("generate_series" in lacks)

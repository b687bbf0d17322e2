"""Every failure of a database, on real servers and files: the caller's response, and the recovery."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from faulty_engines import CROSS_JOIN, ONE, Duckdb, Engine, File, Mariadb, Postgres, Server, Sqlite
from faulty_model import FaultyModel
from faulty_service import serving, settings_for
from until import until

from testbed import mariadb

# What `POST execute` answers; `-`: files have no sessions, nor has mariadbd a signal handler for a limit on its files.
# After each, the next query is answered.
MATRIX = """
fault           postgresql  mariadb  sqlite  duckdb
down            503         503      503     503
corrupt         -           -        503     503
restarted       503         503      -       -
no_connections  503         503      -       -
killed          503         503      -       -
cross_join      504         504      504     504
no_room         422         -        422     422
huge_cell       200         200      422     200
"""
_HEAD, *_ROWS = (line.split() for line in MATRIX.strip().splitlines())
CELLS = [
    pytest.param(engine, row[0], int(outcome), id=f"{engine}-{row[0]}")
    for row in _ROWS
    for engine, outcome in zip(_HEAD[1:], row[1:], strict=True)
    if outcome != "-"
]
SAYS = {
    503: "urn:plumbline:problem:database-unavailable",
    504: "urn:plumbline:problem:sql-failed",
    422: "urn:plumbline:problem:sql-failed",
}
CELL = "SELECT body FROM wide"
# Four million different numbers, more than may be held in memory: they are written somewhere.
DISTINCT = "SELECT COUNT(DISTINCT a.n * 2000 + b.n) AS numbers FROM numbers a CROSS JOIN numbers b"
CHANGES: dict[str, dict[str, Any]] = {"no_room": {"duckdb_memory": "40MB"}}


# ------------------------------------------------------------------------------------------------ the service


@pytest.fixture(scope="module")
def model() -> Iterator[FaultyModel]:
    with FaultyModel().running() as server:
        yield server


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Engine]]:
    """Each engine, started once."""
    started: dict[str, Engine] = {}
    servers = ExitStack()
    make: dict[str, Callable[[], Engine]] = {
        "postgresql": lambda: Postgres(servers),
        "mariadb": lambda: Mariadb(servers),
        "cramped postgresql": lambda: Postgres(servers, cramped=True),
        "sqlite": lambda: Sqlite(tmp_path_factory.mktemp("sqlite")),
        "duckdb": lambda: Duckdb(tmp_path_factory.mktemp("duckdb")),
    }

    def engine(name: str) -> Engine:
        if name not in started:
            started[name] = make[name]()
        return started[name]

    with servers:
        yield engine


@contextmanager
def asking(engine: Engine, model: FaultyModel, folder: Path, **changes: Any) -> Iterator[httpx2.Client]:
    """A service of that database, with one place for its queries: what does not end is in everybody's way."""
    registry = folder / "databases.yaml"
    registry.write_text(f"db: {{url: '{engine.url}'}}\n", encoding="utf-8")
    limits = {"queries_per_database": 1, "query_timeout_s": 30, "connect_timeout_s": 5, "enable_retrieval": False}
    with serving(settings_for(model, registry, folder / "state", **{**limits, **changes})) as client:
        yield client


def execute(client: httpx2.Client, sql: str = ONE, **more: Any) -> httpx2.Response:
    return client.post("/execute", json={"database": "db", "sql": sql, **more})


def while_it_runs(client: httpx2.Client, engine: Server, happens: Callable[[], None]) -> httpx2.Response:
    """The response to a query under which something happens."""
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(execute, client, CROSS_JOIN)
        until(lambda: len(engine.busy()) == 1)
        happens()
        return asked.result()


def failing(fault: str, engine: Engine, client: httpx2.Client) -> httpx2.Response:
    """The response under a fault, which is over afterwards."""
    match fault, engine:
        case "down", _:
            engine.stop()
            response = execute(client)
            engine.start()
        case "corrupt", File():
            engine.corrupt()
            response = execute(client)
            engine.start()
        case "restarted", Server():
            response = while_it_runs(client, engine, engine.stop)
            engine.start()
        case "killed", Server():
            response = while_it_runs(client, engine, engine.kill_busy)
        case "no_connections", Server():
            with engine.exhausted():
                response = execute(client)
        case "no_room", _:
            with engine.no_room():
                response = execute(client, DISTINCT)
        case "cross_join", _:
            # Not the service's own limit: for the next query a new process may have to begin.
            response = execute(client, CROSS_JOIN, timeout_s=1)
            if isinstance(engine, Server):
                until(lambda: not engine.busy())
        case _:
            response = execute(client, CELL)
    return response


@pytest.mark.parametrize("name, fault, status", CELLS)
def test_cell(
    name: str, fault: str, status: int, engines: Callable[[str], Engine], model: FaultyModel, tmp_path: Path
) -> None:
    if name == "mariadb" and (reason := mariadb.missing()):
        pytest.skip(reason)
    cramped = fault == "no_room" and name == "postgresql"
    engine = engines(f"cramped {name}" if cramped else name)
    with asking(engine, model, tmp_path, **CHANGES.get(fault, {})) as client:
        response = failing(fault, engine, client)
        body = response.json()
        assert response.status_code == status, body
        if status == 200:
            (cell,) = body["rows"][0]
            assert cell.startswith("xxx")
            assert "[cut: 52,428,800 characters]" in cell
            assert len(response.content) < 1_000_000
        else:
            assert body["type"] == SAYS[status]
            assert not re.search(r"/|pgsql_tmp|only reads", body["detail"]), "no path, and nothing of the address"
        after = execute(client)
        assert (after.status_code, after.json().get("rows")) == (200, [[7]]), "the next one is answered"

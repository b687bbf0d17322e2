"""The fuzzers, for some seconds: cases that are the same each time, and all that was ever kept of longer runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from eventually import eventually

from fuzz import private
from fuzz.campaign import Figures, examples
from fuzz.cases import Case, Check, Target
from fuzz.corpus import keep, read_cases
from fuzz.engines import CANARY, OpenEngine, open_engines
from fuzz.functions import calls
from fuzz.guard import GuardCheck
from fuzz.targets import TARGETS

EXAMPLES = {"guard": 150, "calculator": 150, "replies": 300, "docs": 150, "http": 60, "nesting": 60, "bombs": 10}
EXAMPLES |= {"private": 80, "connections": 25}
HARMFUL = {
    "sqlite": (
        *("DELETE FROM orders", "PRAGMA user_version = 9", "ATTACH '/canary/new' AS x", "CREATE TEMP TABLE x (a)"),
    ),
    "duckdb": (
        *("DELETE FROM orders", "SELECT nextval('counted')", "SELECT * FROM read_csv('/canary/secret.csv')"),
        *("COPY orders TO '/canary/new'", "SET TimeZone = 'Asia/Tokyo'", "SET VARIABLE x = 1"),
        *("CREATE TEMP TABLE x (a INT)", "CREATE TYPE mood AS ENUM ('glad')"),
    ),
    "postgresql": (
        *("UPDATE orders SET status = status", "SELECT nextval('counted')", "COPY orders TO '/canary/new'"),
        *("SELECT pg_read_file('/canary/secret.txt')", "SELECT set_config('TimeZone', 'Asia/Tokyo', false)"),
        *("SELECT total(3)", "SELECT pg_advisory_lock(1)", "SELECT lo_create(0)", "LISTEN x", "CREATE ROLE eve"),
        *("SELECT pg_terminate_backend(pg_backend_pid())", "SELECT pg_reload_conf()", "PREPARE x AS SELECT 1"),
    ),
}


@pytest.fixture(scope="module")
def engines() -> Iterator[dict[str, OpenEngine]]:
    with open_engines() as opened:
        yield opened


@pytest.fixture(scope="module")
def guarded(engines: dict[str, OpenEngine]) -> GuardCheck:
    return GuardCheck(engines)


@pytest.fixture(params=list(TARGETS))
def opened(request: pytest.FixtureRequest, guarded: GuardCheck) -> Iterator[tuple[Target, Check]]:
    target = TARGETS[request.param]
    if target.name == "guard":
        yield target, guarded
        return
    with target.opened() as check:
        yield target, check


def test_a_short_run_finds_nothing(opened: tuple[Target, Check]) -> None:
    target, check = opened

    figures = examples(target, check, EXAMPLES[target.name])

    assert figures.cases >= EXAMPLES[target.name] / 2
    assert not figures.findings


def test_what_was_kept_passes(opened: tuple[Target, Check]) -> None:
    target, check = opened
    figures = Figures()

    for case in read_cases(target.name):
        figures.run(check, case)

    assert not figures.findings


@pytest.mark.parametrize("dialect, sql", [(dialect, sql) for dialect, them in HARMFUL.items() for sql in them])
async def test_harm_is_seen(engines: dict[str, OpenEngine], dialect: str, sql: str) -> None:
    engine = engines[dialect]
    done = iter([sql.replace(CANARY, f"{engine.canary}/")])

    async def look() -> str:  # a server that is told to read its settings anew does so when it gets to it
        return engine.harm(next(done, "SELECT 1"))

    assert await eventually(look, bool)
    assert not engine.harm("SELECT * FROM orders"), "it was made anew"


@pytest.mark.parametrize("dialect", list(HARMFUL))
def test_no_function_that_passes_the_guard_does_anything(
    engines: dict[str, OpenEngine], guarded: GuardCheck, dialect: str
) -> None:
    before = guarded.allowed

    guarded.many(calls(engines[dialect], ("1", f"'{CANARY}loot'")))

    assert guarded.allowed - before > 500


def test_a_defect_is_found_once_and_kept_as_its_shortest_case(tmp_path: Path) -> None:
    def check(case: Case) -> None:
        assert "'" not in case.text, "a quote"

    found = examples(TARGETS["guard"], check, 100).findings.values()

    assert [finding.said.startswith("a quote") for finding in found] == [True]
    assert keep("guard", chain.from_iterable([(one.case, one.case) for one in found]), tmp_path) == 1
    assert keep("guard", [one.case for one in found], tmp_path) == 0
    assert read_cases("guard", tmp_path) == [one.case for one in found]


def test_the_command_runs_a_target_and_prints_what_it_came_to() -> None:
    command = [sys.executable, "-m", "fuzz", "calculator", "--minutes", "0.02", "--drawn-only"]

    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "100"})

    assert done.returncode == 0, done.stdout + done.stderr
    assert "calculator" in done.stdout
    assert "Hypothesis" in done.stdout


def test_a_private_value_that_is_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the columns as if they were asked for, what the fuzzer draws shows them: in rows, and so in prompts."""
    monkeypatch.setattr("agent.databases.database.find_hidden_columns", lambda *_: {})
    with private.opened() as check:
        with pytest.raises(AssertionError, match="events tell"):
            check(Case("duckdb", "SELECT to_json(c) FROM customers c"))
        check(Case("duckdb", "SELECT id FROM customers c"))
        assert check.ran, "the queries of the cases are what runs"

"""Which engines ran the contract, in which version, and how each test of it went: a line at the end of every run, and
a Markdown table for `python -m testbed.contract`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

import pytest

WIDTH = 140  # of the lists below the table
TABLE = "PLUMBLINE_CONTRACT_TABLE"  # the file that the table is written to, when it is wanted
_MARKS = {"passed": "✓", "failed": "✗", "error": "✗", "xfailed": "–", "skipped": "·"}
# What one engine alone is asked is no part of the contract; but SQL Server is asked by two drivers.
_SUITES = ("contract_suite", "server_suite", "write_suite", "sqlserver_suite", "test_contract_sqlserver")
_WORST = ("failed", "error", "xfailed", "skipped", "passed")

_ENGINES: dict[str, str] = {}  # node id -> engine
_TESTS: dict[str, str] = {}  # node id -> what is tested, in words
_outcomes: dict[tuple[str, str], set[str]] = defaultdict(set)  # (test, engine) -> outcomes of its cases
_versions: dict[str, str] = {}
_skipped: dict[str, str] = {}  # engine -> why
_missing: dict[tuple[str, str], str] = {}  # (test, engine) -> why it is expected to fail
_shared: set[str] = set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        engine = getattr(getattr(item, "cls", None), "engine", None)
        if engine and isinstance(item, pytest.Function):
            _ENGINES[item.nodeid] = engine
            _TESTS[item.nodeid] = item.originalname.removeprefix("test_").replace("_", " ")
            if item.function.__module__ in _SUITES:
                _shared.add(_TESTS[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    engine = _ENGINES.get(report.nodeid)
    if engine is None:
        return
    if report.when == "call" or report.outcome != "passed":
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        if outcome == "xfailed":
            _missing[_TESTS[report.nodeid], engine] = str(report.wasxfail)
        _outcomes[_TESTS[report.nodeid], engine].add("error" if report.when != "call" and report.failed else outcome)
    if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        _skipped[engine] = str(report.longrepr[2]).removeprefix("Skipped: ")
    for name, value in report.user_properties:
        if name == "engine_version":
            _versions[engine] = str(value)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _outcomes:
        return
    terminalreporter.write_sep("=", "engines")
    for engine in _engines():
        said = _versions.get(engine) or f"skipped: {_skipped.get(engine, 'not run')}"
        counts = [outcome for (_, one), outcomes in _outcomes.items() if one == engine for outcome in outcomes]
        terminalreporter.write_line(f"{engine}: {said}; {counts.count('passed')} kinds of test passed")
    place = os.environ.get(TABLE)
    if place:
        Path(place).write_text(_table(), encoding="utf-8")


def _engines() -> list[str]:
    return list(dict.fromkeys(engine for _, engine in _outcomes))


def _table() -> str:
    tests = list(dict.fromkeys(test for test, _ in _outcomes))
    shared = [test for test in tests if test in _shared]
    engines = [engine for engine in _engines() if any((test, engine) in _outcomes for test in shared)]
    heads = [f"{engine} {_versions[engine]}" if engine in _versions else engine for engine in engines]
    rows = [(test, tuple(_mark(_outcomes.get((test, engine), set())) for engine in engines)) for test in shared]
    lines = grouped_table(heads, rows)
    lines += ["", *(f"- – {test}, {engine}: {why}." for (test, engine), why in _missing.items() if test in _shared)]
    return "\n".join(lines) + "\n"


def grouped_table(heads: Sequence[str], rows: Iterable[tuple[str, tuple[str, ...]]]) -> list[str]:
    """A Markdown table with one row for all tests that went the same way, and below it the tests of each row."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for test, marks in rows:
        groups[marks].append(test)
    lines = [f"| tests | {' | '.join(heads)} |", f"|---|{':-:|' * len(heads)}"]
    lists = [""]
    for number, (marks, tests) in enumerate(groups.items(), 1):
        lines.append(f"| {number}. ({len(tests)}) | {' | '.join(marks)} |")
        lists += wrap(f"{number}. {'; '.join(tests)}", WIDTH, subsequent_indent="   ", break_long_words=False)
    return lines + lists


def _mark(outcomes: set[str]) -> str:
    return next((_MARKS[outcome] for outcome in _WORST if outcome in outcomes), "")

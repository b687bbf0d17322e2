"""The guard: an accepted statement changes nothing in an unprotected database and reads nothing outside it.

A rewritten statement must pass again unchanged. A refusal is the only exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from hypothesis import strategies as st

from executors.base import CheckedSql
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard import guard
from fuzz import seeds, sql
from fuzz.cases import Case, Check, Target
from fuzz.engines import CANARY, OpenEngine, open_engines
from fuzz.shop import shop_schema

ROW_LIMIT = 50
# The engines that are open here come up more often than those that are not.
_OPEN = ("sqlite", "duckdb", "postgresql")
_DIALECTS = st.one_of(st.sampled_from(_OPEN), st.sampled_from(_OPEN), st.sampled_from(tuple(DIALECTS)))


class GuardCheck:
    """Checks the guard's promises.

    Args:
        engines: open ones, by dialect; of the other dialects only the guard itself is asked.

    allowed: how many statements were let through and run.
    """

    _BATCH = 50

    def __init__(self, engines: Mapping[str, OpenEngine]) -> None:
        self._engines = engines
        self.allowed = 0

    def __call__(self, case: Case) -> None:
        """Raises AssertionError where a promise is broken, and whatever the guard raised that is no refusal."""
        executable = self.executable(case)
        if executable is not None and case.kind in self._engines:
            self._assert_harmless(case.kind, executable)

    def many(self, cases: Iterable[Case]) -> None:
        """As one call for each case, but the databases are looked at now and then. Raises as a call does."""
        waiting: dict[str, list[str]] = {dialect: [] for dialect in self._engines}
        for case in cases:
            executable = self.executable(case)
            if executable is None:
                continue
            waiting[case.kind].append(executable)
            if len(waiting[case.kind]) == self._BATCH:
                self._assert_harmless(case.kind, *waiting[case.kind])
                waiting[case.kind] = []
        for dialect, rest in waiting.items():
            self._assert_harmless(dialect, *rest)

    def executable(self, case: Case) -> str | None:
        """The statement that would run; None if it is refused. Raises AssertionError where it is not stable."""
        engine = self._engines.get(case.kind)
        text = case.text.replace(CANARY, f"{engine.canary}/") if engine else case.text
        for check_names in (True, False):
            checked = _checked(case.kind, text, check_names=check_names)
            if checked is not None:
                self._assert_stable(case.kind, checked, check_names=check_names)
                return checked.executable
        return None

    def _assert_harmless(self, dialect: str, *statements: str) -> None:
        self.allowed += len(statements)
        harm = self._engines[dialect].harm(*statements)
        if harm and len(statements) > 1:
            for sql in statements:
                self._assert_harmless(dialect, sql)
        assert not harm, f"{harm}: {'; '.join(statements)}"

    def _assert_stable(self, dialect: str, checked: CheckedSql, *, check_names: bool) -> None:
        again = _checked(dialect, checked.sql, check_names=check_names)
        assert again is not None, f"refused when it was shown again: {checked.sql}"
        same = _words(again.sql) == _words(checked.sql)
        assert same, f"written anew it is another query: {checked.sql}"


def _words(sql: str) -> list[str]:
    """Words and signs in any order, as the guard compares them: `a IS NOT NULL` is `NOT a IS NULL` the next time."""
    return sorted(re.findall(r"\w+|[^\w\s]", sql.casefold()))


def _checked(dialect: str, text: str, *, check_names: bool) -> CheckedSql | None:
    try:
        return guard.check(text, shop_schema(dialect), row_limit=ROW_LIMIT, check_names=check_names)
    except SqlRefused:
        return None


@contextmanager
def opened() -> Iterator[Check]:
    """The check, with all three engines."""
    with open_engines() as engines:
        yield GuardCheck(engines)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    dialect = draw(_DIALECTS)
    return Case(dialect, draw(st.one_of(sql.generated(dialect), sql.changed())))


def _seeds() -> Sequence[Case]:
    return [Case(dialect, text) for text in seeds.statements() for dialect in _OPEN]


TARGET = Target(
    name="guard",
    kinds=tuple(DIALECTS),
    cases=_cases(),
    opened=opened,
    seeds=_seeds,
    words=tuple(sorted(guard.WRITE_WORDS)),
)

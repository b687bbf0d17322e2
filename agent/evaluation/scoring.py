"""Scores an answer: runs its queries and the gold ones on the database file, and compares rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from agent.core.answers import AttemptRecord
from agent.core.row_comparison import count_tied, is_ordered, same_rows, with_order_keys, without_limit
from agent.evaluation.report import Judgement, ResultLine
from executors.base import CheckedSql, Executor, QueryResult
from executors.errors import ErrorKind, ExecutorError, SqlError, SqlFailed

ROW_CAP = 10_000
TIMEOUT_S = 60.0


class _Gold(NamedTuple):
    """A gold query's rows, whether their order counts, and how many in a row it leaves equal."""

    result: QueryResult
    ordered: bool
    ties: tuple[int, ...] = ()


class Scorer:
    """Runs queries on the files themselves and compares rows; every database is opened once. Methods block."""

    def __init__(self, open_database: Callable[[Path], Executor]) -> None:
        self._open_database = open_database
        self._open: dict[Path, Executor] = {}

    def score(self, path: Path, line: ResultLine) -> ResultLine:
        """The line with `correct`, `scored`, `judgements`, `error` and `gold_errors` as its queries' rows say.

        A query is run only where it was run for the answer, so none is that the guard refused.
        """
        golds, gold_errors = self._golds(path, line.gold)
        if not golds:
            why = line.error or "No gold query runs."
            return line.model_copy(
                update={"scored": False, "correct": False, "error": why, "gold_errors": gold_errors, "judgements": ()}
            )
        correct, error = self._right(path, line.predicted, golds) if line.status == "success" else (False, _why(line))
        judgements = tuple(
            Judgement(
                source=attempt.verdict.source,
                believed=attempt.verdict.correct,
                right=self._right(path, self._query_of(path, attempt, line), golds)[0],
            )
            for attempt in line.attempt_history
            if attempt.verdict is not None and attempt.error is None
        )
        return line.model_copy(
            update={
                "scored": True,
                "correct": correct,
                "error": error,
                "gold_errors": gold_errors,
                "judgements": judgements,
            }
        )

    def close(self) -> None:
        """Close the databases."""
        for executor in self._open.values():
            executor.close()
        self._open.clear()

    def _golds(self, path: Path, queries: Sequence[str]) -> tuple[list[_Gold], tuple[str, ...]]:
        golds: list[_Gold] = []
        errors: list[str] = []
        for sql in queries:
            try:
                result = self._rows(path, sql)
            except ExecutorError as error:
                errors.append(f"{error} ({sql})")
            else:
                ordered = is_ordered(sql, self._executor(path).dialect)
                golds.append(_Gold(result, ordered, self._ties(path, sql, result) if ordered else ()))
        return golds, tuple(errors)

    def _ties(self, path: Path, sql: str, result: QueryResult) -> tuple[int, ...]:
        keyed = with_order_keys(sql, self._executor(path).dialect)
        if keyed is None:
            return ()
        try:
            return count_tied(result, self._rows(path, keyed))
        except ExecutorError:  # no row says what it is ordered by: each has its place
            return ()

    def _right(self, path: Path, sql: str | None, golds: Sequence[_Gold]) -> tuple[bool, str | None]:
        if not sql:
            return False, "There is no query."
        try:
            result = self._rows(path, sql)
        except ExecutorError as error:
            return False, f"{error.kind}: {error}" if isinstance(error, SqlError) else str(error)
        return any(same_rows(gold.result, result, ordered=gold.ordered, ties=gold.ties) for gold in golds), None

    def _rows(self, path: Path, sql: str) -> QueryResult:
        """All rows. Gold queries are from the user's own file; predicted ones went through the guard when made."""
        query = CheckedSql(sql=sql, executable=sql, row_limit=ROW_CAP, tables=())
        result = self._executor(path).run(query, timeout_s=TIMEOUT_S)
        if result.truncated:
            raise SqlFailed(ErrorKind.RESOURCE, f"It has more than {ROW_CAP:,} rows, too many to compare.")
        return result

    def _executor(self, path: Path) -> Executor:
        if path not in self._open:
            self._open[path] = self._open_database(path)
        return self._open[path]

    def _query_of(self, path: Path, attempt: AttemptRecord, line: ResultLine) -> str:
        """The attempt's query; where only the service's limit tells it from the scored one, the scored one."""
        bare = without_limit(attempt.sql, self._executor(path).dialect)
        return bare if bare == line.predicted else attempt.sql


def _why(line: ResultLine) -> str:
    """Why there are no rows to compare."""
    if line.error:
        return line.error
    if line.status == "clarification_needed":
        return "It asked back."
    return next((attempt.error for attempt in reversed(line.attempt_history) if attempt.error), "No query was run.")

"""The evaluation behind `python -m agent eval`: asks questions with known answers and scores them.

The score is execution accuracy: predicted and gold query both run on the file itself, read-only and without the
service's row limit, and their rows are compared (see `agent.core.row_comparison`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from agent.core.answers import Answer, AttemptRecord
from agent.core.errors import ModelBusy, ModelUnavailable, PlumblineError
from agent.core.row_comparison import count_tied, is_ordered, same_rows, with_order_keys, without_limit
from agent.evaluation.report import Judgement, Report, ResultLine, Tokens, report_of
from executors.base import CheckedSql, Executor, Frozen, QueryResult
from executors.errors import ErrorKind, ExecutorError, SqlError, SqlFailed


class EvaluationInvalid(PlumblineError):
    """A file of questions or results cannot be used. The message names the place and the correction."""


class GoldQuestion(Frozen):
    """A question with every query that counts as right.

    database: as in the file of questions. path: its location, or the name itself if `in_registry`.
    evidence: the author's hints (BIRD's "evidence", Defog's "instructions"); empty if there are none.
    """

    database: str
    path: Path
    question: str
    gold: tuple[str, ...]
    evidence: str = ""
    in_registry: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.database, self.question


# Asks the evaluated system a question, with its evidence. PlumblineError and ExecutorError are recorded as the
# question's error, except ModelUnavailable and ModelBusy, which end the evaluation because all other questions would
# fail, too.
Ask = Callable[[Path, str, str], Awaitable[Answer]]


class _Entry(BaseModel):
    """A question in the file. Other fields are ignored."""

    database: Annotated[str, Field(min_length=1)]
    question: Annotated[str, Field(min_length=1)]
    gold: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    evidence: str = Field("", validation_alias=AliasChoices("evidence", "instructions"))


_ENTRIES = TypeAdapter(list[_Entry])


def questions_file(path: Path) -> Path:
    """The file of questions at a path, which names the file or its folder."""
    return path / "questions.json" if path.is_dir() else path


def load_questions(path: Path, registered: Collection[str] = ()) -> list[GoldQuestion]:
    """The questions of a JSON file: a list of objects with `database` (relative to the file), `question` and `gold`.

    In a folder the file is `questions.json`. A question may name a registered database instead of a path. Raises
    EvaluationInvalid: the file does not exist or has another form, or a database does not exist.
    """
    path = questions_file(path)
    try:
        entries = _ENTRIES.validate_json(path.read_bytes())
    except OSError as error:
        raise EvaluationInvalid(f"The questions in {path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EvaluationInvalid(
            f"{path} is not a list of questions: {f'at {place}: ' if place else ''}{first['msg']}. "
            'Each needs "database", "question" and "gold", a list of queries.'
        ) from error
    questions: list[GoldQuestion] = []
    for entry in entries:  # a file if it exists, else a name
        file = path.parent / entry.database
        named = entry.database in registered and not file.exists()
        fields = {**entry.model_dump(), "gold": tuple(entry.gold)}
        questions.append(GoldQuestion(path=Path(entry.database) if named else file, in_registry=named, **fields))
    missing = sorted({str(one.path) for one in questions if not (one.in_registry or one.path.exists())})
    if missing:
        raise EvaluationInvalid(f"{path} names databases that are not there: {', '.join(missing)}.")
    return questions


async def evaluate(
    questions: Sequence[GoldQuestion],
    ask: Ask,
    *,
    open_database: Callable[[Path], Executor],
    out: Path | None = None,
    on_result: Callable[[ResultLine], None] | None = None,
) -> Report:
    """Ask every question once, one after the other, and score it.

    `out` gets one JSON line per question as soon as it is answered. A question that is in it already is not asked
    again; if its gold queries have changed since, it is scored again. `open_database` opens the executors for scoring,
    which are closed at the end. Raises ModelUnavailable: the answers so far are in `out`; EvaluationInvalid: `out` is
    not a file of results, or cannot be written.
    """
    known = read_results(out) if out else {}
    lines: list[ResultLine] = []
    scorer = Scorer(open_database)
    try:
        for question in questions:
            line = known.get(question.key)
            if line is None or line.gold != question.gold:
                is_new = line is None
                line = await _ask(question, ask) if line is None else line.model_copy(update={"gold": question.gold})
                line = known[question.key] = await asyncio.to_thread(scorer.score, question.path, line)
                if out:
                    write_lines(out, [line] if is_new else known.values(), mode="a" if is_new else "w")
            lines.append(line)
            if on_result:
                on_result(line)
    finally:
        scorer.close()
    return report_of(lines)


async def _ask(question: GoldQuestion, ask: Ask) -> ResultLine:
    """The result of a question, not yet scored."""
    began = time.monotonic()
    base = ResultLine(question=question.question, database=question.database, gold=question.gold)
    try:
        answer = await ask(question.path, question.question, question.evidence)
    except (ModelUnavailable, ModelBusy):
        raise
    except (PlumblineError, ExecutorError) as error:
        message = f"{type(error).__name__}: {error}"
        return base.model_copy(update={"error": message, "elapsed_ms": _ms_since(began)})
    sql = answer.sql
    if sql and answer.truncated and answer.dialect:
        sql = without_limit(sql, answer.dialect)  # the limit was the service's, not the question's
    usage = answer.usage
    return base.model_copy(
        update={
            "predicted": sql,
            "status": answer.status,
            "verified": answer.verified,
            "confidence": answer.confidence,
            "attempts": answer.attempts,
            "attempt_history": tuple(answer.attempt_history),
            "checks": tuple(answer.checks),
            "doubts": tuple(answer.doubts),
            "model_calls": usage.model_calls,
            "tokens": Tokens(
                prompt=usage.prompt_tokens, cached=usage.cached_tokens, completion=usage.completion_tokens
            ),
            "by_step": usage.by_step,
            "cost_usd": usage.cost_usd,
            "timings_ms": answer.timings_ms,
            "elapsed_ms": _ms_since(began),
            "answer": answer.answer,
        }
    )


def _ms_since(began: float) -> float:
    return (time.monotonic() - began) * 1000


_BEGINNING = '{"question":'


def read_results(path: Path) -> dict[tuple[str, str], ResultLine]:
    """The results of an earlier run, by question. An incomplete last line is dropped, here and in the file.

    Raises EvaluationInvalid: the file cannot be read, or was not written by an evaluation.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationInvalid(f"The results in {path} cannot be read: {error}.") from error
    *rows, rest = text.split("\n")
    lines: dict[tuple[str, str], ResultLine] = {}
    for number, row in enumerate(rows, 1):
        try:
            line = ResultLine.model_validate_json(row)
        except ValidationError as error:
            raise _not_ours(path, number) from error
        lines[line.key] = line
    if rest:
        # Only a line that begins like a result is dropped, so that no other file is truncated.
        if not rest.startswith(_BEGINNING):
            raise _not_ours(path, len(rows) + 1)
        write_lines(path, lines.values(), mode="w")
    return lines


def _not_ours(path: Path, number: int) -> EvaluationInvalid:
    return EvaluationInvalid(
        f"{path}, line {number} is no result of an evaluation. Name a new file, or remove the line."
    )


def write_lines(path: Path, lines: Iterable[BaseModel], *, mode: Literal["a", "w"]) -> None:
    """Write each model as one JSON line. Raises EvaluationInvalid: the file cannot be written."""
    try:
        with path.open(mode, encoding="utf-8") as file:
            file.writelines(line.model_dump_json() + "\n" for line in lines)
    except OSError as error:
        raise EvaluationInvalid(f"The results cannot be written to {path}: {error.strerror}.") from error


ROW_CAP = 10_000
TIMEOUT_S = 60.0


class _Gold(NamedTuple):
    """The rows of a gold query, whether their order counts, and the lengths of the runs that it leaves tied."""

    result: QueryResult
    ordered: bool
    ties: tuple[int, ...] = ()


class Scorer:
    """Runs queries on the files themselves and compares rows. Each database is opened once. Methods block."""

    def __init__(self, open_database: Callable[[Path], Executor]) -> None:
        self._open_database = open_database
        self._open: dict[Path, Executor] = {}

    def score(self, path: Path, line: ResultLine) -> ResultLine:
        """The line with `correct`, `scored`, `judgements`, `error` and `gold_errors` set from the rows of its queries.

        Only queries that ran for the answer run here, so none that the guard refused.
        """
        golds, gold_errors = self._golds(path, line.gold)
        error: str | None
        if not golds:
            correct, error = False, line.error or "No gold query runs."
        elif line.status == "success":
            correct, error = self._right(path, line.predicted, golds)
        else:
            correct, error = False, _why(line)

        def is_same(attempt: AttemptRecord) -> bool:
            """Whether the attempt's query differs from the scored one only in the service's limit."""
            return without_limit(attempt.sql, self._executor(path).dialect) == line.predicted

        judgements = tuple(
            Judgement(
                source=attempt.verdict.source,
                believed=attempt.verdict.correct,
                right=self._right(path, line.predicted if is_same(attempt) else attempt.sql, golds)[0],
            )
            for attempt in line.attempt_history
            if golds and attempt.verdict is not None and attempt.error is None
        )
        found = {"scored": bool(golds), "correct": correct, "error": error}
        return line.model_copy(update={**found, "gold_errors": gold_errors, "judgements": judgements})

    def close(self) -> None:
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
        except ExecutorError:  # the keys are unknown, so every row counts as untied
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
        """All rows of a query. Gold queries come from the user's own file; predicted ones have passed the guard."""
        query = CheckedSql(sql=sql, executable=sql, row_limit=ROW_CAP, tables=())
        result = self._executor(path).run(query, timeout_s=TIMEOUT_S)
        if result.truncated:
            raise SqlFailed(ErrorKind.RESOURCE, f"It has more than {ROW_CAP:,} rows, too many to compare.")
        return result

    def _executor(self, path: Path) -> Executor:
        if path not in self._open:
            self._open[path] = self._open_database(path)
        return self._open[path]


def _why(line: ResultLine) -> str:
    if line.error:
        return line.error
    if line.status == "clarification_needed":
        return "It asked for clarification."
    return next((attempt.error for attempt in reversed(line.attempt_history) if attempt.error), "No query was run.")

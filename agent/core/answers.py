"""The answer to a question and its parts, as the service returns them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from agent.core.errors import UnknownAnswer
from agent.core.models import CandidateSource, Check, Choice, Doubt, Plan, Reason, Verdict, take_trace_id
from agent.core.usage import Usage
from executors.base import Frozen

Kind = Literal["query", "about_data", "small_talk", "change"]  # of a question


class Chart(Frozen):
    """A suggested chart of the rows.

    type: Kind of chart.
    x: Column with the keys. For a histogram, the measured column.
    y: Column with the amounts. For a histogram, the measured column.
    spec: The chart as a Vega-Lite specification. Its data is the named source `results`.
    """

    type: Literal["bar", "line", "scatter", "histogram"]
    x: str
    y: str
    spec: dict[str, Any] = {}


class WritePlan(Frozen):
    """A change of data: planned and not committed, or committed."""

    kind: Literal["insert", "update", "delete"] = Field(description="Kind of change.")
    table: str = Field(description="Table that is changed.")
    rows_affected: int = Field(
        description="Number of rows that are changed. The database counts them in a transaction."
    )
    committed: bool = Field(False, description="Whether the change was committed. If false, nothing was changed yet.")
    token: str | None = Field(
        None,
        description="Send it as `options.confirm` to commit the change. It works once. Null if there is nothing to "
        "confirm.",
    )
    expires_at: datetime | None = Field(None, description="When the token expires, in UTC. Null if there is none.")


class Correction(Frozen):
    """A calculation that was corrected.

    expression: The calculation as the model stated it.
    stated: The model's result.
    computed: The exact result.
    """

    expression: str
    stated: str
    computed: str


AnswerSource = Literal["model", "composed"]
Origin = Literal["result", "raw", "question", "row count", "calculation", "position"]


class AnswerNumber(Frozen):
    """A number in `answer`, and its source.

    text: The number as `answer` has it.
    start, end: Position in `answer`, in Unicode code points: the first character, and the one after the last.
    source: Where the number comes from. `result`, `raw`: a cell of `results` or `raw_results`. Null if nothing supports
        it.
    row: Row of the cell, counted from 0. Null if the number is in no row.
    column: Column of the cell. Null if the number is in no column.
    expression: The calculation, if the answer states one.
    part: Number of the part whose rows hold the number, counted from 1. Null for an answer without parts.
    """

    text: str
    start: int
    end: int
    source: Origin | None
    row: int | None = None
    column: str | None = None
    expression: str = ""
    part: int | None = None


class CandidateRecord(Frozen):
    """One of the distinct results that the drafts gave.

    sql: The query.
    source: Where the query comes from. `draft`: a model. `repaired`: a draft that Plumbline repaired. `alternative`: a
        query derived from one that ran. `reused`: an earlier answer.
    note: What Plumbline changed. Empty for a draft.
    votes: Number of drafts that gave these rows unchanged, or beside a count that nobody asked for.
    columns: Column names, in the query's order.
    results: The first rows, one object per row.
    row_count: Number of rows of the whole result.
    doubts: What rules noticed about the query.
    """

    sql: str
    source: CandidateSource
    note: str = ""
    votes: int = 0
    columns: list[str] = []
    results: list[dict[str, Any]] = []
    row_count: int = 0
    doubts: list[Doubt] = []


class AttemptRecord(Frozen):
    """One attempt to answer a question.

    sql: The query of the attempt.
    note: What Plumbline changed, if this is the repaired form of the previous query.
    error: Error message. Null if the query ran.
    error_type: Class of the error. Null if the query ran.
    hint: How to repair the query. Empty if the query ran or nothing is known.
    row_count: Number of rows. Null if the query did not run.
    verdict: Whether the result was accepted. Null if it was not judged.
    """

    sql: str
    note: str = ""
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    row_count: int | None = None
    verdict: Verdict | None = None


class AnswerPart(Frozen):
    """One query of an answer that needed several. Fields that are not listed here are those of the answer.

    number: The part's number, counted from 1. The answer refers to it as `[1]`.
    question: The question of this part, worded by the model.
    status: `success`, or `error` if the part has no rows.
    answer: What the rows say. For an error, why there are none.
    """

    number: int
    question: str
    status: Literal["success", "error"]
    answer: str
    answer_source: AnswerSource | None = None
    sql: str | None = None
    results: list[dict[str, Any]] = []
    columns: list[str] = []
    row_count: int = 0
    truncated: bool = False
    cursor: str | None = None
    raw_results: list[dict[str, Any]] = []
    raw_sql: str | None = None
    raw_truncated: bool = False
    raw_total: int | None = None
    group_columns: list[str] | None = None
    tables_used: list[str] = []
    verified: bool = False
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    checks: list[Check] = []
    doubts: list[Doubt] = []
    candidates: list[CandidateRecord] = []
    corrections: list[Correction] = []
    numbers: list[AnswerNumber] = []
    explanation: str = ""
    plan: Plan | None = None
    chart: Chart | None = None


class Answer(Frozen):
    """The answer to a question, with its query, its rows and the checks that it passed.

    status: `success`, `clarification_needed`, or `error` if no attempt gave an accepted result.
    kind: How the question was answered. `query`: by SQL. `about_data`: from the schema, the docs and the catalogue;
        `checks` names the sources. `small_talk`: without data. `change`: a change of rows.
    answer: The answer in the question's language. For an error, what to do next.
    answer_source: Who wrote `answer`. `model`: a model; each claim was checked against the rows. `composed`: Plumbline,
        from the rows. Null if no query answered the question.
    question: The question as it was answered. A follow-up is completed from earlier questions of the session.
    language: ISO 639-1 code of the question's language, for number formats. Default: `en`.
    sql: The query whose rows are in `results`; for an error, the last one that was tried. Null if there is none.
    results: The rows, one object per row.
    columns: Column names, in the query's order.
    row_count: Number of rows in `results`.
    truncated: Whether the database has more rows than `results`.
    cursor: Send it to `POST /api/execute` to get the next rows. Null if there are no more rows.
    raw_results: The records behind an aggregate, one object per record.
    raw_sql: The query of `raw_results`. Null if there is none.
    raw_truncated: Whether there are more records behind the result than `raw_results` holds.
    raw_total: Number of records behind the result. Null if there are none or they were not counted.
    group_columns: The columns that `results` is grouped by. Send a row with them to `POST /api/records` to get its
        records. Null if a row has no records of its own.
    tables_used: The tables that the query reads.
    dialect: SQL dialect of the database. Null if no database was opened.
    attempts: Number of attempts.
    attempt_history: All attempts, in order.
    verified: Whether the answer passed every check.
    confidence: Calibrated probability, 0 to 1, that the rows are right. Null if no query answered the question.
    checks: The checks of the answer, in order.
    doubts: What rules noticed about the query.
    candidates: The distinct results of the drafts, with their votes. Empty unless requested.
    corrections: Calculations in the answer that were corrected. If `expression` is `sql`, a part of the query that a
        rule replaced because of the schema or stored values.
    numbers: The numbers in `answer`, with their sources.
    parts: The queries of a question that needed several. `answer` refers to them as `[1]`, `sql` is null, `results` is
        empty, and `confidence` is the lowest of theirs. Empty for one query.
    explanation: What the query does, in words.
    plan: What the query reads and computes. Null if there is no query.
    reused: Whether the query comes from an earlier verified answer to the same question.
    write: The planned or committed change of data. Null if the question asked for none.
    chart: A suggested chart of `results`. Null if no chart fits.
    clarification: The question to the user. Null unless `status` is `clarification_needed`.
    clarification_reason: What is ambiguous. `missing_data`: the database lacks the data. `model`: the model asked. Null
        unless `status` is `clarification_needed`.
    choices: Suggested replies to `clarification`, example questions of small talk, or questions to ask instead, if no
        attempt was accepted.
    needs_human_review: Whether a person should check the answer.
    review_id: Id of the answer's review. Null if there is none.
    warnings: What was skipped or incomplete, one sentence each.
    usage: Model calls, tokens and cost.
    timings_ms: Milliseconds of each step, by step.
    trace_id: Identifies the request in logs and traces. All questions of one `traceparent` share it.
    answer_id: Identifies the answer. Feedback, sessions, links and resumed streams refer to it.
    session_id: The session that the question belongs to. Null if it belongs to none.
    """

    status: Literal["success", "clarification_needed", "error"]
    kind: Kind = "query"
    answer: str
    answer_source: AnswerSource | None = None
    question: str = ""
    language: str = "en"
    sql: str | None = None
    results: list[dict[str, Any]] = []
    columns: list[str] = []
    row_count: int = 0
    truncated: bool = False
    cursor: str | None = None
    raw_results: list[dict[str, Any]] = []
    raw_sql: str | None = None
    raw_truncated: bool = False
    raw_total: int | None = None
    group_columns: list[str] | None = None
    tables_used: list[str] = []
    dialect: str | None = None
    attempts: int = 0
    attempt_history: list[AttemptRecord] = []
    verified: bool = False
    confidence: float | None = Field(None, ge=0, le=1)
    checks: list[Check] = []
    doubts: list[Doubt] = []
    candidates: list[CandidateRecord] = []
    corrections: list[Correction] = []
    numbers: list[AnswerNumber] = []
    parts: list[AnswerPart] = []
    explanation: str = ""
    plan: Plan | None = None
    reused: bool = False
    write: WritePlan | None = None
    chart: Chart | None = None
    clarification: str | None = None
    clarification_reason: Reason | None = None
    choices: list[Choice] = []
    needs_human_review: bool = False
    review_id: str | None = None
    warnings: list[str] = []
    usage: Usage = Usage()
    timings_ms: dict[str, float] = {}
    trace_id: str = ""
    answer_id: str = Field(default_factory=take_trace_id, json_schema_extra={"default": ""})
    session_id: str | None = None


def new_answer_id(trace_id: str) -> str:
    """A new id of an answer: the trace id of its question, a hyphen and 16 random hexadecimal digits."""
    return f"{trace_id}-{secrets.token_hex(8)}"


def trace_of(answer_id: str) -> str:
    """The trace id in the id of an answer."""
    return answer_id.partition("-")[0]


Found = TypeVar("Found")


def take_only(found: Sequence[Found], answer_id: str, missing: str) -> Found:
    """The one that was found by the id of an answer or of a trace. Raises UnknownAnswer for none, and for several."""
    if len(found) > 1:
        raise UnknownAnswer(f"Several answers have the trace_id {answer_id}. Send the `answer_id` of one of them.")
    if not found:
        raise UnknownAnswer(missing)
    return found[0]

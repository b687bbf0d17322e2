"""The models that the steps exchange and the service returns."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from agent.core.callers import ANONYMOUS
from agent.core.fields import A_NUMBER, Flag, TimeZone
from agent.core.kinds import Kind
from agent.core.usage import Effort
from agent.core.usage import Usage as Usage
from executors.base import Frozen, QueryResult


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


Reason = Literal[
    "vague_time", "two_dates", "several_values", "several_columns", "vague_measure", "missing_data", "model"
]


class Choice(Frozen):
    """A suggested reply to a clarification.

    label: Short text, as for a button.
    question: The whole question that the choice stands for.
    """

    label: str
    question: str


class Clarification(Frozen):
    """What must be asked back.

    reason: what is ambiguous; `missing_data` where nothing is, but the data is not there; `model` where the generator
        asked.
    text: for the user, in the question's language where its words are known, with the choices as lines.
    choices: ways to read it; of missing data, what could be asked instead.
    assumption: where nobody may be asked, what is taken to be meant, or what is missing, one sentence.
    """

    reason: Reason
    text: str
    choices: tuple[Choice, ...] = ()
    assumption: str = ""


class ReadOptions(Frozen):
    """Options of one question. Options that are absent have the service's settings."""

    max_attempts: Annotated[int, Field(ge=1, le=10), A_NUMBER] | None = Field(
        None, description="Maximum number of attempts."
    )
    row_limit: Annotated[int, Field(ge=1, le=10_000), A_NUMBER] | None = Field(
        None, description="Maximum number of rows."
    )
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000), A_NUMBER] | None = Field(
        None, description="Maximum number of records behind an aggregate. 0: none."
    )
    enable_evaluation: Flag | None = Field(None, description="Whether to judge the result.")
    enable_calculator: Flag | None = Field(None, description="Whether to recompute the numbers of the answer.")
    enable_retrieval: Flag | None = Field(None, description="Whether to search the docs.")
    enable_answer: Flag | None = Field(
        None, description="Whether to write a sentence. If false, `answer` lists the rows."
    )
    reuse_verified: Flag | None = Field(None, description="Whether to reuse the query of an earlier verified answer.")
    clarify: Flag | None = Field(
        None, description="Whether to ask back if a question is ambiguous. If false, the answer says what was assumed."
    )
    effort: Effort | None = Field(
        None,
        description="How much work to spend. `quick`: one draft, not verified. `balanced`: two drafts, or one and the "
        "judge. `thorough`: up to five drafts, and the judge of a hosted model. The settings may allow less.",
    )
    time_zone: TimeZone | None = Field(
        None, description="Time zone of relative dates such as `today`: an IANA name, such as `Europe/Berlin`."
    )
    candidates: Flag | None = Field(
        None, description="Whether to return the distinct results of the drafts, in `candidates`."
    )
    plan: Flag | None = Field(
        None,
        description="Whether up to four queries may answer. If true, the model always plans; if false, one query "
        "answers. Default: plan if the question needs it. The settings may turn plans off.",
    )


class Options(ReadOptions):
    """Options of one question. Options that are absent have the service's settings."""

    allow_writes: Flag | None = Field(
        None, description="Whether to plan a change of data if the question asks for one."
    )
    confirm: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$")] | None = Field(
        None, description="Token of a planned change to commit. `question` is ignored."
    )


class Exchange(Frozen):
    """One earlier question of a session, with what was answered."""

    question: str
    answer: str
    sql: str | None = None


class Pending(Frozen):
    """What was asked back and waits for its answer: for which question, and which ways there are to read that."""

    question: str
    clarification: str
    choices: tuple[Choice, ...] = ()


class Question(Frozen):
    """A question on its way: what was asked, of which database, after which exchanges (oldest first).

    text: as it is answered. asked: as it came, where that was made self-contained; empty before.
    pending: what was asked back last; the message may answer it.
    write_refusal: why it may not change data; empty where it may.
    audience: with whom verified queries are shared: empty for all who may ask, else the one principal.
    sight: which rows the caller sees, as `RowFilter.sight` has it; empty: all.
    came_at: when it was asked. time_zone: in which its days are counted.
    part_of: the whole question, where this is a part of it that a model worded; empty elsewhere.
    """

    text: str
    asked: str = ""
    database: str
    trace_id: str
    session_id: str | None = None
    history: tuple[Exchange, ...] = ()
    pending: Pending | None = None
    options: Options = Options()
    principal: str = ANONYMOUS
    write_refusal: str = ""
    audience: str = ""
    sight: str = ""
    came_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    time_zone: str = "UTC"
    part_of: str = ""

    @property
    def own_words(self) -> str:
        """What a person asked for: the words that may name a private column, or an address. Never a model's."""
        return self.part_of or self.text

    @property
    def today(self) -> date:
        """The day on which it was asked, where it was asked."""
        return self.came_at.astimezone(ZoneInfo(self.time_zone)).date()


class Plan(Frozen):
    """What a query reads and computes.

    tables: Tables that the query reads.
    joins: Joins.
    filters: Conditions on rows.
    aggregates: Aggregates.
    group_by: Expressions that rows are grouped by.
    order_by: Expressions that rows are ordered by.
    limit: Limit that the query states. Null if it states none.
    """

    tables: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    limit: int | None = None


CandidateSource = Literal["draft", "repaired", "alternative", "reused"]


class Draft(Frozen):
    """The generator's reply: a query, or the question that must be answered first.

    choices: short answers to a clarification, as the model proposes them.
    explanation: what the model says that the query does. note: where a query comes from that no model wrote.
    source: `draft` where the model wrote it; see `Candidate`. index: of the draft it comes from, counted from 0.
    changes: of an alternative, what differs from the query that it was derived from, before and after.
    temperature: that the model wrote it at.
    logprob_mean, logprob_least: the mean and the least log-probability of the reply's tokens, natural logarithm; None
        where the endpoint gives none.
    """

    sql: str | None = None
    explanation: str = ""
    note: str = ""
    clarification: str | None = None
    choices: tuple[str, ...] = ()
    plan: Plan | None = None
    source: CandidateSource = "draft"
    index: int = 0
    changes: tuple[tuple[str, str], ...] = ()
    temperature: float = 0.0
    logprob_mean: float | None = None
    logprob_least: float | None = None


class Check(Frozen):
    """One check of the answer.

    name: The check.
    passed: Whether the answer passed. Null if the check could not run.
    detail: What the check found, or why it could not run.
    """

    name: str
    passed: bool | None
    detail: str = ""


RuleEvidence = Literal["schema", "data", "language"]


class Doubt(Frozen):
    """What a rule noticed about a query that ran.

    rule: Id of the rule.
    evidence: What the rule relied on. `schema`: keys and types. `data`: stored values. `language`: words of the
        question.
    detail: The doubt, in a sentence.
    """

    rule: str
    evidence: RuleEvidence
    detail: str


class Candidate(Frozen):
    """One query that may answer the question, and what it gave.

    source: `draft`: as the model wrote it; `repaired`: a draft that could not be run, put right from the schema;
        `alternative`: derived from one that ran, by what schema and data say; `reused`: an earlier question's query.
    note: what was changed; empty of a draft.
    draft: index of the draft it comes from, counted from 0 in the order in which drafts were written.
    temperature, logprob_mean, logprob_least: of that draft.
    result, error: what became of it; both None where it was not run.
    """

    sql: str
    source: CandidateSource
    note: str = ""
    draft: int = 0
    temperature: float = 0.0
    logprob_mean: float | None = None
    logprob_least: float | None = None
    result: QueryResult | None = None
    error: str | None = None
    doubts: tuple[Doubt, ...] = ()

    @classmethod
    def of(cls, draft: Draft, result: QueryResult | None, error: str | None = None, **more: Any) -> Candidate:
        """What became of a draft, or of what was made of one."""
        copied = draft.model_dump(include={"source", "note", "temperature", "logprob_mean", "logprob_least"})
        return cls(sql=draft.sql or "", draft=draft.index, result=result, error=error, **copied, **more)

    @property
    def votes(self) -> bool:
        """Whether it counts where results are compared: it ran as the model wrote it."""
        return self.source == "draft" and self.result is not None


class Verdict(Frozen):
    """Whether a result answers the question.

    reason: The reason, in a sentence.
    correct: Whether the result was accepted.
    source: Who decided. `checks`: rules, without a model. `drafts`: agreement of several drafts. `judge`: a model.
    """

    reason: str
    correct: bool
    source: Literal["checks", "drafts", "judge"] = "judge"


class Attempt(Frozen):
    """One round: the query, and what became of it. An error is a result here: the model can repair it.

    draft: where the query comes from.
    elected: whether it is a candidate that was chosen in the place of the last round's, and took nobody's turn.
    """

    sql: str
    explanation: str = ""
    note: str = ""
    plan: Plan | None = None
    executed_sql: str | None = None
    tables: tuple[str, ...] = ()
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    result: QueryResult | None = None
    checks: tuple[Check, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    verdict: Verdict | None = None
    draft: Draft = Draft()
    elected: bool = False

    @property
    def is_reused(self) -> bool:
        """Whether it is the query of an earlier question."""
        return self.draft.source == "reused"

    @property
    def is_accepted(self) -> bool:
        """It ran, and no check or judge rejected it."""
        return self.result is not None and (self.verdict is None or self.verdict.correct)

    @property
    def rows(self) -> QueryResult:
        """The result; an empty one where the query did not run."""
        return self.result or QueryResult(columns=(), rows=())


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
    votes: Number of drafts that gave these rows unchanged.
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
    sql: The query whose rows are in `results`. Null if there is none.
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
    corrections: Calculations in the answer that were corrected.
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
    choices: Suggested replies to `clarification`.
    needs_human_review: Whether a person should check the answer.
    review_id: Id of the answer's review. Null if there is none.
    warnings: What was skipped or incomplete, one sentence each.
    usage: Model calls, tokens and cost.
    timings_ms: Milliseconds of each step, by step.
    trace_id: Identifies the request in logs, traces, reviews and feedback.
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
    session_id: str | None = None

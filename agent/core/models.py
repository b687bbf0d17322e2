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
    """A chart that would help.

    x, y: the columns that are the keys and the amounts, whichever way the bars lie; of a histogram, both the measure.
    spec: the whole chart in Vega-Lite, its data the named source `results`, which are those of the response.
    """

    type: Literal["bar", "line", "scatter", "histogram"]
    x: str
    y: str
    spec: dict[str, Any] = {}


class WritePlan(Frozen):
    """A change of the data: one that was tried and undone, and waits for a confirmation; or one that was made."""

    kind: Literal["insert", "update", "delete"] = Field(description="What it does.")
    table: str = Field(description="The one table that it changes.")
    rows_affected: int = Field(description="Rows that it changes: counted by the database, in a transaction.")
    committed: bool = Field(False, description="Whether it was made. False: nothing has been changed yet.")
    token: str | None = Field(
        None, description="Sent as `options.confirm` of a second request, it makes the change; once."
    )
    expires_at: datetime | None = Field(None, description="When the token ends, in UTC.")


Reason = Literal[
    "vague_time", "two_dates", "several_values", "several_columns", "vague_measure", "missing_data", "model"
]


class Choice(Frozen):
    """One way to read an ambiguous question: what a button says, and the whole question that it stands for."""

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
    """What one request may change of how it is answered; the settings' values where absent, never above their caps."""

    max_attempts: Annotated[int, Field(ge=1, le=10), A_NUMBER] | None = None
    row_limit: Annotated[int, Field(ge=1, le=10_000), A_NUMBER] | None = None
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000), A_NUMBER] | None = None
    enable_evaluation: Flag | None = None
    enable_calculator: Flag | None = None
    enable_retrieval: Flag | None = None
    enable_answer: Flag | None = Field(
        None, description="False: the query and its rows are enough; no sentence is written, `answer` states the rows."
    )
    reuse_verified: Flag | None = None
    clarify: Flag | None = Field(
        None, description="False: never ask back where a question can be read in several ways; say what was assumed."
    )
    effort: Effort | None = Field(
        None,
        description="`quick`: one draft, not verified. `balanced`: two drafts, or one and the judge. `thorough`: up to "
        "five drafts, and the judge of a hosted model. The settings may allow less.",
    )
    time_zone: TimeZone | None = Field(
        None, description="In which `today` and `last month` are meant: an IANA name, as `Europe/Berlin`."
    )
    candidates: Flag | None = Field(
        None, description="True: `candidates` holds the distinct results that the drafts gave, with their votes."
    )
    plan: Flag | None = Field(
        None,
        description="Whether the model may plan several queries for this question, up to four. True: it is asked for "
        "a plan, whatever the question says; false: one query answers it. The settings may say that there are none.",
    )


class Options(ReadOptions):
    """The same, and changes of the data."""

    allow_writes: Flag | None = Field(None, description="Plan a change of the data, where it is asked for.")
    confirm: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$")] | None = Field(
        None, description="The token of a planned change: make it. `question` is not read."
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
    """What a query reads and does, in short."""

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
    """One check of the answer. `passed` is None where the check could not be made; `detail` says why."""

    name: str
    passed: bool | None
    detail: str = ""


RuleEvidence = Literal["schema", "data", "language"]


class Doubt(Frozen):
    """What a rule noticed about a query that ran.

    rule: its id in the registry, see `agent.checks.rules`.
    evidence: what it rests on: keys and types, stored values, or the words of the question.
    detail: a sentence.
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
    """Reason first, then whether the query answers the question; `source` says who judged.

    source: `checks`, which need no model; `drafts`, by what they agree on; `judge`, a model.
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
    def reused(self) -> bool:
        """Whether it is the query of an earlier question."""
        return self.draft.source == "reused"

    @property
    def accepted(self) -> bool:
        """It ran, and no check or judge rejected it."""
        return self.result is not None and (self.verdict is None or self.verdict.correct)

    @property
    def rows(self) -> QueryResult:
        """The result; an empty one where the query did not run."""
        return self.result or QueryResult(columns=(), rows=())


class Correction(Frozen):
    """An equation or `[[...]]` whose result was put right: the exact value, as text."""

    expression: str
    stated: str
    computed: str


AnswerSource = Literal["model", "composed"]
Origin = Literal["result", "raw", "question", "row count", "calculation", "position"]


class AnswerNumber(Frozen):
    """A number in the sentence of an answer, and where it comes from.

    start, end: where it stands in `answer`, in characters (Unicode code points).
    source: null where nothing supports it; `result` and `raw`: a cell of `results` or `raw_results`.
    row, column: of that cell, the row counted from 0; null where it is in none, as in a column's name.
    expression: of a calculation, where it was stated.
    part: of an answer in several parts, the number of the part whose rows hold it, from 1; null elsewhere.
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
    """One of the distinct results that the drafts gave, as the response shows it.

    votes: drafts that gave these rows as the model wrote them.
    results: the first rows.
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
    """An attempt as the response shows it. note: what was changed, where it is the last query put right."""

    sql: str
    note: str = ""
    error: str | None = None
    error_type: str | None = None
    hint: str = ""
    row_count: int | None = None
    verdict: Verdict | None = None


class AnswerPart(Frozen):
    """One query of an answer that needed several, with all that its own answer rests on.

    number: by which `answer` of the whole names it, as `[1]`.
    question: as the model worded it. answer: what its rows say; of an error, why there are none.
    All else is as in the response to a question.
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
    """The response of `POST query`, as section 2 of the specification has it."""

    status: Literal["success", "clarification_needed", "error"]
    kind: Kind = Field(
        "query",
        description="`query`: answered by SQL. `about_data`: from schema, docs and catalogue, which `checks` name. "
        "`small_talk`: about no data. `change`: a change of rows. Only a query is reused.",
    )
    answer: str
    answer_source: AnswerSource | None = Field(
        None,
        description="Who wrote `answer`: a model, each claim of it held against the rows, or Plumbline, from the rows; "
        "null where it answers no query.",
    )
    question: str = Field("", description="As it was answered: made self-contained where it leaned on earlier ones.")
    language: str = Field(
        "en", description="Of the question, by ISO 639-1, in which numbers are to be shown; `en` else."
    )
    sql: str | None = None
    results: list[dict[str, Any]] = []
    columns: list[str] = []
    row_count: int = 0
    truncated: bool = False
    cursor: str | None = Field(
        None,
        description="Where there are more rows: send it as `cursor` of `POST /api/execute` to get the next ones.",
    )
    raw_results: list[dict[str, Any]] = []
    raw_sql: str | None = None
    raw_truncated: bool = Field(False, description="Whether there are more records behind the result than these.")
    raw_total: int | None = Field(
        None, description="How many records are behind the result in all; null where there are none, or nobody counted."
    )
    group_columns: list[str] | None = Field(
        None,
        description="The columns of `results` that its rows are grouped by, so that `POST /api/records` gives each "
        "row's own records; null where there are no such rows.",
    )
    tables_used: list[str] = []
    dialect: str | None = None
    attempts: int = 0
    attempt_history: list[AttemptRecord] = []
    verified: bool = False
    confidence: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The calibrated probability that the rows are right; null where no query answered the question.",
    )
    checks: list[Check] = []
    doubts: list[Doubt] = []
    candidates: list[CandidateRecord] = []
    corrections: list[Correction] = []
    numbers: list[AnswerNumber] = []
    parts: list[AnswerPart] = Field(
        [],
        description="Of a question that needed several queries, each of them: `answer` names them as `[1]`, `sql` is "
        "null, `results` is empty, and `confidence` is the least of theirs. Empty elsewhere.",
    )
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

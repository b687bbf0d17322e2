"""Request bodies, response bodies, and the common form of streamed events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from agent.core.answers import Answer, AnswerNumber, AnswerPart
from agent.core.events import Done, Event, Failed, NodeComplete
from agent.core.fields import A_NUMBER
from agent.core.models import Check, Options, take_fields
from agent.core.resilience.health import PartHealth, Readiness
from agent.databases.registry import DatabaseInfo, Executed
from agent.databases.uploads.uploads import UploadRules
from executors.base import Frozen, JsonValue, Schema, Table

ALWAYS = frozenset({"status", "kind", "answer", "trace_id", "answer_id"})
ALL = "all"
INCLUDE = "Fields to add to the response: `candidates`, or, with `exclude: [all]`, any others."


def parts_of(response: type[BaseModel], always: Set[str] = ALWAYS) -> tuple[str, ...]:
    """The parts of a response that may be omitted. Args: always: those that may not."""
    return tuple(name for name in response.model_fields if name not in always)


def one_of_parts(*parts: str) -> AfterValidator:
    """A validator that raises ValueError for a name that is not a part."""

    def check_part(name: str) -> str:
        if name not in parts:
            raise ValueError(f"There is no such part. Known: {', '.join(parts)}.")
        return name

    return AfterValidator(check_part)


PARTS = parts_of(Answer)
Part = Annotated[str, Field(json_schema_extra={"enum": [*PARTS]}), one_of_parts(*PARTS)]
PartOrAll = Annotated[str, Field(json_schema_extra={"enum": [ALL, *PARTS]}), one_of_parts(ALL, *PARTS)]


def find_omitted_parts(include: Sequence[str], exclude: Sequence[str], parts: Sequence[str] = PARTS) -> frozenset[str]:
    """The parts that are not sent: those in `exclude`, or with `all` those not in `include`. Raises ValueError."""
    if both := [name for name in include if name in exclude]:
        raise ValueError(f"{', '.join(both)}: a part is either in `include` or in `exclude`.")
    return frozenset(parts if ALL in exclude else exclude) - frozenset(include)


FIRST_RECORDS = 10


def _whole_characters(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("The text holds half a character (a lone surrogate); send it in UTF-8.")
    return text


NOTHING: frozenset[str] = frozenset()
WHOLE = AfterValidator(_whole_characters)
Text = Annotated[str, WHOLE]  # with a pattern: Annotated[str, Field(pattern=...), WHOLE], else the contract lacks it

# JSON schemas of texts that must not, or must, be blank, for rules between fields. Regex engines disagree on what
# white space is: a character that is none for all of them makes a text non-blank.
SOMETHING = r"[^\s\u001c-\u001f\u0085]"
FILLED: dict[str, Any] = {"type": "string", "pattern": SOMETHING}
BLANK: dict[str, Any] = {"type": "string", "pattern": r"^[ \t\r\n]*$"}


def one_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Require exactly one of several schemas, below `if`: generators create classes for a plain `oneOf`."""
    return {"if": {}, "then": {"oneOf": list(schemas)}}


def any_of(schemas: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Require at least one of several schemas, in the same way."""
    return {"if": {}, "then": {"anyOf": list(schemas)}}


def with_example(example: dict[str, Any], rules: dict[str, Any] | None = None) -> ConfigDict:
    """The configuration of a body: its example in the contract, and its rules between fields."""
    return ConfigDict(json_schema_extra={"examples": [example], **(rules or {})})


Name = Annotated[Text, Field(max_length=200)]


class QueryRequest(Frozen):
    """A question about one database. Unknown fields are refused."""

    model_config = with_example({"question": "What was our highest revenue month?", "database": "shop"})

    question: Text = Field(description="The question, in plain language.")
    database: Name = Field(description="Name of the database, as the list of databases has it.")
    session_id: Name | None = Field(
        None, description="Session that the question belongs to. Default: none; the question stands alone."
    )
    options: Options = Field(Options(), description="Options of this question. Default: the service's settings.")
    include: list[Part] = Field([], description=INCLUDE)
    exclude: list[PartOrAll] = Field(
        [], description="Fields to omit from the response. `all` omits all but status, kind, answer and the ids."
    )

    @model_validator(mode="after")
    def _names_a_part_once(self) -> QueryRequest:
        find_omitted_parts(self.include, self.exclude)
        return self

    @property
    def omitted_parts(self) -> frozenset[str]:
        """The parts of the response that are not sent."""
        return find_omitted_parts(self.include, self.exclude)

    @property
    def request_options(self) -> Options:
        """The options, with those implied by `include`."""
        return self.options.model_copy(update={"candidates": True}) if "candidates" in self.include else self.options


Value = Text | int | Annotated[float, Field(allow_inf_nan=False)] | bool | None


def _read_values(given: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(given)
    except ValidationError as error:  # pydantic's own says why each alternative fails, in the names of its validators
        most = next((one["ctx"]["max_length"] for one in error.errors() if one["type"] == "too_long"), None)
        raise ValueError(_VALUES if most is None else f"Send at most {most} values.") from error


_VALUES = (
    "Send a list of values for `?`, or an object of values for `:name`. A value is a text of whole characters, a "
    "finite number, a boolean or null."
)
PLACEHOLDERS = WrapValidator(_read_values)


RowLimit = Annotated[int, Field(ge=1, le=10_000), A_NUMBER]
ROW_LIMIT = (
    "Maximum number of rows. A value above the limit of the service or the database is refused. Default: the service's "
    "usual number."
)
Token = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,100}$"), WHOLE]


class ExecuteRequest(Frozen):
    """A query to run, or a cursor for the next rows. Unknown fields are refused."""

    model_config = with_example(
        {"database": "shop", "sql": "SELECT order_id FROM orders WHERE status = :status", "row_limit": 100,
         "parameters": {"status": "C"}},
        one_of([
            {"required": ["sql"], "properties": {"sql": {"type": "string"}, "cursor": {"type": "null"}}},
            {"required": ["cursor"],
             "properties": {"cursor": {"type": "string"}, "sql": {"type": "null"}, "parameters": {"type": "null"}}},
        ]),
    )  # fmt: skip

    database: Name = Field(description="Name of the database, as the list of databases has it.")
    sql: Text | None = Field(None, description="One SELECT in the database's SQL dialect.")
    cursor: Token | None = Field(
        None, description="Cursor of an earlier response, in place of `sql`. It is valid for an hour."
    )
    row_limit: RowLimit | None = Field(None, description=ROW_LIMIT)
    timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False), A_NUMBER] | None = Field(
        None,
        description="Maximum duration of the query, in seconds. Limits of the service and the database apply too.",
    )
    parameters: Annotated[list[Value] | dict[Name, Value] | None, PLACEHOLDERS] = Field(
        None, description="Values of placeholders: a list for `?`, an object for `:name`."
    )

    @model_validator(mode="after")
    def _is_one(self) -> ExecuteRequest:
        if (self.sql is None) == (self.cursor is None):
            raise ValueError("Send either `sql` or `cursor`.")
        if self.cursor is not None and self.parameters is not None:
            raise ValueError("A cursor has its parameters already; leave `parameters` out.")
        return self


class ExecuteResponse(Frozen):
    """The rows of a query.

    columns: Column names, in the query's order.
    rows: The rows, each an array of JSON values.
    row_count: Number of rows.
    truncated: Whether the database has more rows.
    cursor: Send it in place of `sql` to get the next rows. Null if there are no more rows.
    elapsed_ms: Milliseconds that the query took in the database.
    sql: The query that ran, with its row limit.
    warnings: What a row filter withheld, one sentence each.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    row_count: int
    truncated: bool
    cursor: str | None = None
    elapsed_ms: float
    sql: str
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, done: Executed) -> ExecuteResponse:
        """Build the response for a query that was run."""
        return cls(
            **take_fields(done.result, cls),
            row_count=done.result.row_count,
            cursor=done.cursor,
            sql=done.query.sql,
            warnings=(*done.query.held, *done.warnings),
        )


class StreamEvent(Frozen):
    """The data of one server-sent event; `event` is also the event's own name.

    event: `start`, `queued`, `sql_progress`, `node_complete`, `answer_delta`, `done` or `error`.
    node, attempt, elapsed_ms: the step that ended, its attempt and its milliseconds; null for other events.
    data: the results; for `done` the response of `POST /api/query`, for `error` a problem document.
    """

    event: str
    node: str | None = None
    attempt: int | None = None
    elapsed_ms: float | None = None
    data: dict[str, Any]

    @classmethod
    def of(cls, event: Event, left_out: frozenset[str] = NOTHING) -> StreamEvent:
        """Build the data of an event. Args: left_out: omitted parts of the response."""
        match event:
            case NodeComplete():
                data = event.model_dump(mode="json", exclude={"attempt", "elapsed_ms"})
                return cls(
                    event=event.event, node=event.node, attempt=event.attempt, elapsed_ms=event.elapsed_ms, data=data
                )
            case Done():
                return cls(event=event.event, data=event.answer.model_dump(mode="json", exclude=set(left_out)))
            case Failed():
                return cls(event=event.event, data=event.problem.model_dump(mode="json"))
            case _:
                return cls(event=event.event, data=event.model_dump(mode="json"))


class DatabaseList(Frozen):
    """The databases that the caller may ask.

    databases: The databases.
    uploads: Limits of uploads. Null if the caller cannot upload data.
    """

    databases: list[DatabaseInfo]
    uploads: UploadRules | None = None


class DatabaseDetail(DatabaseInfo):
    """A database, with suggested questions.

    questions: Questions that the database can answer, the best first.
    """

    questions: tuple[str, ...] = ()


class DatabaseSchema(Frozen):
    """The schema of a database.

    database: Database name.
    dialect: SQL dialect.
    tables: Tables and views.
    namespace: The schema whose tables need no qualifier. Empty for files.
    version: Version of the server. Empty if it is unknown or makes no difference.
    enriched: The schema with the docs, as the model reads it. Empty if it was not requested.
    warnings: What could not be read, one sentence each.
    """

    database: str
    dialect: str
    tables: tuple[Table, ...]
    namespace: str = ""
    version: tuple[int, ...] = ()
    enriched: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, schema: Schema, enriched: str, warnings: tuple[str, ...]) -> DatabaseSchema:
        """Build the response."""
        return cls(**take_fields(schema, cls) | {"enriched": enriched, "warnings": warnings})


class IndexReport(Frozen):
    """The result of indexing, in documents.

    database: Database name.
    added: Documents that were added.
    removed: Documents that were removed.
    unchanged: Documents that did not change.
    embedded: Added documents that had no embedding yet.
    notes: Problems of the index that were repaired, one sentence each.
    problems: Docs that could not be used, and how to fix each.
    """

    database: str
    added: int
    removed: int
    unchanged: int
    embedded: int = 0
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class Live(Frozen):
    """The process responds.

    status: Always `live`.
    """

    status: str = "live"


class Health(Frozen):
    """The readiness of the service.

    ready: Whether the service can answer questions.
    state: `ready`, `degraded` if a database, the state store or a changed registry cannot be read, or `unavailable`.
    parts: The health of each part.
    """

    ready: bool
    state: Readiness = "ready"
    parts: list[PartHealth]


ANSWER_EXAMPLE = Answer(
    status="success",
    answer="The highest revenue month was March 2024 with $50,000 in sales.",
    sql="SELECT month, SUM(amount) AS total FROM sales GROUP BY month ORDER BY total DESC LIMIT 1",
    results=[{"month": "2024-03", "total": 50000}],
    columns=["month", "total"],
    row_count=1,
    tables_used=["sales"],
    dialect="sqlite",
    attempts=1,
    verified=True,
    confidence=0.97,
    checks=[Check(name="judge", passed=True, detail="One row, the highest.")],
    numbers=[AnswerNumber(text="$50,000", start=46, end=53, source="result", row=0, column="total")],
    trace_id="0af7651916cd43dd8448eb211c80319c",
    answer_id="0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
).model_dump(mode="json")


def with_first_records(answer: Answer) -> Answer:
    """An answer for chats and tools, with only the first ten records behind it."""
    parts = [part.model_copy(update=_first_records(part)) for part in answer.parts]
    return answer.model_copy(update={**_first_records(answer), "parts": parts})


def _first_records(answer: Answer | AnswerPart) -> dict[str, Any]:
    records = answer.raw_results[:FIRST_RECORDS]
    more = answer.raw_truncated or len(records) < len(answer.raw_results)
    return {"raw_results": records, "raw_truncated": more}

"""The problems that each route may return: a table from each error to the operations that return it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agent.api.http.errors import http_problem
from agent.api.http.idempotent import TAKING
from agent.core import errors
from agent.core.problems import TYPE_PREFIX, Problem, problem_of
from agent.core.queueing import Standing
from executors.errors import DatabaseUnavailable, ErrorKind, SqlFailed, SqlRefused, UnknownDatabase
from rag.errors import EmbedderUnavailable, StoreUnavailable

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
QUEUE = Standing(length=3, wait_s=4.6)

# Operations by purpose. A route may be in several sets.
PLANNING = frozenset({"query", "query_stream"})
IN_SESSION = PLANNING | {"chat", "chat_stream"}
ASKING = IN_SESSION | {"generate", "generate_stream"}
JOBS = frozenset({"job", "cancel_job"})
SHARING = frozenset({"share_answer", "unshare_answer"})
SESSIONS = frozenset({"session", "end_session", "session_answer"}) | SHARING
REPLAYS = frozenset({"resume_stream", "end_stream"})
SETTLING = frozenset({"settle_review", "feedback"})
RUNNING = SETTLING | {"execute", "records", "run_saved_query"}
SAVING = frozenset({"save_query", "replace_saved_query"})
ONE_SAVED = frozenset({"saved_query", "replace_saved_query", "delete_saved_query", "run_saved_query"})
ONE_TILE = frozenset({"put_tile", "remove_tile"})
CHANGING_SAVED = SAVING | {"delete_saved_query"}
PAGING = frozenset({"execute"})
ROWS = ASKING | {"execute", "records", "run_saved_query"}
AS_FILE = frozenset({"query", "execute", "run_saved_query"})
INDEXING = SETTLING | {"index_database", "add_documents", "delete_document", "describe_column"}
UPLOADING = frozenset({"upload_database"})
DOCS = frozenset({"search_docs", "list_documents", "add_documents", "delete_document"})
SCHEMAS = frozenset(
    {"database", "database_schema", "index_database", "start_session", "new_session", "session"}
    | {"first_look", "read_report", "describe_column"}
)
READING = ASKING | RUNNING | SAVING | SCHEMAS | DOCS
OPEN = frozenset({"health_live", "generate_health"})
UNAIDED = frozenset({"tools", "health_ready"})  # they need no registry, or report a missing one themselves
COUNTED_READS = frozenset({"database_schema"})  # count towards the rate limit if they reread a schema
# Operations that watch for a disconnect and thus receive an unexpected body.
LISTENING = frozenset({"session", "health_ready", "first_look"})
REMEMBERING = IN_SESSION | JOBS | SESSIONS | SETTLING | SAVING | ONE_SAVED | ONE_TILE | {
    "start_session", "new_session", "sessions", "chat_health", "reviews", "review", "saved_queries", "delete_database",
    "dashboard", "shared_answer",
}  # fmt: skip


class ProblemCase(NamedTuple):
    """An example of a problem, and the ids of operations that return it; None: see `applies`."""

    name: str
    problem: Problem
    operations: frozenset[str] | None


class Operation(NamedTuple):
    """The properties of a route that determine its problems. closed: whether only known callers may call it."""

    id: str
    method: str
    closed: bool
    takes_body: bool
    takes_fields: bool
    takes_path: bool


def _build(error: Exception, operations: frozenset[str] | None, name: str = "") -> ProblemCase:
    problem = problem_of(error, TRACE_ID)
    if problem is None:
        raise AssertionError(f"{type(error).__name__} has no status")
    return ProblemCase(name or problem.type.removeprefix(TYPE_PREFIX), problem, operations)


def _by_http(status: int, **changes: Any) -> ProblemCase:
    problem = http_problem(status, TRACE_ID, **changes)
    return ProblemCase(problem.type.removeprefix(TYPE_PREFIX), problem, None)


_FIELD = {"field": "options.row_limit", "message": "Send a number from 1 on"}

CASES: tuple[ProblemCase, ...] = (
    _by_http(400),
    _build(errors.NotAuthenticated("Send an API key: `Authorization: Bearer KEY`, or `x-api-key: KEY`.", "Bearer"),
            None),
    _build(errors.NotPermitted("Without authentication, use the address 127.0.0.1 or localhost, or set "
                                "PLUMBLINE_AUTH."), None),
    _by_http(404),
    _build(UnknownDatabase("shops", ("shop",)), READING | {"reviews", "delete_database"}),
    _build(errors.UnknownSession("There is no such session, or it has expired. Start a new one."),
            IN_SESSION | SESSIONS),
    _build(errors.UnknownWritePlan("No change waits for this token. Ask for the change again."), PLANNING),
    _build(errors.UnknownDocument("No document of this id was added to 'shop'."), frozenset({"delete_document"})),
    _build(errors.UnknownJob("There is no such job, or it has expired. Ask the question again."), JOBS),
    _build(errors.UnknownReview("There is no review f9b1c9. GET /api/reviews lists all reviews."),
            frozenset({"review", "settle_review", "feedback"})),
    _build(errors.UnknownAnswer("You were given no answer with this id, or it was too long ago for feedback."),
            REPLAYS | SHARING | {"feedback", "session_answer"}),
    _build(errors.UnknownShare("This link leads to no answer that you can see: it has ended."),
            frozenset({"shared_answer"})),
    _build(errors.UnknownSavedQuery("You have no saved query 3f1c0d. GET /api/saved lists your queries."),
            ONE_SAVED | {"put_tile"}),
    _build(errors.UnknownTile("The saved query 3f1c0d is not on your dashboard. GET /api/dashboard lists the tiles."),
            frozenset({"remove_tile"})),
    _build(errors.TileInvalid("A webhook's address begins with https:// and a host, in ASCII."),
            frozenset({"put_tile"})),
    _build(errors.UnknownCursor("There is no such cursor, or it has expired. Run the query again."), PAGING),
    _build(errors.NotAcceptable("Rows are available as application/json or text/csv. Choose one with Accept."),
            AS_FILE),
    _build(errors.SessionBusy("Another message of this session is still being answered. Wait for it."), IN_SESSION),
    _build(errors.WritesNotAllowed("Data can only be read here. Ask for what you want to know instead."), ASKING),
    _build(errors.WriteNotMade("The rows have changed since they were shown. Ask for the change again."), PLANNING),
    _build(errors.AlreadySettled("This review was approved already. Nothing was changed."), SETTLING),
    _build(errors.ChangedMeanwhile("It has changed since you read it. Read it again, then decide."),
            SETTLING | CHANGING_SAVED),
    _build(errors.RequestInProgress("The request with this Idempotency-Key is still being answered.", 2), None),
    _build(errors.ResponseNotKept("The request was done, but its response was too large to be kept."), None),
    _build(errors.NameTaken("You have another saved query named 'Orders by status'. Choose another name."),
            SAVING | UPLOADING),
    _build(errors.RowsChanged("The rows that were given before have changed. Run the query again."), PAGING),
    _build(SqlRefused(ErrorKind.NOT_READ_ONLY, "DELETE changes data; only SELECT is allowed."), RUNNING | SAVING,
            "sql-not-read-only"),
    _by_http(408),
    _by_http(413),
    _by_http(422, detail=f"{_FIELD['field']}: {_FIELD['message']}", errors=[_FIELD]),
    _build(errors.QuestionInvalid("The question is empty. Ask something about the data, in a sentence."), ASKING),
    _build(SqlRefused(ErrorKind.TABLE_NOT_FOUND, "There is no table 'order'.", "Did you mean orders?"),
            RUNNING | SAVING),
    _build(SqlFailed(ErrorKind.TYPE_MISMATCH, "The database could not convert 'x' to a number."), RUNNING),
    _build(errors.NoRows("Which dates do you mean? Set Accept to application/json for the whole response."),
            frozenset({"query"})),
    _build(
        errors.TooManyRows("`row_limit` is 10,000; at most 200 rows are allowed. Ask for fewer.", 200),
        ROWS,
    ),
    _build(errors.DocumentsInvalid("documents.0: there is no table 'order'; the nearest is 'orders'."),
            SETTLING | {"add_documents", "describe_column"}),
    _build(errors.UploadTooLarge("An upload may have 100 MB. Send less, or send it packed (.zip, .csv.gz)."),
            UPLOADING),
    _build(errors.UploadInvalid(
                "sales.csv has 5,000 columns, and a table may have 2,000: keep those that are needed."),
            UPLOADING),
    _build(errors.StorageFull("The disk of this service is full. Nothing was kept."), UPLOADING),
    _build(errors.KeyReused("This Idempotency-Key was sent with another request before. Send a new key."), None),
    _build(errors.ReviewInvalid("No query of this answer has given rows. Send `correct` with the right SQL."),
            SETTLING),
    _build(errors.FeedbackInvalid("This answer has no query that could be right. Say `correct: false`."),
            frozenset({"feedback"})),
    _build(errors.SavedQueryInvalid("At most 200 queries can be saved. Delete one first."), SAVING),
    _build(errors.TooManyRequests("More than 60 requests in a minute. Try again in 12 s.", 12), None),
    _by_http(431),
    _by_http(500),
    _build(errors.ModelFailed("The model's endpoint did not answer with a chat completion; check the base URL."),
            ASKING),
    _by_http(503),
    _build(errors.AccessInvalid("PLUMBLINE_API_KEYS_FILE cannot be read."), None),
    _build(errors.TooBusy("The service is answering all it can and 3 questions wait. Try again in 5 s.", 5, QUEUE),
            ASKING | {"execute", "records"}),
    _build(errors.Starting("The service is still starting after 220 s. Send the request again in 5 s.", 5), None),
    _build(errors.ShuttingDown("This process is being stopped. Ask again in 5 s.", 5), None),
    _build(errors.BudgetSpent("The question has used its 2 model calls."), ASKING),
    _build(errors.ContentFiltered(
                "The endpoint's content filter refused the prompt; word the question differently."), ASKING),
    _build(errors.ModelBusy("The rate limit of the model's endpoint is used up. Try again in 40 s.", 40), ASKING),
    _build(errors.ModelUnavailable("The model cannot be reached. Try again later."), ASKING),
    _build(DatabaseUnavailable("The database 'shop' cannot be opened: its file is missing."), READING),
    _build(errors.StateUnavailable("The state store cannot be used now. Try again later."), REMEMBERING),
    _build(StoreUnavailable("Another process is indexing. Wait until it has finished."),
            INDEXING | DOCS | {"database_schema"}),
    _build(EmbedderUnavailable("The embedding model is not complete. Install it."), INDEXING | {"search_docs"}),
    _build(errors.OutOfTime("No answer within 220 s. Ask something narrower, or try again."), ASKING | RUNNING),
    _build(SqlFailed(ErrorKind.TIMEOUT, "The query took longer than 30 s.", "Read less."), RUNNING, "sql-timeout"),
)  # fmt: skip


def applies(case: ProblemCase, operation: Operation) -> bool:
    """Whether an operation may return the problem."""
    if case.name == "state-unavailable" and operation.closed and operation.method in ("POST", "PUT"):
        return True  # the caller's rate may not be countable
    if case.operations is not None:
        return operation.id in case.operations
    by_name = {
        "malformed-request": operation.takes_body,
        "not-authenticated": operation.closed,
        "not-permitted": operation.closed,
        "unknown-route": operation.takes_path,  # a value with a slash leads to another route
        "request-timeout": operation.takes_body or operation.id in LISTENING,
        "request-too-large": operation.takes_body or operation.id in LISTENING,
        "invalid-field": operation.takes_fields,
        "too-many-requests": operation.closed
        and (operation.method in ("POST", "PUT") or operation.id in COUNTED_READS),
        "headers-too-large": True,
        "request-in-progress": operation.id in TAKING,
        "response-not-kept": operation.id in TAKING,
        "key-reused": operation.id in TAKING,
        "unexpected": operation.id not in OPEN,
        "registry-invalid": operation.closed and operation.id not in UNAIDED,
        "starting": operation.closed and operation.id not in UNAIDED,
        "access-invalid": operation.closed,
        "shutting-down": operation.id != "health_live",
    }
    return by_name[case.name]


def cases_of(operation: Operation) -> Iterator[tuple[int, list[ProblemCase]]]:
    """The problems of an operation, by HTTP status."""
    found = [case for case in CASES if applies(case, operation)]
    for status in sorted({case.problem.status for case in found}):
        yield status, [case for case in found if case.problem.status == status]

"""Runs queries on a database of another deployment, through its `POST /api/execute`.

It behaves like a local database. The remote guard checks and limits each query again, and its refusals and errors are
raised here as the same errors.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, SecretStr, ValidationError

from executors.base import Cancel, CheckedSql, Executor, JsonValue, QueryResult, Schema, Table
from executors.dialects.table import DIALECTS
from executors.engines.common.servers.catalogue import SchemaCache
from executors.engines.common.servers.tokens import TokenSource
from executors.engines.common.stopping import out_of_time
from executors.engines.remote.client import AppClient, Stopped
from executors.errors import DatabaseUnavailable, ErrorKind, SqlError, SqlFailed, SqlRefused
from executors.registry.entry import ServerOptions

if TYPE_CHECKING:
    from httpx2 import Response

# Added to a query's timeout, for the network, for queueing, and for an app that has to start first.
MARGIN_S = 15.0
SCHEMA_TIMEOUT_S = 120.0
Reply = TypeVar("Reply", bound=BaseModel)

_PROBLEM = "urn:plumbline:problem:"
_SQL_ERRORS: dict[str, type[SqlError]] = {"sql-refused": SqlRefused, "sql-failed": SqlFailed}


class _Rows(BaseModel):
    """The fields of the response of `POST /api/execute` that are used here."""

    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    truncated: bool


class _SchemaReply(BaseModel):
    """The fields of the response of `GET /api/databases/{name}/schema` that are used here."""

    dialect: str
    tables: tuple[Table, ...]
    namespace: str = ""
    version: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


class _Problem(BaseModel):
    """An RFC 9457 problem document of the app."""

    type: str = ""
    detail: str = ""
    kind: ErrorKind | None = None
    hint: str = ""
    most_rows: int | None = None

    @property
    def slug(self) -> str:
        return self.type.removeprefix(_PROBLEM) if self.type.startswith(_PROBLEM) else ""


class RemoteExecutor(Executor):
    """One database of a deployed app.

    via, key: The app's address, `https://host`, and its function key.
    identity: Instead of a key: the Entra ID resource or scope that the app requires, such as `api://...`.
    database: The database's name in the app. Empty: the same name.
    dialect: The dialect, if it is known in advance. Else the first `schema` sets it.
    options: Only the connect timeout and the lifetime of the schema are used.
    """

    is_remote = True

    def __init__(
        self,
        name: str,
        via: str,
        *,
        key: SecretStr | None = None,
        identity: str = "",
        database: str = "",
        dialect: str = "",
        options: ServerOptions | None = None,
        token: TokenSource | None = None,
    ) -> None:
        self.name, self.dialect = name, dialect
        self._database, self._options = database or name, options or ServerOptions()
        if identity and token is None:
            token = TokenSource(identity if identity.endswith("/.default") else f"{identity.rstrip('/')}/.default")
        self._secret = "identity" if token is not None else "key"
        self._app = AppClient(name, via, key=key, token=token, connect_timeout_s=self._options.connect_timeout_s)
        self._schema = SchemaCache(self._read_schema, self._options.schema_ttl_s)
        self._stale = False  # whether the app must read its schema again too

    def schema(self) -> Schema:
        """See `Executor.schema`. It is fetched again after `ServerOptions.schema_ttl_s` seconds, or after `refresh`."""
        return self._schema.get()

    def refresh(self) -> None:
        """See `Executor.refresh`. The remote app reads its schema again too."""
        self._stale = True
        self._schema.forget()

    def run(self, query: CheckedSql, *, timeout_s: float, cancel: Cancel | None = None) -> QueryResult:
        """See `Executor.run`. If the app's row limit is lower, that limit applies, and `truncated` is set.
        Raises SqlRefused too: the guard of the other deployment refused the query."""
        started = time.monotonic()
        body = {
            "database": self._database,
            # The query requests one row more than the cap, as everywhere, so that the app detects truncation.
            "sql": query.executable,
            "row_limit": query.row_limit,
            "timeout_s": timeout_s,
        }
        response = self._execute(body, timeout_s, cancel)
        if response.status_code == HTTPStatus.UNPROCESSABLE_ENTITY:
            problem = _problem(response)
            if problem.slug == "too-many-rows":
                response = self._execute(body | {"row_limit": problem.most_rows}, timeout_s, cancel)
        if response.status_code != HTTPStatus.OK:
            raise self._error(response, timeout_s)
        found = self._read(_Rows, response)
        elapsed = round((time.monotonic() - started) * 1000, 3)
        return QueryResult(columns=found.columns, rows=found.rows, truncated=found.truncated, elapsed_ms=elapsed)

    def _execute(self, body: dict[str, object], timeout_s: float, cancel: Cancel | None) -> Response:
        try:
            return self._app.request("POST", "execute", body=body, timeout_s=timeout_s + MARGIN_S, cancel=cancel)
        except Stopped as error:
            raise out_of_time(timeout_s, cancel) from error

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _read_schema(self) -> Schema:
        anew, self._stale = self._stale, False
        try:
            return self._fetch_schema(anew=anew)
        except DatabaseUnavailable:
            self._stale = self._stale or anew
            raise

    def _fetch_schema(self, *, anew: bool) -> Schema:
        path = f"databases/{quote(self._database, safe='')}/schema"
        params = {"enriched": "false"} | ({"refresh": "true"} if anew else {})
        try:
            response = self._app.request("GET", path, params=params, timeout_s=SCHEMA_TIMEOUT_S)
        except Stopped as error:
            message = f"The app that has {self.name} gave no schema within {SCHEMA_TIMEOUT_S:g} s; try again."
            raise DatabaseUnavailable(message) from error
        if response.status_code != HTTPStatus.OK:
            raise self._error(response, SCHEMA_TIMEOUT_S)
        found = self._read(_SchemaReply, response)
        if found.dialect not in DIALECTS:
            raise DatabaseUnavailable(f"The app that has {self.name} speaks {found.dialect!r}, which is unknown here.")
        self.dialect, self.warnings = found.dialect, found.warnings
        return Schema(
            database=self.name,
            dialect=found.dialect,
            tables=found.tables,
            namespace=found.namespace,
            version=found.version,
        )

    def _read(self, kind: type[Reply], response: Response) -> Reply:
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as error:
            raise DatabaseUnavailable(
                f"What answers for {self.name} is not a Plumbline of this version; check `via` in databases.yaml."
            ) from error

    def _error(self, response: Response, timeout_s: float) -> Exception:
        """The error for a response whose status is not 200."""
        status, app = response.status_code, f"app that has {self.name}"
        problem = _problem(response)
        sql_error = _SQL_ERRORS.get(problem.slug)
        if sql_error is not None:
            return sql_error(problem.kind or ErrorKind.OTHER, problem.detail, problem.hint)
        if status == HTTPStatus.GATEWAY_TIMEOUT:
            return out_of_time(timeout_s)
        if problem.slug == "database-unavailable":
            return DatabaseUnavailable(problem.detail)
        if problem.slug == "unknown-database":
            message = f"The {app} has no database {self._database!r}; check `database` in databases.yaml."
        elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            message = f"The {self._secret} for {self.name!r} was not accepted by the {app}; check it."
        elif status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
            message = f"The {app} is busy, or not set up; try again later."
        elif problem.slug:
            message = f"The {app} could not answer: {problem.detail}"
        else:
            message = f"The {app} answered with status {status}; check `via` in databases.yaml, and its log."
        return DatabaseUnavailable(message)


def _problem(response: Response) -> _Problem:
    """The problem document of a response. An empty one if it has none, such as a gateway's response."""
    try:
        return _Problem.model_validate_json(response.content)
    except ValidationError:
        return _Problem()

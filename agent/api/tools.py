"""The tools that other agents can call: name, description for a model, arguments, and function.

`GET /api/tools` returns them for function calling. Their arguments are those of the routes' request bodies.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, Field, create_model

from agent.api.schemas.common import (
    ROW_LIMIT,
    DatabaseList,
    ExecuteResponse,
    Name,
    QueryRequest,
    RowLimit,
    Text,
    Token,
    with_first_records,
)
from agent.api.schemas.rag import FoundDocument, SearchRequest, SearchResponse
from agent.core.answers import Answer
from agent.core.models import Options, ReadOptions
from agent.pipeline.service import Service
from executors.base import Frozen

Body = TypeVar("Body", bound=BaseModel)
Run = Callable[[Service, Any, str], Awaitable[BaseModel]]


class SchemaRequest(Frozen):
    """Which database to describe."""

    database: Name = Field(description="Name of the database, from `list_databases`.")


class NoArguments(Frozen):
    """Nothing to say."""


class SchemaText(Frozen):
    """A database's schema as the model reads it; `warnings`: what of it could not be read."""

    database: str
    dialect: str
    schema_text: str
    warnings: tuple[str, ...] = ()


class Tool(NamedTuple):
    """A tool. title: for people; input: model of its arguments.

    method, path: the equivalent route, with parameters as `{database}`. run: takes service, arguments, principal.
    """

    name: str
    title: str
    description: str
    input: type[BaseModel]
    method: str
    path: str
    run: Run

    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without references."""
        schema: dict[str, Any] = _plain(self.input.model_json_schema(), {})
        return {key: value for key, value in schema.items() if key != "description"}  # the tool has its own description


class ToolList(Frozen):
    """Tools for function calling.

    tools: The tools, in the form that chat models expect.
    routes: HTTP method and path of each tool, by name.
    """

    tools: list[dict[str, Any]]
    routes: dict[str, dict[str, str]]

    @classmethod
    def of(cls, tools: tuple[Tool, ...]) -> ToolList:
        """The definitions of tools."""
        described = [
            {
                "type": "function",
                "function": {"name": it.name, "description": it.description, "parameters": it.parameters()},
            }
            for it in tools
        ]
        return cls(tools=described, routes={it.name: {"method": it.method, "path": it.path} for it in tools})


async def search_docs(service: Service, body: SearchRequest, principal: str) -> SearchResponse:
    """The documents nearest to a query. Raises UnknownDatabase, DatabaseUnavailable, RetrievalError."""
    found, warnings = await service.documents.search(
        body.database, body.query, body.top_k, body.kinds, principal=principal
    )
    return SearchResponse(documents=[FoundDocument.of(hit) for hit in found], warnings=warnings)


def options_of(body: Any) -> Options:
    """The options of a call of `ask`. Args: body: its arguments."""
    return Options(time_zone=body.options.time_zone)


async def _ask(service: Service, body: Any, principal: str) -> Answer:
    answering = service.query(
        body.question, body.database, session_id=body.session_id, options=options_of(body), principal=principal
    )
    return with_first_records(await answering)


async def _list(service: Service, body: NoArguments, principal: str) -> DatabaseList:  # noqa: ARG001
    return DatabaseList(databases=await service.list_databases(principal))


async def read_schema(service: Service, body: SchemaRequest, principal: str) -> SchemaText:
    """A database's schema as the model reads it. Raises UnknownDatabase, DatabaseUnavailable."""
    schema, warnings = await service.raw_schema(body.database, principal=principal)
    text = (await service.schema(body.database, principal))[1]
    return SchemaText(database=body.database, dialect=schema.dialect, schema_text=text, warnings=warnings)


async def _run(service: Service, body: Any, principal: str) -> ExecuteResponse:
    done = await service.databases.execute(body.database, body.sql, row_limit=body.row_limit, principal=principal)
    return ExecuteResponse.of(done)


async def _more(service: Service, body: Any, principal: str) -> ExecuteResponse:
    done = await service.databases.next_page(body.database, body.cursor, row_limit=body.row_limit, principal=principal)
    return ExecuteResponse.of(done)


class SqlRequest(Frozen):
    """A query on one database."""

    database: Name = Field(description="Name of the database, from `list_databases`.")
    sql: Text = Field(description="One SELECT in the database's SQL dialect.")
    row_limit: RowLimit | None = Field(None, description=ROW_LIMIT)


class MoreRequest(Frozen):
    """The next rows of a result."""

    database: Name = Field(description="Name of the database.")
    cursor: Token = Field(description="`cursor` of the previous result.")
    row_limit: RowLimit | None = Field(None, description=ROW_LIMIT)


def _only(body: type[Body], *fields: str, **narrowed: tuple[type[BaseModel], BaseModel]) -> type[BaseModel]:
    """A request's model with some of its fields, some narrowed. Fields that a model need not decide are hidden."""
    chosen: dict[str, Any] = {name: (body.model_fields[name].annotation, body.model_fields[name]) for name in fields}
    chosen |= narrowed
    return create_model(body.__name__, __base__=Frozen, __doc__=body.__doc__, **chosen)


def _plain(schema: Any, defined: Mapping[str, Any]) -> Any:
    """A JSON schema simplified for models: references resolved, no titles, no null next to a type."""
    if isinstance(schema, list):
        return [_plain(one, defined) for one in schema]
    if not isinstance(schema, dict):
        return schema
    defined = schema.get("$defs", defined)
    if "$ref" in schema:
        return _plain(defined[schema["$ref"].rpartition("/")[2]], defined)
    choices = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    if len(choices) == 1:
        schema = {**{key: value for key, value in schema.items() if key not in {"anyOf", "default"}}, **choices[0]}
    left_out = {"$defs", "examples"} | ({"title"} if isinstance(schema.get("title"), str) else set())
    return {key: _plain(value, defined) for key, value in schema.items() if key not in left_out}


_AskOptions = _only(ReadOptions, "time_zone")
TOOLS: tuple[Tool, ...] = (
    Tool(
        "ask",
        "Ask a question",
        "Answer a question about the data of one database. Plumbline writes the SQL, runs it, judges the result and "
        "recomputes every number. `verified` says whether all checks passed. `clarification` is a question to the "
        "user. `raw_results` has the first ten records behind the rows, `raw_total` their number. If the question "
        "needed several queries, `parts` has each, and `answer` refers to them as `[1]`. Prefer this to writing SQL "
        "yourself.",
        _only(QueryRequest, "question", "database", "session_id", options=(_AskOptions, _AskOptions())),
        "POST",
        "/api/query",
        _ask,
    ),
    Tool(
        "search_docs",
        "Search the docs",
        "Search the docs of a database: meanings of columns and tables, business rules and terms, and past questions "
        "with their SQL. Use it before writing SQL if the schema does not explain a term.",
        SearchRequest,
        "POST",
        "/api/rag/search",
        search_docs,
    ),
    Tool(
        "list_databases",
        "List databases",
        "List the databases, each with its SQL dialect, its description and its availability.",
        NoArguments,
        "GET",
        "/api/databases",
        _list,
    ),
    Tool(
        "get_schema",
        "Read a schema",
        "Get a database's tables, columns, types and keys, with their docs. Read it before `run_sql`.",
        SchemaRequest,
        "GET",
        "/api/databases/{database}/schema",
        read_schema,
    ),
    Tool(
        "run_sql",
        "Run a SELECT",
        "Run one SELECT in the database's SQL dialect and get its rows. Any other statement is refused. If there are "
        "more rows, `truncated` is true, and `more_rows` takes the `cursor`.",
        SqlRequest,
        "POST",
        "/api/execute",
        _run,
    ),
    Tool(
        "more_rows",
        "Get more rows",
        "Get the next rows of a result of `run_sql` or `ask` whose `cursor` is not null. To add up or count rows, "
        "write a query instead.",
        MoreRequest,
        "POST",
        "/api/execute",
        _more,
    ),
)

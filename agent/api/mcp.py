"""The tools for agents over the Model Context Protocol, with its official SDK, on standard input and output or HTTP.

Only the `mcp` command imports this module, because Azure does not have the SDK.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, get_type_hints

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, ValidationError

from agent import __version__
from agent.api.mcp_content import Content
from agent.api.schemas.common import with_first_records
from agent.api.tools import TOOLS, Tool, options_of
from agent.core.answers import Answer
from agent.core.callers import ANONYMOUS, LOCAL
from agent.core.events import (
    Done,
    Evaluated,
    NodeComplete,
    RawRecordsFetched,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlValidated,
)
from agent.core.problems import field_message, problem_of
from agent.understanding.clarification.inquiry import with_ending

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from agent.pipeline.service import Service

PATH = "/mcp"
INSTRUCTIONS = (
    "Plumbline answers questions about databases and proves its answers. Call `list_databases` first, then `ask`. "
    "Believe an answer only as far as its `verified`, `confidence` and `checks` say, and pass its `warnings` on."
)

_CLARIFICATION = "clarification"
_INPUT_REQUIRED = "2026-07-28"  # from this version on, a server asks in its result, not in a separate request
_STEPS = {
    "entry": "Read the question",
    "dialect_resolver": "Opened the database",
    "planner": "Planned the query",
    "question_planner": "Planned several queries",
    "part_answered": "Answered a part",
    "sql_generator": "Wrote a query",
    "sql_validator": "Checked the query",
    "evaluator": "The result was not judged",
    "sql_repair": "Retrying",
    "raw_records": "No source records apply",
    "answer_formatter": "Wrote the answer",
    "human_review": "No attempt was accepted; this needs a review",
}

LOOPBACK = ("127.0.0.1", "localhost", "::1")  # there is no authentication, so only this machine may call

_READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)

log = logging.getLogger(__name__)


class _Tools:
    """The tools of one service in the protocol's form."""

    def __init__(self, service: Service, principal: str) -> None:
        self._service, self._principal = service, principal
        self._tools = {tool.name: tool for tool in TOOLS}

    async def list(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Every tool, with JSON schemas of its arguments and result."""
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.parameters(),
                    output_schema=result_type(tool).model_json_schema(mode="serialization"),
                    annotations=_READS,
                )
                for tool in TOOLS
            ]
        )

    async def call(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a tool. Errors are also results. Raises MCPError if there is no such tool."""
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}. Known: {known}.")
        try:
            body = tool.input.model_validate(params.arguments or {})
        except ValidationError as error:
            return _build_failure(" ".join(_complaint(one["loc"], field_message(one)) for one in error.errors()))
        # Not by `except`: unexpected errors are logged, and their text must not reach the client.
        (outcome,) = await asyncio.gather(self._run(tool, body, context, params), return_exceptions=True)
        if isinstance(outcome, BaseException):
            return _build_failure(_sentence(tool, outcome))
        if isinstance(outcome, types.InputRequiredResult):
            return outcome
        content = outcome.model_dump(mode="json")
        text = types.TextContent(type="text", text=json.dumps(content, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=content)

    async def _run(
        self, tool: Tool, body: BaseModel, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> BaseModel:
        if tool.name == "ask":
            return await self._ask(body, context, params.input_responses or {})
        return await tool.run(self._service, body, self._principal)

    async def _ask(
        self, body: Any, context: ServerRequestContext, responses: types.InputResponses
    ) -> Answer | types.InputRequiredResult:
        """Answer a question. If it needs a clarification, ask the user once."""
        if _CLARIFICATION in responses:
            return await self._answer(_clarify(body.question, responses[_CLARIFICATION]), body, context)
        answer = await self._answer(body.question, body, context)
        if answer.status != "clarification_needed" or not _can_ask(context):
            return answer
        form = types.ElicitRequestFormParams(message=answer.answer, requested_schema=_form(answer))
        if is_version_at_least(context.protocol_version, _INPUT_REQUIRED):
            return types.InputRequiredResult(input_requests={_CLARIFICATION: types.ElicitRequest(params=form)})
        reply = await context.session.elicit_form(form.message, form.requested_schema, context.request_id)
        question = _clarify(body.question, reply)
        return answer if question == body.question else await self._answer(question, body, context)

    async def _answer(self, question: str, body: Any, context: ServerRequestContext) -> Answer:
        """Answer a question, reporting each step as progress."""
        steps = 0
        events_of = self._service.events(
            question,
            body.database,
            session_id=body.session_id,
            options=options_of(body),
            principal=self._principal,
            listens=False,
        )
        async with aclosing(events_of) as events:
            async for event in events:
                if isinstance(event, Done):
                    return with_first_records(event.answer)
                if isinstance(event, NodeComplete):
                    steps += 1
                    await context.session.report_progress(steps, message=describe_step(event))
        raise AssertionError("the loop ended without a response")


def result_type(tool: Tool) -> type[BaseModel]:
    """The model of a tool's result, from the annotation of its function."""
    found: type[BaseModel] = get_type_hints(tool.run)["return"]
    return found


def build_server(service: Service, principal: str) -> Server:
    """The tools of a service as an MCP server. Args: principal: the caller."""
    tools, content = _Tools(service, principal), Content(service, principal)
    return Server(
        "plumbline",
        version=__version__,
        title="Plumbline",
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=content.resources,
        on_list_resource_templates=content.templates,
        on_read_resource=content.read,
        on_list_prompts=content.prompts,
        on_get_prompt=content.prompt,
        on_completion=content.complete,
    )


async def serve_stdio(service: Service) -> None:
    """Serve the parent process. Standard output is reserved for the protocol."""
    server = build_server(service, LOCAL)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def http_app(service: Service, host: str = LOOPBACK[0]) -> Starlette:
    """The ASGI app of the streamable HTTP transport, which accepts only requests to `host`, one of `LOOPBACK`."""
    return build_server(service, ANONYMOUS).streamable_http_app(streamable_http_path=PATH, host=host)


async def serve_http(service: Service, host: str, port: int) -> None:
    """Serve the processes of this machine until a signal ends it."""
    import uvicorn

    from agent.api.server.bounded import build_http_protocol

    config = uvicorn.Config(
        http_app(service, host),
        host=host,
        port=port,
        http=build_http_protocol(service.settings.receive_timeout_s),  # type: ignore[arg-type]  # uvicorn calls it like a class
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=10,
    )
    await uvicorn.Server(config).serve()


def describe_step(event: NodeComplete) -> str:
    """A step in words, with the attempt's number from the second on."""
    again = f" (attempt {event.attempt})" if event.attempt > 1 else ""
    return f"{_in_words(event)}{again}"


def _in_words(event: NodeComplete) -> str:
    match event:
        case SchemaSelected():
            return f"Found {_count(len(event.tables), 'table')} and {_count(len(event.documents), 'note')}"
        case SqlGenerated(source="reused"):
            return "Reused the query of an earlier answer"
        case SqlGenerated(clarification=str()):
            return "A clarification is needed"
        case SqlValidated(passed=False):
            return "The query was rejected"
        case SqlExecuted(error=str()):
            return "The database rejected the query"
        case SqlExecuted():
            return f"The query returned {_count(event.row_count, 'row', more=event.truncated)}"
        case Evaluated(verdict=verdict) if verdict is not None:
            return "The result was accepted" if verdict.correct else "The result was rejected"
        case RawRecordsFetched(sql=str()):
            return f"Fetched {_count(event.row_count, 'source record', more=event.truncated)}"
        case _:
            return _STEPS[event.node]


def _count(count: int, noun: str, *, more: bool = False) -> str:
    return f"{count:,}{'+' if more else ''} {noun}{'' if count == 1 else 's'}"


def _can_ask(context: ServerRequestContext) -> bool:
    """Whether the client can show a form to its user and can receive one now."""
    declared = context.session.client_capabilities
    elicitation = declared.elicitation if declared is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return is_version_at_least(context.protocol_version, _INPUT_REQUIRED) or context.session.can_send_request


def _form(answer: Answer) -> dict[str, Any]:
    """The schema of the form: one of the choices, or free text if there are none."""
    if answer.choices:
        choices = [{"const": choice.question, "title": choice.label} for choice in answer.choices]
        field: dict[str, Any] = {"type": "string", "title": "Your question", "oneOf": choices}
        return {"type": "object", "properties": {"question": field}, "required": ["question"]}
    field = {"type": "string", "title": "Your answer", "minLength": 1, "maxLength": 500}
    return {"type": "object", "properties": {"answer": field}, "required": ["answer"]}


def _clarify(question: str, response: object) -> str:
    """The question as clarified by the user; unchanged if they did not reply."""
    if not isinstance(response, types.ElicitResult) or response.action != "accept":
        return question
    content = response.content or {}
    chosen, answer = content.get("question"), content.get("answer")
    if isinstance(chosen, str) and chosen.strip():
        return chosen
    return with_ending(question, f"({answer.strip()})") if isinstance(answer, str) and answer.strip() else question


def _complaint(place: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, place)) or 'arguments'}: {message.removesuffix('.')}."


def _sentence(tool: Tool, error: BaseException) -> str:
    """The message for the caller: a sentence and, for a query, how to repair it."""
    problem = problem_of(error) if isinstance(error, Exception) else None
    if problem is None:
        log.error("The tool %s failed.", tool.name, exc_info=error)
        return f"The tool {tool.name} failed unexpectedly; the log of Plumbline says why."
    return f"{problem.detail} {problem.hint}".strip()


def _build_failure(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)

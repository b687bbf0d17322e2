"""MCP content besides the tools: resources of each database, prompts and completions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from agent.api.tools import SchemaRequest, read_schema
from agent.core.problems import problem_of
from agent.pipeline.service import Service
from rag.docs.documents import Kind

log = logging.getLogger(__name__)

MAX_DOCUMENTS = 1000  # per resource
MAX_COMPLETIONS = 100  # the protocol's limit
_SCHEME = "plumbline://databases/"
_KINDS: dict[str, tuple[Kind, ...]] = {"docs": ("rule", "table", "column"), "queries": ("query",)}


_PARTS = [
    types.ResourceTemplate(
        uri_template=f"{_SCHEME}{{database}}/{name}",
        name=name,
        title=title,
        description=description,
        mime_type=mime_type,
    )
    for name, title, description, mime_type in (
        ("schema", "Schema", "Tables, columns, types and keys, with their docs.", "application/sql"),
        ("docs", "Docs", "Rules, terms, and the meanings of tables and columns.", "text/markdown"),
        ("queries", "Saved queries", "Questions with the SQL that answers them.", "text/markdown"),
    )
]
_DATABASE = types.PromptArgument(name="database", title="Database", description="Name of the database.", required=True)
_PROMPTS = (
    types.Prompt(
        name="explore",
        title="Explore a database",
        description="Explore a database and the questions that it can answer.",
        arguments=[_DATABASE],
    ),
    types.Prompt(
        name="answer",
        title="Answer a question from data",
        description="Answer a question and say how reliable the answer is.",
        arguments=[
            _DATABASE,
            types.PromptArgument(
                name="question", title="Question", description="The question, in plain language.", required=True
            ),
        ],
    ),
)


class Content:
    """Resources, prompts and completions that the principal may see. All methods raise MCPError."""

    def __init__(self, service: Service, principal: str) -> None:
        self._service, self._principal = service, principal

    async def resources(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The schema, docs and saved queries of every available database."""
        infos = await self._service.list_databases(self._principal)
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=f"{_SCHEME}{quote(info.name, safe='')}/{part.name}",
                    name=f"{info.name} {part.name}",
                    title=f"{part.title} of {info.name}",
                    description=part.description,
                    mime_type=part.mime_type,
                )
                for info in infos
                if info.available
                for part in _PARTS
            ]
        )

    async def templates(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The resource templates, with the database's name as parameter."""
        return types.ListResourceTemplatesResult(resource_templates=_PARTS)

    async def read(
        self, _context: ServerRequestContext, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One resource, as text."""
        name, _, wanted = params.uri.removeprefix(_SCHEME).partition("/")
        part = next((part for part in _PARTS if part.name == wanted), None)
        if part is None or not params.uri.startswith(_SCHEME):
            raise _invalid(f"There is no resource {params.uri!r}. List the resources to see which there are.")
        text = await _outcome(self._text(unquote(name), part))
        contents = types.TextResourceContents(uri=params.uri, mime_type=part.mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def prompts(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """The prompts with their arguments."""
        return types.ListPromptsResult(prompts=list(_PROMPTS))

    async def prompt(
        self, _context: ServerRequestContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """One prompt, filled in."""
        prompt = next((prompt for prompt in _PROMPTS if prompt.name == params.name), None)
        if prompt is None:
            known = ", ".join(prompt.name for prompt in _PROMPTS)
            raise _invalid(f"There is no prompt {params.name!r}. Known: {known}.")
        arguments = params.arguments or {}
        for argument in prompt.arguments or ():
            if not arguments.get(argument.name, "").strip():
                raise _invalid(f"The prompt {prompt.name!r} needs the argument {argument.name!r}.")
        database = arguments["database"]
        text = await _outcome(
            self._explore(database) if prompt.name == "explore" else self._answer(database, arguments["question"])
        )
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def complete(
        self, _context: ServerRequestContext, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Names of databases for the argument `database`; nothing for other arguments."""
        names: list[str] = []
        if params.argument.name == "database":
            prefix = params.argument.value.casefold()
            infos = await self._service.list_databases(self._principal)
            names = [info.name for info in infos if info.name.casefold().startswith(prefix)]
        shown = names[:MAX_COMPLETIONS]
        completion = types.Completion(values=shown, total=len(names), has_more=len(names) > len(shown))
        return types.CompleteResult(completion=completion)

    async def _text(self, database: str, part: types.ResourceTemplate) -> str:
        if part.name == "schema":
            found = await read_schema(self._service, SchemaRequest(database=database), self._principal)
            return "\n".join([*(f"-- {warning}" for warning in found.warnings), found.schema_text])
        page = await self._service.documents.page(
            database, limit=MAX_DOCUMENTS, kinds=_KINDS[part.name], principal=self._principal
        )
        texts = [
            f"## {document.text}\n\n```sql\n{document.sql}\n```" if document.sql else f"- {document.display_text}"
            for document in page.documents
        ]
        if page.total > len(page.documents):
            texts.append(f"{page.total - len(page.documents)} more are not shown; call `search_docs`.")
        return ("\n\n" if part.name == "queries" else "\n").join([f"# {part.title} of {database}\n", *texts]) + "\n"

    async def _explore(self, database: str) -> str:
        info, questions = await self._service.database(database, self._principal)
        known_questions = "".join(f"\n- {question}" for question in questions)
        return (
            f"Tell me what the database {info.name!r} holds. Call `get_schema` and `search_docs`, then describe its "
            "main tables and how they belong together, in plain language and without a query. End with five questions "
            "that I could ask." + (f" Questions that are known to work:{known_questions}" if known_questions else "")
        )

    async def _answer(self, database: str, question: str) -> str:
        info, _ = await self._service.database(database, self._principal)
        return (
            f"Answer this question from the database {info.name!r}: {question.strip()}\n\nCall `ask`. Give its "
            "answer as it is, with no number of your own. Say whether it is verified and with which confidence. Pass "
            "its warnings and assumptions on. Where it needs a clarification, ask me."
        )


def _invalid(sentence: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, sentence)


async def _outcome(work: Awaitable[str]) -> str:
    """The result of `work`. Errors are raised as MCPError; the text of unexpected ones is only logged."""
    (outcome,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(outcome, str):
        return outcome
    problem = problem_of(outcome) if isinstance(outcome, Exception) else None
    if problem is None:
        log.error("A resource or prompt failed.", exc_info=outcome)
        raise MCPError(types.INTERNAL_ERROR, "This failed unexpectedly; the log of Plumbline says why.")
    raise _invalid(f"{problem.detail} {problem.hint}".strip())

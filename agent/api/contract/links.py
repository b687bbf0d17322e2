"""OpenAPI links: which response fields are the parameters of which other routes."""

from __future__ import annotations

from typing import Any, NamedTuple

Described = dict[str, Any]


class Link(NamedTuple):
    """From an answer to a request.

    of: operations whose answers have the value. field: where in the body, as a JSON pointer.
    status: of the answer; empty: the first one that goes well.
    to: operations that take it. parameter: as this one of their path; empty: as the body's field of the same name.
    """

    of: tuple[str, ...]
    field: str
    to: tuple[str, ...]
    parameter: str = ""
    status: str = ""

    def target(self) -> Described:
        """What the value is for, without the operation."""
        value = f"$response.body#{self.field}"
        if self.parameter:
            return {"parameters": {self.parameter: value}}
        return {"requestBody": {self.field.rpartition("/")[2]: value}}


LINKS = (
    Link(("start_session",), "/session_id", ("chat", "chat_stream")),
    Link(("start_session",), "/session_id", ("session", "end_session"), "session_id"),
    Link(("query", "chat", "generate"), "/trace_id", ("feedback", "save_query")),
    Link(("query", "chat", "generate", "feedback"), "/review_id", ("review", "settle_review"), "id"),
    Link(("query",), "/id", ("job", "cancel_job"), "id", "202"),
    Link(("upload_database",), "/name", ("database", "database_schema", "first_look", "read_report"), "name"),
    Link(("upload_database",), "/name", ("delete_database",), "name"),
    Link(("save_query",), "/id", ("saved_query", "replace_saved_query", "run_saved_query", "delete_saved_query"), "id"),
    Link(("save_query",), "/id", ("put_tile",), "id"),
    Link(("put_tile",), "/id", ("remove_tile",), "id"),
    Link(("share_answer",), "/id", ("shared_answer",), "id"),
    Link(("add_documents",), "/documents/0/id", ("delete_document",), "id"),
)


def link(operations: dict[str, Described]) -> None:
    """Write the links into the answers that they begin at. Args: operations: by their ids; they are changed."""
    for one in LINKS:
        for start in one.of:
            answered = next(
                it for status, it in operations[start]["responses"].items() if status.startswith(one.status or "2")
            )
            for end in one.to:
                answered.setdefault("links", {})[end] = {"operationId": end, **one.target()}

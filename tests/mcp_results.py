"""The result of a tool over the Model Context Protocol."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import (
    CallToolResult,
    TextContent,
)

PATIENCE = 60  # seconds until a test that waits in vain fails
QUESTION = "What is the total of all orders?"
SQL = "SELECT SUM(amount) AS total FROM orders"
SENTENCE = "All orders together come to 460.5."
UNSUPPORTED = "All orders together come to 999.5."
NAMES = ["ask", "search_docs", "list_databases", "get_schema", "run_sql", "more_rows"]


def text_of(result: CallToolResult) -> str:
    """The one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def fields(result: CallToolResult) -> dict[str, Any]:
    """The structured result, which the text repeats."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    assert json.loads(text_of(result)) == result.structured_content
    return result.structured_content

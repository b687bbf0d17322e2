"""Facts for tests of sentences: a question, the rows of its query, and docs of columns."""

from __future__ import annotations

from collections.abc import Sequence

from agent.checks.grounding.evidence.facts import Facts
from executors.base import JsonValue, QueryResult
from rag.docs.documents import make_document

Row = tuple[JsonValue, ...]


def facts(question: str, columns: str, rows: Sequence[Row], sql: str, *docs: tuple[str, str, str]) -> Facts:
    """What a sentence is checked against. columns: their names, in one string. docs: table, column and text of each."""
    documents = tuple(make_document("column", text, table=table, column=column) for table, column, text in docs)
    result = QueryResult(columns=tuple(columns.split()), rows=tuple(rows))
    return Facts(question=question, result=result, sql=sql, documents=documents)

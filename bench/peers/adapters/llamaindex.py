"""LlamaIndex's NLSQL engine. It requires the name of an embedding model but does not use it."""

from __future__ import annotations

from typing import Any

from llama_index.core import SQLDatabase
from llama_index.core.base.llms.types import LLMMetadata, MessageRole
from llama_index.core.embeddings.mock_embed_model import MockEmbedding
from llama_index.core.query_engine import NLSQLTableQueryEngine
from llama_index.llms.openai import OpenAI
from sqlalchemy import create_engine

_CONTEXT = 8192


class _Model(OpenAI):  # type: ignore[misc]
    """A model name that the client does not know."""

    @property
    def metadata(self) -> LLMMetadata:
        """The values that the client looks up by name."""
        return LLMMetadata(
            context_window=_CONTEXT, num_output=500, is_chat_model=True, model_name=self.model,
            system_role=MessageRole.SYSTEM,
        )  # fmt: skip


class Peer:
    """See `ask.py`."""

    def __init__(self, job: dict[str, Any]) -> None:
        model = _Model(
            model=job["model"], api_key="none", api_base=job["url"], temperature=0, timeout=job["timeout_s"],
            max_tokens=500,
        )  # fmt: skip
        database = SQLDatabase(create_engine(f"sqlite:///{job['database']}"))
        tables = database.get_usable_table_names()
        self._engine = NLSQLTableQueryEngine(database, tables=list(tables), llm=model, embed_model=MockEmbedding(1))

    def ask(self, question: str) -> str | None:
        """The query, after its rows were put in a sentence."""
        sql: str | None = self._engine.query(question).metadata.get("sql_query")
        return sql

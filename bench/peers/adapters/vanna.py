"""Vanna: trained on the schema and the docs, then a query, its rows and a summary for each question."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from chromadb.utils.embedding_functions.openai_embedding_function import OpenAIEmbeddingFunction
from openai import OpenAI
from vanna.legacy.chromadb import ChromaDB_VectorStore
from vanna.legacy.openai import OpenAI_Chat


class _Vanna(ChromaDB_VectorStore, OpenAI_Chat):  # type: ignore[misc]
    def __init__(self, job: dict[str, Any]) -> None:
        embed = OpenAIEmbeddingFunction(api_key="none", api_base=job["url"], model_name="hashes")
        path = str(Path(job["folder"]) / "vanna")
        ChromaDB_VectorStore.__init__(self, config={"path": path, "embedding_function": embed})
        client = OpenAI(api_key="none", base_url=job["url"], timeout=job["timeout_s"])
        OpenAI_Chat.__init__(self, client=client, config={"model": job["model"], "temperature": 0})

    def log(self, message: str, title: str = "Info") -> None:
        """Say nothing."""


class Peer:
    """See `ask.py`."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._vanna = _Vanna(job)
        self._vanna.connect_to_sqlite(job["database"])
        connection = sqlite3.connect(job["database"])
        for (ddl,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL"):
            self._vanna.train(ddl=ddl)
        connection.close()
        for path in sorted(Path(job["docs"]).glob("*.md")):
            for section in path.read_text(encoding="utf-8").split("\n## "):
                self._vanna.train(documentation=section)

    def ask(self, question: str) -> str | None:
        """The query, after it was run and its rows were summed up."""
        sql: str = self._vanna.generate_sql(question)
        self._vanna.generate_summary(question, self._vanna.run_sql(sql))
        return sql

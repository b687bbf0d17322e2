"""Shared by both LangChain adapters: the model, and a database that records its queries."""

from __future__ import annotations

from typing import Any

from langchain_community.utilities import SQLDatabase
from langchain_openai import ChatOpenAI


class Recorded(SQLDatabase):  # type: ignore[misc]
    """LangChain's database. ran: the last query."""

    ran: str | None = None

    def run(self, command: Any, *args: Any, **kwargs: Any) -> Any:
        """As its own."""
        self.ran = str(command)
        return super().run(command, *args, **kwargs)

    def run_no_throw(self, command: str, *args: Any, **kwargs: Any) -> Any:
        """As its own."""
        self.ran = command
        return super().run_no_throw(command, *args, **kwargs)


def database(job: dict[str, Any]) -> Recorded:
    """The database of a job."""
    found: Recorded = Recorded.from_uri(f"sqlite:///{job['database']}")
    return found


def model(job: dict[str, Any]) -> ChatOpenAI:
    """The model of a job."""
    return ChatOpenAI(
        model=job["model"], api_key="none", base_url=job["url"], temperature=0, timeout=job["timeout_s"], max_tokens=500
    )

"""LangChain's SQL agent, which chooses its tools step by step."""

from __future__ import annotations

from typing import Any

from adapters import langchain_common
from langchain_community.agent_toolkits.sql.base import create_sql_agent

_STEPS = 10


class Peer:
    """See `ask.py`."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._database = langchain_common.database(job)
        self._agent = create_sql_agent(
            langchain_common.model(job),
            db=self._database,
            agent_type="zero-shot-react-description",
            max_iterations=_STEPS,
            agent_executor_kwargs={"handle_parsing_errors": True},
        )

    def ask(self, question: str) -> str | None:
        """The last query that it ran."""
        self._database.ran = None
        self._agent.invoke({"input": question})
        return self._database.ran

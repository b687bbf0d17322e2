"""LangChain's SQL chain: a query, its rows, a sentence, as its tutorial has it."""

from __future__ import annotations

from typing import Any

from adapters import langchain_common
from langchain_classic.chains.sql_database.query import create_sql_query_chain
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import PromptTemplate

_ANSWER = PromptTemplate.from_template(
    "Given the following user question, corresponding SQL query, and SQL result, answer the user question.\n\n"
    "Question: {question}\nSQL Query: {query}\nSQL Result: {result}\nAnswer: "
)


class Peer:
    """See `ask.py`."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._database, model = langchain_common.database(job), langchain_common.model(job)
        self._write = create_sql_query_chain(model, self._database)
        self._answer = _ANSWER | model | StrOutputParser()

    def ask(self, question: str) -> str | None:
        """The query, after its rows were put in a sentence."""
        text = self._write.invoke({"question": question}).rpartition("SQLQuery:")[2]  # some models repeat the question
        query = text.strip().removeprefix("```sql").removesuffix("```").strip()
        result = self._database.run(query)
        self._answer.invoke({"question": question, "query": query, "result": result})
        return self._database.ran

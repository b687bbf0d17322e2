"""The baseline of an evaluation: one plain call of the same model with the schema and the question only.

Its query runs once. There is no retrieval, repair, second attempt or judge, so the difference shows what these are
worth.
"""

from __future__ import annotations

import time

from agent.core.answers import Answer, AttemptRecord
from agent.core.models import Attempt
from agent.databases.database import Database
from agent.platform.llm.chat import ChatModel, Message
from agent.platform.llm.prompting import templates
from agent.platform.llm.replies import extract_sql
from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.errors import SqlError

MAX_SCHEMA_TOKENS = 1_000_000  # the whole schema: if it does not fit the model, the baseline fails
MAX_TOKENS = 500


async def answer_plainly(model: ChatModel, row_limit: int, question: str, database: Database) -> Answer:
    """The query of one call, and its rows; `error` if there is none. Raises ModelError, DatabaseUnavailable."""
    began = time.perf_counter()
    schema = await database.schema()
    reply = await model.complete([baseline_message(schema, question)], max_tokens=MAX_TOKENS)
    timings = {"sql_generator": round((time.perf_counter() - began) * 1000, 1)}
    answer = await answer_as_written(extract_sql(reply.text) or "", database, row_limit)
    return answer.model_copy(update={"usage": reply.usage, "timings_ms": timings})


async def answer_as_written(sql: str, database: Database, row_limit: int) -> Answer:
    """The query, run once as written, and its rows; `error` if it fails. Raises DatabaseUnavailable."""
    attempt = Attempt(sql=sql)
    try:
        checked = await database.check(sql, row_limit)
        attempt = attempt.model_copy(update={"executed_sql": checked.sql, "result": await database.run(checked)})
    except SqlError as error:
        attempt = attempt.model_copy(update={"error": error.message, "error_type": error.kind})
    record = AttemptRecord(sql=attempt.executed_sql or attempt.sql, error=attempt.error, error_type=attempt.error_type)
    return Answer(
        status="success" if attempt.result is not None else "error",
        answer="",
        sql=attempt.executed_sql,
        results=attempt.rows.records(),
        row_count=attempt.rows.row_count,
        truncated=attempt.rows.truncated,
        dialect=database.dialect,
        attempts=1,
        attempt_history=[record],
    )


def baseline_message(schema: Schema, question: str) -> Message:
    """The whole prompt: the declared tables, without comments and samples, and the question."""
    from rag.schema.text import render

    tables = []
    for table in schema.tables:
        columns = tuple(column.model_copy(update={"comment": "", "samples": ()}) for column in table.columns)
        tables.append(table.model_copy(update={"comment": "", "columns": columns}))
    bare = schema.model_copy(update={"tables": tuple(tables)})
    text = render(bare, (), style="ddl", budget_tokens=MAX_SCHEMA_TOKENS, max_sample_values=0).text
    content = templates.render("baseline", dialect=DIALECTS[schema.dialect].title, schema=text, question=question)
    return Message(role="user", content=content)

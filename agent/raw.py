"""The rows behind an aggregate: derived from the query's tree; where that cannot be done, asked of the model."""

from __future__ import annotations

from agent import leaks
from agent.context import Context
from agent.database import Database
from agent.errors import ModelError
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.llms.replies import extract_sql
from executors.base import Frozen, QueryResult
from executors.dialects import DIALECTS
from executors.errors import DatabaseUnavailable, SqlError


class RawRecords(Frozen):
    """Rows behind an aggregate. `reason` says why there are none; `derived`: not written by the model.

    failure: why they could not be fetched, where they should have been.
    """

    sql: str | None = None
    result: QueryResult | None = None
    derived: bool = True
    needed: bool = False
    reason: str = ""
    failure: str = ""


async def fetch_raw_records(
    question: str,
    sql: str,
    database: Database,
    context: Context,
    model: ChatModel,
    row_limit: int,
    ledger: Ledger,
) -> RawRecords:
    """Derive the records' query from the one that ran, check it like any other, and run it (`row_limit` rows at most).

    The records are a service beside the answer: a model or a database that is gone is a `reason` and a warning.

    Args:
        sql: the query that ran.
    """
    if row_limit == 0:
        return RawRecords(reason="Raw records are switched off.")
    from executors.raw_records import derive

    raw = derive(sql, DIALECTS[database.dialect].sqlglot)
    if not raw.needed:
        return RawRecords(reason=raw.reason)
    records, derived = raw.sql, raw.sql is not None
    try:
        records = records or await _ask(question, sql, context, model, ledger)
        if records is None:
            return RawRecords(derived=False, needed=True, reason=raw.reason)
        checked = await database.check(records, row_limit, question=question, leave_out=derived)
        result = await database.run(checked)
    except (SqlError, DatabaseUnavailable, ModelError) as error:
        reason = f"{raw.reason} {error}".strip()
        return RawRecords(sql=records, derived=derived, needed=True, reason=reason, failure=str(error))
    return RawRecords(sql=checked.sql, result=result, derived=derived, needed=True, reason=raw.reason)


async def _ask(question: str, sql: str, context: Context, model: ChatModel, ledger: Ledger) -> str | None:
    reply = await model.complete(context.messages("raw_records", question=question, sql=sql))
    ledger.spend(reply.usage)
    records = extract_sql(reply.text)
    dialect = DIALECTS[context.db_schema.dialect].sqlglot
    leaks_out = records is not None and leaks.problem_of_query(records, dialect, context.system, question)
    return None if leaks_out else records

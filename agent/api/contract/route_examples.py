"""Example responses for routes without one next to their code."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel

from agent import __version__
from agent.api.routes.query import RecordsResponse
from agent.api.routes.uploads import Described, ReadReport, Uploaded
from agent.api.schemas.chat import ChatHealth
from agent.api.schemas.chat_sessions import (
    SCHEMA_EXAMPLE,
    SESSION_EXAMPLE,
    SESSION_ID,
    SessionEnded,
    StartSessionResponse,
)
from agent.api.schemas.common import (
    ANSWER_EXAMPLE,
    DatabaseDetail,
    DatabaseList,
    DatabaseSchema,
    ExecuteResponse,
    Health,
    IndexReport,
    Live,
)
from agent.api.schemas.generate import GenerateHealth
from agent.api.schemas.jobs import JOB_EXAMPLE, TAKEN_EXAMPLE
from agent.api.schemas.rag import AddedResponse, DocumentPage, FoundDocument, ListedDocument, SearchResponse
from agent.api.tools import TOOLS, ToolList
from agent.core.resilience.health import PartHealth
from agent.databases.registry import DatabaseInfo, UploadInfo
from agent.understanding.first_look.look import FirstLook, LookedTable
from executors.base import Column, ColumnReport, ForeignKey, Table, TableReport
from rag.docs.documents import make_document

_CUSTOMERS = Table(
    name="customers",
    columns=(
        Column(name="customer_id", type="INTEGER", nullable=False),
        Column(name="country", type="VARCHAR", comment="Two letters.", samples=("DE", "FR")),
    ),
    primary_key=("customer_id",),
    row_count=2400,
)
_ORDERS = Table(
    name="orders",
    columns=(
        Column(name="order_id", type="INTEGER", nullable=False),
        Column(name="customer_id", type="INTEGER"),
        Column(name="status", type="VARCHAR", samples=("C", "X")),
    ),
    primary_key=("order_id",),
    foreign_keys=(ForeignKey(columns=("customer_id",), table="customers", referenced=("customer_id",)),),
    row_count=14360,
)
_DAY = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
_UPLOAD = UploadInfo(file="sales.csv", size=52_400, created_at=_DAY, expires_at=_DAY + timedelta(days=30))
_RULE = make_document("rule", "Guest: an order without a customer.", database="shop", table="orders", source="api")
_FOUND = FoundDocument(score=0.71, **_RULE.model_dump())
_READY = (
    PartHealth(name="model", ready=True, elapsed_ms=0.1),
    PartHealth(name="store", ready=True, elapsed_ms=3.4),
    PartHealth(name="state", ready=True, elapsed_ms=1.8),
    PartHealth(name="database shop", ready=True, elapsed_ms=2.2),
)
_MISSING = "The database 'shop' cannot be opened: its file is missing."
_NOT_READY = (*_READY[:3], PartHealth(name="database shop", ready=False, detail=_MISSING, elapsed_ms=0.3))

_SHOWN: dict[str, dict[str, BaseModel]] = {
    "execute": {
        "200": ExecuteResponse(
            columns=("order_id",), rows=((1,), (3,)), row_count=2, truncated=False, elapsed_ms=1.2,
            sql="SELECT order_id FROM orders WHERE status = 'C' LIMIT 100",
        )
    },
    "records": {
        "200": RecordsResponse(
            columns=("status", "order_id"), rows=(("C", 1), ("C", 3)), row_count=2, truncated=False, total=2,
            sql="SELECT status, order_id FROM orders WHERE status = 'C' LIMIT 200",
        )
    },
    "databases": {
        "200": DatabaseList(databases=[DatabaseInfo(name="shop", dialect="duckdb", description="Coffee and tea.")])
    },
    "database": {
        "200": DatabaseDetail(
            name="shop", dialect="duckdb", description="Coffee and tea.", reviewer=True,
            questions=("What was our revenue in fiscal year 2025?", "How many orders were cancelled?"),
        )
    },
    "database_schema": {
        "200": DatabaseSchema(
            database="shop", dialect="duckdb", tables=(_CUSTOMERS, _ORDERS),
            enriched="CREATE TABLE orders (\n  order_id INTEGER PRIMARY KEY,\n  status VARCHAR -- C completed …\n);",
        )
    },
    "upload_database": {"201": Uploaded(name="sales", **_UPLOAD.model_dump())},
    "first_look": {
        "200": FirstLook(
            tables=(
                LookedTable(name="orders", rows=14360, columns=3, primary_key=("order_id",),
                            foreign_keys=_ORDERS.foreign_keys),
            ),
            questions=("What is the total amount of orders for each status?",),
        )
    },
    "read_report": {
        "200": ReadReport(
            database="sales",
            tables=(
                TableReport(
                    table="sales", files=("sales.csv",), encoding="cp1252", delimiter=";", decimal=",", rows=240,
                    columns=(
                        ColumnReport(name="Betrag", type="DECIMAL(18,2)", note="Read as a number, in €.", values=240,
                                     empty=0),
                        ColumnReport(name="Menge", type="VARCHAR", values=240, empty=0, unlike=3, like="numbers"),
                    ),
                ),
            ),
        )
    },
    "describe_column": {
        "200": Described(
            database="shop",
            document=make_document("column", "C completed, X cancelled.", database="shop", table="orders",
                                   column="status", source="page"),
        )
    },
    "index_database": {
        "200": IndexReport(database="shop", added=41, removed=2, unchanged=310, embedded=39)
    },
    "start_session": {
        "200": StartSessionResponse.model_validate(
            {
                "session_id": SESSION_ID, "schema": SCHEMA_EXAMPLE, "database": "shop",
                "sample_questions": ["How many orders are there?"],
            }
        )
    },
    "end_session": {"200": SessionEnded(message=f"Session {SESSION_ID} ended successfully")},
    "chat_health": {"200": ChatHealth(version=__version__, active_sessions=3)},
    "generate_health": {"200": GenerateHealth()},
    "search_docs": {"200": SearchResponse(documents=[_FOUND])},
    "list_documents": {
        "200": DocumentPage(
            database="shop", documents=[ListedDocument(**_RULE.model_dump(), added=True)], total=352, next_offset=1
        )
    },
    "add_documents": {"201": AddedResponse(database="shop", documents=(_RULE,))},
    "tools": {"200": ToolList.of(TOOLS[2:3])},
    "health_live": {"200": Live()},
    "health_ready": {
        "200": Health(ready=True, parts=list(_READY)), "503": Health(ready=False, parts=list(_NOT_READY))
    },
}  # fmt: skip

# operation -> status -> the body
ANSWERS: dict[str, dict[str, Any]] = {
    operation: {status: body.model_dump(mode="json", by_alias=True) for status, body in by_status.items()}
    for operation, by_status in _SHOWN.items()
} | {  # also next to their code, but FastAPI omits nulls
    "query": {"200": ANSWER_EXAMPLE, "202": TAKEN_EXAMPLE},
    "job": {"200": JOB_EXAMPLE},
    "session": {"200": SESSION_EXAMPLE},
}

"""What the OpenAPI description shows of the chat routes."""

from __future__ import annotations

from agent.api.schemas.chat import SCHEMA_EXAMPLE, SESSION_ID, ChatResponse
from agent.core.models import Check, Choice

CHAT_EXAMPLE = ChatResponse(
    status="success",
    message="Coffee leads with 150,000.00, then Tea with 95,000.00.",
    sql_query="SELECT category, SUM(amount) AS total_sales FROM sales GROUP BY category ORDER BY 2 DESC LIMIT 5",
    results=[{"category": "Coffee", "total_sales": 150000.0}, {"category": "Tea", "total_sales": 95000.0}],
    columns=["category", "total_sales"],
    row_count=2,
    question="What are the top 5 categories by total sales?",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    verified=True,
    confidence=0.97,
    checks=[Check(name="judge", passed=True, detail="Categories by the sum of their sales, the highest first.")],
).wire()

CLARIFICATION_EXAMPLE = ChatResponse(
    status="clarification_needed",
    message="Which dates do you mean? The orders are from 2023-07-01 to 2025-06-30.",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    choices=[Choice(label="the last 30 days", question="Show me the orders of the last 30 days")],
).wire()

ERROR_EXAMPLE = ChatResponse(
    status="error",
    message="I could not answer this from the data.",
    sql_query="SELECT invalid_column FROM orders",
    error_details="There is no column 'invalid_column'.",
    trace_id="0af7651916cd43dd8448eb211c80319c",
    verified=False,
    needs_human_review=True,
).wire()

SESSION_EXAMPLE = {
    "session_id": SESSION_ID,
    "dataset_id": "shop",
    "schema": SCHEMA_EXAMPLE,
    "messages": [
        {"role": "user", "content": "How many rows?", "sql_query": None, "timestamp": "2024-01-15T10:34:58Z"},
        {
            "role": "assistant",
            "content": "10,000 rows",
            "sql_query": "SELECT COUNT(*) AS n FROM orders",
            "timestamp": "2024-01-15T10:35:00Z",
            "status": "success",
        },
    ],
    "created_at": "2024-01-15T10:30:00Z",
    "last_activity": "2024-01-15T10:35:00Z",
    "clarification": None,
}

"""An example of every event, as questions have them: one answered at its second attempt, one in several parts."""

from __future__ import annotations

from agent.api.contract.problems import TRACE_ID
from agent.api.http.errors import problem_for
from agent.api.schemas.common import ANSWER_EXAMPLE
from agent.core.errors import ModelUnavailable
from agent.core.events import (
    AnswerDelta,
    AnswerFormatted,
    DialectResolved,
    Done,
    Entered,
    Evaluated,
    Event,
    Failed,
    HumanReview,
    PartAnswered,
    Planned,
    QuestionPlanned,
    Queued,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlProgress,
    SqlValidated,
    Started,
    UsedDocument,
)
from agent.core.models import Answer, Check, Correction, Plan, Verdict

QUESTION = "What was our highest revenue month?"
WRONG = "SELECT month, SUM(amout) AS total FROM sales GROUP BY month ORDER BY total DESC LIMIT 1"
ERROR = "There is no column 'amout'."
TEXT = "The highest revenue month was March 2024 with $50,000 in sales."
PLAN = Plan(tables=("sales",), aggregates=("SUM(amount)",), group_by=("month",), order_by=("total DESC",), limit=1)

EXAMPLES: tuple[Event, ...] = (
    Started(trace_id=TRACE_ID, question=QUESTION, database="shop"),
    Entered(elapsed_ms=0.1, question=QUESTION),
    DialectResolved(elapsed_ms=0.1, dialect="sqlite", executor="SqliteExecutor"),
    SchemaSelected(
        elapsed_ms=84.2, tables=("sales",), documents=("Revenue: the amounts of all sales.",), tokens=212, pruned=False,
        sources=(UsedDocument(id="5f2c1e", kind="rule", source="shop.md"),),
    ),
    QuestionPlanned(
        elapsed_ms=512.3, questions=("What was the revenue in March 2024?", "What was the revenue in February 2024?"),
        calculations=("{1} - {2}",),
    ),
    Queued(waits_for="model", length=2, wait_s=11.5),
    SqlProgress(attempt=1, sql="SELECT month, SUM("),
    SqlGenerated(attempt=1, elapsed_ms=812.4, sql=WRONG),
    Planned(attempt=1, elapsed_ms=0.4, plan=PLAN, source="sql"),
    SqlValidated(attempt=1, elapsed_ms=1.2, sql=WRONG, passed=False, error_type="COLUMN_NOT_FOUND", error=ERROR),
    Repairing(attempt=1, elapsed_ms=0.2, error_type="COLUMN_NOT_FOUND", error=ERROR, hint="Did you mean amount?"),
    SqlExecuted(attempt=2, elapsed_ms=2.1, columns=("month", "total"), rows=(("2024-03", 50000),), row_count=1),
    Evaluated(
        attempt=2, elapsed_ms=402.0, verdict=Verdict(reason="One row, the highest.", correct=True),
        checks=(Check(name="has_rows", passed=True),),
    ),
    RawRecordsFetched(elapsed_ms=1.9, sql="SELECT month, amount FROM sales WHERE month = '2024-03'", row_count=41),
    AnswerFormatted(
        elapsed_ms=390.5, answer=TEXT, checks=(Check(name="grounding", passed=True),),
        corrections=(Correction(expression="45.6+12.3+78.9", stated="136.7", computed="136.8"),),
    ),
    PartAnswered(
        part=1, question="What was the revenue in March 2024?", status="success",
        answer="The revenue in March 2024 was $50,000.", verified=True, confidence=0.97,
    ),
    HumanReview(
        elapsed_ms=0.3, tried=(WRONG,), reasons=(ERROR,), suggestions=("What is the total amount of sales by month?",)
    ),
    AnswerDelta(text=TEXT),
    Done(answer=Answer.model_validate(ANSWER_EXAMPLE)),
    Failed(problem=problem_for(ModelUnavailable("The model cannot be reached. Try again later."), TRACE_ID)),
)  # fmt: skip

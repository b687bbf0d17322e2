"""Counters and histograms, updated from a question's events: the generate API's names, and OpenTelemetry's.

Attributes have few values: registry names, dialects, statuses, kinds of error, models, steps.
"""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry.metrics import Meter

from agent.core.answers import Answer
from agent.core.events import (
    AnswerFormatted,
    DialectResolved,
    Event,
    HumanReview,
    Planned,
    Repairing,
    SchemaSelected,
    SqlExecuted,
    SqlGenerated,
    SqlValidated,
)

COUNTERS = {
    "text2sql_requests_total": "Questions, by how they ended.",
    "text2sql_dialect_resolved_total": "Names of databases that were found in the registry, or were not.",
    "text2sql_planning_errors_total": "Plans that the model was asked for and that could not be used.",
    "text2sql_generation_errors_total": "Drafts that hold no query, or one that the guard refused.",
    "text2sql_execution_errors_total": "Queries that failed in the database.",
    "text2sql_requests_success_total": "Questions that were answered.",
    "text2sql_retries_total": "Attempts after the first.",
    "text2sql_answer_built_total": "Answers that were written and checked.",
    "text2sql_human_review_total": "Questions without an accepted answer.",
}
LATENCIES = {
    "text2sql_schema_fetch_latency_ms": "Reading and enriching the schema.",
    "text2sql_planning_latency_ms": "The plan; nothing where it came with the query or was read from it.",
    "text2sql_generation_latency_ms": "The first draft.",
    "text2sql_execution_latency_ms": "Running a query.",
    "text2sql_repair_latency_ms": "A later draft, that repairs the one before.",
    "text2sql_total_latency_ms": "The whole question.",
}
COUNTS = {
    "text2sql_candidate_count": "Queries that were tried for one question.",
    "text2sql_execution_row_count": "Rows of a query that ran.",
}
COST = "text2sql_cost_usd_total"
TOKENS = "gen_ai.client.token.usage"
CALLS = "gen_ai.client.operation.duration"
QUERIES = "db.client.operation.duration"

# The counter for exceptions of a step. For other steps, the counter of requests has them.
ERRORS_OF_NODE = {
    "planner": "text2sql_planning_errors_total",
    "sql_generator": "text2sql_generation_errors_total",
    "sql_validator": "text2sql_generation_errors_total",
    "sql_executor": "text2sql_execution_errors_total",
}

# Bucket boundaries: the conventions' for tokens and seconds of model calls; then seconds, milliseconds and counts.
_TOKEN_STEPS = [float(4**power) for power in range(14)]
_CALL_STEPS = [0.01 * 2**power for power in range(14)]
_QUERY_STEPS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0]
_MS_STEPS = [5.0, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000]
_COUNT_STEPS = [0.0, 1, 2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 10_000]

Attributes = Mapping[str, str | bool]


class Metrics:
    """All instruments. Args: meter: creates them."""

    def __init__(self, meter: Meter) -> None:
        self._counters = {
            name: meter.create_counter(name, unit="1", description=about) for name, about in COUNTERS.items()
        }
        self._counters[COST] = meter.create_counter(COST, unit="USD", description="What model calls have cost.")
        shapes = [(name, "ms", about, _MS_STEPS) for name, about in LATENCIES.items()]
        shapes += [(name, "1", about, _COUNT_STEPS) for name, about in COUNTS.items()]
        shapes += [
            (TOKENS, "{token}", "Number of input and output tokens used.", _TOKEN_STEPS),
            (CALLS, "s", "GenAI operation duration.", _CALL_STEPS),
            (QUERIES, "s", "Duration of database client operations.", _QUERY_STEPS),
        ]
        self._histograms = {
            name: meter.create_histogram(name, unit=unit, description=about, explicit_bucket_boundaries_advisory=steps)
            for name, unit, about, steps in shapes
        }

    def count(self, name: str, attributes: Attributes, amount: float = 1) -> None:
        """Add to a counter."""
        self._counters[name].add(amount, dict(attributes))

    def record(self, name: str, value: float, attributes: Attributes) -> None:
        """Add a value to a histogram."""
        self._histograms[name].record(value, dict(attributes))

    def saw(self, event: Event, of: Attributes) -> None:
        """Count the results of a step. Args: of: database and dialect."""
        match event:
            case DialectResolved():
                self.count("text2sql_dialect_resolved_total", {**of, "status": "success"})
            case SchemaSelected():
                self.record("text2sql_schema_fetch_latency_ms", event.elapsed_ms, of)
            case Planned():
                self.record("text2sql_planning_latency_ms", event.elapsed_ms, {**of, "source": event.source})
            case SqlGenerated():
                is_repair = event.attempt > 1
                name = "text2sql_repair_latency_ms" if is_repair else "text2sql_generation_latency_ms"
                self.record(name, event.elapsed_ms, of)
            case SqlValidated(passed=False):
                self.count("text2sql_generation_errors_total", {**of, "error_type": event.error_type or ""})
            case SqlExecuted():
                self._execute(event, of)
            case Repairing():
                self.count("text2sql_retries_total", {**of, "error_type": event.error_type})
            case AnswerFormatted():
                self.count("text2sql_answer_built_total", of)
            case HumanReview():
                self.count("text2sql_human_review_total", of)

    def _execute(self, event: SqlExecuted, of: Attributes) -> None:
        failed = event.error_type is not None
        status = {**of, "status": "error" if failed else "success"}
        self.record("text2sql_execution_latency_ms", event.elapsed_ms, status)
        if failed:
            self.count("text2sql_execution_errors_total", {**of, "error_type": event.error_type or ""})
        else:
            self.record("text2sql_execution_row_count", event.row_count, of)

    def count_question(self, answer: Answer | None, error_type: str, elapsed_ms: float, of: Attributes) -> None:
        """Count the question itself; `error_type` is empty if it has an answer."""
        status = answer.status if answer is not None else "failed"
        outcome = {**of, "status": status} | ({"error_type": error_type} if error_type else {})
        self.count("text2sql_requests_total", outcome)
        self.record("text2sql_total_latency_ms", elapsed_ms, {**of, "status": status})
        if answer is None:
            return
        self.record("text2sql_candidate_count", answer.attempts, of)
        if answer.status == "success":
            self.count("text2sql_requests_success_total", {**of, "verified": answer.verified})

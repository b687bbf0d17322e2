"""Settings that keep one question, one caller or one outside service from blocking all others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from agent.core.resilience.breaker import Breaker, Failure

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class ProtectionSettings(BaseSettings):
    """Sizes, times, places, budgets and breakers; `agent.platform.config.settings.Settings` inherits these fields."""

    max_question_chars: Count = Field(4000, description="Longer questions are refused with 422.")
    max_request_bytes: Count = Field(1_000_000, description="Larger request bodies are refused with 413.")
    receive_timeout_s: Seconds = Field(
        10,
        description="Seconds in which a request's headers and body must arrive; a body gets a second more for each 16 "
        "KiB. Then the request gets 408.",
    )
    request_deadline_s: Seconds = Field(220, description="Seconds for one question; Azure ends a request after 230.")
    job_deadline_s: Seconds = Field(
        1800, description="Seconds for one question that is answered in the background (`mode=async`)."
    )
    job_kept_s: Seconds = Field(3600, description="Seconds for which a job's result is kept.")
    idempotency_s: Seconds = Field(
        86_400, description="Seconds for which the response to a request with an `Idempotency-Key` is kept."
    )
    query_timeout_s: Seconds = Field(30, description="Seconds for one SQL query.")
    queries_per_database: Count = Field(4, description="Queries that run at once on one database.")
    shutdown_grace_s: Annotated[float, Field(ge=0)] = Field(
        20,
        description="Seconds after SIGTERM in which `serve` completes running requests. New requests get 503; "
        "unfinished ones end with an error.",
    )
    max_concurrent_questions: Count = Field(
        16,
        description="Questions, and queries of `execute`, that one process handles at once. One caller, or one of "
        "several databases, gets at most three quarters of them.",
    )
    queue_length: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Questions that may wait for a place; further ones get 503. Default: as many as are answered at "
        "once.",
    )
    max_model_calls: Count | None = Field(
        None,
        description="Model calls for one question. At the limit, the answer has what was found so far and a warning. "
        "Default: as many as its attempts take.",
    )
    max_tokens_per_question: Count | None = Field(
        None,
        description="Tokens for one question, prompts and replies together; the same happens at the limit. "
        "Default: no limit.",
    )
    retrieval_timeout_s: Seconds = Field(
        20,
        description="Seconds that a question waits for docs, and as long for columns and values; then it continues "
        "without them.",
    )
    breaker_failures: Count = Field(
        5,
        description="Consecutive failures after which a model, an embedding endpoint or a database server is not "
        "called for a while.",
    )
    breaker_pause_s: Seconds = Field(
        15,
        description="Seconds of that pause. Questions get 503 at once. Afterwards one call tries again.",
    )

    # -- database servers --------------------------------------------------------------------------
    connect_timeout_s: Seconds = Field(10, description="Seconds to reach a database server, or another deployment.")
    schema_ttl_s: Seconds = Field(
        600, description="Seconds after which a server's schema is read again. Indexing reads it at once."
    )
    pool_recycle_s: Seconds = Field(
        1800, description="Seconds after which a connection is replaced before its next use."
    )

    def build_breaker(self, part: str, error: Failure) -> Breaker:
        """The breaker of one external part."""
        return Breaker(part, failures=self.breaker_failures, pause_s=self.breaker_pause_s, error=error)

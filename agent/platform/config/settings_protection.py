"""The settings that keep one question, one caller or one outside part from taking the service away from the others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class ProtectionSettings(BaseSettings):
    """Sizes, times, places, budgets and breakers; `agent.platform.config.settings.Settings` has these fields, too."""

    max_question_chars: Count = Field(4000, description="Longer questions are refused with 422.")
    max_request_bytes: Count = Field(1_000_000, description="Larger request bodies are refused with 413.")
    receive_timeout_s: Seconds = Field(
        10,
        description="Seconds in which a request's headers must arrive, and its body, which has a second more for each "
        "16 KiB; then it gets 408.",
    )
    request_deadline_s: Seconds = Field(220, description="Seconds for one question, under Azure's 230.")
    job_deadline_s: Seconds = Field(
        1800, description="Seconds for one question that is answered in the background (`mode=async`)."
    )
    job_kept_s: Seconds = Field(3600, description="Seconds for which the result of such a job is kept.")
    idempotency_s: Seconds = Field(
        86_400, description="Seconds for which the response to a request with an `Idempotency-Key` is kept."
    )
    query_timeout_s: Seconds = Field(30, description="Seconds for one SQL query.")
    queries_per_database: Count = Field(4, description="Queries that run at once on one database.")
    shutdown_grace_s: Annotated[float, Field(ge=0)] = Field(
        20,
        description="Seconds after SIGTERM in which `serve` ends what it is answering; new requests get 503 meanwhile, "
        "and what is not done by then ends with an error.",
    )
    max_concurrent_questions: Count = Field(
        16,
        description="Questions, and queries of `execute`, that one process works on at once. One caller, or one of "
        "several databases, takes three quarters of them at most.",
    )
    queue_length: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="Questions that may wait for a place; more are refused with 503. Default: as many as are answered "
        "at once.",
    )
    max_model_calls: Count | None = Field(
        None,
        description="Model calls of one question; what was found until then is answered, with a warning. Default: as "
        "many as its attempts take.",
    )
    max_tokens_per_question: Count | None = Field(
        None, description="Tokens of one question, prompts and replies together; as above. Default: no limit."
    )
    retrieval_timeout_s: Seconds = Field(
        20,
        description="Seconds that a question waits for the index and the embeddings, twice; then it goes without them.",
    )
    breaker_failures: Count = Field(
        5,
        description="Failures in a row after which a model, an embedding endpoint or a database server is left alone.",
    )
    breaker_pause_s: Seconds = Field(
        15,
        description="Seconds of that pause. Questions get 503 at once; then one call tries again.",
    )

    # -- database servers --------------------------------------------------------------------------
    connect_timeout_s: Seconds = Field(10, description="Seconds to reach a database server, or another deployment.")
    schema_ttl_s: Seconds = Field(
        600, description="Seconds after which a server's schema is read again; indexing does so at once."
    )
    pool_recycle_s: Seconds = Field(
        1800, description="Seconds after which a connection is replaced before its next use."
    )

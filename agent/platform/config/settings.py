"""Settings: one class, read from the environment, documented field by field.

A field `row_limit` is read from `PLUMBLINE_ROW_LIMIT`; names that other tools use (`OPENAI_API_KEY`) are aliases.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AliasChoices, Field, SecretStr, model_validator
from pydantic_settings import SettingsConfigDict

from agent.core.fields import TimeZone
from agent.core.usage import Effort
from agent.platform.config.hosts import origins
from agent.platform.config.pricing import PriceTable
from agent.platform.config.settings_protection import Count, ProtectionSettings, Seconds
from executors.registry.kinds import FILE_SUFFIXES
from executors.workers.limits import bytes_of

PREFIX = "PLUMBLINE_"
MB = 10**6  # bytes
SMALLEST_WORKER = 100 * MB  # what it takes before it runs a query
ROOT = Path(__file__).resolve().parents[3]  # the project's folder, or the folder of installed packages
IS_INSTALLED = ROOT.name in {"site-packages", "dist-packages"}

# Extensions of the files that `executors.registry.kinds` knows, and of archives.
UPLOADABLE = frozenset(
    {it.removeprefix(".") for it in FILE_SUFFIXES} | {"sqlite", "sqlite3", "db", "db3", "duckdb", "ddb", "zip"}
)

Days = Annotated[float, Field(gt=0, le=36_500)]


def _also(name: str, *aliases: str) -> AliasChoices:
    """The field's own variable, then the names that other tools use for it."""
    return AliasChoices(PREFIX + name.upper(), *aliases)


def types_of(listed: str) -> frozenset[str]:
    """The file extensions that a setting lists."""
    return frozenset(it.strip().lower().removeprefix(".") for it in listed.split(",") if it.strip())


def _origins(listed: str) -> str:
    origins(listed)
    return listed


def _size(written: str) -> str:
    bytes_of(written)
    return written


def _size_of_worker(written: str) -> str:
    if bytes_of(written) < SMALLEST_WORKER:
        raise ValueError(f"a worker needs {SMALLEST_WORKER // MB} MB or more; write a unit, as in `2GB`")
    return written


def _upload_types(listed: str) -> str:
    unknown = sorted(types_of(listed) - UPLOADABLE)
    if unknown:
        raise ValueError(f"{', '.join(unknown)} cannot be uploaded; the types are {', '.join(sorted(UPLOADABLE))}")
    return listed


class Settings(ProtectionSettings):
    """All settings of the service. Raises pydantic.ValidationError, which names each invalid variable."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        env_ignore_empty=True,
        hide_input_in_errors=True,
    )

    # -- the loop ----------------------------------------------------------------------------------
    max_attempts: Annotated[int, Field(ge=1, le=10)] = Field(
        3,
        description="Queries that the model may write in turn, each run and judged; their repairs are not counted. "
        "After the last one, the best attempt is returned, unverified.",
    )
    max_retries: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None,
        validation_alias=_also("max_retries", "TEXT2SQL_MAX_RETRIES"),
        description="Retries after the first attempt: another way to set `max_attempts`, which takes precedence.",
    )
    effort: Effort | None = Field(
        None,
        description="How much a question may cost: quick (one draft, not verified), balanced (two drafts, or one and "
        "the judge), thorough (up to five drafts, and the judge of a hosted model). Not set: thorough with the "
        "embedded model, balanced with others, and a request may choose any. Set: a request may choose less.",
    )
    row_limit: Annotated[int, Field(ge=1, le=10_000)] = Field(
        500, description="Rows returned at once, unless the request sets a number."
    )
    max_rows: Annotated[int, Field(ge=1, le=100_000)] = Field(
        10_000,
        description="Rows that one query may return, at once or page by page. A request for more is refused.",
    )
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000)] = Field(
        200, description="Rows fetched behind an aggregate, unless the request sets a number; 0: none."
    )
    allow_writes: bool = Field(
        False,
        description="Allow changes of rows: one request plans a change, a second one makes it. Only `writers` of a "
        "database that the registry marks `writable` may.",
    )
    write_row_limit: Annotated[int, Field(ge=1, le=10_000)] = Field(
        100, description="Rows that one change may affect; a larger change is refused."
    )
    write_token_s: Seconds = Field(600, description="Seconds in which a planned change can be confirmed.")
    trust_principal_header: bool = Field(
        False,
        description="Take the caller's name from `x-ms-client-principal-name` if `auth` is `none` or `functions`. "
        "Only for a front end that signs users in and removes this header from their requests.",
    )
    enable_calculator: bool = Field(True, description="Compute `[[...]]` and recompute equations in answers.")
    enable_evaluation: bool = Field(True, description="Judge every result.")
    clarify: bool = Field(
        True,
        description="Ask for clarification, with choices, if a question has several meanings. A request can switch it "
        "off.",
    )
    time_zone: TimeZone = Field(
        "UTC",
        description="Time zone of `today` and `last month`, as an IANA name such as `Europe/Berlin`. A request can "
        "name another.",
    )
    reuse_verified: bool = Field(
        True,
        description="Reuse the verified query of an equal earlier question. It is run and judged again, and a new "
        "sentence is written. A request can switch it off.",
    )

    # -- the model ---------------------------------------------------------------------------------
    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=_also("openai_api_key", "OPENAI_API_KEY"),
        description="Use OpenAI, or any endpoint that speaks its protocol.",
    )
    openai_base_url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")] | None = Field(
        None,
        validation_alias=_also("openai_base_url", "OPENAI_BASE_URL"),
        description="Base URL of a compatible endpoint, `/v1` included.",
    )
    azure_openai_endpoint: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#@]*)?$")] | None = Field(
        None,
        validation_alias=_also("azure_openai_endpoint", "AZURE_OPENAI_ENDPOINT"),
        description="Use Azure OpenAI at this address.",
    )
    azure_openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=_also("azure_openai_api_key", "AZURE_OPENAI_API_KEY"),
        description="Key for Azure OpenAI; without it Entra ID is used (managed identity, `az login`).",
    )
    azure_openai_api_version: str = Field(
        "2024-10-21",
        validation_alias=_also("azure_openai_api_version", "OPENAI_API_VERSION"),
        description="API version of Azure OpenAI.",
    )
    model_provider: str | None = Field(
        None,
        description="Provider of the models: `openai`, `azure`, `embedded`, or one of an extension. Default: the one "
        "whose address or key is set.",
    )
    chat_model: str | None = Field(
        None,
        validation_alias=_also("chat_model", "TEXT2SQL_MODEL_PRIMARY"),
        description="Model, or Azure deployment, that writes SQL and answers. Default: `gpt-5-mini`.",
    )
    judge_model: str | None = Field(None, description="Model that judges. Default: the chat model.")
    profile: Literal["embedded", "small_hosted", "large_hosted"] | None = Field(
        None, description="Profile of the model (agent/platform/config/profiles.py). Default: by the model's name."
    )
    plan: bool | None = Field(
        None,
        description="Plan up to four queries for questions whose words ask for more than one (why, compare, two "
        "questions in one). Default: by the profile. The embedded model makes none unless a request asks for it; "
        "comparisons of two things are split without it. "
        "false: never.",
    )
    planner: Literal["inline", "separate", "off"] | None = Field(
        None,
        description="How a query's plan is made. `inline`: with the query; `separate`: by a call of its own; `off`: "
        "read from the query. Default: by the profile.",
    )
    calibration: Path | None = Field(
        None,
        description="File of coefficients of `confidence`, as `python -m agent calibrate` writes it. Default: the "
        "package's own for the profile.",
    )
    second_draft: bool | None = Field(
        None,
        description="Also write a second draft of a query that the judge accepts. Default: by the profile.",
    )
    temperature: Annotated[float, Field(ge=0, le=2)] = Field(0, description="Sampling temperature.")
    max_tokens: Count = Field(500, description="Tokens of one reply at most.")
    model_timeout_s: Seconds | None = Field(
        None, description="Seconds for one reply. Default: 15 hosted, 300 embedded."
    )
    model_retries: Annotated[int, Field(ge=0, le=10)] = Field(
        3, description="Retries after 429 and 5xx, with waits of 2, 4 and 8 s, or as Retry-After says."
    )
    speculative_answer: bool | None = Field(
        None, description="Draft the answer while the judge reads. Default: by the profile."
    )

    # -- the embedded model ------------------------------------------------------------------------
    embedded_model: Literal["1.5b", "0.5b"] = Field(
        "1.5b", description="Which Qwen2.5-Coder-Instruct runs on this machine when no hosted model is set."
    )
    embedded_second_model: Literal["0.5b", "none"] = Field(
        "0.5b",
        description="Which Qwen2.5-Coder-Instruct writes the second draft beside the embedded model. `none`: the "
        "embedded model writes it itself.",
    )
    embedded_model_path: Path | None = Field(
        None, description="GGUF file to take the model from; its hash is verified."
    )
    embedded_context: Annotated[int, Field(ge=2048, le=32_768)] = Field(
        8192, description="Context of the embedded model, in tokens."
    )
    prefix_cache_mb: Annotated[int, Field(ge=0)] = Field(
        2000,
        description="Megabytes of schemas that the embedded model has read, kept in `state_dir` so that a new process "
        "need not read them again; 0: nothing is kept.",
    )
    embedded_threads: Annotated[int, Field(ge=0)] = Field(
        0, description="Threads of the embedded model; 0: one per core."
    )

    # -- places ------------------------------------------------------------------------------------
    cache_dir: Path = Field(
        Path("~/.cache/plumbline"), description="Folder for the model's file, shared by all checkouts."
    )
    extensions: str = Field(
        "",
        description="Modules, separated by commas, that add dialects, readers of docs or model providers "
        "(docs/extend.md).",
    )
    state_dir: Path = Field(Path(".plumbline"), description="Folder for the index and the sessions.")
    registry: Path = Field(Path("databases.yaml"), description="The registry of databases.")

    # -- retrieval ---------------------------------------------------------------------------------
    enable_retrieval: bool = Field(True, description="Enrich the schema with docs.")
    embedding: Literal["local", "multilingual", "openai"] | None = Field(
        None,
        description="Source of the embeddings of docs, columns and values. `multilingual` also finds them for "
        "questions in other languages. Default: local; with a hosted model on OpenAI or Azure OpenAI, its endpoint if "
        "the local model is not installed.",
    )
    embedding_model: str | None = Field(
        None,
        description="Embedding model or deployment. Default: all-MiniLM-L6-v2, or `text-embedding-3-small`.",
    )
    chroma_url: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+/?$")] | None = Field(
        None,
        validation_alias=_also("chroma_url", "CHROMA_URL"),
        description="Keep the index on this Chroma server, `http(s)://host:port`. Default: in a folder of `state_dir`.",
    )
    chroma_token: SecretStr | None = Field(
        None,
        validation_alias=_also("chroma_token", "CHROMA_TOKEN"),
        description="Sent to the Chroma server as `Authorization: Bearer` and as `X-Chroma-Token`.",
    )
    chroma_tenant: str = Field(
        "default_tenant", validation_alias=_also("chroma_tenant", "CHROMA_TENANT"), description="Tenant on that server."
    )
    chroma_database: str = Field(
        "default_database",
        validation_alias=_also("chroma_database", "CHROMA_DATABASE"),
        description="Database on that server.",
    )
    top_k: Annotated[int, Field(ge=1, le=100)] = Field(5, description="Documents retrieved per question.")
    schema_tokens: Count | None = Field(
        None,
        description="Token budget of the schema in the prompt. Default: 2500 embedded, 1000 if the schema exceeds it; "
        "6000 hosted.",
    )
    max_sample_values: Annotated[int, Field(ge=0, le=50)] = Field(3, description="Stored values shown per text column.")

    # -- sessions ----------------------------------------------------------------------------------
    max_conversation_history: Annotated[int, Field(ge=0, le=50)] = Field(
        3, description="Earlier exchanges in the prompt, 200 characters each."
    )
    session_timeout_s: Seconds = Field(
        2_592_000,
        description="Seconds after which an idle session is deleted, with its answers; the default is 30 days.",
    )
    max_session_messages: Count = Field(
        10, description="Latest messages of a session that a prompt may use; older ones are kept for people only."
    )
    session_cleanup_s: Seconds = Field(300, description="Seconds between two cleanups of expired state.")
    state_store: Literal["sqlite", "memory", "azure_tables"] | None = Field(
        None,
        description="Store of sessions, reviews and other state. Default: Azure Table Storage when one of the next "
        "two is set, else a SQLite file in `state_dir`.",
    )
    azure_tables_connection: SecretStr | None = Field(
        None,
        validation_alias=_also("azure_tables_connection", "AZURE_TABLES_CONNECTION_STRING"),
        description="Connection string of the storage account.",
    )
    azure_tables_endpoint: Annotated[str, Field(pattern=r"^https://[^\s/?#@]+(/[^\s/?#@]*)?$")] | None = Field(
        None,
        validation_alias=_also("azure_tables_endpoint", "AZURE_TABLES_ENDPOINT"),
        description="Instead of the connection string: `https://ACCOUNT.table.core.windows.net`, with a managed "
        "identity.",
    )
    azure_tables_name: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9]{2,62}$")] = Field(
        "plumbline",
        description="The table's name, of letters and digits; deployments that share an account need different names.",
    )

    # -- reviews, feedback, dashboards --------------------------------------------------------------
    reviewers: str = Field(
        "",
        description="Principals who may settle the reviews of every database, separated by commas; `*`: all. If "
        "callers have no names, every caller may.",
    )
    review_days: Days = Field(90, description="Days for which a review is kept after its last change.")
    feedback_days: Days = Field(30, description="Days for which an answer can get feedback.")
    max_saved_queries: Annotated[int, Field(ge=1, le=1000)] = Field(
        200, description="Saved queries of one principal at most."
    )

    dashboard_check_s: Annotated[float, Field(ge=1)] = Field(
        300, description="Seconds between two checks for dashboard tiles that are due."
    )
    webhook_hosts: Annotated[str, Field(pattern=r"^[A-Za-z0-9.,: \-]*$")] = Field(
        "",
        description="Hosts that alerts may be sent to, separated by commas; `.example.com` covers its subdomains. "
        "These hosts may be private and use `http`. Default: every public address, over `https`.",
    )

    # -- local files -------------------------------------------------------------------------------
    duckdb_memory: Annotated[str, AfterValidator(_size)] = Field("1GB", description="Memory of one DuckDB database.")
    duckdb_threads: Count = Field(2, description="Threads of one DuckDB database.")
    local_workers: Count = Field(
        4, description="Worker processes for SQLite, DuckDB and files in total. Idle ones end."
    )
    worker_memory: Annotated[str, AfterValidator(_size_of_worker)] = Field(
        "2GB",
        description="Memory of each of these processes; set it well above `duckdb_memory`. Only the query that needs "
        "more fails. Linux only.",
    )

    # -- uploads -------------------------------------------------------------------------------------
    upload_mb: Annotated[int, Field(ge=0, le=100_000)] = Field(
        100,
        description="Megabytes of one upload at most; unpacked, it may be ten times as large. 0: no uploads. Azure "
        "Functions accepts bodies up to 100 MB, unless FUNCTIONS_REQUEST_BODY_SIZE_LIMIT allows more.",
    )
    upload_types: Annotated[str, AfterValidator(_upload_types)] = Field(
        "csv,tsv,json,jsonl,ndjson,csv.gz,tsv.gz,json.gz,jsonl.gz,ndjson.gz,parquet,xlsx,xlsm,sqlite,sqlite3,db,zip",
        description="Extensions of files that can be uploaded, separated by commas; a `zip` holds data files. Add "
        "`duckdb` only if callers are trusted.",
    )
    upload_days: Days = Field(30, description="Days after which an upload is deleted.")
    max_uploads: Count = Field(20, description="Uploads of one principal at most.")

    # -- the service -------------------------------------------------------------------------------
    host: str = Field("127.0.0.1", description="Address that `serve` listens on.")
    auth: Literal["none", "api_keys", "functions", "entra"] = Field(
        "none",
        description="How callers are identified. `none`: only this machine may send requests; under Azure "
        "Functions the same as `functions`: the host checks its keys. `api_keys`; `entra`: App Service authentication.",
    )
    api_keys: SecretStr | None = Field(
        None, description="Hashes of API keys, `name=sha256:...`, as `python -m agent key NAME` prints them."
    )
    api_keys_file: Path | None = Field(
        None, description="File with further hashes, one a line; it is read again when it changes."
    )
    rate_limit: Annotated[str, Field(pattern=r"^([1-9]\d{0,5} ?/ ?(second|minute|hour|day))?$")] = Field(
        "", description="Rate of POST, PUT and PATCH requests for each principal, such as `60/minute`; empty: none."
    )
    cors_origins: Annotated[str, AfterValidator(_origins)] = Field(
        "", description="Origins whose pages may send requests, separated by commas; `*`: all, with API keys only."
    )
    port: Annotated[int, Field(ge=1, le=65_535)] = Field(7071, description="Port that `serve` listens on.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("WARNING", description="Log level.")
    log_format: Literal["text", "json"] = Field("text", description="Log lines as text, or as one JSON object each.")

    # -- telemetry ---------------------------------------------------------------------------------
    otel_exporter_otlp_endpoint: Annotated[str, Field(pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$")] | None = Field(
        None,
        validation_alias=_also("otel_exporter_otlp_endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        description="Send spans and metrics to this OTLP collector, `http(s)://host:port`; the exporters' other "
        "`OTEL_EXPORTER_OTLP_...` variables (headers, certificate, timeout) apply too.",
    )
    otel_exporter_otlp_protocol: Literal["http/protobuf", "grpc"] | None = Field(
        None,
        validation_alias=_also("otel_exporter_otlp_protocol", "OTEL_EXPORTER_OTLP_PROTOCOL"),
        description="Protocol of the collector. Default: `grpc` on port 4317, else `http/protobuf`.",
    )
    applicationinsights_connection_string: SecretStr | None = Field(
        None,
        validation_alias=_also("applicationinsights_connection_string", "APPLICATIONINSIGHTS_CONNECTION_STRING"),
        description="Send spans and metrics to this Application Insights (Azure Monitor).",
    )
    telemetry_content: bool = Field(
        False, description="Put questions, prompts, replies, SQL with its values and rows into spans."
    )
    prices: PriceTable = Field(
        {},
        description="US dollars for a million tokens, by model or Azure deployment, as JSON: "
        '`{"gpt-5-mini": {"input": 0.25, "cached": 0.025, "output": 2.0}}`. Without a price, costs are null.',
    )

    @model_validator(mode="after")
    def _azure_is_somewhere(self) -> Self:
        if self.model_provider == "azure" and not self.azure_openai_endpoint:
            raise ValueError("PLUMBLINE_MODEL_PROVIDER is azure; set AZURE_OPENAI_ENDPOINT too")
        if self.state_store == "azure_tables" and not (self.azure_tables_connection or self.azure_tables_endpoint):
            raise ValueError("PLUMBLINE_STATE_STORE is azure_tables; set PLUMBLINE_AZURE_TABLES_ENDPOINT too")
        return self

    @property
    def attempts(self) -> int:
        """The maximum number of rounds: `max_attempts` if it is set, else one more than `max_retries`."""
        if self.max_retries is None or "max_attempts" in self.model_fields_set:
            return self.max_attempts
        return self.max_retries + 1

    @property
    def names_registry(self) -> bool:
        """Whether a registry is set, instead of the default."""
        return "registry" in self.model_fields_set

    @property
    def registry_path(self) -> Path:
        """The registry's path: in the working folder if it exists there, else with the project or the user's data."""
        return self._place("registry", self.registry)

    @property
    def state_path(self) -> Path:
        """The folder of index and sessions: in the working folder, with the project, or in the user's data folder."""
        return self._place("state_dir", self.state_dir)

    def _place(self, name: str, path: Path) -> Path:
        path = path.expanduser()
        if name in self.model_fields_set or path.exists():
            return path
        if IS_INSTALLED:
            from platformdirs import user_data_path

            folder = user_data_path("plumbline", appauthor=False)
            return folder / ("state" if name == "state_dir" else path.name)
        return ROOT / path

    @property
    def state_kind(self) -> Literal["sqlite", "memory", "azure_tables"]:
        """The kind of state store: `state_store`, else Azure Table Storage if it is configured, else SQLite."""
        in_azure = self.azure_tables_connection or self.azure_tables_endpoint
        return self.state_store or ("azure_tables" if in_azure else "sqlite")

    @property
    def provider(self) -> str:
        """The model provider: a key of `llm.PROVIDERS`."""
        if self.model_provider or self.azure_openai_endpoint:
            return self.model_provider or "azure"
        return "openai" if self.openai_api_key or self.openai_base_url else "embedded"

    @property
    def is_hosted(self) -> bool:
        """Whether a hosted model answers, not the embedded one."""
        return self.provider != "embedded"


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()

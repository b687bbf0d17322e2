"""Settings: one class, read from the environment, documented field by field.

A field `row_limit` is read from `PLUMBLINE_ROW_LIMIT`; names that other tools already use (`OPENAI_API_KEY`,
`TEXT2SQL_MODEL_PRIMARY`, ...) are understood as well. The README's table and `local.settings.sample.json` are held to
this list by a test.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, SettingsConfigDict

PREFIX = "PLUMBLINE_"
ROOT = Path(__file__).resolve().parents[1]  # the folder of the project

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


def _also(name: str, *aliases: str) -> AliasChoices:
    """The field's own variable first, then the names that others use for it."""
    return AliasChoices(PREFIX + name.upper(), *aliases)


class Settings(BaseSettings):
    """Every switch of the service; all bad values are reported at once.

    Raises:
        pydantic.ValidationError: naming each variable that cannot be used, and why.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True
    )

    # -- the loop ----------------------------------------------------------------------------------
    max_attempts: Annotated[int, Field(ge=1, le=10)] = Field(
        3, description="Rounds of draft, run and judge; then the best attempt is returned, unverified."
    )
    max_retries: Annotated[int, Field(ge=0, le=9)] | None = Field(
        None,
        validation_alias=_also("max_retries", "TEXT2SQL_MAX_RETRIES"),
        description="Another way to say `max_attempts`: one less than it. Used when set.",
    )
    row_limit: Annotated[int, Field(ge=1, le=10_000)] = Field(500, description="Rows returned at most.")
    raw_row_limit: Annotated[int, Field(ge=0, le=10_000)] = Field(
        200, description="Rows fetched behind an aggregate; 0 switches that off."
    )
    allow_writes: bool = Field(
        False,
        description="Allows changes of rows, planned first and made by a second request, to those who are `writers` of "
        "a database that the registry marks `writable`.",
    )
    write_row_limit: Annotated[int, Field(ge=1, le=10_000)] = Field(
        100, description="Rows that one change may affect; a larger one is not made."
    )
    write_token_s: Seconds = Field(600, description="Seconds in which a planned change can be confirmed.")
    trust_principal_header: bool = Field(
        False,
        description="Take the caller's name from `x-ms-client-principal-name`. Only behind Azure's front end with "
        "authentication on, which removes what callers write there themselves.",
    )
    enable_calculator: bool = Field(True, description="Compute `[[...]]` and recompute equations in answers.")
    enable_evaluation: bool = Field(True, description="Judge every result before it is believed.")
    reuse_verified: bool = Field(
        True,
        description="Answer a question that was asked before by its verified query, run, judged and told anew; a "
        "request can switch it off.",
    )
    max_question_chars: Count = Field(4000, description="Longer questions are refused with 422.")
    max_request_bytes: Count = Field(1_000_000, description="Larger request bodies are refused with 413.")
    request_deadline_s: Seconds = Field(220, description="Seconds for one question, under Azure's 230.")
    query_timeout_s: Seconds = Field(30, description="Seconds for one SQL query.")
    queries_per_database: Count = Field(4, description="Queries that run at once on one database.")

    # -- database servers --------------------------------------------------------------------------
    connect_timeout_s: Seconds = Field(10, description="Seconds to reach a database server, or another deployment.")
    schema_ttl_s: Seconds = Field(
        600, description="Seconds after which a server's schema is read again; indexing does so at once."
    )
    pool_recycle_s: Seconds = Field(
        1800, description="Seconds after which a connection is replaced before its next use."
    )

    # -- the model ---------------------------------------------------------------------------------
    openai_api_key: SecretStr | None = Field(
        None,
        validation_alias=_also("openai_api_key", "OPENAI_API_KEY"),
        description="Use OpenAI, or any endpoint that speaks its protocol.",
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias=_also("openai_base_url", "OPENAI_BASE_URL"),
        description="Base URL of a compatible endpoint, `/v1` included.",
    )
    azure_openai_endpoint: str | None = Field(
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
    chat_model: str | None = Field(
        None,
        validation_alias=_also("chat_model", "TEXT2SQL_MODEL_PRIMARY"),
        description="Model, or Azure deployment, that writes SQL and answers. Default: `gpt-4o-mini`.",
    )
    judge_model: str | None = Field(None, description="Model that judges. Default: the chat model.")
    profile: Literal["embedded", "small_hosted", "large_hosted"] | None = Field(
        None, description="What the model is good at (agent/profiles.py). Default: by the model's name."
    )
    planner: Literal["inline", "separate", "off"] | None = Field(
        None, description="Where the plan is made. Default: by the profile."
    )
    second_draft: bool | None = Field(
        None, description="Have a believed query written a second time and compare the rows. Default: by the profile."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] = Field(0, description="Sampling temperature.")
    max_tokens: Count = Field(500, description="Tokens of one reply at most.")
    model_timeout_s: Seconds | None = Field(
        None, description="Seconds for one reply. Default: 15 hosted, 300 embedded."
    )
    model_retries: Annotated[int, Field(ge=0, le=10)] = Field(
        3, description="Retries after 429 and 5xx, waiting 2, 4, 8 s or what Retry-After says."
    )
    speculative_answer: bool | None = Field(
        None, description="Draft the answer while the judge reads. Default: by the profile."
    )

    # -- the embedded model ------------------------------------------------------------------------
    embedded_model: Literal["1.5b", "0.5b"] = Field(
        "1.5b", description="Which Qwen2.5-Coder-Instruct runs in this process when no hosted model is set."
    )
    embedded_model_path: Path | None = Field(
        None, description="Take the model from this GGUF file; its hash is verified all the same."
    )
    embedded_context: Annotated[int, Field(ge=2048, le=32_768)] = Field(
        8192, description="Context of the embedded model, in tokens."
    )
    embedded_threads: Annotated[int, Field(ge=0)] = Field(0, description="Threads; 0: one per core.")

    # -- places ------------------------------------------------------------------------------------
    cache_dir: Path = Field(
        Path("~/.cache/plumbline"), description="Folder for the model's file, shared by all checkouts."
    )
    state_dir: Path = Field(Path(".plumbline"), description="Folder for the index and the sessions.")
    registry: Path = Field(Path("databases.yaml"), description="The registry of databases.")

    # -- retrieval ---------------------------------------------------------------------------------
    enable_retrieval: bool = Field(True, description="Enrich the schema with docs.")
    embedding: Literal["local", "openai"] | None = Field(
        None, description="Where embeddings come from. Default: local when its packages are there."
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
        None, description="Token budget of the schema in the prompt. Default: 2500 embedded, 6000 hosted."
    )
    max_sample_values: Annotated[int, Field(ge=0, le=50)] = Field(3, description="Stored values shown per text column.")

    # -- sessions ----------------------------------------------------------------------------------
    max_conversation_history: Annotated[int, Field(ge=0, le=50)] = Field(
        3, description="Earlier exchanges in the prompt, 200 characters each."
    )
    session_timeout_s: Seconds = Field(3600, description="Seconds after which an idle session is gone.")

    # -- local files -------------------------------------------------------------------------------
    duckdb_memory: str = Field("1GB", description="Memory of one DuckDB database.")
    duckdb_threads: Count = Field(2, description="Threads of one DuckDB database.")

    # -- the service -------------------------------------------------------------------------------
    host: str = Field("127.0.0.1", description="Address that `serve` listens on.")
    port: Annotated[int, Field(ge=1, le=65_535)] = Field(7071, description="Port that `serve` listens on.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("WARNING", description="Log level.")

    @property
    def attempts(self) -> int:
        """Rounds at most, whichever of the two settings says so."""
        return self.max_attempts if self.max_retries is None else self.max_retries + 1

    @property
    def names_registry(self) -> bool:
        """Whether somebody named a registry, rather than leave it at the default."""
        return "registry" in self.model_fields_set

    @property
    def registry_path(self) -> Path:
        """Where the registry is read: a default one of the project, where the working folder has none."""
        return self._place("registry", self.registry)

    @property
    def state_path(self) -> Path:
        """Where the index and the sessions are kept: with the project, where the working folder has none."""
        return self._place("state_dir", self.state_dir)

    def _place(self, name: str, path: Path) -> Path:
        path = path.expanduser()
        return path if name in self.model_fields_set or path.exists() else ROOT / path

    @property
    def is_hosted(self) -> bool:
        """True when any setting names a hosted model; else the embedded one answers."""
        return bool(self.openai_api_key or self.openai_base_url or self.azure_openai_endpoint)


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once."""
    return Settings()


class Variable(BaseModel):
    """One setting as the environment has it. `names`: first the one to use, then others that are understood."""

    model_config = ConfigDict(frozen=True)

    names: tuple[str, ...]
    default: str
    description: str


def variables() -> tuple[Variable, ...]:
    """Every setting, in the order of the class. A default of `""` is none, or as the description says."""
    return tuple(_variable(name, field) for name, field in Settings.model_fields.items())


def _variable(name: str, field: FieldInfo) -> Variable:
    own = PREFIX + name.upper()
    alias = field.validation_alias
    others = tuple(str(one) for one in alias.choices if one != own) if isinstance(alias, AliasChoices) else ()
    default = "" if field.default is None else str(field.default)
    default = default.lower() if isinstance(field.default, bool) else default
    return Variable(names=(own, *others), default=default, description=field.description or "")


def markdown_table() -> str:
    """The README's table of settings; `python -m agent.settings` prints it."""
    rows = ["| Variable | Default | Meaning |", "|---|---|---|"]
    for variable in variables():
        names = ", ".join(f"`{name}`" for name in variable.names)
        default = f"`{variable.default}`" if variable.default else ""
        rows.append(f"| {names} | {default} | {variable.description} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(markdown_table())

"""Secrets in every setting that takes one; each part fails in turn, and no secret is shown.

Services that refuse repeat what they were sent; so what is told of their refusals is looked at, too.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from asgi_server import served
from echo_server import echoing
from pydantic import SecretStr, ValidationError
from typer.testing import CliRunner

from agent.api.app import create_app
from agent.cli.main import app as cli
from agent.pipeline.service import build_service
from agent.platform import telemetry
from agent.platform.config.settings import Settings, get_settings
from agent.platform.telemetry.logs import TraceIds, configure_logs
from executors.registry.registry import load_registry
from testbed.ports import free_port

MARK = "planted"
# Long enough and odd enough that nothing else looks like it; base64, as an account's key must be.
ACCOUNT_KEY = "cGxhbnRlZHBsYW50ZWRwbGFudGVkcGxhbnRlZA=="
INSTRUMENTATION_KEY = "0b1e55ed-4711-4711-4711-0b1e55ed0b1e"
NEVER = (MARK, ACCOUNT_KEY, INSTRUMENTATION_KEY)
# What a caller sends along: one of them is for the host, and all of them arrive here.
KEYS = {"x-functions-key": "planted-function", "x-api-key": "planted-key", "authorization": "Bearer planted-bearer"}
QUESTION = {"question": "How many customers are there?"}


@pytest.fixture
def echo() -> Iterator[str]:
    with echoing() as address:
        yield address


@pytest.fixture
def nowhere() -> str:
    return f"127.0.0.1:{free_port()}"


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """What a process writes to stderr with every library at its most talkative."""
    text, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = [logging.StreamHandler(text)]
    root.setLevel(logging.DEBUG)
    yield text
    root.handlers[:] = handlers
    root.setLevel(level)
    telemetry.shutdown()


class Planted(NamedTuple):
    """The addresses that secrets are sent to: one that repeats what it gets, and one where nobody listens."""

    echo: str
    nowhere: str


@pytest.fixture
def planted(shop_file: Path, echo: str, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> Planted:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=planted-otlp")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return Planted(echo, nowhere)


def registry_of(folder: Path, echo: str, nowhere: str) -> Path:
    path = folder / "secrets.yaml"
    path.write_text(
        f"""
shop: shop.sqlite
pg: postgresql://ada:planted-pg@{nowhere}/shop
mysql: mysql://ada:planted-mysql@{nowhere}/shop
odbc: "Driver={{FreeTDS}};Server={nowhere.replace(":", ",")};UID=ada;PWD={{planted-odbc}};Database=shop"
app: {{via: "{echo}", key: planted-app}}
gone: {{via: "http://{nowhere}", key: planted-gone}}
""",
        encoding="utf-8",
    )
    return path


def given_of(folder: Path, echo: str, nowhere: str, **changes: Any) -> dict[str, Any]:
    """The settings, by name."""
    given: dict[str, Any] = {
        "registry": registry_of(folder, echo, nowhere),
        "state_dir": folder / "state",
        "cache_dir": folder / "cache",
        "openai_api_key": SecretStr("planted-openai"),
        "openai_base_url": f"{echo}/v1",
        "chroma_url": echo,
        "chroma_token": SecretStr("planted-chroma"),
        "api_keys": SecretStr(f"ann=sha256:{'0' * 57}{MARK}"),
        "applicationinsights_connection_string": SecretStr(
            f"InstrumentationKey={INSTRUMENTATION_KEY};IngestionEndpoint={echo}/"
        ),
        "model_retries": 0,
        "model_timeout_s": 5,
        "connect_timeout_s": 2,
        "clarify": False,
        "log_level": "DEBUG",
    }
    return given | changes


def settings_of(folder: Path, echo: str, nowhere: str, **changes: Any) -> Settings:
    return Settings(**given_of(folder, echo, nowhere, **changes))


AZURE = {"openai_api_key": None, "openai_base_url": None, "azure_openai_api_key": SecretStr("planted-azure")}
CASES: dict[str, dict[str, Any]] = {
    "the model refuses": {},
    "the model is gone": {"openai_base_url": "http://{nowhere}/v1"},
    "Azure's model refuses": {**AZURE, "azure_openai_endpoint": "{echo}"},
    "Azure's model is gone": {**AZURE, "azure_openai_endpoint": "http://{nowhere}"},
    "the embedding model refuses": {"embedding": "openai", "chroma_url": None},
    "the tables refuse": {"azure_tables_connection": "{echo}"},
    "the tables are gone": {"azure_tables_connection": "http://{nowhere}"},
    "the tables' string is none": {"azure_tables_connection": "none"},
    "Application Insights' string is none": {"applicationinsights_connection_string": SecretStr("planted-insights")},
}


def filled(changes: dict[str, Any], echo: str, nowhere: str) -> dict[str, Any]:
    """The changes with their addresses; that of the tables in a connection string."""
    found = {
        name: value.format(echo=echo, nowhere=nowhere) if isinstance(value, str) else value
        for name, value in changes.items()
    }
    if place := found.get("azure_tables_connection"):
        account = f"DefaultEndpointsProtocol=http;AccountName=ada;AccountKey={ACCOUNT_KEY};TableEndpoint={place}/ada;"
        found["azure_tables_connection"] = SecretStr("planted-tables" if place == "none" else account)
    return found


@pytest.mark.timeout(180)
@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
async def test_no_secret_is_told(
    changes: dict[str, Any], planted: Planted, tmp_path: Path, logged: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    echo, nowhere = planted
    settings = settings_of(tmp_path, echo, nowhere, **filled(changes, echo, nowhere))
    settings = settings.model_copy(update={"otel_exporter_otlp_endpoint": echo})
    configure_logs(settings)
    logging.getLogger().handlers[0].addFilter(TraceIds())
    telemetry.setup(settings)

    told = [
        repr(settings),
        str(settings.model_dump()),
        settings.model_dump_json(),
        repr(load_registry(settings.registry)),
    ]
    told += await responses(settings)
    telemetry.shutdown()
    told += [logged.getvalue(), *capfd.readouterr()]
    told += [file.read_bytes().decode("latin-1") for file in (tmp_path / "state").rglob("*") if file.is_file()]

    assert len(logged.getvalue()) > 1000, "the libraries have said something"
    for text in told:
        for secret in NEVER:
            assert secret not in text, around(text, secret)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("as_json", [False, True], ids=["for people", "as JSON"])
@pytest.mark.parametrize("changes", CASES.values(), ids=CASES)
def test_the_doctor_tells_no_secret(
    changes: dict[str, Any],
    as_json: bool,
    planted: Planted,
    tmp_path: Path,
    logged: io.StringIO,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    echo, nowhere = planted
    for name, value in given_of(tmp_path, echo, nowhere, **filled(changes, echo, nowhere)).items():
        if value is not None:
            plain = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
            monkeypatch.setenv(f"PLUMBLINE_{name.upper()}", plain)
    get_settings.cache_clear()
    try:
        done = CliRunner().invoke(cli, ["doctor", *(["--json"] if as_json else [])])
    finally:
        get_settings.cache_clear()

    assert done.exit_code == 1, done.output
    assert "database pg" in done.output, "it has looked at more than the settings"
    for text in (done.output, logged.getvalue(), *capfd.readouterr()):
        for secret in NEVER:
            assert secret not in text, around(text, secret)


async def responses(settings: Settings) -> list[str]:
    """What is answered on every route that reaches something that fails, with statuses, headers and events."""
    told: list[str] = []
    app = create_app(lambda: build_service(settings))
    async with (
        served(app) as address,
        httpx2.AsyncClient(base_url=f"{address}/api", headers=KEYS, timeout=60, trust_env=False) as client,
    ):
        asked = [("/query", QUESTION | {"database": "shop"}), ("/query/stream", QUESTION | {"database": "shop"})]
        asked += [
            ("/execute", {"database": name, "sql": "SELECT 1 AS one"})
            for name in ("pg", "mysql", "odbc", "app", "gone")
        ]
        asked += [
            ("/agents/text-to-sql/start-session", {"database": "shop"}),
            ("/rag/search", {"database": "shop", "query": "x"}),
        ]
        for path, body in asked:
            response = await client.post(path, json=body)
            told += [str(response.headers), response.text]
        for path in ("/health/ready", "/databases", "/databases/app/schema", "/databases/pg/schema", "/openapi.json"):
            response = await client.get(path)
            told += [str(response.headers), response.text]
    return told


def around(text: str, word: str) -> str:
    """The text around a word, for the report."""
    at = text.find(word)
    return text[max(0, at - 400) : at + 200]


@pytest.mark.parametrize(
    "name", ["openai_base_url", "azure_openai_endpoint", "chroma_url", "otel_exporter_otlp_endpoint"]
)
def test_an_address_with_a_password_is_refused_and_not_repeated(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings.model_validate({name: "https://ada:planted-address@host.example"})
    assert MARK not in str(refused.value) + repr(refused.value)


def test_every_setting_that_can_hold_a_secret_hides_it() -> None:
    told = ("key", "token", "password", "secret", "connection_string", "tables_connection")
    named = [name for name in Settings.model_fields if name.endswith(told) or name == "api_keys"]
    assert len(named) >= 5
    for name in named:
        assert "SecretStr" in str(Settings.model_fields[name].annotation), name

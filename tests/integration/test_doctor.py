"""`doctor`: a complete deployment, a broken one, and each finding."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from openai_server import DIMENSION, OpenAIServer
from otlp_receiver import HttpReceiver
from typer.testing import CliRunner

from agent.cli import examination
from agent.cli.examination import Diagnosis, redact
from agent.cli.main import app as cli
from agent.databases.knowledge.build import build_embedder, build_store
from agent.platform.config.settings import ROOT, get_settings
from agent.platform.configuration import examine
from executors.workers.isolated import LAYER
from rag.docs.documents import make_document
from rag.linking.column_index import columns_of
from testbed.ports import free_port
from testbed.postgres import READER, READER_PASSWORD, PostgresServer

Diagnose = Callable[..., Awaitable[dict[tuple[str, str], Diagnosis]]]
SECRET = "hunter2-s3cret"


@pytest.fixture
def environment(tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Sets variables; the registry has the shop, as SQLite."""

    def environment(**changes: object) -> None:
        for name, value in changes.items():
            monkeypatch.setenv(name, str(value))
        get_settings.cache_clear()

    environment(
        PLUMBLINE_REGISTRY=registry,
        PLUMBLINE_STATE_DIR=tmp_path / "state",
        PLUMBLINE_CACHE_DIR=tmp_path / "cache",
        PLUMBLINE_EMBEDDING="openai",
    )
    yield environment
    get_settings.cache_clear()


@pytest.fixture
def diagnose(environment: Callable[..., None]) -> Diagnose:
    """The findings by part and check; of several the last one."""

    async def diagnose(**changes: object) -> dict[tuple[str, str], Diagnosis]:
        environment(**changes)
        return {(it.part, it.check): it for it in await examination.diagnose()}

    return diagnose


def index(name: str) -> None:
    """One document in the index of a database, by the embedder of the settings."""
    settings = get_settings()
    store = build_store(settings)
    document = make_document("rule", "Cancelled orders have status X.")
    store.sync(name, [document], build_embedder(settings))
    store.close()


def hosted(server: OpenAIServer) -> dict[str, str]:
    server.replies("ready")
    return {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "x"}


async def test_a_deployment_in_which_everything_works(
    diagnose: Diagnose, environment: Callable[..., None], registry: Path, tmp_path: Path
) -> None:
    with duckdb.connect(str(tmp_path / "mart.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
    registry.write_text("shop: shop.sqlite\nmart: mart.duckdb\n", encoding="utf-8")
    with HttpReceiver() as collector:
        async with OpenAIServer().running() as server:
            given = {**hosted(server), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint}
            environment(**given)
            for name in ("shop", "mart"):
                await asyncio.to_thread(index, name)

            found = await diagnose()

            server.assert_done()
        assert "/v1/traces" in collector.paths
    assert {finding.status for finding in found.values()} == {"ok"}, found
    assert set(found) == {
        ("configuration", "settings and registry"),
        ("model", "chat model"),
        ("embeddings", "text-embedding-3-small"),
        *(("index", check) for check in ("store", "shop", "mart")),
        *(("database shop", check) for check in ("schema", "query_only", "mode=ro", "authorizer", LAYER)),
        ("database mart", "schema"),
        *(("database mart", check) for check in ("read-only", "no external access", "no extensions")),
        *(("database mart", check) for check in ("configuration locked", LAYER)),
        ("state store", "sqlite"),
        ("telemetry", "OTLP"),
    }
    assert f"with {DIMENSION} dimensions" in found["index", "shop"].message


def broken(registry: Path, environment: Callable[..., None]) -> None:
    """Nothing of it works, and every address and secret is a known one."""
    registry.with_name("damaged.duckdb").write_bytes(b"nothing")
    nobody = f"127.0.0.1:{free_port()}"
    registry.write_text(
        f"""\
gone: gone.sqlite
damaged: damaged.duckdb
down: postgresql://somebody:{SECRET}@{nobody}/x
away: mysql://somebody:{SECRET}@{nobody}/x
far: {{via: 'http://{nobody}', key: {SECRET}}}
typo: {{ulr: x}}
""",
        encoding="utf-8",
    )
    environment(
        PLUMBLINE_ROW_LIMIT="0",
        PLUMBLINE_ROW_LIMT="0",
        PLUMBLINE_JUDGE_MODEL="another",
        OPENAI_API_KEY=SECRET,
        OPENAI_BASE_URL=f"http://{nobody}/v1",
        CHROMA_URL=f"http://{nobody}",
        CHROMA_TOKEN=SECRET,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{nobody}",
        APPLICATIONINSIGHTS_CONNECTION_STRING=f"InstrumentationKey={SECRET};IngestionEndpoint=http://{nobody}/",
        PLUMBLINE_STATE_STORE="azure_tables",
        AZURE_TABLES_CONNECTION_STRING=(
            f"DefaultEndpointsProtocol=http;AccountName=a;AccountKey=aHVudGVyMg==;TableEndpoint=http://{nobody}/a;"
        ),
    )


BROKEN = {
    *(("configuration", check) for check in ("settings", "registry")),
    *(("model", check) for check in ("chat model", "judge model")),
    ("embeddings", "model"),
    ("index", "store"),
    *((f"database {name}", "schema") for name in ("gone", "damaged", "down", "away", "far")),
    ("state store", "azure_tables"),
    *(("telemetry", check) for check in ("OTLP", "Application Insights")),
}


def test_everything_that_is_broken_is_told_at_once(registry: Path, environment: Callable[..., None]) -> None:
    broken(registry, environment)

    result = CliRunner().invoke(cli, ["doctor", "--json"])

    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["ok"] is False
    failed = {(it["part"], it["check"]) for it in told["findings"] if it["status"] == "failed"}
    assert failed == BROKEN
    assert [it["said"] for it in told["findings"] if it["status"] == "warning"] == [
        "PLUMBLINE_ROW_LIMT is not a setting and has no effect; did you mean PLUMBLINE_ROW_LIMIT?"
    ]
    assert all(it["said"] for it in told["findings"])


def test_nobody_reads_a_secret_or_an_address_over_a_shoulder(registry: Path, environment: Callable[..., None]) -> None:
    broken(registry, environment)

    ran = subprocess.run(
        [sys.executable, "-m", "agent", "doctor"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 1
    assert "database down" in ran.stdout
    unspoken = (SECRET, "aHVudGVyMg", "127.0.0.1", "somebody", str(registry.parent))
    assert [one for one in unspoken if one in ran.stdout] == []
    assert ran.stderr == ""


def test_settings_that_are_wrong_as_a_whole_end_the_examination(environment: Callable[..., None]) -> None:
    environment(PLUMBLINE_MODEL_PROVIDER="azure")

    result = CliRunner().invoke(cli, ["doctor"])

    assert result.exit_code == 1
    assert "AZURE_OPENAI_ENDPOINT" in result.stdout
    assert "Nothing else was checked" in result.stdout


async def test_a_fault_of_the_examination_costs_one_part(diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stumbles(_settings: object) -> list[Diagnosis]:
        raise ZeroDivisionError

    monkeypatch.setattr(examination, "of_state", stumbles)

    found = await diagnose()

    assert found["state store", "examination"].status == "failed"
    assert "ZeroDivisionError" in found["state store", "examination"].message
    assert found["database shop", "schema"].status == "ok"


# -- the parts ----------------------------------------------------------------------------------------------------


async def test_the_embedded_model_is_not_fetched_by_looking(diagnose: Diagnose, tmp_path: Path) -> None:
    found = await diagnose(PLUMBLINE_EMBEDDING="local", PLUMBLINE_ENABLE_RETRIEVAL="false")

    assert found["model", "chat model"].status == "failed"
    assert "python -m agent model" in found["model", "chat model"].message
    assert found["model", "second model"].status == "warning"
    assert "0.5B-Instruct (Q4_K_M) has not been downloaded" in found["model", "second model"].message
    assert found["index", "retrieval"].status == "ok"
    assert not (tmp_path / "cache").exists()


async def test_a_model_that_says_nothing_is_told(diagnose: Diagnose) -> None:
    async with OpenAIServer().running() as server:
        server.replies("ready")
        server.replies(" ")
        found = await diagnose(OPENAI_BASE_URL=server.url, PLUMBLINE_JUDGE_MODEL="quiet")

    assert {found["model", check].status for check in ("chat model", "judge model")} == {"ok", "failed"}


async def test_an_index_of_columns_is_the_index_of_a_database_without_docs(
    diagnose: Diagnose, environment: Callable[..., None]
) -> None:
    async with OpenAIServer().running() as server:
        environment(**hosted(server))
        await asyncio.to_thread(index, columns_of("shop"))
        found = await diagnose()

    assert found["index", "shop"].status == "ok"
    assert found["index", "shop"].message.startswith("1 document by ")


async def test_an_index_of_another_embedder_is_told_with_what_to_do(
    diagnose: Diagnose, environment: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with OpenAIServer().running() as server:
        environment(**hosted(server))
        missing = (await diagnose())["index", "shop"]
        await asyncio.to_thread(index, "shop")

        server.replies("ready")
        other = (await diagnose(PLUMBLINE_EMBEDDING_MODEL="another"))["index", "shop"]
        monkeypatch.setattr("agent.cli.examination.INDEX_VERSION", "next")
        server.replies("ready")
        older = (await diagnose(PLUMBLINE_EMBEDDING_MODEL="text-embedding-3-small"))["index", "shop"]

    assert [it.status for it in (missing, other, older)] == ["warning"] * 3
    assert missing.message.startswith("Nothing is indexed yet")
    assert f"made by text-embedding-3-small with {DIMENSION} dimensions, and the settings name another" in other.message
    assert "and next is read here" in older.message
    assert all("python -m agent index -d shop" in it.message for it in (missing, other, older))


async def test_state_that_cannot_be_written_is_told(diagnose: Diagnose, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")

    found = await diagnose(PLUMBLINE_ENABLE_RETRIEVAL="false")

    assert found["state store", "sqlite"].status == "failed"
    assert "PLUMBLINE_STATE_DIR" in found["state store", "sqlite"].message


async def test_looking_leaves_no_record_behind(diagnose: Diagnose, tmp_path: Path) -> None:
    await diagnose(PLUMBLINE_ENABLE_RETRIEVAL="false")

    with sqlite3.connect(tmp_path / "state" / "state.sqlite") as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [row for table in tables for row in connection.execute(f"SELECT * FROM {table}") if "doctor" in row]
    connection.close()
    assert kept == []


async def test_application_insights_is_reached_by_its_own_address(diagnose: Diagnose) -> None:
    with HttpReceiver() as collector:
        found = await diagnose(
            APPLICATIONINSIGHTS_CONNECTION_STRING=f"InstrumentationKey=1;IngestionEndpoint={collector.endpoint}/",
            PLUMBLINE_ENABLE_RETRIEVAL="false",
        )

    assert found["telemetry", "Application Insights"].status == "ok"


# -- databases ----------------------------------------------------------------------------------------------------


async def test_a_login_that_can_write_is_told_unless_it_is_meant_to(diagnose: Diagnose, registry: Path) -> None:
    with PostgresServer() as server:
        with server.admin() as admin:
            admin("CREATE TABLE people (id integer)")
            admin(f"CREATE ROLE {READER} LOGIN PASSWORD '{READER_PASSWORD}'; GRANT SELECT ON people TO {READER}")
        registry.write_text(
            f"reading: {server.url('postgres', READER, READER_PASSWORD)}\n"
            f"writing: {server.url()}\n"
            f"meant: {{url: '{server.url()}', writable: true}}\n",
            encoding="utf-8",
        )
        off = await diagnose(PLUMBLINE_ENABLE_RETRIEVAL="false")
        on = await diagnose(PLUMBLINE_ALLOW_WRITES="true")

    login = "reader's login"
    names = ("reading", "writing", "meant")
    assert [off[f"database {name}", login].status for name in names] == ["ok", "warning", "warning"]
    assert [on[f"database {name}", login].status for name in names] == ["ok", "warning", "ok"]
    assert off["database writing", login].message.startswith("This login can write: use a reader's")
    for name in names:
        layers = ("read-only transaction", "statement timeout", "idle timeout")
        assert {on[f"database {name}", layer].status for layer in layers} == {"ok"}


async def test_what_of_a_schema_cannot_be_read_is_a_warning(diagnose: Diagnose, shop_file: Path) -> None:
    with sqlite3.connect(shop_file) as connection:
        connection.execute("CREATE VIEW broken AS SELECT * FROM nowhere")
    connection.close()

    found = await diagnose(PLUMBLINE_ENABLE_RETRIEVAL="false")

    assert found["database shop", "schema"].status == "warning"
    assert "broken" in found["database shop", "schema"].message


async def test_a_row_filter_that_does_not_fit_is_told(diagnose: Diagnose, registry: Path) -> None:
    registry.write_text("shop: {url: shop.sqlite, row_filter: {orders: 'regoin = 1'}}\n", encoding="utf-8")

    found = await diagnose(PLUMBLINE_ENABLE_RETRIEVAL="false")

    assert found["database shop", "schema"].status == "failed"
    assert "regoin" in found["database shop", "schema"].message


# -- what is shown ------------------------------------------------------------------------------------------------


def test_the_table_names_each_part_once_and_counts(environment: Callable[..., None]) -> None:
    environment(PLUMBLINE_ENABLE_RETRIEVAL="false", PLUMBLINE_ROW_LIMT="5")

    result = CliRunner().invoke(cli, ["doctor"])

    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert [line for line in lines if line and not line.startswith(" ")] == [
        *("configuration", "model", "index", "database shop", "state store", "telemetry"),
        "8 OK, 2 warnings, 1 failed",
    ]
    assert "   OK       mode=ro" in "\n".join(lines)


@pytest.mark.parametrize("said, shown", [
    ("db.example does not answer", "… does not answer"),
    ("http://db.example:1/x, db.example and db.example.org", "http://…:1/x, … and ….org"),
    ("mydb.example is another", "mydb.example is another"),
    ("the key hunter2 and the key hunter22", "the key … and the key hunter22"),
    ("short abc stays", "short abc stays"),
])  # fmt: skip
def test_what_nobody_should_read_is_taken_out_as_a_whole_word(said: str, shown: str) -> None:
    finding = Diagnosis(part="x", check="y", status="failed", message=said)

    assert redact([finding], ["db.example", "hunter2", "abc", ""])[0].message == shown
    assert redact([finding], []) == (finding,)


def test_the_registrys_readable_entries_are_looked_at_beside_the_others(
    environment: Callable[..., None], registry: Path
) -> None:
    registry.write_text("shop: shop.sqlite\ntypo: {ulr: x}\n", encoding="utf-8")
    environment()

    found = examine()

    assert found.registry.names() == ("shop",)
    assert len(found.registry_problems) == 2

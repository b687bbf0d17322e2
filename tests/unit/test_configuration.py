"""All errors of settings and registry are reported at once, by variable and line, and settings without effect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from agent.api.app import create_default_app
from agent.cli.main import app as cli
from agent.core.errors import ConfigurationInvalid
from agent.platform.config.settings import ROOT, get_settings
from agent.platform.configuration import Configuration, examine

Examine = Callable[..., Configuration]
BROKEN = """\
shop:
  ulr: shop.sqlite
warehouse:
  url: postgresql://u:hunter2@host.example:x/y
"""


@pytest.fixture
def examined(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Examine]:
    """What is found with these variables."""
    monkeypatch.setenv("PLUMBLINE_REGISTRY", str(registry))
    monkeypatch.setenv("PLUMBLINE_STATE_DIR", str(tmp_path / "state"))

    def examined(in_functions: bool | None = None, registry: bool = True, **changes: str) -> Configuration:
        for name, value in changes.items():
            monkeypatch.setenv(name, value)
        get_settings.cache_clear()
        return examine(in_functions=in_functions, registry=registry)

    yield examined
    get_settings.cache_clear()


def test_a_good_configuration_has_nothing_to_say(examined: Examine) -> None:
    found = examined(in_functions=False)

    assert found.settings is not None
    assert (found.every_problem, found.warnings) == ((), ())


def test_settings_and_registry_are_told_at_once(examined: Examine, registry: Path) -> None:
    registry.write_text(BROKEN, encoding="utf-8")

    found = examined(
        PLUMBLINE_ROW_LIMIT="0", TEXT2SQL_MAX_RETRIES="99", PLUMBLINE_PRICES='{"m": {"input": -1}}', PLUMBLINE_PORT="x"
    )

    assert found.settings is None
    assert sorted(problem.partition(": ")[0] for problem in found.problems) == [
        *("PLUMBLINE_PORT", "PLUMBLINE_PRICES.m.input", "PLUMBLINE_PRICES.m.output", "PLUMBLINE_ROW_LIMIT"),
        "TEXT2SQL_MAX_RETRIES",
    ]
    assert [problem.split(": ")[:2] for problem in found.registry_problems] == [
        ["databases.yaml, line 1", "shop"],
        ["databases.yaml, line 2", "shop"],
        ["databases.yaml, line 4", "warehouse"],
    ]
    assert found.report().count("\n") == len(found.every_problem)
    assert "hunter2" not in found.report()


def test_a_value_is_not_repeated(examined: Examine) -> None:
    found = examined(
        PLUMBLINE_API_KEYS="plk_s3cret", PLUMBLINE_AUTH="api_keys", CHROMA_URL="http://u:s3cret@h", in_functions=False
    )

    assert [problem.partition(":")[0] for problem in found.problems] == ["CHROMA_URL"]
    assert "s3cret" not in found.report()


def test_text_that_is_no_json_is_told_beside_the_others(examined: Examine) -> None:
    found = examined(PLUMBLINE_PRICES="{bad", PLUMBLINE_ROW_LIMIT="0")

    assert sorted(problem.partition(":")[0] for problem in found.problems) == [
        "PLUMBLINE_PRICES",
        "PLUMBLINE_ROW_LIMIT",
    ]


@pytest.mark.parametrize("name, value, told", [
    ("PLUMBLINE_RATE_LIMIT", "60permin", "such as `60/minute`"),
    ("PLUMBLINE_AZURE_TABLES_NAME", "a-b", "of letters and digits"),
    ("AZURE_OPENAI_ENDPOINT", "my-resource", "begins with http:// or https://"),
    ("PLUMBLINE_AZURE_TABLES_ENDPOINT", "http://account", "begins with https://"),
    ("PLUMBLINE_WORKER_MEMORY", "512", "needs 100 MB or more"),
    ("PLUMBLINE_DUCKDB_MEMORY", "lots", "write it as 2GB or 512MB"),
    ("PLUMBLINE_STATE_STORE", "azure_tables", "set PLUMBLINE_AZURE_TABLES_ENDPOINT too"),
    ("CHROMA_TOKEN", "@Microsoft.KeyVault(SecretUri=https://kv/secrets/token)", "the role Key Vault Secrets User"),
])  # fmt: skip
def test_a_value_that_cannot_be_used_is_told_with_what_to_write(
    examined: Examine, name: str, value: str, told: str
) -> None:
    (problem,) = examined(**{name: value}).problems

    assert problem.startswith(name)
    assert told in problem
    assert "^" not in problem, "people read no patterns"


@pytest.mark.parametrize("name, told", [
    ("PLUMBLINE_ROW_LIMT", "did you mean PLUMBLINE_ROW_LIMIT?"),
    ("plumbline_query_timeout", "did you mean PLUMBLINE_QUERY_TIMEOUT_S?"),
    ("PLUMBLINE_ZZZ", "docs/reference.md lists all settings"),
])  # fmt: skip
def test_a_variable_that_is_no_setting_is_told_with_the_nearest_name(examined: Examine, name: str, told: str) -> None:
    found = examined(**{name: "5"})

    assert found.every_problem == ()
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"{name} is not a setting and has no effect")
    assert told in found.warnings[0]


def test_what_has_no_value_or_another_prefix_is_nobodys_mistake(examined: Examine) -> None:
    assert examined(PLUMBLINE_ROW_LIMT="", PLUMB_LINE="5", plumbline_row_limit="7").warnings == ()


@pytest.mark.parametrize("changes, told", [
    ({"PLUMBLINE_MODEL_PROVIDER": "acme"}, "PLUMBLINE_MODEL_PROVIDER: 'acme' is unknown"),
    ({"PLUMBLINE_EXTENSIONS": "no_such_module"}, "PLUMBLINE_EXTENSIONS: no_such_module cannot be added"),
    ({"PLUMBLINE_AUTH": "entra"}, "PLUMBLINE_AUTH is entra"),
    ({"PLUMBLINE_MODEL_PROVIDER": "azure"}, "AZURE_OPENAI_ENDPOINT"),
])  # fmt: skip
def test_what_only_the_parts_can_tell_is_among_them(
    examined: Examine, registry: Path, changes: dict[str, str], told: str
) -> None:
    registry.write_text(BROKEN, encoding="utf-8")

    found = examined(in_functions=False, **changes)

    assert len(found.problems) == 1
    assert told in found.problems[0]
    assert len(found.registry_problems) == 3


def test_a_registry_that_nobody_needs_is_looked_at_only_beside_other_problems(
    examined: Examine, registry: Path
) -> None:
    registry.write_text(BROKEN, encoding="utf-8")

    assert examined(registry=False).every_problem == ()
    assert len(examined(registry=False, PLUMBLINE_ROW_LIMIT="0").every_problem) == 4
    registry.unlink()
    assert len(examined(registry=False, PLUMBLINE_ROW_LIMIT="0").every_problem) == 1


def test_a_registry_that_is_not_there_is_told_even_where_the_settings_are_wrong(
    examined: Examine, registry: Path
) -> None:
    registry.unlink()

    assert "PLUMBLINE_REGISTRY" in examined(PLUMBLINE_ROW_LIMIT="0").registry_problems[0]


# -- where it is told ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("examined")
def test_an_app_is_not_made_of_settings_that_cannot_be_used(
    registry: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    registry.write_text(BROKEN, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_PORT", "x")
    monkeypatch.setenv("PLUMBLINE_ROW_LIMT", "3")
    get_settings.cache_clear()

    with pytest.raises(ConfigurationInvalid) as raised:
        create_default_app()

    assert "PLUMBLINE_PORT" in str(raised.value)
    assert "line 2: shop: there is no key 'ulr'" in str(raised.value)
    logged = "\n".join(caplog.messages)
    assert "did you mean PLUMBLINE_ROW_LIMIT?" in logged
    assert str(raised.value) in logged


@pytest.mark.usefixtures("examined")
def test_serve_says_everything_and_does_not_start(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry.write_text(BROKEN, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_AUTH", "entra")
    monkeypatch.setenv("PLUMBLINE_ROW_LIMT", "3")
    get_settings.cache_clear()

    result = CliRunner().invoke(cli, ["serve"])

    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert lines[0].startswith("! PLUMBLINE_ROW_LIMT is not a setting")
    assert lines[1] == "The configuration cannot be used:"
    assert [line.split(":")[0].split(" is ")[0] for line in lines[2:]] == [
        *("  PLUMBLINE_AUTH", "  databases.yaml, line 1", "  databases.yaml, line 2", "  databases.yaml, line 4"),
    ]


@pytest.mark.usefixtures("examined")
async def test_under_functions_health_says_it_and_every_other_route_is_closed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PLUMBLINE_PORT", "x")
    get_settings.cache_clear()

    app = create_default_app(in_functions=True)

    assert "PLUMBLINE_PORT" in caplog.text
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app/api") as client:
        assert (await client.get("/health/live")).status_code == 200
        health = await client.get("/health/ready")
        asked = await client.post("/query", json={"question": "How many?", "database": "shop"})
    assert (health.status_code, asked.status_code) == (503, 503)
    assert [(part["name"], part["ready"]) for part in health.json()["parts"]] == [("configuration", False)]
    assert "doctor" in health.json()["parts"][0]["detail"]
    assert "PLUMBLINE" not in asked.text


def test_a_functions_app_loads_whatever_is_wrong_and_keeps_its_keys(tmp_path: Path) -> None:
    listed = (
        "import json; from function_app import app; print(json.dumps({it.get_function_name(): "
        "str(it.get_trigger().auth_level) for it in app.get_functions() if hasattr(it.get_trigger(), 'auth_level')}))"
    )
    wrong = {"PLUMBLINE_AUTH": "api_keys", "PLUMBLINE_PORT": "x", "PLUMBLINE_STATE_DIR": str(tmp_path)}
    environment = {**os.environ, **wrong}

    ran = subprocess.run(
        [sys.executable, "-c", listed], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    levels = json.loads(ran.stdout)
    assert "FUNCTION" in levels["query"]
    assert "ANONYMOUS" in levels["health_live"]
    assert "PLUMBLINE_PORT" in ran.stderr

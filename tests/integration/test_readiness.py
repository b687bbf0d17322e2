"""One unreadable database does not make the instance unready; a Latin-1 file is read like any other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from api_client import api_client, app_without_docs
from typer.testing import CliRunner

from agent.api.app import create_app
from agent.cli import console
from agent.cli import main as cli
from agent.core.resilience.health import PartHealth, state_of
from agent.pipeline import service as module
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings


@pytest.mark.parametrize(
    "parts, state, why",
    [
        ({"model": True, "database a": True}, "ready", "all of it"),
        ({"model": True, "database a": True, "database b": False}, "degraded", "some databases"),
        ({"model": True, "database a": False}, "unavailable", "no database"),
        ({"model": False, "database a": True}, "unavailable", "no model"),
        ({"model": True}, "ready", "no databases"),
        ({"model": True, "state": False, "database a": True}, "degraded", "no sessions"),
    ],
)
def test_the_state_of_an_instance(parts: dict[str, bool], state: str, why: str) -> None:
    assert state_of([PartHealth(name=name, ready=ready) for name, ready in parts.items()]) == state, why


async def test_one_bad_file_degrades_and_a_latin_1_file_does_not(
    tmp_path: Path, registry: Path, make_service: Callable[..., Service]
) -> None:
    (tmp_path / "latin.csv").write_bytes("id,name\n1,Müller\n".encode("latin-1"))
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with registry.open("a", encoding="utf-8") as entries:
        entries.write("latin: latin.csv\n")
    async with api_client(app_without_docs(make_service)) as client:
        fine = await client.get("/health/ready")
    with registry.open("a", encoding="utf-8") as entries:
        entries.write("image: image.csv\n")
    async with api_client(app_without_docs(make_service)) as client:
        degraded = await client.get("/health/ready")

    assert (fine.status_code, fine.json()["state"]) == (200, "ready")
    assert (degraded.status_code, degraded.json()["state"], degraded.json()["ready"]) == (200, "degraded", True)
    bad = next(part for part in degraded.json()["parts"] if part["name"] == "database image")
    assert not bad["ready"]
    assert "image.csv is not text" in bad["detail"]


async def test_a_state_store_that_hangs_does_not_hold_readiness_up(
    make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    released, service = threading.Event(), make_service(enable_retrieval=False)
    monkeypatch.setattr(module, "STATE_S", 0.01)
    monkeypatch.setattr(service.state, "get", lambda *_: released.wait())
    try:
        async with api_client(create_app(lambda: service)) as client:
            response = await client.get("/health/ready")
    finally:
        released.set()

    assert (response.status_code, response.json()["state"]) == (200, "degraded")
    (part,) = (part for part in response.json()["parts"] if not part["ready"])
    assert (part["name"], part["detail"]) == ("state", "The state store did not answer within 0.01 s.")


def test_index_says_what_was_read_of_files(
    tmp_path: Path,
    registry: Path,
    settings: Settings,
    make_service: Callable[..., Service],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "own.csv").write_text("Ort;Betrag\nKöln;1,50 €\nBonn;2,00 €\nUlm\n", encoding="cp1252")
    registry.write_text("own: own.csv\n", encoding="utf-8")
    monkeypatch.setattr(console, "read_settings", lambda **_: settings)
    monkeypatch.setattr(console, "build_service", lambda *_, **__: make_service())

    told = CliRunner().invoke(cli.app, ["index", "-d", "own"])

    assert told.exit_code == 0, told.output
    assert "own: own: 3 rows; Ort VARCHAR, Betrag DECIMAL(18,2)" in told.output
    assert "own: own.Betrag: Read as a number with a decimal comma, in €." in told.output
    assert "1 row has fewer fields than 2" in told.output

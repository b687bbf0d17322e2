"""The container without a container engine: its files, its command, its neighbours.

Every COPY finds its files and nothing else is taken along; the command runs on these files alone, with the image's
variables; and the service of the compose file, with that file's settings, answers about the PostgreSQL of its script,
with its index on Chroma and its spans at a collector.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from otlp_receiver import GrpcReceiver

from agent.platform.access.keys import digest_of
from agent.platform.config.settings import Settings
from agent.platform.config.settings_table import variables
from testbed import container
from testbed.chroma import Chroma
from testbed.postgres import PASSWORD, USER, PostgresServer
from testbed.service_process import ROOT, ServiceProcess
from testbed.tireless_provider import ENVIRONMENT

DOCKER = ROOT / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
KNOWN = {name for variable in variables() for name in variable.names}
KEY, READS = "the key of ann", "only-reads"


def test_every_instruction_is_one_and_what_it_copies_is_there() -> None:
    names = [one.name for one in container.instructions()]
    assert names[0] == "FROM"
    assert set(names) == {
        "FROM", "RUN", "WORKDIR", "COPY", "ENV", "VOLUME", "USER", "EXPOSE", "HEALTHCHECK", "CMD",
    }  # fmt: skip
    assert names.index("USER") > max(at for at, name in enumerate(names) if name == "RUN"), "root installs, and no more"
    seen = container.context()
    for sources, _ in container.copies():
        for source in sources:
            assert any(file == source or file.startswith(source) for file in seen), source
    assert not any(file.startswith(("tests/", ".git", ".venv")) or file.endswith(".pyc") for file in seen)


def test_the_variables_of_the_image_are_settings() -> None:
    assert set(container.variables(Path("home"))) <= KNOWN | {"PYTHONUNBUFFERED"}


def test_the_image_installs_what_is_pinned() -> None:
    pinned = (ROOT / "constraints.txt").read_text(encoding="utf-8").casefold().splitlines()
    own = (DOCKER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-r ../requirements.txt" in own
    assert {line.casefold() for line in own if re.match(r"\w", line)} <= set(pinned)


def test_the_compose_file_names_what_there_is() -> None:
    assert set(SERVICES) == {"plumbline", "chroma", "postgres", "collector"}
    build = SERVICES["plumbline"]["build"]
    assert (DOCKER / build["context"] / build["dockerfile"]).resolve() == container.FILE
    for name, service in SERVICES.items():
        assert set(service.get("depends_on", {})) <= set(SERVICES), name
        assert ("build" in service) != bool(re.fullmatch(r"[a-z0-9/-]+:[\w.-]+", service.get("image", ""))), name
        for volume in service["volumes"]:
            source, target, *_ = volume.split(":")
            assert target.startswith("/")
            assert source in COMPOSE["volumes"] or (DOCKER / source).exists(), volume
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["plumbline"]["ports"]), "no further than this machine"


def test_the_settings_of_the_compose_file_are_settings_and_hold_no_secret() -> None:
    given = SERVICES["plumbline"]["environment"]
    assert set(given) <= KNOWN | {"POSTGRES_READER_PASSWORD"}
    for name in ("OPENAI_API_KEY", "PLUMBLINE_API_KEYS", "POSTGRES_READER_PASSWORD"):
        assert given[name].startswith(f"${{{name}:?"), "asked for, never given"
    hosts = [re.match(r"http://([a-z]+):", given[name]) for name in ("CHROMA_URL", "OTEL_EXPORTER_OTLP_ENDPOINT")]
    assert [host[1] for host in hosts if host] == ["chroma", "collector"]


def test_running_questions_are_finished_before_the_container_is_killed() -> None:
    grace = SERVICES["plumbline"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > Settings.model_fields["shutdown_grace_s"].default


def test_the_collector_uses_what_it_declares() -> None:
    collector = yaml.safe_load((DOCKER / "collector.yaml").read_text(encoding="utf-8"))
    for pipeline in collector["service"]["pipelines"].values():
        for part in ("receivers", "processors", "exporters"):
            assert set(pipeline[part]) <= set(collector[part])
    (protocol,) = collector["receivers"]["otlp"]["protocols"]
    assert (protocol, SERVICES["plumbline"]["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"][-4:]) == ("grpc", "4317")


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """As the compose file's script makes it, run by a shell with psql."""
    with PostgresServer() as server:
        with server.admin() as admin:
            admin("CREATE DATABASE warehouse")
        programs = server.programs
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}", "PGHOST": server.host, "PGPORT": str(server.port),
            "PGPASSWORD": PASSWORD, "POSTGRES_USER": USER, "POSTGRES_DB": "warehouse",
            "POSTGRES_READER_PASSWORD": READS,
        }  # fmt: skip
        subprocess.run(["sh", str(DOCKER / "postgres.sh")], env=environment, check=True, capture_output=True)
        yield server


async def test_the_service_of_the_compose_file_answers(postgres: PostgresServer, tmp_path: Path) -> None:
    image = tmp_path / "image"
    container.stage(image)
    registry = image / "databases.yaml"
    text = registry.read_text(encoding="utf-8")
    assert "@postgres/" in text
    registry.write_text(text.replace("@postgres/", f"@{postgres.host}:{postgres.port}/"), encoding="utf-8")
    with Chroma() as chroma, GrpcReceiver() as collector:
        given = SERVICES["plumbline"]["environment"] | {
            "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "", "PLUMBLINE_CHAT_MODEL": "", "PLUMBLINE_CORS_ORIGINS": "",
            "PLUMBLINE_API_KEYS": f"ann={digest_of(KEY)}", "POSTGRES_READER_PASSWORD": READS,
            "CHROMA_URL": chroma.url, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.endpoint,
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",  # as port 4317 says by itself
                "HF_HUB_OFFLINE": "1",
        }  # fmt: skip
        model = ENVIRONMENT | {"PYTHONPATH": f"{image}:{ROOT}"}  # the test bed's model; the service is the image's
        environment = container.variables(tmp_path / "home") | given | model
        command = [sys.executable, *container.command()[1:]]
        with ServiceProcess(environment, tmp_path / "log", command=command, folder=image) as service:
            check = [sys.executable, *container.health_check()[1:]]
            healthy = await asyncio.create_subprocess_exec(*check, env=service.environment)
            assert await healthy.wait() == 0
            async with httpx2.AsyncClient(base_url=f"{service.url}/api", trust_env=False, timeout=60) as client:
                body = {"question": "How many orders are there?", "database": "warehouse"}
                refused = await client.post("/query", json=body)
                told = await client.post("/query", json=body, headers={"authorization": f"Bearer {KEY}"})
        assert refused.status_code == 401
        assert told.status_code == 200, told.text
        assert told.json()["results"] == [{"orders": 3}]
        names = {span.name for span in collector.received.spans}
        assert any(name.startswith("invoke_agent") for name in names), names
    assert json.loads((tmp_path / "log").read_text(encoding="utf-8").splitlines()[-1])["level"]

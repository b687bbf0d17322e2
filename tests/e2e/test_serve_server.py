"""`serve postgresql://…` in a folder without a registry: a real PostgreSQL, and a scripted endpoint as the model."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx2

from bench.endpoint import started
from bench.synthetic_file import Case
from testbed.postgres import PASSWORD, READER, READER_PASSWORD, PostgresServer
from testbed.service_process import ServiceProcess

QUESTION = "What is the total amount of all orders?"
CASE = Case(QUESTION, "SELECT SUM(amount) AS total FROM orders")
PATIENCE_S = 120


def test_a_server_is_asked_by_its_address_alone(tmp_path: Path) -> None:
    folder = tmp_path / "anywhere"
    folder.mkdir()
    with PostgresServer() as server, started([CASE], tmp_path) as model:
        with server.admin() as admin:
            admin("CREATE TABLE orders (order_id int PRIMARY KEY, amount numeric(10, 2))")
            admin("INSERT INTO orders VALUES (1, 2.50), (2, 3.50), (3, 4.00)")
            admin(f"CREATE ROLE {READER} LOGIN PASSWORD '{READER_PASSWORD}'")
            admin(f"GRANT SELECT ON orders TO {READER}")
        address = server.url(user=READER, password=READER_PASSWORD)
        environment = {
            "OPENAI_BASE_URL": model, "OPENAI_API_KEY": "none", "PLUMBLINE_EMBEDDING": "openai",
            "PLUMBLINE_STATE_DIR": str(tmp_path / "state"), "PLUMBLINE_CACHE_DIR": str(tmp_path / "cache"),
        }  # fmt: skip
        command = (sys.executable, "-m", "agent", "serve", address)
        with (
            ServiceProcess(environment, tmp_path / "log", command=command, folder=folder) as service,
            httpx2.Client(base_url=f"{service.url}/api", timeout=PATIENCE_S) as client,
        ):
            (listed,) = client.get("/databases").raise_for_status().json()["databases"]
            body = {"question": QUESTION, "database": listed["name"]}
            answer = client.post("/query", json=body).raise_for_status().json()
            docs = client.get(f"/databases/{listed['name']}/schema").raise_for_status().json()

    assert (listed["dialect"], listed["available"]) == ("postgresql", True)
    assert answer["results"] == [{"total": 10.0}]
    assert "10" in answer["answer"]
    assert [table["name"] for table in docs["tables"]] == ["orders"]
    output = f"{listed} {answer} {docs} {(tmp_path / 'log').read_text(encoding='utf-8')}"
    for secret in (READER_PASSWORD, PASSWORD, address):
        assert secret not in output

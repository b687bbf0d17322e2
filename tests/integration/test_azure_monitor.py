"""Application Insights: the exporters' requests to an ingestion endpoint."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from agent.pipeline.service import build_service
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from testbed.scripted_model import ScriptedModel

KEY = "00000000-0000-0000-0000-0000000000aa"


class Ingestion:
    """An ingestion endpoint while the test runs; keeps the envelopes."""

    def __init__(self) -> None:
        self.envelopes: list[dict[str, Any]] = []
        kept = self.envelopes

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
                sent = [json.loads(line) for line in body.splitlines()]
                found = [envelope for one in sent for envelope in (one if isinstance(one, list) else [one])]
                kept.extend(found)
                answer = {"itemsReceived": len(found), "itemsAccepted": len(found), "errors": []}
                text = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        """Stop the server."""
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def ingestion() -> Iterator[Ingestion]:
    ingestion = Ingestion()
    yield ingestion
    telemetry.shutdown()
    ingestion.close()


async def test_spans_and_metrics_arrive_at_the_connection_strings_endpoint(
    settings: Settings, model: ScriptedModel, ingestion: Ingestion
) -> None:
    connection = SecretStr(f"InstrumentationKey={KEY};IngestionEndpoint={ingestion.address}/")
    changed = settings.model_copy(
        update={"applicationinsights_connection_string": connection, "enable_retrieval": False}
    )
    telemetry.setup(changed)
    model.replies(sql="SELECT COUNT(*) AS n FROM orders")
    model.replies(correct=True, reason="all orders")
    model.replies(text="There are 5 orders.")
    service = build_service(changed, model=model)
    answer = await service.query("How many orders are there?", "shop")
    await service.close()
    telemetry.shutdown()

    spans = [envelope for envelope in ingestion.envelopes if envelope["data"]["baseType"] != "MetricData"]
    names = {envelope["data"]["baseData"]["name"] for envelope in spans}
    assert {"invoke_agent text2sql", "text2sql.executor", "chat scripted", "SELECT orders"} <= names
    assert {envelope["iKey"] for envelope in ingestion.envelopes} == {KEY}
    assert {envelope["tags"]["ai.operation.id"] for envelope in spans} == {answer.trace_id}
    metrics = [envelope for envelope in ingestion.envelopes if envelope["data"]["baseType"] == "MetricData"]
    measured = {metric["name"] for envelope in metrics for metric in envelope["data"]["baseData"]["metrics"]}
    assert {"text2sql_requests_total", "text2sql_total_latency_ms"} <= measured
    assert "How many orders" not in json.dumps(ingestion.envelopes)

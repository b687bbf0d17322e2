"""Traces across requests: W3C trace context in and out, one trace id everywhere, and no secret on the way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from api_client import api_client, problem
from otlp_receiver import HttpReceiver
from remote_host import RemoteHost
from shop_questions import TOTAL

from agent.api.app import create_app
from agent.core.callers import LOCAL
from agent.core.errors import ConfigurationInvalid, ModelDeclined, ModelUnavailable
from agent.core.events import Done
from agent.pipeline.asking import NO_OPTIONS
from agent.pipeline.service import Service
from agent.platform import telemetry
from agent.platform.config.settings import Settings
from agent.platform.telemetry.logs import JsonLines, TraceIds
from executors.base import TRACEPARENT, CheckedSql
from testbed.scripted_model import ScriptedModel

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT_ID = "b7ad6b7169203331"
ASKED = {"question": "What is the total of all orders?", "database": "shop"}


@pytest.fixture
def receiver(settings: Settings) -> Iterator[HttpReceiver]:
    with HttpReceiver() as receiver:
        telemetry.setup(settings.model_copy(update={"otel_exporter_otlp_endpoint": receiver.endpoint}))
        yield receiver
        telemetry.shutdown()


def answers(model: ScriptedModel) -> None:
    model.replies(sql=TOTAL)
    model.replies(correct=True, reason="the sum over all orders")
    model.replies(text="All orders together come to 460.5.")


async def test_the_callers_span_is_the_parent_of_the_requests(
    receiver: HttpReceiver, make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    answers(model)
    header = {"traceparent": f"00-{TRACE_ID}-{PARENT_ID}-01"}
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        response = await client.post("/query?code=planted-key", json=ASKED, headers=header)
    found = receiver.received
    request = found.one("POST /api/query")
    assert (request.trace_id, request.parent_id) == (TRACE_ID, PARENT_ID)
    assert found.one("invoke_agent text2sql").parent_id == request.span_id
    assert {span.trace_id for span in found.spans} == {TRACE_ID}
    assert response.json()["trace_id"] == response.headers["x-trace-id"] == TRACE_ID
    assert request.attributes["http.response.status_code"] == 200
    assert "planted-key" not in found.text
    assert "http.server.request.duration" in found.metrics


async def test_what_the_caller_does_not_sample_is_not_sent(
    receiver: HttpReceiver, make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    answers(model)
    header = {"traceparent": f"00-{TRACE_ID}-{PARENT_ID}-00"}
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        response = await client.post("/query", json=ASKED, headers=header)
    assert response.json()["trace_id"] == TRACE_ID
    assert receiver.received.spans == []
    assert receiver.received.total("text2sql_requests_total") == 1, "metrics are not sampled"


async def test_a_trace_that_begins_here_has_the_id_of_the_answer(
    receiver: HttpReceiver, make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    answers(model)
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        body = (await client.post("/query", json=ASKED)).json()
        refused = await client.post("/query", json={**ASKED, "database": "nowhere"})
    trace_id = problem(refused, 404, "unknown-database")["trace_id"]
    assert {span.trace_id for span in receiver.received.spans} == {body["trace_id"], trace_id}


async def test_a_stream_is_one_trace_too(
    receiver: HttpReceiver, make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    answers(model)
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        response = await client.post("/query/stream", json=ASKED)
    assert response.headers["x-trace-id"] in response.text
    request = receiver.received.one("POST /api/query/stream")
    assert receiver.received.below(request) == ["invoke_agent text2sql"]


async def test_another_deployment_goes_on_with_the_trace(
    receiver: HttpReceiver, registry: Path, tmp_path: Path, make_service: Callable[..., Service], model: ScriptedModel
) -> None:
    answers(model)
    host = RemoteHost(registry)
    here = tmp_path / "here.yaml"
    here.write_text(f"shop:\n  via: {host.address}\n  key: k\n  dialect: sqlite\n", encoding="utf-8")
    service = make_service(registry=here, enable_retrieval=False)
    answer = await service.query("What is the total of all orders?", "shop")
    await service.close()
    host.close()
    telemetry.shutdown()
    found = receiver.received
    over_there = found.named("POST /api/execute")
    assert {span.trace_id for span in over_there} == {answer.trace_id}
    assert {span.parent_id for span in over_there} <= {span.span_id for span in found.named("SELECT orders")}
    assert len(over_there) == 2, "the query, and the rows behind it"


@pytest.mark.parametrize(
    "flags, why",
    [("01", "sampled"), ("00", "not sampled, which the other deployment must know as well")],
)
async def test_without_telemetry_the_callers_trace_is_handed_on_as_it_came(
    flags: str, why: str, make_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    header, seen = f"00-{TRACE_ID}-{PARENT_ID}-{flags}", []
    service = make_service(enable_retrieval=False)
    executor = (await service.databases.get("shop", LOCAL)).executor
    run = executor.run

    def watched(query: CheckedSql, **how: object) -> object:
        seen.append(TRACEPARENT.get())
        return run(query, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(executor, "run", watched)
    async with api_client(create_app(lambda: service)) as client:
        response = await client.post(
            "/execute", json={"database": "shop", "sql": TOTAL}, headers={"traceparent": header}
        )
    assert response.status_code == 200
    assert seen == [header], why


async def test_every_log_line_of_a_question_has_its_trace_id(
    service: Service, model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    answers(model)
    caplog.handler.addFilter(TraceIds())
    caplog.set_level(logging.INFO)
    events = [event async for event in service.events(ASKED["question"], "shop", options=NO_OPTIONS)]
    last = events[-1]
    assert isinstance(last, Done)
    (record,) = (record for record in caplog.records if record.name == "agent.questions")
    line = JsonLines().format(record)
    assert f'"trace_id": "{last.answer.trace_id}"' in line
    assert '"attempts": 1' in line
    assert ASKED["question"] not in line


@pytest.mark.parametrize("route", ["/query", "/query/stream"])
async def test_a_question_that_fails_is_logged_with_its_reason_and_its_trace_id(
    route: str, make_service: Callable[..., Service], model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    model.replies(raises=ModelUnavailable("The endpoint refuses the key."))
    caplog.handler.addFilter(TraceIds())
    caplog.set_level(logging.INFO)
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        response = await client.post(route, json=ASKED)
    lines = [JsonLines().format(record) for record in caplog.records if record.name.startswith("agent.")]
    (ended,) = (line for line in lines if "Did not answer" in line)
    assert '"error_type": "ModelUnavailable"' in ended
    (reason,) = (line for line in lines if "The endpoint refuses the key." in line)
    assert '"level": "WARNING"' in reason
    assert all(response.headers["x-trace-id"] in line for line in (ended, reason))
    assert not any(ASKED["question"] in line for line in lines)


@pytest.mark.parametrize("route", ["/query", "/query/stream"])
async def test_a_model_that_declines_is_logged_without_its_words(
    route: str, make_service: Callable[..., Service], model: ScriptedModel, caplog: pytest.LogCaptureFixture
) -> None:
    model.replies(raises=ModelDeclined("The model declined to answer: No word about Ada."))
    caplog.set_level(logging.INFO)
    async with api_client(create_app(lambda: make_service(enable_retrieval=False))) as client:
        response = await client.post(route, json=ASKED)
    assert "No word about Ada" in response.text
    logged = [record.getMessage() for record in caplog.records]
    assert any("The model declined to answer." in it for it in logged)
    assert not any("Ada" in it for it in logged)


async def test_an_invalid_configuration_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    def build() -> Service:
        raise ConfigurationInvalid("The configuration cannot be used:\n  PLUMBLINE_ROW_LIMIT: 0 is too small.")

    async with api_client(create_app(build)) as client:
        problem(await client.post("/query", json=ASKED), 503, "registry-invalid")
    (record,) = (record for record in caplog.records if "PLUMBLINE_ROW_LIMIT" in record.getMessage())
    assert record.exc_info is None

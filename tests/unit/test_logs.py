"""Log lines: one object a line, each with its trace id, none with a secret."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from agent.platform.config.settings import Settings
from agent.platform.telemetry.logs import CLIENTS, OWN, JsonLines, Lines, TraceIds, configure_logs
from agent.platform.telemetry.trace import trace_id, traceparent_for, traceparent_of, working_for

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"


@contextmanager
def bare_root() -> Iterator[logging.Logger]:
    """The root logger without handlers, as a process begins; pytest's own come back after the block."""
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    logger.handlers[:] = []
    try:
        yield logger
    finally:
        logger.handlers[:] = handlers
        logger.setLevel(level)


def record(message: str, *args: object, **more: Any) -> logging.LogRecord:
    made = logging.getLogger("agent.test").makeRecord("agent.test", logging.WARNING, "", 1, message, args, None, **more)
    TraceIds().filter(made)
    return made


def test_a_json_line_says_when_who_what_and_of_which_trace() -> None:
    with working_for(traceparent_for(TRACE_ID)):
        line = JsonLines().format(record("two\nlines of %s", "text", extra={"fields": {"attempts": 2, "level": "no"}}))
    assert "\n" not in line
    said = json.loads(line)
    assert said.pop("timestamp").endswith("+00:00")
    assert said == {
        "level": "WARNING",
        "logger": "agent.test",
        "message": "two\nlines of text",
        "trace_id": TRACE_ID,
        "attempts": 2,
    }


def test_a_line_of_text_names_the_trace_where_there_is_one() -> None:
    assert Lines().format(record("outside")) == "WARNING agent.test: outside"
    with working_for(traceparent_for(TRACE_ID)):
        assert Lines().format(record("inside")) == f"WARNING agent.test [{TRACE_ID}]: inside"


@pytest.mark.parametrize(
    "message, kept",
    [
        ("the key is sk-planted", "the key is ***"),
        ("postgresql://ada:planted@db/shop is down", "postgresql://***@db/shop is down"),
        ("GET /api/query?code=planted&x=1", "GET /api/query?code=***&x=1"),
        ("Authorization: Bearer plantedplanted", "Authorization: Bearer ***"),
        ("InstrumentationKey=planted;IngestionEndpoint=x", "InstrumentationKey=***;IngestionEndpoint=x"),
        ("DefaultEndpointsProtocol=https;AccountKey=planted==", "DefaultEndpointsProtocol=https;AccountKey=***"),
        ("PWD=planted;Database=shop", "PWD=***;Database=shop"),
        ("SELECT 1 took 2.5 ms at http://host:80/a@b", "SELECT 1 took 2.5 ms at http://host:80/a@b"),
    ],
)
def test_no_secret_is_in_a_line(message: str, kept: str) -> None:
    lines = JsonLines(("sk-planted",))
    assert json.loads(lines.format(record(message)))["message"] == kept
    assert Lines(("sk-planted",)).format(record(message)).endswith(kept)


def test_what_was_raised_is_in_the_object_and_its_secrets_are_not() -> None:
    made = record("failed")
    made.exc_info = (ValueError, ValueError("sk-planted"), None)
    said = json.loads(JsonLines(("sk-planted",)).format(made))
    assert "ValueError: ***" in said["exception"]


def test_settings_decide_format_level_and_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(log_format="json", log_level="INFO", openai_api_key=SecretStr("sk-planted"))
    with bare_root() as root, working_for(traceparent_for(TRACE_ID)):
        configure_logs(settings)
        configure_logs(settings)
        logging.getLogger("uvicorn.access").warning("GET /?api_key=sk-planted")
        assert root.level == logging.INFO
    (line,) = capsys.readouterr().err.splitlines()
    said = json.loads(line)
    assert (said["message"], said["trace_id"]) == ("GET /?api_key=***", TRACE_ID)


def test_a_host_keeps_its_handlers_and_its_level() -> None:
    with bare_root() as root:
        own = logging.NullHandler()
        root.addHandler(own)
        root.setLevel(logging.ERROR)
        configure_logs(Settings(log_level="INFO"))
        assert root.handlers == [own]
        assert root.level == logging.ERROR


@pytest.fixture
def levels() -> Iterator[None]:
    """The levels of the loggers that are set up come back after the test."""
    loggers = [logging.getLogger(name) for name in (*OWN, *CLIENTS)]
    kept = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, kept, strict=True):
        logger.setLevel(level)


@pytest.mark.usefixtures("levels")
@pytest.mark.parametrize(
    "level, own, clients",
    [("DEBUG", True, True), ("INFO", True, False), ("WARNING", False, False), ("ERROR", False, False)],
)
def test_under_functions_the_level_is_ours_and_requests_of_clients_are_not_logged(
    level: Any, own: bool, clients: bool
) -> None:
    with bare_root() as root:
        root.addHandler(logging.NullHandler())
        root.setLevel(logging.INFO)  # the worker's
        configure_logs(Settings(log_level=level), in_functions=True)
        assert logging.getLogger("agent.questions").isEnabledFor(logging.INFO) == own
        requests = logging.getLogger("azure.core.pipeline.policies.http_logging_policy")
        assert requests.isEnabledFor(logging.INFO) == clients
        assert requests.isEnabledFor(logging.WARNING) == (level != "ERROR")


@pytest.mark.parametrize(
    "header, handed_on",
    [
        (f"00-{TRACE_ID}-b7ad6b7169203331-00", f"00-{TRACE_ID}-b7ad6b7169203331-00"),
        (f"cc-{TRACE_ID}-b7ad6b7169203331-01-more", f"00-{TRACE_ID}-b7ad6b7169203331-01"),
        ("nonsense", ""),
    ],
)
def test_a_callers_trace_is_handed_on(header: str, handed_on: str) -> None:
    assert traceparent_of(header) == handed_on


def test_a_trace_id_of_our_own_is_sampled_and_no_other_word_is_taken() -> None:
    with working_for(traceparent_for(TRACE_ID)):
        assert trace_id() == TRACE_ID
    assert trace_id() == ""
    assert traceparent_for(TRACE_ID).endswith("-01")
    assert traceparent_for("planted") == ""

"""Log lines with the request's trace id, as text or JSON, without secrets."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import unquote

from pydantic import SecretStr

from agent.platform.config.settings import Settings
from agent.platform.telemetry.trace import trace_id

HIDDEN = "***"
UVICORN = ("uvicorn", "uvicorn.access", "uvicorn.error")
OWN = ("agent", "executors", "rag")
# At INFO, these log every HTTP request of the state store, the models and the identity, some twenty for each question.
CLIENTS = ("azure.core", "azure.identity", "httpx2", "openai")

# Secrets by pattern: a password in an address, a key in a query string, a bearer token, and the keys of
# a connection string.
_SECRETS = (
    (re.compile(r"(?<=://)[^\s/@]*:[^\s/@]*(?=@)"), HIDDEN),
    (re.compile(r"(?<=[?&])((?:code|sig|key|token|api[-_]key)=)[^\s&\"']+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (re.compile(r"\b((?:bearer|basic) )[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1{HIDDEN}"),
    (
        re.compile(r"\b((?:\w*AccessKey|AccountKey|InstrumentationKey|pwd|password)=)[^\s;\"']+", re.IGNORECASE),
        rf"\1{HIDDEN}",
    ),
)


OTLP_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_METRICS_HEADERS"
SHORTEST = 6  # characters; shorter secrets are part of too many words

_known: set[str] = set()  # secrets from the registry, which no setting holds


def hide(secrets: Iterable[str]) -> None:
    """Hide these values in all log lines from now on."""
    _known.update(secret for secret in secrets if len(secret) >= SHORTEST)


class TraceIds(logging.Filter):
    """Adds `trace_id` to every record; empty outside a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.trace_id = trace_id()
        return True


class Lines(logging.Formatter):
    """A record as one line of text, with its traceback below. Args: secrets: values to hide."""

    def __init__(self, secrets: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._given = secrets
        self._pattern: tuple[int, re.Pattern[str] | None] = (-1, None)  # size of `_known` at its build

    def format(self, record: logging.LogRecord) -> str:
        trace = getattr(record, "trace_id", "")
        begin = f"{record.levelname} {record.name}{f' [{trace}]' if trace else ''}: "
        raised = f"\n{self.formatException(record.exc_info)}" if record.exc_info else ""
        return self._hide_values(begin + record.getMessage() + raised)

    def _hide_values(self, text: str) -> str:
        if (known := self._values()) is not None:
            text = known.sub(HIDDEN, text)
        for pattern, instead in _SECRETS:
            text = pattern.sub(instead, text)
        return text

    def _values(self) -> re.Pattern[str] | None:
        made_for, pattern = self._pattern
        if made_for != len(_known):
            # Longest first: one may be a prefix of another.
            values = sorted({*self._given, *_known}, key=len, reverse=True)
            pattern = re.compile("|".join(map(re.escape, values))) if values else None
            self._pattern = (len(_known), pattern)
        return pattern


class JsonLines(Lines):
    """A record as a JSON object on one line; `extra={"fields": {...}}` adds to it."""

    def format(self, record: logging.LogRecord) -> str:
        standard = {
            "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._hide_values(record.getMessage()),
            "trace_id": getattr(record, "trace_id", ""),
        }
        if record.exc_info:
            standard["exception"] = self._hide_values(self.formatException(record.exc_info))
        more = getattr(record, "fields", {})
        extras = {key: self._hide_values(value) if isinstance(value, str) else value for key, value in more.items()}
        return json.dumps(extras | standard, default=str)


def configure_logs(settings: Settings, *, in_functions: bool = False) -> None:
    """Set up the logs of this process. May be repeated. uvicorn's lines are handled like all others.

    Handlers of a host, such as the Functions worker, keep their levels but get the trace ids and the format. The worker
    logs at INFO, so with `in_functions` the level is that of the service's own loggers.
    """
    lines = (JsonLines if settings.log_format == "json" else Lines)(tuple(_secrets(settings)))
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
        root.setLevel(settings.log_level)
    for handler in root.handlers:
        handler.setFormatter(lines)
        if not any(isinstance(known, TraceIds) for known in handler.filters):
            handler.addFilter(TraceIds())
    if in_functions:
        for name in OWN:
            logging.getLogger(name).setLevel(settings.log_level)
    quiet = max(logging.WARNING, logging.getLevelNamesMapping()[settings.log_level])
    for name in CLIENTS:
        logging.getLogger(name).setLevel(logging.NOTSET if settings.log_level == "DEBUG" else quiet)
    for name in UVICORN:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _secrets(settings: Settings) -> Iterator[str]:
    """The secret values of the settings, and of the headers that the OTLP exporters read themselves."""
    found = (getattr(settings, name) for name in type(settings).model_fields)
    values = {value.get_secret_value() for value in found if isinstance(value, SecretStr)}
    values |= {
        held for value in tuple(values) for name, _, held in (part.partition("=") for part in value.split(";"))
        if name.strip().lower().endswith(("key", "password", "pwd", "sig", "token"))
    }  # fmt: skip
    headers = (os.environ.get(name, "") for name in OTLP_HEADERS)
    values |= {pair.partition("=")[2].strip() for header in headers for pair in header.split(",")}
    yield from {spelt for value in values for spelt in (value, unquote(value)) if len(value) >= SHORTEST}

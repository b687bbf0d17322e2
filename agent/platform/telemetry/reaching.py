"""Checks whether the destination of telemetry can be reached. Only `doctor` uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.sdk.trace.export import SpanExportResult

from agent.platform.telemetry.providers import otlp_exporters

if TYPE_CHECKING:
    from agent.platform.config.settings import Settings

_WAIT_S = 10.0
_INGESTION = "ingestionendpoint"  # of a connection string; without one it is Azure's global address
_GLOBAL = "https://dc.services.visualstudio.com"


def destinations(settings: Settings) -> dict[str, bool]:
    """Each destination that the settings name, and whether it can be reached. Blocks, for some ten seconds at most."""
    reached: dict[str, bool] = {}
    for spans, metrics in otlp_exporters(settings):
        try:
            reached["OTLP"] = spans.export([]) is SpanExportResult.SUCCESS
        finally:
            spans.shutdown()
            metrics.shutdown()
    connection = settings.applicationinsights_connection_string
    if connection is not None:
        reached["Application Insights"] = _answers(_ingestion(connection.get_secret_value()))
    return reached


def _ingestion(connection: str) -> str:
    parts = dict(part.split("=", 1) for part in connection.split(";") if "=" in part)
    return next((value for name, value in parts.items() if name.strip().lower() == _INGESTION), _GLOBAL)


def _answers(address: str) -> bool:
    """Whether a server answers there, with any status: telemetry goes to a path that wants a key."""
    import httpx2

    try:
        httpx2.get(address, timeout=_WAIT_S)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return True

"""Exporters of spans and metrics: OTLP, Azure Monitor, or both. Imported only if telemetry is on."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExporter, MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

from agent import __version__
from agent.platform.config.settings import Settings
from agent.platform.telemetry.trace import trace_id

SERVICE_NAME = "plumbline"
GRPC_PORT = 4317

# Azure's exporters would report to and query Microsoft about themselves; `false` in the environment turns that on.
AZURE_REPORTS = (
    "APPLICATIONINSIGHTS_STATSBEAT_DISABLED_ALL",
    "APPLICATIONINSIGHTS_SDKSTATS_DISABLED",
    "APPLICATIONINSIGHTS_CONTROLPLANE_DISABLED",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Providers:
    """Providers of spans and metrics. They are passed explicitly and never set as the process's global ones."""

    tracers: TracerProvider
    meters: MeterProvider

    def close(self) -> None:
        """Export the remaining data and stop."""
        self.tracers.shutdown()
        self.meters.shutdown()


class OwnTraceIds(RandomIdGenerator):
    """Gives a trace that begins here the trace id of its answer and log lines."""

    def generate_trace_id(self) -> int:
        known = trace_id()
        return int(known, 16) if known else super().generate_trace_id()


class NoQueryStrings(SpanProcessor):
    """Redacts query strings, which may contain a function's key and which FastAPI puts into its span."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:  # noqa: ARG002
        if span.attributes and "url.query" in span.attributes:
            span.set_attribute("url.query", "REDACTED")


def providers_of(settings: Settings) -> Providers | None:
    """The providers of the settings; None if there are no destinations, or their exporters cannot be used."""
    exporters = [*otlp_exporters(settings), *_azure_monitor(settings)]
    if not exporters:
        return None
    tracers = TracerProvider(resource=_resource(), id_generator=OwnTraceIds())
    tracers.add_span_processor(NoQueryStrings())
    readers: list[MetricReader] = []
    for spans, metrics in exporters:
        tracers.add_span_processor(BatchSpanProcessor(spans))
        readers.append(PeriodicExportingMetricReader(metrics))
    return Providers(tracers=tracers, meters=MeterProvider(readers, resource=_resource()))


def otlp_exporters(settings: Settings) -> list[tuple[SpanExporter, MetricExporter]]:
    """The OTLP exporters of spans and metrics; empty if no collector is set."""
    endpoint = (settings.otel_exporter_otlp_endpoint or "").rstrip("/")
    if not endpoint:
        return []
    default = "grpc" if urlsplit(endpoint).port == GRPC_PORT else "http/protobuf"
    if (settings.otel_exporter_otlp_protocol or default) == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc import metric_exporter as grpc_metrics
        from opentelemetry.exporter.otlp.proto.grpc import trace_exporter as grpc_traces

        insecure = endpoint.startswith("http:")
        spans = grpc_traces.OTLPSpanExporter(endpoint, insecure=insecure)
        return [(spans, grpc_metrics.OTLPMetricExporter(endpoint, insecure=insecure))]
    from opentelemetry.exporter.otlp.proto.http import metric_exporter, trace_exporter

    metrics = metric_exporter.OTLPMetricExporter(f"{endpoint}/v1/metrics")
    return [(trace_exporter.OTLPSpanExporter(f"{endpoint}/v1/traces"), metrics)]


def _azure_monitor(settings: Settings) -> list[tuple[SpanExporter, MetricExporter]]:
    """The exporters of Azure Monitor. Azure's full distribution would also patch a dozen libraries."""
    connection = settings.applicationinsights_connection_string
    if connection is None:
        return []
    for reports in AZURE_REPORTS:
        os.environ.setdefault(reports, "true")
    try:
        from azure.monitor.opentelemetry.exporter import AzureMonitorMetricExporter, AzureMonitorTraceExporter
    except ImportError:
        log.warning(
            "Nothing is sent to Application Insights: the package azure-monitor-opentelemetry-exporter is not "
            "installed. Install it with `pip install -r requirements.txt`."
        )
        return []
    given = {"connection_string": connection.get_secret_value(), "disable_offline_storage": True}
    try:
        return [(AzureMonitorTraceExporter(**given), AzureMonitorMetricExporter(**given))]
    except ValueError:  # its message contains the string
        log.warning("Nothing is sent to Application Insights: its connection string cannot be used. Copy it again.")
        return []


def _resource() -> Resource:
    """The resource, with the service name of the environment, else the default."""
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    own = {"service.version": __version__} | ({} if named else {"service.name": SERVICE_NAME})
    return Resource.create(own)


_WAIT_S = 10.0
_INGESTION = "ingestionendpoint"  # in a connection string; default: Azure's global address
_GLOBAL = "https://dc.services.visualstudio.com"


def destinations(settings: Settings) -> dict[str, bool]:
    """Each destination of the settings, and whether it can be reached. Blocks for about ten seconds at most."""
    reached: dict[str, bool] = {}
    for spans, metrics in otlp_exporters(settings):
        try:
            reached["OTLP"] = spans.export([]) is SpanExportResult.SUCCESS
        finally:
            spans.shutdown()
            metrics.shutdown()
    connection = settings.applicationinsights_connection_string
    if connection is not None:
        parts = (part.partition("=") for part in connection.get_secret_value().split(";"))
        address = next((value for name, _, value in parts if name.strip().lower() == _INGESTION), _GLOBAL)
        reached["Application Insights"] = _answers(address)
    return reached


def _answers(address: str) -> bool:
    """Whether a server responds, with any status: the path for telemetry requires a key."""
    import httpx2

    try:
        httpx2.get(address, timeout=_WAIT_S)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        return False
    return True

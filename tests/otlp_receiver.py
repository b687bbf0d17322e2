"""OTLP collectors for tests, over HTTP and over gRPC: they keep the spans and metrics that arrive."""

from __future__ import annotations

import gzip
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import grpc  # type: ignore[import-untyped]
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import (
    MetricsServiceServicer,
    add_MetricsServiceServicer_to_server,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue


@dataclass(frozen=True)
class Span:
    """A span as it arrived. `failed`: its status says so."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    attributes: dict[str, Any]
    failed: bool
    events: int
    service: str


@dataclass(frozen=True)
class Point:
    """One value of a metric: a counter's sum, or a histogram's sum and count."""

    value: float
    count: int
    attributes: dict[str, Any]


@dataclass
class Received:
    """All that arrived; `text` is everything as it was on the wire, to look for what must not be there."""

    spans: list[Span] = field(default_factory=list)
    metrics: dict[str, list[Point]] = field(default_factory=dict)
    text: str = ""

    def traces(self, request: ExportTraceServiceRequest) -> None:
        """Keep the spans of one export."""
        self.text += str(request)
        for resource in request.resource_spans:
            service = str(_attributes(resource.resource.attributes)["service.name"])
            for span in (span for scope in resource.scope_spans for span in scope.spans):
                ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
                failed = span.status.code == span.status.STATUS_CODE_ERROR
                kept = Span(span.name, *ids, _attributes(span.attributes), failed, len(span.events), service)
                self.spans.append(kept)

    def measured(self, request: ExportMetricsServiceRequest) -> None:
        """Keep the last values of one export."""
        self.text += str(request)
        for metric in (m for r in request.resource_metrics for s in r.scope_metrics for m in s.metrics):
            points = [Point(p.as_double or p.as_int, 1, _attributes(p.attributes)) for p in metric.sum.data_points]
            points += [Point(p.sum, p.count, _attributes(p.attributes)) for p in metric.histogram.data_points]
            self.metrics[metric.name] = points

    def named(self, name: str) -> list[Span]:
        """The spans of that name, in the order in which they ended."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Span:
        """The only span of that name."""
        (span,) = self.named(name)
        return span

    def below(self, parent: Span) -> list[str]:
        """The names of a span's children."""
        return [span.name for span in self.spans if span.parent_id == parent.span_id]

    def total(self, metric: str, **attributes: Any) -> float:
        """A metric's sum over the points that have these attributes."""
        return sum(point.value for point in self._points(metric, attributes))

    def times(self, metric: str, **attributes: Any) -> int:
        """How often a histogram was recorded, likewise."""
        return sum(point.count for point in self._points(metric, attributes))

    def _points(self, metric: str, wanted: dict[str, Any]) -> list[Point]:
        return [point for point in self.metrics[metric] if wanted.items() <= point.attributes.items()]


class HttpReceiver:
    """A collector of OTLP over HTTP while the block runs. `paths`: where it was spoken to."""

    def __init__(self) -> None:
        self.received, self.paths = Received(), set[str]()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
                receiver.take(self.path, body)
                self.send_response(200)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def take(self, path: str, body: bytes) -> None:
        """One request."""
        self.paths.add(path)
        if path == "/v1/traces":
            self.received.traces(ExportTraceServiceRequest.FromString(body))
        else:
            self.received.measured(ExportMetricsServiceRequest.FromString(body))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class GrpcReceiver(TraceServiceServicer, MetricsServiceServicer):
    """A collector of OTLP over gRPC while the block runs."""

    def __init__(self) -> None:
        self.received = Received()

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802
        """One request of either service."""
        if isinstance(request, ExportTraceServiceRequest):
            self.received.traces(request)
            return ExportTraceServiceResponse()
        self.received.measured(request)
        return ExportMetricsServiceResponse()

    def __enter__(self) -> Self:
        self._server = grpc.server(ThreadPoolExecutor(2))
        add_TraceServiceServicer_to_server(self, self._server)  # type: ignore[no-untyped-call]
        add_MetricsServiceServicer_to_server(self, self._server)  # type: ignore[no-untyped-call]
        port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        self.endpoint = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.stop(None).wait()


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs if isinstance(pair, KeyValue)}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None

"""Traces, metrics and structured logs. Off, and without cost, unless a setting names a destination.

`setup` begins, `get` reports, `shutdown` ends. Only `setup` imports OpenTelemetry's SDK, if there is a destination.
"""

from __future__ import annotations

import logging

from agent.platform.config.settings import Settings
from agent.platform.telemetry.base import Telemetry

log = logging.getLogger(__name__)

OFF = Telemetry()
_current: Telemetry = OFF


def setup(settings: Settings) -> Telemetry:
    """Start the exports of the settings, after flushing earlier ones. Missing packages only disable telemetry."""
    global _current  # one process, one telemetry
    shutdown()
    if settings.otel_exporter_otlp_endpoint or settings.applicationinsights_connection_string:
        from agent.platform.telemetry.providers import providers_of
        from agent.platform.telemetry.recording import Recording

        providers = providers_of(settings)
        if providers is not None:
            _current = Recording(providers, settings)
    return _current


def get() -> Telemetry:
    """The telemetry of this process. It does nothing if telemetry is off."""
    return _current


def shutdown() -> None:
    """Export the remaining data and stop. Blocks until it is sent or given up. Does nothing if telemetry is off."""
    global _current
    ending, _current = _current, OFF
    ending.close()

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
    """Export what the settings name; what was before is flushed. What is missing costs the telemetry alone."""
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
    """The telemetry of this process; one that does nothing where it is off."""
    return _current


def shutdown() -> None:
    """Export what is left, and end; nothing where it is off. It blocks until that is sent, or given up."""
    global _current
    ending, _current = _current, OFF
    ending.close()

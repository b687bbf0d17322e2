"""What one request may use: the settings, narrowed by the request's options."""

from __future__ import annotations

from typing import TypeVar

from agent.models import Options
from agent.settings import Settings
from executors.base import Frozen

T = TypeVar("T")
MAX_ROWS = 10_000


class Limits(Frozen):
    """Attempts, rows and switches of one request."""

    max_attempts: int
    row_limit: int
    raw_row_limit: int
    enable_evaluation: bool
    enable_calculator: bool
    enable_retrieval: bool


def limits_of(settings: Settings, options: Options) -> Limits:
    """The request's options where it has them, else the settings' values."""

    def first(option: T | None, setting: T) -> T:
        return setting if option is None else option

    return Limits(
        max_attempts=first(options.max_attempts, settings.attempts),
        row_limit=min(first(options.row_limit, settings.row_limit), MAX_ROWS),
        raw_row_limit=min(first(options.raw_row_limit, settings.raw_row_limit), MAX_ROWS),
        enable_evaluation=first(options.enable_evaluation, settings.enable_evaluation),
        enable_calculator=first(options.enable_calculator, settings.enable_calculator),
        enable_retrieval=first(options.enable_retrieval, settings.enable_retrieval),
    )

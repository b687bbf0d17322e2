"""The limits of one request: the settings, reduced by the database's limits and the request's options."""

from __future__ import annotations

from agent.core.errors import TooManyRows
from agent.core.models import Options
from agent.core.usage import EFFORTS, Effort
from agent.platform.config.settings import Settings
from executors.base import Frozen


def rows_cap(most: int, database_most: int | None) -> tuple[int, str]:
    """The maximum number of rows of one query, by settings and registry, and the setting that it comes from."""
    if database_most is not None and database_most < most:
        return database_most, "`limits: row_limit` of the database in the registry"
    return most, "PLUMBLINE_MAX_ROWS"


def within(requested: int | None, usual: int, cap: tuple[int, str], field: str) -> int:
    """The number of rows to return: requested, else usual. Raises TooManyRows, so that rows are never cut silently."""
    most, where = cap
    if requested is not None and requested > most:
        allowed = f"at most {most:,} rows are allowed ({where}). Ask for fewer."
        raise TooManyRows(f"`{field}` is {requested:,}; {allowed}", most)
    return min(usual, most) if requested is None else requested


def none_beyond(cap: tuple[int, str]) -> TooManyRows:
    """The error for a request for rows beyond the cap."""
    most, where = cap
    advice = "Filter it, or run it in parts."
    return TooManyRows(f"The query has more rows than the maximum: {most:,} ({where}). {advice}", most)


class Limits(Frozen):
    """Attempts, rows and switches of one request. plan: always, never, or (None) by profile and question."""

    max_attempts: int
    row_limit: int
    raw_row_limit: int
    enable_evaluation: bool
    enable_calculator: bool
    enable_retrieval: bool
    enable_answer: bool
    reuse_verified: bool
    clarify: bool
    effort: Effort | None
    plan: bool | None


def limits_of(settings: Settings, options: Options, row_limit: int | None = None) -> Limits:
    """The limits of a request. Its options may switch features off but not on, and reduce attempts but not raise them.

    It may set the number of rows, up to the cap of settings and database. Raises TooManyRows.
    """
    cap = rows_cap(settings.max_rows, row_limit)
    efforts = [it for it in (settings.effort, options.effort) if it is not None]
    raw = within(options.raw_row_limit, settings.raw_row_limit, cap, "raw_row_limit")
    return Limits(
        max_attempts=min(settings.attempts, options.max_attempts or settings.attempts),
        row_limit=within(options.row_limit, settings.row_limit, cap, "row_limit"),
        raw_row_limit=raw if settings.raw_row_limit else 0,
        enable_evaluation=settings.enable_evaluation and options.enable_evaluation is not False,
        enable_calculator=settings.enable_calculator and options.enable_calculator is not False,
        enable_retrieval=settings.enable_retrieval and options.enable_retrieval is not False,
        enable_answer=options.enable_answer is not False,
        reuse_verified=settings.reuse_verified and options.reuse_verified is not False,
        clarify=settings.clarify and options.clarify is not False,
        effort=min(efforts, key=EFFORTS.index, default=None),
        plan=False if settings.plan is False else options.plan,
    )

"""A service over a database, asked inside of one process, for the points of `bench.scale`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from agent.core.callers import LOCAL
from agent.pipeline.service import Service, build_service
from bench.endpoint import DIMENSION, started
from bench.own_time import DATABASE, NO_REUSE, settings_of
from bench.synthetic_file import Case
from testbed.embedder import HashingEmbedder

QUERY_S, DEADLINE_S = 600.0, 1200.0  # generous: the bench measures durations, not timeouts


@asynccontextmanager
async def asked_of(folder: Path, asked: Sequence[Case], at_once: int = 1) -> AsyncIterator[Service]:
    """A warm, indexed service over the registry of a folder, with a model that knows these questions."""
    with started(asked, folder) as url:
        changes = {
            "max_concurrent_questions": at_once,
            "query_timeout_s": QUERY_S,
            "request_deadline_s": DEADLINE_S,
        }
        settings = settings_of(folder, url, "state").model_copy(update=changes)
        service = build_service(settings, embedder=HashingEmbedder(dimension=DIMENSION))
        try:
            await service.warm_up()
            await service.index(DATABASE, LOCAL)
            yield service
        finally:
            await service.close()


async def cpu_ms(service: Service, cases: Sequence[Case], session_id: str | None = None) -> list[float]:
    """Milliseconds of CPU of each question, asked one after the other."""
    taken = []
    for case in cases:
        began = time.process_time()
        await service.query(case.question, DATABASE, session_id=session_id, options=NO_REUSE)
        taken.append((time.process_time() - began) * 1000)
    return taken

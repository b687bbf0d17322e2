"""One peer in its own process: imported, prepared and asked. The figures go to standard output.

    PYTHON bench/peers/ask.py PEER JOB.json

PEER is a module of `bench/peers/adapters`. Imports only the standard library, so that the peer alone is measured. Its
environment does not contain Plumbline, and Plumbline's does not contain the peers.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any


def main(peer: str, job_path: str) -> None:
    """Print the figures as JSON."""
    job = json.loads(Path(job_path).read_text(encoding="utf-8"))
    began = time.process_time()
    adapter = importlib.import_module(f"adapters.{peer}")
    imported = time.process_time() - began
    began = time.process_time()
    asked = adapter.Peer(job)
    ready = time.process_time() - began
    for question in job["questions"][: job["warm"]]:
        _ask(asked, question)
    before, answers = _counts(job), []
    for question in job["questions"]:
        spent, passed = time.process_time(), time.perf_counter()
        sql, error = _ask(asked, question)
        answers.append(
            {
                "sql": sql,
                "error": error,
                "cpu_ms": (time.process_time() - spent) * 1000,
                "elapsed_ms": (time.perf_counter() - passed) * 1000,
            }
        )
    after = _counts(job)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    counts = {name: after[name] - before[name] for name in after}
    report = {"import_s": imported, "ready_s": ready, "memory_mb": peak, "counts": counts, "answers": answers}
    report["steps"] = getattr(asked, "steps", {})  # only some peers count tokens by step
    print(json.dumps(report), file=sys.__stdout__)


def _ask(peer: Any, question: str) -> tuple[str | None, str]:
    """The last query that the peer ran for a question, and what went wrong."""
    try:
        return peer.ask(question), ""
    except Exception as error:  # noqa: BLE001  a peer may raise anything; it is reported and counts as a wrong answer
        return None, f"{type(error).__name__}: {error}"[:300]


def _counts(job: dict[str, Any]) -> dict[str, int]:
    with urllib.request.urlopen(f"{job['url']}/counts") as reply:  # noqa: S310  our own endpoint
        counts: dict[str, int] = json.load(reply)
    return counts


if __name__ == "__main__":
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123  some peers print
        main(sys.argv[1], sys.argv[2])

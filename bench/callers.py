"""Several processes of the service, and callers that send questions for some seconds, for `processes` and `scale_out`.

Each process is `python -m agent serve`. No question is asked by two callers, so that none shares the answer of another:
the service answers equal questions that come at the same time once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from testbed.nginx import Nginx
from testbed.service_process import ServiceProcess

CALLERS = 4  # at once, for each process
WARM_UP = 5  # questions to each process, before it is measured


class Measured(NamedTuple):
    """processes: how many. questions: answered in `seconds`, for `cpu_s` seconds of processor time of the service."""

    processes: int
    questions: int
    seconds: float
    cpu_s: float

    @property
    def a_minute(self) -> float:
        return self.questions / self.seconds * 60


def measure(
    number: int,
    environment: Mapping[str, str],
    folder: Path,
    database: str,
    questions: Sequence[str],
    seconds: float,
    *,
    behind_nginx: bool = False,
) -> Measured:
    """Start so many processes, and ask them for so many seconds.

    Args:
        number: of processes.
        environment: their settings.
        folder: for what they say.
        database: of the question.
        questions: all different; who has asked all of its own begins again.
        seconds: how long they are asked, once they are warm.
        behind_nginx: the callers know one address; else each process has callers of its own.

    Raises:
        RuntimeError: a question was not answered.
    """
    with ExitStack() as running:
        processes = [running.enter_context(ServiceProcess(environment, folder / "log")) for _ in range(number)]
        for process in processes:  # one after the other: the first makes the index that the others find
            ask(process.port, database, questions[:WARM_UP])
        ports = [process.port for process in processes]
        if behind_nginx:
            ports = [running.enter_context(Nginx(ports)).port] * number
        callers = ports * CALLERS
        own = own_questions(questions[WARM_UP:], len(callers))
        before, start = sum(process.cpu_s() for process in processes), time.monotonic()
        with ThreadPoolExecutor(len(callers)) as threads:
            jobs = [
                threads.submit(ask, port, database, cycle(mine), start + seconds)
                for port, mine in zip(callers, own, strict=True)
            ]
            answered = sum(job.result() for job in jobs)
        took = time.monotonic() - start
        return Measured(number, answered, took, sum(process.cpu_s() for process in processes) - before)


def own_questions(questions: Sequence[str], callers: int) -> list[Sequence[str]]:
    """Questions for each caller; no other caller asks them.

    Raises:
        ValueError: there are fewer questions than callers.
    """
    if len(questions) < callers:
        raise ValueError(f"{callers} callers need as many questions; there are {len(questions)}.")
    return [questions[at::callers] for at in range(callers)]


def ask(port: int, database: str, questions: Iterable[str], until: float = float("inf")) -> int:
    """Ask one question after the other over one connection, with reuse off. Returns how many were answered.

    Args:
        port: where.
        database: its name.
        questions: in their order, as long as there are any.
        until: when no further one is asked, by the monotonic clock.

    Raises:
        RuntimeError: a question was not answered.
    """
    answered = 0
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for question in questions:
            if time.monotonic() >= until:
                break
            body = {"question": question, "database": database, "options": {"reuse_verified": False}}
            connection.request("POST", "/api/query", json.dumps(body), {"content-type": "application/json"})
            response = connection.getresponse()
            reply = response.read()
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {reply[:300]!r}")
            answered += 1
    return answered

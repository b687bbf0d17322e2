"""The service under load, and whether it releases all resources.

    python -m bench.load [--clients 200] [--attackers 10] [--seconds 120] [--delay 0.3] [--places 64] [--tokens N]

A real service process, a model that takes 300 ms a call, the sample shop in DuckDB, SQLite, CSV files and PostgreSQL.
Clients ask single questions, read streams, talk in sessions that they read back, and disconnect early. After a 503 they
retry after `Retry-After` seconds. Attackers send thousands of headers, incomplete requests and endless queries
(`bench.load_attackers`). After a run of some seconds, in which pools and caches fill, what the process holds is
counted; then comes the load, and it is counted again. Exits with 1 where a target is missed. With --tokens, the model
has a limit of tokens a minute and refuses calls beyond it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from tenacity import RetryError, Retrying, retry_if_not_result, stop_after_delay, wait_fixed

from agent.databases.knowledge.knowledge import THREADS
from bench.load_attackers import Attacks, attack
from bench.load_clients import Counts, More, talk
from bench.load_world import DATABASES, Held, World, running

MOST_GROWTH = 0.05  # of the memory, from the end of the first half to the end of the second
_WARM_UP_S = 30.0
_SAMPLES_OF_A_HALF = 0.25  # only its last quarter counts
_SETTLED_S = 30.0
_LOG_CHARS = 4_000
# What is pooled, and how many there may be: connections to the index, its threads, threads and connections of one
# database, connections to the model (two for each of 64 questions, kept while there are requests), threads of the loop.
_POOLS = {
    "chroma.sqlite": 10,
    "retrieval_": THREADS,
    "connection of the model": 128,
    "query-": 4,
    "reading": 2,
    "PostgreSQL": 4,
    "connection of PostgreSQL": 4,
    "uvloop_": 36,
    "asyncio_": 36,
}


@dataclass(frozen=True)
class Row:
    """One line of the table. target: in words; empty if there is none. met: whether it was reached."""

    what: str
    figure: str
    target: str = ""
    met: bool = True


async def measured(
    world: World, clients: int, more: More, attackers: int = 0
) -> tuple[Counts, Attacks, list[tuple[float, int]]]:
    """A load. Returns what clients and attackers saw, and the bytes of memory, by the seconds since it began."""
    memory: list[tuple[float, int]] = []
    began = time.monotonic()

    async def sample() -> None:
        while True:
            memory.append((time.monotonic() - began, world.process.memory_info().rss))
            await asyncio.sleep(0.5)

    sampling = asyncio.create_task(sample())
    try:
        talking = talk(world.url, clients, DATABASES, more)
        counts, attacks = await asyncio.gather(talking, attack(world.url, attackers, DATABASES[0], more))
        return counts, attacks, memory
    finally:
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)


def until(seconds: float) -> More:
    """Go on until so many seconds from now are over."""
    end = time.monotonic() + seconds
    return lambda _asked: time.monotonic() < end


def settled(world: World, before: Held | None = None) -> Held:
    """The resources that are held when nothing runs any more, or after a minute. Args: before: what was held before."""

    def is_settled(held: Held) -> bool:
        idle = held.busy == 0 and held.calls == 0 and not any("RequestResponseCycle" in name for name in held.tasks)
        return idle and (before is None or not leaks(before, held))

    def held() -> Held:
        # Connections that have been idle for long, or were closed at the other end, are let go of by whoever asks next.
        asyncio.run(talk(world.url, 1, DATABASES, lambda asked: asked < len(DATABASES)))
        return world.held()

    tries = Retrying(retry=retry_if_not_result(is_settled), wait=wait_fixed(0.5), stop=stop_after_delay(_SETTLED_S))
    try:
        return tries(held)
    except RetryError:
        return world.held()


def leaks(before: Held, after: Held) -> dict[str, str]:
    """The resources that are held now and were not before, by kind. A pool may have been filled."""
    found = {
        "files": _more(before.files, after.files),
        "threads": _more(before.threads, after.threads),
        "tasks": _more(before.tasks, after.tasks),
        "connections": _more(("PostgreSQL",) * before.connections, ("PostgreSQL",) * after.connections),
    }
    return {what: more for what, more in found.items() if more}


def _more(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """The names that are there more often; the numbers at a name's end do not count."""
    first, second = (Counter(name.rstrip("0123456789") for name in names) for names in (before, after))
    more = {name: count for name, count in (second - first).items() if second[name] > _most_pooled(name)}
    return ", ".join(f"{count} {name}" for name, count in more.items())


def _most_pooled(name: str) -> int:
    """The size of a name's pool; 0 if there is no pool."""
    return next((most for start, most in _POOLS.items() if Path(name).name.startswith(start)), 0)


def growth(memory: list[tuple[float, int]], seconds: float) -> tuple[float, float]:
    """Megabytes at the end of the first half, and of the second. Args: memory: bytes, by seconds; seconds: of both."""
    quarter = seconds / 2 * _SAMPLES_OF_A_HALF
    ends = (seconds / 2, seconds)
    first, second = (statistics.median(rss for at, rss in memory if end - quarter <= at <= end) for end in ends)
    return first / 1e6, second / 1e6


def table_of(counts: Counts, before: Held, after: Held, megabytes: tuple[float, float], seconds: float) -> list[Row]:
    """The figures, beside what they should be."""
    times = sorted(counts.seconds) or [0.0]
    each = counts.answered / seconds
    asked = max(counts.answered + counts.hung_up, 1)
    grown = megabytes[1] / megabytes[0] - 1
    lost = leaks(before, after)
    return [
        Row("questions answered", f"{counts.answered:,} ({each:.1f} a second)", "> 0", counts.answered > 0),
        Row("processor milliseconds a question", f"{1000 * (after.cpu_s - before.cpu_s) / asked:.0f}"),
        Row("seconds, median and 95 %", f"{times[len(times) // 2]:.2f}, {times[int(len(times) * 0.95)]:.2f}"),
        Row("errors", str(len(counts.errors)), "0", not counts.errors),
        Row("503 with Retry-After", f"{counts.busy:,}"),
        Row("503 without", str(counts.busy_without), "0", not counts.busy_without),
        Row("callers that hung up", f"{counts.hung_up:,}"),
        Row("sessions read back, messages", f"{counts.sessions:,}, {counts.messages:,}", "> 0", counts.sessions > 0),
        Row("messages lost", str(counts.lost), "0", not counts.lost),
        Row("answers and messages crossed", str(counts.crossed), "0", not counts.crossed),
        Row(
            "memory in MB, first half, second",
            f"{megabytes[0]:.0f}, {megabytes[1]:.0f} ({grown:+.1%})",
            f"at most {MOST_GROWTH:+.0%}",
            grown <= MOST_GROWTH,
        ),
        *(
            Row(f"{what}, before and after", f"{was}, {now}", "none leaked", what not in lost)
            for what, was, now in (
                ("files", len(before.files), len(after.files)),
                ("threads", len(before.threads), len(after.threads)),
                ("tasks", len(before.tasks), len(after.tasks)),
                ("connections", before.connections, after.connections),
            )
        ),
        Row("queries, transactions still open", str(after.busy), "0", not after.busy),
        Row("calls to the model still open", str(after.calls), "0", not after.calls),
    ]


def attack_rows(attacks: Attacks) -> list[Row]:
    """The attackers' results."""
    statuses = ", ".join(f"{count} × {status or 'no answer'}" for status, count in sorted(attacks.statuses.items()))
    return [
        Row("attacks, by what they got", f"{attacks.made:,}: {statuses}"),
        Row("attacks let in", str(attacks.let_in), "0", not attacks.let_in),
        Row("attacks whose connection stayed", str(attacks.kept_open), "0", not attacks.kept_open),
    ]


def run(clients: int, attackers: int, seconds: float, console: Console, **world_of: Any) -> bool:
    """Measure, and print the table. Args: world_of: as of `running`. Returns whether all targets are met."""
    with running(**world_of) as world:
        console.print(f"{clients} clients for {_WARM_UP_S:g} s, so that pools and caches are full …")
        asyncio.run(talk(world.url, clients, DATABASES, until(_WARM_UP_S)))
        before = settled(world)
        console.print(f"{clients} clients and {attackers} attackers for {seconds:g} s …")
        counts, attacks, memory = asyncio.run(measured(world, clients, until(seconds), attackers))
        after, log, calls = settled(world, before), world.log(), world.calls()
    rows = table_of(counts, before, after, growth(memory, seconds), seconds)
    rows.append(Row("calls to the model, refused ones", f"{calls['made']:,}, {calls['refused']:,}"))
    rows += attack_rows(attacks) if attackers else []
    table = Table("", "figure", "target", "")
    for row in rows:
        table.add_row(row.what, row.figure, row.target, "" if not row.target else "met" if row.met else "MISSED")
    console.print(table)
    for error, count in Counter(counts.errors).most_common(10):
        console.print(f"{count} × {error}", markup=False)
    for what, more in leaks(before, after).items():
        console.print(f"{what}: {more}", markup=False)
    if counts.errors:
        console.print(f"The end of the log:\n{log[-_LOG_CHARS:]}", markup=False)
    return all(row.met for row in rows)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="The service under load.")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--attackers", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--delay", type=float, default=0.3, help="seconds of a model call")
    parser.add_argument("--places", type=int, default=64, help="PLUMBLINE_MAX_CONCURRENT_QUESTIONS of the service")
    parser.add_argument("--tokens", type=int, default=0, help="token limit of the model, per minute; 0: none")
    chosen = parser.parse_args()
    world_of = {
        "delay_s": chosen.delay,
        "tokens_a_minute": chosen.tokens,
        "max_concurrent_questions": chosen.places,
    }
    console = Console(soft_wrap=True)
    return 0 if run(chosen.clients, chosen.attackers, chosen.seconds, console, **world_of) else 1


if __name__ == "__main__":
    sys.exit(main())

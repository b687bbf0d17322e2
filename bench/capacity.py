"""The capacity for 10, 1,000 and 100,000 questions an hour about 10, 1,000 and 100,000 tables, and the first
bottleneck.

    python -m bench.capacity [--markdown] [--measured 10 100 1000] [--prices JSON --model NAME]

One question's own CPU, tokens, memory and requests to the state store are measured here, as are retrieval and the
reading of a schema by the number of tables. The rest is arithmetic (bench/capacity_plan.py) with inputs that are
printed, and beyond the largest schema that was measured values are extrapolated.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from agent.databases.catalogue import LOOK_EVERY_S
from agent.platform.config.pricing import PriceTable
from agent.platform.config.settings import Settings
from bench import capacity_figures
from bench.capacity_figures import FULL, Found
from bench.capacity_plan import Assumed, Need, at, cost_of, need
from bench.endpoint import MODEL

QUESTIONS = (10, 1_000, 100_000)  # an hour
TABLES = (10, 1_000, 100_000)
PRICES = {MODEL: {"input": 0.15, "cached": 0.075, "output": 0.6}}
# https://learn.microsoft.com/azure/storage/tables/scalability-targets, for entities of 1 KiB
ACCOUNT_REQUESTS_S, PARTITION_REQUESTS_S = 20_000, 2_000
COLUMNS = (
    "questions/h", "tables", "processes", "cores", "cores, embedding", "in flight", "tokens/min", "$/h", "memory GB",
    "index GB", "runs out first",
)  # fmt: skip
Row = Sequence[str]


def number(value: float) -> str:
    """With thousands set apart, and three figures where it is small."""
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}" if value >= 10 else f"{value:.2g}"


def row_of(it: Need) -> Row:
    """A need as a row of the table; needs that exceed the supply are marked."""
    shares = {name: it.shares[name] for name in it.scarce}
    parts = [f"{name} {share:,.0%}" if share >= 0.01 else f"{name} under 1%" for name, share in shares.items()]
    first = ", ".join(parts)
    return (
        f"{it.questions:,.0f}",
        f"{it.tables:,.0f}",
        f"{it.processes:,d}",
        *(number(value) for value in (it.cores, it.cores_embedding, it.in_flight, it.tokens_a_minute)),
        *(number(value) for value in (it.dollars_an_hour, it.memory_gb, it.index_gb)),
        f"**{first}**" if max(shares.values()) > 1 else first,
    )


def table(head: Row, rows: Sequence[Row], *, markdown: bool) -> list[str]:
    """The lines of a table, as Markdown or in columns."""
    if markdown:
        return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    plain = [[cell.replace("**", "") for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*plain, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in plain]


def measured_rows(found: Found, assumed: Assumed, model: str) -> list[Row]:
    """The measured figures, one per row."""
    it, few = found.measured, found.retrieval[0].tables
    state, full = found.state, at(it.prompt_tokens, FULL)
    rows: list[Row] = [
        (f"own CPU of a question, {few} tables; {FULL} tables", "; ".join(f"{ms:.0f} ms" for _, ms in it.cpu_ms)),
        ("more with the local embedder in the process", f"{it.embedding_ms:.0f} ms"),
        ("model calls of a question", number(it.calls)),
        (f"prompt tokens, {few} tables; {FULL} tables", f"{at(it.prompt_tokens, few):,.0f}; {full:,.0f}"),
        ("completion tokens", number(it.completion_tokens)),
        (
            f"cost of a question at {model}'s price, {few} tables; {FULL} tables",
            f"${cost_of(it, assumed.price, few):.5f}; ${cost_of(it, assumed.price, FULL):.5f}",
        ),
        ("memory of a process; more with the local embedder", f"{it.process_mb:.0f} MB; {it.embedding_mb:.0f} MB"),
        ("columns that the local embedder embeds", f"{it.embedded_a_s:,.0f} in a second of CPU"),
        ("requests to the state store, for a question in a session", number(state.requests)),
        (f"of them to its busiest partition ({state.hottest_kind})", number(state.hottest)),
        ("bytes that SQLite's state grows by", f"{state.bytes:,.0f}"),
    ]
    for one, (size, seconds) in zip(found.retrieval, it.schema_s, strict=True):
        memory, index = at(it.tables_mb, one.tables), at(it.index_mb, one.tables)
        rows.append(
            (
                f"{one.tables:,} tables, {size * it.columns_a_table:,.0f} columns",
                f"retrieval {one.cpu_ms:.1f} ms of CPU, {memory:,.0f} MB more in memory, index {index:,.1f} MB, "
                f"schema of {one.schema_tokens:,} tokens, read in {seconds:.2f} s",
            )
        )
    return rows


def assumed_rows(assumed: Assumed, model: str) -> list[Row]:
    """The inputs, one per row."""
    price = assumed.price
    return [
        (f"price of {model}, dollars for a million tokens", f"{price.input:g} in, {price.output:g} out; yours differ"),
        ("the model's time for a call", f"{assumed.call_s:g} s"),
        ("the model's quota", f"{assumed.model_tokens_a_minute:,.0f} tokens a minute"),
        ("one machine", f"{assumed.cores:g} cores, {assumed.memory_gb:g} GB"),
        ("a core is planned to be busy", f"{assumed.busy:.0%}"),
        ("questions that one process works on at once", f"{assumed.places}"),
        (
            "Azure Tables, documented, for entities of 1 KiB",
            f"{assumed.account_requests_s:,.0f} requests a second an account, {assumed.partition_requests_s:,.0f} a "
            "partition",
        ),
        ("a schema may be read for", f"{assumed.schema_s:g} s, the deadline of a question"),
        ("a first index may take", f"{assumed.indexing_h:g} h of one core, with the local embedder"),
    ]


def report(found: Found, assumed: Assumed, model: str, *, markdown: bool) -> list[str]:
    """All that is printed, by lines."""
    needs = [need(asked, tables, found.measured, assumed) for asked in QUESTIONS for tables in TABLES]
    cpus = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    return [
        *table(COLUMNS, [row_of(it) for it in needs], markdown=markdown),
        "",
        f"Beyond {found.retrieval[-1].tables:,} tables nothing was measured: memory, index and reading go on along a",
        "straight line, retrieval with the power of tables that it showed. 100% is what is there, as below.",
        "",
        *table(("measured", cpus), measured_rows(found, assumed, model), markdown=markdown),
        "",
        *table(("input", "value"), assumed_rows(assumed, model), markdown=markdown),
    ]


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("write a number above 0")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("write a whole number of at least 1")
    return value


def _options(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, Assumed]:
    """Exits with what to do where an option cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m bench.capacity", description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="print tables as Markdown")
    parser.add_argument(
        "--measured", type=_whole, nargs="+", default=[10, 100, 1_000], help="numbers of tables, ascending"
    )
    parser.add_argument("--questions", type=_whole, default=20, help="questions for each number of tables")
    parser.add_argument("--prices", default=json.dumps(PRICES), help="price table, as in PLUMBLINE_PRICES")
    parser.add_argument("--model", default=MODEL, help="a model of --prices")
    parser.add_argument("--call-s", type=_positive, default=1.5, help="seconds of a model call")
    parser.add_argument("--model-tokens-a-minute", type=_positive, default=2e6, help="the model's quota")
    parser.add_argument("--busy", type=_positive, default=0.6, help="planned load of a core, 0 to 1")
    parser.add_argument("--cores", type=_positive, default=8, help="cores of the machine")
    parser.add_argument("--memory-gb", type=_positive, default=32, help="memory of the machine, in GB")
    parser.add_argument("--indexing-h", type=_positive, default=24, help="maximum hours of a first index")
    options = parser.parse_args(arguments)
    if sorted(set(options.measured)) != options.measured:
        parser.error("--measured: write each number of tables once, the fewest first")
    try:
        prices = TypeAdapter(PriceTable).validate_python(options.prices)
    except ValidationError as error:
        parser.error(f'--prices: {error.errors()[0]["msg"]}; write {{"model": {{"input": 0.15, "output": 0.6}}}}')
    if options.model not in prices:
        parser.error(f"--prices has no price for {options.model}: add it, or name another one with --model")
    defaults = Settings.model_fields
    return options, Assumed(
        call_s=options.call_s,
        price=prices[options.model],
        model_tokens_a_minute=options.model_tokens_a_minute,
        busy=options.busy,
        cores=options.cores,
        memory_gb=options.memory_gb,
        places=defaults["max_concurrent_questions"].default,
        account_requests_s=ACCOUNT_REQUESTS_S,
        partition_requests_s=PARTITION_REQUESTS_S,
        look_s=LOOK_EVERY_S,
        schema_s=defaults["request_deadline_s"].default,
        indexing_h=options.indexing_h,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, compute, print."""
    options, assumed = _options(arguments)
    found = capacity_figures.measure(options.measured, options.questions)
    print("\n".join(report(found, assumed, options.model, markdown=options.markdown)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

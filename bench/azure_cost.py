"""The monthly cost on Azure by list prices: idle, with 1,000 and with 100,000 questions.

    python -m bench.azure_cost [--seconds 5] [--prompt-tokens 7407] [--cached 0.5] [--completion-tokens 300]

The prices are in PRICES, each with its source and the day of that source; they differ by region and by contract. How
much of each a question needs is measured by `make capacity` or assumed; each has an option, and is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

from agent.platform.config.settings import Settings

QUESTIONS = (0, 1_000, 100_000)  # a month
MONTH_S = 30 * 24 * 3600


class Price(NamedTuple):
    """US dollars for so much of something. free: of it, each month."""

    dollars: float
    of: float
    unit: str
    source: str
    free: float = 0

    def cost(self, used: float) -> float:
        """US dollars of a month."""
        return max(used - self.free, 0) / self.of * self.dollars


# Azure's own pages show prices only to a browser: where they were read instead, and of which day they are.
FUNCTIONS = "Flex Consumption, East US: modal.com/blog/azure-function-pricing-guide, 2025-05-22"
FOUNDRY = "gpt-5-mini, Global Standard: ai.cloudprice.net, of Microsoft Foundry's list on 2026-06-15"
MODELS = "text-embedding-3-small: OpenAI's list price, 2025, which Azure had as well"
STORAGE = "Storage, LRS, East US: azure.microsoft.com/pricing/details/storage, as projects of 2025 quote it"
MONITOR = "Analytics logs, East US: azure.microsoft.com/pricing/details/monitor, as projects of 2025 quote it"
PRICES = {
    "memory while it works": Price(0.000026, 1, "GB-s", FUNCTIONS, free=100_000),
    "executions": Price(0.40, 1_000_000, "", FUNCTIONS, free=250_000),
    "gpt-5-mini, prompt": Price(0.25, 1_000_000, "tokens", FOUNDRY),
    "gpt-5-mini, cached prompt": Price(0.025, 1_000_000, "tokens", FOUNDRY),
    "gpt-5-mini, completion": Price(2.00, 1_000_000, "tokens", FOUNDRY),
    "text-embedding-3-small": Price(0.02, 1_000_000, "tokens", MODELS),
    "package, in blobs": Price(0.0208, 1, "GB", STORAGE),
    "state, in tables": Price(0.045, 1, "GB", STORAGE),
    "requests to tables": Price(0.00036, 10_000, "", STORAGE),
    "logs and traces": Price(2.30, 1, "GB", MONITOR, free=5),
}


class Question(NamedTuple):
    """The needs of one question.

    seconds: that an instance works on it, alone: several at once share its memory. executions: of functions, with those
    that the page makes beside it. The tokens, the requests and bytes of state are those of docs/scaling.md, the share
    of cached tokens, the reasoning within the completion, and the bytes of logs are assumed.
    """

    seconds: float = 5
    executions: float = 5
    prompt_tokens: float = 7_407
    cached: float = 0.5
    completion_tokens: float = 300
    embedded_tokens: float = 100
    state_requests: float = 13.8
    state_bytes: float = 22_323
    log_bytes: float = 20_000


def used(questions: float, one: Question, *, memory_gb: float = 2, package_gb: float = 0.166) -> dict[str, float]:
    """A month's use of each priced item. Timers run without questions too, for at least a second each."""
    limits = Settings.model_fields
    timers = sum(MONTH_S / limits[name].default for name in ("session_cleanup_s", "schema_ttl_s", "dashboard_check_s"))
    cached = one.prompt_tokens * one.cached
    return {
        "memory while it works": (questions * one.seconds + timers) * memory_gb,
        "executions": questions * one.executions + timers,
        "gpt-5-mini, prompt": questions * (one.prompt_tokens - cached),
        "gpt-5-mini, cached prompt": questions * cached,
        "gpt-5-mini, completion": questions * one.completion_tokens,
        "text-embedding-3-small": questions * one.embedded_tokens,
        "package, in blobs": package_gb,
        "state, in tables": questions * one.state_bytes / 1e9,
        "requests to tables": questions * one.state_requests + timers,
        "logs and traces": (questions * one.log_bytes + timers * 1_000) / 1e9,
    }


def table(one: Question) -> str:
    """The costs of a month in US dollars, as Markdown."""
    months = [used(number, one) for number in QUESTIONS]
    costs = [{name: price.cost(month[name]) for name, price in PRICES.items()} for month in months]
    lines = [
        "| US dollars a month | idle | 1,000 questions | 100,000 questions | list price |",
        "|---|---|---|---|---|",
    ]
    for name, price in PRICES.items():
        free = f", {price.free:,.0f} free" if price.free else ""
        dollars = f"{price.dollars:.7f}".rstrip("0").rstrip(".")
        listed = f"{dollars} for {price.of:,.0f} {price.unit}".rstrip() + free
        lines.append(f"| {name} | {' | '.join(f'{cost[name]:,.2f}' for cost in costs)} | {listed} |")
    total = " | ".join(f"**{sum(cost.values()):,.2f}**" for cost in costs)
    return "\n".join([*lines, f"| **together** | {total} | |"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, its assumptions and the sources of the prices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in Question()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=default)
    one = Question(**vars(parser.parse_args(arguments)))
    print(table(one))
    print("\nOf a question:", ", ".join(f"{name} {value:g}" for name, value in one._asdict().items()))
    print("Prices:", *sorted({price.source for price in PRICES.values()}), sep="\n  ")


if __name__ == "__main__":
    main()

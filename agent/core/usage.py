"""Model calls, tokens and their cost: per reply, step and question."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from executors.base import Frozen

Effort = Literal["quick", "balanced", "thorough"]
EFFORTS: tuple[Effort, ...] = ("quick", "balanced", "thorough")
DIGITS = 9  # decimal places of dollars: enough for one token of the cheapest model


class StepUsage(Frozen):
    """Model calls, tokens and cost.

    model_calls: Number of model calls.
    prompt_tokens: Tokens of prompts.
    cached_tokens: Prompt tokens that the model read from its cache.
    completion_tokens: Tokens of replies.
    """

    model_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = Field(
        None,
        description="Cost in US dollars, from the configured prices. Null if the price of a model is not configured.",
    )

    def plus(self, other: StepUsage) -> StepUsage:
        """The sum of both. The cost is unknown if one of them is unknown."""
        known = self.cost_usd is not None and other.cost_usd is not None
        return StepUsage(
            model_calls=self.model_calls + other.model_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=round((self.cost_usd or 0.0) + (other.cost_usd or 0.0), DIGITS) if known else None,
        )


class Usage(StepUsage):
    """Model calls, tokens and cost of a question, in total and by step."""

    by_step: dict[str, StepUsage] = Field({}, description="Usage of each step that called a model, by step.")

    def with_call(self, step: str, call: StepUsage) -> Usage:
        """The usage with one more call, made for a step."""
        before = self.by_step.get(step, StepUsage(cost_usd=0.0))
        return Usage(**self.plus(call).model_dump(), by_step=self.by_step | {step: before.plus(call)})

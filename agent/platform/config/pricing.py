"""The cost of model calls, from the price table of the settings."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode

from agent.core.usage import DIGITS, StepUsage
from executors.base import Frozen

PER = 1_000_000

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]

log = logging.getLogger(__name__)

_missed: set[str] = set()  # models whose missing price was logged


class Price(Frozen):
    """US dollars per million tokens. `cached`: for prompt tokens that the endpoint read from its cache."""

    input: Dollars
    cached: Dollars | None = None
    output: Dollars


FREE = Price(input=0, output=0)


def _object(text: object) -> object:
    """Parse the JSON of a variable. pydantic-settings would report invalid JSON first, without other errors."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError as error:
        raise ValueError("this is not JSON; write an object, with its names in double quotes") from error


PriceTable = Annotated[dict[str, Price], NoDecode, BeforeValidator(_object)]


class Prices:
    """The price table, by model name or Azure deployment. `otherwise`: price of all other models; None: unknown."""

    def __init__(self, table: Mapping[str, Price], otherwise: Price | None = None) -> None:
        self._table, self._otherwise = table, otherwise

    @classmethod
    def of(cls, table: Mapping[str, Price], *, is_hosted: bool) -> Prices:
        """The prices for a table of the settings. The embedded model costs nothing."""
        return cls(table, otherwise=None if is_hosted else FREE)

    def cost(self, model: str, usage: StepUsage) -> float | None:
        """US dollars for calls to one model; None if its price is unknown, which is logged once."""
        price = self._table.get(model, self._otherwise)
        if price is None:
            if model not in _missed:
                _missed.add(model)
                log.info("No price is set for the model %s: its costs are null. Set PLUMBLINE_PRICES.", model)
            return None
        cached_price = price.input if price.cached is None else price.cached
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        dollars = (
            (usage.prompt_tokens - cached) * price.input
            + cached * cached_price
            + usage.completion_tokens * price.output
        )
        return round(dollars / PER, DIGITS)

"""What model calls cost, from the price table of the settings."""

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

_missed: set[str] = set()  # models whose price was missed already


class Price(Frozen):
    """US dollars for a million tokens; `cached` those of the prompt that the endpoint had read before."""

    input: Dollars
    cached: Dollars | None = None
    output: Dollars


FREE = Price(input=0, output=0)


def _object(text: object) -> object:
    """The JSON of a variable. pydantic-settings would report text that is none before all else, and alone."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError as error:
        raise ValueError("this is not JSON; write an object, with its names in double quotes") from error


PriceTable = Annotated[dict[str, Price], NoDecode, BeforeValidator(_object)]


class Prices:
    """The price table, by the model's name, or Azure's deployment. `otherwise`: of all others; None: not known."""

    def __init__(self, table: Mapping[str, Price], otherwise: Price | None = None) -> None:
        self._table, self._otherwise = table, otherwise

    @classmethod
    def of(cls, table: Mapping[str, Price], *, is_hosted: bool) -> Prices:
        """The settings' table; the embedded model costs nothing."""
        return cls(table, otherwise=None if is_hosted else FREE)

    def cost(self, model: str, usage: StepUsage) -> float | None:
        """US dollars of calls to one model; None where its price is not known, which the log says once."""
        price = self._table.get(model, self._otherwise)
        if price is None:
            if model not in _missed:
                _missed.add(model)
                log.warning("No price is set for the model %s: its costs are null. Set PLUMBLINE_PRICES.", model)
            return None
        cached_price = price.input if price.cached is None else price.cached
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        dollars = (
            (usage.prompt_tokens - cached) * price.input
            + cached * cached_price
            + usage.completion_tokens * price.output
        )
        return round(dollars / PER, DIGITS)

"""How probable a query was to the model that wrote it, from the log-probabilities of its tokens.

The probability of the whole sequence tells right queries from wrong ones better than asking the model does
(Ramachandran and Sarawagi, "Text-to-SQL Calibration: No Need to Ask", arXiv 2411.16742).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from agent.platform.llm.chat import Token


class Logprobs(NamedTuple):
    """Natural logarithms, at most 0: the mean over the tokens of a query, and the least of them."""

    mean: float
    least: float


def logprobs_of(tokens: Sequence[Token], text: str) -> Logprobs | None:
    """Those of the tokens that a text within a reply is made of.

    A fence or a JSON object around the query is the format's choice and says nothing of it.

    Args:
        tokens: of the whole reply, in order.
        text: the query, as it was read from the reply; where it is not found there, all tokens count.

    Returns:
        None where there are no tokens.
    """
    inside = _within(tokens, text) or _within(tokens, json.dumps(text, ensure_ascii=False)[1:-1]) or tokens
    values = [token.logprob for token in inside]
    return Logprobs(fmean(values), min(values)) if values else None


def _within(tokens: Sequence[Token], text: str) -> list[Token]:
    """The tokens that hold a part of `text`, where all of them together have it; else none."""
    start = "".join(token.text for token in tokens).find(text)
    if start < 0 or not text:
        return []
    found: list[Token] = []
    at = 0
    for token in tokens:
        if at < start + len(text) and at + len(token.text) > start:
            found.append(token)
        at += len(token.text)
    return found

"""Nouns with their numbers."""

from __future__ import annotations


def plural(number: int, noun: str, *, more: bool = False) -> str:
    """`1 row`, `2 rows`; `500+ rows` if there are more."""
    return f"{number}{'+' if more else ''} {noun}{'' if number == 1 and not more else 's'}"

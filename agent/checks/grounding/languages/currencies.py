"""Finds names of currencies: ISO codes, signs, full names, and names that several countries share."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from agent.core.texts.data_files import read_tables, unfold_pattern

_TABLES = read_tables(__file__, "currencies.toml")
_OWN = {code: re.compile(unfold_pattern(names), re.IGNORECASE) for code, names in _TABLES["own"].items()}
_SHARED = {name: re.compile(unfold_pattern(it["names"]), re.IGNORECASE) for name, it in _TABLES["shared"].items()}
# The currencies that a shared name may mean. In docs it means the first one.
_MEANT: dict[str, tuple[str, ...]] = {name: tuple(it["codes"].split()) for name, it in _TABLES["shared"].items()}


@lru_cache(maxsize=4096)
def find_currencies(text: str) -> frozenset[str]:
    """The currencies that a text names: ISO codes, or "dollar", "peso" or "krone" if the text does not specify."""
    found: set[str] = set()
    for code, pattern in _OWN.items():
        text, count = pattern.subn(" ", text)
        found |= {code} if count else set()
    return frozenset(found | {name for name, pattern in _SHARED.items() if pattern.search(text)})


def find_currency(text: str) -> str:
    """The ISO code of the only currency that a text names. Empty for none and for several."""
    codes = {_MEANT[it][0] if it in _MEANT else it for it in find_currencies(text)}
    return codes.pop() if len(codes) == 1 else ""


def are_same(said: Collection[str], known: Collection[str]) -> bool:
    """Whether all stated currencies are known: "dollar" matches Canadian dollars."""
    return all(
        any(one == other or one in _MEANT.get(other, ()) or other in _MEANT.get(one, ()) for other in known)
        for one in said
    )

"""What can be fuzzed, by name."""

from __future__ import annotations

from fuzz import calculator, docs, guard, http, replies

TARGETS = {it.TARGET.name: it.TARGET for it in (guard, calculator, replies, docs, http)}

"""What can be fuzzed, by name."""

from __future__ import annotations

from fuzz import bombs, calculator, docs, guard, http, nesting, replies

TARGETS = {it.TARGET.name: it.TARGET for it in (guard, calculator, replies, docs, http, nesting, bombs)}

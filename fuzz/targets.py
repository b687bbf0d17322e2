"""The targets of fuzzing, by name."""

from __future__ import annotations

from fuzz import bombs, calculator, connections, docs, guard, http, nesting, private, replies

_EACH = (guard, calculator, replies, docs, http, nesting, bombs, private, connections)
TARGETS = {it.TARGET.name: it.TARGET for it in _EACH}

"""Calls every function of an engine. Those that the guard accepts must have no effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fuzz.cases import Case
from fuzz.engines import CANARY, OpenEngine

_CATALOGUE = {
    "sqlite": "SELECT DISTINCT name, narg FROM pragma_function_list",
    "duckdb": "SELECT DISTINCT function_name, len(parameters) FROM duckdb_functions() WHERE function_name ~ '^\\w+$'",
    "postgresql": "SELECT DISTINCT proname, pronargs FROM pg_proc WHERE proname ~ '^\\w+$'",
}
_FORMS = ("SELECT {call}", "SELECT * FROM {call}", "SELECT {call} FROM orders")
# PostgreSQL calls a function of one argument without brackets, too.
_FIELDS = ("SELECT ({argument}).{name}", "SELECT x.{name} FROM unnest(ARRAY[{argument}]) AS x")
# Of many types at once: an engine takes a text that is written as a literal for nearly any of them.
ARGUMENTS = ("1", "'counted'", f"'{CANARY}loot'", "'orders'", "'{1}'", "'2024-01-05'")
_MOST = 4


def calls(engine: OpenEngine, arguments: Sequence[str] = ARGUMENTS) -> Iterator[Case]:
    """Each function of an engine's catalogue, with as many arguments as it takes: as a value, a table, and a field.

    Args:
        arguments: each of them stands in all places of a call.
    """
    for name, count in engine.rows(_CATALOGUE[engine.dialect]):
        for number in range(_MOST) if count < 0 else (count,):
            for argument in arguments if number else ("",):
                call = f"{name}({', '.join([argument] * number)})"
                yield from (Case(engine.dialect, form.format(call=call)) for form in _FORMS)
                if number == 1 and engine.dialect == "postgresql":
                    typed = f"{argument}::text" if argument.startswith("'") else argument
                    yield from (Case(engine.dialect, form.format(name=name, argument=typed)) for form in _FIELDS)

"""The guard's refusals: what was refused, why, and what to write instead."""

from __future__ import annotations

from executors.dialects.row import Dialect, read_words, words
from executors.errors import Because, ErrorKind, SqlRefused
from executors.sql.names import diagnose

_DOES = read_words(__file__, "harm.txt")
_SYSTEM = words("pg_catalog sys system main mysql information_schema")
_WHY = {name: why for why, names in _DOES.items() for name in names} | {
    "next value for": "it changes a sequence",
    "previous value for": "it changes a sequence",
    "transform using": "it loads or runs code",
}


def harm_of(name: str) -> str:
    """The known harm of a function, as in `it reads or writes files`. Empty if none is known. Args: name: any case."""
    lowered = name.lower()
    schema, _, last = lowered.rpartition(".")
    return _WHY.get(lowered) or (_WHY.get(last, "") if schema in _SYSTEM else "")


def not_read_only(what: str) -> SqlRefused:
    message = f"Only reading is allowed; {what} would change the database and was refused."
    return SqlRefused(ErrorKind.NOT_READ_ONLY, message, "Write one SELECT that reads the answer.")


def sets_variable(name: str) -> SqlRefused:
    message = f"Only reading is allowed; a query may not set the variable {name}."
    return SqlRefused(ErrorKind.NOT_READ_ONLY, message, "Select the value under a name: SELECT value AS name.")


def build_function_refusal(name: str, dialect: Dialect, *, where: str = "here") -> SqlRefused:
    """The refusal of a call that is not known to be pure, with its harm if that is known. Args: name: as written."""
    harm = harm_of(name)
    message = f"The function {name} is not available {where}{': ' if harm else ''}{harm}."
    because = Because.DANGEROUS if harm else Because.FUNCTION
    return SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, diagnose.function_hint(name, dialect), because=because)


def build_paste_refusal(sign: str) -> SqlRefused:
    """The refusal of a name that some client replaces by arbitrary text before it sends the query."""
    message = f"{sign} stands for text that is pasted in, and nothing can be said of that."
    hint = "Write the text itself, or a parameter with a value, as :name."
    return SqlRefused(ErrorKind.PERMISSION, message, hint, because=Because.PASTED)


def too_big(why: str) -> SqlRefused:
    return SqlRefused(ErrorKind.RESOURCE, f"The query is too big. {why}", "Write a shorter query.")


def form(dialect: Dialect) -> str:
    """General advice on what to write instead."""
    return f"Write one {dialect.title} SELECT statement. {' '.join(dialect.hints[:2])}"

"""The caller: a principal's name, or a word for callers without one."""

from __future__ import annotations

ANONYMOUS = "anonymous"  # over HTTP, where nobody who can be trusted says a name
LOCAL = "local"  # at the terminal of this machine
ANYONE = "*"  # in the registry's lists

_RESERVED = frozenset({ANONYMOUS, LOCAL, ANYONE})


def is_reserved(name: str) -> bool:
    """Whether a name is reserved, so that no principal may have it."""
    return name.casefold() in _RESERVED


def to_principal(name: str) -> str:
    """The principal of a name that the front end vouches for; `anonymous` for a reserved word."""
    name = name.strip()
    return name if name and not is_reserved(name) else ANONYMOUS


def is_listed(principal: str, listed: tuple[str, ...]) -> bool:
    """Whether a list of the registry holds a principal; case does not matter, as in e-mail addresses."""
    names = {name.casefold() for name in listed}
    return ANYONE in names or principal.casefold() in names

"""The caller: a principal's name, or a word for callers without one."""

from __future__ import annotations

ANONYMOUS = "anonymous"  # over HTTP, if no trusted source names the caller
LOCAL = "local"  # from this machine's terminal
ANYONE = "*"  # wildcard in the registry's lists

_RESERVED = frozenset({ANONYMOUS, LOCAL, ANYONE})


def is_reserved(name: str) -> bool:
    """Whether a name is reserved, so that no principal may have it."""
    return name.casefold() in _RESERVED


def to_principal(name: str) -> str:
    """The principal for a name that the front end has authenticated; `anonymous` for an empty or reserved name."""
    name = name.strip()
    return name if name and not is_reserved(name) else ANONYMOUS


def is_listed(principal: str, listed: tuple[str, ...]) -> bool:
    """Whether a list of the registry contains a principal. Case is ignored, as in e-mail addresses."""
    names = {name.casefold() for name in listed}
    return ANYONE in names or principal.casefold() in names

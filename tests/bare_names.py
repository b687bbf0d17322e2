"""Queries run with quoted names; tests about other things read them without quotes."""

from __future__ import annotations

import re

_QUOTED = re.compile(r'( AS )?(?:`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|\[((?:[^\W\d][^\],]*))\])')


def bare(sql: str) -> str:
    """SQL with its names out of their quotes, and without the titles that expressions were given."""

    def name(found: re.Match[str]) -> str:
        before, *names = found.groups("")
        word = "".join(names)
        return "" if before and "(" in word else before + word

    return _QUOTED.sub(name, sql)

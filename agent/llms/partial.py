"""The query in a reply that is still being written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextvars import ContextVar

# Called with the whole of a reply so far, by clients whose replies come in pieces. A reply that is tried again begins
# anew.
HEARD: ContextVar[Callable[[str], None] | None] = ContextVar("heard", default=None)

_FENCED = re.compile(r"```(?:sql)?[ \t]*\n(?P<sql>.*?)(?:\n?`{1,3}|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r'"sql"\s*:\s*"(?P<sql>(?:[^"\\]|\\.)*)', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def written_so_far(reply: str) -> str:
    """The query as far as it is written, in a fence or as the field `sql` of an object; empty before it begins."""
    field = _FIELD.search(reply)
    if field is not None:
        text = _HALF_ESCAPE.sub("", field["sql"])
        return str(json.loads(f'"{text}"', strict=False))
    fenced = _FENCED.search(reply)
    return fenced["sql"].strip() if fenced else ""

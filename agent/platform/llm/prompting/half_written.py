"""A query that a model is still writing: how much of it may be shown before anything has read it.

What is shown ends at a whole token, and before what the finished query would be refused for, or would lose: words of
the model's instructions, an address, a private column that the question does not name. An end that could still become
one of these is held back until it is clear that it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.core.addresses import addresses, is_address, normal
from agent.platform.llm.prompting import leaks

_TOKEN = re.compile(
    r"(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]\n]*\]|--[^\n]*\n|/\*.*?\*/)"
    r"|(?P<word>\w+)|\s+|[^\w\s]",
    re.DOTALL,
)
_OPENS = ("'", '"', "`", "[", "--", "/*")  # what a single character of a token that has no end yet begins


def showable(sql: str, system: str, question: str, private: frozenset[str] = frozenset()) -> str:
    """The beginning of a half-written query that may be shown; it only grows while the query does.

    Args:
        sql: as far as it is written.
        system: the first message that the model was sent.
        question: what is asked: what stands in it may be repeated.
        private: the private columns that it does not name, in lower case.
    """
    end, visible = 0, normal(question)
    for token in _whole_tokens(sql):
        name = token["word"] or (token["quoted"] or "").strip("'\"`[]")
        if name.lower() in private:
            break
        if token["quoted"] and is_address(name) and not (any(addresses(name)) and normal(name) in visible):
            break
        end = token.end()
    shown = sql[:end]
    if leaks.problem(shown, system, (question,)):
        return ""
    return shown[: leaks.may_repeat_from(shown, system)].rstrip()


def _whole_tokens(sql: str) -> Iterator[re.Match[str]]:
    """The tokens of a query up to the last one, which may go on, or one whose end is missing."""
    for token in _TOKEN.finditer(sql):
        rest = sql[token.end() : token.end() + 1]
        goes_on = (token["word"] and not rest) or (token["quoted"] and rest in ("", token[0][0]))  # 'O''Hara'
        unclosed = not token["quoted"] and sql.startswith(_OPENS, token.start())
        if goes_on or unclosed:
            return
        yield token

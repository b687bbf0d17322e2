"""Checks replies for words of the instructions and for addresses that the model was not given.

Text in the data can ask for both, such as an image whose address sends a row to another server (EchoLeak,
CVE-2025-32711). SECURITY.md lists what is not detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from agent.core.texts.addresses import addresses, find_built_texts, is_address, normal
from agent.platform.llm.prompting.templates import own_words

RUN = 8  # consecutive words that do not match by chance
FREE = 3  # consecutive words that any query may share with the instructions
REPEATED = "it repeats what the model was told to do"
LINKED = "it contains an address that is not in the data"

_WORD = re.compile(r"[^\W_]+")
_FENCED = re.compile(r"<data>.*?</data>", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")


def problem(text: str, system: str, visible: Iterable[str]) -> str:
    """Why a model's text is withheld; empty if it is not.

    `visible`, the question and the rows, may be repeated; `system`, the first message, may not.
    """
    known = "\n".join(visible).casefold()
    if _repeats(text, system, known):
        return REPEATED
    read = normal(known)
    if any(link not in read for link in addresses(text)):
        return LINKED
    return ""


def problem_of_query(sql: str, dialect: str, system: str, question: str) -> str:
    """Like `problem`, for a query's literals. Addresses in the question may be selected; any may be compared."""
    if _repeats(sql, system, question.casefold()):
        return REPEATED
    return LINKED if _builds_address(sql, dialect, question) else ""


def may_repeat_from(text: str, system: str) -> int:
    """The position up to which an unfinished text may be sent: its last words could become a repetition."""
    words = list(_WORD.finditer(text))[1 - RUN :]
    last = tuple(word[0].casefold() for word in words)
    known = [_find_beginnings(runs) for runs in (_instructions(), _instructions_of(system))]
    found = (at for at in range(len(last) - FREE) if any(last[at:] in beginnings for beginnings in known))
    return next((words[at + FREE].start() for at in found), len(text))


def _builds_address(sql: str, dialect: str, question: str) -> bool:
    from sqlglot.errors import SqlglotError

    from executors.sql.parsed import parse_sql

    try:
        texts = list(find_built_texts(parse_sql(sql, dialect)))
    except (SqlglotError, RecursionError):
        return False  # the guard refuses it
    visible = normal(question)
    return any(is_address(text) and normal(text) not in visible for text in texts)


def _repeats(text: str, system: str, known: str) -> bool:
    runs = set(_runs(text))
    return bool(runs and (runs & _instructions() or runs & _instructions_of(system)) - set(_runs(known)))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


@lru_cache(maxsize=1)
def _instructions() -> frozenset[tuple[str, ...]]:
    """The runs of words in the prompts' files, without their placeholders."""
    return frozenset(run for text in own_words() for run in _runs(text))


@lru_cache(maxsize=16)
def _instructions_of(system: str) -> frozenset[tuple[str, ...]]:
    """The runs of words in the system message, without the docs: an answer may quote a rule."""
    return frozenset(_runs(_COMMENT.sub(" ", _FENCED.sub(" ", system))))


@lru_cache(maxsize=17)
def _find_beginnings(runs: frozenset[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    return frozenset(run[:length] for run in runs for length in range(FREE + 1, RUN))

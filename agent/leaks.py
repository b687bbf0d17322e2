"""What a model must not say: the words of its own instructions, and addresses that nobody gave it.

A text among the data can ask for both: "repeat what stands above", or an image whose address carries a row to somebody
else's server as soon as it is shown (EchoLeak, CVE-2025-32711). What is rewritten word for word in another language, or
letter by letter, is not recognised; see SECURITY.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

RUN = 8  # words in a row that nobody writes by chance
REPEATED = "it repeats what the model was told to do"
LINKED = "it holds an address that stands nowhere in the data"

_WORD = re.compile(r"[^\W_]+")
_FENCED = re.compile(r"<data>.*?</data>", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")
_LINKS = (
    re.compile(r"\b([a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`)\]]+|www\.[^\s<>\"'`)\]]+)", re.IGNORECASE),
    re.compile(r"!?\[[^\]]*\]\(\s*<?([^\s)>]+)"),  # Markdown's links and images, whatever they point to
    re.compile(r"\b(?:src|href)\s*=\s*[\"']?([^\s\"'>]+)", re.IGNORECASE),
)
_ADDRESS = re.compile(r"[a-z]://[\w-]", re.IGNORECASE)


def problem(text: str, system: str, said: Iterable[str]) -> str:
    """Why a text that a model wrote is not passed on; empty where nothing is wrong with it.

    Args:
        text: what it wrote.
        system: the first message that it was sent: its schema and rules may not be dumped either.
        said: the question and the rows: what stands in them may be repeated.
    """
    known = "\n".join(said).casefold()
    if _repeats(text, system, known):
        return REPEATED
    if any(link.casefold() not in known for link in _links(text)):
        return LINKED
    return ""


def problem_of_query(sql: str, dialect: str, system: str, question: str) -> str:
    """The same of a query, whose own texts would stand in its rows as if they came from the data.

    Args:
        sql: the query.
        dialect: sqlglot's name of it.
        system: see `problem`.
        question: an address that stands in it may be selected; one may always be compared with.
    """
    if _repeats(sql, system, question.casefold()):
        return REPEATED
    return LINKED if _ADDRESS.search(sql) and _builds_address(sql, dialect, question) else ""


def _builds_address(sql: str, dialect: str, question: str) -> bool:
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from executors.sql.parsed import parsed

    try:
        texts = [it for it in parsed(sql, dialect).find_all(exp.Literal) if it.is_string]
    except (SqlglotError, RecursionError):
        return False  # the guard refuses it
    shown = (it.this for it in texts if not isinstance(it.parent, exp.Predicate))
    return any(_ADDRESS.search(text) and text.casefold() not in question.casefold() for text in shown)


def _repeats(text: str, system: str, known: str) -> bool:
    runs = set(_runs(text))
    return bool(runs and (runs & _instructions() or runs & _told(system)) - set(_runs(known)))


def _links(text: str) -> Iterator[str]:
    return (match[1].rstrip(".,;:!?*_") for pattern in _LINKS for match in pattern.finditer(text))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1))


@lru_cache(maxsize=1)
def _instructions() -> frozenset[tuple[str, ...]]:
    """What stands in the prompts' files, but for their holes."""
    from agent.templates import own_words

    return frozenset(run for text in own_words() for run in _runs(text))


@lru_cache(maxsize=16)
def _told(system: str) -> frozenset[tuple[str, ...]]:
    """The system message without what the docs say: an answer may quote a rule."""
    return frozenset(_runs(_COMMENT.sub(" ", _FENCED.sub(" ", system))))

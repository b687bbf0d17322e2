"""Unusual SQL: from a grammar, and from mutated statements."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st

from executors.dialects.table import DIALECTS
from fuzz import seeds

_GRAMMAR = Path(__file__).with_name("sql_grammar.txt")
_HOLE = re.compile(r"<(\w+)>")
_TOKEN = re.compile(r"\w+|'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|\s+|.", re.DOTALL)
_MAX_DEPTH = 7
_MAX_CHARS = 3_000
# What is put between or in place of a statement's words.
_ODDITIES = (
    *(
        " ",
        "\n",
        "\t",
        "\r",
        "\v",
        "\f",
        "\0",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "/**/",
        "/*",
        "*/",
        "--",
        "-- \n",
        "#",
        ";",
    ),
    *(
        "'",
        "''",
        '"',
        "`",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "$$",
        "$",
        "\\",
        "\\'",
        "@",
        "@@",
        "::",
        ":",
        "?",
        ",",
        ".",
        "*",
    ),
    *(
        "\u02bc",
        "\uff07",
        "\u037e",
        "\U0001f600",
        "\ud800",
        "E'",
        "U&'",
        "N'",
        "q'[",
        "0x",
        "1e",
        "||",
        "=>",
        "->",
        ":=",
    ),
)


@lru_cache(maxsize=1)
def grammar() -> dict[str, tuple[str, ...]]:
    """The rules, each with its alternatives."""
    rules: dict[str, list[str]] = defaultdict(list)
    for line in _GRAMMAR.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, way = line.partition("\t")
            rules[name].append(way)
    return {name: tuple(ways) for name, ways in rules.items()} | {"newline": ("\n",)}


@st.composite
def generated(draw: st.DrawFn, dialect: str) -> str:
    """A statement of the grammar, with functions that the dialect is allowed, and with those of all dialects."""
    rules = grammar() | {"allowed": _allowed(dialect), "known": _known()}

    def compose(rule: str, depth: int) -> str:
        ways = rules[rule]
        one = draw(st.sampled_from(ways)) if depth < _MAX_DEPTH or not _HOLE.search("".join(ways)) else ways[0]
        return _HOLE.sub(lambda hole: compose(hole[1], depth + 1), one)

    return compose("statement", 0)[:_MAX_CHARS]


@st.composite
def changed(draw: st.DrawFn) -> str:
    """A known statement, changed in one to five places."""
    known = seeds.statements()
    tokens = _TOKEN.findall(draw(st.sampled_from(known)))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(tokens)))
        end = min(start + draw(st.integers(0, 3)), len(tokens))
        tokens[start:end] = _put(draw, known, tokens[start:end])
    return "".join(tokens)[:_MAX_CHARS]


def _put(draw: st.DrawFn, known: tuple[str, ...], taken: list[str]) -> list[str]:
    """Replacements for some words."""
    way = draw(st.sampled_from(["nothing", "oddity", "words", "twice", "case", "cut"]))
    if way == "oddity":
        return [*taken, draw(st.sampled_from(_ODDITIES))]
    if way == "words":
        other = _TOKEN.findall(draw(st.sampled_from(known)))
        start = draw(st.integers(0, len(other)))
        return other[start : start + draw(st.integers(1, 12))]
    if way == "twice":
        return [*taken, *taken]
    if way == "case":
        return ["".join(taken).swapcase()]
    text = "".join(taken)
    at = draw(st.integers(0, len(text)))
    return [] if way == "nothing" else [text[:at], draw(st.sampled_from(_ODDITIES)), text[at:]]


@lru_cache
def _allowed(dialect: str) -> tuple[str, ...]:
    row = DIALECTS[dialect]
    return tuple(sorted(row.functions | row.aggregates | row.table_functions))


@lru_cache(maxsize=1)
def _known() -> tuple[str, ...]:
    return tuple(sorted({name for dialect in DIALECTS for name in _allowed(dialect)}))

"""Removes values from a driver's error messages.

A value in a row may be private, and every engine puts values into its errors in its own form: in quotes, in brackets,
bare, cut off. So this module does not search for what must be removed. It keeps a word only if it is in the query or in
the schema, names a type, or belongs to the vocabulary of the engines' error messages. A value may be such a word too:
in quotes, or next to a gap, only names and types are kept.
"""

from __future__ import annotations

import re

from executors.base import Schema
from executors.dialects.row import read_words

_GAP = "…"
_TOKEN = re.compile(r"(?:ORA|DPY|PLS|SQLSTATE)-?\d+|\w+")
_GAPS = re.compile(rf"{_GAP}(?:[^\w\n]*{_GAP})+")
_KIND = (
    r"U?(?:TINY|SMALL|MEDIUM|BIG|HUGE)?INT(?:EGER)?(?:8|16|32|64|128|256)?|FLOAT(?:32|64)?|DOUBLE|REAL|NUMBER|NUMERIC|"
    r"DECIMAL(?:32|64|128|256)?|DATE(?:32|64|TIME2?|TIME64)?|TIME|TIMESTAMP(?:TZ|_NTZ|_LTZ|_S|_MS|_NS)?|INTERVAL|"
    r"N?(?:VAR)?CHAR2?|TEXT|STRING|(?:FIXED|N)?STRING|N?CLOB|BLOB|BYTEA|BINARY|VARBINARY|BOOL(?:EAN)?|BIT|JSONB?|XML|"
    r"UUID|ENUM|ARRAY|LIST|MAP|STRUCT|TUPLE|NULLABLE"
)
_TYPE = re.compile(
    rf"{_KIND}|LINE|TOP|FOR|GROUP|ORDER|BY|HAVING|WHERE|SELECT|FROM|UNION|INTERSECT|"
    r"EXCEPT|DISTINCT|LIMIT|OVER|AGGREGATE|RECURSIVE|GROUPING|ROLLUP|CUBE|FETCH|OFFSET|CAST|COLLATE|COLLATION|UTF8|NULL|"
    r"ORDERBY|HINT|DETAIL|ERROR|DB|SQL|AND|OR|NOT|IN|IS|AS|ON|JOIN|WITH|CASE|WHEN|THEN|ELSE|END",
    re.IGNORECASE,
)
_IN_QUOTES = re.compile(rf"{_KIND}|(?:STRING|INTEGER)_LITERAL")
_QUOTES = re.compile(r"(?<!\w)(?P<quote>['\"`])(?P<value>.*?)(?P=quote)(?!\w)", re.DOTALL)
_BARE = re.compile(
    r"\b(?:parse|read) (?i:date\w*|time|uuid|ipv[46]|bool\w*|number|decimal) (?!from\b)(?:here: )?(?P<value>[^:\n]+)"
)  # ClickHouse's values, which have no quotes
_PLACES = frozenset(f"{part} clause" for part in ("where", "order", "having", "on")) | {"field list", "group statement"}
_STUCK = re.compile(r"[^\s()\[\],:;=]+")  # words without a separator between them
_SENTENCE = re.compile(r"(?:^|[.:!?;]\s|\n)\s*$")  # the text before the first word of a sentence

_WORDS = read_words(__file__, "driver_words.txt")["words"]  # the vocabulary of the engines' error messages


def without_values(message: str, sql: str, schema: Schema) -> str:
    """The message with a gap for each word that may be a value. Names of the schema and words of the query stay."""
    known = set(map(str.casefold, re.findall(r"\w+", sql))) | _names(schema)
    spans = [match.span("value") for match in (*_QUOTES.finditer(message), *_BARE.finditer(message))]
    values = [(start, end) for start, end in spans if message[start:end] not in _PLACES]
    stuck = [match.span() for match in _STUCK.finditer(message)]
    tokens = list(_TOKEN.finditer(message))
    gaps: set[int] = set()
    for match in tokens:
        may_be = any(start <= match.start() < end for start, end in values)
        if not (_is_name(match[0], known) if may_be else _may_show(match, message, known)):
            gaps.add(match.start())
    for start, end in stuck:  # the rest of a value that the engine cut off
        within = [match for match in tokens if start <= match.start() < end]
        if any(match.start() in gaps for match in within):
            gaps |= {match.start() for match in within if not _is_name(match[0], known)}
    shown = _TOKEN.sub(lambda match: _GAP if match.start() in gaps else match[0], message)
    return _GAPS.sub(_GAP, shown)


def _is_name(word: str, known: set[str]) -> bool:
    """Whether a word is kept even in the place of a value."""
    return word.casefold() in known or bool(_IN_QUOTES.fullmatch(word))


def _may_show(match: re.Match[str], message: str, known: set[str]) -> bool:
    word = match[0]
    if word.casefold() in known or "-" in word or word.startswith("SQLSTATE") or _TYPE.fullmatch(word):
        return True
    if word.isupper() and "_" in word:  # the name of an error
        return all(part.lower() in _WORDS or _TYPE.fullmatch(part) for part in word.split("_"))
    if word.lower() not in _WORDS:
        return False
    # A capital in the middle of a sentence begins a name.
    return word.islower() or bool(_SENTENCE.search(message[: match.start()][-40:]))


def _names(schema: Schema) -> set[str]:
    names = [schema.database, schema.namespace]
    for table in schema.tables:
        names += [table.name, *(column.name for column in table.columns)]
    return {word.casefold() for name in names for word in re.findall(r"\w+", name)}

"""Past queries are found by what they ask for, not by the values that they contain.

"Sales in Berlin in 2023" and "Sales in Lima in 2024" need the same query. So the question of a past query is embedded
with its values masked, and a new question is masked in the same way before the two are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from executors.base import Frozen, Schema
from rag.words import Token, is_silent, stem_of, tokens, words

# Short, to give the other words more weight. Measured against words ("number", "date", "value") and no placeholder.
NUMBER, DATE, VALUE = "N", "D", "X"

_LONGEST = 5  # most words of a stored value to look for
_SHORT = 3  # stored values up to this number of characters, such as country codes, match only with the same case

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY, _YEAR = r"\d{1,2}(?:st|nd|rd|th)?", r"(?:1[5-9]|2[01])\d\d"
_TIME = r"(?:[T ]\d{1,2}:\d\d(?::\d\d)?)?"
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d{{1,2}}(?:-\d{{1,2}})?{_TIME}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?|{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?|{_MONTH},?\s+{_YEAR}"
    rf"|(?:q[1-4]|h[12])\s+{_YEAR}|{_YEAR})\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])[$€£]?\d+(?:[.,]\d+)*%?(?![\w-])")
_QUOTED = re.compile(r"[\"“”«»„`][^\"“”«»„`]{1,80}[\"“”«»„`]|(?<!\w)['‘’][^'‘’]{1,80}['‘’](?!\w)")
_LITERAL = re.compile(r"'((?:[^']|'')*)'")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_REPEATED = re.compile(rf"\b({VALUE}|{DATE})\b(?:[\s,]+(?:and\s+|or\s+)?\1\b)+")
# Words of German, in which every noun is capitalized, so that capitals reveal nothing.
_GERMAN = words("der das dem wie viele welche welcher welches wer ist sind im und von für nach")


class QuestionVocabulary(Frozen):
    """The words of questions that are values, and those that are names.

    values: stored texts, in lower case if they are longer than three characters.
    names: stems of the words in table and column names. They are no values even if capitalized.
    """

    values: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


NOTHING = QuestionVocabulary()


def vocabulary(values: Iterable[str], names: frozenset[str]) -> QuestionVocabulary:
    """A vocabulary of stored texts, without those that are uninformative or also names."""
    found = (value for value in map(_fold, values) if any(map(str.isalpha, value)) and len(value) > 1)
    telling = (value for value in found if not all(map(is_silent, tokens(value))) and not words(value) <= names)
    return QuestionVocabulary(values=frozenset(telling), names=names)


def vocabulary_of(schema: Schema) -> QuestionVocabulary:
    """The names of a schema and the sample values of its columns."""
    names = " ".join(name for table in schema.tables for name in (table.name, *(it.name for it in table.columns)))
    samples = (value for table in schema.tables for column in table.columns for value in column.samples)
    return vocabulary(samples, words(names))


def mask(question: str, known: QuestionVocabulary = NOTHING) -> str:
    """A question with its values masked: quoted text, stored values, dates, capitalized names, numbers."""
    text = _QUOTED.sub(VALUE, " ".join(question.split()))
    text = _replace(text, _find_stored_values(text, known))
    text = _DATE.sub(DATE, text)
    text = _replace(text, _capitalise(text, known))
    return _REPEATED.sub(r"\1", _NUMBER.sub(NUMBER, text))


@lru_cache(maxsize=4096)
def mask_past_question(question: str, sql: str) -> str:
    """A past question with its values masked. The texts in its SQL count as values, the names in it do not."""
    sql = _COMMENT.sub(" ", sql)
    literals = (text.replace("''", "'").strip("%") for text in _LITERAL.findall(sql))
    return mask(question, vocabulary(literals, words(_LITERAL.sub(" ", sql))))


def fold_question(question: str) -> str:
    """A key that is equal for questions that differ only in case, white space and final punctuation."""
    return " ".join(question.casefold().split()).rstrip(" .?!…。？！")


def skeleton(sql: str) -> str:
    """A query without its values, case and white space."""
    bare = re.sub(r"\b\d+(?:\.\d+)?\b", NUMBER, _LITERAL.sub(VALUE, _COMMENT.sub(" ", sql)))
    return " ".join(bare.split()).rstrip("; ").lower()


def _fold(value: str) -> str:
    value = " ".join(value.split())
    return value if len(value) <= _SHORT else value.lower()


def _find_stored_values(text: str, known: QuestionVocabulary) -> Iterator[tuple[int, int]]:
    """The spans of known values in a text, preferring longer ones."""
    if not known.values:
        return
    parts = tokens(text)
    at = 0
    while at < len(parts):
        taken = 1
        for length in range(min(_LONGEST, len(parts) - at), 0, -1):
            start, end = parts[at].start, parts[at + length - 1].end
            if _fold(text[start:end]) in known.values:
                yield start, end
                taken = length
                break
        at += taken


def _capitalise(text: str, known: QuestionVocabulary) -> Iterator[tuple[int, int]]:
    """The spans of capitalized words inside sentences, as names are written. Adjacent words form one span."""
    parts = tokens(text)
    inner = [part for part in parts if not part.leads]
    marked = [part for part in inner if _has_capital(part)]
    if 2 * len(marked) > len(inner) + 1 or any(stem_of(part) in _GERMAN for part in parts):
        return
    start, end = -1, -1
    for part in marked:
        if stem_of(part) in known.names or is_silent(part):
            continue
        if end >= 0 and not text[end : part.start].strip():
            end = part.end
            continue
        if end >= 0:
            yield start, end
        start, end = part.start, part.end
    if end >= 0:
        yield start, end


def _has_capital(part: Token) -> bool:
    """Whether a word is written like a name. A word in all capitals may as well be a term, such as `ID` or `GMV`."""
    return part.text[0].isupper() and not part.text.isupper()


def _replace(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in spans:
        pieces += [text[last:start], VALUE]
        last = end
    return "".join([*pieces, text[last:]])

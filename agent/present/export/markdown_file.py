"""Rows as a Markdown table, and whole answers as Markdown: for chats, tickets, documents and other models.

Data is escaped: it creates no links, images or markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent.core.answers import Answer, AnswerPart
from agent.present.export.columns import as_text
from executors.base import JsonValue, QueryResult

ROWS_PER_CHUNK = 500
# GitHub's Markdown also links bare addresses: http://a.example, www.a.example, a@b.example.
_MARKS = re.compile(r"[\\`*_{}\[\]<>|~#&!]|(?<=[ps]):(?=/)|(?<=www)\.|(?<=[\w.+-])@(?=[\w.-])", re.IGNORECASE)
_LINE_MARKS = re.compile(r"^(\s*)(?:([-+=])|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def markdown_chunks(result: QueryResult) -> Iterator[bytes]:
    """The table, `ROWS_PER_CHUNK` rows at a time. Columns of numbers are right-aligned."""
    columns = zip(*result.rows, strict=True) if result.rows else ((),) * len(result.columns)
    text = _line([_inline(name) for name in result.columns])
    text += _line(["---:" if _is_numeric(values) else "---" for values in columns])
    for start in range(0, max(result.row_count, 1), ROWS_PER_CHUNK):
        rows = result.rows[start : start + ROWS_PER_CHUNK]
        text += "".join(_line([_inline(as_text(value) or "") for value in row]) for row in rows)
        yield text.encode()
        text = ""


def answer_chunks(answer: Answer, result: QueryResult) -> Iterator[bytes]:
    """The question, the answer, its rows or parts, its confidence, its warnings and its query."""
    yield (f"**{_inline(answer.question)}**\n\n" if answer.question else "").encode()
    yield from _sentence_chunks(answer)
    if result.columns and result.rows:
        yield b"\n"
        yield from markdown_chunks(result)
        if answer.truncated:
            yield f"\n_The first {result.row_count:,} rows; there are more._\n".encode()
    for part in answer.parts:
        yield from _part_chunks(part)
    if answer.status == "success" and (answer.sql or answer.parts):
        yield f"\n{_sureness(answer)}\n".encode()
    if answer.warnings:
        yield ("\n" + "".join(f"> {_inline(warning)}\n" for warning in answer.warnings)).encode()
    if answer.sql:
        yield f"\n{_fence(answer.sql)}\n".encode()


def _sentence_chunks(answer: Answer) -> Iterator[bytes]:
    """The answer, and the choices of a clarification or an error as a list: each once, even if both have them."""
    labels = [choice.label for choice in answer.choices if answer.status != "success"]
    lines = answer.answer.splitlines()
    others = [line for line in lines if line.removeprefix("- ") not in labels]
    yield "{}\n".format(_paragraphs("\n".join(others))).encode()
    if listed := [label for label in labels if len(others) < len(lines) or label not in answer.answer]:
        yield ("\n" + "".join(f"- {_inline(label)}\n" for label in listed)).encode()


def _part_chunks(part: AnswerPart) -> Iterator[bytes]:
    """One query of an answer that needed several: its question, rows, confidence and query."""
    yield f"\n**\\[{part.number}\\] {_inline(part.question)}**\n".encode()
    if part.status != "success":
        yield f"\n{_paragraphs(part.answer)}\n".encode()
    if part.results:
        rows = tuple(tuple(record.values()) for record in part.results)
        result = QueryResult(columns=tuple(part.results[0]), rows=rows, truncated=part.truncated)
        yield b"\n"
        yield from markdown_chunks(result)
        if part.truncated:
            yield f"\n_The first {result.row_count:,} rows; there are more._\n".encode()
    if part.status == "success":
        yield f"\n{_sureness(part)}\n".encode()
    if part.sql:
        yield f"\n{_fence(part.sql)}\n".encode()


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _is_numeric(values: tuple[JsonValue, ...]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


def _sureness(answer: Answer | AnswerPart) -> str:
    word = "Verified" if answer.verified else "Not verified"
    return word if answer.confidence is None else f"{word}; confidence {answer.confidence:.0%}"


def _inline(text: str) -> str:
    """Escaped text that stays on its line and in its cell."""
    return _SPACE.sub(" ", _MARKS.sub(r"\\\g<0>", text)).strip()


def _paragraphs(text: str) -> str:
    """Escaped text of several lines, none of which starts a list or a heading."""
    escaped = _MARKS.sub(r"\\\g<0>", text.strip())
    return _LINE_MARKS.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", escaped)


def _fence(code: str) -> str:
    """A fenced block of SQL. The fence is longer than any run of backticks in it."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", code)), 3)
    return f"{fence}sql\n{code}\n{fence}"

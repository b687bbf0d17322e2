"""Parses a model's reply: a pydantic object, or a query."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from agent.core.errors import ReplyUnusable

# Called with the whole reply so far, by clients that stream. A retried reply starts again from the beginning.
ON_TEXT: ContextVar[Callable[[str], None] | None] = ContextVar("on_text", default=None)

_FENCED = re.compile(r"```(?:sql)?[ \t]*\n(?P<sql>.*?)(?:\n?`{1,3}|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r'"sql"\s*:\s*"(?P<sql>(?:[^"\\]|\\.)*)', re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def read_partial_sql(reply: str) -> str:
    """The unfinished query, in a fence or in the field `sql` of an object; empty before it begins."""
    field = _FIELD.search(reply)
    if field is not None:
        text = _HALF_ESCAPE.sub("", field["sql"])
        return str(json.loads(f'"{text}"', strict=False))
    fenced = _FENCED.search(reply)
    return fenced["sql"].strip() if fenced else ""


def ends_its_query(reply: str) -> bool:
    """Whether a reply continues after a query in a closed fence. `extract_sql` ignores the continuation."""
    for match in _FENCE.finditer(reply):
        closed = match[0].endswith("```") and len(match[0]) > len("``````")
        if closed and _is_query(match):
            return bool(reply[match.end() :].strip("` \t\r\n"))
    return False


T = TypeVar("T", bound=BaseModel)

# A fence may lack its end if the reply was cut off.
_FENCE = re.compile(r"```[ \t]*([\w+-]*)[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_SPECIAL_TOKEN = re.compile(r"<\|[a-z_]+\|>|</?s>")
# Line breaks inside strings are invalid JSON, but small models write them.
_LENIENT = json.JSONDecoder(strict=False)

_VERBS = (
    "SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|DROP|CREATE|ALTER|TRUNCATE|EXPLAIN|SHOW|DESCRIBE|PRAGMA|VALUES|TABLE"
    "|GRANT|REVOKE|CALL|EXEC|ATTACH|COPY|SET|REPLACE"
)
_STATEMENT = re.compile(rf"\(*\s*(?:{_VERBS})\b", re.IGNORECASE)
_COMMENTS = re.compile(r"(?:\s*(?:--[^\n]*(?:\n|\Z)|/\*.*?\*/))+", re.DOTALL)
_SPACE = re.compile(r"\s*")
_LABEL = r"(?:(?:sql|query|sqlquery|final (?:sql|query|answer)|answer)[ \t]*:\**|sql)[ \t]*\n?"
# The start of a query in prose, the surest sign first. Lower case counts only where no sentence can be. Repetitions are
# bounded: otherwise each line of an empty page would be read to its end.
_OPEN = r"\({0,40}\s{0,40}"
_STARTS = (
    re.compile(rf"^\W{{0,40}}{_LABEL}\s{{0,40}}(?={_OPEN}(?:{_VERBS})\b)", re.IGNORECASE | re.MULTILINE),
    re.compile(
        rf"^[ \t>*]{{0,80}}(?={_OPEN}(?:SELECT\b|WITH\s{{1,40}}(?:RECURSIVE\s{{1,40}})?[\w\"`\[]|(?:{_VERBS})\s))",
        re.MULTILINE,
    ),
    re.compile(
        r"(?<![\w`'\"])"
        r"(?=(?:SELECT|WITH\s{1,40}(?:RECURSIVE\s{1,40})?\w{1,100}[^;]{0,400}?\bAS\s{0,40}\()\b)"
    ),
    re.compile(r"^[ \t]{0,80}(?=(?:select\s|with\s{1,40}\w{1,100}\s{1,40}as\s{0,40}\())", re.MULTILINE),
)
_CLOSING_TAG = re.compile(r"</\w{1,20}>\Z")  # of <sql>SELECT 1</sql>
_QUOTE = re.compile(r"([`'\"])\s{0,40}(?=(?:SELECT|WITH)\b)")
_UNQUOTE = {sign: re.compile(rf"{sign}(?=[\s.,;:!?)]|\Z)") for sign in "`'\""}
# A line of prose: a capital, then lower case, and none of the shapes that a line of SQL has.
_PROSE = re.compile(
    r"[ \t>*#_-]*(?:This|The|It|Here|Note|Explanation|In|Which|We|I|You|These|That|Answer|Result|Output|For|Please|If"
    r"|Where|Each|And|So|By|To|As|There|Make|However|Alternatively|Reasoning|Let)(?:'\w+)?[ ,:*]+(?=[a-z`*\"']|\Z|\n)"
)
_SKIPPED = re.compile(  # quoted text and comments, which may contain apparent ends
    r"'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)|\[[^\]\n]{0,200}\]|--[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|\$(\w*)\$.*?(?:\$\1\$|\Z)",
    re.DOTALL,
)


MAX_CHARS = 100_000  # parsed characters of a reply: many times its token limit
_TRIES = 32  # maximum positions at which an object may begin
_MAX_DEPTH = 50


def parse_structured(text: str, type_: type[T]) -> T:
    """Parse JSON that may be fenced, in prose or cut off. Cut strings are dropped. Raises ReplyUnusable."""
    problem = "it holds no JSON object"
    for candidate in _objects(text):
        try:
            return type_.model_validate(candidate)
        except ValidationError as error:
            problem = _in_words(error)
    raise ReplyUnusable(f"The model's reply cannot be read: {problem}.")


def _objects(text: str) -> Iterator[object]:
    """The JSON objects of a text, outermost only, in order; the last one may be cut off."""
    text = text[:MAX_CHARS]
    position = text.find("{")
    for _ in range(_TRIES):
        if position < 0:
            return
        try:
            value, end = _LENIENT.raw_decode(text, position)
        except (ValueError, RecursionError):
            cut_off = _cut_off_object(text[position:])
            if cut_off is not None:
                yield from _shallow(cut_off)
                return
            end = position + 1
        else:
            yield from _shallow(value)
        position = text.find("{", end)


def _shallow(value: object) -> Iterator[object]:
    """The value, unless it is nested more deeply than any schema allows."""
    level = [value]
    for _ in range(_MAX_DEPTH):
        nested = [it for it in level if isinstance(it, (dict, list))]
        level = [inner for it in nested for inner in (it.values() if isinstance(it, dict) else it)]
        if not level:
            yield value
            return


def _cut_off_object(text: str) -> object | None:
    """The complete fields of an object whose end is missing; None if the text is no object."""
    body = text.rstrip().removesuffix("```").rstrip()
    body = re.sub(r"(?<=[\s:,\[])-?\d[\d.eE+-]*\Z", "", body)  # a number at the end may be incomplete
    try:
        return from_json(_escape_breaks(body), allow_partial=True)  # type: ignore[no-any-return]
    except ValueError:
        return None


def _escape_breaks(text: str) -> str:
    """The text with line breaks inside strings escaped."""
    return re.sub(
        r'"(?:[^"\\]|\\.)*(?:"|\Z)',
        lambda m: m[0].replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t"),
        text,
        flags=re.DOTALL,
    )


def _in_words(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False, include_context=False)
    problems = [f"{'.'.join(str(part) for part in d['loc']) or 'the object'}: {d['msg'].lower()}" for d in details[:3]]
    return "; ".join(problems)


def extract_sql(text: str) -> str | None:
    """The query in a reply: fenced, plain, in JSON or within prose; None without one. Nothing is repaired."""
    text = _SPECIAL_TOKEN.sub("", text[:MAX_CHARS]).strip()
    return _from_json(text) or _from_fence(text) or _from_prose(text)


def _from_json(text: str) -> str | None:
    """The `sql` field, if the reply is a JSON object."""
    fenced = _FENCE.match(text)
    body = fenced[2].strip() if fenced else text
    if not body.startswith("{"):
        return None
    for candidate in _objects(body):
        if isinstance(candidate, dict) and isinstance(candidate.get("sql"), str):
            return _tidy(candidate["sql"])
    return None


def _from_fence(text: str) -> str | None:
    """The first fenced block that is a query, with or without a language named."""
    for match in _FENCE.finditer(text):
        if _is_query(match):
            return _tidy(_body_of(match))
    return None


def _body_of(fence: re.Match[str]) -> str:
    """The content of a match of `_FENCE`, including SQL on the fence's own line (```SELECT ...)."""
    language = fence[1]
    if language and _STATEMENT.fullmatch(language):
        return fence[0].removeprefix("```").removesuffix("```")
    return fence[2]


def _is_query(fence: re.Match[str]) -> bool:
    body = _body_of(fence)
    bare = _COMMENTS.sub("", body, count=1) if _COMMENTS.match(body) else body
    return _STATEMENT.match(bare.strip()) is not None


def _from_prose(text: str) -> str | None:
    text = _FENCE.sub(" ", text) if "```" in text else text
    quoted = _quote(text)
    if quoted and not _STARTS[1].match(text):
        return _tidy(quoted)
    for start in _STARTS:
        match = start.search(text)
        if match:
            return _tidy(_until_its_end(text[match.end() :]))
    return None


def _quote(text: str) -> str | None:
    """The first query between two equal quotation marks."""
    unclosed: set[str] = set()
    for opening in _QUOTE.finditer(text):
        sign = opening[1]
        if sign in unclosed:
            continue
        closing = _UNQUOTE[sign].search(text, opening.end())
        if closing is not None:
            return text[opening.end() : closing.start()]
        unclosed.add(sign)
    return None


def _until_its_end(text: str) -> str:
    """A statement up to its semicolon, or to the first line of prose after it."""
    masked = _SKIPPED.sub(lambda m: re.sub(r"[^\n]", "x", m[0]), text)
    end = 0
    while True:
        semicolon = masked.find(";", end)
        if semicolon < 0:
            end = len(text)
            break
        end = semicolon + 1
        comments = _COMMENTS.match(text, end)
        bare = _after_space(text, comments.end() if comments else end)
        if not _STATEMENT.match(text, bare) or _PROSE.match(text, _after_space(text, end)):
            break
    offset = 0
    for line in masked[:end].splitlines(keepends=True):
        if offset and _PROSE.match(line):
            return text[:offset]
        offset += len(line)
    return text[:end]


def _after_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _tidy(sql: str) -> str | None:
    """The query without surrounding space, semicolons, tag and backticks. Backticks of a name at its end stay."""
    start = 0
    while start < len(sql) and (sql[start] == "`" or sql[start].isspace()):
        start += 1
    sql = _without_end(_CLOSING_TAG.sub("", _without_end(sql[start:])))
    if sql.endswith("`") and sql.count("`") % 2:
        sql = _without_end(sql[:-1])
    return sql or None


def _without_end(sql: str) -> str:
    end = len(sql)
    while end and (sql[end - 1] == ";" or sql[end - 1].isspace()):
        end -= 1
    return sql[:end]

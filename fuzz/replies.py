"""The reply parser: for any reply, it finds the query unchanged or reports that there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from hypothesis import strategies as st
from pydantic import BaseModel

from agent.core.errors import ReplyUnusable
from agent.platform.llm.replies import extract_sql, parse_structured
from fuzz import seeds
from fuzz.cases import Case, Check, Target

_QUERY = re.compile(r"(?:SELECT|WITH)\s")
_TRAILING = "; \n\t`"


class ReplyShape(BaseModel):
    """A reply that is asked for, of each kind of field."""

    sql: str = ""
    correct: bool
    tables: list[str] = []
    weight: float | None = None
    kind: Literal["a", "b"] = "a"


def check(case: Case) -> None:
    """Raises AssertionError for something made up, or lost, and whatever else the parser raised.

    For kind `sql` the text is a query in one of the usual forms; for `json`, an object in a fence.
    """
    if case.kind in ("json", "sql"):
        _check_object(case.text) if case.kind == "json" else _check_query(case.text)
        return
    try:
        parse_structured(case.text, ReplyShape)
    except ReplyUnusable as error:
        assert str(error).endswith(".")
    found = extract_sql(case.text)
    if found is not None:
        assert found.strip(_TRAILING), "a query without a word"
        if _QUERY.match(found) and "`" not in found:
            assert extract_sql(f"```sql\n{found}\n```") == found, "another query, where it stands in a fence"


def _check_object(text: str) -> None:
    expected = ReplyShape.model_validate_json(text)
    for reply in (text, f"```json\n{text}\n```", f"Here it is: {text}", f"{text}\nI hope this helps."):
        assert parse_structured(reply, ReplyShape) == expected, reply


def _check_query(sql: str) -> None:
    for reply in (sql, f"```sql\n{sql}\n```", f"```\n{sql};\n```\nIt reads the orders.", f"SQL: {sql}"):
        assert extract_sql(reply) == sql, reply


_values = st.builds(
    ReplyShape,
    sql=st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    correct=st.booleans(),
    tables=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=10), max_size=3),
    weight=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    kind=st.sampled_from(["a", "b"]),
)
_PIECES = (
    *(
        "```",
        "```sql\n",
        "```json\n",
        "{",
        "}",
        '{"sql": "',
        '"}',
        '"correct": true',
        "[",
        "]",
        '"',
        "'",
        "\\",
        "\\u12",
    ),
    *(
        "SELECT 1",
        "select a\nfrom b",
        "WITH x AS (SELECT 1)",
        ";",
        "SQL: ",
        "Answer: ",
        "This query ",
        "-- ",
        "/*",
        "*/",
    ),
    *("<|im_end|>", "</s>", "<s>", "\n", "\n\n", "`", "$$", "Here is the SQL:", "1e5", "-", "null", "\0", "\u2028"),
)
_names = st.from_regex(r"[a-z_]{1,9}", fullmatch=True).flatmap(
    lambda name: st.sampled_from([name, f"`{name}`", f"`{name} 2`", f'"{name}"', f"[{name}]"])
)
_queries = st.builds(
    "SELECT {}, {} FROM {}{}".format,
    _names,
    st.sampled_from(["COUNT(*)", "';'", "'it''s'", "'-- no'", "1"]),
    _names,
    st.sampled_from(["", " ORDER BY `a`", "\nWHERE a = 'x;'", " LIMIT 5", " -- all of them", "\nGROUP BY 1"]),
)
_spoken = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=20)), max_size=20).map("".join)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    if draw(st.booleans()):
        return Case("json", json.dumps(draw(_values).model_dump(), ensure_ascii=draw(st.booleans())))
    if draw(st.booleans()):
        return Case("sql", draw(_queries))
    text = draw(st.one_of(_spoken, st.sampled_from(seeds.statements()), st.text(max_size=200)))
    return Case("any", text[: draw(st.integers(0, 400))])


@contextmanager
def opened() -> Iterator[Check]:
    """The check; nothing has to be open for it."""
    yield check


def _seeds() -> Sequence[Case]:
    texts = ("```sql\nSELECT 1;\n```", '{"sql": "SELECT 1", "correct": true}', "The query is `SELECT 1`.",
             'Sure!\n```json\n{"correct": false, "tables": ["a"', "SQL: SELECT a FROM b; This reads b.",
             "<|im_start|>SELECT 'it''s; x' -- no\nFROM t</s>")  # fmt: skip
    return [Case("any", text) for text in texts]


TARGET = Target(
    name="replies",
    kinds=("any",),
    cases=_cases(),
    opened=opened,
    seeds=_seeds,
    words=tuple(_PIECES[:-2]),
)

"""Parsing of a model's reply."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from agent.core.errors import ReplyUnusable
from agent.platform.llm import replies
from agent.platform.llm.replies import extract_sql, parse_structured


class Judged(BaseModel):
    reason: str
    correct: bool


class Drafted(BaseModel):
    sql: str
    explanation: str = ""
    plan: dict[str, object] = {}


SQL = "SELECT count(*) FROM orders"


@pytest.mark.parametrize(
    "reply, expected, why",
    [
        (SQL, SQL, "nothing but the query"),
        (f"  {SQL};\n", SQL, "semicolon and space around it"),
        (f"{SQL};;", SQL, "more semicolons than needed"),
        (f"```sql\n{SQL};\n```", SQL, "fenced"),
        (f"```SQL\n{SQL}\n```", SQL, "the language in capitals"),
        (f"```\n{SQL}\n```", SQL, "a fence without a language"),
        (f"```postgresql\n{SQL}\n```", SQL, "another language's name"),
        (f"```sql {SQL} ```", SQL, "all on one line"),
        (f"```{SQL}```", SQL, "all on one line, without a language"),
        (f"```sql\n{SQL}", SQL, "cut off before the closing fence"),
        (f"<sql>{SQL}</sql>", SQL, "between tags"),
        (f"<query>\n{SQL};\n</query>", SQL, "between tags, with a semicolon"),
        (f"Here is the query:\n```sql\n{SQL}\n```\nIt counts all orders.", SQL, "prose around a fence"),
        (f"```text\nsome words\n```\n```sql\n{SQL}\n```", SQL, "the first fence is none of SQL"),
        (f"```sql\n{SQL}\n```\nor\n```sql\nSELECT 2\n```", SQL, "the first of two"),
        (f"```sql\n-- all of them\n{SQL}\n```", f"-- all of them\n{SQL}", "a comment first"),
        (f"```sql\n/* all\nof them */\n{SQL}\n```", f"/* all\nof them */\n{SQL}", "a long comment first"),
        (f"SQL: {SQL}", SQL, "a label"),
        (f"SQL:\n{SQL}", SQL, "a label on its own line"),
        (f"**SQL:** {SQL}", SQL, "a label in bold"),
        (f"Query: {SQL}", SQL, "another label"),
        (f"sql\n{SQL}", SQL, "a fence that lost its backticks"),
        (f"Final answer: {SQL}", SQL, "a label of two words"),
        (f"You can use {SQL}; which counts them.", SQL, "in the middle of a sentence"),
        (f"The query is `{SQL}`.", SQL, "inline code"),
        (f'The query is "{SQL}".', SQL, "in quotes"),
        (f"{SQL}\n\nThis query counts all orders.", SQL, "an explanation after an empty line"),
        (f"{SQL}\nThis query counts all orders.", SQL, "an explanation on the next line"),
        (f"{SQL};\nExplanation: it counts.", SQL, "an explanation after the semicolon"),
        (f"{SQL}\n\nNote: `orders` holds one row per order", SQL, "a note"),
        (f"{SQL}<|im_end|>", SQL, "a token of the chat format"),
        ('{"sql": "SELECT 1", "explanation": "one"}', "SELECT 1", "an object"),
        ('```json\n{"sql": "SELECT 1;"}\n```', "SELECT 1", "a fenced object"),
        ('{"sql": "SELECT a\nFROM t"}', "SELECT a\nFROM t", "an object with a bare line break"),
        ('{"sql": "SELECT 1", "explanation": "cut o', "SELECT 1", "an object that is cut off later"),
        ('{"explanation": "no query", "sql": null}', None, "an object without a query"),
        ("WITH d AS (SELECT 1 AS x) SELECT x FROM d", "WITH d AS (SELECT 1 AS x) SELECT x FROM d", "a CTE"),
        ("with d as (select 1 as x) select x from d", "with d as (select 1 as x) select x from d", "a small CTE"),
        ("select a\nfrom t\nwhere b = 1", "select a\nfrom t\nwhere b = 1", "lower case at the start of a line"),
        ("To see it, select the row you want.", None, "the English word"),
        ("With this data I cannot say.", None, "another English word"),
        ("(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)", "parentheses first"),
        ("SELECT ';' AS x FROM t; It is text.", "SELECT ';' AS x FROM t", "a semicolon within quotes"),
        ("SELECT 'it''s; fine' FROM t;", "SELECT 'it''s; fine' FROM t", "a quote within quotes"),
        ("SELECT a -- x; y\nFROM t;", "SELECT a -- x; y\nFROM t", "a semicolon within a comment"),
        ('SELECT "a;b" FROM t; ok', 'SELECT "a;b" FROM t', "a semicolon within a name"),
        ("SELECT `a;b` FROM t", "SELECT `a;b` FROM t", "backticks as MySQL has them"),
        ("SELECT [In stock] FROM [The t]", "SELECT [In stock] FROM [The t]", "brackets as SQL Server has them"),
        ("SELECT 1; DROP TABLE t", "SELECT 1; DROP TABLE t", "two statements stay two"),
        ("SELECT 1;\nSELECT 2;", "SELECT 1;\nSELECT 2", "two queries stay two"),
        ("DROP TABLE t", "DROP TABLE t", "the guard refuses it, not we"),
        ("```sql\nDELETE FROM t\n```", "DELETE FROM t", "the guard refuses it, not we"),
        ("SELECT a,\n\n  b\nFROM t", "SELECT a,\n\n  b\nFROM t", "an empty line inside the query"),
        ("SELECT a\nFROM t\nORDER BY a\nLIMIT 5", "SELECT a\nFROM t\nORDER BY a\nLIMIT 5", "clauses are no prose"),
        ("SELECT In, To FROM t", "SELECT In, To FROM t", "columns named like English words"),
        ("I do not know.", None, "no query at all"),
        ("", None, "nothing"),
        ("```sql\n```", None, "an empty fence"),
        ("```python\nprint(1)\n```", None, "another language"),
        ("SELECT a FROM `orders`", "SELECT a FROM `orders`", "a quoted name at its end"),
        ("```sql\nSELECT a FROM `orders`;\n```", "SELECT a FROM `orders`", "a quoted name at its end, in a fence"),
        ("`SELECT a FROM `orders``", "SELECT a FROM `orders`", "a quoted name at its end, among backticks"),
    ],
)
def test_the_query_is_taken_out_of_a_reply(reply: str, expected: str | None, why: str) -> None:
    assert extract_sql(reply) == expected, why


YES = Judged(reason="one row", correct=True)


@pytest.mark.parametrize(
    "reply, why",
    [
        ('{"reason": "one row", "correct": true}', "nothing but JSON"),
        ('\n {"reason": "one row", "correct": true} \n', "space around it"),
        ('```json\n{"reason": "one row", "correct": true}\n```', "fenced"),
        ('```\n{"reason": "one row", "correct": true}', "a fence that never closes"),
        ('Sure! {"reason": "one row", "correct": true} Hope it helps.', "prose around it"),
        ('In {braces} of prose: {"reason": "one row", "correct": true}', "braces before it"),
        ('{"example": 1} and then {"reason": "one row", "correct": true}', "another object before it"),
        ('[{"reason": "one row", "correct": true}]', "in a list"),
        ('{"reason": "one row", "correct": true', "cut off before the brace"),
        ('{"reason": "one row", "correct": true, "mo', "cut off in what is not needed"),
        ('{"reason": "one row", "correct": "yes"}', "a word for true"),
    ],
)
def test_an_object_is_taken_out_of_a_reply(reply: str, why: str) -> None:
    assert parse_structured(reply, Judged) == YES, why


def test_line_breaks_inside_a_string_are_understood() -> None:
    assert parse_structured('{"sql": "SELECT 1\nFROM t"}', Drafted).sql == "SELECT 1\nFROM t"


def test_line_breaks_inside_a_string_are_understood_when_the_end_is_missing() -> None:
    assert parse_structured('{"sql": "SELECT 1\nFROM t", "explanation": "hal', Drafted).sql == "SELECT 1\nFROM t"


@pytest.mark.parametrize(
    "reply, says, why",
    [
        ("", "no JSON object", "nothing"),
        ("I cannot say.", "no JSON object", "prose"),
        ('{"reason": "one row"}', "correct: field required", "a field is missing"),
        ('{"reason": "one row", "correct": "perhaps"}', "correct:", "no truth value"),
        ('{"reason": "cut of', "reason: field required", "half a string is not used"),
        ('{"correct": 1', "correct: field required", "half a number is not used"),
        ('["reason", true]', "no JSON object", "a list"),
    ],
)
def test_an_unusable_reply_says_what_is_missing(reply: str, says: str, why: str) -> None:
    with pytest.raises(ReplyUnusable, match=says) as raised:
        parse_structured(reply, Judged)
    assert str(raised.value).startswith("The model's reply cannot be read: ")  # users read it, too


def test_half_a_query_is_never_used() -> None:
    with pytest.raises(ReplyUnusable):
        parse_structured('{"sql": "DELETE FROM t WHERE a = 1 AND', Drafted)


def test_an_object_inside_another_is_not_mistaken_for_it() -> None:
    with pytest.raises(ReplyUnusable, match="sql: field required"):
        parse_structured('{"plan": {"sql": "SELECT 1"}, "explanation": "x"}', Drafted)


@pytest.mark.parametrize(
    "reply",
    [
        '{"sql":' + "[" * 20_000,
        '{"reason": ' + '{"a":' * 20_000,
        "[" * 20_000 + "{",
        '{"plan":' + "[" * 99 + "]" * 99 + "}",
    ],
    ids=["lists without an end", "objects without an end", "no object", "closed lists"],
)
def test_a_reply_that_is_nested_beyond_reason_is_unusable(reply: str) -> None:
    for type_ in (Drafted, Judged):
        with pytest.raises(ReplyUnusable):
            parse_structured(reply, type_)
    assert not (extract_sql(reply) or "").startswith("SELECT")


@pytest.mark.parametrize("piece", ["{", '{"a', '{"sql": ', "{'", "{}"])
def test_a_long_reply_is_looked_at_a_few_times_only(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many objects may begin in it, a few are tried."""
    tries: list[int] = []
    cut_off = replies._cut_off_object

    def counted(text: str) -> object | None:
        tries.append(len(text))
        return cut_off(text)

    monkeypatch.setattr(replies, "_cut_off_object", counted)
    for times in (1_000, 10_000):
        tries.clear()
        extract_sql("Well: " + piece * times + "x")
        extract_sql(piece * times + "x")
        assert len(tries) <= 2 * 32

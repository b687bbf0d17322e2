"""The answer: what becomes of a text that is not there, and what is said of the rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agent.context import Context
from agent.ledger import Ledger
from agent.llm import Message, Reply, ReplySchema
from agent.models import Attempt
from agent.profiles import EMBEDDED
from agent.scripted import ScriptedModel
from agent.synthesize import CheckedText, Writer, check_text, row_count_context, rows_as_text
from executors.base import QueryResult, Schema

ONE = QueryResult(columns=("name", "total"), rows=(("Ada", 140.0),))
CONTEXT = Context(db_schema=Schema(database="shop", dialect="sqlite", tables=()), system="The shop.")


class CutShort(ScriptedModel):
    """Says of a reply that ends in `--` that it ran into the limit of tokens."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: ReplySchema | None = None,
        max_tokens: int = 500,
        temperature: float = 0.0,
    ) -> Reply:
        reply = await super().complete(messages, schema=schema, max_tokens=max_tokens, temperature=temperature)
        return reply.model_copy(update={"truncated": reply.text.endswith("--")})


async def written(model: ScriptedModel, result: QueryResult, ledger: Ledger, draft: str | None = None) -> CheckedText:
    attempt = Attempt(sql="SELECT name, total FROM t", result=result)

    async def ahead() -> str | None:
        return draft

    text = await Writer(model, EMBEDDED).write_checked(
        "Who bought most?", attempt, None, CONTEXT, ledger, draft=ahead(), calculate=True
    )
    model.assert_done()
    return text


@pytest.mark.parametrize(
    "first, why",
    [("", "nothing was said"), ("  \n", "nothing but white space"), ("Ada with 140, which --", "it broke off")],
)
async def test_a_reply_that_is_no_answer_costs_the_one_rewrite(first: str, why: str) -> None:
    model, ledger = CutShort(), Ledger()
    model.replies(text=first)
    model.replies(text="Ada, with 140.")

    text = await written(model, ONE, ledger)

    assert text.text == "Ada, with 140."
    assert "broke off" in model.asked[1].tail
    assert all(check.passed for check in text.checks)
    assert ledger.warnings == []


async def test_a_draft_that_was_written_ahead_and_is_empty_is_written_again() -> None:
    model = CutShort()
    model.replies(text="Ada, with 140.")

    assert (await written(model, ONE, Ledger(), draft="")).text == "Ada, with 140."


@pytest.mark.parametrize("first, second", [("", ""), ("Ada --", "Ada --"), ("Ada, with 9999.", "")])
async def test_without_an_answer_the_rows_are_stated_and_the_check_has_failed(first: str, second: str) -> None:
    model, ledger = CutShort(), Ledger()
    model.replies(text=first)
    model.replies(text=second)

    text = await written(model, ONE, ledger)

    assert text.text == "name: Ada, total: 140.0"
    assert [(check.name, check.passed) for check in text.checks] == [("answer", False)]
    assert any("no whole answer" in warning for warning in ledger.warnings)


def test_several_rows_are_stated_line_by_line() -> None:
    result = QueryResult(columns=("a", "b"), rows=((1, None), (2, "x\ny"), (3, "z")))
    assert rows_as_text(result, 2) == "a: 1, b: NULL\na: 2, b: x y"
    assert rows_as_text(QueryResult(columns=("a",), rows=()), 2) == "n = 0"


@pytest.mark.parametrize(
    "count, truncated, says",
    [(0, False, ""), (1, False, ""), (12, False, " (n = 12)"), (500, True, " (n > 500)"), (1, True, " (n > 1)")],
)
def test_the_number_of_rows_in_no_language(count: int, truncated: bool, says: str) -> None:
    rows = tuple((n,) for n in range(count))
    assert row_count_context(QueryResult(columns=("n",), rows=rows, truncated=truncated)) == says


async def test_rows_that_were_cut_are_a_warning_in_words() -> None:
    model, ledger = ScriptedModel(), Ledger()
    model.replies(text="Ada und andere.")

    text = await written(model, ONE.model_copy(update={"truncated": True}), ledger)

    assert text.text == "Ada und andere. (n > 1)"
    assert ledger.warnings == ["The rows were cut at 1; there are more."]


def test_placeholders_are_filled_before_equations_are_recomputed() -> None:
    text = check_text("[[100 + 40]]. Also 100 + 40 = 150.", "?", ONE, ONE, calculate=True)

    assert text.text.startswith("140. Also 100 + 40 = 140")
    assert [correction.computed for correction in text.corrections] == ["140", "140"]
    assert "1 corrected" in text.checks[0].detail


def test_without_the_calculator_nothing_is_computed() -> None:
    text = check_text("100 + 40 = 150.", "?", ONE, None, calculate=False)

    assert text.text == "100 + 40 = 150."
    assert text.checks[0].passed is None

"""The answer's text: an absent one, and the summary of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import pytest

from agent.checks.grounding.answer import check_text
from agent.checks.grounding.evidence.facts import Facts
from agent.checks.grounding.evidence.result import CheckedText
from agent.core.models import Attempt
from agent.databases.knowledge.context import Context
from agent.pipeline.steps.synthesize import Writer, row_count_context
from agent.platform.config.profiles import EMBEDDED, LARGE_HOSTED, Profile
from agent.platform.llm.chat import ChatRequest, Message, Reply
from agent.platform.telemetry.ledger import Ledger
from executors.base import Column, QueryResult, Schema, Table
from testbed.scripted_model import ScriptedModel

ONE = QueryResult(columns=("name", "total"), rows=(("Ada", 140.0),))
CONTEXT = Context(db_schema=Schema(database="shop", dialect="sqlite", tables=()), system="The shop.")


class CutShort(ScriptedModel):
    """Says of a reply that ends in `--` that it ran into the limit of tokens."""

    async def complete(self, messages: Sequence[Message], **request: Unpack[ChatRequest]) -> Reply:
        reply = await super().complete(messages, **request)
        return reply.model_copy(update={"truncated": reply.text.endswith("--")})


TWICE = EMBEDDED.model_copy(update={"sentence_tries": 2})


async def written(
    model: ScriptedModel, result: QueryResult, ledger: Ledger, draft: str | None = None, profile: Profile = TWICE
) -> CheckedText:
    attempt = Attempt(sql="SELECT name, total FROM t", result=result)

    async def ahead() -> str | None:
        return draft

    text = await Writer(model, profile).write_checked(
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


@pytest.mark.parametrize(
    "first, second",
    [
        ("", ""),
        ("Ada --", "Ada --"),
        ("Ada, with 9999.", ""),
        ("Ada, with 9999.", "Ada, with 8888."),
        ("| name | total |\n| Ada | 140 |", "```\nAda, 140\n```"),
        ("<b>Ada</b>, with 140.", "# Ada\n140"),
        ("Ada, with 140. " * 700, "Ada, with 140. " * 700),
    ],
    ids=["nothing", "broken off", "wrong, then nothing", "wrong twice", "tables and code", "markup", "10,000 words"],
)
async def test_where_no_sentence_holds_the_answer_is_composed(first: str, second: str) -> None:
    model, ledger = CutShort(), Ledger()
    model.replies(text=first)
    model.replies(text=second)

    text = await written(model, ONE, ledger)

    assert (text.text, text.source) == ("Name: Ada; total: 140.", "composed")
    assert all(check.passed for check in text.checks)
    why = "was not used" if second and second != "Ada --" else "is incomplete"
    assert why in text.checks[0].detail
    assert [why in warning for warning in ledger.warnings] == ([] if why == "was not used" else [True])


async def test_the_writer_reads_what_was_wrong_with_its_first_sentence() -> None:
    model = ScriptedModel()
    model.replies(text="Bo, with 140.")
    model.replies(text="Ada, with 140.")

    assert (await written(model, ONE, Ledger())).text == "Ada, with 140."
    assert "Bo, with 140." in model.asked[1].tail
    assert "neither in the question nor in the rows" in model.asked[1].tail


async def test_the_embedded_model_writes_one_sentence() -> None:
    model, ledger = ScriptedModel(), Ledger()
    model.replies(text="Bo, with 140.")

    text = await written(model, ONE, ledger, profile=EMBEDDED)

    assert (text.text, text.source) == ("Name: Ada; total: 140.", "composed")
    assert "neither in the question nor in the rows" in text.checks[0].detail
    assert ledger.warnings == [], "the composed answer is as good"


async def test_a_whole_number_of_floats_is_written_as_one() -> None:
    model = ScriptedModel()
    model.replies(text="Ada, with 172931.0.")
    rows = QueryResult(columns=("name", "total"), rows=(("Ada", 172931.0),))

    assert (await written(model, rows, Ledger())).text == "Ada, with 172,931."


SEVERAL = QueryResult(columns=("name", "total"), rows=(("Ada", 140.0), ("Bo", 99.5)))


async def test_several_rows_are_composed_without_the_embedded_model() -> None:
    text = await written(ScriptedModel(), SEVERAL, Ledger())

    assert (text.text, text.source) == ("Total by name: Ada: 140.0; Bo: 99.5. (n = 2)", "composed")


async def test_a_missing_value_is_composed_without_the_embedded_model() -> None:
    """It would write "The last night was on NULL"."""
    text = await written(ScriptedModel(), QueryResult(columns=("last_night",), rows=((None,),)), Ledger())

    assert (text.text, text.source) == ("Last night: no value.", "composed")


async def test_a_hosted_model_writes_the_sentence_for_several_rows() -> None:
    model = ScriptedModel()
    model.replies(text="Ada bought for 140 and Bo for 99.5.")
    attempt = Attempt(sql="SELECT name, total FROM t", result=SEVERAL)

    text = await Writer(model, LARGE_HOSTED).write_checked(
        "Who bought for how much?", attempt, None, CONTEXT, Ledger(), draft=None, calculate=True
    )

    assert (text.text, text.source) == ("Ada bought for 140 and Bo for 99.5. (n = 2)", "model")


@pytest.mark.parametrize(
    "count, truncated, says",
    [(0, False, ""), (1, False, ""), (12, False, " (n = 12)"), (500, True, " (n > 500)"), (1, True, " (n > 1)")],
)
def test_the_number_of_rows_in_no_language(count: int, truncated: bool, says: str) -> None:
    rows = tuple((n,) for n in range(count))
    assert row_count_context(QueryResult(columns=("n",), rows=rows, truncated=truncated)) == says


async def test_rows_that_were_cut_are_a_warning_in_words() -> None:
    model, ledger = ScriptedModel(), Ledger()
    model.replies(text="")
    model.replies(text="")

    text = await written(model, ONE.model_copy(update={"truncated": True}), ledger)

    assert text.text == "Name: Ada; total: 140. (n > 1)"
    assert "The rows were cut at 1; there are more." in ledger.warnings


TWO = QueryResult(columns=("one", "two"), rows=((100, 40),))


def checked(text: str, *, calculate: bool = True) -> CheckedText:
    return check_text(text, Facts(question="What do they come to together?", result=TWO, calculate=calculate))


def test_placeholders_are_filled_before_equations_are_recomputed() -> None:
    text = checked("Together [[100 + 40]]. Together 100 + 40 = 150.")

    assert text.text.startswith("Together 140. Together 100 + 40 = 140")
    assert [correction.computed for correction in text.corrections] == ["140", "140"]
    assert "1 corrected" in text.checks[0].detail
    assert text.problems == ()


def test_without_the_calculator_nothing_is_computed_or_believed() -> None:
    text = checked("Together 100 + 40 = 140.", calculate=False)

    assert text.text == "Together 100 + 40 = 140."
    assert text.checks[0].passed is None
    assert "switched off" in text.problems[0] + text.problems[-1]


LARGE = QueryResult(columns=("name", "year", "total"), rows=(("Ada", 2024, 15315.32),))


@pytest.mark.parametrize(
    "question, sentence, shown",
    [
        ("Who bought most, and when?", "Ada bought most in 2024, for 15315.32.", "for 15,315.32."),
        ("Who bought most, and when?", "Ada bought most in 2024, for 15,315.32.", "for 15,315.32."),
        ("Wer hat 2024 am meisten gekauft?", "Ada hat 2024 am meisten gekauft, für 15315.32.", "für 15.315,32."),
        ("Wer hat 2024 am meisten gekauft?", "Ada hat 2024 am meisten gekauft, für 15.315,32.", "für 15.315,32."),
    ],
)
def test_numbers_are_marked_as_in_the_table_and_years_are_not(question: str, sentence: str, shown: str) -> None:
    text = check_text(sentence, Facts(question=question, result=LARGE))

    assert text.problems == ()
    assert text.text.endswith(shown)
    assert " 2024" in text.text
    assert all(text.text[it.start : it.end] == it.text for it in text.numbers)
    assert text.numbers[-1].column == "total"


async def test_a_composed_answer_has_the_decimals_of_its_column() -> None:
    def table(name: str, **types: str) -> Table:
        return Table(name=name, columns=tuple(Column(name=one, type=of) for one, of in types.items()))

    orders = table("orders", amount="DECIMAL(10, 2)", weight="DECIMAL(10, 2)")
    tables = (orders, table("parcels", weight="DECIMAL(10, 3)"))
    context = Context(db_schema=Schema(database="shop", dialect="sqlite", tables=tables), system="The shop.")

    async def composed(column: str) -> str:
        attempt = Attempt(sql=f"SELECT {column} FROM orders", result=QueryResult(columns=(column,), rows=((12.5,),)))
        model = CutShort()
        model.replies(text="")
        found = await Writer(model, EMBEDDED).write_checked(
            "How much?", attempt, None, context, Ledger(), draft=None, calculate=True
        )
        return found.text

    assert await composed("amount") == "Amount: 12.50."
    assert await composed("weight") == "Weight: 12.5.", "another table has three decimals under that name"

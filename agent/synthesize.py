"""The answer: a sentence from the rows, its arithmetic computed, its numbers traced."""

from __future__ import annotations

from fractions import Fraction

from agent import templates
from agent.context import Context
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.models import Attempt, Check, Correction
from agent.profiles import Profile
from executors.base import Frozen, QueryResult

MAX_TOKENS = 250


class CheckedText(Frozen):
    """An answer after its checks. `untraced` are the numbers that nothing supports."""

    text: str
    corrections: tuple[Correction, ...] = ()
    checks: tuple[Check, ...] = ()
    untraced: tuple[str, ...] = ()


class Writer:
    """Writes the answer in the question's language, and has it checked.

    Args:
        model: who writes.
        profile: how much it is shown, and whether it may ask for calculations.
    """

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self.model, self.profile = model, profile

    async def write(
        self,
        question: str,
        attempt: Attempt,
        context: Context,
        ledger: Ledger,
        *,
        calculate: bool = True,
        last: str = "",
        complaint: str = "",
    ) -> str:
        """A sentence or two from the attempt's rows; with `last` and `complaint`, a second try at it.

        Raises:
            ModelUnavailable, ModelFailed: from the model.
        """
        shown = self.profile.rows_shown
        reply = await self.model.complete(
            context.messages(
                "answer",
                question=question,
                sql=attempt.executed_sql or attempt.sql,
                table=templates.as_table(attempt.rows, shown),
                row_context=templates.row_context(attempt.rows, shown),
                placeholders=self.profile.placeholders and calculate,
                last=last,
                complaint=complaint,
            ),
            max_tokens=MAX_TOKENS,
        )
        ledger.spend(reply.usage)
        return reply.text.strip()

    async def write_checked(
        self,
        question: str,
        attempt: Attempt,
        raw: QueryResult | None,
        context: Context,
        ledger: Ledger,
        *,
        draft: str | None,
        calculate: bool,
    ) -> CheckedText:
        """The answer with its arithmetic recomputed and every number traced; one rewrite where one cannot be.

        Args:
            raw: the rows behind the aggregate, if there are any.
            draft: a first text, written ahead of time; None: it is written now.
            calculate: fill `[[...]]` and recompute equations.

        Raises:
            ModelUnavailable, ModelFailed: from the model.
        """
        if draft is None:
            draft = await self.write(question, attempt, context, ledger, calculate=calculate)
        checked = check_text(draft, question, attempt.rows, raw, calculate=calculate)
        if checked.untraced:
            complaint = f"no row says {', '.join(checked.untraced)}."
            again = await self.write(
                question, attempt, context, ledger, calculate=calculate, last=draft, complaint=complaint
            )
            checked = check_text(again, question, attempt.rows, raw, calculate=calculate)
        if checked.untraced:
            ledger.warn(f"Not found in the rows, the question or a calculation: {', '.join(checked.untraced)}.")
        return checked.model_copy(update={"text": checked.text + row_count_context(attempt.rows)})


def check_text(
    text: str, question: str, result: QueryResult, raw: QueryResult | None, *, calculate: bool
) -> CheckedText:
    """Compute what is to be computed in an answer, then trace every number in it."""
    from agent.arithmetic.equations import recompute
    from agent.calculator import fill_placeholders
    from agent.grounding import trace

    corrections: tuple[Correction, ...] = ()
    calculator = Check(name="calculator", passed=None, detail="The calculator is switched off.")
    values: tuple[Fraction, ...] = ()
    if calculate:
        filled = fill_placeholders(text)
        recomputed = recompute(filled.text)
        text, values = recomputed.text, (*filled.values, *recomputed.values)
        corrections = (*filled.corrections, *recomputed.corrections)
        detail = " ".join(filled.warnings) or f"{len(values)} calculations, {len(recomputed.corrections)} corrected."
        calculator = Check(name="calculator", passed=not filled.warnings, detail=detail)
    found = trace(text, result=result, raw=raw, question=question, calculated=values, row_count=result.row_count)
    untraced = tuple(dict.fromkeys(number.text for number in found.untraced))
    detail = f"Not traced: {', '.join(untraced)}." if untraced else f"{len(found.numbers)} numbers traced."
    grounding = Check(name="grounding", passed=not untraced, detail=detail)
    return CheckedText(text=text, corrections=corrections, checks=(calculator, grounding), untraced=untraced)


def row_count_context(result: QueryResult) -> str:
    """How many rows the answer speaks of, where it is more than one; and whether there are more than were fetched."""
    if result.truncated:
        return f" (The first {result.row_count} rows; there are more.)"
    return f" ({result.row_count} rows.)" if result.row_count > 1 else ""

"""The answer: a sentence from the rows, its arithmetic computed, its numbers traced."""

from __future__ import annotations

from collections.abc import Awaitable

from agent import leaks, templates
from agent.context import Context
from agent.errors import ModelError
from agent.fences import one_line
from agent.ledger import Ledger
from agent.llm import ChatModel
from agent.models import AnswerNumber, Attempt, Check, Correction
from agent.profiles import Profile
from executors.base import Frozen, JsonValue, QueryResult

MAX_TOKENS = 250
NO_ANSWER = "it was empty, or broke off before its end. Answer in one short sentence."


class CheckedText(Frozen):
    """An answer after its checks. `untraced` are those of its `numbers`, and of its denials, that nothing supports."""

    text: str
    corrections: tuple[Correction, ...] = ()
    numbers: tuple[AnswerNumber, ...] = ()
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

        Empty where the model said nothing, or more than it may: half a sentence is no answer.

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
        return "" if reply.truncated else reply.text.strip()

    async def write_checked(
        self,
        question: str,
        attempt: Attempt,
        raw: QueryResult | None,
        context: Context,
        ledger: Ledger,
        *,
        draft: Awaitable[str | None] | None,
        calculate: bool,
    ) -> CheckedText:
        """The answer with its arithmetic recomputed and every number traced; one rewrite where one cannot be.

        A reply that is empty or broke off costs the same one rewrite. Where there is no answer even then, or the model
        cannot be had, the rows are stated as they are, and the check `answer` has failed. What is returned ends with
        `row_count_context`.

        Args:
            raw: the rows behind the aggregate, if there are any.
            draft: a first text, written ahead of time; None, or of None: it is written now.
            calculate: fill `[[...]]` and recompute equations.
        """
        rows, why, leak = attempt.rows, "The model gave no whole answer", ""
        try:
            text = await draft if draft is not None else None
            if text is None:
                text = await self.write(question, attempt, context, ledger, calculate=calculate)
            leak = self._leak(text, question, attempt, context)
            checked = check_text("" if leak else text, question, rows, raw, calculate=calculate)
            complaint = f"no row says {', '.join(checked.untraced)}." if checked.untraced else "" if text else NO_ANSWER
            if complaint or leak:
                last, complaint = ("", f"{leak}. Answer in one short sentence.") if leak else (text, complaint)
                again = await self.write(
                    question, attempt, context, ledger, calculate=calculate, last=last, complaint=complaint
                )
                leak = self._leak(again, question, attempt, context)
                checked = check_text("" if leak else again, question, rows, raw, calculate=calculate)
        except ModelError as error:
            checked, why, leak = CheckedText(text=""), str(error).rstrip("."), ""
        if not checked.text:
            why = f"The model's answer was not used: {leak}" if leak else why
            detail = f"{why}, so the rows are stated as they are."
            ledger.warn(detail)
            answer = Check(name="answer", passed=False, detail=detail)
            checked = CheckedText(text=rows_as_text(rows, self.profile.rows_shown), checks=(answer,))
        if checked.untraced:
            ledger.warn(f"Not found in the rows, the question or a calculation: {', '.join(checked.untraced)}.")
        if rows.truncated:
            ledger.warn(f"The rows were cut at {rows.row_count}; there are more.")
        return _with_count(checked, rows)

    def _leak(self, text: str, question: str, attempt: Attempt, context: Context) -> str:
        rows = templates.as_table(attempt.rows, len(attempt.rows.rows))
        cells = (str(value) for row in attempt.rows.rows for value in row)
        return leaks.problem(text, context.system, (question, rows, *cells)) if text else ""


def _with_count(checked: CheckedText, rows: QueryResult) -> CheckedText:
    from agent.numbers import counted

    context = row_count_context(rows)
    numbers = (*checked.numbers, *counted(checked.text, context))
    return checked.model_copy(update={"text": checked.text + context, "numbers": numbers})


def check_text(
    text: str, question: str, result: QueryResult, raw: QueryResult | None, *, calculate: bool
) -> CheckedText:
    """Compute what is to be computed in an answer, then trace every number in it, and what it denies."""
    from agent.denials import unsupported_denials
    from agent.grounding import trace
    from agent.numbers import linked
    from agent.recompute import Computed, compute

    computed = compute(text) if calculate else Computed(text=text)
    calculator = Check(name="calculator", passed=None, detail="The calculator is switched off.")
    if calculate:
        counts = f"{len(computed.values)} calculations, {len(computed.corrected)} corrected."
        detail = " ".join(computed.warnings) or counts
        calculator = Check(name="calculator", passed=not computed.warnings, detail=detail)
    found = trace(
        computed.text,
        result=result,
        raw=raw,
        question=question,
        calculated=computed.values,
        row_count=result.row_count,
    )
    denied = unsupported_denials(computed.text, question, result)
    untraced = tuple(dict.fromkeys((*(number.text for number in found.untraced), *denied)))
    detail = f"Not traced: {', '.join(untraced)}." if untraced else f"{len(found.numbers)} numbers traced."
    grounding = Check(name="grounding", passed=not untraced, detail=detail)
    corrections = (*computed.filled, *computed.corrected)
    return CheckedText(
        text=computed.text,
        corrections=corrections,
        numbers=linked(computed.text, found, result, raw, corrections),
        checks=(calculator, grounding),
        untraced=untraced,
    )


def rows_as_text(result: QueryResult, most: int) -> str:
    """The first rows as lines of `column: value, ...`, in no language; `n = 0` where there are none."""
    lines = [
        ", ".join(f"{column}: {_value(value)}" for column, value in zip(result.columns, row, strict=True))
        for row in result.rows[:most]
    ]
    return "\n".join(lines) or "n = 0"


def _value(value: JsonValue) -> str:
    return "NULL" if value is None else templates.cut(one_line(str(value)), templates.CELL_CHARS)


def row_count_context(result: QueryResult) -> str:
    """How many rows the answer speaks of, in a form that every language reads.

    ` (n = 12)` for twelve rows, nothing for a single one; ` (n > 500)` where 500 were fetched and there are more.
    """
    if result.truncated:
        return f" (n > {result.row_count})"
    return f" (n = {result.row_count})" if result.row_count > 1 else ""

"""The answer: a sentence, written by a model or composed, whose every claim the rows support."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING

from agent.checks.grounding.evidence.result import CheckedText
from agent.core.errors import ModelError
from agent.core.models import Attempt
from agent.core.resilience.off_loop import off_loop
from agent.databases.key_names import KeyNames
from agent.databases.knowledge.context import Context
from agent.platform.config.profiles import Profile
from agent.platform.llm.chat import ChatModel, Message
from agent.platform.llm.prompting import leaks, templates
from agent.platform.telemetry.ledger import Ledger
from agent.understanding.shape import SOFT_RULES
from executors.base import QueryResult

if TYPE_CHECKING:
    from agent.checks.grounding.evidence.facts import Facts

MAX_TOKENS = 250
_TWO_DECIMALS = re.compile(r"(?:DECIMAL|NUMERIC|NUMBER)\s*\(\s*\d+\s*,\s*2\s*\)", re.IGNORECASE)
NO_ANSWER = "it was empty, or broke off before its end. Answer in one short sentence."
NO_WHOLE_ANSWER = "The model's answer is incomplete."


class Writer:
    """Writes the answer in the question's language, as the profile defines, and has it checked."""

    def __init__(self, model: ChatModel, profile: Profile) -> None:
        self.model, self.profile = model, profile

    def composes(self, question: str, attempt: Attempt, *, quick: bool) -> bool:
        """Whether the answer is likely to be composed without a call, so that none is begun ahead."""
        return is_contested(attempt) or self._lists(attempt.rows, quick=quick) or self._restates(question, attempt)

    def _lists(self, rows: QueryResult, *, quick: bool) -> bool:
        """Whether the answer lists columns and values: for small models, if there are several rows, or only NULL."""
        only_null = rows.row_count > 0 and all(value is None for row in rows.rows for value in row)
        return not self.profile.writes_lists and (quick or rows.row_count > 1 or only_null)

    def _restates(self, question: str, attempt: Attempt) -> bool:
        """Whether the question can be restated around the only value of the rows. The drafts must agree on the rows."""
        from agent.checks.grounding.question.restated import frame_of

        rows, verdict = attempt.rows, attempt.verdict
        is_agreed = verdict is not None and verdict.source == "drafts" and not is_contested(attempt)
        is_one_value = (rows.row_count, len(rows.columns)) == (1, 1)
        return not self.profile.writes_lists and is_agreed and is_one_value and frame_of(question) is not None

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
        """A sentence or two about the attempt's rows; with `last` and `complaint`, a second try.

        Empty if the reply is empty or was cut off: half a sentence is no answer. Raises ModelError.
        """
        shown, rows = self.profile.rows_shown, attempt.rows
        holes = {
            "question": question,
            "sql": attempt.executed_sql or attempt.sql,
            "table": templates.as_table(rows, shown, decimals=None if self.profile.placeholders else 2),
            "row_context": templates.row_context(rows, shown),
            "last": last,
            "complaint": complaint,
        }
        if self.profile.answer_prefix == "own":
            holes["row_context"] *= rows.row_count != 1  # the prefix is about one row
            messages = [answer_prefix(), Message(role="user", content=templates.render("answer_row", **holes))]
        else:
            messages = context.messages("answer", placeholders=self.profile.placeholders and calculate, **holes)
        reply = await self.model.complete(messages, max_tokens=MAX_TOKENS)
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
        quick: bool = False,
        contested: bool = False,
        ties: int = 0,
        key_names: KeyNames | None = None,
    ) -> CheckedText:
        """The answer, written by the model or composed from the rows; every claim in it is supported.

        The arithmetic of the model's sentence is recomputed. If a claim is unsupported, or the sentence is empty or
        broke off, the model is asked once more, with the reason; then the answer is composed. A small model is asked
        once, and not for lists or values that the question's own words can state. The answer to a contested query is
        composed. It ends with the text of `add_row_context`.

        Args:
            raw: the rows behind the aggregate, if there are any.
            draft: a first text, written ahead of time. If it is None or gives None, the text is written now.
            calculate: fill `[[...]]`, recompute equations, and support sums and the like by recomputing them.
            quick: skip the call if the rows are an answer by themselves.
            contested: whether the query is contested for a reason that the attempt does not have.
            ties: number of further rows that tie with the last one.
            key_names: the names of the keys that the rows show.
        """
        from agent.checks.grounding.answer import compose_text, restate_text

        rows = attempt.rows
        facts = facts_of(question, attempt, context, raw=raw, calculate=calculate, key_names=key_names)
        contested = contested or is_contested(attempt)
        restates = not contested and self._restates(question, attempt)
        checked = await off_loop(partial(restate_text, facts)) if restates else None
        if checked is None and (contested or self._lists(rows, quick=quick)):
            checked = await off_loop(partial(compose_text, facts))
        if checked is None:
            checked = await self._write(question, attempt, context, ledger, facts, draft)
        elif draft is not None:
            await draft  # its text is not used: see `Run.start_side_tasks`
        if rows.truncated:
            ledger.warn(f"The rows were cut at {rows.row_count}; there are more.")
        return add_row_context(checked, facts, ties)

    async def _write(
        self,
        question: str,
        attempt: Attempt,
        context: Context,
        ledger: Ledger,
        facts: Facts,
        draft: Awaitable[str | None] | None,
    ) -> CheckedText:
        """The model's sentence, within the tries that the profile allows; composed if none passes the checks."""
        from agent.checks.grounding.answer import check_text, compose_text

        why = last = complaint = ""
        is_refused = False
        try:
            text = await draft if draft is not None else None
            for tried in range(self.profile.sentence_tries):
                if tried or text is None:
                    text = await self.write(
                        question, attempt, context, ledger, calculate=facts.calculate, last=last, complaint=complaint
                    )
                leak = await off_loop(partial(self._leak, text, question, attempt, context))
                is_refused = False
                if leak:  # not repeated to the model either
                    why, last, complaint = f"The model's answer was not used: {leak}.", "", leak
                    complaint += ". Answer in one short sentence."
                elif not text:
                    why, last, complaint = NO_WHOLE_ANSWER, "", NO_ANSWER
                else:
                    checked = await off_loop(partial(check_text, text, facts))
                    if not checked.problems:
                        return checked
                    wrong, is_refused = "; ".join(checked.problems), True
                    why, last, complaint = f"The model's answer was not used: {wrong}.", text, f"{wrong}."
        except ModelError as error:
            why, is_refused = str(error), False
        if not is_refused:  # a composed answer is as good; its check says what was wrong with the model's
            ledger.warn(f"{why.rstrip('.')}, so the answer is composed from the rows.")
        return await off_loop(partial(compose_text, facts, why))

    def _leak(self, text: str, question: str, attempt: Attempt, context: Context) -> str:
        rows = templates.as_table(attempt.rows, len(attempt.rows.rows))
        cells = (str(value) for row in attempt.rows.rows for value in row)
        return leaks.problem(text, context.system, (question, rows, *cells)) if text else ""


def is_contested(attempt: Attempt) -> bool:
    """Whether evidence speaks against a query: its rows may not be what the question's words say.

    The judge sees the doubts, so its verdict outweighs them.
    """
    disputed = any(check.name == "second_draft" and check.passed is False for check in attempt.checks)
    judged = attempt.verdict is not None and attempt.verdict.source == "judge"
    doubted = any(doubt.rule not in SOFT_RULES for doubt in attempt.doubts)
    return disputed or not attempt.is_accepted or (doubted and not judged)


def answer_prefix() -> Message:
    """The first message of the writer's prompt, for profiles whose prefix is the same for every database."""
    return Message(role="system", content=templates.render("answer_system"))


def facts_of(
    question: str,
    attempt: Attempt,
    context: Context,
    *,
    raw: QueryResult | None,
    calculate: bool,
    key_names: KeyNames | None = None,
) -> Facts:
    """The facts that the answer of an attempt is checked against. Arguments as in `Writer.write_checked`."""
    from agent.checks.grounding.evidence.facts import Facts
    from rag.docs.documents import comment_documents

    return Facts(
        question=question,
        result=attempt.rows,
        sql=attempt.executed_sql or attempt.sql,
        dialect=context.db_schema.dialect,
        documents=context.known or comment_documents(context.db_schema),
        linked=[(it.mention, it.value) for it in context.linked.values if it.is_sure],
        earlier=" ".join(exchange.question for exchange in context.history),
        raw=raw,
        calculate=calculate,
        hundredths=_hundredths(context),
        key_names=key_names or {},
    )


def _hundredths(context: Context) -> frozenset[str]:
    """The column names whose type has two decimals in every table, as the page's tables show them."""
    types: dict[str, set[bool]] = {}
    for table in context.db_schema.tables:
        for column in table.columns:
            types.setdefault(column.name.lower(), set()).add(_TWO_DECIMALS.match(column.type) is not None)
    return frozenset(name for name, found in types.items() if found == {True})


def add_row_context(checked: CheckedText, facts: Facts, ties: int) -> CheckedText:
    """The text with what the rows do not show: the number of further ties with the last row, and the row count."""
    from agent.checks.grounding.compose import write_ties
    from agent.checks.grounding.evidence.result import find_counted

    text, numbers = checked.text, checked.numbers
    for context in (write_ties(facts, ties), row_count_context(facts.result)):
        numbers = (*numbers, *find_counted(text, context))
        text += context
    return checked.model_copy(update={"text": text, "numbers": numbers})


def row_count_context(result: QueryResult) -> str:
    """The number of rows that the answer covers, in a form that every language reads.

    ` (n = 12)` for twelve rows, nothing for a single one; ` (n > 500)` if 500 were fetched and there are more.
    """
    if result.truncated:
        return f" (n > {result.row_count})"
    return f" (n = {result.row_count})" if result.row_count > 1 else ""

"""Joins the answers of several queries. No model writes across them: each claim has its own query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.checks.grounding.languages.language import language_of
from agent.core.answers import Answer, AnswerNumber, AnswerPart, AttemptRecord
from agent.core.models import Check, Choice
from agent.pipeline.answers.response import common
from agent.pipeline.decomposition.equations import Equation, equations
from agent.pipeline.decomposition.planner import QuestionPlan
from agent.understanding.clarification.languages import frames_of
from agent.understanding.followups.faithful import with_reply

if TYPE_CHECKING:
    from agent.pipeline.run import Run

_SHARED = frozenset(AnswerPart.model_fields) & frozenset(Answer.model_fields) - {"question", "status"}


class Found:
    """What became of the parts so far.

    attempts: of all of them. choices: what could be asked instead. doubtful: whether a person should look at one.
    """

    def __init__(self) -> None:
        self.parts: list[AnswerPart] = []
        self.attempts: list[AttemptRecord] = []
        self.choices: list[Choice] = []
        self.doubtful = False

    @property
    def has_answers(self) -> bool:
        """Whether any part has rows."""
        return any(part.status == "success" for part in self.parts)

    def add(self, question: str, answer: Answer) -> AnswerPart:
        """The next part, with its answer."""
        shared = {name: getattr(answer, name) for name in _SHARED}
        status = "success" if answer.status == "success" else "error"
        part = AnswerPart(number=len(self.parts) + 1, question=question, status=status, **shared)
        self.parts.append(part)
        self.attempts += answer.attempt_history
        self.doubtful = self.doubtful or answer.needs_human_review or part.status == "error"
        self.choices += [choice for choice in answer.choices if answer.status == "error"]
        return part

    def add_failed(self, question: str, why: str) -> AnswerPart:
        """The next part, which has no answer."""
        part = AnswerPart(number=len(self.parts) + 1, question=question, status="error", answer=why)
        self.parts.append(part)
        self.doubtful = True
        return part


def build_joined_answer(run: Run, plan: QuestionPlan, found: Found) -> Answer:
    """The response to the whole question: what each part says with its number behind it, then the calculations."""
    parts = found.parts
    language = language_of(run.question.text) or "en"
    wanted = run.limits.enable_calculator
    computed, warnings = equations(plan.calculations, parts, language) if wanted else ([], [])
    for warning in warnings:
        run.ledger.warn(warning)
    text, numbers = _text(run, parts, computed)
    checks = _checks(plan, parts, computed)
    sources = {part.answer_source for part in parts if part.status == "success"}
    return common(run).model_copy(
        update={
            "status": "success" if found.has_answers else "error",
            "answer": text,
            "answer_source": ("model" if "model" in sources else "composed") if sources else None,
            "tables_used": list(dict.fromkeys(table for part in parts for table in part.tables_used)),
            "attempts": len(found.attempts),
            "attempt_history": found.attempts,
            "verified": all(part.verified for part in parts) and all(check.passed for check in checks),
            "confidence": _least(parts) if found.has_answers else None,
            "checks": checks,
            "numbers": numbers,
            "parts": parts,
            "choices": [] if found.has_answers else list({choice.label: choice for choice in found.choices}.values()),
            "needs_human_review": found.doubtful,
        }
    )


def build_clarification(run: Run, part: Answer) -> Answer:
    """The response where a part must be made clear first: its choices, as ways to read the whole question."""
    whole = run.question.text
    choices = [Choice(label=it.label, question=with_reply(whole, it.label)) for it in part.choices]
    taken = {name: getattr(part, name) for name in ("status", "answer", "clarification", "clarification_reason")}
    return common(run).model_copy(update={**taken, "choices": choices})


def _text(run: Run, parts: Sequence[AnswerPart], computed: Sequence[Equation]) -> tuple[str, list[AnswerNumber]]:
    """The lines of the answer, and its numbers with their places in it."""
    lines: list[str] = []
    numbers: list[AnswerNumber] = []
    start = 0
    failed = frames_of(run.question.text).failed

    def add(line: str, found: Sequence[AnswerNumber]) -> None:
        nonlocal start
        numbers.extend(it.model_copy(update={"start": it.start + start, "end": it.end + start}) for it in found)
        lines.append(line)
        start += len(line) + 1

    for part in parts:
        if part.status == "success":
            own = [it.model_copy(update={"part": part.number}) for it in part.numbers]
            add(f"{part.answer.rstrip()} [{part.number}]", own)
        else:
            add(f"{part.question} {failed} [{part.number}]", ())
    for equation in computed:
        add(equation.text, equation.numbers)
    return "\n".join(lines), numbers


def _checks(plan: QuestionPlan, parts: Sequence[AnswerPart], computed: Sequence[Equation]) -> list[Check]:
    """The checks of the whole; those of each query are in its part."""
    detail = f"{len(parts)} queries, each with checks of its own."
    if plan.unsupported:
        detail = (
            f"The plan has numbers from neither the question, the docs nor the calendar: {', '.join(plan.unsupported)}."
        )
    checks = [Check(name="plan", passed=not plan.unsupported, detail=detail)]
    failed = [str(part.number) for part in parts if part.status != "success"]
    doubted = [str(part.number) for part in parts if part.status == "success" and not part.verified]
    outcome = [f"Without an answer: {', '.join(failed)}."] if failed else []
    outcome += [f"Not verified: {', '.join(doubted)}."] if doubted else []
    checks.append(Check(name="parts", passed=not outcome, detail=" ".join(outcome) or "All are verified."))
    if computed:
        checks.append(Check(name="calculator", passed=True, detail="Computed exactly, from the rows of the parts."))
    return checks


def _least(parts: Sequence[AnswerPart]) -> float | None:
    """The least confidence: that of a part without an answer is 0. None where one of them is not known."""
    found = [part.confidence if part.status == "success" else 0.0 for part in parts]
    known = [one for one in found if one is not None]
    return min(known) if len(known) == len(found) else None

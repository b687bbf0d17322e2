"""The path of a question with several queries: each part is answered like any question, then answers are joined."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from agent.checks.grounding.arithmetic.calculator import CalculationRefused, calculate, format_value
from agent.checks.grounding.languages.language import language_of
from agent.checks.grounding.numbers.display import MARKS, MAX_DECIMALS, is_amount, is_number
from agent.checks.grounding.numbers.numerals import write_number
from agent.core.answers import Answer, AnswerNumber, AnswerPart, AttemptRecord
from agent.core.errors import ModelError, WritesNotAllowed
from agent.core.events import AnswerDelta, Done, Event, NodeComplete, PartAnswered, QuestionPlanned
from agent.core.models import Check, Choice, take_fields
from agent.core.resilience.off_loop import off_loop
from agent.pipeline.answers.response import common
from agent.pipeline.decomposition.planner import QuestionPlan
from agent.pipeline.rounds.run import Run
from agent.understanding.clarification.words.languages import frames_of
from agent.understanding.followups.faithful import with_reply
from executors.errors import DatabaseUnavailable

Read = Callable[[Run], AsyncIterator[Event]]

READS_ONLY = "A part of a question only reads."


async def answer_in_parts(run: Run, plan: QuestionPlan, read: Read) -> AsyncIterator[Event]:
    """Answer each part, then join the answers; the events of a part carry its number.

    Parts run one after the other, because a question has only one of the places for concurrent questions of its
    database. They share its deadline, budget and ledger. Raises ModelError, DatabaseUnavailable if no part has an
    answer yet.
    """
    found = Found()
    may_ask_back = run.limits.clarify and run.question.options.clarify is not False
    yield QuestionPlanned(questions=plan.questions, calculations=plan.calculations, elapsed_ms=run.ledger.last)
    for number, text in enumerate(plan.questions, 1):
        before = len(run.ledger.warnings)
        part = _part_of(run, number, text)
        try:
            async with aclosing(_events(part, read)) as events:
                async for event in events:
                    if not isinstance(event, Done):
                        yield event
                    elif event.answer.status == "clarification_needed" and may_ask_back:
                        yield Done(answer=build_clarification(run, event.answer))
                        return
                    else:
                        yield _event_of(found.add(text, event.answer))
        except WritesNotAllowed as error:  # the model read it as an order
            yield _event_of(found.add_failed(text, str(error)))
        except (ModelError, DatabaseUnavailable) as error:
            if not found.has_answers:
                raise
            run.ledger.warn(str(error))
            for missing in plan.questions[len(found.parts) :]:
                yield _event_of(found.add_failed(missing, str(error)))
            break
        finally:
            run.ledger.warnings[before:] = [f"[{number}] {warning}" for warning in run.ledger.warnings[before:]]
    answer: Answer = await off_loop(partial(build_joined_answer, run, plan, found))
    for line in answer.answer.splitlines(keepends=True):
        yield AnswerDelta(text=line)
    yield Done(answer=answer)


async def _events(part: Run, read: Read) -> AsyncGenerator[Event]:
    """The events of one part, with its number; the last one carries its response."""
    try:
        yield (await part.select_schema()).model_copy(update={"part": part.part})
        async for event in read(part):
            if isinstance(event, NodeComplete):
                yield event.model_copy(update={"part": part.part})
            elif isinstance(event, Done):
                yield event
    finally:
        await part.close()


def _part_of(run: Run, number: int, text: str) -> Run:
    """A run for one part, with the same caller, rows and limits; the words of the whole question decide what is shown.

    No query is reused or kept for it, because a model wrote its words.
    """
    whole = run.question
    options = whole.options.model_copy(update={"allow_writes": None, "confirm": None})
    question = whole.model_copy(
        update={
            "text": text,
            "part_of": whole.own_words,
            "asked": "",
            "options": options,
            "write_refusal": whole.write_refusal or READS_ONLY,
        }
    )
    limits = run.limits.model_copy(update={"reuse_verified": False})
    return Run(question, run.database, run.parts, limits, run.ledger, part=number)


def _event_of(part: AnswerPart) -> PartAnswered:
    return PartAnswered(part=part.number, **take_fields(part, PartAnswered))


_OPERAND = re.compile(r"\{(\d{1,2})\}")
_ALLOWED = re.compile(r"(?:\{\d{1,2}\}|[\s+\-*/()]|(?<![\d.}])(?:[1-4]|100)(?![\d.{]))+")
_MONEY_DECIMALS = 2
_NOISE = Decimal("1e-12")  # relative to the number
_PERCENT = re.compile(r"\s*\|\s*percent\s*$", re.IGNORECASE)


class Equation(NamedTuple):
    """A calculation with its result, as text, and the position of each number in it."""

    text: str
    numbers: tuple[AnswerNumber, ...]


class _Operand(NamedTuple):
    """A number of a part. text: its digits, as in the row. decimals: 2 if the part's answer shows two, else 0."""

    text: str
    column: str
    decimals: int


def equations(
    calculations: Sequence[str], parts: Sequence[AnswerPart], language: str = "en"
) -> tuple[list[Equation], list[str]]:
    """The calculations of a plan, with numbers filled in and exact results, and a warning for each that fails.

    If the plan has no calculation, and exactly two parts give one number of the same measure, adds their difference.
    """
    operands = {part.number: one for part in parts if (one := _operand(part, language)) is not None}
    found: list[Equation] = []
    warnings: list[str] = []
    for calculation in calculations or _difference(parts, operands):
        try:
            found.append(_equation(calculation, operands, language))
        except CalculationRefused as refused:
            warnings.append(f"The calculation {calculation!r} was left out: {refused}")
    return found, warnings


def _difference(parts: Sequence[AnswerPart], operands: Mapping[int, _Operand]) -> list[str]:
    """The difference of the only two numbers, if both have the same measure, that is, the same aggregates."""
    single = [part for part in parts if part.number in operands]
    if len(single) != 2:
        return []
    measures = {part.plan.aggregates if part.plan else () for part in single}
    is_one = len(measures) == 1 and measures != {()}
    return [f"{{{single[0].number}}} - {{{single[1].number}}}"] if is_one else []


def _operand(part: AnswerPart, language: str) -> _Operand | None:
    """The only number that a part gives; None if it gives none, or several."""
    if part.status != "success" or part.row_count != 1 or len(part.results) != 1:
        return None
    numbers = [(column, value) for column, value in part.results[0].items() if is_number(value)]
    if len(numbers) != 1:
        return None
    column, value = numbers[0]
    text, shown = _digits(Decimal(repr(value))), [it.text for it in part.numbers if it.column == column]
    mark = MARKS.get(language, MARKS["en"])[1]
    decimals = [len(re.sub(r"\D+$", "", it).partition(mark)[2]) for it in shown]
    return _Operand(text, column, _MONEY_DECIMALS if _MONEY_DECIMALS in decimals else 0)


def _format_digits(digits: str, decimals: int, language: str, *, grouped: bool) -> str:
    """Digits with the marks of a language and at least `decimals` decimals."""
    grouping, mark = MARKS.get(language, MARKS["en"])
    needed = max(decimals, len(digits.partition(".")[2]))
    return write_number(Fraction(digits), needed, grouping=grouping if grouped else "", mark=mark)


def _digits(exact: Decimal) -> str:
    """A number as its row holds it, without the noise of binary fractions."""
    short = round(exact, MAX_DECIMALS)
    return format((short if abs(short - exact) <= abs(exact) * _NOISE else exact).normalize(), "f")


def _equation(calculation: str, operands: Mapping[int, _Operand], language: str) -> Equation:
    """One calculation, computed. Raises CalculationRefused."""
    is_share = bool(_PERCENT.search(calculation))
    template = _PERCENT.sub("", calculation).strip()
    if not _OPERAND.search(template) or not _ALLOWED.fullmatch(template):
        raise CalculationRefused("It may hold the numbers of parts, + - * / and parentheses.")
    missing = [name for name in _OPERAND.findall(template) if int(name) not in operands]
    if missing:
        raise CalculationRefused(f"Part {missing[0]} does not give exactly one number.")
    text, expression, numbers, position = "", "", list[AnswerNumber](), 0
    for match in _OPERAND.finditer(template):
        number = int(match[1])
        one = operands[number]
        opening, closing = ("(", ")") if one.text.startswith("-") else ("", "")
        before = template[position : match.start()] + opening
        digits = _format_digits(one.text, one.decimals, language, grouped=is_amount(one.column))
        at = {"start": len(text) + len(before), "end": len(text) + len(before) + len(digits)}
        numbers.append(AnswerNumber(text=digits, **at, source="result", row=0, column=one.column, part=number))
        text += f"{before}{digits}{closing}"
        expression += f"{before}{one.text}{closing}"
        position = match.end()
    text, expression = text + template[position:], expression + template[position:]
    used = [operands[int(name)] for name in _OPERAND.findall(template)]
    digits = format_value(calculate(expression), "percent" if is_share else "")
    sums = not is_share and not set("*/") & set(template)
    decimals = max(it.decimals for it in used) if sums else 0
    grouped = all(is_amount(it.column) for it in used)
    shown = _format_digits(digits.rstrip("%"), decimals, language, grouped=grouped) + "%" * digits.endswith("%")
    start = len(text) + len(" = ")
    at = {"start": start, "end": start + len(shown)}
    numbers.append(AnswerNumber(text=shown, **at, source="calculation", expression=expression))
    cited = dict.fromkeys(_OPERAND.findall(template))
    return Equation(f"{text} = {shown} {''.join(f'[{name}]' for name in cited)}", tuple(numbers))


_SHARED = frozenset(AnswerPart.model_fields) & frozenset(Answer.model_fields) - {"question", "status"}


class Found:
    """The results of the parts so far.

    attempts: those of all parts. choices: questions to ask instead. doubtful: whether a person should review a part.
    """

    def __init__(self) -> None:
        self.parts: list[AnswerPart] = []
        self.attempts: list[AttemptRecord] = []
        self.choices: list[Choice] = []
        self.doubtful = False

    @property
    def has_answers(self) -> bool:
        return any(part.status == "success" for part in self.parts)

    def add(self, question: str, answer: Answer) -> AnswerPart:
        shared = {name: getattr(answer, name) for name in _SHARED}
        status = "success" if answer.status == "success" else "error"
        part = AnswerPart(number=len(self.parts) + 1, question=question, status=status, **shared)
        self.parts.append(part)
        self.attempts += answer.attempt_history
        self.doubtful = self.doubtful or answer.needs_human_review or part.status == "error"
        self.choices += [choice for choice in answer.choices if answer.status == "error"]
        return part

    def add_failed(self, question: str, why: str) -> AnswerPart:
        part = AnswerPart(number=len(self.parts) + 1, question=question, status="error", answer=why)
        self.parts.append(part)
        self.doubtful = True
        return part


def build_joined_answer(run: Run, plan: QuestionPlan, found: Found) -> Answer:
    """The response to the whole question: the answer of each part, followed by its number, then the calculations."""
    parts = found.parts
    language = language_of(run.question.text) or "en"
    wanted = run.limits.enable_calculator
    computed, warnings = equations(plan.calculations, parts, language) if wanted else ([], [])
    for warning in warnings:
        run.ledger.warn(warning)
    text, numbers = _text(run, parts, computed, _decide(plan, parts))
    checks = _checks(plan, parts, computed)
    sources = {part.answer_source for part in parts if part.status == "success"}
    return common(run, (table for part in parts for table in part.tables_used)).model_copy(
        update={
            "status": "success" if found.has_answers else "error",
            "answer": text,
            "answer_source": ("model" if "model" in sources else "composed") if sources else None,
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
    """The response if a part needs a clarification; its choices become readings of the whole question."""
    whole = run.question.text
    choices = [Choice(label=it.label, question=with_reply(whole, it.label)) for it in part.choices]
    taken = {name: getattr(part, name) for name in ("status", "answer", "clarification", "clarification_reason")}
    return common(run).model_copy(update={**taken, "choices": choices})


def _decide(plan: QuestionPlan, parts: Sequence[AnswerPart]) -> str:
    """The yes or no to an English comparison of two parts; empty if it is none, or a part gives no single number."""
    operands = [_operand(part, "en") for part in parts]
    if plan.asks_more is None or len(operands) != 2 or None in operands:
        return ""
    first, second = (Decimal(it.text) for it in operands if it is not None)
    return "Yes." if (first > second if plan.asks_more else first < second) else "No."


def _text(
    run: Run, parts: Sequence[AnswerPart], computed: Sequence[Equation], decided: str
) -> tuple[str, list[AnswerNumber]]:
    """The text of the answer, and its numbers with their positions. Args: decided: a yes or no, which comes first."""
    lines: list[str] = []
    numbers: list[AnswerNumber] = []
    start = 0
    failed = frames_of(run.question.text).failed

    def add(line: str, found: Sequence[AnswerNumber]) -> None:
        nonlocal start
        numbers.extend(it.model_copy(update={"start": it.start + start, "end": it.end + start}) for it in found)
        lines.append(line)
        start += len(line) + 1

    if decided:
        add(decided, ())
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
    """The checks of the whole answer; the checks of each query are in its part."""
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
    """The lowest confidence of the parts; a part without an answer counts as 0. None if one is unknown."""
    found = [part.confidence if part.status == "success" else 0.0 for part in parts]
    known = [one for one in found if one is not None]
    return min(known) if len(known) == len(found) else None

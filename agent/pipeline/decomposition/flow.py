"""The path of a question with several queries: each part takes the path of any question, one after another."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

from agent.core.answers import Answer, AnswerPart
from agent.core.errors import ModelError, WritesNotAllowed
from agent.core.events import AnswerDelta, Done, Event, NodeComplete, PartAnswered, QuestionPlanned
from agent.core.off_loop import off_loop
from agent.pipeline.decomposition.join import Found, build_clarification, build_joined_answer
from agent.pipeline.run import Run
from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from agent.pipeline.decomposition.planner import QuestionPlan

Read = Callable[[Run], AsyncIterator[Event]]

READS_ONLY = "A part of a question only reads."


async def answer_in_parts(run: Run, plan: QuestionPlan, read: Read) -> AsyncIterator[Event]:
    """Answer each part, then join them; the events of a part carry its number.

    One after the other: a question has one place among those that a database is asked for at once. They share its
    deadline, its budget and its ledger. Raises ModelError, DatabaseUnavailable where no part has an answer yet.
    """
    found = Found()
    yield QuestionPlanned(questions=plan.questions, calculations=plan.calculations, elapsed_ms=run.ledger.last)
    for number, text in enumerate(plan.questions, 1):
        before = len(run.ledger.warnings)
        part = _part_of(run, number, text)
        try:
            async with aclosing(_events(part, read)) as events:
                async for event in events:
                    if not isinstance(event, Done):
                        yield event
                    elif event.answer.status == "clarification_needed" and _may_ask_back(run):
                        yield Done(answer=build_clarification(run, event.answer))
                        return
                    else:
                        yield _event_of(found.add(text, event.answer))
        except WritesNotAllowed as error:  # the model took it for an order
            yield _event_of(found.add_failed(text, str(error)))
        except (ModelError, DatabaseUnavailable) as error:
            if not found.has_answers:
                raise
            run.ledger.warn(str(error))
            for missing in plan.questions[len(found.parts) :]:
                yield _event_of(found.add_failed(missing, str(error)))
            break
        finally:
            _number_warnings(run, before, number)
    answer: Answer = await off_loop(partial(build_joined_answer, run, plan, found))
    for line in answer.answer.splitlines(keepends=True):
        yield AnswerDelta(text=line)
    yield Done(answer=answer)


async def _events(part: Run, read: Read) -> AsyncGenerator[Event]:
    """What happens to one part, with its number, and its response at the end."""
    try:
        yield _number(await part.select_schema(), part.part)
        async for event in read(part):
            if isinstance(event, NodeComplete):
                yield _number(event, part.part)
            elif isinstance(event, Done):
                yield event
    finally:
        await part.close()


def _may_ask_back(run: Run) -> bool:
    return run.limits.clarify and run.question.options.clarify is not False


def _part_of(run: Run, number: int, text: str) -> Run:
    """A run for one part: the same person, rows and limits; the whole question's words say what may be shown.

    No query is reused for it, and none kept: its words are a model's, and nobody asked them.
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


def _number(event: NodeComplete, number: int) -> NodeComplete:
    return event.model_copy(update={"part": number})


def _event_of(part: AnswerPart) -> PartAnswered:
    return PartAnswered(
        part=part.number,
        question=part.question,
        status=part.status,
        answer=part.answer,
        verified=part.verified,
        confidence=part.confidence,
    )


def _number_warnings(run: Run, before: int, number: int) -> None:
    """Say of each warning that a part gave which part it is of."""
    run.ledger.warnings[before:] = [f"[{number}] {warning}" for warning in run.ledger.warnings[before:]]

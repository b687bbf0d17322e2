"""The core loop: retrieve, generate, validate, execute and evaluate, up to a limit; then fetch records and answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import partial

from agent.core.answers import Answer
from agent.core.events import AnswerDelta, Done, Event, Started
from agent.core.models import Question
from agent.core.resilience.off_loop import off_loop
from agent.databases.database import Database
from agent.pipeline import writes as writes
from agent.pipeline.answers.response import build_answer, build_clarification, build_error_answer, review_text
from agent.pipeline.decomposition.flow import answer_in_parts
from agent.pipeline.decomposition.planner import plan_of
from agent.pipeline.rounds.parts import Parts
from agent.pipeline.rounds.round import Round
from agent.pipeline.rounds.run import Run
from agent.platform.config.limits import limits_of
from agent.platform.config.pricing import Prices
from agent.platform.telemetry.ledger import Ledger

# A sentence with the white space after it, so that the joined pieces equal the answer.
SENTENCE = re.compile(r".+?(?:(?<=[.!?])\s+|\Z)", re.DOTALL)


async def answer(question: Question, database: Database, parts: Parts) -> AsyncIterator[Event]:
    """Answer one question, one event per step; the last one carries the response.

    1. Answer small talk and questions about the data, which need no query, and stop.
    2. Enrich the raw schema with what is known about it.
    3. Ask back if the question is ambiguous, or its data is missing.
    4. If one query is not enough, plan up to four. Each is a question of its own and continues with step 3.
    5. Draft, check, run and judge queries until one is accepted. The model writes at most `max_attempts`.
    6. Fetch the rows behind an aggregate.
    7. State the answer in a sentence, recompute its arithmetic and trace its numbers.

    A permitted order to change rows takes another path: see `agent.pipeline.writes`.

    Raises:
        ModelError, DatabaseUnavailable, WritesNotAllowed: nothing was found yet, and no further attempt can help.
    """
    ledger = Ledger(Prices.of(parts.settings.prices, is_hosted=parts.settings.is_hosted), parts.generator.model.name)
    run = Run(question, database, parts, limits_of(parts.settings, question.options, database.row_limit), ledger)
    try:
        async for event in _steps(run):
            yield event
    finally:
        await run.close()


async def _steps(run: Run) -> AsyncIterator[Event]:
    from agent.pipeline.answers.understood import reply

    question = run.question
    yield Started(
        trace_id=question.trace_id, answer_id=question.answer_id, question=question.text, database=question.database
    )
    yield await run.enter()
    yield run.resolve_dialect()
    if question.options.confirm is not None:
        way = writes.confirm(run, question.options.confirm)
    elif found := await reply(run):
        way = _reply(found)
    else:
        run.start_loading()
        yield await run.select_schema()
        way = writes.plan(run) if writes.wants_change(run) else _read(run)
    async for event in way:
        yield event


async def _reply(found: Answer) -> AsyncIterator[Event]:
    """The events of an answer that needed no query."""
    for sentence in SENTENCE.findall(found.answer):
        yield AnswerDelta(text=sentence)
    yield Done(answer=found)


async def _read(run: Run) -> AsyncIterator[Event]:
    if unclear := await run.unclear():
        yield Done(answer=build_clarification(run, unclear))
        return
    if parts := await plan_of(run):
        await run.tell_missing()
        async for event in answer_in_parts(run, parts, _read):
            yield event
        return
    if plan := await run.make_plan():
        yield plan
    while run.may_try:
        turn = Round(run)
        generated = await turn.generate()
        if generated is None:
            break
        yield generated
        if run.draft.clarification:
            await run.tell_missing()
            question_back = await run.clarifier.of_model(run.draft.clarification, run.draft.choices)
            yield Done(answer=build_clarification(run, question_back))
            return
        if writes.has_drafted_change(run):
            await run.tell_missing()
            async for event in writes.plan(run):
                yield event
            return
        async for event in _try(run, turn):
            yield event

    async for event in _conclude(run):
        yield event


async def _conclude(run: Run) -> AsyncIterator[Event]:
    """The events of the answer to a question that was tried: the result, a clarification or an error."""
    best = run.best
    await run.tell_missing(best)
    if best is None and run.missing_column:
        yield Done(answer=build_clarification(run, await run.clarifier.of_missing(run.missing_column)))
        return
    if best is None:
        review = await run.review()
        yield review
        text = review_text(review, run.question.text)
        yield Done(answer=await off_loop(partial(build_error_answer, run, text, review.suggestions)))
        return
    run.start_text(best)
    yield await run.fetch_raw(best)
    if run.limits.enable_answer:
        yield await run.format_answer(best)
    else:
        await run.state_rows(best)
    suggestions: tuple[str, ...] = ()
    if not best.is_accepted:
        review = await run.review()
        yield review
        suggestions = review.suggestions
    for sentence in SENTENCE.findall(run.text.text):
        yield AnswerDelta(text=sentence)
    await run.keep_place(best)
    response = await off_loop(partial(build_answer, run, best, suggestions))
    await run.reuse.settle(response, best, run.context, run.evidence(best))
    yield Done(answer=response)


async def _try(run: Run, turn: Round) -> AsyncIterator[Event]:
    await run.side.modules()
    yield await turn.validate()
    if planned := turn.build_planned_event():
        yield planned
    if executed := await turn.execute():
        yield executed
    if evaluated := await turn.evaluate():
        yield evaluated
    await turn.conclude()
    if run.may_try:
        yield run.repair()

# ruff: noqa: E501  patterns are easiest to read on one line
"""Plans the queries of a question that needs several: a model plans, and rules check the plan."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import BaseModel

from agent.core.errors import ModelError, ReplyUnusable
from agent.core.resilience.off_loop import off_loop
from agent.pipeline.decomposition.comparison import split_comparison
from agent.pipeline.steps.generate import reply_schema
from agent.platform import telemetry
from agent.platform.access.intent import orders_change, wishes_change
from agent.platform.llm.prompting import leaks
from agent.platform.llm.prompting.fences import one_line
from agent.platform.llm.replies import parse_structured
from agent.understanding.followups.faithful import find_unsaid_numbers
from executors.base import Frozen
from executors.errors import ErrorKind

if TYPE_CHECKING:
    from agent.pipeline.rounds.run import Run


# Questions about reasons and drivers.
_WHY = (
    r"\bwhy\b|\bhow come\b|\bwhat(?:['’]s| is| are)? (?:driv(?:es?|ing)|drove|causes?|caused|explains?|explained|behind)\b|\b(?:drivers?|reasons?) (?:of|for|behind)\b"
    r"|\b(?:warum|wieso|weshalb|woran liegt)\b|\bwas (?:treibt|trieb|erklärt|verursacht)\b"
    r"|\bpourquoi\b|\bqu['’]est-ce qui (?:explique|cause)"
    r"|\bpor qu[ée]\b|\bperch[ée]\b|왜|이유|원인|为什么|為什麼|为何|原因"
)
# Comparisons.
_COMPARE = (
    r"\bcompar(?:e[ds]?|ing|ison)\b|\b(?:versus|vs)\b|\bdifference between\b"
    r"|\b(?:more|less|fewer|higher|lower|better|worse|larger|smaller) than (?:in |the )?(?:last|previous|prior|year|month|quarter|week)"
    r"|\bvergleich\w*|\bunterschied zwischen\b|\b(?:mehr|weniger|höher|niedriger) als (?:im |in |am )?(?:der |den |dem )?(?:letzte|vorig|vergangen|vor)"
    r"|\bcompare[rz]\b|\bdifférence entre\b|\b(?:plus|moins) que (?:l['’]|le |la )?(?:an|mois|année|trimestre|semaine)"
    r"|\bcompar(?:a|ar|ad)\b|\bdiferencia entre\b|\b(?:más|menos) que (?:el |la )?(?:año|mes|trimestre|semana)"
    r"|\bconfront\w*|\bdifferenza tra\b|\b(?:più|meno) (?:che|del|dell['’]|della) ?(?:l['’])?(?:anno|mese|trimestre|settimana)"
    r"|비교|차이|보다 (?:많|적|높|낮)|比较|比較|相比|差异"
)
# A second question behind the first one.
_AND_ASKS = (
    r"[,;:.?!]?\s+and (?:(?:in|for|by|to|from|on|of|at|with) )?(?:which|what|who|whose|where|when|how (?:many|much|often|long|does|do|did|is|are))\b"
    r"|\s+und (?:(?:in|für|von|bei|aus|mit|zu) )?(?:welche[mnrs]?|was|wer|wem|wo|wann|wie ?viele?|wie)\b"
    r"|\s+et (?:(?:dans|pour|par|de|à|avec) )?(?:quel(?:le)?s?|qui|où|quand|combien|comment)\b"
    r"|\s+[ye] (?:(?:en|para|por|de|a|con|in|per|da) )?(?:cu[áa]l(?:es)?|qu[ée]|qui[ée]n(?:es)?|d[óo]nde|cu[áa]nd?[ot][sa]?s?|c[óo]mo|qual[ei]?|quanti|quante|dove|quando|chi)\b"
    r"|[?？].+[?？]|[,，;；]\s*(?:그리고|또|또한|并且|以及|而且|还有)"
)
_SEVERAL = re.compile(f"{_WHY}|{_COMPARE}|{_AND_ASKS}", re.IGNORECASE | re.DOTALL)


def may_need_several(question: str) -> bool:
    """Whether the words of a question suggest that it needs several queries. Covers seven languages."""
    return bool(_SEVERAL.search(question))


MAX_PARTS = 4
MAX_CALCULATIONS = 4
NODE = "question_planner"
BY_ONE = "The question is answered by one query"


class _PlanReply(BaseModel):
    questions: list[str] = []
    calculations: list[str] = []


class QuestionPlan(Frozen):
    """The queries that a question needs, as questions, and the calculations on their numbers.

    unsupported: numbers in these questions that come from neither the user's question, the docs nor the calendar.
    asks_more: whether a yes needs the greater number in the first part, or the smaller one; None for another question.
    """

    questions: tuple[str, ...]
    calculations: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    asks_more: bool | None = None


async def plan_of(run: Run) -> QuestionPlan | None:
    """The plan of a question that needs several queries; None if one is enough, or no usable plan was made.

    A faulty plan is dropped with a warning, and one query answers the question. A profile without plans splits
    comparisons of two things, for which no model is needed.
    """
    if (split := await _split(run)) is not None:
        return split
    if not await _is_wanted(run):
        return None
    generator = run.parts.generator
    try:
        with run.ledger.time_step(NODE):
            reply = await generator.model.complete(
                run.context.messages("decompose", question=run.question.text),
                schema=reply_schema("question_plan", _PlanReply),
                max_tokens=generator.max_tokens,
                temperature=generator.temperature,
            )
            run.ledger.spend(reply.usage)
            return await off_loop(lambda: _read(run, parse_structured(reply.text, _PlanReply)))
    except ModelError as error:
        run.ledger.warn(f"{BY_ONE}, without a plan: {error}")
    except ReplyUnusable as error:
        run.ledger.warn(f"{BY_ONE}, because the plan of several queries is unusable: {error}")
        telemetry.get().record_failure(NODE, ErrorKind.UNUSABLE_REPLY)
    return None


async def _split(run: Run) -> QuestionPlan | None:
    """The two questions of a comparison, if the profile makes no plans and none is asked for."""
    if run.parts.profile.plan or run.limits.plan is not None or not _may_split(run) or run.limits.effort == "quick":
        return None
    found = split_comparison(run.question.text, run.context.linked.values)
    if found is None or await _has_query(run):
        return None
    questions = (found.first, found.second)
    return QuestionPlan(questions=questions, calculations=("{1} - {2}",), asks_more=found.asks_more)


async def _is_wanted(run: Run) -> bool:
    """Whether to ask the model for a plan: on request, or if both the profile and the words call for one."""
    limits = run.limits
    by_itself = run.parts.profile.plan and limits.effort != "quick" and may_need_several(run.question.text)
    return _may_split(run) and bool(limits.plan or by_itself) and not await _has_query(run)


def _may_split(run: Run) -> bool:
    """Whether a question may have parts: not if it is one, or incomplete."""
    return run.limits.plan is not False and not run.part and not run.question.history


async def _has_query(run: Run) -> bool:
    """Whether one query was enough before."""
    await run.reuse.recall(run.context)
    return run.reuse.draft is not None


def _read(run: Run, reply: _PlanReply) -> QuestionPlan | None:
    """The plan in a reply; None if one query is enough. Raises ReplyUnusable."""
    whole = run.question.text
    lines = (one_line(text).strip() for text in reply.questions)
    questions = tuple(dict.fromkeys(line for line in lines if line))
    if len(questions) < 2:
        return None
    if len(questions) > MAX_PARTS:
        raise ReplyUnusable(f"It has {len(questions)} queries; at most {MAX_PARTS} are run.")
    longest = run.parts.settings.max_question_chars
    for text in questions:
        if orders_change(text) or wishes_change(text):
            raise ReplyUnusable("It holds an order to change the data.")
        if len(text) > longest:
            raise ReplyUnusable(f"A part has {len(text)} characters; at most {longest} are taken.")
        if text.casefold() == whole.casefold():
            raise ReplyUnusable("A part is the question itself.")
    calculations = tuple(dict.fromkeys(one_line(text).strip() for text in reply.calculations))[:MAX_CALCULATIONS]
    if leak := leaks.problem("\n".join((*questions, *calculations)), run.context.system, (whole,)):
        raise ReplyUnusable(f"{leak[0].upper()}{leak[1:]}.")
    known = (whole, run.context.today, *run.context.rules, *run.context.values)
    unsupported = find_unsaid_numbers(" ".join(questions), known)
    return QuestionPlan(questions=questions, calculations=tuple(filter(None, calculations)), unsupported=unsupported)

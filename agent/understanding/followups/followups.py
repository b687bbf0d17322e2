"""Follow-ups: rewrites a message that depends on earlier ones into a self-contained question.

A self-contained message is not changed, and no model sees the conversation. Otherwise the model rewrites the message,
and the rewrite is checked: it must keep each number and name of the message, and add none from elsewhere. If it fails
the check, the message is used unchanged, together with the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from agent.core.errors import ModelError
from agent.core.models import Exchange, Pending, Question
from agent.core.resilience.off_loop import off_loop
from agent.platform.access.intent import orders_change
from agent.platform.llm.chat import ChatModel, Message
from agent.platform.llm.prompting import leaks, templates
from agent.platform.llm.prompting.fences import one_line
from agent.platform.telemetry.ledger import Ledger
from agent.understanding.followups.faithful import (
    asks_back,
    corrects,
    find_chosen,
    keeps,
    keeps_all,
    replaces,
    with_reply,
)
from agent.understanding.followups.leaning import Leaning, asks_by_itself, find_leaning
from agent.understanding.followups.replacing import FindValues, find_no_values, put_in_place

MAX_TOKENS = 160
_LABEL = re.compile(r"^\W*(?:complete question|question|rewritten(?: question)?)\s*:\s*", re.IGNORECASE)
# Words that refer to more than the last answer.
_SEVERAL = re.compile(
    r"\b(?:difference|differ|both|compare[ds]?|ratio|together|combined|versus|vs|earlier|previous|first question"
    r"|unterschied\w*|differenz\w*|beide\w*|vergl[ei]\w*|zusammen|vorhin|vorher\w*|différence|les deux|compar\w*"
    r"|ensemble|diferencia|amb[oa]s|junt[oa]s|differenza|entramb[ie]|confront\w*|insieme)\b"
    r"|차이|비교|둘 다|差|比较|両方|比較",
    re.IGNORECASE,
)
# Replies to a clarification that ask to answer the question unchanged.
_ANYWAY = re.compile(
    r"\W*(?:(?:please|just|yes|no)[\s,]+)*(?:(?:ask|answer|try|do)(?:\s+(?:it|me))?\s+anyway|anyway|go\s+ahead"
    r"|(?:frag|frage|versuch|versuche)?\s*(?:es\s+)?trotzdem(?:\s+(?:fragen|versuchen))?|(?:demande[rz]?\s+)?quand\s+même"
    r"|(?:pregunta\s+)?de\s+todos\s+modos|(?:chiedi|chiedere)?\s*comunque|그래도\s*(?:물어봐|질문해|해)?\s*(?:줘|주세요)?)\W*",
    re.IGNORECASE,
)
_QUOTES = "\"'`“”„«» "


class FollowUps:
    """Makes questions self-contained. A rewrite longer than `max_chars` is not used.

    puts_in_place: whether another value, year or month replaces the one before without the model, as for a small one.
    """

    def __init__(self, model: ChatModel, *, max_chars: int, puts_in_place: bool = False) -> None:
        self.model, self.max_chars, self.puts_in_place = model, max_chars, puts_in_place

    async def make_self_contained(
        self, question: Question, ledger: Ledger, find_values: FindValues = find_no_values
    ) -> Question:
        """The question to answer: `text` is self-contained, `asked` is the original text. `find_values` blocks.

        `history` is empty if the text is self-contained, as it nearly always is. Otherwise no model completed the text,
        and the model that writes the query must see the conversation.
        """
        question = question.model_copy(update={"asked": question.text})
        alone = question.model_copy(update={"history": ()})
        if question.options.confirm is not None:  # the words are not read
            return alone
        if question.pending is not None:
            return await self._reply(alone, question.pending, ledger)
        found = find_leaning(question.text) if question.history else Leaning.STANDS
        if found is Leaning.STANDS:
            return alone
        unsure, in_view = found is Leaning.UNSURE, question.model_copy(update={"history": _list_in_view(question)})
        try:
            text = await self._follow_up(question, ledger, find_values, may_stand=unsure)
        except ModelError as error:
            ledger.warn(f"The message was not merged with the conversation: {error}")
            return in_view
        if text is None:
            return alone if unsure else in_view
        return alone.model_copy(update={"text": text})

    async def _follow_up(
        self, question: Question, ledger: Ledger, find_values: FindValues, *, may_stand: bool
    ) -> str | None:
        """The rewritten question. None if the model did not change it or its rewrite is not usable."""
        history = _list_in_view(question)
        last = history[-1].question
        if self.puts_in_place and len(history) == 1 and find_leaning(last) is Leaning.STANDS:
            text = await off_loop(partial(put_in_place, question.text, last, find_values))
            if text is not None and len(text) <= self.max_chars:
                return text
        text = await self._write_line("followup", question, ledger, history=history, may_stand=may_stand)
        conversation = [f"{it.question} {it.answer} {it.sql or ''}" for it in history]
        if may_stand and not keeps_all(text, question.text):
            return None
        if corrects(question.text) and not replaces(text, question.history[-1].question):
            return None  # a correction never means both
        return text if self._is_usable(text, question.text, conversation) else None

    async def _reply(self, question: Question, pending: Pending, ledger: Ledger) -> Question:
        """Handle the message after a clarification: a reply that completes the question, or a new question."""
        if _ANYWAY.fullmatch(question.text):
            options = question.options.model_copy(update={"clarify": False})
            return question.model_copy(update={"text": pending.question, "options": options})
        text = find_chosen(question.text, pending.choices)
        if text is None and asks_by_itself(question.text):
            return question.model_copy(update={"pending": None})
        if text is None:
            try:
                text = await self._write_line("followup_reply", question, ledger, pending=pending)
            except ModelError:
                text = ""
            conversation = [pending.question, pending.clarification]
            if asks_back(text, pending) or not self._is_usable(text, question.text, conversation):
                text = with_reply(pending.question, question.text)[: self.max_chars]
        return question.model_copy(update={"text": text})

    async def _write_line(self, prompt: str, question: Question, ledger: Ledger, **holes: object) -> str:
        """The first line that the model writes. Empty if the reply was truncated."""
        content = templates.render(prompt, message=question.text, **holes)
        reply = await self.model.complete([Message(role="user", content=content)], max_tokens=MAX_TOKENS)
        ledger.spend(reply.usage)
        return "" if reply.truncated else _line(reply.text)

    def _is_usable(self, text: str, message: str, conversation: Sequence[str]) -> bool:
        if not text or len(text) > self.max_chars or text.casefold() == message.casefold():
            return False
        ordered = orders_change(message) or any(orders_change(earlier) for earlier in conversation)
        leaks_out = leaks.problem(text, "", (message, *conversation))
        return not leaks_out and (ordered or not orders_change(text)) and keeps(text, message, conversation)


def _list_in_view(question: Question) -> tuple[Exchange, ...]:
    """The exchanges that a message can refer to: the last one, or all if it or the last question refers to several.

    The last question is nearly always self-contained. Earlier exchanges would only be mixed in.
    """
    several = _SEVERAL.search(question.text) or find_leaning(question.history[-1].question) is Leaning.LEANS
    return question.history if several else question.history[-1:]


def _line(text: str) -> str:
    """The first non-empty line of a reply, without a label or quotes around it."""
    line = next((line for line in text.splitlines() if line.strip(_QUOTES)), "")
    return one_line(_LABEL.sub("", line)).strip(_QUOTES)

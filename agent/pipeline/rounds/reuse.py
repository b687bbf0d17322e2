"""Reuses the verified query of an equal earlier question.

Only the writing of SQL is skipped. The query goes through the guard, is executed, checked, judged and answered like any
other. If one of these steps fails, a new query is written. If the profile lets drafts judge, the votes from when the
query was verified count again, and no model is asked.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent.core.answers import Answer
from agent.core.errors import StateUnavailable
from agent.core.models import Attempt, Draft
from agent.databases.knowledge.verified_queries import Key, VerifiedQuery
from executors.base import Schema
from rag.docs.past_queries import fold_question
from rag.linking.relative_dates import counts_from_today

if TYPE_CHECKING:
    from agent.core.models import Question
    from agent.databases.knowledge.context import Context
    from agent.pipeline.rounds.parts import Parts
    from agent.pipeline.steps.consensus import Evidence
    from agent.platform.config.limits import Limits

log = logging.getLogger(__name__)

FROM_DOCS = "The query that the docs of this database give for this question, run again."
FROM_ANSWER = "The query of an earlier, verified answer to this question, run again."

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)|(?<!\d)(?:19|20)\d{6}(?!\d)")
_SHORT_YEAR = re.compile(r"(?:\bFY\s?|['’])\d\d\b", re.IGNORECASE)
_QUERY = re.compile(r"\s*(?:select|with)\b", re.IGNORECASE)  # docs may give examples of changes, too
_NOW = re.compile(
    r"\b(?:CURRENT_(?:DATE|TIME|TIMESTAMP|DATETIME)|LOCALTIME(?:STAMP)?|SYSDATE|SYSTIMESTAMP)\b|'now'"
    r"|\b(?:CURDATE|TODAY|YESTERDAY|NOW|GETDATE|GETUTCDATE|SYSDATETIME|SYSUTCDATETIME|UTC_DATE|UTC_TIMESTAMP"
    r"|GET_CURRENT_TIMESTAMP|UNIX_TIMESTAMP)\s*\(",
    re.IGNORECASE,
)


def may_rerun(question: str, sql: str) -> bool:
    """Whether the dates in a query still mean the same as on the day it was written.

    A question about "last month" depends on the clock, so its query must read the clock; one with fixed dates is not
    run again. Dates in a query whose question names no year were also counted from some day, or chosen freely, and may
    be different now.
    """
    dated = bool(_YEAR.search(sql))
    if counts_from_today(question):
        return bool(_NOW.search(sql)) and not dated
    return not dated or bool(_YEAR.search(question) or _SHORT_YEAR.search(question))


def fingerprint(schema: Schema, tables: Sequence[str], *others: str) -> str | None:
    """A digest of the declarations of the tables and of `others`; None if a table is gone."""
    found = [schema.table(name) for name in tables]
    declared = [
        table.model_dump(
            include={"name": True, "primary_key": True, "foreign_keys": True, "is_view": True,
                     "columns": {"__all__": {"name", "type", "nullable"}}}
        )
        for table in found if table is not None
    ]  # fmt: skip
    if len(declared) < len(found):
        return None
    return hashlib.sha256(json.dumps([schema.dialect, declared, others], sort_keys=True).encode()).hexdigest()


class Reuse:
    """The query that a question takes from an earlier one, and the query that it keeps for later ones.

    draft: the query to run again; None if there is none, or it was tried.
    tried: whether the query is, or was, an attempt of this question.
    """

    def __init__(self, question: Question, parts: Parts, limits: Limits) -> None:
        self._question, self._parts = question, parts
        # A question has a history only if it still refers to it; after another history it may mean something else.
        self._allowed = limits.reuse_verified and not question.history
        self._key = Key(question.database, question.audience, fold_question(question.text))
        self.draft: Draft | None = None
        self.tried = False

    async def recall(self, context: Context) -> None:
        """Look for the query of an equal question: first in the docs, then among earlier answers."""
        if not self._allowed:
            return
        known = context.same_question
        if known is not None and _QUERY.match(known.sql) and may_rerun(self._question.text, known.sql):
            self.draft = Draft(sql=known.sql, note=FROM_DOCS, source="reused")
            return
        try:
            stored = await asyncio.to_thread(self._parts.verified.find, self._key)
        except StateUnavailable as error:
            log.warning("%s", error)
            return
        if stored is not None and stored.fingerprint == self._fingerprint(stored.tables, context):
            self.draft = Draft(
                sql=stored.sql,
                note=FROM_ANSWER,
                source="reused",
                by_second=stored.by_second,
                earlier_votes=stored.votes,
            )

    def take(self) -> Draft | None:
        """The query to run again, once."""
        draft, self.draft = self.draft, None
        self.tried = self.tried or draft is not None
        return draft

    async def settle(self, answer: Answer, best: Attempt, context: Context, evidence: Evidence) -> None:
        """Keep the query of a verified answer, with its votes; forget a reused one that no longer holds."""
        if not self._allowed:
            return
        verified = self._parts.verified
        try:
            if answer.verified and not answer.reused and may_rerun(self._question.text, best.sql):
                found = self._fingerprint(best.tables, context)
                if found is not None:
                    counts = best.draft.source == "draft" and evidence.votes > 1
                    votes = (evidence.votes, evidence.drafts) if counts else None
                    query = VerifiedQuery(
                        sql=best.sql, tables=best.tables, fingerprint=found, votes=votes, by_second=evidence.by_second
                    )
                    await asyncio.to_thread(verified.keep, self._key, query)
            elif self.tried and not (best.is_reused and best.is_accepted):
                await asyncio.to_thread(verified.forget, self._key)
        except StateUnavailable as error:
            log.warning("%s", error)

    def _fingerprint(self, tables: Sequence[str], context: Context) -> str | None:
        """The fingerprint of the tables, the docs and both models: another model may give another answer."""
        models = (self._parts.generator.model.name, self._parts.judge.model.name)
        return fingerprint(context.db_schema, tables, context.docs, *models)

"""The run of one question. Each method is a step of the loop and returns an event with its result. Parts are shared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from agent.checks.grounding.evidence.result import CheckedText
from agent.checks.rules.repair import spell_names
from agent.core.errors import BudgetSpent, ModelError
from agent.core.events import (
    AnswerFormatted,
    DialectResolved,
    Entered,
    HumanReview,
    Planned,
    RawRecordsFetched,
    Repairing,
    SchemaSelected,
)
from agent.core.models import Attempt, Candidate, Doubt, Draft, Plan, Question
from agent.core.resilience.off_loop import off_loop
from agent.databases.database import Database
from agent.databases.key_names import find_key_names
from agent.databases.knowledge.context import Context, enrich
from agent.databases.paging import Paged
from agent.databases.supporting_rows import RawRecords, fetch_raw_records
from agent.databases.ties import count_ties, write_tie_count
from agent.pipeline.rounds.parts import Parts
from agent.pipeline.rounds.reuse import Reuse
from agent.pipeline.steps.consensus import Evidence, evidence_of
from agent.pipeline.steps.side_tasks import DraftAhead, SideTasks
from agent.pipeline.steps.synthesize import add_row_context, facts_of
from agent.platform.config.limits import Limits
from agent.platform.config.profiles import confirmation
from agent.platform.telemetry.ledger import Ledger
from executors.errors import DatabaseUnavailable, ErrorKind
from rag.schema.joins import keyed_of
from rag.words import words

if TYPE_CHECKING:
    from agent.core.models import Clarification
    from agent.understanding.clarification.check import Clarifier
    from agent.understanding.clarification.inquiry import Inquiry
    from agent.understanding.clarification.missing import Missing
    from agent.understanding.messages.reading import SmallTalk
    from executors.base import CheckedSql
    from rag.linking.values import LinkedValue

CHOSEN = "Another query is tried next."


@dataclass
class Run:
    """The state of one question. Attempts and candidates are only ever added.

    next_draft: the candidate to try next instead of the last attempt's query; None if there is none.
    repaired: the repaired query of the last attempt; None if it ran, or no rule can repair it.
    written: number of drafts requested. written_by_second: number of them that the second model wrote.
    coded: the stored values whose code was looked up.
    unread: by query, see `Candidate.unread`.
    part: number of the part, from 1, in a question that needs several queries; 0: the whole question.
    """

    question: Question
    database: Database
    parts: Parts
    limits: Limits
    ledger: Ledger = field(default_factory=Ledger)
    attempts: list[Attempt] = field(default_factory=list)
    plan: Plan | None = None
    draft: Draft = field(default_factory=Draft)
    raw: RawRecords = field(default_factory=RawRecords)
    text: CheckedText = field(default_factory=lambda: CheckedText(text=""))
    given_up: bool = False
    small_talk: SmallTalk | None = None
    candidates: list[Candidate] = field(default_factory=list)
    next_draft: Draft | None = None
    repaired: Draft | None = None
    written: int = 0
    has_asked_second: bool = False
    written_by_second: int = 0
    unread: dict[str, tuple[str, ...]] = field(default_factory=dict)
    coded: set[LinkedValue] = field(default_factory=set)
    doubts: tuple[Doubt, ...] = ()  # about the question, whatever its query is
    lacking: dict[str, str] = field(default_factory=dict)  # terms that the data lacks, and sentences that say so
    cursor: str | None = None
    part: int = 0

    def __post_init__(self) -> None:
        self.database = self.database.filter_for(self.question.principal)
        self.context: Context
        self.side, self.ahead = SideTasks(), DraftAhead()
        self._missing: tuple[Missing, Inquiry] | None = None
        self.reuse = Reuse(self.question, self.parts, self.limits)
        self.confirmation = confirmation(self.parts.generator.profile, self.limits.effort)

    async def enter(self) -> Entered:
        """Step 1: make a question that refers to earlier ones self-contained. Small talk refers to none."""
        from agent.understanding.messages.small_talk import read_small_talk

        history = len(self.question.history)
        with self.ledger.time_step("entry"):
            self.small_talk = await read_small_talk(self.question, self.database, self.parts.knowledge.meaning)
            if self.small_talk is None:
                find_values = partial(self.parts.knowledge.links.find_values, database=self.database)
                followups = self.parts.followups
                self.question = await followups.make_self_contained(self.question, self.ledger, find_values)
            else:
                self.question = self.question.model_copy(update={"asked": self.question.text, "history": ()})
        self.reuse = Reuse(self.question, self.parts, self.limits)
        return Entered(
            history=history,
            question=self.question.text,
            asked=self.question.asked,
            leans=bool(self.question.history),
            elapsed_ms=self.ledger.last,
        )

    def resolve_dialect(self) -> DialectResolved:
        """Step 2: return the dialect. The registry has already resolved the database's name."""
        return DialectResolved(dialect=self.database.dialect, executor=type(self.database.executor).__name__)

    def start_loading(self) -> None:
        """Load what drafting and checking a query need, while schema and docs are read.

        This covers the modules of later steps and, if the model is the embedded one, the model. Errors are reported
        when the result is needed.
        """
        self.side.load_modules()
        if not self.parts.settings.is_hosted:
            self.side.load(self.parts.generator.load())

    async def select_schema(self) -> SchemaSelected:
        """Step 3: read the raw schema and run retrieval, concurrently."""
        parts = self.parts
        knowledge = parts.knowledge if self.limits.enable_retrieval else None
        with self.ledger.time_step("schema_selector"):
            self.context = await enrich(self.question, self.database, knowledge, parts.profile, parts.settings)
        context = self.context
        for warning in context.warnings:
            self.ledger.warn(warning)
        return SchemaSelected(
            tables=context.tables,
            documents=context.documents,
            sources=context.sources,
            tokens=context.tokens,
            pruned=context.pruned,
            warnings=context.warnings,
            elapsed_ms=self.ledger.last,
        )

    async def unclear(self) -> Clarification | None:
        """The clarification that is needed before any SQL is written; None if the question is clear.

        Missing data leads to a clarification only if nothing in the question is near to the data. If the caller
        declines clarifications, or just got one, the assumption becomes a warning and a rule in the model's context.
        """
        from agent.understanding.clarification.missing import Missing, describe_lacking
        from agent.understanding.clarification.words.languages import is_english

        with self.ledger.time_step("schema_selector"):
            clarifier = self.clarifier
            missing = await clarifier.missing() if self.limits.enable_retrieval else Missing()
            may_ask = (
                self.limits.clarify and self.question.options.clarify is not False and not clarifier.inquiry.declines
            )
            if missing.nothing_near is not None and may_ask:
                return missing.nothing_near
            found = await clarifier.find() if self.limits.enable_retrieval else None
        explained = found.assumption if found is not None else ""
        missing = missing.without(f"{explained} {clarifier.inquiry.declining}")
        self._missing = (missing, clarifier.inquiry)
        if may_ask and is_english(clarifier.inquiry.text):
            self.lacking = {
                it.mention: describe_lacking(it, clarifier.inquiry) for it in missing.lacking if not it.presumed
            }
        if found is None:
            return None
        if may_ask and self.question.pending is None:
            return found
        if found.assumption:
            self.ledger.warn(found.assumption)
            self.context = self.context.model_copy(update={"rules": (*self.context.rules, found.assumption)})
        return None

    async def tell_missing(self, best: Attempt | None = None) -> None:
        """Turn missing data into warnings and doubts, and warn of words that the query spells otherwise.

        `best`: the attempt that the answer is based on.
        """
        from agent.understanding.clarification.taken import describe_respelled, doubts_of

        if self._missing is None:
            return
        missing, inquiry = self._missing
        self._missing = None
        sql = best.sql if best is not None else ""
        for note in await off_loop(lambda: list(describe_respelled(inquiry, sql))):
            self.ledger.warn(note)
        tried = [*(it.sql for it in self.attempts), *(it.sql for it in self.candidates)]
        self.doubts = await doubts_of(missing, inquiry, sql, tried, self.parts.knowledge.meaning)
        for doubt in self.doubts:
            self.ledger.warn(doubt.detail)

    @property
    def missing_column(self) -> str:
        """The sentence to report if the last query failed on a column of the question that the data lacks; else empty.

        Further drafts could only read something else.
        """
        last = self.attempts[-1] if self.attempts else None
        if last is None or last.error_type is not ErrorKind.COLUMN_NOT_FOUND:
            return ""
        named = words(last.error or "")
        return next((sentence for mention, sentence in self.lacking.items() if words(mention) & named), "")

    @property
    def clarifier(self) -> Clarifier:
        """A clarifier for the question and its context as they are now."""
        from agent.understanding.clarification.check import Clarifier

        knowledge = self.parts.knowledge
        return Clarifier(
            self.question,
            self.context,
            self.database,
            knowledge.embedder,
            meaning=knowledge.meaning,
            examples=self.examples,
        )

    async def make_plan(self) -> Planned | None:
        """Step 4: plan before any SQL, if the profile requires it and no query can be reused."""
        await self.reuse.recall(self.context)
        if self.reuse.draft is not None or self.parts.profile.planner != "separate":
            return None
        with self.ledger.time_step("planner"):
            self.plan = await self.parts.generator.plan(self.question.text, self.context, self.ledger)
        return Planned(plan=self.plan, source="model", elapsed_ms=self.ledger.last) if self.plan else None

    @property
    def may_try(self) -> bool:
        if self.given_up or self.is_accepted or (self.missing_column and self.best is None):
            return False
        # Reused, elected and repaired queries do not count as the model's.
        written = sum(it.draft.source == "draft" and not it.elected for it in self.attempts)
        return self.next_draft is not None or self.repaired is not None or written < self.limits.max_attempts

    def give_up(self, error: ModelError | DatabaseUnavailable) -> None:
        """Try no further query and answer with what was found; raise the error if nothing was found."""
        refused = isinstance(error, BudgetSpent) and bool(self.attempts)  # the attempts are still reported
        if self.best is None and not refused:
            raise error
        self.given_up = True
        self.ledger.warn(f"No further query was tried: {error}")

    async def check(self, sql: str) -> CheckedSql:
        """The query as the guard accepts it. Raises SqlRefused, DatabaseUnavailable."""
        return await self.database.check(sql, self.limits.row_limit, question=self.question.own_words)

    async def spell(self, draft: Draft) -> Draft:
        """A model's draft, with its names spelled as in the schema if it cannot run as written."""
        return await spell_names(draft, self.context.db_schema, self.check) if self.parts.profile.repairs else draft

    @property
    def is_accepted(self) -> bool:
        return bool(self.attempts) and self.attempts[-1].is_accepted

    @property
    def attempt_number(self) -> int:
        """The number of the current attempt, counted from 1. Attempts are added when they end."""
        return len(self.attempts) + 1

    @property
    def drafts(self) -> int:
        """The number of drafts, except one that was begun ahead and is not taken yet."""
        return self.written - self.ahead.waits

    @property
    def wants_draft_ahead(self) -> bool:
        """Whether a query that runs will be confirmed by a further draft."""
        wanted = self.limits.enable_evaluation and self.confirmation.second_draft != "off"
        return wanted and self.written < self.confirmation.drafts

    def repair(self) -> Repairing:
        """Step 8: the feedback for the next attempt."""
        last = self.attempts[-1]
        reason = last.verdict.reason if last.verdict else ""
        return Repairing(
            error_type=last.error_type or "JUDGED_WRONG",
            error=last.error or reason,
            hint=last.hint if self.next_draft is None else CHOSEN,
            attempt=len(self.attempts),
        )

    def evidence(self, best: Attempt) -> Evidence:
        """The evidence for the attempt that the answer is based on, without its sentence."""
        draft = best.draft
        same = (it for it in self.candidates if it.key == (draft.sql, draft.index))
        chosen = next(same, None) or Candidate.of(draft, best.result, best.error, doubts=best.doubts)
        judged = best.verdict.correct if best.verdict is not None and best.verdict.source == "judge" else None
        found = evidence_of(self.candidates, chosen, best.checks, judged, self.drafts)
        doubted = found.chosen.model_copy(update={"doubts": (*found.chosen.doubts, *self.doubts)})
        return found.model_copy(update={"chosen": doubted, "earlier_votes": draft.earlier_votes})

    @property
    def best(self) -> Attempt | None:
        return best_of(self.attempts)

    async def fetch_raw(self, best: Attempt) -> RawRecordsFetched:
        """Step 11: fetch the rows behind an aggregate."""
        with self.ledger.time_step("raw_records"):
            self.raw = await self.side.raw() or await self._raw_records(best)
        if self.raw.failure:
            self.ledger.warn(f"The rows behind the result were not fetched: {self.raw.failure}")
        left_out, denied = "sum or average of {column} leaves {it} out", "share counts {it} as no"
        for numbers, effect in ((self.raw.empty, left_out), (self.raw.denied, denied)):
            for column, number in numbers.items():
                verb, it = ("has", "it") if number == 1 else ("have", "them")
                records = f"{number} of the {self.raw.total} records {verb} no {column}"
                self.ledger.warn(f"{records}; the {effect.format(column=column, it=it)}.")
        if self.raw.ties:
            self.ledger.warn(f"Rows that tie with the last one and are not shown: {write_tie_count(self.raw.ties)}.")
        result = self.raw.result
        return RawRecordsFetched(
            sql=self.raw.sql,
            row_count=result.row_count if result else 0,
            truncated=result.truncated if result else False,
            total=self.raw.total,
            reason=self.raw.reason,
            elapsed_ms=self.ledger.last,
        )

    async def format_answer(self, best: Attempt) -> AnswerFormatted:
        """Step 12: write the sentence, recompute its arithmetic and trace its numbers."""
        with self.ledger.time_step("answer_formatter"):
            self.text = await self.parts.writer.write_checked(
                self.question.text,
                best,
                self.raw.result,
                self.context,
                self.ledger,
                draft=self.side.text(),
                calculate=self.limits.enable_calculator,
                quick=self.limits.effort == "quick",
                contested=self._reads_another,
                ties=self.raw.ties,
                key_names=self.raw.key_names,
            )
        return AnswerFormatted(
            answer=self.text.text,
            corrections=self.text.corrections,
            checks=self.text.checks,
            elapsed_ms=self.ledger.last,
        )

    async def keep_place(self, best: Attempt) -> None:
        """Store a cursor for the remaining rows, if the result has more than were read."""
        if not best.rows.truncated:
            return
        place = Paged.after(
            best.rows,
            database=self.database.name,
            sql=best.sql,
            size=self.limits.row_limit,
            question=self.question.own_words,
        )
        self.cursor, missing = await self.parts.cursors.keep(self.question.principal, place)
        if missing:
            self.ledger.warn(missing)

    async def state_rows(self, best: Attempt) -> None:
        """Compose the answer from the rows; replaces step 12 if no sentence is wanted."""
        from agent.checks.grounding.compose import compose

        facts = facts_of(
            self.question.text, best, self.context, raw=None, calculate=False, key_names=self.raw.key_names
        )
        found = await off_loop(partial(compose, facts))
        text = CheckedText(text=found.text, numbers=found.numbers, source="composed")
        self.text = add_row_context(text, facts, self.raw.ties)

    async def review(self) -> HumanReview:
        """Step 13: report what was tried, why it failed, and what to ask instead."""
        reasons = [a.error or (a.verdict.reason if a.verdict else "") for a in self.attempts]
        tables = tuple(dict.fromkeys(table for a in self.attempts for table in a.tables)) or self.context.tables
        return HumanReview(
            tried=tuple(a.sql for a in self.attempts),
            reasons=tuple(dict.fromkeys(reason for reason in reasons if reason)),
            suggestions=await self.examples(tables),
        )

    async def examples(self, tables: Sequence[str]) -> tuple[str, ...]:
        """Questions to ask instead, in the question's language; those about these tables come first."""
        from agent.understanding.clarification.words.languages import frames_of

        language = frames_of(self.question.text).language
        return await self.parts.looks.examples(self.database, language, tables)

    async def close(self) -> None:
        await self.side.close()
        await self.ahead.close()

    def start_side_tasks(self, attempt: Attempt) -> None:
        """Start the work that the answer needs while the judge reads."""
        draft = None
        wanted = self.parts.profile.speculative_answer and self.limits.enable_evaluation and self.limits.enable_answer
        if wanted and not self._composes(attempt):
            draft = self._first_text(attempt)
        self.side.start(self._raw_records(attempt), draft)

    def start_text(self, best: Attempt) -> None:
        """Start writing the sentence while the rows behind the result are fetched."""
        if self.limits.enable_answer and not self._composes(best):
            self.side.start_text(partial(self._first_text, best))

    @property
    def _reads_another(self) -> bool:
        """Whether the data certainly lacks what the question asks for, so that the query reads something else."""
        return any(it.evidence == "schema" for it in self.doubts)

    def _composes(self, attempt: Attempt) -> bool:
        if self._reads_another:
            return True
        return self.parts.writer.composes(self.question.text, attempt, quick=self.limits.effort == "quick")

    async def _first_text(self, attempt: Attempt) -> str:
        with self.ledger.step("answer_formatter"):
            return await self.parts.writer.write(
                self.question.text, attempt, self.context, self.ledger, calculate=self.limits.enable_calculator
            )

    async def _raw_records(self, attempt: Attempt) -> RawRecords:
        question, sql = self.question.own_words, attempt.executed_sql or attempt.sql
        schema = keyed_of(self.context.db_schema, self.context.known)
        with self.ledger.step("raw_records"):
            raw, ties, key_names = await asyncio.gather(
                fetch_raw_records(question, sql, self.database, self.limits.raw_row_limit, result=attempt.result),
                count_ties(question, sql, self.database, attempt.rows),
                find_key_names(question, sql, schema, self.database, attempt.rows),
            )
        return raw.model_copy(update={"ties": ties, "key_names": key_names})


def best_of(attempts: Sequence[Attempt]) -> Attempt | None:
    """The accepted attempt, else the best one that ran; the earlier one of equals. None if none ran.

    Among the others, an attempt that only the judge refused ranks above one that failed a plain check, and rows rank
    above an empty result.
    """

    def worth(attempt: Attempt) -> tuple[bool, int, bool]:
        failed = sum(check.passed is False for check in attempt.checks)
        return attempt.is_accepted, -failed, bool(attempt.result and attempt.result.rows)

    ran = [attempt for attempt in attempts if attempt.result is not None]
    return max(ran, key=worth, default=None)  # max keeps the first of equals

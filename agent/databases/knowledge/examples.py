"""Past queries as examples: only those that still fit the database's schema and dialect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from agent.core.off_loop import off_loop
from executors.base import CheckedSql, Schema
from executors.errors import SqlRefused
from rag.docs.documents import Document, Retrieved
from rag.docs.past_queries import QuestionVocabulary, vocabulary_of
from rag.retriever import MAX_QUERIES

if TYPE_CHECKING:
    from agent.databases.database import Database

ROW_LIMIT = 10_000  # the most there is: no example is to learn a smaller cap

_COMMENT_SIGNS = re.compile(r"--|/\*|#|//")
_LIMIT_WORDS = re.compile(r"'(?:[^']|'')*'|\b(LIMIT|TOP|FETCH)\b", re.IGNORECASE)


class Examples:
    """Checks past queries by the guard, and remembers the results and which problems were reported."""

    def __init__(self) -> None:
        self._checked: dict[str, tuple[Schema, dict[str, CheckedSql | SqlRefused]]] = {}  # by database, by query
        self._reported: set[tuple[str, str]] = set()  # database and document
        self._known: dict[str, tuple[Schema, QuestionVocabulary]] = {}

    def vocabulary(self, schema: Schema) -> QuestionVocabulary:
        """What of a question about this schema is a value; made once for a schema."""
        made_for, known = self._known.get(schema.database, (None, None))
        if known is None or made_for is not schema:
            known = vocabulary_of(schema)
            self._known[schema.database] = (schema, known)
        return known

    async def usable(
        self, hits: Sequence[Retrieved], database: Database
    ) -> tuple[tuple[Retrieved, ...], tuple[str, ...]]:
        """The first `MAX_QUERIES` whose SQL the guard lets through today, and a sentence for each that it refuses.

        The sentence is reported once, until the query has passed again. Raises DatabaseUnavailable.
        """
        good: list[Retrieved] = []
        warnings: list[str] = []
        for hit in hits:
            if len(good) == MAX_QUERIES:
                break
            key = (database.name, hit.document.id)
            checked = await self._check(hit.document.sql, database)
            if isinstance(checked, SqlRefused):
                if key not in self._reported and not database.is_filtered:
                    self._reported.add(key)
                    question = hit.document.text
                    warnings.append(
                        f"The past query for {question!r} does not fit the database any more: {checked.message}"
                    )
                continue
            self._reported.discard(key)
            shown = await off_loop(partial(_without_comments, hit, database.dialect, checked.sql))
            good.append(_in_dialect(shown, checked.sql))
        return tuple(good), tuple(warnings)

    async def unfit(self, documents: Sequence[Document], database: Database) -> tuple[str, ...]:
        """A sentence for each past query that the guard refuses today, with its repair. Raises DatabaseUnavailable."""
        problems: list[str] = []
        for document in documents:
            if document.kind != "query":
                continue
            try:
                await database.check(document.sql, ROW_LIMIT)
            except SqlRefused as error:
                reason = f"{error.message} {error.hint}".strip()
                problems.append(f"{document.source}: the query for {document.text!r} is not used: {reason}")
        return tuple(problems)

    async def _check(self, sql: str, database: Database) -> CheckedSql | SqlRefused:
        """The guard's verdict, once for each state of the schema; for a filtered database, each time."""
        made_for, known = self._checked.get(database.name, (None, {}))
        schema = await database.schema()
        if database.is_filtered or made_for is not schema:
            known = {}
        if not database.is_filtered:
            self._checked[database.name] = (schema, known)
        if sql not in known:
            try:
                known[sql] = await database.check(sql, ROW_LIMIT)
            except SqlRefused as error:
                known[sql] = error
        return known[sql]


def _without_comments(hit: Retrieved, dialect: str, checked: str) -> Retrieved:
    """The query alone: what its author wrote beside it would stand among the model's own words."""
    if not _COMMENT_SIGNS.search(hit.document.sql):
        return hit
    from sqlglot.errors import SqlglotError

    from executors.dialects.table import DIALECTS
    from executors.sql.parsed import parse_sql

    grammar = DIALECTS[dialect].sqlglot
    try:
        sql = parse_sql(hit.document.sql, grammar).sql(dialect=grammar, comments=False)
    except (SqlglotError, RecursionError):  # the guard's grammar takes less work
        sql = checked
    return hit.model_copy(update={"document": hit.document.model_copy(update={"sql": sql})})


def _in_dialect(hit: Retrieved, checked: str) -> Retrieved:
    """As its author wrote it; where its limit is another dialect's, as the guard wrote it for this one."""
    if _limit_words(hit.document.sql) <= _limit_words(checked):
        return hit
    return hit.model_copy(update={"document": hit.document.model_copy(update={"sql": checked})})


def _limit_words(sql: str) -> frozenset[str]:
    return frozenset(word.upper() for word in _LIMIT_WORDS.findall(sql) if word)

"""What a rule is, what it reads and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from agent.core.models import RuleEvidence
from executors.base import Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.checks.rules.lookup import LookedUp
    from rag.docs.documents import Document
    from rag.linking.values import LinkedValue

MOST_SHOWN = 100  # characters of each side of a change in a sentence
Edit = Callable[["exp.Expr"], "exp.Expr | None"]
Stage = Literal["error", "query", "rows"]
Action = Literal["repair", "alternative", "doubt"]

# Errors that other names can repair, and errors that other words with the same meaning can repair.
NAMES = frozenset({ErrorKind.COLUMN_NOT_FOUND, ErrorKind.TABLE_NOT_FOUND})
WORDS = frozenset({ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.SYNTAX_ERROR, ErrorKind.TYPE_MISMATCH})


class Change(NamedTuple):
    """A part of a query before and after, as SQL."""

    before: str
    after: str

    def __str__(self) -> str:
        before, after = (it if len(it) <= MOST_SHOWN else f"{it[: MOST_SHOWN - 1]}…" for it in self)
        return f"{before} -> {after}"


class Finding(NamedTuple):
    """What a rule found in one query.

    detail: a sentence.
    sql: the repaired query, or the alternative.
    changes: its differences from the original.
    probes: queries that show whether the finding matters. If all give the same rows, nothing is doubted.
    counts: queries of one number. If one gives no rows, NULL or 0, nothing is doubted or repaired. The last number
        replaces `{}` in the detail of a doubt.
    """

    detail: str
    sql: str | None = None
    changes: tuple[Change, ...] = ()
    probes: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


@dataclass(frozen=True)
class RuleContext:
    """One query and what rules may know about it, computed once.

    tree: None if the query does not parse. It is never changed; `change` edits a copy.
    known_texts: what the model read besides the schema: rules and earlier exchanges.
    values: stored values that words of the question mean.
    looked_up: which texts of the query are not stored in their columns.
    error: why the query cannot run; None if it ran.
    rows: all rows of the result; None if some are missing.
    """

    sql: str
    schema: Schema
    tree: exp.Query | None = None
    question: str = ""
    known_texts: tuple[str, ...] = ()
    values: tuple[LinkedValue, ...] = ()
    documents: tuple[Document, ...] = ()
    looked_up: LookedUp | None = None
    error: ErrorKind | None = None
    rows: tuple[tuple[object, ...], ...] | None = None

    @classmethod
    def of(cls, sql: str, schema: Schema, **known: Any) -> RuleContext:
        """The context of a query as its database reads it. `known`: further fields."""
        from executors.sql.literals import spell_texts
        from executors.sql.tree import tree_to_change

        tree = tree_to_change(sql, DIALECTS[schema.dialect].sqlglot)
        return cls(sql, schema, spell_texts(tree, sql, schema) if tree is not None else None, **known)

    @property
    def dialect(self) -> str:
        """Sqlglot's name for the dialect."""
        return DIALECTS[self.schema.dialect].sqlglot

    @cached_property
    def query(self) -> exp.Query:
        """The tree, which every query that ran has. Raises ValueError: the query does not parse."""
        if self.tree is None:
            raise ValueError("the query does not parse")
        return self.tree

    @cached_property
    def selects(self) -> list[exp.Select]:
        from executors.sql.tree import selects_of

        return selects_of(self.query)

    def tables(self, select: exp.Select) -> dict[str, Table | None]:
        """The tables that a SELECT reads, by alias in lower case; None for a source that is no table of the schema."""
        from executors.sql.names.tables import tables_of

        return {alias.lower(): table for alias, table in tables_of(select, self.schema).items()}

    def to_sql(self, node: exp.Expr) -> str:
        """A part of a tree as SQL. Raises sqlglot.errors.UnsupportedError: the dialect cannot express it."""
        from executors.sql import grammar

        return grammar.write(node, self.dialect)

    def change(self, change: Callable[[exp.Query], Iterable[Change | str]], detail: str = "{}") -> Finding | None:
        """The query after a change of its tree; None if nothing changes, or the query does not parse.

        `change` edits a copy of the tree and returns what it changed. `{}` in the detail stands for that.
        """
        if self.tree is None:
            return None
        tree = self.tree.copy()
        if not (changes := tuple(dict.fromkeys(change(tree)))):
            return None
        kept = tuple(it for it in changes if isinstance(it, Change))
        return Finding(detail.replace("{}", "; ".join(map(str, changes))), self.to_sql(tree), kept)

    def change_each(self, *kinds: type[exp.Expr], by: Edit, detail: str = "{}") -> Finding | None:
        """Like `change`, node by node. `by` returns a new node, or the same one edited, or None to keep it."""

        def change(tree: exp.Query) -> Iterator[Change]:
            for node in list(tree.find_all(*kinds)):
                before = self.to_sql(node)
                if (new := by(node)) is not None:
                    yield Change(before, self.to_sql(node if new is node else node.replace(new)))

        return self.change(change, detail)


@dataclass(frozen=True)
class Rule:
    """One kind of mistake, and how to find it in a query.

    id: the name of its file.
    stage: when it applies. `error`: the query cannot run; `query`: it ran; `rows`: it ran, and its rows are read too.
    evidence: what it relies on.
    action: `repair` corrects a query that cannot run; `alternative` proposes another query; `doubt` changes nothing.
    apply: finds the mistake.
    keeps_meaning: whether its alternative reads what the query means: only NULL, or how a value is spelled, kept rows
        from it. So drafts that agree on the query confirm the alternative, too.
    """

    id: str
    stage: Stage
    evidence: RuleEvidence
    action: Action
    apply: Callable[[RuleContext], Finding | None]
    keeps_meaning: bool = False

    def find(self, context: RuleContext) -> Finding | None:
        """What the rule finds. None also if the query is nested too deeply, or cannot be written as SQL again."""
        from sqlglot.errors import SqlglotError

        try:
            return self.apply(context)
        except (SqlglotError, RecursionError):
            return None

    def __post_init__(self) -> None:
        if self.evidence == "language" and self.action != "doubt":
            raise ValueError(f"{self.id}: the words of a question change no query, they can only doubt")
        if (self.stage == "error") != (self.action == "repair"):
            raise ValueError(f"{self.id}: what cannot run is repaired, and nothing else is")

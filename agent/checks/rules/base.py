"""The interface of rules, and their context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from agent.core.models import RuleEvidence
from executors.base import Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import ErrorKind

if TYPE_CHECKING:
    from sqlglot import exp

    from agent.checks.rules.lookup import LookedUp
    from rag.docs.documents import Document
    from rag.linking.values import LinkedValue

Edit = Callable[["exp.Expr"], "exp.Expr | None"]
Stage = Literal["error", "query", "rows"]
Action = Literal["repair", "alternative", "doubt"]

# What can be repaired by other names, and by other words for the same.
NAMES = frozenset({ErrorKind.COLUMN_NOT_FOUND, ErrorKind.TABLE_NOT_FOUND})
WORDS = frozenset({ErrorKind.FUNCTION_NOT_FOUND, ErrorKind.SYNTAX_ERROR, ErrorKind.TYPE_MISMATCH})


class Change(NamedTuple):
    """A part of a query before and after, as SQL."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"


class Finding(NamedTuple):
    """What a rule found of one query.

    detail: a sentence.
    sql: the query repaired, or the alternative to it.
    changes: what differs there.
    probes: queries that show whether it matters: where all of them give the same rows, nothing is doubted.
    counts: queries of one number: where one gives none, zero or no rows, nothing is doubted; the detail has the last.
    """

    detail: str
    sql: str | None = None
    changes: tuple[Change, ...] = ()
    probes: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


@dataclass(frozen=True)
class RuleContext:
    """One query with everything that rules may know of it, worked out once.

    tree: never changed; a rule that proposes another query changes a copy, as `change` hands it one.
    known_texts: what else the model knew beside the schema: rules, earlier exchanges.
    values: stored values that the question's words mean.
    looked_up: which texts of the query are not stored in their columns.
    error: of a query that cannot run.
    rows: of the result; None where they are not all there.
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

    @property
    def dialect(self) -> str:
        """Sqlglot's name of it."""
        return DIALECTS[self.schema.dialect].sqlglot

    @cached_property
    def query(self) -> exp.Query:
        """The tree, where there is one: rules of the stages `query` and `rows` are asked of no other."""
        if self.tree is None:
            raise ValueError("the query does not parse")
        return self.tree

    @cached_property
    def selects(self) -> list[exp.Select]:
        from executors.sql.tree import selects_of

        return selects_of(self.query)

    def tables(self, select: exp.Select) -> dict[str, Table | None]:
        """What a SELECT reads, by the name it goes by, in small letters; None for what is no table of the schema."""
        from executors.sql.names.tables import tables_of

        return {alias.lower(): table for alias, table in tables_of(select, self.schema).items()}

    def to_sql(self, node: exp.Expr) -> str:
        """A part of a tree as SQL. Raises sqlglot.errors.UnsupportedError: the dialect has no words for it."""
        from executors.sql import grammar

        return grammar.write(node, self.dialect)

    def change(self, change: Callable[[exp.Query], Iterable[Change | str]], detail: str = "{}") -> Finding | None:
        """What becomes of the query by a change of its tree; None where nothing is changed, or it does not parse."""
        if self.tree is None:
            return None
        tree = self.tree.copy()
        if not (changes := tuple(dict.fromkeys(change(tree)))):
            return None
        kept = tuple(it for it in changes if isinstance(it, Change))
        return Finding(detail.replace("{}", "; ".join(map(str, changes))), self.to_sql(tree), kept)

    def change_each(self, *kinds: type[exp.Expr], by: Edit, detail: str = "{}") -> Finding | None:
        """The same by what `by` makes of each node: another, or itself, changed; None where it is left alone."""

        def change(tree: exp.Query) -> Iterator[Change]:
            for node in list(tree.find_all(*kinds)):
                before = self.to_sql(node)
                if (new := by(node)) is not None:
                    yield Change(before, self.to_sql(node if new is node else node.replace(new)))

        return self.change(change, detail)


@dataclass(frozen=True)
class Rule:
    """One thing that is known of queries.

    id: the name of its file.
    stage: `error`: of a query that cannot run; `query`: of one that ran; `rows`: of what it gave.
    evidence: what it rests on.
    action: `repair`, of what cannot run; `alternative`, a further candidate; `doubt`, which changes nothing.
    apply: its one method.
    """

    id: str
    stage: Stage
    evidence: RuleEvidence
    action: Action
    apply: Callable[[RuleContext], Finding | None]

    def find(self, context: RuleContext) -> Finding | None:
        """What it finds; nothing of a query that cannot be written anew, or is nested too deeply for that."""
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

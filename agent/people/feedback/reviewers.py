"""Reviewers: which principals may settle reviews, by the settings and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.core.callers import ANONYMOUS, LOCAL, is_listed
from executors.errors import UnknownDatabase

if TYPE_CHECKING:
    from agent.databases.registry import Databases
    from agent.people.feedback.records import AnswerRef
    from executors.router import Router


class Reviewers:
    """Decides who may see and settle the reviews of a database.

    `everywhere`: reviewers of every database, separated by commas. `nobody_is_known`: callers have no names here, so
    every caller is this machine's user.
    """

    def __init__(self, router: Router, registered: Databases, *, everywhere: str, nobody_is_known: bool) -> None:
        self._router, self._registered, self._nobody_is_known = router, registered, nobody_is_known
        self._everywhere = tuple(name.strip() for name in everywhere.split(",") if name.strip())

    def admit(self, database: str, principal: str) -> None:
        """Let a principal query a database. Raises UnknownDatabase."""
        self._registered.admit(database, principal)

    def databases(self, principal: str) -> tuple[str, ...]:
        """The databases that a principal may query."""
        hidden = self._registered.find_hidden_databases(principal)
        return tuple(name for name in self._router.names() if name not in hidden)

    def may_ask(self, database: str, principal: str) -> bool:
        """Whether a principal may query a database, which must still be in the registry."""
        try:
            self.admit(database, principal)
        except UnknownDatabase:
            return False
        return True

    def may_settle(self, database: str, principal: str) -> bool:
        """Whether a principal may settle the reviews of a database, which they must see every row of.

        Reviews hold others' answers, and an approved query must be right on all rows.
        """
        if not self.may_ask(database, principal) or not self._registered.sees_all(database, principal):
            return False
        if principal == LOCAL or (principal == ANONYMOUS and self._nobody_is_known):
            return True
        return is_listed(principal, (*self._everywhere, *self._router.entry(database).reviewers))

    def is_somebody(self, principal: str) -> bool:
        """Whether a principal stands for one person: those without a name are many, where others have one."""
        return principal != ANONYMOUS or self._nobody_is_known

    def may_see(self, answer_ref: AnswerRef, principal: str) -> bool:
        """Whether a principal may see an answer: reviewers all of them, others their own."""
        if self.may_settle(answer_ref.database, principal):
            return True
        # Those without a name are not one person, where others have one.
        return principal != ANONYMOUS and owns(answer_ref, principal) and self.may_ask(answer_ref.database, principal)


def owns(answer_ref: AnswerRef, principal: str) -> bool:
    """Whether an answer is a principal's own; case does not matter, as in e-mail addresses."""
    return answer_ref.principal.casefold() == principal.casefold()

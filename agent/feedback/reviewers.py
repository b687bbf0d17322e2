"""Who may settle what: reviewers, by the settings and by each database's entry in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent.core.callers import ANONYMOUS, LOCAL, is_listed
from executors.errors import UnknownDatabase

if TYPE_CHECKING:
    from agent.databases.registry import Databases
    from agent.feedback.records import Asked
    from executors.router import Router


class Reviewers:
    """Answers who may see and settle the reviews of a database.

    Args:
        router: whose entries name the reviewers of one database.
        registered: the databases, which say who may ask.
        everywhere: reviewers of every database, separated by commas.
        nobody_is_known: whether callers have no names here, so that whoever asks is this machine's user.
    """

    def __init__(self, router: Router, registered: Databases, *, everywhere: str, nobody_is_known: bool) -> None:
        self._router, self._registered, self._nobody_is_known = router, registered, nobody_is_known
        self._everywhere = tuple(name.strip() for name in everywhere.split(",") if name.strip())

    def admit(self, database: str, principal: str) -> None:
        """Let somebody ask a database. Raises UnknownDatabase."""
        self._registered.admit(database, principal)

    def databases(self, principal: str) -> tuple[str, ...]:
        """Those that somebody may ask."""
        hidden = self._registered.hidden(principal)
        return tuple(name for name in self._router.names() if name not in hidden)

    def may_ask(self, database: str, principal: str) -> bool:
        """Whether somebody may ask a database, which must be in the registry still."""
        try:
            self.admit(database, principal)
        except UnknownDatabase:
            return False
        return True

    def may_settle(self, database: str, principal: str) -> bool:
        """Whether somebody may settle the reviews of a database that they may ask, and of which they see every row.

        Reviews hold what others were told, and an approved query is right only if it is right on all rows.
        """
        if not self.may_ask(database, principal) or not self._registered.sees_all(database, principal):
            return False
        if principal == LOCAL or (principal == ANONYMOUS and self._nobody_is_known):
            return True
        return is_listed(principal, (*self._everywhere, *self._router.entry(database).reviewers))

    def is_somebody(self, principal: str) -> bool:
        """Whether a principal stands for one person: those without a name are many, where others have one."""
        return principal != ANONYMOUS or self._nobody_is_known

    def may_see(self, asked: Asked, principal: str) -> bool:
        """Whether somebody may see what was asked: reviewers all of it, others what they asked themselves."""
        if self.may_settle(asked.database, principal):
            return True
        # Those without a name are not one person, where others have one.
        return principal != ANONYMOUS and owns(asked, principal) and self.may_ask(asked.database, principal)


def owns(asked: Asked, principal: str) -> bool:
    """Whether somebody asked this; upper and lower case are the same, as in e-mail addresses."""
    return asked.principal.casefold() == principal.casefold()

"""SQLAlchemy's knowledge of a driver, without its engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect


class Driver(NamedTuple):
    """SQLAlchemy's dialect with its driver, and what `connect` takes."""

    dialect: Dialect
    arguments: Sequence[Any]
    options: Mapping[str, Any]

    @property
    def error(self) -> type[Exception]:
        """The driver's base class of errors."""
        error: type[Exception] = self.dialect.loaded_dbapi.Error
        return error

    def connect(self, more: Mapping[str, Any]) -> DBAPIConnection:
        """A new connection. Args: more: arguments that go before those of the address."""
        return self.dialect.connect(*self.arguments, **{**self.options, **more})

    def lost(self, error: Exception, connection: DBAPIConnection | None) -> bool:
        """Whether an error says that the connection is gone."""
        return self.dialect.is_disconnect(error, connection, None)  # type: ignore[arg-type]  # of a driver, always


def load(url: URL) -> Driver:
    """The driver for an address. Raises ImportError where it is not installed."""
    kind = url.get_dialect()
    dialect = _pinging(kind)(dbapi=kind.import_dbapi())  # type: ignore[call-arg]  # every dialect takes its driver
    arguments, options = dialect.create_connect_args(url)
    return Driver(dialect, arguments, dict(options))


def _pinging(kind: type[Dialect]) -> type[Dialect]:
    """The dialect, but whatever a ping ends with, its connection is replaced: not every driver knows a dead one."""

    class Pinging(kind):  # type: ignore[valid-type, misc]  # a class that is known only now
        def do_ping(self, dbapi_connection: DBAPIConnection) -> bool:
            try:
                return bool(super().do_ping(dbapi_connection))
            except self.loaded_dbapi.Error:
                return False

    return Pinging

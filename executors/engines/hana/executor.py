"""SAP HANA, over hdbcli."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from executors.engines.common.servers.sqlalchemy import SqlAlchemyExecutor

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPICursor
    from sqlalchemy.pool import PoolProxiedConnection


class HanaExecutor(SqlAlchemyExecutor):
    """See `SqlAlchemyExecutor`. The driver enforces timeouts and cancels, without the right to administer sessions.

    The connection to another machine uses TLS and verifies the server's certificate, unless the address says
    `encrypt=false` or `sslValidateCertificate=false`.
    """

    def connect_options(self) -> dict[str, Any]:
        """See `SqlAlchemyExecutor.connect_options`: TLS and the login timeout."""
        options: dict[str, Any] = {"connectTimeout": round(self.options.connect_timeout_s * 1000)}
        if "encrypt" not in self.address.query and not self.address.is_local:
            options["encrypt"] = True
        return options

    def interrupt(self, lease: PoolProxiedConnection) -> None:
        lease.dbapi_connection.cancel()  # type: ignore[union-attr]  # the driver's own method

    def _set_timeout(self, lease: PoolProxiedConnection, timeout_s: float) -> None:
        lease.info["timeout_s"] = timeout_s

    def _execute(self, lease: PoolProxiedConnection, sql: str) -> DBAPICursor:
        cursor = lease.cursor()
        cursor.setquerytimeout(math.ceil(lease.info["timeout_s"]))  # whole seconds
        cursor.execute(sql)
        return cursor

"""How a database server is used, whichever it is."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from executors.base import Frozen


class ServerOptions(Frozen):
    """Settings and registry together, for one server database.

    sample_values: stored values per text column of the schema.
    pool_size: connections at most; further queries wait for one.
    connect_timeout_s: seconds to reach the server and log in.
    schema_ttl_s: seconds after which the schema is read again.
    recycle_s: seconds after which a connection is replaced before its next use.
    schemas: the server's schemas that are read; empty: all that the user may see.
    writable: whether `write` works at all.
    """

    sample_values: Annotated[int, Field(ge=0)] = 3
    pool_size: Annotated[int, Field(ge=1)] = 4
    connect_timeout_s: Annotated[float, Field(gt=0)] = 10
    schema_ttl_s: Annotated[float, Field(gt=0)] = 600
    recycle_s: Annotated[float, Field(gt=0)] = 1800
    schemas: tuple[str, ...] = ()
    writable: bool = False

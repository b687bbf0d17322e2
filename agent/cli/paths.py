"""Resolves the databases named on the command line: a name in the registry, a path, or a server's address."""

from __future__ import annotations

import os
from pathlib import Path

from agent.pipeline.service import Service
from executors.errors import DatabaseUnavailable
from executors.registry.kinds import is_glob, local_path


def resolve(service: Service, database: str, docs: list[Path] | None) -> str:
    """The name of a database. A path or an address is added first. Raises DatabaseUnavailable, RegistryInvalid."""
    names = service.router.names()
    if database in names:
        return service.router.with_docs(database, docs) if docs else database
    if local_path(database) is None:
        return service.add_source(database, tuple(docs or ()))
    path = Path(database)
    if _is_there(path):
        return service.router.add(path, docs=tuple(docs or ()))
    if os.sep in database or path.suffix:
        known = f" Known names: {', '.join(names)}." if names else ""
        raise DatabaseUnavailable(f"There is no file or folder {database}: check the path.{known}")
    return database  # the service reports the known names instead


def _is_there(path: Path) -> bool:
    """Whether the file, folder or pattern exists; False if the system cannot look it up."""
    try:
        return path.exists() or is_glob(path)
    except OSError:
        return False

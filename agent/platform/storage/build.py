"""Builds the store that the settings name, and loads its packages only then."""

from __future__ import annotations

from functools import partial

from agent.platform.config.settings import Settings
from agent.platform.storage.store import StateStore
from agent.platform.storage.versions import VersionedStore, import_files

FILE = "state.sqlite"  # in the folder of `state_dir`


def build_store(settings: Settings) -> StateStore:
    """The store of the service's state, as the settings say; nothing is opened or connected before it is used."""
    if settings.state_kind == "memory":
        from agent.platform.storage.memory import MemoryStore

        return MemoryStore()
    return VersionedStore(_open_store(settings), (partial(import_files, settings.state_path),))


def _open_store(settings: Settings) -> StateStore:
    if settings.state_kind == "azure_tables":
        from agent.platform.storage.azure_tables import AzureTablesStore

        connection = settings.azure_tables_connection
        return AzureTablesStore(
            connection=connection.get_secret_value() if connection else "",
            endpoint=settings.azure_tables_endpoint or "",
            table=settings.azure_tables_name,
        )
    from agent.platform.storage.sqlite import SqliteStore

    return SqliteStore(settings.state_path / FILE)

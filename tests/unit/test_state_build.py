"""Which store the settings mean; and names, as every store writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from agent.platform.config.settings import Settings
from agent.platform.storage.azure_tables import AzureTablesStore
from agent.platform.storage.build import VersionedStore, build_store
from agent.platform.storage.sqlite import MemoryStore, SqliteStore
from agent.platform.storage.store import PAST_ALL, Place, decode_name, encode_name

CONNECTION = SecretStr("AccountName=me;AccountKey=c2VjcmV0")
ENDPOINT = "https://me.table.core.windows.net"


@pytest.mark.parametrize(
    "given, kind, why",
    [
        ({}, SqliteStore, "nothing is needed"),
        ({"azure_tables_connection": CONNECTION}, AzureTablesStore, "an account is named"),
        ({"azure_tables_endpoint": ENDPOINT}, AzureTablesStore, "an account is named, without a key"),
        ({"state_store": "sqlite", "azure_tables_endpoint": ENDPOINT}, SqliteStore, "somebody says so"),
        ({"state_store": "memory"}, MemoryStore, "somebody says so"),
    ],
)
def test_builds_the_store_that_is_meant(given: dict[str, Any], kind: type, why: str, tmp_path: Path) -> None:
    store = build_store(Settings(state_dir=tmp_path, **given))
    assert type(store.store if isinstance(store, VersionedStore) else store) is kind, why
    assert list(tmp_path.iterdir()) == [], "nothing is opened before it is used"


def test_azure_without_an_account_says_what_is_missing() -> None:
    with pytest.raises(ValidationError, match="set PLUMBLINE_AZURE_TABLES_ENDPOINT too"):
        Settings(state_store="azure_tables")


def test_a_connection_string_is_shown_nowhere() -> None:
    assert "c2VjcmV0" not in repr(Settings(azure_tables_connection=CONNECTION))


@pytest.mark.parametrize(
    "setting, value, why",
    [
        ("azure_tables_endpoint", "http://me.table.core.windows.net", "a token would travel in the open"),
        ("azure_tables_endpoint", f"{ENDPOINT}?sig=secret", "what is secret belongs into the connection string"),
        ("azure_tables_name", "plumb_line", "no name of a table"),
        ("state_store", "redis", "no store of ours"),
    ],
)
def test_refuses_settings(setting: str, value: str, why: str) -> None:
    with pytest.raises(ValidationError, match=setting):
        Settings.model_validate({setting: value})


NAMES = st.text(st.characters(codec=None), max_size=20)


@given(NAMES, NAMES)
def test_written_names_keep_their_order_and_come_back(one: str, other: str) -> None:
    assert (encode_name(one) < encode_name(other)) == (one < other)
    assert decode_name(encode_name(one)) == one
    assert encode_name(one + other).startswith(encode_name(one))
    assert encode_name(one) < PAST_ALL
    assert set("/\\#?%'.") & set(encode_name(one)) == set()


def test_places_of_all_stores_are_values() -> None:
    assert len({Place(kind="session", partition="a"), Place(kind="session", partition="a")}) == 1

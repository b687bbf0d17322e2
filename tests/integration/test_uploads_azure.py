"""Uploads where state is in Azure: instances that share no disk fetch the data from Blob Storage."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent.core.errors import StateUnavailable
from agent.databases.uploads.blobs import AzureBlobs, build_blobs
from agent.databases.uploads.uploads import Arriving
from agent.pipeline.service import Service
from agent.platform.config.settings import Settings
from executors.errors import DatabaseUnavailable, UnknownDatabase
from testbed import azurite
from testbed.azurite import Azurite

pytestmark = pytest.mark.skipif(azurite.missing() != "", reason=azurite.missing())

SQL = "SELECT count(*) AS n FROM sales"


async def body() -> AsyncIterator[bytes]:
    yield b"town,amount\n"
    yield b"Bonn,1.5\n" * 50


@pytest.fixture
def blobs() -> Iterator[Azurite]:
    with Azurite("blob") as running:
        yield running


@pytest.fixture
def connection(blobs: Azurite) -> Iterator[SecretStr]:
    with Azurite() as tables:
        yield SecretStr(f"{tables.connection_string}BlobEndpoint={blobs.endpoint};")


async def test_an_instance_without_the_data_fetches_it_and_deletes_it_for_all(
    make_service: Callable[..., Service], connection: SecretStr, blobs: Azurite, tmp_path: Path
) -> None:
    one, other = (
        make_service(state_dir=tmp_path / name, azure_tables_connection=connection, state_store=None)
        for name in ("one", "other")
    )
    try:
        await one.take_upload(Arriving(owner="ann", file="sales.csv"), body())
        there = await other.databases.execute("sales", SQL, principal="ann")
        assert there.result.rows == ((50,),)
        with pytest.raises(UnknownDatabase):
            await other.databases.execute("sales", SQL, principal="bob")
        (copy,) = (tmp_path / "other" / "uploads" / "kept").iterdir()

        await other.remove_upload("sales", "ann")
        assert not copy.exists()
        await one.databases.follow(now=True)
        assert list((tmp_path / "one" / "uploads" / "kept").iterdir()) == []
        third = make_service(state_dir=tmp_path / "third", azure_tables_connection=connection, state_store=None)
        with pytest.raises(UnknownDatabase):
            await third.databases.execute("sales", SQL, principal="ann")
        await third.close()

        await one.take_upload(Arriving(owner="ann", file="towns.csv"), body())
        await other.databases.follow(now=True)
        blobs.stop()
        with pytest.raises(DatabaseUnavailable, match="cannot be fetched now"):
            await other.databases.execute("towns", SQL, principal="ann")
    finally:
        await one.close()
        await other.close()


def test_what_belongs_to_no_upload_is_swept(blobs: Azurite, tmp_path: Path) -> None:
    kept = AzureBlobs(connection=blobs.connection_string, container="plumbline-uploads")
    kept.sweep((), time.time())  # of a container that is not there
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.csv").write_text("a\n1\n", encoding="utf-8")
    for place in ("known", "gone"):
        kept.put(place, tmp_path / "deep")
    kept.sweep({"known"}, time.time() - 3600)
    kept.sweep({"known"}, time.time() + 3600)
    for place, files in (("known", ["a.csv"]), ("gone", [])):
        (tmp_path / place).mkdir()
        kept.fetch(place, tmp_path / place)
        assert [path.name for path in (tmp_path / place).iterdir()] == files
    blobs.stop()
    with pytest.raises(StateUnavailable, match="Azure Blob Storage, where uploads are kept"):
        kept.remove("known")


def test_the_account_of_the_table_has_the_blobs(settings: Settings) -> None:
    assert build_blobs(settings) is None
    named = {"azure_tables_endpoint": "https://shop.table.core.windows.net", "azure_tables_name": "Shop1"}
    found = build_blobs(settings.model_copy(update=named))
    assert isinstance(found, AzureBlobs)
    assert (found._endpoint, found._name) == ("https://shop.blob.core.windows.net", "shop1-uploads")
    elsewhere = {"azure_tables_endpoint": "https://127.0.0.1:1/shop"}
    assert build_blobs(settings.model_copy(update=elsewhere)) is None

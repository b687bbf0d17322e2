"""How the data of an upload is read: reports, dates, archives and SQLite files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx2
import pytest
from api_client import api_client

from agent.api.app import create_app
from agent.pipeline.service import Service
from agent.platform.config.settings import MB
from executors.engines.files.executor import FilesExecutor

Client = httpx2.AsyncClient

SALES = "Ort;Betrag;Tag\n" + "".join(f"Bonn;{n},50 €;2024-0{n % 9 + 1}-03\n" for n in range(40))

pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
async def client(make_service: Callable[..., Service]) -> AsyncIterator[Client]:
    async with api_client(create_app(make_service, upload_bytes=MB)) as client:
        yield client


async def upload(client: Client, file: str, content: bytes, **more: str) -> httpx2.Response:
    return await client.post("/databases", params={"file": file, **more}, content=content)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name.replace("__", "/").replace("_csv", ".csv"), content)
    return out.getvalue()


async def test_the_response_names_what_could_not_be_read(client: Client) -> None:
    taken = await upload(client, "sales.csv", "town;amount\nBonn;1\nKöln;2;9\nUlm;3\n".encode())

    report = (await client.get("/databases/sales/report")).json()
    assert taken.json()["problems"] == report["problems"] != []
    assert (await upload(client, "towns.csv", SALES.encode())).json()["problems"] == []


async def test_a_parameter_decides_how_dates_are_read_that_fit_both_ways(client: Client) -> None:
    days = b"id,day\n1,03/04/2024\n2,05/06/2024\n"

    guessed = await upload(client, "days.csv", days)
    told = await upload(client, "days.csv", days, dates="month_first")
    query = {"sql": "SELECT day FROM days ORDER BY id", "database": told.json()["name"]}
    rows = await client.post("/execute", json=query)

    assert guessed.json()["problems"][0].endswith("Give `dates: month_first` if that is wrong.")
    assert told.json()["problems"] == []
    assert rows.json()["rows"] == [["2024-03-04"], ["2024-05-06"]]
    assert (await upload(client, "days.csv", days, dates="american")).status_code == 422


async def test_data_without_rows_is_kept_and_told(client: Client) -> None:
    taken = await upload(client, "one.csv", b"id,name\n")
    header = "one.csv: the first line was read as the header: id, name."
    assert (taken.status_code, taken.json()["problems"]) == (201, ["one.csv has no rows.", header])


async def test_an_archive_is_a_folder_of_files(client: Client) -> None:
    files = {
        "2024__rides_01_csv": b"id,km\n1,5\n",
        "2024__rides_02_csv": b"id,km\n2,7\n",
        "towns_csv": b"town\nUlm\nBonn\n",
    }
    assert (await upload(client, "city.zip", zipped(**files))).status_code == 201
    tables = (await client.get("/databases/city/schema?enriched=false")).json()["tables"]
    assert {table["name"]: table["row_count"] for table in tables} == {"rides": 2, "towns": 2}


async def test_an_archive_is_read_as_the_same_folder_is(client: Client, tmp_path: Path) -> None:
    files = {"towns.csv": b"town\nUlm\nBonn\n", "notes.txt": b"hive\tremark\nH01\tstrong\n", "read me.md": b"Towns.\n"}
    for name, content in files.items():
        (tmp_path / "own").mkdir(exist_ok=True)
        (tmp_path / "own" / name).write_bytes(content)
    folder = FilesExecutor("own", tmp_path / "own", memory="200MB", threads=1, sample_values=3)
    folder.schema()

    taken = await upload(client, "towns.zip", zipped(**files))

    assert taken.status_code == 201, taken.text
    assert taken.json()["problems"] == list(folder.warnings) == ["Not read: notes.txt (name it .csv)."]
    folder.close()


@pytest.mark.parametrize("file", ["my shop.sqlite", "my shop.sqlite3", "my shop.db", "my shop.DB"])
async def test_a_sqlite_file_is_a_database(client: Client, shop_file: Path, file: str) -> None:
    assert (await upload(client, file, shop_file.read_bytes())).json()["name"] == "my-shop"
    asked = {"database": "my-shop", "sql": "SELECT count(*) AS n FROM orders"}
    assert (await client.post("/execute", json=asked)).json()["rows"] == [[5]]

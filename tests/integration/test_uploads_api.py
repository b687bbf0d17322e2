"""`POST /api/databases` and `DELETE`: data that callers bring is theirs alone, and nothing half is ever kept."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import api_client, problem
from door import ANN, KEYS, STRANGER, bearer
from eventually import eventually
from test_uploads_read import zipped

from agent.api.app import create_app
from agent.databases.uploads import folder as folders
from agent.databases.uploads.folder import LEFT_AFTER_S, Incoming
from agent.databases.uploads.uploads import Arriving
from agent.pipeline.service import Service
from agent.platform.access.policy import build_access
from agent.platform.config.settings import MB, UPLOADABLE, Settings
from agent.platform.storage.build import VersionedStore
from agent.platform.storage.sqlite import MemoryStore
from executors.base import Schema
from executors.errors import DiskFull
from executors.registry.kinds import FILE_SUFFIXES, kind_of
from executors.workers.isolated import IsolatedExecutor
from testbed.scripted_model import ScriptedModel

Client = httpx2.AsyncClient
Open = Callable[..., Any]

SALES = "Ort;Betrag;Tag\n" + "".join(
    f"{'Köln' if n % 2 else 'Bonn'};{n},50 €;2024-0{n % 9 + 1}-03\n" for n in range(40)
)


pytestmark = pytest.mark.usefixtures("service_embedder")


@pytest.fixture
def opened(make_service: Callable[..., Service], settings: Settings) -> Open:
    """The app behind its door, with two callers who have keys."""

    def opened(services: list[Service] | None = None, **changes: object) -> Any:
        asked = {"auth": "api_keys", "api_keys": KEYS, **changes}
        validated = Settings.model_validate(settings.model_dump(exclude_unset=True) | asked)
        access = build_access(validated, store=MemoryStore, environment={})

        def make() -> Service:
            service = make_service(**changes)
            if services is not None:
                services.append(service)
            return service

        return api_client(create_app(make, access=access, upload_bytes=validated.upload_mb * MB + MB))

    return opened


@pytest.fixture
async def client(opened: Open) -> AsyncIterator[Client]:
    async with opened() as client:
        yield client


async def upload(
    client: Client, file: str, content: Any, *, key: str = ANN, headers: dict[str, str] | None = None, **more: str
) -> httpx2.Response:
    params = {"file": file, **more}
    return await client.post("/databases", params=params, content=content, headers=bearer(key) | (headers or {}))


def left(settings: Settings) -> list[str]:
    """What lies in the folder of the uploads: folders of those that are kept, and all that is not."""
    root = settings.state_path / "uploads"
    return sorted(f"{it.parent.name}/{it.name}" for it in (*root.glob("incoming/*"), *root.glob("kept/*")))


def test_what_can_be_uploaded_is_what_can_be_read() -> None:
    files = {suffix.removeprefix(".") for suffix in FILE_SUFFIXES}
    alone = UPLOADABLE - {"zip", "db"}  # of a .db, the content decides
    assert {kind: kind_of(Path(f"data.{kind}")) for kind in alone} == {
        kind: "files" if kind in files else "duckdb" if kind in ("duckdb", "ddb") else "sqlite" for kind in alone
    }
    assert files < UPLOADABLE


# -- what goes well ------------------------------------------------------------------------------------------


async def test_an_upload_can_be_asked_at_once_by_who_brought_it_alone(client: Client, settings: Settings) -> None:
    taken = await upload(client, "sales.csv", SALES.encode("cp1252"), description="Sales of two towns")
    assert taken.status_code == 201, taken.text
    assert taken.headers["location"] == "/api/databases/sales"
    assert (taken.json()["name"], taken.json()["file"], taken.json()["size"]) == (
        "sales",
        "sales.csv",
        len(SALES.encode("cp1252")),
    )

    asked = {"database": "sales", "sql": "SELECT Ort, sum(Betrag) AS total FROM sales GROUP BY Ort ORDER BY Ort"}
    rows = await client.post("/execute", json=asked, headers=bearer(ANN))
    assert rows.json()["rows"] == [["Bonn", 390.0], ["Köln", 410.0]], rows.text
    listed = (await client.get("/databases", headers=bearer(ANN))).json()
    mine = next(it for it in listed["databases"] if it["name"] == "sales")
    assert mine["description"] == "Sales of two towns"
    assert mine["upload"]["file"] == "sales.csv"
    assert mine["upload"]["expires_at"] > mine["upload"]["created_at"]
    assert listed["uploads"] == {
        "max_bytes": settings.upload_mb * MB,
        "types": sorted(settings.upload_types.split(",")),
        "days": settings.upload_days,
        "most": settings.max_uploads,
    }

    other = bearer(STRANGER)
    assert "sales" not in {it["name"] for it in (await client.get("/databases", headers=other)).json()["databases"]}
    problem(await client.get("/databases/sales", headers=other), 404, "unknown-database")
    problem(await client.post("/execute", json=asked, headers=other), 404, "unknown-database")
    problem(await client.delete("/databases/sales", headers=other), 404, "unknown-database")
    ready = await client.get("/health/ready", headers=other)
    assert "database sales" not in {part["name"] for part in ready.json()["parts"]}


async def test_deleting_takes_the_data_and_what_was_said_of_it(opened: Open, settings: Settings) -> None:
    services: list[Service] = []
    async with opened(services) as client:
        await delete_and_upload_again(client, services, settings)


async def delete_and_upload_again(client: Client, services: list[Service], settings: Settings) -> None:
    await upload(client, "sales.csv", SALES.encode())
    said = {"table": "sales", "column": "Betrag", "text": "Gross."}
    assert (await client.put("/databases/sales/columns", json=said, headers=bearer(ANN))).status_code == 200
    assert len(left(settings)) == 1
    assert "Gross." in {document.text for document in services[0].knowledge.store.documents("sales")}

    gone = await client.delete("/databases/sales", headers=bearer(ANN))
    assert gone.status_code == 204, gone.text
    assert left(settings) == []
    problem(await client.get("/databases/sales", headers=bearer(ANN)), 404, "unknown-database")
    problem(await client.delete("/databases/sales", headers=bearer(ANN)), 404, "unknown-database")

    store = services[0].knowledge.store
    assert [document for document in store.documents("sales") if document.text] == []
    again = await upload(client, "sales.csv", SALES.encode(), name="sales")
    assert again.status_code == 201
    docs = await client.get("/rag/documents", params={"database": "sales", "kind": "column"}, headers=bearer(ANN))
    assert "Gross." not in docs.text


async def test_a_database_of_the_registry_is_not_deleted(client: Client) -> None:
    problem(await client.delete("/databases/shop", headers=bearer(ANN)), 403, "not-permitted")


async def test_a_body_that_does_not_say_its_size_is_taken_as_it_comes(client: Client) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for line in SALES.splitlines(keepends=True):
            yield line.encode()

    taken = await upload(client, "sales.csv", pieces())
    assert taken.status_code == 201
    assert taken.json()["size"] == len(SALES.encode())


async def test_another_process_answers_at_once_and_forgets_with_the_first(opened: Open) -> None:
    async with opened() as one, opened() as other:
        await one.get("/databases", headers=bearer(ANN))
        await other.get("/databases", headers=bearer(ANN))
        await upload(one, "sales.csv", SALES.encode())
        asked = {"database": "sales", "sql": "SELECT count(*) AS n FROM sales"}
        there = await other.post("/execute", json=asked, headers=bearer(ANN))
        assert there.json()["rows"] == [[40]], there.text
        assert (await other.delete("/databases/sales", headers=bearer(ANN))).status_code == 204

        async def status() -> int:
            return int((await one.post("/execute", json=asked, headers=bearer(ANN))).status_code)

        assert await eventually(status, lambda found: found == 404) == 404


async def test_what_has_expired_is_gone(opened: Open, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    services: list[Service] = []
    async with opened(services) as client:
        await upload(client, "sales.csv", SALES.encode())
        service = services[0]
        later = service.uploads.every()[0].expires_at + 1
        assert isinstance(service.state, VersionedStore)
        monkeypatch.setattr(service.state.store, "_clock", lambda: later)  # which says what is over
        assert service.uploads.every() == []
        await service.databases.follow(now=True)
        problem(await client.get("/databases/sales", headers=bearer(ANN)), 404, "unknown-database")
        service.uploads._folder.sweep(set(), now=later + LEFT_AFTER_S)  # unless it was let go of already
    assert left(settings) == []


# -- sent again ----------------------------------------------------------------------------------------------

AGAIN = {"idempotency-key": "3f1c0d2e-1"}


async def names(client: Client) -> list[str]:
    return [it["name"] for it in (await client.get("/databases", headers=bearer(ANN))).json()["databases"]]


async def test_an_upload_that_is_sent_again_is_one(client: Client, settings: Settings) -> None:
    first, second = [await upload(client, "sales.csv", SALES.encode(), headers=AGAIN) for _ in range(2)]

    assert (first.status_code, second.status_code) == (201, 201)
    assert (second.json(), second.headers["location"]) == (first.json(), first.headers["location"])
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert await names(client) == ["shop", "sales"]
    assert len(left(settings)) == 1


@pytest.mark.parametrize("file, content", [("sales.csv", SALES.encode() + b"Ulm;1,00;2024-01-01\n"),
                                           ("other.csv", SALES.encode())])  # fmt: skip
async def test_other_data_with_the_key_of_an_upload_is_refused(client: Client, file: str, content: bytes) -> None:
    await upload(client, "sales.csv", SALES.encode(), headers=AGAIN)

    problem(await upload(client, file, content, headers=AGAIN), 422, "key-reused")
    assert await names(client) == ["shop", "sales"]


async def test_an_upload_that_is_still_coming_is_not_begun_again(client: Client) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def held() -> AsyncIterator[bytes]:
        yield SALES.encode()[:50]
        begun.set()
        await go_on.wait()
        yield SALES.encode()[50:]

    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(upload(client, "sales.csv", held(), headers=AGAIN))
        await begun.wait()
        second = await upload(client, "sales.csv", SALES.encode(), headers=AGAIN)
        go_on.set()

    problem(second, 409, "request-in-progress")
    assert first.result().status_code == 201
    third = await upload(client, "sales.csv", SALES.encode(), headers=AGAIN)
    assert third.headers["idempotent-replayed"] == "true", "it is the same data, however it came"


async def test_an_upload_that_failed_may_be_sent_again(client: Client) -> None:
    problem(await upload(client, "sales.csv", b"", headers=AGAIN), 422, "upload-invalid")

    assert (await upload(client, "sales.csv", SALES.encode(), headers=AGAIN)).status_code == 201


async def test_a_key_has_no_upload_read_that_is_too_large(opened: Open) -> None:
    async with opened(upload_mb=1) as client:

        async def never() -> AsyncIterator[bytes]:
            raise AssertionError("the body was read")
            yield b""

        declared = AGAIN | {"content-length": str(2 * 10**9)}
        problem(await upload(client, "a.csv", never(), headers=declared), 413, "upload-too-large")


# -- what does not -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file, content, says",
    [
        ("tool.exe", b"MZ", "cannot be uploaded"),
        ("none.csv", b"", "is empty"),
        ("image.csv", b"\x89PNG\x00\x00\x01", "is not text"),
        ("wide.csv", b",".join(b"c%d" % n for n in range(5000)) + b"\n" + b",".join([b"1"] * 5000), "5,000 columns"),
        ("broken.xlsx", b"no workbook", "not an Excel workbook"),
        ("broken.sqlite", b"SQLite format 3\x00" + b"x" * 4000, "cannot be"),
        ("broken.zip", b"PK\x03\x04 and no more", "not a ZIP archive"),
        ("other.zip", zipped(**{"run.sh": b"rm"}), "cannot be read"),
        ("text.db", b"town\nUlm\n", "text.db"),
        ("duck.db", b"\x00" * 8 + b"DUCK" + b"\x00" * 4000, "duck.db"),
        ("empty.zip", zipped(), "is empty"),
        ("bomb.zip", zipped(dull_csv=b"a\n" + b"0\n" * 12_000_000), "200 times its size"),
        ("bomb.csv.gz", None, "200 times its size"),
        ("bomb.xlsx", zipped(**{"xl/worksheets/sheet1.xml": b" " * 24_000_000}), "200 times its size"),
    ],
    ids=["type", "nothing", "no text", "5,000 columns", "no workbook", "no database", "no archive", "a script inside",
         "text as .db", "DuckDB as .db", "nothing inside", "zip bomb", "gzip bomb", "xlsx bomb"],
)  # fmt: skip
async def test_what_cannot_be_read_is_not_kept(
    file: str, content: bytes | None, says: str, client: Client, settings: Settings
) -> None:
    import gzip

    body = gzip.compress(b"a\n" + b"0\n" * 12_000_000) if content is None else content
    refused = problem(await upload(client, file, body), 422, "upload-invalid")
    assert says in refused["detail"]
    assert left(settings) == []
    assert [it["name"] for it in (await client.get("/databases", headers=bearer(ANN))).json()["databases"]] == ["shop"]


async def test_what_is_too_large_is_refused_before_it_is_read(opened: Open, settings: Settings) -> None:
    async with opened(upload_mb=1) as client:

        async def never() -> AsyncIterator[bytes]:
            raise AssertionError("the body was read")
            yield b""

        declared = {"content-length": str(2 * 10**9)}
        refused = problem(await upload(client, "a.csv", never(), headers=declared), 413, "upload-too-large")
        assert "1 MB" in refused["detail"]

        sent = 0

        async def endless() -> AsyncIterator[bytes]:
            nonlocal sent
            while True:
                sent += 65_536
                yield b"1,2,3,4\n" * 8192

        problem(await upload(client, "a.csv", endless()), 413, "upload-too-large")
        assert sent < 3 * MB
        unpacks = zipped(
            **{f"a{n}_csv": bytes(f"{n}\n", "ascii") * 500_000 for n in range(9)}, b_csv=b"12345678\n" * 900_000
        )
        problem(await upload(client, "a.zip", unpacks), 413, "upload-too-large")
    assert left(settings) == []


async def test_answers_about_deleted_data_are_not_returned(client: Client) -> None:
    await upload(client, "sales.csv", SALES.encode(), name="sales")
    session = (await client.post("/sessions", json={"database": "sales"}, headers=bearer(ANN))).json()["session_id"]
    asked = {"question": "Hello", "database": "sales", "session_id": session}
    answer = (await client.post("/query", json=asked, headers=bearer(ANN))).json()
    path = f"/sessions/{session}/answers/{answer['trace_id']}"
    assert (await client.get(path, headers=bearer(ANN))).json() == answer

    await client.delete("/databases/sales", headers=bearer(ANN))

    problem(await client.get(path, headers=bearer(ANN)), 404, "unknown-database")


async def test_two_uploads_of_one_name_are_one(client: Client, settings: Settings) -> None:
    sent = [upload(client, "sales.csv", SALES.encode(), name="sales") for _ in range(3)]
    answers = sorted((await asyncio.gather(*sent)), key=lambda it: it.status_code)
    assert [it.status_code for it in answers] == [201, 409, 409]
    for one in answers[1:]:
        problem(one, 409, "name-taken")
    assert len(left(settings)) == 1
    problem(await upload(client, "a.csv", SALES.encode(), name="shop"), 409, "name-taken")
    assert (await upload(client, "sales.csv", SALES.encode())).json()["name"] == "sales-2"


async def test_a_name_stays_with_who_used_it_first(client: Client) -> None:
    await upload(client, "sales.csv", SALES.encode(), name="sales")
    await client.delete("/databases/sales", headers=bearer(ANN))
    refused = await upload(client, "sales.csv", SALES.encode(), name="sales", key=STRANGER)
    assert "ann" not in problem(refused, 409, "name-taken")["detail"].lower()
    assert (await upload(client, "sales.csv", SALES.encode(), key=STRANGER)).json()["name"] == "sales-2"


async def test_a_strangers_upload_touches_nothing_of_the_first(client: Client, settings: Settings) -> None:
    """Neither its name, nor the name of its request, gives a caller anything of another's upload."""
    headers = {"idempotency-key": "monday"}
    first = await upload(client, "sales.csv", SALES.encode(), name="sales", headers=headers)
    taken = await upload(client, "sales.csv", b"Ort\nUlm\n", name="sales", key=STRANGER, headers=headers)
    problem(taken, 409, "name-taken")
    other = await upload(client, "sales.csv", b"Ort\nUlm\n", key=STRANGER, headers={"idempotency-key": "tuesday"})
    assert (first.json()["name"], other.json()["name"]) == ("sales", "sales-2")

    asked = {"database": "sales", "sql": "SELECT count(*) AS n FROM sales"}
    problem(await client.delete("/databases/sales", headers=bearer(STRANGER)), 404, "unknown-database")
    rows = await client.post("/execute", json=asked, headers=bearer(ANN))
    assert rows.json()["rows"] == [[len(SALES.splitlines()) - 1]]
    assert len(left(settings)) == 2


async def test_a_full_disk_keeps_nothing(client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(received: Incoming, pieces: list[bytes]) -> None:
        with Path("/dev/full").open("wb", buffering=0) as out:
            out.write(b"".join(pieces))

    with monkeypatch.context() as patched:
        patched.setattr(Incoming, "write", full)
        problem(await upload(client, "sales.csv", SALES.encode()), 507, "storage-full")
    assert left(settings) == []
    monkeypatch.setattr(folders, "RESERVED", 10**18)
    problem(await upload(client, "sales.csv", SALES.encode()), 507, "storage-full")
    assert left(settings) == []


async def test_a_disk_that_fills_while_data_is_read_keeps_nothing(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(executor: IsolatedExecutor) -> Schema:
        raise DiskFull("There is no room on the disk to read sales.csv.")

    with monkeypatch.context() as patched:
        patched.setattr(IsolatedExecutor, "schema", full)
        problem(await upload(client, "sales.csv", SALES.encode("cp1252")), 507, "storage-full")
    assert left(settings) == []
    assert (await upload(client, "sales.csv", SALES.encode("cp1252"))).status_code == 201


async def test_a_caller_who_hangs_up_leaves_nothing(service: Service, settings: Settings) -> None:
    async def breaks() -> AsyncIterator[bytes]:
        yield b"a,b\n"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await service.take_upload(Arriving(owner="ann", file="a.csv"), breaks())
    assert left(settings) == []


async def test_nobody_can_upload_where_it_is_off(opened: Open) -> None:
    async with opened(upload_mb=0) as client:
        problem(await upload(client, "sales.csv", SALES.encode()), 403, "not-permitted")
        assert (await client.get("/databases", headers=bearer(ANN))).json()["uploads"] is None


async def test_who_has_enough_deletes_first(opened: Open) -> None:
    async with opened(max_uploads=1) as client:
        assert (await upload(client, "a.csv", SALES.encode())).status_code == 201
        problem(await upload(client, "b.csv", SALES.encode()), 422, "upload-invalid")
        assert (await upload(client, "b.csv", SALES.encode(), key=STRANGER)).status_code == 201
        await client.delete("/databases/a", headers=bearer(ANN))
        assert (await upload(client, "b.csv", SALES.encode(), name="c")).status_code == 201


@pytest.mark.parametrize("name", ["../x.csv", "a/../../x.csv", "*.csv", "a[1].csv", "'; drop.csv"])
async def test_no_name_of_a_file_is_a_path(name: str, client: Client, settings: Settings) -> None:
    taken = await upload(client, name, SALES.encode())
    assert taken.status_code == 201, taken.text
    place = settings.state_path / "uploads" / "kept"
    assert [it.parent.parent for it in place.rglob("*.csv")] == [place]
    schema = await client.get(f"/databases/{taken.json()['name']}/schema?enriched=false", headers=bearer(ANN))
    assert len(schema.json()["tables"]) == 1


# -- the registry --------------------------------------------------------------------------------------------


async def test_an_entry_that_is_added_to_the_registry_is_there(
    client: Client, registry: Path, tmp_path: Path, settings: Settings, model: ScriptedModel
) -> None:
    names = {it["name"] for it in (await client.get("/databases", headers=bearer(ANN))).json()["databases"]}
    assert names == {"shop"}
    (tmp_path / "own.csv").write_text(SALES, encoding="utf-8")
    registry.write_text("shop: shop.sqlite\nown: own.csv\n", encoding="utf-8")
    asked = {"database": "own", "sql": "SELECT count(*) AS n FROM own"}
    assert (await client.post("/execute", json=asked, headers=bearer(ANN))).json()["rows"] == [[40]]

    registry.write_text("shop: shop.sqlite\nown: [no entry\n", encoding="utf-8")
    listed = (await client.get("/databases", headers=bearer(ANN))).json()["databases"]
    assert {it["name"] for it in listed} == {"shop", "own"}, "a registry that cannot be used changes nothing"

    with sqlite3.connect(tmp_path / "two.sqlite") as two:
        two.executescript("CREATE TABLE own (a INTEGER); INSERT INTO own VALUES (7);")
    two.close()
    registry.write_text("own: two.sqlite\n", encoding="utf-8")
    await client.get("/databases", headers=bearer(ANN))
    asked = {"database": "own", "sql": "SELECT a FROM own"}
    assert (await client.post("/execute", json=asked, headers=bearer(ANN))).json()["rows"] == [[7]]
    problem(await client.get("/databases/shop", headers=bearer(ANN)), 404, "unknown-database")

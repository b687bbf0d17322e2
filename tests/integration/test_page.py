"""The page's files as they are served: compressed, immutable by name, under a policy without exceptions."""

from __future__ import annotations

import gzip
import re
from collections.abc import AsyncIterator

import httpx2
import pytest
from api_client import api_client, problem

from agent.api.app import create_app
from agent.api.routes.page import ASSETS, FOLDER, asset_paths
from agent.pipeline.service import Service

FIRST_LOAD_BYTES = 400_000
LOADED = re.compile(r'"\./(assets/[^"]+)"')
SCRIPT, STYLE = re.compile(r'src="\./(assets/[^"]+)"'), re.compile(r'href="\./(assets/[^"]+\.css)"')


def no_service() -> Service:
    raise AssertionError("the page needs no service")


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with api_client(create_app(no_service)) as client:
        client.base_url = httpx2.URL("http://test/")
        yield client


async def test_the_page_is_there_under_a_strict_policy(client: httpx2.AsyncClient) -> None:
    response = await client.get("/")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"


async def test_nothing_is_inline_and_nothing_comes_from_another_host(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/")).text
    assert not re.search(r"<style|style=|\son\w+=|javascript:|data:", page)
    assert all("src=" in script for script in re.findall(r"<script[^>]*>", page))
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


async def test_what_the_page_loads_is_kept_for_ever_by_a_name_with_its_hash(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/")).text
    for path in (*SCRIPT.findall(page), *STYLE.findall(page)):
        response = await client.get(f"/{path}")
        assert response.status_code == 200
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert re.search(r"-[\w-]{8}\.(js|css)$", path), "a changed file has another name"


async def test_the_page_itself_is_asked_for_again_and_not_sent_twice(client: httpx2.AsyncClient) -> None:
    first = await client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = await client.get("/", headers={"if-none-match": f'W/"another", {first.headers["etag"]}'})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    changed = await client.get("/", headers={"if-none-match": '"another"'})
    assert changed.status_code == 200


@pytest.mark.parametrize("accepted, zipped", [("gzip, br", True), ("br;q=1, gzip;q=0", False), ("identity", False)])
async def test_it_is_compressed_for_who_takes_that(client: httpx2.AsyncClient, accepted: str, zipped: bool) -> None:
    (path,) = SCRIPT.findall((await client.get("/")).text)
    request = client.build_request("GET", f"/{path}", headers={"accept-encoding": accepted})
    response = await client.send(request, stream=True)
    raw = b"".join([chunk async for chunk in response.aiter_raw()])
    assert response.headers.get("content-encoding") == ("gzip" if zipped else None)
    assert response.headers["vary"] == "Accept-Encoding"
    assert (gzip.decompress(raw) if zipped else raw) == (FOLDER / path).read_bytes()


async def test_the_first_load_is_small(client: httpx2.AsyncClient) -> None:
    page = (await client.get("/")).text
    loaded = [await client.get(f"/{path}") for path in LOADED.findall(page)]
    fonts = [(FOLDER / path[1:]).stat().st_size for path in asset_paths() if path.endswith(".woff2")]
    assert sum(int(response.headers["content-length"]) for response in loaded) + sum(fonts) < FIRST_LOAD_BYTES


async def test_head_says_as_much_and_sends_nothing(client: httpx2.AsyncClient) -> None:
    got, asked = await client.get("/"), await client.head("/")
    assert (asked.status_code, asked.content) == (200, b"")
    for name in ("etag", "content-length", "content-security-policy", "content-type"):
        assert asked.headers[name] == got.headers[name]


@pytest.mark.parametrize("name", ["nothing.js", "..%2Findex.html", "%2Fetc%2Fpasswd", "index.html"])
async def test_only_built_files_are_there(client: httpx2.AsyncClient, name: str) -> None:
    problem(await client.get(f"{ASSETS}{name}"), 404, "unknown-route")


async def test_every_file_has_a_media_type(client: httpx2.AsyncClient) -> None:
    for path in asset_paths():
        response = await client.get(path)
        assert response.status_code == 200
        assert response.headers["content-type"] != "text/html; charset=utf-8"

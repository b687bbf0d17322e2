"""Azure Table Storage without a key: the identity that App Service gives a Function App, over TLS."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlparse

import pytest

from agent.core.errors import StateUnavailable
from agent.platform.config.settings import Settings
from agent.platform.storage.build import build_store
from agent.platform.storage.store import Insert, Place
from testbed import azurite
from testbed.azurite import Azurite

HERE = Place(kind="visit", partition="Ada")
SECRET = "of the platform"  # what a process of the app sends to be known
TENANT = "https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/"


def token(audience: str) -> str:
    """As Microsoft Entra ID gives one, for an hour."""
    now = int(time.time())
    said = {"aud": audience, "iss": TENANT, "iat": now - 60, "nbf": now - 60, "exp": now + 3600}
    parts = ({"alg": "RS256", "typ": "JWT"}, said, {"signed": "by nobody"})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


class Identity(BaseHTTPRequestHandler):
    """The endpoint in an App Service that gives the app's own identity its tokens."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        (resource,) = parse_qs(urlparse(self.path).query)["resource"]
        self.asked.append(resource)
        known = self.headers["X-IDENTITY-HEADER"] == SECRET
        given = {"access_token": token(resource), "expires_on": str(int(time.time()) + 3600), "token_type": "Bearer"}
        body = json.dumps(given if known else {"statusCode": 403, "message": "who are you?"}).encode()
        self.send_response(200 if known else 403)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def identity() -> Iterator[str]:
    Identity.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Identity) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/msi/token"
        server.shutdown()
        thread.join()


@pytest.fixture
def settings(identity: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    if reason := azurite.missing():
        pytest.skip(reason)
    with Azurite(tls=True) as server:
        monkeypatch.setenv("IDENTITY_ENDPOINT", identity)
        monkeypatch.setenv("IDENTITY_HEADER", SECRET)
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(server.certificate))
        yield Settings(azure_tables_endpoint=server.endpoint, azure_tables_name="own")


def test_an_app_needs_no_key(settings: Settings) -> None:
    store = build_store(settings)
    store.commit(HERE, [Insert(key="k", value={"n": 1})])

    found = store.get(HERE, "k")

    assert found is not None
    assert found.value == {"n": 1}
    assert set(Identity.asked) == {"https://storage.azure.com"}
    store.close()


def test_an_app_without_an_identity_is_told_what_to_do(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDENTITY_HEADER", "somebody else")
    store = build_store(settings)

    with pytest.raises(StateUnavailable, match="Storage Table Data Contributor") as caught:
        store.get(HERE, "k")

    assert "who are you" not in str(caught.value)
    store.close()

"""The connection to a Chroma server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlsplit

from pydantic import SecretStr

from executors.base import Frozen
from rag.index.chroma import import_chroma

if TYPE_CHECKING:
    import httpx
    from chromadb.api.client import Client

_CONNECT_S = 5.0


class ChromaServer(Frozen):
    """Where a Chroma server is.

    url: http(s)://host:port.
    token: sent as `Authorization: Bearer` and as `X-Chroma-Token`, where there is one.
    """

    url: str
    token: SecretStr | None = None
    tenant: str = "default_tenant"
    database: str = "default_database"


def connect(server: ChromaServer, timeout_s: float) -> Client:
    """A client that waits so long for an answer.

    Raises httpx.HTTPError, ChromaError, ValueError: no answer, or not a Chroma server's; StoreUnavailable: Chroma's
    client is not installed.
    """
    import_chroma()
    import chromadb
    import httpx
    from chromadb.config import Settings

    address = urlsplit(server.url)
    headers = _headers(server.token)
    timeout = httpx.Timeout(timeout_s, connect=_CONNECT_S)
    # Chroma's client waits for ever, and leaves connections open where it cannot be made; so it is found out before.
    with httpx.Client(base_url=f"{server.url.rstrip('/')}/api/v2", headers=headers, timeout=timeout) as probe:
        int(probe.get("/heartbeat").raise_for_status().json()["nanosecond heartbeat"])
        probe.get(f"/tenants/{quote(server.tenant)}/databases/{quote(server.database)}").raise_for_status()
    client = chromadb.HttpClient(
        host=address.hostname or "",
        port=address.port or (443 if address.scheme == "https" else 80),
        ssl=address.scheme == "https",
        headers=dict(headers),
        settings=Settings(anonymized_telemetry=False),
        tenant=server.tenant,
        database=server.database,
    )
    for session in _sessions(client):
        session.timeout = timeout
        session.event_hooks = {"response": [_refuse_others]}
    return cast("Client", client)


def disconnect(client: Client) -> None:
    """Give a client's connections back; closing it alone does not."""
    for session in _sessions(client):
        session.close()
    client.close()


def _sessions(client: Any) -> tuple[httpx.Client, httpx.Client]:
    """Chroma's client is two: one for collections, one for the tenant."""
    return client._server._session, client._admin_client._server._session


def _headers(token: SecretStr | None) -> Mapping[str, str]:
    if token is None:
        return {}
    secret = token.get_secret_value()
    return {"Authorization": f"Bearer {secret}", "X-Chroma-Token": secret}


def _refuse_others(response: Any) -> None:
    """Raise HTTPStatusError for an error that is not Chroma's own, as one of a proxy: its client has none for it."""
    from chromadb.errors import error_types

    if response.status_code < 400:
        return
    response.read()
    if not any(f'"{name}"' in response.text for name in error_types):
        response.raise_for_status()

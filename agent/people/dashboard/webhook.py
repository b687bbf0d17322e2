"""Webhooks as standardwebhooks.com describes them: signed, retried, never sent to a private address."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential

from agent.people.dashboard.addresses import AllowedHosts, HostRefused
from executors.base import JsonValue

if TYPE_CHECKING:
    import httpx2

TRIES = 4
TIMEOUT_S = 10.0  # of one try
SECRET_PREFIX = "whsec_"  # noqa: S105  as standardwebhooks.com has it
SECRET_BYTES = 24
_TOO_MANY, _FAILED = 429, 500

Wait = Callable[[RetryCallState], float]


class NotDelivered(Exception):
    """The receiver did not take a webhook; the message says why, and never what it answered."""


class _TryAgain(NotDelivered):
    """It may take it a moment later."""


def new_secret() -> str:
    """A secret for `sign`, which its owner keeps."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`: HMAC-SHA256 over id, time and body, which points separate."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class Webhooks:
    """Sends webhooks. `wait` is between two tries; by default 1, 2 and 4 seconds."""

    def __init__(
        self, hosts: AllowedHosts, *, wait: Wait | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.hosts, self._clock = hosts, clock
        self._wait = wait or wait_exponential(multiplier=1, max=8)

    async def send(self, url: str, secret: str, payload: dict[str, JsonValue]) -> None:
        """Deliver a payload: any answer of 2xx. All tries have one id, by which the receiver knows them for one.

        Raises NotDelivered: no try was taken, or it may not go there.
        """
        import httpx2

        body = json.dumps(payload, ensure_ascii=False).encode()
        message_id = f"msg_{secrets.token_hex(16)}"
        tries = AsyncRetrying(
            retry=retry_if_exception_type(_TryAgain), wait=self._wait, stop=stop_after_attempt(TRIES), reraise=True
        )
        # No proxy of the environment: it would resolve the name anew, and reach what this process may not.
        async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False, follow_redirects=False) as client:
            async for attempt in tries:
                with attempt:
                    await self._post(client, url, secret, message_id, body)

    async def _post(self, client: httpx2.AsyncClient, url: str, secret: str, message_id: str, body: bytes) -> None:
        import httpx2

        from agent.core.errors import TileInvalid

        try:
            parts = self.hosts.check(url)  # the operator may have changed what is allowed
            address = await self.hosts.address_of(parts)
        except (HostRefused, TileInvalid) as error:
            raise NotDelivered(str(error)) from error
        timestamp = int(self._clock())
        headers = {
            "host": parts.netloc,
            "content-type": "application/json",
            "user-agent": "Plumbline",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": sign(secret, message_id, timestamp, body),
        }
        # Connected to the address that was checked; TLS still asks for, and verifies, the name.
        target = httpx2.URL(url).copy_with(host=address, fragment=None)
        extensions = {"sni_hostname": parts.hostname or ""}
        try:
            async with client.stream("POST", target, content=body, headers=headers, extensions=extensions) as response:
                status = response.status_code  # its body may be of any size, and is not read
        except httpx2.TransportError as error:
            raise _TryAgain("The receiver cannot be reached.") from error
        if status == _TOO_MANY or status >= _FAILED:
            raise _TryAgain(f"The receiver answered {status}.")
        if not 200 <= status < 300:
            raise NotDelivered(f"The receiver answered {status}.")

"""Webhooks as specified by standardwebhooks.com: signed, retried, only to public addresses or listed hosts."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import socket
import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential

from agent.core.errors import TileInvalid
from executors.base import JsonValue

if TYPE_CHECKING:
    import httpx2

Address = IPv4Address | IPv6Address

# Addresses that are registered as public but not on the Internet: Azure's platform address; IPv6 that leads to IPv4.
PLATFORM = frozenset({IPv4Address("168.63.129.16")})
_NAT64 = IPv6Network("64:ff9b::/96")
_TRANSLATED = (IPv6Network("64:ff9b:1::/48"), IPv6Network("2001::/32"), IPv6Network("2002::/16"))


class NotDelivered(Exception):
    """The receiver did not get or accept a webhook. The message states why but never contains the response."""


class AllowedHosts:
    """Allowed hosts of webhooks: those listed, separated by commas, `.example.com` for subdomains; else public ones."""

    def __init__(self, listed: str) -> None:
        self._listed = tuple(one.strip().casefold() for one in listed.split(",") if one.strip())

    def check(self, url: str) -> SplitResult:
        """Check the form of an address and return its parts. Resolves nothing. Raises TileInvalid."""
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").casefold(), parts.port
        except ValueError as error:
            raise TileInvalid("The webhook's address is not a URL. Write https://host/path.") from error
        schemes = ("https", "http") if self._listed else ("https",)
        if parts.scheme not in schemes or not host or port == 0 or not url.isascii() or not url.isprintable():
            raise TileInvalid("A webhook's address begins with https:// and a host, in ASCII.")
        if parts.username is not None or parts.password is not None:
            raise TileInvalid(
                "A webhook's address may not contain a user name. Put credentials into its path or query."
            )
        if self._listed and not any(host.endswith(it) if it.startswith(".") else host == it for it in self._listed):
            raise TileInvalid("Webhooks to this host are not allowed; the operator of this service can allow it.")
        return parts

    async def address_of(self, parts: SplitResult) -> str:
        """The address to connect to, resolved once. Raises NotDelivered if it is unknown or not public."""
        host = parts.hostname or ""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise NotDelivered("The host of the webhook's address is unknown.") from error
        addresses = [ip_address(one[4][0]) for one in found]
        if not self._listed and not all(is_public(one) for one in addresses):
            raise NotDelivered("The webhook's address is not public.")
        return str(addresses[0])


def is_public(address: Address) -> bool:
    """Whether an address is on the Internet and does not map to another network."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast and address not in PLATFORM


TRIES = 4
TIMEOUT_S = 10.0  # per try
SECRET_PREFIX = "whsec_"  # noqa: S105  as standardwebhooks.com has it
SECRET_BYTES = 24
_TOO_MANY, _FAILED = 429, 500

Wait = Callable[[RetryCallState], float]


class _TryAgain(NotDelivered):
    """The receiver may accept the webhook later."""


def new_secret() -> str:
    """A secret for `sign`, which its owner keeps."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`: HMAC-SHA256 over id, time and body, separated by full stops."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class Webhooks:
    """Sends webhooks. `wait`: delay between two tries; default: 1, 2 and 4 seconds."""

    def __init__(
        self, hosts: AllowedHosts, *, wait: Wait | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.hosts, self._clock = hosts, clock
        self._wait = wait or wait_exponential(multiplier=1, max=8)

    async def send(self, url: str, secret: str, payload: dict[str, JsonValue]) -> None:
        """Deliver a payload; all tries have the same id. Raises NotDelivered for no 2xx or a forbidden URL."""
        import httpx2

        body = json.dumps(payload, ensure_ascii=False).encode()
        message_id = f"msg_{secrets.token_hex(16)}"
        tries = AsyncRetrying(
            retry=retry_if_exception_type(_TryAgain), wait=self._wait, stop=stop_after_attempt(TRIES), reraise=True
        )
        # No proxy from the environment: it would resolve the name again and could reach forbidden addresses.
        async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=False, follow_redirects=False) as client:
            async for attempt in tries:
                with attempt:
                    await self._post(client, url, secret, message_id, body)

    async def _post(self, client: httpx2.AsyncClient, url: str, secret: str, message_id: str, body: bytes) -> None:
        import httpx2

        try:
            parts = self.hosts.check(url)  # the allowed hosts may have changed
        except TileInvalid as error:
            raise NotDelivered(str(error)) from error
        address = await self.hosts.address_of(parts)
        timestamp = int(self._clock())
        headers = {
            "host": parts.netloc,
            "content-type": "application/json",
            "user-agent": "Plumbline",
            "webhook-id": message_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": sign(secret, message_id, timestamp, body),
        }
        # Connect to the checked address. TLS still requests and verifies the name.
        target = httpx2.URL(url).copy_with(host=address, fragment=None)
        extensions = {"sni_hostname": parts.hostname or ""}
        try:
            async with client.stream("POST", target, content=body, headers=headers, extensions=extensions) as response:
                status = response.status_code  # the body may be of any size and is not read
        except httpx2.TransportError as error:
            raise _TryAgain("The receiver cannot be reached.") from error
        if status == _TOO_MANY or status >= _FAILED:
            raise _TryAgain(f"The receiver answered {status}.")
        if not 200 <= status < 300:
            raise NotDelivered(f"The receiver answered {status}.")

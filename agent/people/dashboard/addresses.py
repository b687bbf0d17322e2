"""Where a webhook may connect: public addresses, or hosts that the operator lists. The defence against SSRF."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from agent.core.errors import TileInvalid

Address = IPv4Address | IPv6Address

# Public by the registry, and still no place on the Internet: Azure's own platform address; IPv6 that leads to IPv4.
PLATFORM = frozenset({IPv4Address("168.63.129.16")})
_NAT64 = IPv6Network("64:ff9b::/96")
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
_TRANSLATED = (_LOCAL_NAT64, IPv6Network("2001::/32"), IPv6Network("2002::/16"))


class HostRefused(Exception):
    """A webhook may not go there; the message says why."""


class AllowedHosts:
    """Decides whether and where a webhook is sent: to the listed hosts, wherever they lie; else to public ones.

    They are listed by commas, `.example.com` for all beneath.
    """

    def __init__(self, listed: str) -> None:
        self._listed = tuple(one.strip().casefold() for one in listed.split(",") if one.strip())

    def check(self, url: str) -> SplitResult:
        """The parts of an address that has the right form. Nothing is resolved. Raises TileInvalid."""
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
        if self._listed and not any(_covers(one, host) for one in self._listed):
            raise TileInvalid("Webhooks to this host are not allowed; the operator of this service can allow it.")
        return parts

    async def address_of(self, parts: SplitResult) -> str:
        """The address to connect to, resolved now: the name may mean another one later, so it is not asked again.

        Raises HostRefused: the name is unknown, or one of its addresses is not public.
        """
        host = parts.hostname or ""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise HostRefused("The host of the webhook's address is unknown.") from error
        addresses = [ip_address(one[4][0]) for one in found]
        if not self._listed and not all(is_public(one) for one in addresses):
            raise HostRefused("The webhook's address is not public.")
        return str(addresses[0])


def is_public(address: Address) -> bool:
    """Whether an address is one of the Internet, and leads to no other network."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast and address not in PLATFORM


def _covers(listed: str, host: str) -> bool:
    return host.endswith(listed) if listed.startswith(".") else host == listed

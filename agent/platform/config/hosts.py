"""Checks of hosts and origins: which hosts are this machine, and which origins a setting lists."""

from __future__ import annotations

import re
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d+)?")  # as browsers write it


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host: a loopback address or `localhost`. Names are not resolved."""
    try:
        address = ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return host.casefold() == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def host_of(authority: str) -> str:
    """The host of a `Host` header, without its port; empty if it has none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def origins(listed: str) -> tuple[str, ...]:
    """The origins of a setting, separated by commas. Raises ValueError if one is neither `*` nor `scheme://host[:port]`."""
    found = tuple(one.strip() for one in listed.split(",") if one.strip())
    wrong = [one for one in found if one != "*" and (not _ORIGIN.fullmatch(one) or origin_of(one) != one)]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is not an origin; write https://host, or http://host:port, without a path")
    return found


def origin_of(address: str) -> str:
    """The origin of a page's address, as browsers write it; empty for an empty one, `null` if it has no origin."""
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return "null"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}{port}" if parts.scheme in ("http", "https") and host else "null"

"""Webhooks go to public addresses or listed hosts alone, signed, and again where the receiver fails."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from ipaddress import ip_address

import pytest
from tenacity import wait_none
from webhook_receiver import Receiver, receiving

from agent.core.errors import TileInvalid
from agent.people.dashboard.webhook import TRIES, AllowedHosts, NotDelivered, Webhooks, is_public, new_secret, sign

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


def sender(listed: str = "127.0.0.1") -> Webhooks:
    return Webhooks(AllowedHosts(listed), wait=wait_none(), clock=lambda: 1_700_000_000.9)


def test_the_signature_is_that_of_the_specification() -> None:
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, BODY)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_no_two_secrets_are_the_same() -> None:
    assert new_secret() != new_secret()


async def test_a_webhook_is_signed(receiver: Receiver) -> None:
    await sender().send(f"{receiver.url}/hook?key=a%20b", SECRET, {"text": "ü"})
    (got,) = receiver.got
    assert (got.path, json.loads(got.body)) == ("/hook?key=a%20b", {"text": "ü"})
    assert got.headers["host"] == receiver.url.removeprefix("http://")
    assert got.headers["webhook-timestamp"] == "1700000000"
    signed = f"{got.headers['webhook-id']}.1700000000.".encode() + got.body
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert got.headers["webhook-signature"] == f"v1,{expected}"


async def test_a_receiver_that_fails_is_tried_again_under_the_same_id(receiver: Receiver) -> None:
    receiver.answers = [500, 429]
    await sender().send(receiver.url, SECRET, {})
    assert len(receiver.got) == 3
    assert len({it.headers["webhook-id"] for it in receiver.got}) == 1


@pytest.mark.parametrize(
    "status, tries, why",
    [(503, TRIES, "it may come back"), (400, 1, "it will not take it"), (307, 1, "redirects are not followed")],
)
async def test_what_is_not_taken_is_said(receiver: Receiver, status: int, tries: int, why: str) -> None:
    receiver.answers = [status] * 10
    with pytest.raises(NotDelivered, match=f"answered {status}"):
        await sender().send(receiver.url, SECRET, {})
    assert len(receiver.got) == tries, why


async def test_a_receiver_that_is_not_there() -> None:
    with pytest.raises(NotDelivered, match="cannot be reached"):
        await sender().send("http://127.0.0.1:9/", SECRET, {})


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "169.254.169.254", "10.1.2.3", "0x7f.1"])
async def test_no_private_address_is_connected_to(host: str) -> None:
    with pytest.raises(NotDelivered, match="not public"):
        await sender("").send(f"https://{host}/", SECRET, {})


async def test_a_name_that_means_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(*_: object, **__: object) -> list[object]:
        return [(2, 1, 6, "", ("93.184.216.34", 0)), (2, 1, 6, "", ("192.168.0.1", 0))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
    with pytest.raises(NotDelivered, match="not public"):
        await sender("").send("https://rebound.example.com/", SECRET, {})


@pytest.mark.parametrize(
    "address, public",
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("168.63.129.16", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00:ec2::254", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::a00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("64:ff9b:1::1", False),
        ("2002:a00:1::", False),
    ],
)
def test_what_is_public(address: str, public: bool) -> None:
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "url, listed, why",
    [
        ("http://example.com/", "", "not encrypted"),
        ("ftp://example.com/", "example.com", "no HTTP"),
        ("https:///hook", "", "no host"),
        ("https://user:secret@example.com/", "", "a user name"),
        ("https://[::1/", "", "no URL"),
        ("https://example.com:99999/", "", "no port"),
        ("https://exämple.com/", "", "no ASCII"),
        ("https://example.com/\nx", "", "a line break"),
        ("https://example.org/", "example.com, .example.net", "not listed"),
        ("https://badexample.net/", ".example.net", "not beneath it"),
        ("https://example.net/", ".example.net", "itself is not beneath it"),
    ],
)
def test_addresses_that_are_refused_at_once(url: str, listed: str, why: str) -> None:
    hosts = AllowedHosts(listed)
    with pytest.raises(TileInvalid, match=r"[Ww]ebhook"):
        hosts.check(url)
    assert why


@pytest.mark.parametrize(
    "url, listed",
    [
        ("https://example.com/a?b=c", ""),
        ("https://EXAMPLE.com:8443/", "example.com"),
        ("http://hooks.example.net/", ".example.net"),
    ],
)
def test_addresses_that_are_allowed(url: str, listed: str) -> None:
    assert AllowedHosts(listed).check(url).hostname

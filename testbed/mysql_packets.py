"""The packets that begin a session in MySQL 8's protocol, and their framing."""

from __future__ import annotations

import hashlib
import secrets
import socket
import struct
from typing import NamedTuple, Self

from pymysql.constants import CLIENT

from testbed.mysql_statements import VERSION

PLUGIN = b"caching_sha2_password"
LONGEST = 0xFFFFFF  # bytes; a packet of that size goes on in the next one
OK = b"\x00\x00\x00\x02\x00\x00\x00"
ERROR = 0xFF
_COLLATION = 255  # utf8mb4_0900_ai_ci
_AUTOCOMMIT = 2


class Login(NamedTuple):
    """The client's part of the handshake. Shape: flags as in `pymysql.constants.CLIENT`, texts as bytes."""

    flags: int
    user: bytes
    proof: bytes
    database: bytes | None
    plugin: bytes

    @classmethod
    def parse(cls, packet: bytes) -> Self:
        """Of a handshake's response, as PyMySQL writes it."""
        flags = struct.unpack_from("<I", packet)[0]
        user, _, rest = packet[32:].partition(b"\0")
        proof, rest = rest[1 : 1 + rest[0]], rest[1 + rest[0] :]
        database = None
        if flags & CLIENT.CONNECT_WITH_DB:
            database, _, rest = rest.partition(b"\0")
        return cls(flags, user, proof, database, rest.partition(b"\0")[0])


class Packets:
    """A client's packets, one after another. `client` may be replaced, by the same one over TLS."""

    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self._seq = 0

    def send(self, payload: bytes) -> None:
        """Answer with one packet."""
        self.client.sendall(framed(self._seq, payload))
        self._seq = (self._seq + 1) % 256

    def read(self) -> bytes:
        """The next packet; a longer one than 16 MB is put together. Raises EOFError where the client is gone."""
        payload, size = b"", LONGEST
        while size == LONGEST:
            head = self._exactly(4)
            size, self._seq = int.from_bytes(head[:3], "little"), (head[3] + 1) % 256
            payload += self._exactly(size)
        return payload

    def _exactly(self, size: int) -> bytes:
        got = bytearray()
        while len(got) < size:
            more = self.client.recv(size - len(got))
            if not more:
                raise EOFError
            got += more
        return bytes(got)


def greeting(nonce: bytes, number: int, *, tls: bool) -> bytes:
    """The server's greeting. Args: number: of the connection. tls: whether it can be had."""
    able = CLIENT.CAPABILITIES | CLIENT.CONNECT_WITH_DB | CLIENT.FOUND_ROWS | CLIENT.MULTI_STATEMENTS
    able |= CLIENT.SSL if tls else 0
    start = b"\x0a" + VERSION.encode() + b"\0" + struct.pack("<I", number) + nonce[:8] + b"\0"
    flags = struct.pack("<HBHHB10x", able & 0xFFFF, _COLLATION, _AUTOCOMMIT, able >> 16, len(nonce) + 1)
    return start + flags + nonce[8:] + b"\0" + PLUGIN + b"\0"


def new_nonce() -> bytes:
    """Twenty bytes, none of them 0, which would end it."""
    return bytes(1 + secrets.randbelow(127) for _ in range(20))


def scramble(password: bytes, nonce: bytes) -> bytes:
    """The proof that a client knows a password, without sending it."""
    once = hashlib.sha256(password).digest()
    mask = hashlib.sha256(hashlib.sha256(once).digest() + nonce).digest()
    return bytes(a ^ b for a, b in zip(once, mask, strict=True))


def error_packet(number: int, state: str, text: str) -> bytes:
    """An error: its number, SQLSTATE and text."""
    return bytes([ERROR]) + struct.pack("<H", number) + b"#" + state.encode() + text.encode()


def framed(seq: int, payload: bytes) -> bytes:
    """A packet with its head. Args: payload: of less than 16 MB."""
    return len(payload).to_bytes(3, "little") + bytes([seq]) + payload

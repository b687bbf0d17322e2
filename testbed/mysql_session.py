"""One client's session with the front of MySQL 8: its login, and what passes on between it and MariaDB."""

from __future__ import annotations

import select
import socket
import ssl
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from testbed.mysql_packets import (
    ERROR,
    LONGEST,
    OK,
    PLUGIN,
    Login,
    Packets,
    error_packet,
    framed,
    greeting,
    new_nonce,
    scramble,
)
from testbed.mysql_statements import INCOMPLETE, TOO_DEEP, Limits, Refused, told, translate

if TYPE_CHECKING:
    from testbed.mysql_stand_in import MysqlStandIn

_QUIT, _QUERY = 1, 3
_FAST, _FULL, _WANTS_KEY = b"\x01\x03", b"\x01\x04", b"\x02"
_EOF = 0xFE
_MORE_RESULTS = 8


class Session:
    """One client, from its first packet to its last."""

    def __init__(self, front: MysqlStandIn, client: socket.socket) -> None:
        self._front, self._packets = front, Packets(client)
        self._server: socket.socket | None = None
        self.sockets = {client}
        self._backend: Any = None  # pymysql's connection
        self._limits, self._limit_s = Limits(), 0.0
        self._got, self._continued = bytearray(), False
        self._in_rows = False  # whether the columns of a result have come, and the EOF packet after them

    def run(self, opened: set[socket.socket]) -> None:
        """Log in, then hand on. Raises OSError, EOFError or an error of pymysql where either side is gone."""
        if self._log_in(opened):
            server: socket.socket = self._backend._sock
            self._server = server
            self.sockets.add(server)
            opened.add(server)
            self._pump()

    def close(self) -> None:
        """Close both sides."""
        if self._backend is not None:
            self._backend._force_close()
        with suppress(OSError):
            self._packets.client.shutdown(socket.SHUT_RDWR)
        self._packets.client.close()

    # -- logging in ----------------------------------------------------------------------------------------

    def _log_in(self, opened: set[socket.socket]) -> bool:
        import pymysql
        from pymysql.constants import CLIENT

        nonce = new_nonce()
        self._packets.send(greeting(nonce, next(self._front.numbers), tls=self._front.tls is not None))
        said = self._packets.read()
        if secure := bool(struct.unpack_from("<I", said)[0] & CLIENT.SSL):
            assert self._front.tls is not None, "TLS was not offered"
            opened.discard(self._packets.client)
            self._packets.client = self._front.tls.wrap_socket(self._packets.client, server_side=True)
            opened.add(self._packets.client)
            self.sockets.add(self._packets.client)
            said = self._packets.read()
        login = Login.parse(said)
        if login.plugin != PLUGIN:
            self._packets.send(b"\xfe" + PLUGIN + b"\0" + nonce + b"\0")
            login = login._replace(proof=self._packets.read())
        password, how = self._password(login, nonce, secure=secure)
        try:
            self._backend = pymysql.connect(
                host=self._front.backend.host, port=self._front.backend.port, user=login.user.decode(),
                password=password, database=login.database and login.database.decode(), autocommit=None,
                ssl_disabled=True, client_flag=login.flags & (CLIENT.FOUND_ROWS | CLIENT.MULTI_STATEMENTS),
            )  # fmt: skip
        except pymysql.OperationalError as error:
            if not 1000 <= error.args[0] < 2000:
                raise EOFError from error
            if how == "fast":
                self._front.known.pop(login.user, None)  # it has been changed
            state = {1044: "42000", 1045: "28000", 1049: "42000"}.get(error.args[0], "HY000")
            self._packets.send(error_packet(error.args[0], state, error.args[1]))
            return False
        self._front.known[login.user] = password
        self._front.logins.append(how)
        self._packets.send(OK)
        return True

    def _password(self, login: Login, nonce: bytes, *, secure: bool) -> tuple[bytes, str]:
        """The password that the client knows, and how it proved so; MariaDB says whether it is right."""
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import padding

        known = self._front.known.get(login.user)
        if not login.proof:
            return b"", "empty"
        if known and login.proof == scramble(known, nonce):
            self._packets.send(_FAST)
            return known, "fast"
        self._packets.send(_FULL)
        said = self._packets.read()
        if secure:
            return said.removesuffix(b"\0"), "tls"
        if said == _WANTS_KEY:
            form = serialization.PublicFormat.SubjectPublicKeyInfo
            self._packets.send(b"\x01" + self._front.key.public_key().public_bytes(serialization.Encoding.PEM, form))
            said = self._packets.read()
        oaep = padding.OAEP(mgf=padding.MGF1(hashes.SHA1()), algorithm=hashes.SHA1(), label=None)
        hidden = self._front.key.decrypt(said, oaep)
        return bytes(byte ^ nonce[at % len(nonce)] for at, byte in enumerate(hidden)).removesuffix(b"\0"), "rsa"

    # -- handing on ----------------------------------------------------------------------------------------

    def _pump(self) -> None:
        assert self._server is not None
        while True:
            pending = isinstance(self._packets.client, ssl.SSLSocket) and self._packets.client.pending()
            both = [self._packets.client, self._server]
            ready = both[:1] if pending else select.select(both, [], [])[0]
            if self._server in ready:
                data = self._server.recv(1 << 16)
                if not data:
                    return
                self._got += data
                if answer := b"".join(self._whole()):
                    self._packets.client.sendall(answer)
            elif not self._command(self._packets.read()):
                return

    def _command(self, command: bytes) -> bool:
        """Hand a command on; the server is idle. Returns: whether there will be more."""
        assert self._server is not None
        self._in_rows = False
        if len(command) >= LONGEST:
            self._packets.send(error_packet(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"))
            return False
        if command[0] == _QUERY:
            sql = command[1:].decode("utf-8", "surrogateescape")
            try:
                sent = translate(sql, self._limits)
            except Refused as refused:
                self._packets.send(error_packet(*refused.args))
                return True
            self._limit(self._limits.seconds(sql))
            command = bytes([_QUERY]) + sent.encode("utf-8", "surrogateescape")
        self._server.sendall(framed(0, command))
        return command[0] != _QUIT

    def _limit(self, seconds: float) -> None:
        if seconds != self._limit_s:
            self._backend.query(f"SET SESSION max_statement_time = {seconds}")
            self._limit_s = seconds

    def _whole(self) -> Iterator[bytes]:
        """The whole packets that have come, as the client gets them."""
        at = 0
        while len(self._got) >= at + 4:
            size = int.from_bytes(self._got[at : at + 3], "little")
            if len(self._got) < at + 4 + size:
                break
            packet = bytes(self._got[at : at + 4 + size])
            at += len(packet)
            yield packet if self._continued or not size else self._told(packet)
            self._continued = size == LONGEST
        del self._got[:at]

    def _told(self, packet: bytes) -> bytes:
        kind = packet[4]
        if kind == ERROR:
            number, text = struct.unpack_from("<H", packet, 5)[0], packet[7:].decode("utf-8", "replace")
            state, text = (text[1:6], text[6:]) if text.startswith("#") else ("HY000", text)
            return framed(packet[3], error_packet(*told(number, state, text)))
        if kind == _EOF and len(packet) == 9:
            warnings, status = struct.unpack_from("<HH", packet, 5)
            self._in_rows = not self._in_rows
            if warnings and not self._in_rows and not status & _MORE_RESULTS and self._incomplete():
                text = "Recursive query aborted after 1001 iterations. "
                text += "Try increasing @@cte_max_recursion_depth to a larger value."
                return framed(packet[3], error_packet(TOO_DEEP, "HY000", text))
        return packet

    def _incomplete(self) -> bool:
        """Whether MariaDB stopped a recursion in silence."""
        with self._backend.cursor() as cursor:
            cursor.execute("SHOW WARNINGS")
            return any(code == INCOMPLETE for _, code, _ in cursor.fetchall())

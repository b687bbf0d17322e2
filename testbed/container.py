"""Runs docker/Containerfile without a container: its files in a folder, its packages, its command.

    python -m testbed.container

makes a fresh environment with the packages that the image would have, copies the files that it copies, runs its command
with its variables, and asks its health check: `make container`. A test does the same with the packages that are there.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

import pathspec

from testbed.service_process import ROOT, ServiceProcess

_EMBED = (
    "from rag.embedding.embedder import LocalEmbedder; print(len(LocalEmbedder().embed(['orders'])[0]), 'dimensions')"
)
FILE = ROOT / "docker" / "Containerfile"


class Instruction(NamedTuple):
    """A line of the file: a `COPY` instruction and its arguments."""

    name: str
    said: str


def instructions() -> list[Instruction]:
    """Every instruction, in order."""
    text = re.sub(r"\\\n", " ", FILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [Instruction(*line.split(maxsplit=1)) for line in lines]


def of(name: str) -> list[str]:
    """The arguments of all instructions of a name."""
    return [one.said for one in instructions() if one.name == name]


def command() -> list[str]:
    """The container's command."""
    return [str(part) for part in json.loads(of("CMD")[-1])]


def health_check() -> list[str]:
    """The health check."""
    return [str(part) for part in json.loads(of("HEALTHCHECK")[-1].partition(" CMD ")[2])]


def variables(folder: Path) -> dict[str, str]:
    """Its environment, with the home of the image's user in a folder. Args: folder: that it may write to."""
    found = dict(pair.split("=", 1) for said in of("ENV") for pair in shlex.split(said))
    return {name: value.replace("/var/lib/plumbline", str(folder)) for name, value in found.items()}


def copies() -> list[tuple[list[str], str]]:
    """The sources and the target of each COPY, as they are written."""
    return [(parts[:-1], parts[-1]) for parts in map(str.split, of("COPY"))]


def context() -> set[str]:
    """The files that the build sees: those of the project that .dockerignore lets through."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    ignored = pathspec.GitIgnoreSpec.from_lines(lines)
    return set(ignored.match_tree_files(str(ROOT), negate=True))


def stage(folder: Path) -> None:
    """Put the files where the image has them. Raises FileNotFoundError: the build would not find one."""
    seen = context()
    for sources, target in copies():
        for source in sources:
            files = sorted(file for file in seen if file == source or file.startswith(f"{source.rstrip('/')}/"))
            if not files:
                raise FileNotFoundError(f"COPY {source}: the build sees no such file")
            for file in files:
                inside = Path(file).relative_to(source) if source.endswith("/") else Path(file).name
                path = folder / target / inside if target.endswith("/") else folder / target
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, path)


def main() -> int:
    """Build and run it; 0 where it is healthy."""
    with tempfile.TemporaryDirectory(prefix="plumbline-container-") as made:
        folder, image = Path(made), Path(made) / "image"
        stage(image)
        venv.create(folder / "python", with_pip=True)
        python = str(folder / "python" / "bin" / "python")
        for said in of("RUN"):
            if said.startswith("pip "):
                subprocess.run([python, "-m", *shlex.split(said)], cwd=image, check=True)
        embedded = subprocess.run([python, "-c", _EMBED], cwd=image, check=True, capture_output=True, text=True)
        (image / "databases.yaml").write_text("shop: shop.csv\n", encoding="utf-8")
        (image / "shop.csv").write_text("order_id,amount\n1,2.5\n2,3.5\n", encoding="utf-8")
        environment = variables(folder / "home") | {
            "PYTHONPATH": "", "OPENAI_API_KEY": "none", "PLUMBLINE_AUTH": "api_keys",
            "PLUMBLINE_API_KEYS": f"ann=sha256:{'0' * 64}",
        }  # fmt: skip
        with ServiceProcess(environment, folder / "log", command=[python, *command()[1:]], folder=image) as service:
            subprocess.run([python, *health_check()[1:]], env=service.environment, check=True)
            print(f"healthy: {' '.join(command())} answers on port {service.port}; embeds in {embedded.stdout.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

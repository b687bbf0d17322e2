"""Runs one target under atheris, which follows branch coverage. It never returns, so it runs in a separate process.

    python -m fuzz.coverage TARGET CORPUS FIGURES -max_total_time=60

CORPUS is a folder; inputs that reach new code are added to it. FIGURES is a JSON file, rewritten after each finding and
every hundred cases. Further arguments are libFuzzer's.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

import atheris

_EVERY = 100


def main(name: str, figures_file: Path, arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    with atheris.instrument_imports(include=["agent", "executors", "rag"]):
        from fuzz.campaign import Figures
        from fuzz.targets import TARGETS

    target, figures, began = TARGETS[name], Figures(), time.monotonic()
    with target.opened() as check:

        def one(data: bytes) -> None:
            before = len(figures.findings)
            figures.run(check, target.case_of(data))
            if figures.cases % _EVERY == 1 or len(figures.findings) > before:
                figures.seconds = time.monotonic() - began
                figures_file.write_text(json.dumps(asdict(figures)), encoding="ascii")

        atheris.Setup([sys.argv[0], *arguments], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[3]), [sys.argv[2], *sys.argv[4:]])

"""Prints the table of engines and contract tests: `python -m testbed.contract`.

Marks: ✓ passed; · skipped, because the engine lacks the feature or this machine cannot run the test; – expected to
fail, because the stand-in lacks it (the test says which); ✗ failed; empty: does not apply to this kind of database.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run the contract and print its table. Returns pytest's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.md"
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "tests/contract", "-q", *sys.argv[1:]],
            cwd=ROOT,
            env={**os.environ, "PLUMBLINE_CONTRACT_TABLE": str(table)},
            stdout=sys.stderr,
            check=False,
        )
        if table.exists():
            print(table.read_text(encoding="utf-8"))
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())

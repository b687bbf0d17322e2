"""The command line completes itself in a shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_bash_gets_a_script_of_the_command() -> None:
    """Which shell it is, the command finds out by its parent."""
    done = subprocess.run(
        ["bash", "-c", '"$0" -m agent --show-completion; exit $?', sys.executable],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "complete -o" in done.stdout
    assert "_completion" in done.stdout

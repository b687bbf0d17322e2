"""The end of `make bench`: every figure of the last measurements, next to its target.

python -m bench.summary
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.targets import FIGURES, read_figures, show


def main(folder: Path = FIGURES) -> int:
    """Print them part by part, then how many targets are met. Returns 0 if there was something to print."""
    parts = read_figures(folder)
    if not parts:
        print("Nothing was measured yet: make bench", file=sys.stderr)
        return 1
    for title, figures in parts.items():
        show(title, figures)
        print()
    aimed = [(f"{title}: {it.name}", it) for title, figures in parts.items() for it in figures if it.target is not None]
    missed = [name for name, it in aimed if not it.met]
    print(f"{len(aimed) - len(missed)} of {len(aimed)} targets met{'; missed:' if missed else ''}")
    for name in missed:
        print(f"  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
